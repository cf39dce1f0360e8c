"""Odd rows: the first or the last of a table that are no documents, known by what is in them."""

import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from quantext.texts.date_forms import ISO
from quantext.texts.dates import DOUBTFUL, date_formats
from quantext.texts.notes import note
from quantext.wording import counted

__all__ = [
    "MISSING",
    "Total",
    "TotalRow",
    "block_has_second_header",
    "is_second_header",
    "looks_like_data",
    "note_first_rows",
    "without_import_rows",
]

Row = Sequence[str]

MISSING = r"(?i)^(#?n/?a|<na>|n\.\s?[ad]\.|n/?d|k\.\s?a\.|null|none|nil|[-–—_?.]+)$"
"""What people and programs write where there is nothing."""

_IMPORT = '{"ImportId"'  # how Qualtrics begins each cell of its third header row
_IMPORT_ROWS = 2  # below the header, the one with the questions included
_LEAST = 5  # cells by which the type of a column is known
_LOOKED_AT = 200  # rows
_SENTENCE = 4  # words, at least
_MAYBE_DATE = re.compile(r"(?=.*[0-9]\D*[0-9]).{4,60}", re.DOTALL)
_NUMBER = re.compile(r"[+-]?[\d.,]*\d[\d.,]*\s?%?")
_TOTAL = (
    r"(?i)^((grand |sub)?totals?|sum|(gesamt)?summe|(ins)?gesamt|totale|somme|total général|suma)"
    r"\s*[:=]?\s*(\(?(n\s*=\s*)?[\d.,]+\)?)?$"
)


# The first rows


def note_first_rows(header: Row, rows: Sequence[Row], source: Path, *, given: bool) -> None:
    """Say so if the row below the header looks like another header, or the header like data.

    Parameters
    ----------
    header
        Names of the columns.
    rows
        The first of the others, cells without surrounding blanks.
    source
        What a note calls the file.
    given
        Somebody has said which row is the header, so that it is one.
    """
    imported = _last_import([list(row) for row in rows[:_IMPORT_ROWS]])
    rows = [row for row in rows[imported:] if any(row)]
    if not imported and is_second_header(header, rows):
        shown = ", ".join(f"“{cell[:40]}”" for cell in [*filter(None, rows[0])][:3])
        note(
            f"{source}: row 1 looks like a second header ({shown}): delete it, or the row above if "
            "this one names the columns better"
        )
    elif not given and looks_like_data(header, rows):
        shown = ", ".join(f"“{cell[:40]}”" for cell in [*filter(None, header)][:3])
        note(
            f"{source}: the first row looks like data ({shown}) and is taken for the names of the "
            "columns; write names above it"
        )


def is_second_header(header: Row, rows: Sequence[Row]) -> bool:
    """Whether the first of the rows says what columns are, where all others have dates or numbers.

    Or it is blank in all of these columns, where no other row is.

    Parameters
    ----------
    header
        Names of the columns.
    rows
        The first of them, cells without surrounding blanks.

    Examples
    --------
    >>> rows = [["Start Date", "Age"], *([f"2015-01-0{day}", "30"] for day in range(1, 6))]
    >>> is_second_header(["start", "q1"], rows)
    True
    >>> is_second_header(["start", "q1"], [["2014-12-31", "unknown"], *rows[1:]])
    False
    """
    if len(rows) <= _LEAST:
        return False
    first, others = rows[0], [row for row in rows[1:] if len(row) == len(header)]
    kinds = _kinds(others, len(header))
    typed = [column for column, kind in enumerate(kinds) if kind]
    if len(first) != len(header) or not typed:
        return False
    filled = [column for column in typed if first[column]]
    if not filled:
        always = all(row[column] for row in others for column in typed)
        return always and len(typed) >= 2 and any(first)
    broken = [first[column] for column in filled]
    if any(_kind([cell]) or re.match(MISSING, cell) for cell in broken):
        return False
    if len(broken) >= 2:
        return len(set(broken)) == len(broken)
    name, cell = _letters(header[filled[0]]), _letters(broken[0])
    return bool(cell) and bool(name) and (cell in name or name in cell)


def looks_like_data(header: Row, rows: Sequence[Row]) -> bool:
    """Whether the names of columns are rather what is in them, so that there is no header.

    A date above dates shows it. A number above others that are all different, a sentence above
    texts, and a value that the column has again show it if there are two of these. Years above
    numbers, questions above answers, and a label above a column that says only this label or
    nothing are ordinary headers.

    Parameters
    ----------
    header
        The first row of the table.
    rows
        The next ones, cells without surrounding blanks.

    Examples
    --------
    >>> rows = [[f"{n}", "the food was cold", "food"] for n in range(2, 9)]
    >>> looks_like_data(["1", "nobody came for hours", "food"], rows)
    True
    >>> looks_like_data(["id", "Please tell us what was wrong", "food"], rows)
    False
    """
    rows = [row for row in rows if len(row) == len(header) and list(row) != list(header)]
    if len(rows) < _LEAST:
        return False
    signs = [_sign(name, [row[i] for row in rows if row[i]]) for i, name in enumerate(header)]
    found = [sign for sign in signs if sign is not None]
    enough = "date" in found or len(set(found)) >= 2
    return enough and 2 * len(found) >= sum(map(bool, header))


