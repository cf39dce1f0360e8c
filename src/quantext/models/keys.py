"""Keys: bags of several columns, a day of an airline, say; their order, and what they are called.

Documents of one column are in the bag that it names: a text, or a date. Of several columns, the key
of a bag is a tuple with a value of each, and its name is these joined.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from quantext.texts.periods import Period, period_order, truncate

__all__ = [
    "BETWEEN",
    "by_name",
    "distinct_names",
    "key_columns",
    "key_series",
    "keys_in_periods",
    "name_of",
    "ordered_keys",
]

BETWEEN = " · "  # values of columns in the name of a bag


def name_of(key: Any) -> Any:
    """What a bag is called.

    Parameters
    ----------
    key
        Values of several columns in a tuple, or the value of one, which is its name already.

    Examples
    --------
    >>> from datetime import date
    >>> name_of((date(2015, 2, 24), "United")), name_of("United")
    ('2015-02-24 · United', 'United')
    """
    return BETWEEN.join(map(str, key)) if isinstance(key, tuple) else key


def by_name(bags: Mapping[Any, Any]) -> dict[Any, Any]:
    """The same under the names of the bags.

    Parameters
    ----------
    bags
        By key.
    """
    named: dict[Any, Any] = {}
    for key, bag in bags.items():
        if name_of(key) in named:
            raise ValueError(
                f"two batches would be called {name_of(key)!r}: names that contain "
                f"{BETWEEN.strip()!r} cannot be told apart when joined by it; rename one"
            )
        named[name_of(key)] = bag
    return named


def key_columns(keys: Iterable[Any], columns: Sequence[str]) -> dict[str, list[Any]]:
    """Values of each of several columns, bag by bag; nothing of one column alone.

    Parameters
    ----------
    keys
        Of the bags, in order.
    columns
        Names, in the order of what is in a key.

    Examples
    --------
    >>> key_columns([("Mon", "United"), ("Mon", "Delta")], ["day", "airline"])
    {'day': ['Mon', 'Mon'], 'airline': ['United', 'Delta']}
    """
    if len(columns) < 2:
        return {}
    return {
        name: list(values) for name, values in zip(columns, zip(*keys, strict=True), strict=True)
    }


def distinct_names(names: Sequence[str], taken: Iterable[str], mark: str) -> list[str]:
    """Names of columns, with a mark behind those that a table has already.

    Parameters
    ----------
    names
        Distinct.
    taken
        Names of columns that are in the table.
    mark
        What the names are of.

    Examples
    --------
    >>> distinct_names(["size", "airline"], ["batch", "size"], "by")
    ['size (by)', 'airline']
    >>> distinct_names(["size", "size (by)"], ["batch", "size"], "by")
    ['size (by) (by)', 'size (by)']
    """
    taken, given = set(taken), set(names)
    found = []
    for name in names:
        own = name
        while own in taken or (own != name and own in given):
            own = f"{own} ({mark})"
        found.append(own)
    return found


def key_series(keys: Mapping[str, list[Any]], taken: Iterable[str]) -> list[pl.Series]:
    """Columns of the values bag by bag; one of the user's may be called as one of ours.

    Parameters
    ----------
    keys
        As `key_columns` gives them.
    taken
        Names of our columns.
    """
    names = distinct_names(list(keys), taken, "by")
    return [pl.Series(name, values) for name, values in zip(names, keys.values(), strict=True)]


def keys_in_periods(keys: Sequence[Any], period: Period) -> list[Any]:
    """Keys whose days are the first ones of their periods.

    Parameters
    ----------
    keys
        At least one.
    period
        Weeks are counted from the earliest day of all.

    Examples
    --------
    >>> from datetime import date
    >>> keys_in_periods([(date(2024, 5, 9), "a"), (date(2024, 5, 1), "b")], "week")
    [(datetime.date(2024, 5, 8), 'a'), (datetime.date(2024, 5, 1), 'b')]
    """
    if not isinstance(keys[0], tuple):
        return _in_periods(keys, period)
    return [*zip(*(_in_periods(own, period) for own in zip(*keys, strict=True)), strict=True)]


def _in_periods(values: Sequence[Any], period: Period) -> list[Any]:
    column = pl.Series(values)
    return truncate(column, period).to_list() if column.dtype == pl.Date else list(values)


def ordered_keys(keys: Sequence[Any]) -> list[Any]:
    """The distinct keys: by the first column, then by the next; dates by time, 9 before 10.

    Parameters
    ----------
    keys
        At least one.

    Examples
    --------
    >>> ordered_keys([("b", "wave 10"), ("b", "wave 9"), ("a", "wave 10"), ("b", "wave 9")])
    [('a', 'wave 10'), ('b', 'wave 9'), ('b', 'wave 10')]
    """
    if not isinstance(keys[0], tuple):
        return period_order(pl.Series(keys))
    places = [
        {value: place for place, value in enumerate(period_order(pl.Series(own)))}
        for own in zip(*keys, strict=True)
    ]

    def place(key: tuple[Any, ...]) -> list[int]:
        return [own[value] for own, value in zip(places, key, strict=True)]

    return sorted(set(keys), key=place)
