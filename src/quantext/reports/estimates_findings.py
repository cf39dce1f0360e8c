"""Findings of a page of estimates: what they say beyond the answer, each sentence computed."""

from collections.abc import Iterator

import numpy as np

from quantext.models.rules import WIDE
from quantext.reports.answer import TOO_FEW, bounds_text, largest, now, share_text
from quantext.reports.grid import Grid
from quantext.reports.isolating import quoted
from quantext.wording import counted, listed

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
        yield f"No class was found{told.where}", f"That is in {counted(told.size, 'document')}."
        return
    order = np.argsort(-told.share, kind="stable")
    share = share_text(told.share[first[0]])
    others = [
        f"{quoted(shown.classes[k])} {share_text(told.share[k])}"
        for k in order
        if k not in first and told.share[k] > 0
    ][:3]
    more = f" Then {listed(others)}." if others else ""
    count = f"{told.count[first[0]]:,.0f} of {counted(told.size, 'document')}"
    names = listed((quoted(shown.classes[k]) for k in first), most=3)
    each = " each" if len(first) > 1 else ""
    inside = "" if each else bounds_text(shown, told, first[0], "; ", "")
    if told.distrust:
        yield f"What the model says{told.where}", f"{names} {share}{each}{inside}.{more}"
        return
    leads = "leads" if len(shown.classes) > 1 else "is there"
    headline = f"{names} {'lead' if each else leads}{told.where} with {share}{each}"
    if not shown.in_time and told.where:
        over = told.where.replace(" in ", "Over ", 1)
        headline = f"{over}, {names} {'lead' if each else leads} with {share}{each}"
    yield headline, f"About {count}{each}{inside}.{more}"


def _moved(shown: Grid) -> Iterator[tuple[str, str]]:
    """Which classes have moved from training, and whether beyond doubt."""
    told, n_classes = now(shown), len(shown.classes)
    moves = told.share - shown.p_train
    most = " most" if n_classes > 2 else ""
    parts = [
        f"{quoted(shown.classes[k])} has {word}{most}, from {share_text(shown.p_train[k])} to "
        f"{share_text(told.share[k])} ({_points(moves[k])})"
        for k, word, sign in ((moves.argmax(), "risen", 1), (moves.argmin(), "fallen", -1))
        if sign * moves[k] >= _SEEN
    ]
    if not parts:
        return
    if n_classes == 2 and shown.single_label:  # what one has won the other has lost
        parts = parts[:1]
    headline, text = "Against training", f"{'; '.join(parts)}."
    if told.distrust:
        which = "of so few documents" if told.size < TOO_FEW else "that cannot be trusted"
        text = f"By estimates {which}, {text}"
    elif told.low is not None and told.high is not None:
        n = int(((shown.p_train < told.low) | (shown.p_train > told.high)).sum())
        chance = 1 - shown.level
        if n_classes == 1:
            have = f"{quoted(shown.classes[0])} has {'' if n else 'not '}"
            by_chance = f"By chance alone it would once in {1 / chance:,.0f} times."
        else:
            have = f"{n or 'None'} of {n_classes} classes {'has' if n == 1 else 'have'} "
            by_chance = (
                f"By chance alone about {_few(chance * n_classes)} of the {n_classes} would."
            )
        headline = f"{have}clearly changed since training"
        text += f" Clearly: the interval leaves the training share outside. {by_chance}"
    yield headline, text


def _few(number: float) -> str:
    """A number in two digits or, if it is large, a whole one.

    Examples
    --------
    >>> _few(0.25), _few(2.0), _few(17.6)
    ('0.25', '2', '18')
    """
    return f"{number:.2g}" if number < 10 else f"{number:,.0f}"


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
        f"{quoted(shown.classes[k])} {share_text(told.low[k])} to {share_text(told.high[k])}"
        for k in wide
    ]
    are = "is" if len(wide) == 1 else "are"
    some = f"{len(wide)} of {len(shown.classes)} classes {are}"
    if len(shown.classes) == 1:
        some = f"{quoted(shown.classes[0])} is"
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
            f"{100 * shown.level:.4g}%."
        )
    yield f"Estimates are off by {100 * error:.2g} points on average", text


def _points(move: float) -> str:
    return f"{100 * move:+.1f} points".replace("-", "−")
