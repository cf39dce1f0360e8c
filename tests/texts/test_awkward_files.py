"""Awkward files, each named for its awkwardness: read right, or refused with the way out.

An entry of AWKWARD is a file's name, its bytes, and what comes of it: `Read` has the columns and
rows and what the notes say, in order; `Refused` a part of the sentence. `opening` is what the
user says of it.
"""

import datetime
import gzip
import io
import re
import warnings
from dataclasses import dataclass, field

import polars as pl
import pytest

from quantext.texts.encoding import ReadingWarning
from quantext.texts.formats import Opening, blocks
from tests.support.workbooks import ERROR, ods, xlsx, zipped


@dataclass(frozen=True)
class Read:
    rows: list[tuple]
    columns: tuple[str, ...] = ("answer", "topic")
    notes: tuple[str, ...] = ()
    opening: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Refused:
    message: str
    opening: dict = field(default_factory=dict)


PLAIN = [("slow", "speed"), ("dear", "price")]
TABLE = [("answer", "topic"), *PLAIN]
DAY = datetime.date(2024, 2, 24)
NOON = datetime.datetime(2024, 2, 24, 11, 35)


def text(*lines, end="\n"):
    return "".join(f"{line}{end}" for line in lines).encode()


def parquet():
    buffer = io.BytesIO()
    pl.DataFrame(PLAIN, schema=["answer", "topic"], orient="row").write_parquet(buffer)
    return buffer.getvalue()


FRENCH = "answer,topic\nle café est très cher,price\nl’écran est cassé,screen\n"
CSV = text("answer,topic", "slow,speed", "dear,price")
CUT = (
    "answer,topic\nnice 👍,speed\nnice ".encode()
    + b"\xf0\x9f\x91"
    + b",speed\nd\xc3\xa9j\xc3\xa0,x\n"
)

