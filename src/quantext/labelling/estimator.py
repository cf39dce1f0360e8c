"""The estimate of each wave, and of all together, with their variance.

Given what was drawn before, each document i of a wave tells of the sum of a class over the
documents that were left then: the sum of predictions, plus (truth − prediction) / chance, with
predictions that have not seen the truth of i. What was drawn before is known. So each wave has an
estimate of the share, unbiased whatever the predictions are, and its errors are uncorrelated with
those of the waves before: their variances add up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quantext.labelling.guide import Guide
from quantext.labelling.task import Labels, Wave, places_of

__all__ = ["Estimate", "estimate"]

Array = NDArray[Any]

# Predictions of two documents are learned from nearly the same labels, so that differences are not
# quite independent. Leaving out pairs said that this adds 1% to the variance of tweets, 6% to that
# of survey answers.
_SHARED = 1.03
_NOTHING = 1e-9  # part of the documents that is left when all are known


@dataclass(frozen=True, eq=False)
class Estimate:
    """Shares as estimated, not yet with bounds.

    Parameters
    ----------
    share
        Of each class, shape (K,); not clipped.
    variance
        Of each, shape (K,).
    effective
        About how many differences of truth and prediction the variance is known from: as many as
        there are, were all alike; shape (K,).
    plain
        Variance that a simple random sample of as many documents would have, for each p (1 − p).
    counts
        Known documents of each class, shape (K,).
    n_labels
        Number of known documents.
    """

    share: NDArray[np.float64]
    variance: NDArray[np.float64]
    effective: NDArray[np.float64]
    plain: float
    counts: NDArray[np.int64]
    n_labels: int


def estimate(
    n_documents: int, waves: Sequence[Wave], labels: Labels, guide: Guide | None
) -> Estimate:
    """Shares of classes among all documents, from the labels of those that were drawn.

    Parameters
    ----------
    n_documents
        How many there are.
    waves
        All so far, in order.
    labels
        At least one.
    guide
        What the latest model says; None: there is none yet.
    """
    N, m = n_documents, len(labels)
    drawn = np.concatenate([wave.rows for wave in waves])
    chances = np.concatenate([wave.chances for wave in waves])
    places = places_of(drawn, labels.rows)
    known = np.flatnonzero(places >= 0)
    truths = np.zeros((len(drawn), labels.truths.shape[1]))
    truths[known] = labels.truths[places[known]]
    # Each known document weighs what it stands for.
    mean = (1 / chances[known]) @ truths[known] / (1 / chances[known]).sum()
    told_by: list[_Told] = []
    end, before_known = 0, np.zeros_like(mean)
    for number, wave in enumerate(waves):
        start, end, n = end, end + len(wave), len(wave)
        own = known[(start <= known) & (known < end)]
        if not len(own):
            before_known = before_known + n * mean
            continue
        if guide is None:
            said, total = mean, (N - start) * mean
        else:
            said, total = guide.predictions[own], guide.totals[number] + guide.shifts[own]
        # Each document stands for the whole rest: one of n draws.
        told = total + (truths[own] - said) * (n / chances[own])[:, None]
        told_by.append(_tell(told, chances[own] * (len(own) / n), before_known, start, N))
        before_known = before_known + truths[own].sum(axis=0) * (n / len(own))
    sizes = np.array([part.size for part in told_by])
    weights = sizes / sizes.sum()
    table = _filled(np.array([part.variance for part in told_by]), sizes, mean * (1 - mean))
    variance = (1.0 if guide is None else _SHARED) * (weights**2 @ table)
    squares = weights**4 @ np.array([part.squares for part in told_by])
    return Estimate(
        weights @ np.array([part.share for part in told_by]),
        variance,
        np.where(squares > 0, variance**2 / np.where(squares > 0, squares, 1.0), 0.0),
        max(1 / m - 1 / N, 0.0),
        labels.truths.sum(axis=0),
        m,
    )


class _Told(NamedTuple):
    """What a wave tells of the shares, and its weight.

    The variance is nan where it is not known; ``squares`` are of what each document adds to it.
    """

    share: NDArray[np.float64]
    variance: NDArray[np.float64]
    squares: NDArray[np.float64]
    size: float


def _tell(told: Array, chances: Array, before_known: Array, before: int, N: int) -> _Told:
    """What the known documents of a wave tell together.

    Parameters
    ----------
    told
        Sum over all documents not drawn before, as each tells it; shape (m, K).
    chances
        With which each was drawn and labelled, shape (m,).
    before_known
        Sum over all documents drawn before, shape (K,).
    before
        How many these are.
    N
        Number of all documents.
    """
    m = len(told)
    rest = (1 - chances)[:, None]
    middle = (rest * told).sum(axis=0) / max(float(rest.sum()), 1e-300)
    parts = rest * ((told - middle) / N) ** 2 / (max(m - 1, 1) * m)
    variance = parts.sum(axis=0) if m > 1 else np.full(told.shape[1], np.nan)
    size = m / ((1 - before / N) * max(1 - (before + m) / N, _NOTHING))
    share = (before_known + told.mean(axis=0)) / N
    return _Told(share, variance, (parts**2).sum(axis=0), size)


def _filled(variances: Array, sizes: Array, otherwise: Array) -> NDArray[np.float64]:
    """Variances of waves; one of a single document varies as the others do, for its size."""
    unknown = np.isnan(variances[:, 0])
    usual = otherwise if unknown.all() else (sizes[:, None] * variances)[~unknown].mean(axis=0)
    return np.where(unknown[:, None], usual / sizes[:, None], variances)
