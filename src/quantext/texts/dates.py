"""Dates: a column's cells to days, and how they are written."""

from pathlib import Path

import polars as pl

from quantext.texts.labels import TEXT, stripped

__all__ = ["are_dates", "dates_in"]

_ISO_8601 = r"^([0-9]{4}-[0-9]{2}-[0-9]{2})([T ][0-9]{2}:[0-9]{2}[0-9:.,]*(Z|[+-][0-9:]+)?)?$"


def are_dates(column: pl.Series) -> bool:
    """Whether every value is a date, and there is one.

    Examples
    --------
    >>> are_dates(pl.Series(["2015-02-24", "2015-02-24T11:35:00Z"])), are_dates(pl.Series(["5"]))
    (True, False)
    """
    days = _days(column)
    return days is not None and len(days) > 0 and not days.null_count()


def _days(column: pl.Series) -> pl.Series | None:
    """Days as they are written, null where that is no date; None if the column has other things."""
    if column.dtype == pl.Date:
        return column
    if column.dtype == pl.Datetime:
        return column.dt.date()
    if column.dtype in TEXT:
        iso = stripped(column).str.extract(_ISO_8601)
        return iso.str.to_date("%Y-%m-%d", strict=False)
    return None


def dates_in(column: pl.Series, rows: pl.Series, source: Path) -> pl.Series:
    """Days as they are written; ``rows`` are the numbers of the rows in the file."""
    days = _days(column)
    if days is None:
        raise ValueError(
            f"{source}, column {column.name!r} holds {column.dtype}, not dates; "
            f"if it names the periods, pass by={column.name!r} instead"
        )
    if days.null_count():
        at = days.is_null().arg_true()[0]
        raise ValueError(
            f"{source}, column {column.name!r}, row {rows[at]}: {column[at]!r} is not a date; "
            "write 2019-01-31 or 2019-01-31T23:59:00"
        )
    return days
