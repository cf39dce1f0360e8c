"""Pages: a Parquet file's columns, some pages at a time, whatever the sizes of its row groups.

The engine reads a row group whole, and a row group may be the whole file. So pages, of which
columns consist, are taken from the file and given to the engine as a small file of their own.
What they unpack to is known from their headers before any are unpacked.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import polars as pl

from quantext.texts.thrift import (
    Struct,
    binary,
    integer,
    nested,
    read_struct,
    structs,
    write_struct,
)
from quantext.texts.unpacking import most_unpacked, told_limit

__all__ = ["VIEW", "Column", "Footer", "column_pieces", "damaged", "list_pieces", "read_footer"]

MAGIC = b"PAR1"
PAGE = 1 << 28  # bytes that a page may unpack to; writers make them of about one megabyte
ROWS = 1 << 20  # rows that are unpacked at a time, where a page has more
VIEW = 16  # bytes that the engine takes for a text beside its own
LISTS = 1 << 26  # bytes of lists that are unpacked at a time
HEAD = 1 << 12  # bytes, more than headers of pages usually have

# Numbers of fields, as parquet.thrift has them.
SCHEMA, GROUPS = 2, 4
NAME, REPETITION, CHILDREN = 4, 3, 5
CHUNKS, GROUP_ROWS = 1, 3
ELSEWHERE, META = 1, 3
TYPE, ENCODINGS, PATH, CODEC, PACKED, DATA_PAGE, DICTIONARY_PAGE = 1, 2, 3, 4, 7, 9, 11
KIND, UNPACKS, STORED = 1, 2, 3
DATA, INDEX, DICTIONARY, DATA_2 = range(4)
HEADERS = {DATA: 5, DICTIONARY: 7, DATA_2: 8}  # fields that tell the number of values
REPEATED = 2


@dataclass(frozen=True)
class Column:
    """A column.

    Parameters
    ----------
    name
        Of the column.
    schema
        What the file says of its type.
    places
        Among the parts of a row group: of a column of single values one, of others one or more.
    single
        Whether it has single values, and no lists or the like.
    """

    name: str
    schema: Struct
    places: range
    single: bool


@dataclass(frozen=True)
class Footer:
    """What a file says of itself at its end.

    Parameters
    ----------
    columns
        By name.
    groups
        Of each row group, the number of rows and what is said of the parts of its columns.
    """

    columns: dict[str, Column]
    groups: list[tuple[int, list[Struct]]]


def read_footer(file: BinaryIO, source: Path) -> Footer:
    """What a Parquet file says of itself.

    Parameters
    ----------
    file
        That can be read from any place.
    source
        What messages call it.
    """
    size = file.seek(0, 2)
    file.seek(max(0, size - 8))
    end = file.read(8)
    length = int.from_bytes(end[:4], "little")
    if end[4:] != MAGIC or length > size - 12:
        raise damaged(source, "it does not end as a Parquet file does")
    file.seek(size - 8 - length)
    try:
        about, _ = read_struct(file.read(length))
        columns = _columns([item.content for item in about[SCHEMA].content])
        groups = [
            (
                group.content[GROUP_ROWS].content,
                [own.content for own in group.content[CHUNKS].content],
            )
            for group in about[GROUPS].content
        ]
        if any(rows < 0 for rows, _ in groups):
            raise ValueError("a row group of less than nothing")
    except (EOFError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise damaged(source, f"its description of itself is none ({error})") from None
    return Footer(columns, groups)


def _columns(elements: list[Struct]) -> dict[str, Column]:
    """The columns; the schema is a tree, each node before its children."""
    columns = {}
    at, place = 1, 0
    while at < len(elements):
        start, first, left = at, place, 1
        while left:
            children = elements[at][CHILDREN].content if CHILDREN in elements[at] else 0
            if children < 0:
                raise ValueError("a column of less than nothing")
            place += not children
            left += children - 1
            at += 1
        own = elements[start]
        repeated = REPETITION in own and own[REPETITION].content == REPEATED
        name = own[NAME].content.decode()
        single = CHILDREN not in own and not repeated
        columns[name] = Column(name, own, range(first, place), single)
    return columns


@dataclass(frozen=True)
class _Page:
    """Bytes of a page with its header, the number of its values and the bytes it unpacks to."""

    kind: int
    data: bytes
    values: int
    unpacked: int

    @property
    def memory(self) -> int:
        """Bytes that it takes in memory."""
        return self.unpacked + VIEW * self.values


def column_pieces(
    file: BinaryIO,
    source: Path,
    column: Column,
    chunks: Sequence[Struct],
    dtype: pl.DataType,
    piece: int,
) -> Iterator[pl.Series]:
    """Single values of a row group, so many pages at a time as unpack to about some bytes.

    Parameters
    ----------
    file, source
        The file, and what messages call it.
    column
        Of single values.
    chunks
        What the file says of the parts of the row group.
    dtype
        Type of the column, as the engine has it.
    piece
        Bytes.
    """
    dictionary: _Page | None = None
    waiting: list[_Page] = []
    unpacked = 0
    (place,) = column.places
    for page in _pages(file, source, column, chunks, place):
        if page.kind == DICTIONARY:
            dictionary = page
        elif page.kind != INDEX:
            # A large dictionary, which is unpacked with every piece, wants large pieces.
            most = piece if dictionary is None else max(piece, 2 * dictionary.unpacked)
            if waiting and unpacked + page.memory > most:
                yield from _values(column, chunks[place], dictionary, waiting, dtype)
                waiting, unpacked = [], 0
            waiting.append(page)
            unpacked += page.memory
    if waiting:
        yield from _values(column, chunks[place], dictionary, waiting, dtype)


def list_pieces(
    file: BinaryIO,
    source: Path,
    column: Column,
    chunks: Sequence[Struct],
    table: pl.LazyFrame,
    rows: int,
) -> Iterator[pl.Series]:
    """Lists and the like of a row group, some rows at a time.

    A list may begin in one page and end in the next, so they are left to the engine.

    Parameters
    ----------
    file, source, column, chunks
        As in `column_pieces`.
    table
        The column in the row group.
    rows
        Their number.
    """
    packed = unpacked = 0
    for place in column.places:
        for page in _pages(file, source, column, chunks, place):
            packed, unpacked = packed + len(page.data), unpacked + page.memory
    if unpacked > most_unpacked(packed):
        raise ValueError(
            f"{source}, column {column.name!r}: {packed:,} bytes would unpack to "
            f"{unpacked / 2**20:,.0f} MB, more than {told_limit()}; leave the column out"
        )
    step = max(1, rows * LISTS // max(unpacked, LISTS))
    for start in range(0, rows, step):
        yield table.slice(start, step).collect().to_series()


def _pages(
    file: BinaryIO, source: Path, column: Column, chunks: Sequence[Struct], place: int
) -> Iterator[_Page]:
    """Pages of a part of a row group."""
    try:
        chunk = chunks[place]
        if ELSEWHERE in chunk:
            raise EOFError("it is in another file")
        meta: Struct = chunk[META].content
        at = meta[DATA_PAGE].content
        if DICTIONARY_PAGE in meta and 0 < meta[DICTIONARY_PAGE].content < at:
            at = meta[DICTIONARY_PAGE].content
        end = at + meta[PACKED].content
        while at < end:
            page = _read_page(file, source, column, at, end)
            yield page
            at += len(page.data)
    except (EOFError, LookupError, TypeError, AttributeError, OverflowError) as error:
        what = f"column {column.name!r} is not where, or not what, it says ({error})"
        raise damaged(source, what) from None


def _read_page(file: BinaryIO, source: Path, column: Column, at: int, end: int) -> _Page:
    header, length = _read_header(file, at, end)
    kind, unpacked, stored = (header[field].content for field in (KIND, UNPACKS, STORED))
    values = header[HEADERS[kind]].content[1].content if kind in HEADERS else 0
    if min(stored, values, unpacked) < 0:
        raise EOFError("a page has less than nothing")
    # Of a dictionary all values are in memory at once; of others so many as are asked for.
    if unpacked + (VIEW * values if kind == DICTIONARY else 0) > PAGE:
        raise ValueError(
            f"{source}, column {column.name!r}: a page would unpack to {unpacked / 2**20:,.0f} MB, "
            f"and pages of more than {PAGE / 2**20:.0f} MB are not read; write the file again "
            "with pages of a megabyte, as is usual, or as .csv"
        )
    file.seek(at)
    data = file.read(length + stored)
    if len(data) < length + stored:
        raise EOFError("a page is not whole")
    return _Page(kind, data, values, unpacked)


def _read_header(file: BinaryIO, at: int, end: int) -> tuple[Struct, int]:
    """Header of the page that begins at a place, and its length."""
    size = HEAD
    while True:
        file.seek(at)
        data = file.read(min(size, end - at))
        try:
            return read_struct(data)
        except EOFError:
            if len(data) < size:
                raise
        size *= 16  # for it tells the least and the largest text, which may be long


def _values(
    column: Column, chunk: Struct, dictionary: _Page | None, pages: list[_Page], dtype: pl.DataType
) -> Iterator[pl.Series]:
    data = _small_file(column, chunk, dictionary, pages)
    n_rows = sum(page.values for page in pages)
    table = pl.scan_parquet(data, glob=False)
    for start in range(0, n_rows, ROWS):
        rows = table.slice(start, ROWS) if n_rows > ROWS else table
        yield rows.collect().to_series().cast(dtype)


def _small_file(
    column: Column, chunk: Struct, dictionary: _Page | None, pages: list[_Page]
) -> bytes:
    """A Parquet file of one column, in one row group, of these pages."""
    meta: Struct = chunk[META].content
    packed = [MAGIC, *([dictionary.data] if dictionary else []), *(page.data for page in pages)]
    size, n_rows = sum(map(len, packed)) - len(MAGIC), sum(page.values for page in pages)
    unpacked = sum(page.unpacked for page in pages) + (dictionary.unpacked if dictionary else 0)
    own = {field: meta[field] for field in (TYPE, ENCODINGS, PATH, CODEC)}
    own |= {5: integer(n_rows), 6: integer(unpacked), PACKED: integer(size)}
    start = len(MAGIC) + (len(dictionary.data) if dictionary else 0)
    own |= {DATA_PAGE: integer(start)}
    if dictionary:
        own |= {DICTIONARY_PAGE: integer(len(MAGIC))}
    part = {2: integer(len(MAGIC)), META: nested(own)}
    group = {CHUNKS: structs([part]), 2: integer(unpacked), GROUP_ROWS: integer(n_rows)}
    root = {NAME: binary(b"schema"), CHILDREN: integer(1)}
    about = {1: integer(1), SCHEMA: structs([root, column.schema]), 3: integer(n_rows)}
    footer = write_struct(about | {GROUPS: structs([group])})
    return b"".join([*packed, footer, len(footer).to_bytes(4, "little"), MAGIC])


def damaged(source: Path, why: str) -> ValueError:
    """The error that a file is not what it should be."""
    return ValueError(
        f"{source} cannot be read: {why}; it may be damaged: get it, or write it, again"
    )
