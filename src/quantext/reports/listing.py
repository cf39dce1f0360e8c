"""What the lines of a terminal and the small tables of a notebook are made of."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from textwrap import wrap
from typing import Any

import polars as pl

__all__ = [
    "WIDTH",
    "html_table",
    "percent",
    "points",
    "shown_bags",
    "signed_points",
    "wrapped",
]

WIDTH = 80


def wrapped(text: str, indent: str) -> list[str]:
    """A text in lines of 80 columns."""
    return wrap(text, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ")


def shown_bags(bags: Sequence[pl.DataFrame], most: int | None) -> Iterator[pl.DataFrame | int]:
    """The bags, or the first and last of them and how many are between."""
    if most is None or len(bags) <= most:
        yield from bags
        return
    first = (most + 1) // 2
    yield from bags[:first]
    yield len(bags) - most
    yield from bags[len(bags) - (most - first) :]


def html_table(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], notes: Iterable[str] = ()
) -> str:
    """A table for a notebook, and sentences below it; whatever is in them is escaped.

    Parameters
    ----------
    columns
        Their heads.
    rows
        Cells: texts, which are set to the left, or pairs of a text and anything, to the right.
    notes
        A paragraph each.

    Examples
    --------
    >>> html_table([], [["<b>"]], ["a & b"]).split("left")[1]
    '">&lt;b&gt;</td></tr></tbody></table><p>a &amp; b</p>'
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    below = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def _cell(value: Any) -> str:
    side, text = ("right", value[0]) if isinstance(value, tuple) else ("left", value)
    return f'<td style="text-align:{side}">{escape(str(text))}</td>'


def percent(share: float | None) -> str:
    """A share as people write it.

    Examples
    --------
    >>> percent(0.1234), percent(None)
    ('12.3%', '–')
    """
    return "–" if share is None else f"{100 * share:.1f}%"


def points(difference: float) -> str:
    """A difference of shares in percentage points, with a minus sign where it needs one.

    Examples
    --------
    >>> points(-0.012)
    '−1.2'
    """
    # A difference that rounds to nothing has no sign.
    return f"{round(100 * difference, 1) + 0.0:.1f}".replace("-", "−")


def signed_points(difference: float) -> str:
    """The same, with a sign in any case.

    Examples
    --------
    >>> signed_points(0.012)
    '+1.2'
    """
    text = points(difference)
    return text if text.startswith("−") else f"+{text}"
