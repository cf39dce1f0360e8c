"""Dates: a column's cells to days, and in which formats they are written."""

import re
import shlex
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

import polars as pl

from quantext.texts.date_forms import EXCEL, FORMS, ISO, as_cells, form
from quantext.wording import counted

__all__ = [
    "DOUBTFUL",
    "are_dates",
    "date_formats",
    "dates_in",
    "days_in",
    "full_date_formats",
    "likely_formats",
    "rivals",
]

DOUBTFUL = frozenset({EXCEL, "%d.%m.%y", "%m.%d.%y", "%d-%m-%y", "%m-%d-%y", "%y-%m-%d"})
"""Formats of what may be other numbers as well; dates are seen in these if somebody expects any."""

_TWO_DIGITS = r"[0-9]\D*[0-9]"  # which every date has
_LONGEST = 60  # letters of a date with weekday, time and zone
_FIRST_ROWS = 1000  # that rule out most formats
_MOST = 0.9  # of the cells, where the others may be slips of the pen
_YEAR_FIRST = frozenset({"%y/%m/%d", "%y-%m-%d"})
# The years that a day of the month would be: so many times as far apart, or from 2001 to 2025.
_TIMES_AS_FAR, _FAR = 20, timedelta(days=24 * 365)
_SERIALS = (25_569, 73_050)  # from 1970 to 2099; other numbers are likelier to be something else


def date_formats(column: pl.Series, among: Sequence[str] = FORMS) -> list[str]:
    """Formats in which every value that is not blank is a date; none if there are no values.

    Several formats are days, months and years of two digits that could change places.

    Parameters
    ----------
    column
        Texts, numbers or dates; those of other types are iso.
    among
        Formats that come into question.

    Examples
    --------
    >>> date_formats(pl.Series(["24/02/2015", "1/3/2015 11:35"]))
    ['%d/%m/%Y']
    >>> date_formats(pl.Series(["01/02/2015", "03/02/2015"]))
    ['%d/%m/%Y', '%m/%d/%Y']
    >>> date_formats(pl.Series([42059.48, 42060.0])), date_formats(pl.Series([7, 8]))
    (['excel'], [])
    >>> date_formats(pl.Series(["24/02/15", "26/02/15"])), date_formats(pl.Series(["24/02/15"]))
    (['%d/%m/%y'], ['%d/%m/%y', '%y/%m/%d'])
    """
    if _is_temporal(column):
        return [ISO] if ISO in among and len(column.drop_nulls()) else []
    cells = as_cells(column)
    if cells is None or not len(cells := cells.drop_nulls()):
        return []
    # Most columns are something else, and a cell tells: before dozens of formats are tried on all.
    found = [name for name in among if _may_be(str(cells[0]), name)]
    for some in (cells.head(_FIRST_ROWS), cells):
        if not found or (some.str.len_chars() > _LONGEST).any():
            return []
        if not some.str.contains(_TWO_DIGITS).all():
            return []
        found = [name for name in found if _all_are(some, name)]
    if not _YEAR_FIRST.isdisjoint(found):
        found = _likely(cells, found)
    # With full stops the day is first wherever dates are written so.
    return [name for name in found if name.replace("%m.%d", "%d.%m") == name or _alone(name, found)]


def _alone(name: str, found: list[str]) -> bool:
    return name.replace("%m.%d", "%d.%m") not in found


def _likely(cells: pl.Series, found: list[str]) -> list[str]:
    """Those of the formats that are likely, also where most cells are of another one."""
    others = [other for name in found if name in _YEAR_FIRST for other in rivals(name)]
    ends = {}
    for name in dict.fromkeys([*found, *others]):
        days = form(name).days(cells).drop_nulls()
        if len(days) >= _MOST * len(cells):
            ends[name] = _ends(days)
    likely = likely_formats(ends)
    return [name for name in found if name in likely]


def _ends(days: pl.Series) -> tuple[date, date]:
    first, last = days.min(), days.max()
    assert isinstance(first, date)
    assert isinstance(last, date)
    return first, last


def rivals(name: str) -> list[str]:
    """Other known formats that have the same parts in other places.

    Examples
    --------
    >>> rivals("%d-%m-%y"), rivals("%m/%Y")
    (['%m-%d-%y', '%y-%m-%d'], ['%Y/%m'])
    """
    return [other for other in FORMS if other != name and sorted(other) == sorted(name)]


