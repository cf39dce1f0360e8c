"""Periods of documents: dates to days, weeks, months or years, and their order."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Literal

import polars as pl

__all__ = [
    "Period",
    "as_date",
    "in_time",
    "natural_key",
    "period_order",
    "truncate",
    "usual_period",
]

Period = Literal["day", "week", "month", "year"]

_DOZEN = 12
_TIME = r"(19|20)\d\d(\D|$)|(day|week|month|quarter|year|period|wave)\b"


def truncate(dates: pl.Series, period: Period) -> pl.Series:
    """First day of each date's period; weeks are counted from the earliest of the dates.

    Examples
    --------
    >>> from datetime import date
    >>> truncate(pl.Series([date(1996, 8, 29), date(1996, 8, 20)]), "week").to_list()
    [datetime.date(1996, 8, 27), datetime.date(1996, 8, 20)]
    """
    if period == "day":
        return dates
    if period == "week":
        days = dates.to_physical()
        return (days - (days - days.min()) % 7).cast(pl.Date)
    if period in ("month", "year"):
        return dates.dt.truncate({"month": "1mo", "year": "1y"}[period])
    raise ValueError(f"period {period!r} is unknown; choose one of day, week, month, year")


def usual_period(dates: pl.Series) -> Period:
    """The longest period of which there are a dozen, or else the day.

    Examples
    --------
    >>> usual_period(pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 5, 1), eager=True))
    'week'
    """
    lengths: tuple[Period, ...] = ("year", "month", "week")
    return next((p for p in lengths if truncate(dates, p).n_unique() >= _DOZEN), "day")


def in_time(periods: Sequence[Any], column: str = "") -> bool:
    """Whether periods follow each other, by what they are called.

    Parameters
    ----------
    periods
        Names or dates.
    column
        What the column is called that they stand in: it says what numbers are.

    Examples
    --------
    >>> in_time(["2024-W01", "2024-W02"]), in_time(["north", "south"])
    (True, False)
    >>> in_time(["1", "2"], column="wave"), in_time(["1", "2"], column="store")
    (True, False)
    """
    numbers = all(str(period).isdecimal() for period in periods)
    return (
        len(periods) == 1
        or all(re.match(_TIME, str(period), re.IGNORECASE) for period in periods)
        or (numbers and re.match(_TIME, column, re.IGNORECASE) is not None)
    )


def period_order(periods: pl.Series) -> list[Any]:
    """The distinct periods, earliest first; numbers within names count as numbers.

    Examples
    --------
    >>> period_order(pl.Series(["wave 10", "wave 9", "wave 10"]))
    ['wave 9', 'wave 10']
    """
    distinct = periods.unique().sort().to_list()
    return distinct if periods.dtype == pl.Date else sorted(distinct, key=natural_key)


def natural_key(name: str) -> list[str | int]:
    """What to sort names by, so that 9 comes before 10."""
    parts: list[str | int] = [*re.split("([0-9]+)", name)]
    parts[1::2] = map(int, parts[1::2])  # text and numbers take turns, text first
    return parts


def as_date(name: str, value: date | str) -> date:
    """The date that an option called ``name`` gives as a date or as text.

    Examples
    --------
    >>> as_date("train_until", "1987-03-16")
    datetime.date(1987, 3, 16)
    """
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name}={value!r} is no date; write 1987-03-16") from None
