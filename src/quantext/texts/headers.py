"""Headers: where the table of a text file begins, and which row names its columns.

Whoever writes a table by hand may put a title above it, and programs write hints. The first row is
the header unless it has so few cells that it hardly names the columns, and one below does. What it
says is not judged: a header with one name above three columns of texts is taken for a title, which
is why titles are noted.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from quantext.texts.fields import Fields, split_fields
from quantext.texts.separators import MOST, ROWS, SEPARATORS, find_separator, steadiness

__all__ = [
    "Start",
    "find_start",
    "first_rows",
    "header_at",
    "may_be_title",
    "title_shown",
    "titles_shown",
]

HEAD = 1 << 18  # bytes at the beginning of a file that are looked at
TITLES = 30  # rows that may be above the header


@dataclass(frozen=True)
class Start:
    """Where the table of a text file begins.

    Parameters
    ----------
    separator
        What divides fields.
    skipped
        Bytes before the header.
    titles
        Texts in the rows that were passed over because they are no header.
    steady
        Whether most rows are divided into the same number of fields, two or more.
    doubtful
        Text of the header if that may be a title.
    passed
        Rows above a header whose row is known, or as many as there are.
    """

    separator: bytes
    skipped: int
    titles: tuple[str, ...]
    steady: bool
    doubtful: str | None = None
    passed: int = 0


def find_start(head: bytes, separator: bytes | None, header_row: int | None, whole: bool) -> Start:
    r"""Where the header is and what divides its fields.

    Parameters
    ----------
    head
        The beginning of the file, in UTF-8, with line feeds.
    separator
        What divides fields, if that is known.
    header_row
        Number of the header's row, if that is known; blank rows count, as a spreadsheet shows them.
    whole
        Whether that is all of the file.

    Examples
    --------
    >>> start = find_start(b"Survey, 2024\n\nanswer;topic\nslow;speed\n", None, None, True)
    >>> start.separator, start.skipped, start.titles
    (b';', 14, ('Survey, 2024',))
    """
    skipped = 0
    if told := re.match(rb'(?i)"?sep=([^"\r\n])"?\r?\n', head):
        separator, skipped = told[1], told.end()
    if header_row is not None:
        end, passed = _rows_end(head[skipped:], separator, header_row - 1)
        skipped += end
        head = head[skipped:]
        separator = separator or find_separator(head, whole)
        return Start(separator, skipped, (), True, passed=passed)
    head, whole = head[skipped : skipped + HEAD], whole and len(head) - skipped <= HEAD
    separator = separator or find_separator(head, whole)
    fields = split_fields(head, separator, last=whole)
    rows = _rows(head, fields)
    at = header_at(rows)
    steady = steadiness(head, separator, whole).share >= MOST
    titles = tuple(" ".join(filter(None, row)) for row in rows[:at])
    doubtful = " ".join(filter(None, rows[at])) if may_be_title(rows) else None
    skipped += _record_start(head, fields, at) if at else 0
    return Start(separator, skipped, tuple(filter(None, titles)), steady, doubtful)


def _rows_end(data: bytes, separator: bytes | None, number: int) -> tuple[int, int]:
    r"""Where so many rows end, blank ones too, and how many they are, if there are fewer.

    A quote opens a field only where one begins.

    Examples
    --------
    >>> _rows_end(b'5" pipes\n"of\ntwo lines",c\nsay "x",b\n', None, 2)
    (26, 2)
    >>> _rows_end(b'a,"b,c\nd"\r\ne\n', None, 1)
    (11, 1)
    """
    signs = re.escape(separator or SEPARATORS)
    field = rb'(?>"[^"]*(?:""[^"]*)*"(?=[%b]|\r?\n|\Z)|[^%b\n]*)' % (signs, signs)
    row = re.compile(rb"(?:%b[%b])*%b(?:\r?\n|\Z)" % (field, signs, field))
    end = 0
    for passed in range(number):
        if end == len(data):
            return end, passed
        found = row.match(data, end)
        assert found  # whatever there is, it is a row
        end = found.end()
    return end, number


def _record_start(data: bytes, fields: Fields, record: int) -> int:
    """Where a record begins, with the quote of its first field."""
    start = int(fields.starts[fields.records[record - 1]])
    return start - 1 if data[start - 1 : start] == b'"' else start


def first_rows(data: bytes, separator: bytes, *, whole: bool) -> list[list[str]]:
    """The first rows of a text as cells without surrounding blanks.

    Parameters
    ----------
    data
        From the header on.
    separator
        What divides fields.
    whole
        Whether that is all of the file.
    """
    whole, data = whole and len(data) <= HEAD, data[:HEAD]
    return _rows(data, split_fields(data, separator, last=whole))


def _rows(data: bytes, fields: Fields) -> list[list[str]]:
    """The first rows as texts without surrounding blanks."""
    ends = [0, *fields.records[:ROWS].tolist()]
    return [
        [
            value.decode("utf-8", "replace").strip()
            for value in fields.values(data, np.arange(first, after))
        ]
        for first, after in pairwise(ends)
    ]


def header_at(rows: Sequence[Sequence[str]]) -> int:
    """Number, from 0, of the row that names the columns: the first, unless it is a title.

    Parameters
    ----------
    rows
        The first of them, cells without surrounding blanks.

    Examples
    --------
    >>> header_at([["Survey", "", ""], ["", "", ""], ["id", "answer", "topic"], ["1", "a", "b"]])
    2
    >>> header_at([["", "answer", "topic"], ["0", "slow", "speed"]])
    0
    """
    first, at, can_be = _candidate(rows)
    return at if can_be else first


def may_be_title(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the row that `header_at` takes has a cell where others have more, as a title.

    Parameters
    ----------
    rows
        As in `header_at`.

    Examples
    --------
    >>> may_be_title([["Survey", "", ""], ["id", "2023", "2024"], ["1", "a", "b"]])
    True
    >>> may_be_title([["answer", "", ""], ["slow", "", ""]])
    False
    """
    first, at, can_be = _candidate(rows)
    # One that is shorter than the others is an error anyway.
    as_wide = len(rows[first]) == max(map(len, rows)) if rows else False
    return as_wide and not can_be and first < at < len(rows) and sum(map(bool, rows[at])) > 1


