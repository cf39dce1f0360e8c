"""Files to a corpus, whatever their format, and errors that name them."""

import gzip
from datetime import date

import polars as pl
import pytest

from quantext.texts.reading import read_corpus
from tests.support.tables import lines, parquet, refused
from tests.support.workbooks import xlsx

CSV = "id,answer,topic,day\n1,too slow,speed,2019-01-31\n2,too dear,price,2019-02-01\n"


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


def test_rows_without_text_or_label_are_dropped_and_counted(file):
    path = file("a.csv", "t,l\nx,a\n,a\n  ,b\ny,\nz, b \nw,  \n")
    corpus = read_corpus(path, text="t", label="l")
    assert corpus.texts.to_list() == ["x", "z"]
    assert corpus.labels.to_list() == ["a", "b"]
    assert corpus.dropped == 4
    assert corpus.notes == (
        "4 of 6 rows were left out: they need a text in 't' and a label in 'l' (NaN is a blank)",
    )


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


def test_one_label_is_enough_where_some_documents_lack_it(file):
    path = file("a.jsonl", lines({"t": "x", "l": ["a"]}, {"t": "y", "l": []}))
    assert read_corpus(path, text="t", label="l").y.tolist() == [[True], [False]]


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


@pytest.mark.parametrize("name", ["a.dat", "a", "a.doc.gz"])
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


def test_a_sheet_and_its_header_row_can_be_named(file):
    rows = [("Title",), ("t", "l"), ("x", "a"), ("y", "b")]
    path = file("a.xlsx", xlsx({"May": rows, "June": rows}))
    corpus = read_corpus(path, text="t", label="l", sheet="June", header_row=2)
    assert corpus.texts.to_list() == ["x", "y"]
    assert corpus.classes == ("a", "b")


def test_whole_numbers_of_a_sheet_are_labels_without_a_point(file):
    path = file("a.xlsx", xlsx({"May": [("t", "l"), ("x", 1), ("y", 2), ("z", 1)]}))
    assert read_corpus(path, text="t", label="l").classes == ("1", "2")
