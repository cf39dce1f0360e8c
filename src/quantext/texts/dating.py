"""Dating: the format of the dates of a column, found by looking at all of its cells."""

import operator
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import reduce
from pathlib import Path

import polars as pl

from quantext.texts.columns import Columns, find_dates
from quantext.texts.date_forms import EXCEL, FORMS, ISO, as_cells, form, written_day
from quantext.texts.dates import DOUBTFUL, date_formats, days_in, likely_formats, rivals
from quantext.texts.encoding import ReadingWarning
from quantext.texts.labels import TEXT

__all__ = [
    "AmbiguousDatesError",
    "Cells",
    "Dating",
    "Piece",
    "Rows",
    "date_or_name",
    "date_where_said",
    "find_format",
    "unasked_format",
]

# Formats that are in order as texts, too, so that nothing is wrong with their names.
_IN_ORDER = frozenset({ISO, "%Y-%m", "%Y/%m"})
_FIRST_ROWS = 1000
_FEWEST_STAMPS, _MOST_DIFFER = 20, 0.9

Piece = tuple[Path, int, pl.Series]
"""A file, how many of its rows come before, and a column in some of its rows."""

Cells = Callable[[], Iterable[Piece]]
"""All pieces of a column, from the first file on, as often as they are asked for."""


@dataclass(frozen=True)
class Rows:
    """The first rows of documents, and the way to all cells of a column.

    Parameters
    ----------
    source
        The file, or what messages call it.
    before
        How many of its rows come before.
    frame
        The rows.
    cells
        All of a column; None if they cannot be read again.
    """

    source: Path
    before: int
    frame: pl.DataFrame
    cells: Callable[[str], Cells | None]

    @classmethod
    def whole(cls, table: pl.DataFrame, where: str) -> "Rows":
        """All rows of a table in memory."""
        return cls(Path(where), 0, table, lambda name: lambda: [(Path(where), 0, table[name])])

    def first(self, name: str) -> Piece:
        """A column of these rows."""
        return self.source, self.before, self.frame[name]


Dating = Callable[[Columns, Rows], Columns]
"""Columns with the one of dates, if there is one, and how these are written."""


class AmbiguousDatesError(ValueError):
    """Day, month and perhaps year of dates could change places, and no cell says which is which.

    Parameters
    ----------
    where
        The cell that is shown.
    cell
        What is in it.
    readings
        Formats, and the day that each makes of the cell.
    """

    def __init__(self, where: str, cell: str, readings: Sequence[tuple[str, date]]) -> None:
        self.where, self.cell, self.readings = where, cell, tuple(readings)
        super().__init__(self.said("date_format={!r}"))

    def said(self, option: str) -> str:
        """The message, with the option as it is written for a format."""
        ways = [f"{written_day(day)} with {option.format(name)}" for name, day in self.readings]
        return f"{self.where}: {self.cell!r} is {', and '.join(ways)}; say which"

    def __reduce__(self) -> tuple[type, tuple[str, str, Sequence[tuple[str, date]]]]:
        return type(self), (self.where, self.cell, self.readings)


@dataclass(frozen=True)
class _Found:
    """The format that most cells are written in, and a cell.

    Parameters
    ----------
    format
        One of `FORMS`.
    everywhere
        All cells are.
    where, cell
        A cell that shows it, if there is one.
    readings
        Several, if their parts could change places in all cells, so that the cell's day is another.
    """

    format: str
    everywhere: bool
    where: str
    cell: str
    readings: Sequence[tuple[str, date]] = ()


def find_format(first: Piece, cells: Cells | None, *, asked: bool) -> str | None:
    """Format of the dates of a column; None if it has other things.

    If most cells of the column are dates of one format it is that, so that a message can name the
    others. A format other than iso is told in a `ReadingWarning`.

    Parameters
    ----------
    first
        The first part.
    cells
        All of them; None if they cannot be read again, so that the first must say it.
    asked
        Somebody says that these are dates. If not, every cell must be one, in a format that would
        not be in order as text.
    """
    source, _, column = first
    if column.dtype in (pl.Date, pl.Datetime):
        return ISO
    if column.dtype not in TEXT and not column.dtype.is_numeric():
        return None
    if asked and date_formats(column, [ISO]):
        return ISO  # the usual, of which nothing need be read twice
    formats = [name for name in FORMS if asked or name not in DOUBTFUL]
    if not asked and not set(date_formats(column, formats)) - _IN_ORDER:
        return None
    found = _look([first] if cells is None else cells(), formats)
    if found is None or not (asked or found.everywhere):
        return None
    if found.readings:
        raise AmbiguousDatesError(found.where, found.cell, found.readings)
    if found.format != ISO:
        day = written_day(form(found.format).days(pl.Series([found.cell]))[0])
        warnings.warn(
            f"{source}, column {column.name!r}: dates are read as {found.format}, so that "
            f"{found.cell!r} is {day}",
            ReadingWarning,
            stacklevel=3,
        )
    return found.format


