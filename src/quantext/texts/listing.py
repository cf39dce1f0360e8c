"""Lists in sentences: the first of many names, and how many more there are."""

from collections.abc import Sequence

__all__ = ["name_some"]


def name_some(names: Sequence[str], most: int = 5) -> str:
    """The first of the names, with commas between, and the number of the others.

    Parameters
    ----------
    names
        All of them, the most important first.
    most
        How many are named.

    Examples
    --------
    >>> name_some(["a", "b", "c"]), name_some(["a", "b", "c"], most=2)
    ('a, b, c', 'a, b and 1 more')
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
