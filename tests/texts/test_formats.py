"""Files to tables: fields, blocks and places. Errors of single files are in test_corpus."""

import csv
import gzip
import io
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantext.texts.encoding import ReadingWarning
from quantext.texts.fields import split_fields
from quantext.texts.formats import Opening, blocks


def load(path, kind, encoding, names, **limits):
    return pl.concat(blocks(path, Opening(kind, encoding), names, **limits))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("text", ["plain", '"quoted , ; \t | ""twice"" \n, line"'])
def test_the_header_tells_what_divides_the_fields(tmp_path, delimiter, text):
    path = tmp_path / "a.csv"
    path.write_text(
        delimiter.join(["answer", '"first, or; only | topic"'])
        + "\n"
        + delimiter.join([text, "speed"])
        + "\n",
        newline="",
    )
    table = load(path, "csv", "utf-8", ["answer", "first, or; only | topic"])
    assert table.columns == ["answer", "first, or; only | topic"]
    assert table.row(0) == (text.strip('"').replace('""', '"'), "speed")


def test_decimal_commas_do_not_divide_the_fields_of_a_semicolon_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("answer;price;topic\ntoo dear, I think;3,50;price\n")
    assert load(path, "csv", "utf-8", ["answer", "price", "topic"]).row(0) == (
        "too dear, I think",
        "3,50",
        "price",
    )


def test_a_row_of_a_semicolon_file_that_is_too_long_is_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("answer;topic\nx;y\nslow; dear;price\n")
    with pytest.raises(ValueError, match="row 2 has 3 fields, the header 2; a text with ';' needs"):
        load(path, "csv", "utf-8", ["answer"])


