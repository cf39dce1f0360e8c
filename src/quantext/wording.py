"""Wording: names and numbers as they stand in a sentence."""

import re
from collections.abc import Iterable

__all__ = ["bar", "counted", "fit_width", "listed", "percent", "visible"]

# C0, DEL and C1; ends of lines; what overrides or isolates the direction of writing. Marks of
# direction, and joiners, are left, as Arabic, Hebrew, Persian and emoji need them.
_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def listed(names: Iterable[str], word: str = "and", *, most: int | None = None) -> str:
    """Names in a sentence; of many, the first ones and how many more there are.

    Parameters
    ----------
    names
        At least one.
    word
        Stands before the last.
    most
        How many are named at most; None for all.

    Examples
    --------
    >>> listed(["CC", "ACC", "EMQ"])
    'CC, ACC and EMQ'
    >>> listed(["CC", "ACC"], "or")
    'CC or ACC'
    >>> listed("abcde", most=3)
    'a, b, c and 2 more'
    """
    *first, last = names
    if most is not None and len(first) >= most:
        return f"{', '.join([*first, last][:most])} and {len(first) + 1 - most:,} more"
    return f"{', '.join(first)} {word} {last}" if first else last


def counted(number: int, noun: str, several: str | None = None) -> str:
    """A number and its noun.

    Parameters
    ----------
    number
        Of things.
    noun
        For one of them.
    several
        For another number of them; None for the noun with an s.

    Examples
    --------
    >>> counted(1, "batch", "batches"), counted(2000, "batch", "batches"), counted(0, "document")
    ('1 batch', '2,000 batches', 'no documents')
    """
    return f"{f'{number:,}' if number else 'no'} {noun if number == 1 else several or f'{noun}s'}"


def percent(share: float) -> str:
    """A share in a few letters.

    Parameters
    ----------
    share
        From 0 to 1.

    Examples
    --------
    >>> percent(0.042), percent(0.0042), percent(0.0)
    ('4%', '0.4%', '0%')
    """
    return f"{share:.0%}" if share >= 0.0095 or share < 0.0005 else f"{share:.1%}"


def fit_width(text: str, width: int) -> str:
    """The text in exactly so many columns of a terminal, cut off with an ellipsis if need be.

    Examples
    --------
    >>> fit_width("battery life", 8), fit_width("price", 8)
    ('battery…', 'price   ')
    """
    from rich.cells import cell_len, set_cell_size

    text = visible(" ".join(text.split()))
    if cell_len(text) > width:
        return set_cell_size(text, width - 1) + "…"
    return set_cell_size(text, width)


def visible(text: str) -> str:
    r"""The text with characters that a terminal would obey written out as Python writes them.

    Parameters
    ----------
    text
        Somebody else's.

    Examples
    --------
    >>> print(visible("\x1b]0;owned\x07 \u202eyad"), visible("C:\\temp [/x]"))
    \x1b]0;owned\x07 \u202eyad C:\temp [/x]
    """
    return _OBEYED.sub(lambda found: repr(found[0])[1:-1], text)


def bar(share: float, width: int) -> str:
    """A bar as long as the share of the width, to an eighth of a column.

    Examples
    --------
    >>> bar(0.5, 5)
    '██▌'
    """
    eighths = round(8 * width * share)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
