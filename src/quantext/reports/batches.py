"""Batches as people read them: their names, their places in time, the columns that made them."""

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from quantext.models.keys import BETWEEN
from quantext.reports.isolating import isolated
from quantext.texts.periods import natural_key

if TYPE_CHECKING:  # corrections name batches too, and load nothing that learns
    from quantext.models.estimates import Estimates

__all__ = ["Key", "batch_keys", "batch_name", "batch_names", "batch_times", "batch_where"]

# Not strftime, whose months are those of the computer's language.
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_EPOCH = datetime.date(1970, 1, 1)
_NAMED = re.compile(
    r"(?P<year>\d{4})(?:-(?:W(?P<week>\d\d)|Q(?P<quarter>[1-4])|(?P<month>\d\d)(?:-(?P<day>\d\d))?))?"
)


@dataclass(frozen=True)
class Key:
    """A column that bags were made by.

    Parameters
    ----------
    name
        Of the column.
    values
        Its distinct values as people read them, in order.
    at
        Which of them each bag has.
    times
        Their days, if they are dates.
    ids
        The values as tables have them: dates are ISO days.
    """

    name: str
    values: list[str]
    at: list[int]
    times: list[int] | None
    ids: list[str]

    def last(self, number: int) -> "Key":
        """The same for the last bags only: values that none of them has are gone."""
        at = self.at[-number:]
        kept = sorted(set(at))
        place = {old: new for new, old in enumerate(kept)}
        times = None if self.times is None or len(kept) < 2 else [self.times[i] for i in kept]
        values, ids = ([own[i] for i in kept] for own in (self.values, self.ids))
        return Key(self.name, values, [place[i] for i in at], times, ids)


def batch_name(bag: Any, period: str | None = None) -> str:
    """A bag's name: of a month "Feb 2024", of a year "2024", of any other date its ISO day.

    Parameters
    ----------
    bag
        A date or a name; None for documents that have neither.
    period
        What a date is the first day of.

    Examples
    --------
    >>> first = datetime.date(2024, 2, 1)
    >>> [batch_name(first, period) for period in ("day", "month", "year")]
    ['2024-02-01', 'Feb 2024', '2024']
    >>> batch_name("2024-02-01", "month"), batch_name(None)
    ('2024-02-01', '(none)')
    """
    if bag is None:
        return "(none)"
    if not isinstance(bag, datetime.date) or period not in ("month", "year"):
        return str(bag)
    year = f"{bag.year:04}"
    return year if period == "year" else f"{_MONTHS[bag.month - 1]} {year}"


def batch_where(bag: Any, period: str | None = None) -> str:
    """Where documents of a bag are, to follow their number.

    Parameters
    ----------
    bag, period
        As in `batch_name`.

    Examples
    --------
    >>> first = datetime.date(2024, 2, 1)
    >>> [batch_where(first, period) for period in ("day", "week", "month")]
    ['on 2024-02-01', 'in the week of 2024-02-01', 'in Feb 2024']
    >>> batch_where("wave 2", "day")
    'in wave 2'
    """
    name = isolated(batch_name(bag, period))
    if not isinstance(bag, datetime.date):
        return f"in {name}"
    return {"day": f"on {name}", "week": f"in the week of {name}"}.get(period or "", f"in {name}")


def batch_names(estimates: "Estimates", period: str | None = None) -> dict[Any, str]:
    """What people call each bag.

    Parameters
    ----------
    estimates
        Of the bags.
    period
        What dates are the first days of.
    """
    bags = estimates.table["batch"].unique(maintain_order=True)
    parts = zip(*estimates.keys.values(), strict=True) if estimates.keys else zip(bags, strict=True)
    named = (BETWEEN.join(batch_name(part, period) for part in own) for own in parts)
    return dict(zip(bags, named, strict=True))


def batch_times(bags: Sequence[Any]) -> list[int] | None:
    """Day of each bag, counted from 1970; None unless all say it, in order, none twice.

    Parameters
    ----------
    bags
        Dates, or names such as 2024-02-26, 2024-02, 2024-Q1, 2024-W09 and 2024.

    Examples
    --------
    >>> batch_times(["1970-01", "1970-03"]), batch_times(["1970-W01", "1970-W02"])
    ([0, 59], [-3, 4])
    >>> batch_times(["north", "1970-01-01"]) is batch_times(["1971", "1970"]) is None
    True
    """
    days = [_day(bag) for bag in bags]
    known = [day for day in days if day is not None]
    ordered = all(a < b for a, b in pairwise(known))
    return known if len(known) == len(days) > 1 and ordered else None


def _day(bag: Any) -> int | None:
    """The first day of what is called so."""
    if not isinstance(bag, datetime.date):
        found = _NAMED.fullmatch(str(bag))
        if found is None:
            return None
        part = {name: int(text) for name, text in found.groupdict().items() if text is not None}
        month = part.get("month", 3 * part.get("quarter", 1) - 2)
        try:
            bag = (
                datetime.date.fromisocalendar(part["year"], part["week"], 1)
                if "week" in part
                else datetime.date(part["year"], month, part.get("day", 1))
            )
        except ValueError:  # 2024-13, 2023-02-29
            return None
    return int((datetime.date(bag.year, bag.month, bag.day) - _EPOCH).days)


def batch_keys(
    keys: Mapping[str, Sequence[Any]] | None, n_bags: int, period: str | None = None
) -> list[Key]:
    """The columns that bags were made by, if there are several.

    Parameters
    ----------
    keys
        Name of each column, and its value for each bag.
    n_bags
        How many there are.
    period
        What dates are the first days of.

    Examples
    --------
    >>> day, airline = batch_keys({"day": ["2024-01-02", "2024-01-01"], "airline": ["B", "A"]}, 2)
    >>> day.values, day.at, day.times, airline.times
    (['2024-01-01', '2024-01-02'], [1, 0], [19723, 19724], None)
    """
    found = []
    for name, column in (keys or {}).items():
        if len(column) != n_bags:
            raise ValueError(f"keys have {len(column)} values of {name!r} for {n_bags} batches")
        dates = [_as_date(part) for part in column]
        dated = all(isinstance(part, datetime.date) for part in dates)
        parts = dates if dated else list(column)
        distinct = list(dict.fromkeys(parts))
        if dated:
            distinct.sort()
        else:
            distinct.sort(key=lambda part: natural_key(batch_name(part, period)))
        place = {part: i for i, part in enumerate(distinct)}
        # Texts that look like dates are ordered as such, but nobody said that they begin a month.
        texts = all(isinstance(part, str) for part in column)
        named = [batch_name(part, None if texts else period) for part in distinct]
        times = batch_times(distinct) if len(distinct) > 1 and dated else None
        ids = [batch_name(part) for part in distinct]
        found.append(Key(str(name), named, [place[part] for part in parts], times, ids))
    return found if len(found) > 1 else []


def _as_date(part: Any) -> Any:
    """The date that a text says, or what it is."""
    if isinstance(part, datetime.datetime):
        return part.date()
    if isinstance(part, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", part):
        try:
            return datetime.date.fromisoformat(part)
        except ValueError:
            return part
    return part