def test_the_most_frequent_of_them_divides_and_a_comma_where_there_is_none(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a|b,c,d\n1,2,3\n")
    assert load(path, "csv", "utf-8", ["a|b", "c", "d"]).row(0) == ("1", "2", "3")
    path.write_text("answer\ntoo slow\n")
    assert load(path, "csv", "utf-8", ["answer"]).row(0) == ("too slow",)


# Fields of CSV: Python's csv module is the reference.


def reference(text):
    """Records, and whether a quote is not closed, by the csv module."""
    records = []
    try:
        records.extend(csv.reader(io.StringIO(text, newline="\n"), strict=True))
        closed = True
    except csv.Error:
        closed = False
    return [record for record in records if record], not closed  # blank lines are no records


def by_kernel(data, size):
    """The same by split_fields, in blocks of a few bytes."""
    records, rest = [], b""
    for start in range(0, len(data), size):
        block = rest + data[start : start + size]
        fields = split_fields(block, b",", last=start + size >= len(data))
        ends = [0, *fields.records.tolist()]
        for first, after in pairwise(ends):
            values = fields.values(block, np.arange(first, after))
            records.append([value.decode() for value in values])
        if fields.unclosed:
            return records, True
        rest = block[fields.length :]
    return records, False


@given(st.text(st.sampled_from('ab,"\n'), max_size=20), st.integers(1, 20))
@settings(max_examples=500)
def test_fields_are_those_of_the_csv_module_wherever_blocks_end(text, size):
    assert by_kernel(text.encode(), size) == reference(text)


@given(st.text(st.sampled_from('aé,"\n\0'), max_size=20))
@settings(deadline=None)  # the first time, kernels are compiled
def test_a_column_has_the_texts_of_its_fields(text):
    data = text.encode()
    fields = split_fields(data, b",", last=True)
    all_of_them = np.arange(len(fields.starts))
    if len(all_of_them):
        expected = [value.decode() or None for value in fields.values(data, all_of_them)]
        assert fields.texts(data, all_of_them).to_list() == expected


@pytest.mark.parametrize("size", [1, 3, 8, 1000])
def test_blank_rows_are_counted_wherever_blocks_end(tmp_path, size):
    path = tmp_path / "a.csv"
    path.write_text('t,l\nx,a\n,\n"",\ny,b\n,\nz,\n,\n,,\n')
    with pytest.warns(ReadingWarning, match="a.csv: 3 blank rows among the others left out"):
        table = load(path, "csv", "utf-8", ["t", "l"], block_bytes=size)
    assert table.rows() == [("x", "a"), ("y", "b"), ("z", None)]


def test_a_carriage_return_belongs_to_the_line_feed_after_it_and_else_to_the_text(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b'text,topic\r\na\rb,"x"\r\n"c\r\nd",y\r')
    assert load(path, "csv", "utf-8", ["text", "topic"]).rows() == [("a\rb", "x"), ("c\r\nd", "y")]


# Blocks: whatever is cut where, the rows are the same.

ROWS_OF = {
    "csv": 'text,n\n"a ""quoted"" text,\nof two lines",1\nüé€,2\n\nlast,3\n',
    "tsv": "text\tn\na, b\t1\nüé€\t2\nlast\t3",
    "jsonl": '{"text": "a\\nb", "n": "1"}\n\n{"text": "üé€", "n": "2"}\n{"n": "3"}',
}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
@pytest.mark.parametrize("kind", ROWS_OF)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-8-sig"])
def test_rows_do_not_depend_on_the_size_of_a_block(tmp_path, kind, size, encoding):
    path = tmp_path / "a"
    path.write_bytes(gzip.compress(ROWS_OF[kind].encode(encoding)))
    whole = load(path, kind, encoding, ["text", "n"])
    assert len(whole) == 3
    assert load(path, kind, encoding, ["text", "n"], block_bytes=size).equals(whole)


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_places_do_not_depend_on_the_size_of_a_block(tmp_path, size):
    path = tmp_path / "a.csv"

    def refused(content, message, kind="csv", encoding="utf-8"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=message):
            load(path, kind, encoding, ["t"], block_bytes=size)

    # Line 4 begins at byte 12; a quote and three letters come before.
    refused(b't,l\n"x\ny",a\n"caf\xe9",b\n', "row 2, line 4: byte 0xe9 at offset 16 is not utf-8")
    refused(b't,l\nx,"\n"\ny,\x81\nz,c\n', "line 4: byte 0x81 at offset 12 is not cp1252",
            encoding="cp1252")  # fmt: skip
    refused(b"t,l\nx,a\ny,b\nz\n", "row 3 has 1 fields, the header 2")
    refused(b't,l\nx,a\n"y,b\nz,c\n', "row 2: a field opens with a quote and does not close")
    refused(b'{"t": "x"}\n\n{"t": "y"\n', "line 3 is not a JSON object", kind="jsonl")
    refused(b'{"t": "x"}\n{"t": "\xff"}\n', "line 2: byte 0xff at offset 18", kind="jsonl")


def test_a_type_that_changes_in_a_later_block_is_an_error(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"l": ["a"]}\n{"l": "b"}\n')
    with pytest.raises(ValueError, match="line 2 or later has a value of another type"):
        load(path, "jsonl", "utf-8", ["l"], block_bytes=8)
    path.write_text('{"l": null}\n{"l": "b"}\n')
    assert load(path, "jsonl", "utf-8", ["l"], block_bytes=8).rows() == [(None,), ("b",)]


def test_a_row_without_end_is_not_read_for_ever(tmp_path):
    limits = {"block_bytes": 10, "longest": 100}
    path = tmp_path / "a"
    path.write_text('t\nx\n"' + 200 * "y")
    with pytest.raises(ValueError, match="row 2: a field opens with a quote"):
        load(path, "csv", "utf-8", ["t"], **limits)
    path.write_text('{"t": "' + 200 * "y" + '"}')
    with pytest.raises(ValueError, match="a line of more than"):
        load(path, "jsonl", "utf-8", ["t"], **limits)


def test_a_row_without_quotes_that_does_not_end_is_called_so(tmp_path):
    limits = {"block_bytes": 10, "longest": 100}
    path = tmp_path / "a"
    path.write_text("t,l\nx,y\n" + 300 * "y ")
    with pytest.raises(ValueError, match=r"row 2: a row of more than .* without a line break"):
        load(path, "csv", "utf-8", ["t"], **limits)
    path.write_text(300 * "y ")
    with pytest.raises(ValueError, match="header: a row of more than"):
        load(path, "csv", "utf-8", ["t"], **limits)


def test_a_row_of_millions_of_fields_is_refused_before_they_are_found(tmp_path, monkeypatch):
    monkeypatch.setattr("quantext.texts.csv.FIELDS", 50)
    path = tmp_path / "a"
    path.write_text("t,l\nx,y\n" + 60 * ",")
    with pytest.raises(ValueError, match="row 2 has more than 50 fields; is it a table"):
        load(path, "csv", "utf-8", ["t"], block_bytes=10)


def test_a_zipped_parquet_file_is_read_too(tmp_path):
    path = tmp_path / "a.parquet.gz"
    buffer = io.BytesIO()
    pl.DataFrame({"t": ["x", "y"]}).write_parquet(buffer)
    path.write_bytes(gzip.compress(buffer.getvalue()))
    assert load(path, "parquet", "utf-8", ["t"]).rows() == [("x",), ("y",)]


@pytest.mark.parametrize("encoding", ["utf-9", "rot13"])
def test_an_unknown_encoding_is_an_error(tmp_path, encoding):
    path = tmp_path / "a.csv"
    path.write_text("t\nx\n")
    with pytest.raises(ValueError, match="name an encoding, as utf-8 or cp1252"):
        load(path, "csv", encoding, ["t"])
