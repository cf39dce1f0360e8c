"""Estimates as lines of a terminal and as a small table of a notebook."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any

import polars as pl

from quantext.wording import counted, fit_width

__all__ = ["estimate_lines", "html_table", "percent", "points", "signed_points"]

WIDTH = 80


def estimate_lines(
    table: pl.DataFrame,
    *,
    level: float | None,
    top: int = 10,
    most_bags: int | None = None,
    truth: str | None = None,
) -> Iterator[str]:
    """The estimates as a table of 80 columns, and how right they are if that is known.

    Parameters
    ----------
    table
        Of `Estimates`.
    level
        Of the intervals.
    top
        Classes of each bag, the largest.
    most_bags
        Bags that are shown: the first and the last ones; None for all.
    truth
        Where the true shares are from.
    """
    largest = max(*table["share"], 1e-9)
    has_bounds = level is not None and table["low"].null_count() < len(table)
    has_truth = "true_share" in table.columns
    head = f"  {'class':28} {'share':>6}"
    head += f"  {f'{100 * level:g}% interval':>13}" if has_bounds and level else ""
    head += f"  {'count':>9}" + (f"  {'truth':>6}" if has_truth else "")
    room = WIDTH - len(head) - 2
    yield head
    for batch in _shown(table.partition_by("batch", maintain_order=True), most_bags):
        if isinstance(batch, int):
            yield f"... {counted(batch, 'batch', 'batches')} more; to_frame() has all of them ..."
            continue
        yield f"{batch['batch'][0]} ({counted(batch['size'][0], 'document')})"
        ordered = batch.sort("share", descending=True, maintain_order=True)
        for row in ordered.head(top).iter_rows(named=True):
            line = f"  {fit_width(row['class'], 28)} {100 * row['share']:5.1f}%"
            if has_bounds:
                bounds = f"{100 * row['low']:.1f} – {100 * row['high']:.1f}"
                line += f"  {bounds:>13}"
            line += f"  {row['count']:9,}"
            if has_truth:
                true = row["true_share"]
                line += f"  {'–' if true is None else f'{100 * true:.1f}%':>6}"
            yield f"{line}  {_bar(row['share'] / largest, room)}".rstrip()
        if len(batch) > top:
            rest = ordered["share"][top]
            yield f"  ... and {len(batch) - top:,} classes of up to {100 * rest:.1f}%"
    if has_truth:
        true, share, p_train = table.drop_nulls("true_share")["true_share", "share", "p_train"]
        error, naive = (float((p - true).abs().to_numpy().mean()) for p in (share, p_train))
        yield (
            f"Mean absolute error {100 * error:.2f} points; of the training shares "
            f"{100 * naive:.2f}."
        )
        yield f"The truth is that of {truth}."


def _shown(bags: Sequence[pl.DataFrame], most: int | None) -> Iterator[pl.DataFrame | int]:
    """The bags, or the first and last of them and how many are between."""
    if most is None or len(bags) <= most:
        yield from bags
        return
    first = (most + 1) // 2
    yield from bags[:first]
    yield len(bags) - most
    yield from bags[len(bags) - (most - first) :]


def _bar(share: float, width: int) -> str:
    """A bar as long as the share of the width, to an eighth of a column.

    Examples
    --------
    >>> _bar(0.5, 5)
    '██▌'
    """
    eighths = round(8 * width * share)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


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