def likely_formats(ends: Mapping[str, tuple[date, date]]) -> list[str]:
    """Formats but for years of two digits that are rather the days of a rival.

    Days of the month that are taken for years lie far apart: 24/02/15 and 26/02/15 would be 2024
    and 2026. Where a format with the year first says so, and a rival does not, it is left out.

    Parameters
    ----------
    ends
        First and last day of the same cells by format.

    Examples
    --------
    >>> week = date(2015, 2, 1), date(2015, 2, 7)
    >>> years = date(2001, 2, 15), date(2007, 2, 15)
    >>> likely_formats({"%d/%m/%y": week, "%y/%m/%d": years})
    ['%d/%m/%y']
    >>> likely_formats({"%d/%m/%y": years, "%y/%m/%d": week})
    ['%d/%m/%y', '%y/%m/%d']
    """
    spans = {name: last - first for name, (first, last) in ends.items()}

    def far(name: str) -> bool:
        nearest = min((spans[own] for own in rivals(name) if own in spans), default=spans[name])
        least = min(_FAR, _TIMES_AS_FAR * max(nearest, timedelta(days=1)))
        return nearest < spans[name] and spans[name] >= least

    return [name for name in ends if name not in _YEAR_FIRST or not far(name)]


def _may_be(cell: str, name: str) -> bool:
    return len(cell) <= _LONGEST and re.match(form(name).pattern, cell) is not None


def _all_are(cells: pl.Series, name: str) -> bool:
    """Whether all cells are dates of a format, and plausible if they are mere numbers."""
    own = form(name)
    if not cells.str.contains(own.pattern).all():
        return False
    if name == EXCEL:
        serials = cells.str.extract(own.pattern).cast(pl.Int32)
        return bool(serials.is_between(*_SERIALS).all())
    if name == "%Y%m%d" and not cells.str.contains("^(19|20)").all():
        return False
    return own.days(cells).null_count() == 0


def _is_temporal(column: pl.Series) -> bool:
    return column.dtype in (pl.Date, pl.Datetime)


def are_dates(column: pl.Series) -> bool:
    """Whether every value is a date, and there is one; mere numbers are none.

    Examples
    --------
    >>> are_dates(pl.Series(["2015-02-24", "2015-02-24T11:35:00Z"])), are_dates(pl.Series(["5"]))
    (True, False)
    """
    return bool(set(full_date_formats(column)) - DOUBTFUL)


def full_date_formats(column: pl.Series, among: Sequence[str] = FORMS) -> list[str]:
    """Formats in which every value is a date; none if one is blank.

    Parameters
    ----------
    column, among
        As in `date_formats`.
    """
    values = column if _is_temporal(column) else as_cells(column)
    return [] if values is None or values.null_count() else date_formats(column, among)


def days_in(column: pl.Series, format: str = ISO) -> pl.Series | None:  # noqa: A002 (it says it)
    """Days as they are written, null where that is no date; None if the column has other things.

    Parameters
    ----------
    column
        Texts, numbers or dates.
    format
        Of texts and numbers, as `form` takes it.
    """
    if column.dtype == pl.Date:
        return column
    if column.dtype == pl.Datetime:
        return column.dt.date()
    cells = as_cells(column)
    return None if cells is None else form(format).days(cells)


def dates_in(
    column: pl.Series,
    rows: pl.Series,
    source: Path,
    format: str = ISO,  # noqa: A002
) -> pl.Series:
    """Days as they are written.

    Parameters
    ----------
    column
        Texts, numbers or dates.
    rows
        Numbers of the rows in the file.
    source
        The file.
    format
        Of texts and numbers, as `form` takes it.
    """
    where = f"{source}, column {column.name!r}"
    days = days_in(column, format)
    if days is None or (column.dtype.is_numeric() and format == ISO):
        raise ValueError(
            f"{where} holds {column.dtype}, not dates; "
            f"if it names the periods, pass by={column.name!r} instead"
        )
    if not days.null_count():
        return days
    at = days.is_null().arg_true()[0]
    cells = as_cells(column)
    if cells is None or cells[at] is None:
        blank = column.null_count() if cells is None else cells.null_count()
        of_rows = f"{blank:,} of these {counted(len(column), 'row')}"
        raise ValueError(
            f"{where}, row {rows[at]} is blank, so it is no date, as are {of_rows}; fill them in, "
            f"or leave them out: --where {shlex.quote(f'{column.name}!=')} on the command line, or "
            "where= in Python"
        )
    advice = (
        "write 2019-01-31 or 2019-01-31T23:59:00, or give the date format"
        if format == ISO
        else f"dates in this column are written as {format}"
    )
    raise ValueError(f"{where}, row {rows[at]}: {column[at]!r} is not a date; {advice}")
