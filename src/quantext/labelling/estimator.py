"""The estimate of each wave, and of all together, with their variance.

Given what was drawn before, each document i of a wave tells of the sum of a class over the
documents that were left then: the sum of predictions, plus (truth − prediction) / chance, with
predictions that have not seen the truth of i. What was drawn before is known. So each wave has an
estimate of the share, unbiased whatever the predictions are, and its errors are uncorrelated with
those of the waves before: their variances add up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.labelling.guide import Guide
from quantext.labelling.task import Labels, Wave, places_of

__all__ = ["Estimate", "estimate"]

Array = NDArray[Any]

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
    plain
        Variance that a simple random sample of as many documents would have, for each p (1 − p).
    counts
        Known documents of each class, shape (K,).
    n_labels
        Number of known documents.
    """

    share: NDArray[np.float64]
    variance: NDArray[np.float64]
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
    N, K = n_documents, labels.truths.shape[1]
    counts = labels.truths.sum(axis=0)
    mean = _mean(waves, labels)
    shares, variances, sizes = [], [], []
    before, before_known, row = 0, np.zeros(K), 0
    for number, wave in enumerate(waves):
        places = places_of(wave.rows, labels.rows)
        known = places >= 0
        m, n = int(known.sum()), len(wave)
        if m:
            truths = labels.truths[places[known]].astype(np.float64)
            chances = wave.chances[known] * (m / n)
            if guide is None:
                said, total, shift = mean, (N - before) * mean, np.zeros(K)
            else:
                own = row + np.flatnonzero(known)
                said, total = guide.predictions[own], guide.totals[number]
                shift = guide.shifts[own]
            # Each document stands for the whole rest: m draws, of which each has chances/m.
            told = total + shift + (truths - said) * (m / chances)[:, None]
            rest = (1 - chances)[:, None]
            middle = (rest * told).sum(axis=0) / max(float(rest.sum()), 1e-300)
            spread = (rest * (told - middle) ** 2).sum(axis=0) / max(m - 1, 1) / m
            shares.append((before_known + told.mean(axis=0)) / N)
            variances.append(spread / N**2 if m > 1 else np.full(K, np.nan))
            sizes.append(m / ((1 - before / N) * max(1 - (before + m) / N, _NOTHING)))
            before_known += truths.sum(axis=0) * (n / m)
        else:
            before_known += n * mean
        before += n
        row += n
    weights = np.array(sizes) / np.sum(sizes)
    table = np.array(variances)
    # A wave of one document says nothing of its variance: as if it varied as the others do.
    by_one = np.array(sizes)[:, None] * table
    usual = np.nanmean(by_one, axis=0) if not np.isnan(table).all() else mean * (1 - mean)
    table = np.where(np.isnan(table), usual / np.array(sizes)[:, None], table)
    m = len(labels)
    return Estimate(
        weights @ np.array(shares),
        weights**2 @ table,
        max(1 / m - 1 / N, 0.0),
        counts,
        m,
    )


def _mean(waves: Sequence[Wave], labels: Labels) -> NDArray[np.float64]:
    """Mean truth, each known document weighted by what it stands for."""
    total, weight = np.zeros(labels.truths.shape[1]), 0.0
    for wave in waves:
        places = places_of(wave.rows, labels.rows)
        own = 1 / wave.chances[places >= 0]
        total += own @ labels.truths[places[places >= 0]]
        weight += float(own.sum())
    return total / weight
