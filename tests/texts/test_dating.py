"""The format of dates, found in files that are read block by block."""

import os
import pickle
import threading
from datetime import date, datetime

import polars as pl
import pytest

from quantext.texts.columns import Columns
from quantext.texts.dating import AmbiguousDatesError
from quantext.texts.encoding import ReadingWarning
from quantext.texts.reading import date_columns, read_corpus, read_documents
from tests.support.tables import lines, parquet, refused

APRIL, MARCH = date(2015, 4, 3), date(2015, 3, 4)
LONG = "x" * 1000


def written(*dates, text="x"):
    return "t,d\n" + "".join(f"{text},{day}\n" for day in dates)


def days(paths, **options):
    return read_corpus(paths, text="t", date="d", period="day", **options).periods.to_list()


def test_a_format_other_than_iso_is_told(file):
    path = file("a.csv", written("03/04/2015", "24/02/2015 11:35"))
    with pytest.warns(ReadingWarning) as told:
        assert days(path) == [APRIL, date(2015, 2, 24)]
    [note] = told
    assert str(note.message) == (
        f"{path}, column 'd': dates are read as %d/%m/%Y, so that '03/04/2015' is 3 April 2015"
    )


def test_iso_dates_are_not_worth_a_note(file):
    assert days(file("a.csv", written("2015-04-03", "2015-03-04T11:35:00Z"))) == [APRIL, MARCH]


def test_day_and_month_that_could_change_places_are_asked_about(file):
    path = file("a.csv", written("02/02/2015", "03/04/2015"))
    message = (
        f"{path}, column 'd', row 2: '03/04/2015' is 3 April 2015 with date_format='%d/%m/%Y', "
        "and 4 March 2015 with date_format='%m/%d/%Y'; say which"
    )
    with pytest.raises(AmbiguousDatesError) as caught:
        days(path)
    assert str(caught.value) == message
    assert str(pickle.loads(pickle.dumps(caught.value))) == message
    assert days(path, date_format="%m/%d/%Y") == [date(2015, 2, 2), MARCH]
    assert days(path, date_format="%d/%m/%Y") == [date(2015, 2, 2), APRIL]


@pytest.mark.parametrize("mark", ["-", "/"])
def test_a_year_of_two_digits_that_may_be_first_is_asked_about(file, mark):
    path = file("a.csv", written(*(f"15{mark}02{mark}{day:02}" for day in range(1, 29))))
    with pytest.raises(AmbiguousDatesError) as caught:
        days(path)
    first, second = f"%d{mark}%m{mark}%y", f"%y{mark}%m{mark}%d"
    assert str(caught.value) == (
        f"{path}, column 'd', row 1: '15{mark}02{mark}01' is 15 February 2001 with date_format="
        f"'{first}', and 1 February 2015 with date_format='{second}'; say which"
    )
    assert days(path, date_format=second)[27] == date(2015, 2, 28)


def test_three_readings_are_three_answers(file):
    with pytest.raises(AmbiguousDatesError) as caught:
        days(file("a.csv", written("02/02/02", "01/02/03", "01/02/03")))
    assert caught.value.cell == "01/02/03"
    assert dict(caught.value.readings) == {
        "%d/%m/%y": date(2003, 2, 1),
        "%m/%d/%y": date(2003, 1, 2),
        "%y/%m/%d": date(2001, 2, 3),
    }


def test_a_month_of_days_before_a_year_of_two_digits_needs_no_question(file):
    some = [f"{day}/02/15" for day in range(13, 29)]
    with pytest.warns(ReadingWarning, match="'13/02/15' is 13 February 2015"):
        assert days(file("a.csv", written(*some)))[0] == date(2015, 2, 13)
    # With a slip, of which 2031-02-15 could be made.
    path = file("b.csv", written(*some, "31/02/15"))
    with (
        pytest.warns(ReadingWarning, match="%d/%m/%y"),
        pytest.raises(ValueError, match="row 17: '31/02/15' is not a date"),
    ):
        days(path)


def test_where_both_readings_are_the_same_days_nobody_is_asked(file):
    with pytest.warns(ReadingWarning):
        assert days(file("a.csv", written("02/02/2015"))) == [date(2015, 2, 2)]


def test_a_row_megabytes_later_decides(file):
    # Two blocks, of 4 MB and the rest; the last row alone has a day after the twelfth.
    many = [*["03/04/2015"] * 5_000, "24/02/2015"]
    with pytest.warns(ReadingWarning, match="%d/%m/%Y"):
        found = days(file("a.csv", written(*many, text=LONG)))
    assert found == [APRIL] * 5_000 + [date(2015, 2, 24)]


def test_another_file_decides_too(file):
    paths = [file("a.csv", written("03/04/2015")), file("b.csv", written("02/24/2015"))]
    with pytest.warns(ReadingWarning, match=r"%m/%d/%Y"):
        assert days(paths) == [MARCH, date(2015, 2, 24)]


def test_several_files_must_agree(file):
    paths = [
        file("a.csv", written("24/02/2015", "23/02/2015")),
        file("b.csv", written("02/24/2015")),
    ]
    message = r"b.csv, column 'd', row 1: '02/24/2015' is not a date; .* written as %d/%m/%Y"
    with pytest.warns(ReadingWarning), pytest.raises(ValueError, match=message):
        days(paths)
    paths[0] = file("a.csv", written("2015-02-24"))
    with pytest.raises(ValueError, match=r"b.csv, column 'd', row 1: '02/24/2015' is not a date"):
        days(paths)


def test_what_is_no_date_among_dates_is_named(file):
    path = file("a.csv", written("24/02/2015", "n/a", "23/02/2015"))
    with (
        pytest.warns(ReadingWarning),
        pytest.raises(ValueError, match="row 2: 'n/a' is not a date"),
    ):
        days(path)


