"""Headers: what divides the fields of a text file, and which row names its columns.

Whoever writes a table by hand may put a title above it, and programs write hints. A first row that
can be a header always is: rows are passed over only if they cannot name the columns.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from quantext.texts.fields import Fields, split_fields

__all__ = ["Start", "find_start", "first_rows", "header_at", "titles_shown"]

SEPARATORS = b",;\t|"  # the first of them where they tie
HEAD = 1 << 18  # bytes at the beginning of a file that are looked at
ROWS = 200  # the same in rows
TITLES = 30  # rows that may be above the header
MOST = 0.8  # of rows, where a stray one may be different


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
    """

    separator: bytes
    skipped: int
    titles: tuple[str, ...]
    steady: bool


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
        skipped += _rows_end(head[skipped:], header_row - 1)
        head = head[skipped:]
        separator = separator or _separator(head, whole)
        return Start(separator, skipped, (), True)
    head, whole = head[skipped : skipped + HEAD], whole and len(head) - skipped <= HEAD
    separator = separator or _separator(head, whole)
    fields = split_fields(head, separator, last=whole)
    rows = _rows(head, fields)
    at = header_at(rows)
    steady = _steadiness(head, separator, whole)[0] >= MOST
    titles = tuple(" ".join(filter(None, row)) for row in rows[:at])
    skipped += _record_start(head, fields, at) if at else 0
    return Start(separator, skipped, tuple(filter(None, titles)), steady)


def _rows_end(data: bytes, number: int) -> int:
    """Where so many rows end, blank ones too."""
    end = 0
    for _ in range(number):
        row = re.compile(rb'(?:"(?:[^"]|"")*"|[^"\n]|")*?(?:\n|$)').match(data, end)
        if row is None or row.end() == end:
            return len(data)
        end = row.end()
    return end


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


def _separator(head: bytes, whole: bool) -> bytes:
    r"""The one of , ; tab | that divides the first line most often, if all rows agree.

    If they do not, the one that divides most rows into the same number of fields. Spreadsheets
    write semicolons where a comma is the decimal point.

    Examples
    --------
    >>> _separator(b'answer;"topic, main"\n3,5;speed\n', True)
    b';'
    >>> _separator(b"answer (a, b);topic\nslow;speed\n", True)
    b';'
    """
    line = re.sub(rb'"[^"]*"', b"", head).partition(b"\n")[0]
    usual = max(SEPARATORS, key=line.count).to_bytes()
    if _steadiness(head, usual, whole)[2]:
        return usual
    shares = {bytes([sign]): _steadiness(head, bytes([sign]), whole) for sign in SEPARATORS}
    steady = {sign: found for sign, found in shares.items() if found[0] >= MOST}
    return max(steady, key=lambda sign: steady[sign][:2]) if steady else usual


def _steadiness(head: bytes, separator: bytes, whole: bool) -> tuple[float, int, bool]:
    """Share of rows of the usual width, 0 if that is one; this width; whether all rows have it."""
    fields = split_fields(head, separator, last=whole)
    widths = np.diff(np.append(0, fields.records))[:ROWS]
    if not len(widths):
        return 0.0, 1, False
    width = int(np.bincount(widths).argmax())
    usual = widths == width
    share = float(np.mean(usual[usual.argmax() :]))  # titles may be above
    return (share if width > 1 else 0.0), width, bool(usual.all()) and not fields.unclosed


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
    filled = [sum(map(bool, row)) for row in rows]
    first = next((at for at, cells in enumerate(filled) if cells), 0)
    if not any(filled):
        return 0
    width = _usual_width(rows, filled)
    at = first
    while at < min(len(rows), TITLES) and (not filled[at] or _is_title(rows, filled, at, width)):
        at += 1
    if at > first and at < len(rows) and _can_be_header(rows, filled, first, at, width):
        return at
    return first


def titles_shown(titles: Sequence[str]) -> str:
    """The first of the rows that were passed over, for a note, and what to do if that is wrong."""
    shown = ", ".join(f"“{title[:60]}”" for title in titles[:3])
    more = ", ..." if len(titles) > 3 else ""
    return (
        f"{shown}{more}; if that is wrong, say in which row it is (--header-row N, in Python "
        "header_row=)"
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
    """Whether a row below titles names columns: texts, all different, above every full column."""
    names = [name for name in rows[at] if name]
    below = [row for row, cells in zip(rows[at + 1 :], filled[at + 1 :], strict=True) if cells]
    if len(rows[at]) != width or len(names) < 2 or len(set(names)) < len(names) or not below:
        return False
    if filled[at] <= max(filled[first:at]) or any(map(_is_number, names)):
        return False
    alike = [row for row in below if len(row) == width and sum(map(bool, row)) > 1]
    if len(alike) < MOST * len(below):
        return False
    used = [sum(bool(row[column]) for row in alike) for column in range(width)]
    return all(name or own < len(alike) / 2 for name, own in zip(rows[at], used, strict=True))


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?[\d.,]*\d[\d.,]*%?", text) is not None
