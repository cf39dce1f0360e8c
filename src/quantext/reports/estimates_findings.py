"""Findings of a page of estimates: what they say beyond the answer, each sentence computed."""

from collections.abc import Iterator

import numpy as np

from quantext.models.rules import WIDE
from quantext.reports.answer import largest, now, share_text
from quantext.reports.grid import Grid
from quantext.wording import listed

__all__ = ["estimates_findings"]

_SEEN = 0.0005  # a move that is shown as one


def estimates_findings(shown: Grid) -> list[dict[str, str]]:
    """Headline and text of each.

    Parameters
    ----------
    shown
        The estimates.
    """
    makers = (_largest(shown), _moved(shown), _uncertain(shown), _accuracy(shown))
    return [{"headline": headline, "text": text} for maker in makers for headline, text in maker]


def _largest(shown: Grid) -> Iterator[tuple[str, str]]:
    """What the last bag is about."""
    told = now(shown)
    first = largest(told.share)
    if not first:
        yield f"No class was found{told.where}", f"That is in {told.size:,} documents."
        return
    order = np.argsort(-told.share, kind="stable")
    share = share_text(told.share[first[0]])
    others = [
        f"“{shown.classes[k]}” {share_text(told.share[k])}"
        for k in order
        if k not in first and told.share[k] > 0
    ][:3]
    more = f" Then {listed(others)}." if others else ""
    count = f"{told.count[first[0]]:,.0f} of {told.size:,} documents"
    if len(first) > 1:
        names = listed((f"“{shown.classes[k]}”" for k in first), most=3)
        yield f"{names} lead{told.where} with {share} each", f"About {count} each.{more}"
        return
    k = first[0]
    inside = ""
    if told.low is not None and told.high is not None:
        bounds = f"{share_text(told.low[k])} to {share_text(told.high[k])}"
        inside = f"; {100 * shown.level:.4g}% interval {bounds}"
    leads = "leads" if len(shown.classes) > 1 else "is there"
    yield f"“{shown.classes[k]}” {leads}{told.where} with {share}", f"About {count}{inside}.{more}"


def _moved(shown: Grid) -> Iterator[tuple[str, str]]:
    """Which classes have moved from training, and whether beyond doubt."""
    told, n_classes = now(shown), len(shown.classes)
    moves = told.share - shown.p_train
    most = " most" if n_classes > 1 else ""
    parts = [
        f"“{shown.classes[k]}” has {word}{most}, from {share_text(shown.p_train[k])} to "
        f"{share_text(told.share[k])} ({_points(moves[k])})"
        for k, word, sign in ((moves.argmax(), "risen", 1), (moves.argmin(), "fallen", -1))
        if sign * moves[k] >= _SEEN
    ]
    if not parts:
        return
    headline, text = "Against training", f"{'; '.join(parts)}."
    if told.low is not None and told.high is not None:
        n = int(((shown.p_train < told.low) | (shown.p_train > told.high)).sum())
        if n_classes == 1:
            headline = (
                f"“{shown.classes[0]}” has {'' if n else 'not '}clearly changed since training"
            )
        else:
            have = "has" if n == 1 else "have"
            headline = f"{n or 'None'} of {n_classes} classes {have} clearly changed since training"
        text += (
            " Clearly: the interval leaves the training share outside. By chance alone it would "
            f"for about {(1 - shown.level) * n_classes:.1g}."
        )
    yield headline, text


def _uncertain(shown: Grid) -> Iterator[tuple[str, str]]:
    """Classes of which little can be said, which a bag's mean width hides."""
    told = now(shown)
    if told.low is None or told.high is None:
        return
    width = told.high - told.low
    wide = [int(k) for k in np.argsort(-width, kind="stable") if width[k] >= WIDE]
    if not wide:
        return
    named = [
        f"“{shown.classes[k]}” {share_text(told.low[k])} to {share_text(told.high[k])}"
        for k in wide
    ]
    are = "is" if len(wide) == 1 else "are"
    some = f"{len(wide)} of {len(shown.classes)} classes {are}"
    if len(shown.classes) == 1:
        some = f"“{shown.classes[0]}” is"
    yield (
        f"{some} hardly known",
        f"Intervals{told.where} of {100 * WIDE:.0f} points or more: {listed(named, most=3)}. "
        "More training documents of such a class, or "
        "larger batches, make them narrower.",
    )


def _accuracy(shown: Grid) -> Iterator[tuple[str, str]]:
    """How good the estimates are, where the truth is known."""
    if shown.true_share is None:
        return
    error = float(np.nanmean(np.abs(shown.share - shown.true_share)))
    reference = float(np.nanmean(np.abs(shown.p_train - shown.true_share)))
    text = (
        "Mean absolute error over all batches and classes, the truth being known here. The "
        f"training shares would be off by {100 * reference:.2g} points."
    )
    if (found := shown.missed()) is not None:
        text += (
            f" Of the intervals, {1 - found[1].mean():.1%} hold the truth; their level is "
            f"{shown.level:.0%}."
        )
    yield f"Estimates are off by {100 * error:.2g} points on average", text


def _points(move: float) -> str:
    return f"{100 * move:+.1f} points".replace("-", "−")
