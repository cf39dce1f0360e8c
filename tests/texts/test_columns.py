"""Columns of a table as texts, labels and periods, and errors that say where."""

from datetime import date, datetime

import polars as pl
import pytest

from quantext.texts.reading import read_corpus
from tests.support.tables import lines, parquet, refused


def test_several_text_columns_are_joined_by_line_breaks(file):
    path = file("a.jsonl", lines({"a": "x", "b": "y"}, {"a": None, "b": "z"}, {"a": "", "b": None}))
    corpus = read_corpus(path, text=["b", "a"])
    assert corpus.texts.to_list() == ["y\nx", "z"]
    assert corpus.dropped == 1


@pytest.mark.parametrize(
    "path_and_content",
    [
        ("a.jsonl", lines({"t": "x", "l": ["b", "a", "b "]}, {"t": "y", "l": []})),
        ("a.jsonl", lines({"t": "x", "l": " b|a||b"}, {"t": "y", "l": "|"})),
        ("a.csv", "t,l\nx,b | a|b\ny,|\n"),
        ("a.parquet", parquet(pl.DataFrame({"t": ["x", "y"], "l": [["b", None, "a"], []]}))),
    ],
    ids=["list", "separator", "csv", "parquet"],
)
def test_several_labels_come_from_a_list_or_a_separator(file, path_and_content):
    separated = "|" in str(path_and_content[1])
    path = file(*path_and_content)
    corpus = read_corpus(path, text="t", label="l", separator="|" if separated else None)
    assert corpus.labels.to_list() == [["b", "a"], []]
    assert corpus.y.tolist() == [[True, True], [False, False]]


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([1, 2, 2], ["1", "2", "2"]),
        ([True, False, True], ["true", "false", "true"]),
        ([0.5, 1.0, 0.5], ["0.5", "1.0", "0.5"]),
        (pl.Series(["a", "b", "b"], dtype=pl.Categorical), ["a", "b", "b"]),
        ([[1, 2], [2], []], [["1", "2"], ["2"], []]),
        (
            pl.Series([[1, 2], [2, 2], [1, 1]], dtype=pl.Array(pl.Int8, 2)),
            [["1", "2"], ["2"], ["1"]],
        ),
    ],
    ids=["int", "bool", "float", "categorical", "list", "array"],
)
def test_labels_of_other_types_become_text(file, values, names):
    frame = pl.DataFrame({"t": ["x", "y", "z"], "l": values})
    corpus = read_corpus(file("a.parquet", parquet(frame)), text="t", label="l")
    assert corpus.labels.to_list() == names


def test_a_number_that_is_missing_is_no_label(file):
    frame = pl.DataFrame({"t": ["x", "y", "z"], "l": [1.0, float("nan"), 2.0]})
    corpus = read_corpus(file("a.parquet", parquet(frame)), text="t", label="l")
    assert corpus.labels.to_list() == ["1.0", "2.0"]


def test_texts_are_kept_as_they_are(file):
    path = file("a.csv", 't\n" x,\r\n""y"" "\n5\u2033 \U0001f600\n')
    assert read_corpus(path, text="t").texts.to_list() == [' x,\r\n"y" ', "5\u2033 \U0001f600"]


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("2019-01-31", date(2019, 1, 31)),
        (" 2019-01-31 ", date(2019, 1, 31)),
        ("2019-01-31T23:59", date(2019, 1, 31)),
        ("2019-01-31 23:59:59.123456", date(2019, 1, 31)),
        ("2019-01-31T23:59:00Z", date(2019, 1, 31)),
        ("2019-01-31T23:59:00-08:00", date(2019, 1, 31)),
        ("0987-02-01", date(987, 2, 1)),
    ],
)
def test_iso_dates_and_datetimes_give_the_day_as_written(file, written, day):
    path = file("a.csv", f"t,d\nx,{written}\n")
    assert read_corpus(path, text="t", date="d", period="day").periods.to_list() == [day]


@pytest.mark.parametrize(
    "values",
    [
        [date(2019, 1, 31)],
        [datetime(2019, 1, 31, 23, 59)],
        # Half past midnight in Tokyo is still the day before in Greenwich.
        pl.Series(
            [datetime(2019, 1, 30, 15, 30)], dtype=pl.Datetime("us", "UTC")
        ).dt.convert_time_zone("Asia/Tokyo"),
        pl.Series(["2019-01-31"], dtype=pl.Categorical),
    ],
    ids=["date", "datetime", "zone", "categorical"],
)
def test_date_columns_give_the_day_of_their_own_time_zone(file, values):
    path = file("a.parquet", parquet(pl.DataFrame({"t": ["x"], "d": values})))
    corpus = read_corpus(path, text="t", date="d", period="day")
    assert corpus.periods.to_list() == [date(2019, 1, 31)]


