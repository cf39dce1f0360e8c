"""Extents: how far the sheets of a workbook reach, told before the engine loads them.

The engine makes a cell of every place up to the farthest that is filled, so that one stray cell in
the last corner of a sheet would be 17 billion of them. The parts of a workbook are passed by in
blocks, once, and what the engine does not tell is gathered on the way.
"""

import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from quantext.texts.signatures import DAMAGED, damaged
from quantext.texts.unpacking import most_unpacked, told_limit

__all__ = ["Marks", "sheet_marks"]

ROWS = 1_048_576  # of a sheet, as Excel has it
LARGEST = 50_000_000  # cells of a sheet, of 32 bytes or more each
UNPACKED = 2 << 30  # bytes of XML, more than that many cells take
BLOCK = 1 << 20
TAG = 1 << 16  # bytes, more than a tag has

_ROW = re.compile(rb"""r=["'](\d+)""")
_FILLED = re.compile(rb"""<(?:\w+:)?c (?:[^>]*? )?r=["']([A-Z]{1,3})(\d+)["'][^>]*(?<!/)>(?!</)""")
_ERROR = re.compile(rb'<(?:\w+:)?c [^>]*\bt="e"')
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell ref="[A-Z]+(\d+):[A-Z]+(\d+)"')
_OPEN_DOCUMENT = re.compile(rb"<table:(table|table-row|(?:covered-)?table-cell)((?:\s[^>]*)?)>")
_REPEATED = re.compile(rb'table:number-(?:rows|columns)-repeated="(\d+)"')
_NAME = re.compile(rb'table:name="([^"]*)"')


@dataclass
class Marks:
    """What a sheet of Excel's says of itself.

    Parameters
    ----------
    errors
        How many cells show an error.
    merged
        First and last row of each merged area.
    """

    errors: int = 0
    merged: list[tuple[int, int]] = field(default_factory=list)


def sheet_marks(archive: zipfile.ZipFile, source: Path, wanted: str | None) -> dict[str, Marks]:
    """Marks of the sheets by name, or an error if a sheet is too large to be loaded.

    Parameters
    ----------
    archive
        A workbook of Excel's or of OpenDocument, of which there are no marks.
    source
        What messages call it.
    wanted
        The sheet that will be loaded, if it is one alone.
    """
    parts = [part for part in archive.infolist() if part.filename.endswith(".xml")]
    size = sum(part.file_size for part in parts)
    most = min(UNPACKED, most_unpacked(sum(part.compress_size for part in parts)))
    if size > most:
        raise ValueError(
            f"{source} unpacks to {size / 2**30:.1f} GB, and a workbook of more than "
            f"{UNPACKED / 2**30:.0f} GB, or of more than {told_limit()}, is not read; save its "
            "table as .csv"
        )
    if "content.xml" in archive.namelist():
        _check_open_document(archive, source)
        return {}
    return {
        name: _marks(archive, path, source, name)
        for name, path in _paths(archive).items()
        if wanted is None or name == wanted
    }


def _blocks(archive: zipfile.ZipFile, path: str, source: Path) -> Iterator[bytes]:
    """A part of a workbook in blocks that end where a tag begins, that of a cell if there is one.

    So whatever a tag, or the one right after that of a cell, tells is in one block.
    """
    rest = b""
    try:
        with archive.open(path) as part:
            while chunk := part.read(BLOCK):
                data = rest + chunk
                near = max(0, len(data) - TAG)
                end = max(data.rfind(b"<c", near), data.rfind(b"<table:", near))
                end = end if end >= 0 else data.rfind(b"<", near)
                end = end if end >= 0 else len(data)
                rest = data[end:]
                yield data[:end]
    except (*DAMAGED, KeyError) as error:
        raise damaged(source, error) from None
    yield rest


def _marks(archive: zipfile.ZipFile, path: str, source: Path, name: str) -> Marks:
    marks, rows, columns = Marks(), 0, ""
    wider = _wider(columns)
    for block in _blocks(archive, path, source):
        numbers = _ROW.findall(block)
        rows = max(rows, max(map(int, numbers), default=0))
        if block.count(b"<row ") + block.count(b"<row>") > len(numbers):
            rows = ROWS  # for one leaves out its number, and its cells may have theirs
        at = 0
        while found := wider.search(block, at):
            columns, at = found[1].decode(), found.end()
            wider = _wider(columns)
        if b't="e"' in block:
            marks.errors += len(_ERROR.findall(block))
        if b"mergeCell" in block:
            marks.merged += [(int(a), int(b)) for a, b in _MERGED.findall(block)]
    if rows * _number(columns) > LARGEST:  # there may be nothing in those rows
        _check_filled(_blocks(archive, path, source), source, name)
    return marks


