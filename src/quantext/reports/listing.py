"""Estimates as lines of a terminal and as a small table of a notebook."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from textwrap import wrap
from typing import Any

import polars as pl

from quantext.models.changes import Change, WordChange
from quantext.models.estimates import Estimates
from quantext.models.rules import CHANGED, FINE
from quantext.models.verdicts import HEADLINES, Verdict
from quantext.reports.batches import batch_names
from quantext.wording import bar, counted, fit_width
from quantext.wording import percent as short_percent

__all__ = [
    "WIDTH",
    "estimate_lines",
    "html_table",
    "percent",
    "points",
    "shown_bags",
    "signed_points",
    "wrapped",
]

WIDTH = 80


def estimate_lines(
    estimates: Estimates,
    *,
    level: float | None,
    top: int = 10,
    most_bags: int | None = None,
    truth: str | None = None,
    period: str | None = None,
) -> Iterator[str]:
    """The estimates as a table of 80 columns, what they deserve, and how right they are.

    Parameters
    ----------
    estimates
        What was found.
    level
        Of the intervals.
    top
        Classes of each bag, the largest.
    most_bags
        Bags that are shown: the first and the last ones; None for all.
    truth
        Where the true shares are from.
    period
        What bags that are dates are the first days of.
    """
    table, verdicts, names = estimates.table, estimates.verdicts, batch_names(estimates, period)
    common = _common_reasons(list(verdicts.values()))
    largest = max(*table["share"], 1e-9)
    has_bounds = level is not None and table["low"].null_count() < len(table)
    has_truth = "true_share" in table.columns and not table["true_share"].is_null().all()
    head = f"  {'class':28} {'share':>6}"
    head += f"  {f'{100 * level:g}% interval':>13}" if has_bounds and level else ""
    head += f"  {'count':>9}" + (f"  {'truth':>6}" if has_truth else "")
    room = WIDTH - len(head) - 2
    yield head
    for batch in shown_bags(table.partition_by("batch", maintain_order=True), most_bags):
        if isinstance(batch, int):
            yield f"... {counted(batch, 'batch', 'batches')} more; to_frame() has all of them ..."
            continue
        yield f"{names[batch['batch'][0]]} ({counted(batch['size'][0], 'document')})"
        rows = sorted(batch.iter_rows(named=True), key=lambda row: -row["share"])
        for row in rows[:top]:
            line = f"  {fit_width(row['class'], 28)} {100 * row['share']:5.1f}%"
            if has_bounds:
                bounds = f"{100 * row['low']:.1f} – {100 * row['high']:.1f}"
                line += f"  {bounds:>13}"
            line += f"  {row['count']:9,}"
            if has_truth:
                true = row["true_share"]
                line += f"  {'–' if true is None else f'{100 * true:.1f}%':>6}"
            yield f"{line}  {bar(row['share'] / largest, room)}".rstrip()
        if len(rows) > top:
            rest = rows[top]["share"]
            yield f"  ... and {len(rows) - top:,} classes of up to {100 * rest:.1f}%"
        name = batch["batch"][0]
        yield from _verdict_lines(verdicts[name], estimates.changes[name], common)
    if common:
        yield from wrapped(f"All batches: {' '.join(common)}", "")
    if has_truth:
        true, share, p_train = table.drop_nulls("true_share")["true_share", "share", "p_train"]
        error, naive = (float((p - true).abs().to_numpy().mean()) for p in (share, p_train))
        yield (
            f"Mean absolute error {100 * error:.2f} points; of the training shares "
            f"{100 * naive:.2f}."
        )
        yield f"The truth is that of {truth}."


def _common_reasons(verdicts: Sequence[Verdict]) -> list[str]:
    """Reasons that are true of all of several batches, so that they are said once."""
    if len(verdicts) < 2:
        return []
    first, *others = verdicts
    return [text for text in first.reasons if all(text in other.reasons for other in others)]


def _verdict_lines(verdict: Verdict, change: Change | None, common: Sequence[str]) -> Iterator[str]:
    """What the estimates of a batch deserve and why, unless they are fine."""
    if verdict.level == FINE:
        return
    own = replace(verdict, reasons=tuple(r for r in verdict.reasons if r not in common))
    yield from wrapped(str(own) if own.reasons else f"{HEADLINES[verdict.level]}.", "  ")
    if change is not None and change.words and change.extent >= CHANGED:
        yield _words_line(change.words)


def _words_line(words: Sequence[WordChange]) -> str:
    """As many of the words as a line has room for, with their shares."""
    from rich.cells import cell_len  # slow to load, and seldom needed

    line = "  Documents with"
    for i, word in enumerate(words):
        train = f"({short_percent(word.train)}{'' if i else ' in training'})"
        more = f"{',' if i else ''} {word.word}: {short_percent(word.share)} {train}"
        if cell_len(line + more) > WIDTH:
            break
        line += more
    return line


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
