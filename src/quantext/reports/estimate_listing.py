"""Estimates as lines of a terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from quantext.models.changes import Change, WordChange
from quantext.models.estimates import Estimates
from quantext.models.rules import CHANGED, FINE
from quantext.models.verdicts import HEADLINES, Verdict
from quantext.reports.batches import batch_names
from quantext.reports.listing import WIDTH, shown_bags, wrapped
from quantext.wording import bar, counted, fit_width, percent

__all__ = ["estimate_lines"]


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
        train = f"({percent(word.train)}{'' if i else ' in training'})"
        more = f"{',' if i else ''} {word.word}: {percent(word.share)} {train}"
        if cell_len(line + more) > WIDTH:
            break
        line += more
    return line
