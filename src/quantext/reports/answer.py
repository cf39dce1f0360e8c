"""The answer: what the bags are about, in one sentence that is true of any estimates."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quantext.models.rules import DISTRUST
from quantext.reports.grid import Grid
from quantext.reports.isolating import quoted
from quantext.wording import counted, listed

__all__ = ["TOO_FEW", "Now", "answer", "bounds_text", "largest", "now", "share_text"]

Array = NDArray[np.float64]

TOO_FEW = 10  # documents, of which one is ten points or more


@dataclass(frozen=True)
class Now:
    """The last bag, or all together if they are not in time.

    Parameters
    ----------
    where
        To follow a number of documents: " in Feb 2024", or "" if there is one bag only.
    size
        Number of documents.
    share, count
        Of each class.
    low, high
        Bounds of the shares, where there are any.
    distrust
        Why none of this can be trusted, in a sentence; "" if it can, or some of it.
    """

    where: str
    size: int
    share: Array
    count: Array
    low: Array | None
    high: Array | None
    distrust: str

    @property
    def documents(self) -> str:
        """How many there are, and where."""
        some = f"the {self.size:,} documents" if self.size != 1 else "the one document"
        return f"{some}{self.where}"


def now(shown: Grid) -> Now:
    """What is to be told first.

    Parameters
    ----------
    shown
        The estimates.
    """
    n_bags = len(shown.bags)
    if shown.in_time or n_bags == 1:
        where = f" {shown.where}" if n_bags > 1 else ""
        return Now(
            where,
            int(shown.size[-1]),
            shown.share[-1],
            shown.count[-1],
            None if shown.low is None or np.isnan(shown.low[-1]).any() else shown.low[-1],
            None if shown.high is None or np.isnan(shown.high[-1]).any() else shown.high[-1],
            _distrust(shown, where),
        )
    size, weights = int(shown.size.sum()), shown.weights
    share = np.average(shown.share, axis=0, weights=shown.size if weights is None else weights)
    # Where documents have weights, a count is the share of their number.
    count = shown.count.sum(0) if weights is None else np.rint(share * size)
    where = f" in {'both' if n_bags == 2 else f'all {n_bags:,}'} batches"
    return Now(where, size, share, count, None, None, _distrust(shown, where))


def _distrust(shown: Grid, where: str) -> str:
    """Why what is told cannot be trusted at all."""
    if not shown.in_time and len(shown.bags) > 1:
        if any(verdict.level != DISTRUST for verdict in shown.verdicts):
            return ""
        return f"This model cannot tell the shares{where}: none of them can be trusted."
    if (size := int(shown.size[-1])) < TOO_FEW:
        there = "is only one document" if size == 1 else f"are only {size} documents"
        return f"There {there}{where}: too few to tell shares."
    verdict = shown.verdicts[-1]
    if verdict.level != DISTRUST:
        return ""
    why = verdict.reasons[0] if verdict.reasons else "It cannot be trusted."
    return f"This model cannot tell the shares{where}: {why[0].lower()}{why[1:]}"


def largest(share: Sequence[float] | Array) -> list[int]:
    """Numbers of the classes of which none is larger, as far as people are shown; none of zero.

    Parameters
    ----------
    share
        Of each class.

    Examples
    --------
    >>> largest([0.2, 0.5, 0.3]), largest([0.50001, 0.49999]), largest([0.0, 0.0])
    ([1], [0, 1], [])
    """
    texts = [share_text(value) for value in share]
    most = share_text(max(share))
    return [k for k, text in enumerate(texts) if text == most and share[k] > 0]


def answer(shown: Grid) -> tuple[str, str]:
    """The sentence; and what the model says all the same, if the sentence is that it cannot tell.

    Parameters
    ----------
    shown
        The estimates.
    """
    told = now(shown)
    if told.size < TOO_FEW:
        return told.distrust, ""
    if told.distrust:
        said = _told(shown, told)
        return told.distrust, f"What it says all the same: {said[0].lower()}{said[1:]}."
    first = largest(told.share)
    n_classes = len(shown.classes)
    if len(first) != 1 or n_classes == 1:
        return f"{_told(shown, told)}.", ""
    leads = f", the largest of {n_classes} classes{_elsewhere(shown, first[0])}."
    return _told(shown, told) + leads, ""


def _told(shown: Grid, told: Now) -> str:
    """The largest class and its share, without a full stop."""
    first = largest(told.share)
    n_classes = len(shown.classes)
    if not first:
        what = quoted(shown.classes[0]) if n_classes == 1 else f"any of the {n_classes} classes"
        return f"Nothing of {what} was found in {told.documents}"
    share = share_text(told.share[first[0]])
    about = "" if share.startswith("<") else "about "
    documents, verbs = told.documents, ("are", "have the label")
    if shown.weights is not None:
        documents, verbs = f"the weight of {documents}", ("is", "has the label")
    if len(first) > 1:
        names = listed((quoted(shown.classes[k]) for k in first), most=3)
        return f"{names} are the largest classes, with {about}{share} of {documents} each"
    k = first[0]
    verb = verbs[0] if shown.single_label else verbs[1]
    said = f"{about.capitalize()}{share} of {documents} {verb} {quoted(shown.classes[k])}"
    return said + bounds_text(shown, told, k, " (", ")")


def bounds_text(shown: Grid, told: Now, k: int, before: str, after: str) -> str:
    """The interval of a class, to follow its share; nothing where there is none.

    Parameters
    ----------
    shown
        The estimates.
    told
        What is told of them.
    k
        Number of the class.
    before, after
        What an interval that holds the estimate stands between.
    """
    if told.low is None or told.high is None:
        return ""
    low, high = told.low[k], told.high[k]
    bounds = f"{100 * shown.level:.4g}% interval {share_text(low)} to {share_text(high)}"
    slack = 1e-9  # the bounds were rounded on their way
    if low - slack <= told.share[k] <= high + slack:
        return f"{before}{bounds}{after}"
    return f", but this method's estimates are off: {bounds}"


def _elsewhere(shown: Grid, k: int) -> str:
    """In how many bags a class is the largest, to follow that it is."""
    n_bags = len(shown.bags)
    if n_bags == 1:
        return ""
    leads = [largest(share) == [k] for share in shown.share]
    n = sum(leads)
    if n == n_bags:
        return f" and the largest in {'both' if n_bags == 2 else f'all {n_bags:,}'} batches"
    if shown.in_time:
        others = n - leads[-1]
        if not others:
            return ", which it is in no other batch"
        return f", as in {others:,} of the {counted(n_bags - 1, 'batch', 'batches')} before"
    return f" and the largest in {f'{n:,}' if n else 'none'} of the {n_bags:,} batches"


def share_text(share: float) -> str:
    """A share as people say it.

    Examples
    --------
    >>> share_text(0.4213), share_text(0.0042), share_text(0.00004), share_text(0.0)
    ('42.1%', '0.42%', '< 0.01%', '0.0%')
    """
    if 0 < share < 0.00005:
        return "< 0.01%"
    return f"{share:.1%}" if share >= 0.00995 or share == 0 else f"{share:.2%}"