def _sign(name: str, cells: Sequence[str]) -> str | None:
    """In what way a name is like the cells below it."""
    if not name or len(cells) < _LEAST:
        return None
    kind = _kind(cells)
    if kind == "date":
        return "date" if _kind([name, *cells]) == "date" else None
    if _NUMBER.fullmatch(name):
        return "number" if kind == "number" and _is_next(name, cells) else None
    if name in cells and len(set(cells)) > 1:
        return "own"
    usual = statistics.median(len(cell.split()) for cell in cells)
    long = min(len(name.split()), usual) >= _SENTENCE
    return "sentence" if long and not name.endswith(("?", ":")) else None


def _is_next(name: str, cells: Sequence[str]) -> bool:
    """Whether a number goes on with others that are all different, as numbers of rows do."""
    if len(set(cells)) < len(cells) or name in cells:
        return False
    try:
        own, *numbers = (float(cell.rstrip("% ").replace(",", ".")) for cell in [name, *cells])
    except ValueError:
        return False
    low, high = min(numbers), max(numbers)
    step = 2 * (high - low) / len(numbers)
    return low - step <= own <= high + step


def _kinds(rows: Sequence[Row], width: int) -> list[str | None]:
    columns = ([row[i] for row in rows if row[i]] for i in range(width))
    return [_kind(cells) if len(cells) >= _LEAST else None for cells in columns]


def _kind(cells: Sequence[str]) -> str | None:
    """What all cells are: numbers, dates, or neither."""
    if all(map(_NUMBER.fullmatch, cells)):
        return "number"
    if not all(map(_MAYBE_DATE.fullmatch, cells)):  # most columns, in no time
        return None
    column = pl.Series(cells)
    return "date" if date_formats(column, [ISO]) or set(date_formats(column)) - DOUBTFUL else None


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text.casefold()))


def block_has_second_header(block: pl.DataFrame) -> bool:
    """Whether the first row of a table is one, see `is_second_header`.

    Parameters
    ----------
    block
        The first rows; those that are looked at are few.
    """
    if not any(dtype == pl.String for dtype in block.dtypes):
        return False
    plain = block.head(_LOOKED_AT).select(pl.exclude(pl.List, pl.Array, pl.Struct, pl.Object))
    texts = plain.cast(pl.String).rows()
    return is_second_header(plain.columns, [[(cell or "").strip() for cell in r] for r in texts])


def without_import_rows(table: pl.DataFrame, source: Path) -> pl.DataFrame:
    """A table without the header rows that Qualtrics writes below the first, with a note.

    Parameters
    ----------
    table
        The first rows.
    source
        What the note calls the file.
    """
    texts = [name for name, dtype in table.schema.items() if dtype == pl.String]
    rows = table.head(_IMPORT_ROWS).select(texts).rows()
    if not (number := _last_import([[cell or "" for cell in row] for row in rows])):
        return table
    note(
        f"{source}: {counted(number, 'row')} below the header left out, the last of which has "
        f"{_IMPORT}... as Qualtrics writes it; rows are counted without "
        f"{'it' if number == 1 else 'them'}"
    )
    return table.slice(number)


def _last_import(rows: Sequence[Sequence[str]]) -> int:
    """How many rows there are down to the one that names what was imported; 0 if none does."""
    found = [
        any(row) and all(cell.lstrip().startswith(_IMPORT) for cell in row if cell) for row in rows
    ]
    return max((number for number, is_one in enumerate(found, start=1) if is_one), default=0)


# The last row


@dataclass(frozen=True)
class TotalRow:
    """A row of totals.

    Parameters
    ----------
    row
        Its number, counted from 1.
    column, value
        Its first cell that is filled.
    """

    row: int
    column: str
    value: str


class Total:
    """Looks out, block by block, for a last row that sums up the others."""

    def __init__(self) -> None:
        self._n_found = 0
        self._row: TotalRow | None = None

    def add(self, block: pl.DataFrame, before: int) -> None:
        """Look at a block that has so many rows before it."""
        plain = block.select(pl.exclude(pl.List, pl.Array, pl.Struct, pl.Object))
        texts = plain.select(pl.all().cast(pl.String).str.strip_chars().replace("", None))
        first = texts.select(pl.coalesce(pl.all())).to_series()
        filled = first.is_not_null().arg_true()
        if not len(filled):
            return
        found = first.str.contains(_TOTAL).fill_null(False)
        self._n_found, self._row = self._n_found + int(found.sum()), None
        last = int(filled[-1])
        cells = texts.row(last)
        others = [cell for cell in cells if cell != first[last]]
        if found[last] and any(cell is None or re.search(r"\d", cell) for cell in others):
            column = texts.columns[cells.index(first[last])]
            self._row = TotalRow(before + last + 1, column, str(first[last]))

    @property
    def row(self) -> "TotalRow | None":
        """The last row, if it alone is one of totals."""
        return self._row if self._n_found == 1 else None
