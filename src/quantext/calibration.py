"""Posteriors: scores in, probabilities out."""

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import expit

from quantext.scores import ScoresByClass

__all__ = ["LOGISTIC", "Sigmoid", "calibrate", "posteriors", "rounded"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Sigmoid:
    """The log-odds of a class as a linear function of its score.

    Examples
    --------
    >>> float(Sigmoid(slope=2.0, offset=1.0).log_odds(np.array([0.5]))[0])
    2.0
    """

    slope: float
    offset: float

    def log_odds(self, scores: Array) -> Array:
        """Log-odds of the posterior."""
        return self.slope * scores + self.offset


LOGISTIC = Sigmoid(slope=1.0, offset=0.0)
"""The bare conversion 1/(1+e^−s), which learns nothing."""


def posteriors(sigmoids: tuple[Sigmoid, ...], scores: Array) -> Array:
    """Posterior of each class, shape (n, K); rows sum to 1.

    One column of scores gives the posteriors of the negative and the positive class; several give
    one posterior each, divided by their sum.

    Parameters
    ----------
    sigmoids
        One for each column, or one for all.
    scores
        Shape (n, m).
    """
    # expit, column by column: its value never depends on the documents beside, as that of
    # vectorised exponentials and sums can; summaries of bags must add up exactly.
    if len(sigmoids) == 1:
        sigmoids = sigmoids * scores.shape[1]
    columns = [expit(s.log_odds(column)) for s, column in zip(sigmoids, scores.T, strict=True)]
    if len(columns) == 1:
        return np.column_stack([1 - columns[0], columns[0]])
    total = reduce(np.add, columns)
    # All scores so low that every posterior underflows: no class is favoured.
    empty = total == 0
    safe = np.where(empty, 1.0, total)
    return np.column_stack([np.where(empty, 1 / len(columns), c / safe) for c in columns])


def rounded(scores: Array) -> Array:
    """Scores rounded to 1/128 of their standard deviation, so that few are distinct.

    Posteriors are smooth functions of scores, and their means hardly move; to redraw such scores
    a thousand times takes a fraction of the time.

    Parameters
    ----------
    scores
        Shape (n, m); each column has its own deviation.
    """
    step = scores.std(axis=0) / 128
    safe = np.where(step > 0, step, 1.0)
    return np.where(step > 0, np.rint(scores / safe) * safe, scores)


def calibrate(training: ScoresByClass) -> tuple[Sigmoid, ...]:
    """Sigmoids that turn scores into posteriors, one for each column of out-of-fold scores.

    Platt (1999) fits them by maximum likelihood to smoothed targets, (P+1)/(P+2) for the P
    positives and 1/(N+2) for the N negatives, which keeps them finite and cautious when positives
    are few or when the scores separate the classes. If all scores are equal, the slope is zero and
    the posterior is the training prevalence.

    Parameters
    ----------
    training
        Out-of-fold scores by class.

    Examples
    --------
    >>> scores = np.array([[-1.0], [1.0]])
    >>> sigmoid, = calibrate(ScoresByClass(scores, np.array([[3, 1], [1, 3]])))
    >>> round(sigmoid.slope, 6), abs(round(sigmoid.offset, 6))   # targets 5/6, 1/6: mean 2/3 at 1
    (0.693147, 0.0)
    """
    if training.scores.shape[1] == 1:
        return (_sigmoid(training),)
    return tuple(_sigmoid(training.against_rest(k)) for k in range(training.scores.shape[1]))


def _sigmoid(training: ScoresByClass) -> Sigmoid:
    scores = np.ascontiguousarray(training.scores[:, 0], dtype=np.float64)
    weights = np.ascontiguousarray(training.counts.T, dtype=np.float64)
    slope, offset = fit_sigmoid(scores, weights[0], weights[1])
    return Sigmoid(slope, offset)


@njit(cache=True, nogil=True)
def fit_sigmoid(scores: Array, negative: Array, positive: Array) -> tuple[float, float]:
    """Slope and offset that minimise the cross-entropy to Platt's targets.

    Newton's method with backtracking, after Lin, Lin & Weng (2007), "A note on Platt's
    probabilistic outputs for support vector machines", on standardised scores.

    Parameters
    ----------
    scores
        Distinct or not.
    negative, positive
        How many documents of each class have the score.
    """
    n_negative, n_positive = negative.sum(), positive.sum()
    total = n_negative + n_positive
    high, low = (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2)
    mean, square = 0.0, 0.0
    for i in range(len(scores)):
        mean += (negative[i] + positive[i]) * scores[i] / total
    for i in range(len(scores)):
        square += (negative[i] + positive[i]) * (scores[i] - mean) ** 2 / total
    deviation = np.sqrt(square)
    if deviation <= 1e-12 * abs(mean):  # all scores are equal but for rounding
        if n_positive > 0 and n_negative > 0:
            return 0.0, np.log(n_positive / n_negative)
        return 0.0, np.log((n_positive + 1) / (n_negative + 1))

    slope, offset = 0.0, np.log((n_positive + 1) / (n_negative + 1))
    step_slope, step_offset, decrease, step = 0.0, 0.0, 0.0, 1.0
    best = np.inf
    for _ in range(200):
        a, b = slope + step * step_slope, offset + step * step_offset
        value = grad_a = grad_b = h_aa = h_ab = h_bb = 0.0
        for i in range(len(scores)):
            weight = negative[i] + positive[i]
            if weight == 0:
                continue
            z = (scores[i] - mean) / deviation
            f = a * z + b
            e = np.exp(-abs(f))
            p = 1 / (1 + e) if f >= 0 else e / (1 + e)
            target = positive[i] * high + negative[i] * low
            value += weight * (max(f, 0.0) + np.log1p(e)) - target * f
            residual = weight * p - target
            curvature = weight * p * (1 - p)
            grad_a += residual * z
            grad_b += residual
            h_aa += curvature * z * z
            h_ab += curvature * z
            h_bb += curvature
        if value > best - 1e-4 * step * decrease and step > 1e-10:
            # Too long a step, unless what is left to gain has drowned in rounding.
            if decrease <= 1e-12 * abs(best):
                break
            step /= 2
            continue
        slope, offset, best = a, b, value
        if max(abs(grad_a), abs(grad_b)) <= 1e-10 * total:
            break
        h_aa += 1e-12 * total
        h_bb += 1e-12 * total
        determinant = h_aa * h_bb - h_ab * h_ab
        step_slope = (h_ab * grad_b - h_bb * grad_a) / determinant
        step_offset = (h_ab * grad_a - h_aa * grad_b) / determinant
        decrease = -(grad_a * step_slope + grad_b * step_offset)
        step = 1.0
    return slope / deviation, offset - slope * mean / deviation