def _look(parts: Iterable[Piece], formats: Sequence[str]) -> _Found | None:
    """What most cells are; None if none is a date."""
    n_cells, counts = 0, Counter[str]()
    dates: dict[str, tuple[str, str]] = {}  # the first of each format
    partly: dict[str, tuple[str, str]] = {}  # the first that is another day with a rival
    telling: dict[str, tuple[str, str]] = {}  # and with each of them
    ends: dict[str, tuple[date, date]] = {}
    for source, before, column in parts:
        cells = None if column.dtype in (pl.Date, pl.Datetime) else as_cells(column)
        if cells is None:
            continue  # what reads the dates says what is wrong
        n_cells += len(cells) - cells.null_count()
        if not counts:  # so the first cells rule out most formats
            some = cells.drop_nulls().head(_FIRST_ROWS)
            formats = [own for own in formats if some.str.contains(form(own).pattern).any()]
        days = {name: _days(cells, name) for name in (counts or formats)}
        for name, own in days.items():
            if not (n := len(own) - own.null_count()):
                continue
            counts[name] += n
            ends[name] = _widened(ends.get(name), own)
            differs = [own.ne_missing(days[other]) for other in rivals(name) if other in days]
            some, each = _any_and_all(differs, len(own))
            for shown, rows in ((dates, ~own.is_null()), (partly, some), (telling, each)):
                if name not in shown and len(at := (rows & own.is_not_null()).arg_true()):
                    where = f"{source}, column {column.name!r}, row {before + at[0] + 1}"
                    shown[name] = (where, cells[at[0]])
    if not counts:
        return None
    usual = 0.9 * max(counts.values())  # the other cells may be slips of the pen
    likely = likely_formats({name: own for name, own in ends.items() if counts[name] >= usual})
    name = max(likely, key=counts.__getitem__)
    where, cell = telling.get(name) or partly.get(name) or dates[name]
    readings: dict[date, str] = {}  # each day once
    # With full stops the day is first wherever dates are written so.
    if name in partly and "." not in name:
        for way in (name, *rivals(name)):
            day = form(way).days(pl.Series([cell]))[0]
            if way in likely and counts[way] == counts[name] and day is not None:
                readings.setdefault(day, way)
    ambiguous = [(way, day) for day, way in readings.items()] if len(readings) > 1 else ()
    return _Found(name, counts[name] == n_cells, where, cell, ambiguous)


def _widened(ends: tuple[date, date] | None, days: pl.Series) -> tuple[date, date]:
    """First and last day, of these too, one of which at least is not null."""
    known = [day for day in (*(ends or ()), days.min(), days.max()) if isinstance(day, date)]
    return min(known), max(known)


def _any_and_all(differs: Sequence[pl.Series], n: int) -> tuple[pl.Series, pl.Series]:
    """Whether each row differs in any and in all of these ways; in none if there are none."""
    if not differs:
        nowhere = pl.repeat(False, n, dtype=pl.Boolean, eager=True)
        return nowhere, nowhere
    return reduce(operator.or_, differs), reduce(operator.and_, differs)


def _days(cells: pl.Series, name: str) -> pl.Series:
    """Days of a format; of mere numbers none, unless all are."""
    if name in (EXCEL, "%Y%m%d") and name not in date_formats(cells, [name]):
        return pl.repeat(None, len(cells), dtype=pl.Date, eager=True)
    return form(name).days(cells)


def date_where_said(columns: Columns, rows: Rows) -> Columns:
    """The columns, with the format of the dates if it is said that one of them has dates.

    Parameters
    ----------
    columns
        Which columns make documents.
    rows
        The first of them.
    """
    columns = find_dates(columns, rows.frame, rows.source)
    if columns.date is None or columns.date_format is not None:
        return columns
    found = find_format(rows.first(columns.date), rows.cells(columns.date), asked=True)
    return replace(columns, date_format=found or ISO)


def date_or_name(columns: Columns, rows: Rows) -> Columns:
    """The same; and a column that names batches has dates, if it is found or said that it has.

    Parameters
    ----------
    columns, rows
        As in `date_where_said`.
    """
    if columns.date is not None or columns.dated:
        return date_where_said(columns, rows)
    for name in columns.bys:
        if written := columns.date_format or unasked_format(rows.first(name), rows.cells(name)):
            others = columns.by if len(columns.bys) > 1 else None
            return replace(columns, date=name, by=others, date_format=written)
    return columns


def unasked_format(first: Piece, cells: Cells | None) -> str | None:
    """Format of dates in a column of which nobody said what it has; None if these are names.

    Parameters
    ----------
    first, cells
        As in `find_format`.
    """
    source, _, column = first
    name = find_format(first, cells, asked=False)
    if name is None:
        _check_time_stamps(column, f"{source}, column {column.name!r}")
    return name


def _check_time_stamps(column: pl.Series, where: str) -> None:
    """Raise if texts that are to name batches are times, nearly all different."""
    names = as_cells(column)
    if names is None or len(names := names.drop_nulls()) < _FEWEST_STAMPS:
        return
    if names.n_unique() <= _MOST_DIFFER * len(names) or not date_formats(names, [ISO]):
        return
    days = days_in(names)
    if days is not None and days.n_unique() < names.n_unique():
        raise ValueError(
            f"{where} has times, as {names[0]!r}, and nearly all differ, so that each document "
            "would be a batch by itself; say which period makes a batch: day, week, month or year"
        )
