"""Dates: which formats a column is written in, and the days that it says."""

from datetime import date, datetime

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantext.texts.date_forms import FORMS, form
from quantext.texts.dates import are_dates, date_formats, days_in

DAY = date(2015, 2, 24)
FIRST = date(2015, 2, 1)


@pytest.mark.parametrize(
    ("written", "name", "day"),
    [
        ("2015-02-24", "iso", DAY),
        ("2015-2-24", "iso", DAY),
        ("2015-02-24 11:35:52 -0800", "iso", DAY),
        ("2015-02-24T23:35:52.123+01:00", "iso", DAY),
        ("2015-02-24T233552Z", "iso", DAY),
        ("2015-02-24 11:35:52 UTC", "iso", DAY),
        ("24/02/2015", "%d/%m/%Y", DAY),
        ("2/24/2015 11:35", "%m/%d/%Y", DAY),
        ("2/24/2015 11:35:00 PM", "%m/%d/%Y", DAY),
        ("2/24/2015, 11 a.m.", "%m/%d/%Y", DAY),
        ("2/24/15", "%m/%d/%y", DAY),
        ("98-02-24", "%y-%m-%d", date(1998, 2, 24)),
        ("24.02.2015", "%d.%m.%Y", DAY),
        ("24.2.15", "%d.%m.%y", DAY),
        ("02.24.2015", "%m.%d.%Y", DAY),
        ("24-02-2015", "%d-%m-%Y", DAY),
        ("2015/02/24", "%Y/%m/%d", DAY),
        ("20150224", "%Y%m%d", DAY),
        ("2015-02", "%Y-%m", FIRST),
        ("02/2015", "%m/%Y", FIRST),
        ("24 Feb 2015", "%d %b %Y", DAY),
        ("24th of February 2015", "%d %b %Y", DAY),
        ("Tue, 24 Feb 2015 11:35:52 GMT", "%d %b %Y", DAY),
        ("24. Februar 2015", "%d %b %Y", DAY),
        ("Dienstag, 24. Februar 2015, 11:35 Uhr", "%d %b %Y", DAY),
        ("mardi 24 février 2015", "%d %b %Y", DAY),
        ("1er févr. 2015", "%d %b %Y", FIRST),
        ("24 de febrero de 2015", "%d %b %Y", DAY),
        ("24 FEBBRAIO 2015", "%d %b %Y", DAY),
        ("24-Feb-15", "%d-%b-%y", DAY),
        ("24/Feb/2015:11:35:52 +0000", "%d/%b/%Y", DAY),
        ("Feb 24, 2015", "%b %d, %Y", DAY),
        ("Tuesday, February 24, 2015 at 11:35\u202fPM PST", "%b %d, %Y", DAY),
        ("Tue Feb 24 2015 11:35:52 GMT+0100 (Central European Time)", "%b %d, %Y", DAY),
        ("February 2015", "%b %Y", FIRST),
        ("Feb-15", "%b-%y", FIRST),
        ("Tue Feb 24 23:35:52 +0000 2015", "%a %b %d %H:%M:%S %z %Y", DAY),
        ("Tue Feb 24 23:35:52 PST 2015", "%a %b %d %H:%M:%S %z %Y", DAY),
        # 42,059 days after 30 December 1899, and at about half past eleven.
        ("42059.48", "excel", DAY),
    ],
)
def test_a_date_is_known_by_how_it_is_written(written, name, day):
    assert date_formats(pl.Series([written])) == [name]
    assert days_in(pl.Series([f" {written} ", None]), name).to_list() == [day, None]


@pytest.mark.parametrize(
    "written",
    ["2015", "soon", "31/02/2015", "2015-02-24x", "2015-02-24T", "7", "1.5", "2015-W09", "May",
     "24/02/2015 late", "Foo 24/02/2015", "99999999", "18500224", "90210", "99/99/9999", ""],
)  # fmt: skip
def test_other_things_are_no_dates(written):
    assert date_formats(pl.Series([written])) == []
    assert not are_dates(pl.Series([written]))


def test_all_cells_of_a_column_decide_and_blank_ones_do_not_count():
    assert date_formats(pl.Series(["01/02/2015", " ", None, "24/02/2015"])) == ["%d/%m/%Y"]
    assert date_formats(pl.Series(["01/02/2015", "02/24/2015 11:35"])) == ["%m/%d/%Y"]
    assert date_formats(pl.Series(["24/02/2015", "02/24/2015"])) == []
    assert date_formats(pl.Series(["2015-02-24", "2015-02-24T11:35:00Z"])) == ["iso"]
    assert date_formats(pl.Series([None, " "])) == []


def test_a_late_cell_counts_as_much_as_an_early_one():
    early = pl.Series(["01/02/2015"] * 5000)
    assert date_formats(early) == ["%d/%m/%Y", "%m/%d/%Y"]
    assert date_formats(early.append(pl.Series(["24/02/2015"]))) == ["%d/%m/%Y"]


def test_day_and_month_that_could_change_places_are_two_formats():
    assert date_formats(pl.Series(["01/02/03", "3/2/03"])) == ["%d/%m/%y", "%m/%d/%y"]
    # With full stops nobody writes the month first, unless it can be nothing else.
    assert date_formats(pl.Series(["01.02.2015"])) == ["%d.%m.%Y"]