AWKWARD = {
    # Quotes
    "tweets between tabs, with quotes that mean themselves": (
        "a.tsv", text("answer\ttopic", '"what\tspeed', 'no" way\tprice', '"all"\tprice'),
        Read([('"what', "speed"), ('no" way', "price"), ("all", "price")]),
    ),
    "a text between tabs that has a tab, a line and quotes in it": (
        "a.tsv", text("answer\ttopic", '"a ""b""\tc', 'd"\tspeed'),
        Read([('a "b"\tc\nd', "speed")]),
    ),
    # Encodings
    "UTF-8 with a byte order mark": (
        "a.csv", b"\xef\xbb\xbf" + CSV, Read(PLAIN),
    ),
    "Unicode text of Excel's, UTF-16 with tabs": (
        "a.txt", text("answer\ttopic", "größer\tsize", end="\r\n").decode().encode("utf-16"),
        Read([("größer", "size")]),
    ),
    "UTF-16 of the other byte order": (
        "a.csv", b"\xfe\xff" + CSV.decode().encode("utf-16-be"), Read(PLAIN),
    ),
    "UTF-16 without a mark": ("a.csv", CSV.decode().encode("utf-16-le"), Read(PLAIN)),
    "French of a spreadsheet, cp1252": (
        "a.csv", FRENCH.encode("cp1252"),
        Read(
            [("le café est très cher", "price"), ("l’écran est cassé", "screen")],
            notes=("is read as cp1252, so line 2 has “le café est très cher,price”; if that is",),
        ),
    ),
    "Russian, cp1251": (
        "a.csv", text("ответ,тема", "слишком медленно,скорость").decode().encode("cp1251"),
        Read([("слишком медленно", "скорость")], ("ответ", "тема"), notes=("read as cp1251",)),
    ),
    "Polish, cp1250": (
        "a.csv", text("answer,topic", "żółta łódź świeci,kolor").decode().encode("cp1250"),
        Read([("żółta łódź świeci", "kolor")], notes=("read as cp1250",)),
    ),
    "emoji cut in two": (
        "a.csv", CUT,
        Read(
            [("nice 👍", "speed"), ("nice \ufffd", "speed"), ("déjà", "x")],
            notes=("1 character of this UTF-8 file is broken .* line 3 .byte 0xf0 at offset 34",),
        ),
    ),
    "nothing but a cut emoji": (
        "a.csv", b"answer,topic\nnice \xf0\x9f\x91,speed\n",
        Read([("nice \ufffd", "speed")], notes=("1 character",)),
    ),
    "cp1252 that the user calls UTF-8": (
        "a.csv", FRENCH.encode("cp1252"),
        Refused("row 1, line 2: byte 0xe9 at offset 19 is not utf-8", {"encoding": "utf-8"}),
    ),
    # Lines and separators
    "line ends of old Macs": ("a.csv", CSV.replace(b"\n", b"\r"), Read(PLAIN)),
    "line ends of old Macs and one line feed": (
        "a.csv", CSV.replace(b"\n", b"\r")[:-1] + b"\n", Read(PLAIN),
    ),
    "line ends of old Macs with a line feed in a cell": (
        "a.csv", b'answer,topic\r"slow\nand dear",speed\r', Read([("slow\nand dear", "speed")]),
    ),
    "a line that says what divides fields": (
        "a.csv", text("sep=;", "answer;topic", "slow, very;speed", end="\r\n"),
        Read([("slow, very", "speed")]),
    ),
    "a header in which separators tie": (
        "a.csv", text("answer (why, how);topic", "slow;speed", "dear;price"),
        Read(PLAIN, ("answer (why, how)", "topic")),
    ),
    "text with tabs": ("a.txt", CSV.replace(b",", b"\t"), Read(PLAIN)),
    "text with bars": ("a.txt", CSV.replace(b",", b"|"), Read(PLAIN)),
    "text without columns": (
        "a.txt", text("It is slow.", "It is dear, and heavy; well", "I like it"),
        Refused("has no columns: neither tabs nor ; , | divide its lines alike"),
    ),
    "text without columns that the user calls CSV": (
        "a.txt", text("answer", "slow", "dear"),
        Read([("slow",), ("dear",)], ("answer",), opening={"format": "csv"}),
    ),
    "the extension .tab": ("a.tab", CSV.replace(b",", b"\t"), Read(PLAIN)),
    "blank rows of separators, within and below": (
        "a.csv", text("answer,topic", "slow,speed", ",", '"",""', "dear,price", ",", ","),
        Read(PLAIN, notes=("2 blank rows",)),
    ),
    "blank rows of separators below": (
        "a.csv", text("answer,topic", "slow,speed", "dear,price", ",", ",,,"), Read(PLAIN),
    ),
    # Titles
    "a title and a blank line above the header": (
        "a.csv", text("Survey 2024", "", "answer,topic", "slow,speed", "dear,price"),
        Read(PLAIN, notes=("below “Survey 2024”",)),
    ),
    "a title as a spreadsheet saves it": (
        "a.csv",
        text("Survey; by wave;;", ";;;", "id;answer;topic;x", "1;slow;speed;", "2;dear;price;"),
        Read(
            [("1", "slow", "speed", None), ("2", "dear", "price", None)],
            ("id", "answer", "topic", "x"), notes=("below “Survey by wave”",),
        ),
    ),
    "a header in a row that the user names": (
        "a.csv", text("a,b", "", 'a,"of\ntwo, lines"', "answer,topic", "slow,speed", "dear,price"),
        Read(PLAIN, opening={"header_row": 4}),
    ),
    "a header in a row that the user names, below a quote": (
        "a.csv", text('Report 5" pipes', "answer,topic", "slow,speed", 'say "x",b', "fine,a"),
        Read([("slow", "speed"), ('say "x"', "b"), ("fine", "a")], opening={"header_row": 2}),
    ),
    "a title above names that are numbers": (
        "a.csv", text("Survey,", ",", "answer,2024", "slow,speed"),
        Read(
            [("answer", "2024"), ("slow", "speed")], ("Survey", ""),
            notes=("to be “Survey”, which may be a title; if so, say in which row", "1 blank row"),
        ),
    ),
    "a header without the name of the first column": (
        "a.csv", text(",answer", "0,slow", "1,dear"),
        Read([("0", "slow"), ("1", "dear")], ("", "answer")),
    ),
    "names that repeat": (
        "a.csv", text("answer,comment,topic,comment", "slow,x,speed,y", "dear,,price,"),
        Read(PLAIN, notes=("a.csv: 2 columns 'comment' left out; rename all but one",)),
    ),
    "columns without names": (
        "a.csv", text("answer,,topic,,", "slow,x,speed,y,", "dear,,price,,"),
        Read(PLAIN, notes=("a.csv: 2 columns without a name left out; give them names, or say",)),
    ),
    "blank columns beside the table": (
        "a.csv", text("answer,topic,,", "slow,speed,,", "dear,price,,"), Read(PLAIN),
    ),
    "a column without a name and blank ones before": (
        "a.csv", text(",answer,topic,", ",slow,speed,x", ",dear,price,"),
        Read([("slow", "speed", "x"), ("dear", "price", None)], ("answer", "topic", "")),
    ),
    "a title with a comma": (
        "a.csv", text("Export of 3, May 2024", "id,answer,topic", "1,slow,speed"),
        Refused("row 1 has 3 fields, the header 2; a text with ',' needs quotes, and if the first "
                "row is a title, say in which row the header is (--header-row N, in Python"),
    ),
    "a header row below the last": (
        "a.csv", text("answer,topic", "slow,speed"),
        Refused("row 9 is to be the header, and the file has 2 rows", {"header_row": 9}),
    ),
    "a header row below the last of a sheet": (
        "a.xlsx", xlsx({"Data": TABLE}),
        Refused("row 9 is to be the header, and the sheet has 3 rows", {"header_row": 9}),
    ),
    "a header row that is blank": (
        "a.csv", text("answer,topic", "", "slow,speed"),
        Refused("row 2 is to be the header, and it is blank", {"header_row": 2}),
    ),
    # JSON
    "a JSON array": (
        "a.json",
        b'[\n {"answer": "slow", "topic": "speed"},\n {"answer": "dear", "topic": "price"}]',
        Read(PLAIN),
    ),
    "a JSON array in an object": (
        "a.json", b'{"n": 2, "data": [{"answer": "slow", "topic": "speed"}]}', Read(PLAIN[:1]),
    ),
    "JSON Lines called .json": (
        "a.json", b'{"answer": "slow", "topic": "speed"}\n{"answer": "dear", "topic": "price"}\n',
        Read(PLAIN),
    ),
    "a JSON object without a table": (
        "a.json", b'{\n"answer": {"slow": 1}}', Refused("has no array of objects, where one is"),
    ),
    # Workbooks
    "types of cells": (
        "a.xlsx",
        xlsx({"Data": [
            ("text", "code", "mixed", "price", "day", "time", "yes"),
            ("=slow", 1, "1a", 0.5, DAY, NOON, True), ("-", 2, 7, 2, DAY, NOON, False),
        ]}),
        Read(
            [("=slow", 1, "1a", 0.5, DAY, NOON, True), ("-", 2, "7", 2.0, DAY, NOON, False)],
            ("text", "code", "mixed", "price", "day", "time", "yes"),
        ),
    ),
    "names that repeat in a workbook": (
        "a.xlsx", xlsx({"Data": [("answer", "x", "x"), ("slow", "y", "z")]}),
        Read([("slow",)], ("answer",), notes=("2 columns 'x' left out",)),
    ),
    "a table that does not begin in A1": (
        "a.xlsx", xlsx({"Data": TABLE}, start=(3, 2)), Read(PLAIN),
    ),
    "a merged title above the header": (
        "a.xlsx", xlsx({"Data": [("Survey",), (), ("id", "answer", "topic"), (1, "slow", "speed")]},
                       merged=["A1:C1"]),
        Read([(1, "slow", "speed")], ("id", "answer", "topic"), notes=("row 3 of sheet 'Data'",)),
    ),
    "errors of formulas, blank rows and columns": (
        "a.xlsx",
        xlsx({"Data": [
            ("answer", None, "topic"), ("slow", None, ERROR), (), ("dear", " ", "price"),
        ]}),
        Read(
            [("slow", None), ("dear", "price")],
            notes=("1 cell of sheet 'Data' with an error", "1 blank row"),
        ),
    ),
    "a label merged over two rows": (
        "a.xlsx", xlsx({"Data": [*TABLE, ("heavy", None)]}, merged=["B3:B4"]),
        Read([*PLAIN, ("heavy", None)], notes=("1 cell of sheet 'Data' merged over several rows",)),
    ),
    "a hidden sheet, and one of notes": (
        "a.xlsx", xlsx({"Old": TABLE, "Read me": [("by wave",)], "Data": TABLE}, hidden=["Old"]),
        Read(PLAIN, notes=("from sheet 'Data', not from 'Read me'",)),
    ),
    "two sheets with tables": (
        "a.xlsx", xlsx({"May": TABLE, "June": TABLE}),
        Refused("has several sheets, 'May' and 'June'; say which one to read (--sheet NAME"),
    ),
    "two sheets, one of them named": (
        "a.xlsx", xlsx({"May": [("x",)], "June": TABLE}), Read(PLAIN, opening={"sheet": "June"}),
    ),
    "a sheet that is not there": (
        "a.xlsx", xlsx({"May": TABLE, "June": TABLE}),
        Refused("has no sheet 'june' (did you mean 'June'?); its sheets are", {"sheet": "june"}),
    ),
    "a workbook with nothing in it": (
        "a.xlsx", xlsx({"Data": []}), Refused("has no cells that are filled"),
    ),
    "hours that something took, and times of a day": (
        "a.xlsx",
        xlsx({
            "Data": [
                ("answer", "took", "at", "when"),
                ("slow", datetime.timedelta(hours=25, minutes=3), datetime.time(9, 30), "noon"),
                ("dear", datetime.timedelta(seconds=7), None, datetime.time(9, 30)),
                ("x", None, datetime.time(23, 59, 59), "late"),
            ]
        }),
        Read(
            [
                ("slow", "25:03:00", "09:30:00", "noon"),
                ("dear", "0:00:07", None, "09:30:00"),
                ("x", None, "23:59:59", "late"),
            ],
            ("answer", "took", "at", "when"),
        ),
    ),
    "OpenDocument": (
        "a.ods", ods({"Data": [("answer", "code", "day"), ("slow & dear", 2, DAY), ("x", 3, DAY)]}),
        Read([("slow & dear", 2, DAY), ("x", 3, DAY)], ("answer", "code", "day")),
    ),
    "a workbook cut off": (
        "a.xlsx", xlsx({"Data": TABLE})[:-100], Refused("is damaged or not whole"),
    ),
    "a workbook of Excel before 2007": (
        "a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
        Refused("is in the format of Excel before 2007 (.xls); open it in a spreadsheet program"),
    ),
    "a workbook with a password": (
        "a.xlsx",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le"),
        Refused("is protected by a password; open it, take the password off"),
    ),
    # Names that lie, and archives
    "a workbook called .csv": (
        "a.csv", xlsx({"Data": TABLE}), Read(PLAIN, notes=("is an Excel workbook, whatever",)),
    ),
    "CSV called .xlsx": ("a.xlsx", CSV, Read(PLAIN, notes=("is text, whatever its name says",))),
    "tabs called .xls": (
        "a.xls", CSV.replace(b",", b"\t"), Read(PLAIN, notes=("is text, whatever its name says",)),
    ),
    "a web page called .xls": (
        "a.xls", b"<html><body><table><tr><td>answer</td></tr></table></body></html>",
        Refused("is a web page (HTML), as some systems export tables; open it in a spreadsheet"),
    ),
    "Parquet called .csv": ("a.csv", parquet(), Read(PLAIN, notes=("is Parquet, whatever",))),
    "a workbook that the user calls CSV": (
        "a.xlsx", xlsx({"Data": TABLE}),
        Refused("is an Excel workbook, not CSV; leave out the format", {"format": "csv"}),
    ),
    "a zipped table": (
        "a.csv.zip", zipped({"__MACOSX/._a.csv": b"x", "b/a.csv": CSV}), Read(PLAIN),
    ),
    "a gzipped table in a zip": (
        "a.zip", zipped({"a.csv.gz": gzip.compress(CSV)}), Read(PLAIN),
    ),
    "gzipped twice": ("a.csv.gz", gzip.compress(gzip.compress(CSV)), Read(PLAIN)),
    "a zip with several files": (
        "a.zip", zipped({"a.csv": CSV, "b.csv": CSV}),
        Refused("has 2 files, a.csv, b.csv in it; unzip it and name the one with the table"),
    ),
    "a gzipped workbook": ("a.xlsx.gz", gzip.compress(xlsx({"Data": TABLE})), Read(PLAIN)),
    "a sheet of a file that has none": (
        "a.csv", CSV, Refused("is no workbook, so it has no sheet 'May'", {"sheet": "May"}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", AWKWARD)
def test_an_awkward_file_is_read_right_or_refused_with_the_way_out(tmp_path, name):
    file, content, expected = AWKWARD[name]
    path = tmp_path / file
    path.write_bytes(content)
    opening = Opening(**expected.opening)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if isinstance(expected, Refused):
            with pytest.raises(ValueError, match=re.escape(expected.message)) as error:
                list(blocks(path, opening, None))
            assert str(path) in str(error.value)
            return
        table = pl.concat(blocks(path, opening, None))
    assert table.columns == list(expected.columns)
    assert table.rows() == expected.rows
    assert [w.category for w in caught] == [ReadingWarning] * len(expected.notes)
    for warning, said in zip(caught, expected.notes, strict=True):
        assert re.search(said, str(warning.message))
        assert str(path) in str(warning.message)
