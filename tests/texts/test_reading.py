"""Corpus and its reader: what comes out of small files, and errors that say where."""

import csv
import gzip
import io
import json
from datetime import date, datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from quantext.texts.corpus import Corpus, VectorCorpus
from quantext.texts.periods import period_order, truncate
from quantext.texts.reading import read_corpus

CSV = "id,answer,topic,day\n1,too slow,speed,2019-01-31\n2,too dear,price,2019-02-01\n"


@pytest.fixture
def file(tmp_path):
    """A function that writes a small file and returns its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def parquet(frame):
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


ROWS = [
    {"answer": "too slow", "topic": "speed", "day": "2019-01-31"},
    {"answer": "too dear", "topic": "price", "day": "2019-02-01"},
]

FORMATS = {
    "answers.csv": CSV.encode(),
    "answers.tsv": CSV.replace(",", "\t").encode(),
    "answers.jsonl": lines(*ROWS).encode(),
    "answers.ndjson": lines(*ROWS).encode(),
    "answers.parquet": parquet(pl.DataFrame(ROWS)),
    "answers.csv.gz": gzip.compress(CSV.encode()),
    "answers.tsv.gz": gzip.compress(CSV.replace(",", "\t").encode()),
    "answers.jsonl.gz": gzip.compress(lines(*ROWS).encode()),
    "ANSWERS.CSV": CSV.encode(),
}


# The corpus


def make(**changes):
    fields = {
        "name": "c",
        "texts": pl.Series(["a", "b", "c"]),
        "labels": pl.Series(["x", "z", "x"]),
        "periods": pl.Series(["1", "1", "2"]),
    }
    return Corpus(**{**fields, **changes})


def test_single_labels_are_the_target():
    corpus = make()
    assert len(corpus) == 3
    assert not corpus.multilabel
    assert corpus.classes == ("x", "z")
    assert corpus.y.tolist() == ["x", "z", "x"]
    assert corpus.y.dtype.kind == "U"


def test_several_labels_are_an_indicator_in_the_order_of_the_classes():
    corpus = make(labels=pl.Series([["z", "x"], [], ["y"]]))
    assert corpus.multilabel
    assert corpus.classes == ("x", "y", "z")
    assert corpus.y.dtype == np.bool_
    assert corpus.y.tolist() == [[True, False, True], [False, False, False], [False, True, False]]


def test_a_corpus_in_which_no_document_has_a_label_has_no_columns():
    corpus = make(labels=pl.Series([[], [], []], dtype=pl.List(pl.String)))
    assert corpus.y.shape == (3, 0)


def test_classes_sort_as_numpy_sorts():
    names = ["b", "B", "é", "a", "Z", "10", "9"]
    corpus = Corpus("c", texts=pl.Series(names), labels=pl.Series(names))
    assert corpus.classes == tuple(np.unique(names).tolist())


def test_a_part_keeps_the_classes_of_the_whole():
    whole = make(labels=pl.Series([["z"], ["x"], ["y"]]))
    part = whole.select(whole.periods == "1")
    assert part.texts.to_list() == ["a", "b"]
    assert part.periods.to_list() == ["1", "1"]
    assert part.classes == ("x", "y", "z")
    assert part.y.tolist() == [[False, False, True], [True, False, False]]


def test_a_part_may_be_empty():
    assert make().select(np.zeros(3, dtype=bool)).y.tolist() == []


def test_a_mask_of_another_length_is_an_error():
    with pytest.raises(ValueError, match="the mask has 1 entries for 3 documents"):
        make().select([True])


def test_a_corpus_without_labels_has_no_target():
    corpus = make(labels=None)
    assert corpus.classes == ()
    with pytest.raises(ValueError, match="corpus 'c' has no labels"):
        _ = corpus.y


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"texts": ["a", "b", "c"]}, TypeError, "texts must be .* Series of String, not list"),
        ({"texts": pl.Series([1, 2, 3])}, TypeError, "texts must be .*, not Int64"),
        ({"labels": pl.Series([1, 2, 3])}, TypeError, "labels must be .*List.*, not Int64"),
        ({"periods": pl.Series([1, 2, 3])}, TypeError, "periods must be .*Date or String, not Int"),
        ({"labels": pl.Series(["x", "y"])}, ValueError, "labels has 2 entries for 3 documents"),
        ({"periods": pl.Series(["x", "y"])}, ValueError, "periods has 2 entries for 3 documents"),
        ({"texts": pl.Series(["a", None, "c"])}, ValueError, r"texts\[1\] is null"),
        ({"labels": pl.Series(["a", "b", None])}, ValueError, r"labels\[2\] is null"),
        ({"periods": pl.Series([None, "b", "c"])}, ValueError, r"periods\[0\] is null"),
        ({"labels": pl.Series([["a"], [None], []])}, ValueError, "null inside a list"),
    ],
)
def test_columns_that_do_not_fit_are_an_error(changes, error, message):
    with pytest.raises(error, match=message):
        make(**changes)


def test_the_indicator_of_single_labels_has_one_class_a_row():
    assert make().indicator.tolist() == [[True, False], [False, True], [True, False]]
    assert make(classes=("y",)).indicator.shape == (3, 3)


@pytest.mark.parametrize(
    "changes",
    [
        {"texts": pl.Series(["ab", "", "c"])},
        {"labels": pl.Series(["x", "z", "z"])},
        {"labels": pl.Series([["x"], ["z"], ["x"]])},
        {"labels": pl.Series([["x", "z"], [], ["x"]])},
        {"labels": None},
        {"periods": pl.Series(["1", "2", "2"])},
        {"periods": pl.Series([date(2019, 1, 1), date(2019, 1, 1), date(2019, 1, 2)])},
        {"periods": None},
    ],
)
def test_a_checksum_tells_corpora_apart(changes):
    assert make().checksum() == make(name="another").checksum()
    assert make(**changes).checksum() != make().checksum()


def test_a_checksum_does_not_depend_on_how_the_column_lies_in_memory():
    one = make(texts=pl.Series(["x"] * 70_000), labels=None, periods=None)
    two = make(texts=pl.concat([one.texts[:9], one.texts[9:]]), labels=None, periods=None)
    assert one.checksum() == two.checksum()


def vectors(**changes):
    fields = {
        "name": "v",
        "vectors": sparse.csr_matrix([[0.0, 0.5], [1.0, 0.0]]),
        "indicator": np.array([[True], [False]]),
        "classes": ("x",),
        "periods": pl.Series(["1", "2"]),
    }
    return VectorCorpus(**{**fields, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"vectors": sparse.csr_matrix([[0.0, 0.5], [2.0, 0.0]])},
        {"vectors": sparse.csr_matrix([[0.5, 0.0], [1.0, 0.0]])},
        {"indicator": np.array([[True], [True]])},
        {"classes": ("y",)},
        {"periods": pl.Series(["1", "1"])},
        {"periods": None},
    ],
)
def test_a_checksum_tells_vectors_apart(changes):
    assert len(vectors()) == 2
    assert vectors().checksum() == vectors(name="another").checksum()
    assert vectors(**changes).checksum() != vectors().checksum()


def test_vectors_and_labels_that_do_not_fit_are_an_error():
    with pytest.raises(ValueError, match=r"indicator is \(2, 1\) for 2 documents and 2 classes"):
        vectors(classes=("x", "y"))
    with pytest.raises(ValueError, match="periods has 1 entries for 2 documents"):
        vectors(periods=pl.Series(["1"]))


# Periods


@pytest.mark.parametrize(
    ("period", "expected"),
    [
        ("day", [date(2019, 1, 2), date(2019, 1, 8), date(2019, 1, 9), date(2020, 2, 29)]),
        # From Wednesday 2 January: 8 January is the last day of its first week, 9 the next's first.
        # 29 February 2020 is 423 days after 2 January 2019; 60 weeks are 420.
        ("week", [date(2019, 1, 2), date(2019, 1, 2), date(2019, 1, 9), date(2020, 2, 26)]),
        ("month", [date(2019, 1, 1), date(2019, 1, 1), date(2019, 1, 1), date(2020, 2, 1)]),
        ("year", [date(2019, 1, 1), date(2019, 1, 1), date(2019, 1, 1), date(2020, 1, 1)]),
    ],
)
def test_dates_are_truncated_to_the_first_day_of_their_period(period, expected):
    dates = pl.Series([date(2019, 1, 2), date(2019, 1, 8), date(2019, 1, 9), date(2020, 2, 29)])
    assert truncate(dates, period).to_list() == expected


def test_weeks_before_1970_are_counted_from_the_first_day_too():
    dates = pl.Series([date(1969, 12, 30), date(1970, 1, 6), date(1969, 12, 24)])
    expected = [date(1969, 12, 24), date(1969, 12, 31), date(1969, 12, 24)]
    # 24 to 30 December is the first week, 31 December to 6 January the second.
    assert truncate(dates, "week").to_list() == expected


def test_an_unknown_period_is_an_error():
    with pytest.raises(ValueError, match="period 'hour' is unknown; choose one of day, week"):
        truncate(pl.Series([date(2019, 1, 1)]), "hour")


def test_periods_are_put_in_order_with_numbers_as_numbers():
    assert period_order(pl.Series(["10", "9", "1.10", "1.9"])) == ["1.9", "1.10", "9", "10"]
    assert period_order(pl.Series(["b2", "a", "b\u00b2", "b10"])) == ["a", "b2", "b10", "b\u00b2"]
    days = [date(2019, 1, 10), date(2019, 1, 9), date(2019, 1, 10)]
    assert period_order(pl.Series(days)) == [date(2019, 1, 9), date(2019, 1, 10)]


# Reading


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_corpus(file, name):
    corpus = read_corpus(
        file(name, FORMATS[name]), text="answer", label="topic", date="day", period="month"
    )
    assert corpus.name.lower() == "answers"
    assert corpus.texts.to_list() == ["too slow", "too dear"]
    assert corpus.labels.to_list() == ["speed", "price"]
    assert corpus.periods.to_list() == [date(2019, 1, 1), date(2019, 2, 1)]
    assert corpus.classes == ("price", "speed")
    assert corpus.dropped == 0
    assert corpus.notes == ()


def test_a_path_may_be_text_and_the_format_may_be_said(file):
    corpus = read_corpus(str(file("answers.txt", CSV)), text="answer", format="csv", name="mine")
    assert corpus.name == "mine"
    assert corpus.labels is None
    assert corpus.periods is None


def test_several_files_make_one_corpus_with_one_first_day(file):
    later = file("b.csv", "answer,topic,day\nwell,none,2019-02-07\n")
    corpus = read_corpus([later, file("a.csv", CSV)], text="answer", label="topic", date="day")
    assert corpus.name == "b"
    assert corpus.texts.to_list() == ["well", "too slow", "too dear"]
    # Weeks from Thursday 31 January.
    assert corpus.periods.to_list() == [date(2019, 2, 7), date(2019, 1, 31), date(2019, 1, 31)]


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


def test_rows_without_text_or_label_are_dropped_and_counted(file):
    path = file("a.csv", "t,l\nx,a\n,a\n  ,b\ny,\nz, b \nw,  \n")
    corpus = read_corpus(path, text="t", label="l")
    assert corpus.texts.to_list() == ["x", "z"]
    assert corpus.labels.to_list() == ["a", "b"]
    assert corpus.dropped == 4
    assert corpus.notes == (
        "4 of 6 rows were left out: they need a text in 't' and a label in 'l' (NaN is none)",
    )


def test_a_number_that_is_missing_is_no_label(file):
    frame = pl.DataFrame({"t": ["x", "y", "z"], "l": [1.0, float("nan"), 2.0]})
    corpus = read_corpus(file("a.parquet", parquet(frame)), text="t", label="l")
    assert corpus.labels.to_list() == ["1.0", "2.0"]


def test_texts_are_kept_as_they_are(file):
    path = file("a.csv", 't\n" x,\r\n""y"" "\n5\u2033 \U0001f600\n')
    assert read_corpus(path, text="t").texts.to_list() == [' x,\r\n"y" ', "5\u2033 \U0001f600"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "\ufefft,l\nx,a\ny,b\n"),
        ("a.jsonl", "\ufeff" + lines({"t": "x", "l": "a"}) + "\n \n" + lines({"t": "y", "l": "b"})),
        ("a.csv", "t,l\r\nx,a\r\ny,b\r\n"),
        ("a.csv", "t,l\nx,a\ny,b"),
    ],
    ids=["mark", "mark and blank lines", "crlf", "no last line break"],
)
def test_harmless_oddities_are_read(file, name, content):
    corpus = read_corpus(file(name, content), text="t", label="l")
    assert corpus.texts.to_list() == ["x", "y"]
    assert corpus.labels.to_list() == ["a", "b"]


def test_another_encoding_can_be_passed(file):
    path = file("a.csv", "t,l\ncaf\u00e9,a\n5 \u20ac,b\n".encode("cp1252"))
    assert read_corpus(path, text="t", encoding="cp1252").texts.to_list() == ["café", "5 €"]


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


def test_one_label_is_enough_where_some_documents_lack_it(file):
    path = file("a.jsonl", lines({"t": "x", "l": ["a"]}, {"t": "y", "l": []}))
    assert read_corpus(path, text="t", label="l").y.tolist() == [[True], [False]]


def test_a_date_that_is_wrong_in_a_dropped_row_does_not_matter(file):
    path = file("a.csv", "t,d\nx,2019-01-31\n,never\n")
    assert len(read_corpus(path, text="t", date="d")) == 1


CELLS = st.text(st.sampled_from('a,"\n\r;\t é'), max_size=5)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6), st.sampled_from([",", "\t"]))
def test_what_a_csv_writer_writes_is_read_back(tmp_path_factory, cells, separator):
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=separator)
    writer.writerows([("text", "note"), *((f"w{text}", note) for text, note in cells)])
    path = tmp_path_factory.mktemp("csv") / ("a.csv" if separator == "," else "a.tsv")
    path.write_bytes(buffer.getvalue().encode())
    assert read_corpus(path, text="text").texts.to_list() == [f"w{text}" for text, _ in cells]


# Errors: the file, the column and the row


def refused(path, message, error=ValueError, **options):
    options = {"text": "t", "label": "l", **options}
    with pytest.raises(error, match=message) as caught:
        read_corpus(path, **options)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_a_missing_column_is_named_with_those_there_are(file, name):
    rows = [{"texts": "x", "l": "a"}]
    content = {
        "a.csv": "texts,l\nx,a\n",
        "a.jsonl": lines(*rows),
        "a.parquet": parquet(pl.DataFrame(rows)),
    }[name]
    path = file(name, content)
    message = r"has no column 'text' \(did you mean 'texts'\?\); its columns are 'texts', 'l'"
    refused(path, message, text="text")
    refused(path, "has no column 'when'; its columns are", text="texts", date="when")


def test_a_column_that_is_there_twice_is_an_error(file):
    refused(file("a.csv", "t,l,t\nx,a,y\n"), "has several columns 't'; rename all but one")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"t,l\nx,a\ncaf\xe9,b\n", "line 3: byte 0xe9 at offset 11 is not utf-8"),
        ("a.csv", b't,l\nx,"a\nb"\n"caf\xe9 x",b\n', "line 4: byte 0xe9 at offset 16"),
        ("a.csv", b"t,caf\xe9\nx,a\n", "line 1: byte 0xe9 at offset 5"),
        ("a.csv.gz", gzip.compress(b"t,l\nx,\xff\n", mtime=0), "line 2: byte 0xff at offset 6"),
        ("a.jsonl", b'{"t": "x"}\n{"t": "\xff"}\n', "line 2: byte 0xff at offset 18"),
        ("a.csv", "t,l\nx,a\n".encode("utf-16"), "line 1: byte 0xff at offset 0"),
    ],
    ids=["field", "quoted", "header", "gzip", "jsonl", "utf-16"],
)
def test_undecodable_bytes_are_named_with_line_and_offset(file, name, content, message):
    refused(file(name, content), message)


def test_bytes_that_are_not_in_the_encoding_passed_are_named(file):
    refused(file("a.csv", b"t,l\nx,\x81\n"), "line 2: byte 0x81 .* not cp1252", encoding="cp1252")


@pytest.mark.parametrize(
    "written",
    ["2019-02-29", "31.01.2019", "2019", "", "2019-01-31x", "20190131", "2019-01-31T", "soon"],
)
def test_an_unparsable_date_is_named_with_its_row(file, written):
    path = file("a.csv", f"t,l,d\nx,a,2019-01-31\n,b,2019-01-31\ny,b,{written}\nz,a,2019-01-31\n")
    refused(path, f"column 'd', row 3: {written or None!r} is not a date; write", date="d")


def test_a_column_of_numbers_is_no_date_but_may_name_the_periods(file):
    path = file("a.jsonl", lines({"t": "x", "l": "a", "d": 1987}))
    refused(path, "column 'd' holds Int64, not dates; .* pass by='d'", date="d")


def test_a_missing_period_is_named_with_its_row(file):
    path = file("a.csv", "t,l,w\nx,a,1\n,a,\ny,b, \n")
    refused(path, "column 'w', row 3: no period is named", by="w")


def test_lists_cannot_name_periods(file):
    path = file("a.jsonl", lines({"t": "x", "l": "a", "w": ["1"]}))
    refused(path, r"column 'w' holds List\(String\), not names", by="w")


@pytest.mark.parametrize("content", [b"", b"\n \n", gzip.compress(b"")], ids=["0", "blank", "gzip"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_an_empty_file_is_an_error(file, name, content):
    refused(file(name, content), "is empty")


def test_an_empty_parquet_file_is_an_error(file):
    refused(file("a.parquet", b""), "is empty")


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.csv", "t,l\n"), ("a.parquet", parquet(pl.DataFrame({"t": [], "l": []})))],
)
def test_a_file_with_columns_but_no_rows_is_an_error(file, name, content):
    refused(file(name, content), "has columns but no rows")


def test_no_rows_after_dropping_is_an_error(file):
    path = file("a.csv", "t,l\nx,\n,a\n")
    refused(path, "none of the 2 rows has a text in 't' and a label in 'l'")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "t,l\nx,a\ny,a\n", "column 'l' has one class, 'a', in 2 rows"),
        ("a.jsonl", lines({"t": "x", "l": ["a"]}), "column 'l' has one class, 'a', in 1 rows"),
        ("a.jsonl", lines({"t": "x", "l": []}), "column 'l' has no class at all in 1 rows"),
    ],
    ids=["single", "list", "none"],
)
def test_a_label_column_with_one_class_is_an_error(file, name, content, message):
    refused(file(name, content), message)


@pytest.mark.parametrize("name", ["a.txt", "a", "a.json.gz"])
def test_an_unknown_extension_is_an_error_with_the_known_ones(file, name):
    refused(file(name, CSV), "extension .* is unknown; give the format, or use one of .csv, .tsv")


def test_an_unknown_format_is_an_error():
    with pytest.raises(ValueError, match="format 'xml' is unknown; choose one of csv, tsv"):
        read_corpus(__file__, text="t", format="xml")


def test_a_missing_file_is_an_error(tmp_path):
    refused(tmp_path / "a.csv", "there is no file", error=FileNotFoundError)


def test_a_folder_is_an_error(tmp_path):
    (tmp_path / "a.csv").mkdir()
    refused(tmp_path / "a.csv", "is a folder", error=IsADirectoryError)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("t,l\nx,a\nslow, dear,b\n", "row 2 has 3 fields, the header 2; a text with ',' needs"),
        ("t,l\nx,a\ny\nz,b\n", "row 2 has 1 fields, the header 2"),
        ('t,l\n"x,\n""y",a\nz\n', "row 2 has 1 fields, the header 2"),
        ('t,l\n"x\ny",a\n5" pipe,b\nz,b,c\n', "row 3 has 3 fields, the header 2"),
        ('t,l\nx,a\ny,"b\nz,a\n', "row 2: a field opens with a quote and does not close"),
        ('t,l\nx,a\n"y"z,a\n', "row 2: a field opens with a quote and does not close"),
    ],
    ids=["long", "short", "quoted", "stray quote", "open", "half"],
)
def test_a_row_that_is_not_as_long_as_the_header_is_named(file, content, message):
    refused(file("a.csv", content), message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"t": "x"}\n\n{"t": "y"\n{"t": "z"}\n', "line 3 is not a JSON object: Expecting"),
        ('{"t": "x", "l": NaN}\n', "line 1 is not a JSON object: NaN is not JSON, write null"),
        ('{"t": "x"}\n["y"]\n', r"line 2 is not a JSON object: it is \[\"y\"\]"),
        ('[\n{"t": "x"}\n]\n', "line 1 is not a JSON object"),
    ],
    ids=["cut", "NaN", "array", "one document"],
)
def test_a_malformed_line_of_json_is_named(file, content, message):
    refused(file("a.jsonl", content), message)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.parquet", b"PAR1 but no more than that"),
        ("a.csv.gz", gzip.compress(CSV.encode(), mtime=0)[:-9]),
        ("a.csv.gz", b"\x1f\x8b\x00\x00"),
        ("a.csv.gz", gzip.compress(CSV.encode(), mtime=0)[:12] + b"\xff" * 20),
    ],
    ids=["parquet", "cut gzip", "no gzip", "damaged gzip"],
)
def test_a_damaged_file_is_an_error(file, name, content):
    refused(file(name, content), "cannot be read")


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


def test_files_that_disagree_about_lists_are_an_error(file):
    paths = [
        file("a.jsonl", lines({"t": "x", "l": "a"})),
        file("b.jsonl", lines({"t": "y", "l": ["b"]})),
    ]
    with pytest.raises(ValueError, match=r"a.jsonl, .*b.jsonl: column 'l' holds lists in some"):
        read_corpus(paths, text="t", label="l")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"date": "d", "by": "w"}, "date='d' and by='w' both give the period"),
        ({"separator": ""}, "the separator is empty"),
        ({"text": []}, "there is nothing to read"),
        ({"paths": []}, "there is nothing to read"),
    ],
)
def test_options_that_make_no_sense_are_an_error(options, message):
    with pytest.raises(ValueError, match=message):
        read_corpus(**{"paths": "a.csv", "text": "t", "label": "l", **options})