def test_what_is_no_date_in_a_row_without_text_does_not_matter(file):
    path = file("a.csv", "t,d\nx,24/02/2015\n,never\n")
    with pytest.warns(ReadingWarning):
        assert days(path) == [date(2015, 2, 24)]


def test_a_format_that_is_given_is_obeyed(file):
    path = file("a.csv", "t,l,d\nx,a,24/02/2015\ny,b,2015-02-24\n")
    message = "column 'd', row 2: '2015-02-24' is not a date; .* written as %d/%m/%Y"
    refused(path, message, date="d", date_format="%d/%m/%Y")
    with pytest.raises(ValueError, match="date format 'dd/mm' is unknown"):
        days(path, date_format="dd/mm")


def test_numbers_of_spreadsheets_are_dates_where_dates_are_asked_for(file):
    path = file("a.csv", written("42059.48", "42060"))
    with pytest.warns(
        ReadingWarning, match="read as excel, so that '42059.48' is 24 February 2015"
    ):
        assert days(path) == [date(2015, 2, 24), date(2015, 2, 25)]
    # As names they are as good as any.
    assert read_corpus(path, text="t", by="d").periods.to_list() == ["42059.48", "42060"]
    assert days(path, date_format="excel") == [date(2015, 2, 24), date(2015, 2, 25)]


def test_what_comes_through_a_pipe_must_show_its_format_in_the_first_rows(tmp_path):
    for content, expected in [("24/02/2015", date(2015, 2, 24)), ("03/04/2015", None)]:
        pipe = tmp_path / f"{content[:2]}.csv"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_text, args=(written(content),))
        writer.start()
        if expected:
            with pytest.warns(ReadingWarning):
                assert days(pipe) == [expected]
        else:
            with pytest.raises(AmbiguousDatesError):
                days(pipe)
        writer.join()


# Columns that name batches ------------------------------------------------------------------------


def periods(path, **options):
    return read_corpus(path, text="t", by="d", **options).periods.to_list()


@pytest.mark.parametrize("name", ["2015-02-24", "2015-02", "2015-02-24T11:35", "wave 2", "1.2.15"])
def test_names_that_are_in_order_stay_names(file, name):
    assert periods(file("a.csv", written(name))) == [name]


def test_dates_that_would_be_out_of_order_as_names_are_days(file):
    path = file("a.csv", written("25/01/2015 10:00", "24/02/2015 11:00"))
    with pytest.warns(ReadingWarning):
        assert periods(path) == [date(2015, 1, 25), date(2015, 2, 24)]
    with pytest.warns(ReadingWarning):
        assert periods(file("a.csv", written("Feb 2015"))) == [date(2015, 2, 1)]


def test_one_name_that_is_no_date_makes_all_of_them_names(file):
    path = file("a.csv", written("25/01/2015", "24/02/2015", "later"))
    assert periods(path) == ["25/01/2015", "24/02/2015", "later"]


def test_ambiguous_dates_are_no_names(file):
    path = file("a.csv", written("03/04/2015"))
    with pytest.raises(AmbiguousDatesError):
        periods(path)
    assert periods(path, date_format="%m/%d/%Y") == [MARCH]


def test_columns_of_type_date_are_days(file):
    for values in ([APRIL], [datetime(2015, 4, 3, 11, 35)]):
        path = file("a.parquet", parquet(pl.DataFrame({"t": ["x"], "d": values})))
        assert periods(path) == [APRIL]


def test_times_that_nearly_all_differ_need_a_period(file):
    stamps = [f"2015-02-24 11:35:{second:02}" for second in range(30)]
    path = file("a.csv", written(*stamps))
    message = (
        r"a.csv, column 'd' has times, as '2015-02-24 11:35:00', and nearly all differ, .*; say "
        "which period makes a batch: day, week, month or year"
    )
    with pytest.raises(ValueError, match=message):
        periods(path)
    assert days(path) == [date(2015, 2, 24)] * 30
    each_day = [str(date.fromordinal(735_000 + i)) for i in range(30)]
    assert periods(file("b.csv", written(*each_day))) == each_day


def test_a_corpus_of_several_types_of_dates(file):
    path = file("a.jsonl", lines({"t": "x", "d": 20150224}, {"t": "y", "d": 20150225}))
    with pytest.warns(ReadingWarning, match="%Y%m%d"):
        assert days(path) == [date(2015, 2, 24), date(2015, 2, 25)]


def test_the_format_is_found_before_the_first_document_comes(file):
    path = file("a.csv", written("24/02/2015"))
    with pytest.warns(ReadingWarning):
        [(n, table)] = read_documents(path, Columns("t", date="d"))
    assert (n, table["period"].to_list()) == (1, [date(2015, 2, 24)])


# Columns that have dates --------------------------------------------------------------------------


def test_columns_of_dates_are_found_in_any_sure_format(file):
    path = file(
        "a.csv",
        "t,iso,european,american,month,serial,version,gaps,mixed\n"
        "x,2015-02-24,24/02/2015,2/24/2015,Feb 2015,42059,1.2.15,2015-02-24,24/02/2015\n"
        "y,2015-02-25T11:35,1/3/2015 11:35,3/1/15 1:00,May 2015,42060,1.3.15,,2015-02-24\n",
    )
    assert date_columns(path) == ["iso", "european", "month"]


def test_files_that_write_dates_in_other_ways_have_no_column_of_dates(file):
    a, b = file("a.csv", written("24/02/2015")), file("b.csv", written("02/24/2015"))
    assert date_columns(a) == date_columns(b) == ["d"]
    assert date_columns([a, b]) == []