def _candidate(rows: Sequence[Sequence[str]]) -> tuple[int, int, bool]:
    """The first row with a cell, the first that is no title, and whether that can be a header."""
    filled = [sum(map(bool, row)) for row in rows]
    if not any(filled):
        return 0, 0, False
    first = next(at for at, cells in enumerate(filled) if cells)
    width = _usual_width(rows, filled)
    at = first
    while at < min(len(rows), TITLES) and (not filled[at] or _is_title(rows, filled, at, width)):
        at += 1
    below_titles = first < at < len(rows)
    return first, at, below_titles and _can_be_header(rows, filled, first, at, width)


def titles_shown(titles: Sequence[str]) -> str:
    """The first of the rows that were passed over, for a note, and what to do if that is wrong."""
    shown = ", ".join(f"“{title[:60]}”" for title in titles[:3])
    more = ", ..." if len(titles) > 3 else ""
    return (
        f"{shown}{more}; if that is wrong, say in which row it is (--header-row N, in Python "
        "header_row=)"
    )


def title_shown(row: str) -> str:
    """What a note says of a first row that is taken for the header and may be a title."""
    return (
        f"the header is taken to be “{row[:60]}”, which may be a title; if so, say in which row "
        "the header is (--header-row N, in Python header_row=)"
    )


def _usual_width(rows: Sequence[Sequence[str]], filled: Sequence[int]) -> int:
    """The most frequent number of cells in a row, the larger one of two."""
    widths = Counter(len(row) for row, cells in zip(rows, filled, strict=True) if cells)
    return max(widths, key=lambda width: (widths[width], width))


def _is_title(rows: Sequence[Sequence[str]], filled: Sequence[int], at: int, width: int) -> bool:
    """Whether a row has so few cells that it names no columns: one, or half before a blank row."""
    if len(rows[at]) < width:
        return filled[at] <= width / 2
    if len(rows[at]) > width or (not rows[at][0] and width == 2):
        return False
    if filled[at] == 1 and width >= 3:
        return True
    # What follows down to the next blank row must be like it.
    after = at
    while after < len(rows) and 0 < filled[after] <= width / 2:
        after += 1
    return after > at and after < len(rows) and not filled[after]


def _can_be_header(
    rows: Sequence[Sequence[str]], filled: Sequence[int], first: int, at: int, width: int
) -> bool:
    """Whether a row below titles names columns: texts, all different, above every full column.

    The first column may be an index without a name.
    """
    names = [name for name in rows[at] if name]
    below = [row for row, cells in zip(rows[at + 1 :], filled[at + 1 :], strict=True) if cells]
    if len(rows[at]) != width or len(names) < 2 or len(set(names)) < len(names) or not below:
        return False
    if filled[at] <= max(filled[first:at]) or any(map(_is_number, names)):
        return False
    wide = [row for row in below if len(row) == width]
    alike = [row for row in wide if sum(map(bool, row)) > 1]
    if len(wide) < MOST * len(below) or not alike:
        return False
    # Many rows of one cell are a table with gaps if nothing above goes on in them and every column
    # has a name; else they may be a column with notes beside it.
    dense = len(alike) >= MOST * len(below)
    if not dense and at > first + 1 and filled[at - 1]:
        return False
    unnamed = len(alike) / 2 if dense else 1
    used = [sum(bool(row[column]) for row in alike) for column in range(1, width)]
    return all(name or own < unnamed for name, own in zip(rows[at][1:], used, strict=True))


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?[\d.,]*\d[\d.,]*%?", text) is not None
