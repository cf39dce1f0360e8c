"""The answer: what the bags are about, in one sentence that is true of any estimates."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quantext.reports.grid import Grid
from quantext.wording import counted, listed

__all__ = ["Now", "answer", "largest", "now", "share_text"]

Array = NDArray[np.float64]


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
    """

    where: str
    size: int
    share: Array
    count: Array
    low: Array | None
    high: Array | None


def now(shown: Grid) -> Now:
    """What is to be told first.

    Parameters
    ----------
    shown
        The estimates.
    """
    if shown.in_time:
        return Now(
            f" in {shown.bags[-1]}" if len(shown.bags) > 1 else "",
            int(shown.size[-1]),
            shown.share[-1],
            shown.count[-1],
            None if shown.low is None or np.isnan(shown.low[-1]).any() else shown.low[-1],
            None if shown.high is None or np.isnan(shown.high[-1]).any() else shown.high[-1],
        )
    size, weights = int(shown.size.sum()), shown.weights
    share = np.average(shown.share, axis=0, weights=shown.size if weights is None else weights)
    # Where documents have weights, a count is the share of their number.
    count = shown.count.sum(0) if weights is None else np.rint(share * size)
    where = " in all batches together" if len(shown.bags) > 1 else ""
    return Now(where, size, share, count, None, None)


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


def answer(shown: Grid) -> str:
    """The sentence.

    Parameters
    ----------
    shown
        The estimates.
    """
    told = now(shown)
    documents = f"the {told.size:,} documents" if told.size != 1 else "the one document"
    first = largest(told.share)
    n_classes = len(shown.classes)
    if not first:
        what = "“" + shown.classes[0] + "”" if n_classes == 1 else f"any of the {n_classes} classes"
        return f"Nothing of {what} was found in {documents}{told.where}."
    share = share_text(told.share[first[0]])
    verbs = ("are", "have the label")
    if shown.weights is not None:
        documents, verbs = f"the weight of {documents}", ("is", "has the label")
    if len(first) > 1:
        names = listed((f"“{shown.classes[k]}”" for k in first), most=3)
        return (
            f"{names} are the largest classes{told.where}, with about {share} of {documents} each."
        )
    k = first[0]
    verb = verbs[0] if shown.single_label else verbs[1]
    said = f"About {share} of {documents}{told.where} {verb} “{shown.classes[k]}”"
    if told.low is not None and told.high is not None:
        bounds = f"{share_text(told.low[k])} to {share_text(told.high[k])}"
        said += f" ({100 * shown.level:.4g}% interval {bounds})"
    if n_classes == 1:
        return f"{said}."
    return f"{said}, the largest of {n_classes} classes{_elsewhere(shown, k)}."


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
    return f" and the largest in {n or 'none'} of the {n_bags:,} batches"


def share_text(share: float) -> str:
    """A share as people say it.

    Examples
    --------
    >>> share_text(0.4213), share_text(0.0042), share_text(0.0)
    ('42.1%', '0.42%', '0.0%')
    """
    return f"{share:.1%}" if share >= 0.00995 or share == 0 else f"{share:.2%}"
