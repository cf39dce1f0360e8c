"""Posteriors: scores in, probabilities out."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import expit

from quantext.scores.training import ScoresByClass

__all__ = ["LOGISTIC", "Sigmoid", "calibrate", "posteriors", "recalibrate", "rounded"]

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
    pairs = zip(sigmoids, scores.T, strict=True)
    columns = [expit(sigmoid.log_odds(column)) for sigmoid, column in pairs]
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
    negative, positive = np.ascontiguousarray(training.counts.T, dtype=np.float64)
    prevalence = np.log((positive.sum() + 1) / (negative.sum() + 1))
    return Sigmoid(*fit_sigmoid(scores, negative, positive, 0.0, prevalence, 1e-6))


@njit(cache=True, nogil=True)
def fit_sigmoid(
    scores: Array, negative: Array, positive: Array, slope: float, offset: float, tol: float
) -> tuple[float, float]:
    """Slope and offset that minimise the cross-entropy to Platt's targets.

    Newton's method with backtracking, after Lin, Lin & Weng (2007), "A note on Platt's
    probabilistic outputs for support vector machines", on standardised scores.

    Parameters
    ----------
    scores
        Distinct or not.
    negative, positive
        How many documents of each class have the score.
    slope, offset
        Where to start.
    tol
        The step that moves no document's log-odds by more is the last. It leaves an error of about
        its square.
    """
    n_negative, n_positive = negative.sum(), positive.sum()
    total = n_negative + n_positive
    high, low = (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2)
    mean, square = 0.0, 0.0
    for i in range(len(scores)):
        mean += (negative[i] + positive[i]) * scores[i]
    mean /= total
    for i in range(len(scores)):
        square += (negative[i] + positive[i]) * (scores[i] - mean) ** 2
    deviation = np.sqrt(square / total)
    if deviation <= 1e-12 * abs(mean):  # all scores are equal but for rounding
        if n_positive > 0 and n_negative > 0:
            return 0.0, np.log(n_positive / n_negative)
        return 0.0, np.log((n_positive + 1) / (n_negative + 1))

    z, weights, targets = np.empty((3, len(scores)))
    n, extent = 0, 0.0
    for i in range(len(scores)):
        if negative[i] + positive[i] > 0:
            z[n] = (scores[i] - mean) / deviation
            weights[n] = negative[i] + positive[i]
            targets[n] = positive[i] * high + negative[i] * low
            extent = max(extent, abs(z[n]))
            n += 1
    z, weights, targets = z[:n], weights[:n], targets[:n]

    a, b = slope * deviation, offset + slope * mean
    for _ in range(200):
        grad_a = grad_b = h_ab = 0.0
        h_aa = h_bb = 1e-12 * total
        for i in range(n):
            p = 1 / (1 + np.exp(-a * z[i] - b))
            residual = weights[i] * p - targets[i]
            curvature = weights[i] * p * (1 - p)
            grad_a += residual * z[i]
            grad_b += residual
            h_aa += curvature * z[i] * z[i]
            h_ab += curvature * z[i]
            h_bb += curvature
        determinant = h_aa * h_bb - h_ab * h_ab
        step_a = (h_ab * grad_b - h_bb * grad_a) / determinant
        step_b = (h_ab * grad_a - h_aa * grad_b) / determinant
        reach, step = abs(step_a) * extent + abs(step_b), 1.0
        # Where no log-odds move by more than 1/2, no curvature changes by more than e^(1/2) times,
        # and the whole step is sure to gain.
        if reach > 0.5:
            value = cross_entropy(z, weights, targets, a, b)
            decrease = -(grad_a * step_a + grad_b * step_b)
            if decrease <= 1e-12 * abs(value):  # what is left to gain drowns in rounding
                break
            while step > 1e-10 and (
                cross_entropy(z, weights, targets, a + step * step_a, b + step * step_b)
                > value - 1e-4 * step * decrease
            ):
                step /= 2
        a, b = a + step * step_a, b + step * step_b
        if reach <= tol:
            break
    return a / deviation, b - a * mean / deviation


@njit(cache=True, nogil=True)
def cross_entropy(z: Array, weights: Array, targets: Array, a: float, b: float) -> float:
    """Cross-entropy of the posteriors of log-odds a·z + b to the targets, up to a constant.

    Parameters
    ----------
    z
        Scores.
    weights, targets
        Documents of each score, and the sum of their targets.
    a, b
        Slope and offset.
    """
    value = 0.0
    for i in range(len(z)):
        f = a * z[i] + b
        value += weights[i] * (max(f, 0.0) + np.log1p(np.exp(-abs(f)))) - targets[i] * f
    return value


def recalibrate(training: ScoresByClass) -> Callable[[Array], Array]:
    """Function that gives mean posteriors of redrawn documents, by sigmoids fitted to them anew.

    Its argument has whole numbers, shape (R, K + 1, r): how many documents of each replicate have
    the scores of each row. Those of each class are training documents, to which sigmoids are
    fitted; the last are a bag. It returns means of shape (R, K + 1, K), NaN where there is no
    document.

    Parameters
    ----------
    training
        Scores that are redrawn, in r rows.
    """
    # From the sigmoids of all training scores it is not far to those of a replicate.
    start = np.array([(sigmoid.slope, sigmoid.offset) for sigmoid in calibrate(training)])
    # Sigmoids are fitted to, and evaluated at, the few distinct scores of each column.
    distinct = [np.unique(column, return_inverse=True) for column in training.scores.T]
    lengths = np.array([len(own) for own, _ in distinct])
    values = np.zeros((len(distinct), lengths.max()))
    for column, (own, _) in zip(values, distinct, strict=True):
        column[: len(own)] = own
    codes = np.column_stack([code.astype(np.int32) for _, code in distinct])
    scores = np.ascontiguousarray(training.scores[:, 0], dtype=np.float64)

    def means(redrawn: Array) -> Array:
        sizes = redrawn.sum(axis=2)
        if len(start) == 1:
            positive = sum_posteriors(scores, redrawn, start[0])
            sums = np.stack([sizes - positive, positive], axis=2)
        else:
            sums = sum_normalised_posteriors(values, lengths, codes, redrawn, start)
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / sizes[:, :, None])

    return means


_LAST_STEP = 1e-2  # errors of 1e-4 in log-odds, and mostly far less, are nothing beside chance


@njit(cache=True, nogil=True)
def sum_posteriors(scores: Array, redrawn: Array, start: Array) -> Array:
    """Sums of the posteriors of the second of two classes, by sigmoids fitted anew, shape (R, 3).

    Parameters
    ----------
    scores
        Shape (r,).
    redrawn
        As in `recalibrate`, with K = 2.
    start
        Slope and offset from which each fit starts.
    """
    sums = np.zeros(redrawn.shape[:2])
    for r in range(len(redrawn)):
        negative, positive = redrawn[r, 0].astype(np.float64), redrawn[r, 1].astype(np.float64)
        slope, offset = fit_sigmoid(scores, negative, positive, start[0], start[1], _LAST_STEP)
        for i in range(len(scores)):
            posterior = 1 / (1 + np.exp(-slope * scores[i] - offset))
            for k in range(3):
                sums[r, k] += redrawn[r, k, i] * posterior
    return sums


@njit(cache=True, nogil=True)
def sum_normalised_posteriors(
    values: Array, lengths: Array, codes: Array, redrawn: Array, start: Array
) -> Array:
    """Sums of the posteriors of K classes, by sigmoids fitted anew, shape (R, K + 1, K).

    Parameters
    ----------
    values, lengths
        Distinct scores of each class, shape (K, v), and how many there are.
    codes
        Which of them each row has, shape (r, K).
    redrawn
        As in `recalibrate`.
    start
        Slope and offset from which each class's fit starts, shape (K, 2).
    """
    rows, n_classes = codes.shape
    sums = np.zeros((len(redrawn), n_classes + 1, n_classes))
    posteriors = np.empty((rows, n_classes))
    posterior_of_value = np.empty(values.shape)
    for r in range(len(redrawn)):
        negative, positive = np.zeros(values.shape), np.zeros(values.shape)
        documents = np.zeros(rows)
        for k in range(n_classes):
            for i in range(rows):
                if redrawn[r, k, i] > 0:
                    documents[i] += redrawn[r, k, i]
                    positive[k, codes[i, k]] += redrawn[r, k, i]
        for i in range(rows):
            if documents[i] > 0:
                for k in range(n_classes):
                    negative[k, codes[i, k]] += documents[i]
        negative -= positive
        for k in range(n_classes):
            n = lengths[k]
            slope, offset = fit_sigmoid(
                values[k, :n],
                negative[k, :n],
                positive[k, :n],
                start[k, 0],
                start[k, 1],
                _LAST_STEP,
            )
            for v in range(n):
                posterior_of_value[k, v] = 1 / (1 + np.exp(-slope * values[k, v] - offset))
        for i in range(rows):
            total = 0.0
            for k in range(n_classes):
                posteriors[i, k] = posterior_of_value[k, codes[i, k]]
                total += posteriors[i, k]
            for k in range(n_classes):
                posteriors[i, k] = posteriors[i, k] / total if total > 0 else 1 / n_classes
        for part in range(n_classes + 1):
            for i in range(rows):
                if redrawn[r, part, i] > 0:
                    for k in range(n_classes):
                        sums[r, part, k] += redrawn[r, part, i] * posteriors[i, k]
    return sums