def test_any_column_can_name_the_periods(file):
    path = file("a.jsonl", lines({"t": "x", "wave": 2}, {"t": "y", "wave": 10}))
    assert read_corpus(path, text="t", by="wave").periods.to_list() == ["2", "10"]


def test_a_date_that_is_wrong_in_a_dropped_row_does_not_matter(file):
    path = file("a.csv", "t,d\nx,2019-01-31\n,never\n")
    assert len(read_corpus(path, text="t", date="d")) == 1


@pytest.mark.parametrize(
    "written",
    ["2019-02-29", "31.01.2019", "2019", "2019-01-31x", "20190131", "2019-01-31T", "soon"],
)
def test_an_unparsable_date_is_named_with_its_row(file, written):
    path = file("a.csv", f"t,l,d\nx,a,2019-01-31\n,b,2019-01-31\ny,b,{written}\nz,a,2019-01-31\n")
    refused(path, f"column 'd', row 3: {written!r} is not a date; write", date="d")


def test_blank_dates_are_named_with_the_first_row_and_counted(file):
    path = file("a.csv", "t,l,d\nx,a,2019-01-31\n,b,\ny,b,\nz,a,2019-01-31\nw,a, \n")
    message = r"column 'd', row 3 is blank, so it is no date, as are 2 of these 4 rows; fill them"
    refused(path, message, date="d")


def test_a_column_of_numbers_is_no_date_but_may_name_the_periods(file):
    path = file("a.jsonl", lines({"t": "x", "l": "a", "d": 1987}))
    refused(path, "column 'd' holds Int64, not dates; .* pass by='d'", date="d")


def test_a_missing_period_is_named_with_its_row(file):
    path = file("a.csv", "t,l,w\nx,a,1\n,a,\ny,b, \n")
    refused(path, "column 'w', row 3 is blank, so it names no batch", by="w")


def test_lists_cannot_name_periods(file):
    path = file("a.jsonl", lines({"t": "x", "l": "a", "w": ["1"]}))
    refused(path, r"column 'w' holds List\(String\), not names", by="w")


@pytest.mark.parametrize(
    ("values", "dtype"),
    [([{"a": 1}], "Struct"), ([date(2019, 1, 1)], "Date"), ([[["a"]]], "List"), ([b"a"], "Binary")],
)
def test_labels_of_a_wrong_type_are_an_error(file, values, dtype):
    path = file("a.parquet", parquet(pl.DataFrame({"t": ["x"], "l": values})))
    refused(path, f"column 'l' holds {dtype}.*; labels are text, numbers or booleans")


@pytest.mark.parametrize(
    ("name", "content", "value"),
    [
        ("a.csv", "t,l\nx,a\ny,\"['a', 'b']\"\n", r"\['a', 'b'\]"),
        ("a.jsonl", lines({"t": "x", "l": "a"}, {"t": "y", "l": ["b"]}), r"\[\"b\"\]"),
        ("a.jsonl", lines({"t": "x", "l": "a"}, {"t": "y", "l": []}), r"\[\]"),
    ],
)
def test_a_list_written_as_text_is_an_error(file, name, content, value):
    refused(file(name, content), f"column 'l', row 2: {value} is a list written as text")


@pytest.mark.parametrize(
    ("content", "separator"),
    [
        ("t,l\nw,a\nx,NaN\ny, nan \nz,NA\nu,None\nv,NULL\n", None),
        ("t,l\nw,a\nx,NaN\ny,nan\nz,NA;nan\nu,None\nv,NULL\n", ";"),
    ],
    ids=["one label", "several"],
)
def test_nan_is_a_missing_label_and_no_other_word_is(file, content, separator):
    corpus = read_corpus(file("a.csv", content), text="t", label="l", separator=separator)
    assert corpus.classes == ("NA", "NULL", "None", "a")
    assert corpus.texts.to_list() == ["w", "z", "u", "v"]


def test_lists_need_no_separator(file):
    path = file("a.jsonl", lines({"t": "x", "l": ["a;b"]}, {"t": "y", "l": ["c"]}))
    corpus = read_corpus(path, text="t", label="l", separator=";")
    assert corpus.classes == ("a;b", "c")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", lines({"t": 1, "l": "a"}), "column 't' holds Int64, not text"),
        ("a.jsonl", lines({"t": ["x"], "l": "a"}), "column 't' holds List.*, not text"),
        ("a.csv", "t,l\n1,a\n2.5,b\n,a\n", "column 't' holds nothing but numbers, not text"),
    ],
)
def test_a_text_column_that_holds_something_else_is_an_error(file, name, content, message):
    refused(file(name, content), message)
