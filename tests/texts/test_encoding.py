"""Encodings: others than UTF-8, and errors that say where."""

import gzip
import io
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from quantext.texts.formats import Opening, blocks
from quantext.texts.reading import read_corpus
from tests.support.tables import refused
from tests.support.workbooks import xlsx


def test_another_encoding_can_be_passed(file):
    path = file("a.csv", "t,l\ncaf\u00e9,a\n5 \u20ac,b\n".encode("cp1252"))
    assert read_corpus(path, text="t", encoding="cp1252").texts.to_list() == ["café", "5 €"]


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
    refused(file(name, content), message, encoding="utf-8")


def test_bytes_that_are_not_in_the_encoding_passed_are_named(file):
    refused(file("a.csv", b"t,l\nx,\x81\n"), "line 2: byte 0x81 .* not cp1252", encoding="cp1252")


class Dribble(io.RawIOBase):
    """A pipe that has one byte at a time."""

    def __init__(self, data):
        self._data = io.BytesIO(data)

    def readable(self):
        return True

    def readinto(self, buffer):
        return self._data.readinto(memoryview(buffer)[:1])


@pytest.mark.parametrize("kind", ["workbook", "gzip"])
def test_standard_input_may_come_in_small_pieces(monkeypatch, kind):
    table = {"t": ["slow"], "l": ["speed"]}
    data = {
        "workbook": xlsx({"Data": [("t", "l"), ("slow", "speed")]}),
        "gzip": gzip.compress(b"t,l\nslow,speed\n"),
    }[kind]
    buffer = io.BufferedReader(Dribble(data))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=buffer))
    opening = Opening(format="xlsx" if kind == "workbook" else "csv")
    assert pl.concat(blocks(Path("-"), opening, None)).to_dict(as_series=False) == table
