"""The grid: bins of log-odds that documents are counted in, and candidates for the share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from quantext.kernels import kernel

__all__ = [
    "CELL",
    "COARSE",
    "FILL",
    "LOG_ODDS",
    "POSTERIOR",
    "STRIDE",
    "THETA",
    "B",
    "count_bins",
    "find_bins",
    "mean_noise",
    "read_posteriors",
    "tally",
]

Array = NDArray[Any]

# The histogram of log-odds: bins of 1/5 around 0, the log-odds of the mean posterior. Scores that
# say nothing then move nothing, and to swap two classes is to read it backwards. A posterior is off
# by 1/40 at most; beyond 14, one in a million, it hardly differs from 0 or 1.
PER_UNIT, REACH = 5, 70
LOG_ODDS = np.arange(-REACH, REACH + 1) / PER_UNIT

# Candidate prevalences b, by theta = logit b, from 6 in a million; symmetric, so that swapping two
# classes swaps the estimate.
CELL = 1 / 8
THETA = np.arange(-96, 97) * CELL
B = expit(THETA)
POSTERIOR = expit(LOG_ODDS[:, None] + THETA)  # of a document in each bin at each prevalence

# What one label does to the posteriors of another is smooth: every fourth candidate is enough, and
# @ FILL puts straight lines between them.
STRIDE = 4
COARSE = THETA[::STRIDE]
FILL = np.maximum(0, 1 - np.abs(COARSE[:, None] - THETA) / (STRIDE * CELL))


def find_bins(slope: Array, offset: Array, scores: Array) -> Array:
    """Bin of each document's log-odds, shape (n, m).

    Parameters
    ----------
    slope, offset
        Log-odds are slope x score + offset, (m,).
    scores
        Shape (n, m).
    """
    steps = np.rint((slope * scores + offset) * PER_UNIT)
    return np.asarray(np.clip(steps, -REACH, REACH).astype(np.intp) + REACH)


def tally(bins: Array) -> Array:
    """Number of documents in each bin.

    Parameters
    ----------
    bins
        Of documents, as `find_bins` gives them for a column.
    """
    return np.bincount(bins, minlength=len(LOG_ODDS))


@kernel(steps=lambda scores, *_: scores.size)
def count_bins(scores: Array, slope: Array, offset: Array, times: Array, histogram: Array) -> None:
    """Add documents to a histogram of log-odds: what `find_bins` and `tally` say, in a pass.

    Parameters
    ----------
    scores
        Shape (n, m).
    slope, offset
        Of each column.
    times
        How many documents each row stands for.
    histogram
        To be added to, shape (m, bins).
    """
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            steps = np.rint((slope[j] * scores[i, j] + offset[j]) * PER_UNIT)
            histogram[j, int(min(max(steps, -REACH), REACH)) + REACH] += times[i]


def read_posteriors(histograms: Array, posterior: Array) -> tuple[Array, Array]:
    """Mean and variance of the posterior at each candidate, from counts by bin.

    Parameters
    ----------
    histograms
        Documents by bin, the last axis. Of none the mean is 0.
    posterior
        Of a document in each bin, at each candidate.
    """
    share = histograms / np.maximum(histograms.sum(axis=-1, keepdims=True), 1)
    mean = share @ posterior
    return mean, np.maximum(share @ posterior**2 - mean**2, 0)


def mean_noise(mean: Array, variance: Array, n: Array) -> Array:
    """Variance of the mean posterior of n documents.

    As if there were two more, in or out of the class by the chance that the mean posterior gives:
    few documents say little of how far posteriors are apart.

    Parameters
    ----------
    mean, variance
        Of the posteriors of these documents.
    n
        Their number.
    """
    with_two = (n * variance + 2 * mean * (1 - mean)) / (n + 2)
    return np.asarray(with_two / np.maximum(n, 1))