def test_a_year_of_two_digits_may_be_first_unless_its_years_are_days_of_a_month():
    both = ["%d-%m-%y", "%y-%m-%d"]
    assert date_formats(pl.Series(["15-02-24"])) == both
    assert date_formats(pl.Series([f"15-02-{day:02}" for day in range(1, 29)])) == both
    assert date_formats(pl.Series([f"{day}-02-15" for day in range(13, 29)])) == ["%d-%m-%y"]
    # Ten years of days of the month, which would be years from 2001 to 2028.
    long = [f"{1 + year % 28:02}/11/{year % 10:02}" for year in range(100)]
    assert date_formats(pl.Series(long)) == ["%d/%m/%y"]
    # The first of January of two years, or two days in January 2001.
    assert "%y-%m-%d" in date_formats(pl.Series(["15-01-01", "15-06-01", "16-12-01"]))


def test_a_slip_among_days_does_not_make_years_of_them():
    days = [f"{1 + i % 28:02}/04/15" for i in range(40)]
    assert date_formats(pl.Series([*days, "31/04/15"])) == []


def test_columns_of_other_types():
    assert date_formats(pl.Series([DAY])) == ["iso"]
    assert date_formats(pl.Series([datetime(2015, 2, 24, 11)])) == ["iso"]
    assert date_formats(pl.Series([20150224, 20150225])) == ["%Y%m%d"]
    assert date_formats(pl.Series([20150224.0, None])) == ["%Y%m%d"]
    assert date_formats(pl.Series([42059.48, 42060.0])) == ["excel"]
    assert date_formats(pl.Series([True])) == []
    assert date_formats(pl.Series([["2015-02-24"]])) == []
    assert date_formats(pl.Series([], dtype=pl.Date)) == []


def test_mere_numbers_are_dates_only_if_somebody_expects_dates():
    assert not are_dates(pl.Series(["42059", "42060"]))
    assert not are_dates(pl.Series(["1.2.15", "1.3.15"]))  # perhaps versions
    assert are_dates(pl.Series(["24/02/15"]))
    assert not are_dates(pl.Series(["24/02/15", None]))


@pytest.mark.parametrize(
    ("name", "written", "day"),
    [
        ("%d/%m/%Y", "24/02/2015 11:35", DAY),
        ("%d/%m/%Y %H:%M", "24/02/2015", DAY),
        ("%d/%m/%Y %I:%M:%S %p", "24/02/2015 11:35:52 PM", DAY),
        ("%-d.%-m.%y", "24.2.15", DAY),
        ("%H:%M %d.%m.%Y", "11:35 24.02.2015", DAY),
        ("%y%m%d", "150224", DAY),
        ("%F %T", "2015-02-24 11:35:52", DAY),
        ("%D", "02/24/15", DAY),
        ("%A, %e %B %Y", "Tuesday, 24 February 2015", DAY),
        ("%Y", "2015", date(2015, 1, 1)),
        ("wave of %m/%Y", "wave of 02/2015", FIRST),
        ("%d|%m|%Y", "24|02|2015", DAY),
        ("excel", "18264", date(1950, 1, 1)),
        # POSIX: 69 to 99 are of the last century, 00 to 68 of this one.
        ("%d/%m/%y", "24/02/69", date(1969, 2, 24)),
        ("%d/%m/%y", "24/02/68", date(2068, 2, 24)),
    ],
)
def test_a_format_may_be_given(name, written, day):
    assert form(name).days(pl.Series([written])).to_list() == [day]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("%d/%m/%Y", "24/02/15"),
        ("%d/%m/%y", "24/02/2015"),
        ("%d/%m/%Y", "02/24/2015"),
        ("%d/%m/%Y", "2015-02-24"),
        ("%Y%m%d", "2015224"),
        ("%d/%m/%Y", "24/02/2015/1"),
        ("excel", "60"),
    ],
)
def test_what_is_not_written_so_is_no_date(name, written):
    assert form(name).days(pl.Series([written])).to_list() == [None]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("dd/mm/yyyy", "date format 'dd/mm/yyyy' is unknown; write %d/%m/%Y, or iso or excel"),
        ("TT.MM.JJJJ", "is unknown; write %d.%m.%Y"),
        ("day first", "is unknown; write %d/%m/%Y"),
        ("%d/%m", "must have a year"),
        ("%d %Y", "may have a month .* and then a day"),
        ("%Y-%Y", "each once"),
        ("%Y-%j", "has %j, which is unknown"),
        ("%H:%M", "must have a year"),
    ],
)
def test_a_format_that_says_no_day_is_an_error(name, message):
    with pytest.raises(ValueError, match=message):
        form(name)


@settings(deadline=None)
@given(
    st.lists(st.datetimes(datetime(1970, 1, 1), datetime(2068, 12, 31, 23, 59, 59)), min_size=1),
    st.sampled_from([name for name in FORMS if "%d" in name and not name.startswith("%y")]),
    st.sampled_from(["", " %H:%M", " %H:%M:%S", " %I:%M %p", "T%H:%M:%SZ"]),
)
def test_what_is_written_in_a_format_is_read_back(times, name, time):
    time = "" if "%H" in name else time
    name_of_zone = name.replace("%z", "+0100")
    column = pl.Series([moment.strftime(name_of_zone + time) for moment in times])
    found = date_formats(column)
    assert name in found or name.replace("%m.%d", "%d.%m") in found
    assert days_in(column, name).to_list() == [moment.date() for moment in times]


@settings(deadline=None)
@given(st.lists(st.text(max_size=30)), st.sampled_from(FORMS))
def test_any_text_is_a_day_or_none(texts, name):
    days = days_in(pl.Series(texts, dtype=pl.String), name)
    assert len(days) == len(texts)
    assert days.dtype == pl.Date