def _wider(columns: str) -> re.Pattern[bytes]:
    """The place of a cell in a column beyond this one; places that are blank may be among them.

    Examples
    --------
    >>> _wider("B").findall(b'<c r="B1"/><c r="C1"/><c r="AA1"/>')
    [b'C', b'AA']
    """
    more = [f"[A-Z]{{{len(columns) + 1},3}}"] if len(columns) < 3 else []
    for i, letter in enumerate(columns):
        if letter < "Z":
            after = f"[A-Z]{{{len(columns) - i - 1}}}" if i + 1 < len(columns) else ""
            more.append(f"{columns[:i]}[{chr(ord(letter) + 1)}-Z]{after}")
    # Of ZZZ, which no program has, nothing is beyond.
    return re.compile(f"r=[\"']({'|'.join(more) or '(?!)'})[0-9]".encode())


def _number(columns: str) -> int:
    """Which column it is, counted from 1.

    Examples
    --------
    >>> _number("A"), _number("AA"), _number("XFD")
    (1, 27, 16384)
    """
    number = 0
    for letter in columns:
        number = 26 * number + ord(letter) - 64
    return number


def _letters(number: int) -> str:
    """What spreadsheets call a column, counted from 1.

    Examples
    --------
    >>> _letters(1), _letters(27), _letters(16384)
    ('A', 'AA', 'XFD')
    """
    letters = ""
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(65 + letter) + letters
    return letters


def _check_filled(blocks: Iterable[bytes], source: Path, name: str) -> None:
    """Raise if the cells with something in them reach too far."""
    low, right = (0, 0), (0, 0)  # row and column of the lowest and of the rightmost cell
    for block in blocks:
        for columns, digits in _FILLED.findall(block):
            row, column = int(digits), _number(columns.decode())
            low, right = max(low, (row, column)), max(right, (row, column), key=_column)
    _check(low, right, source, name)


def _check(low: tuple[int, int], right: tuple[int, int], source: Path, name: str) -> None:
    rows, columns = low[0], right[1]
    if rows * columns <= LARGEST:
        return
    places = dict.fromkeys(f"{_letters(column)}{row}" for row, column in (low, right))
    stray = f"cell in {' or '.join(places)}"
    raise ValueError(
        f"{source}, sheet {name!r} reaches over {rows:,} rows and {columns:,} columns, too many to "
        f"read; delete the stray {stray}, or save the table alone as .csv"
    )


def _check_open_document(archive: zipfile.ZipFile, source: Path) -> None:
    """Raise if a sheet reaches too far; here cells and rows say how often they stand."""
    name, row, column = "", 0, 0
    low = right = (0, 0)
    for block in _blocks(archive, "content.xml", source):
        for kind, attributes in _OPEN_DOCUMENT.findall(block):
            found = _REPEATED.search(attributes)
            times = int(found[1]) if found else 1
            if kind == b"table":
                _check(low, right, source, name)
                titled = _NAME.search(attributes)
                name = titled[1].decode("utf-8", "replace") if titled else ""
                low, right, row = (0, 0), (0, 0), 0
            elif kind == b"table-row":
                row, column = row + times, 0
            else:
                column += times
                if b"office:value-type" in attributes or b"calcext:value-type" in attributes:
                    low, right = max(low, (row, column)), max(right, (row, column), key=_column)
    _check(low, right, source, name)


def _column(place: tuple[int, int]) -> int:
    return place[1]


def _paths(archive: zipfile.ZipFile) -> dict[str, str]:
    """Where a workbook of Excel's has its sheets, which its parts tell in two steps."""
    try:
        workbook = ElementTree.fromstring(archive.read("xl/workbook.xml"))
        links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    except (*DAMAGED, KeyError, ElementTree.ParseError):  # the engine may read it all the same
        return {}
    targets = {link.get("Id"): link.get("Target", "").removeprefix("/") for link in links}
    there = set(archive.namelist())
    paths = {}
    for sheet in workbook.iter():
        if sheet.tag.endswith("}sheet"):
            wanted = next((v for k, v in sheet.attrib.items() if k.endswith("}id")), None)
            target = targets.get(wanted, "")
            path = target if target.startswith("xl/") else f"xl/{target}"
            if path in there:
                paths[sheet.get("name", "")] = path
    return paths
