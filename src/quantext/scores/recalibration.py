"""Recalibration: sigmoids fitted anew to redrawn scores, a thousand times, for intervals."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from quantext.scores.calibration import calibrate
from quantext.scores.training import ScoresByClass

__all__ = ["recalibrate", "refit_sigmoids"]

Array = NDArray[Any]

_LAST_STEP = 1e-2  # errors of 1e-4 in log-odds, and mostly far less, are nothing beside chance


def refit_sigmoids(training: ScoresByClass) -> Callable[[Array], Array]:
    """Function that gives sigmoids fitted to redrawn documents: see `recalibrate`.

    It returns the slope and offset of each column of scores, shape (R, m, 2).

    Parameters
    ----------
    training
        Scores that are redrawn, in r rows.
    """
    start = _start(training)
    values, lengths, codes = _distinct(training.scores)
    return lambda redrawn: fit_each(values, lengths, codes, redrawn, start)


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
    start = _start(training)
    values, lengths, codes = _distinct(training.scores)

    def means(redrawn: Array) -> Array:
        sizes = redrawn.sum(axis=2)
        sigmoids = fit_each(values, lengths, codes, redrawn, start)
        if len(start) == 1:
            positive = sum_posteriors(values[0], codes, redrawn, sigmoids)
            sums = np.stack([sizes - positive, positive], axis=2)
        else:
            sums = sum_normalised_posteriors(values, lengths, codes, redrawn, sigmoids)
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / sizes[:, :, None])

    return means


def _start(training: ScoresByClass) -> Array:
    """The sigmoids of all training scores, from which it is not far to those of a replicate."""
    return np.array([(sigmoid.slope, sigmoid.offset) for sigmoid in calibrate(training)])


def _distinct(scores: Array) -> tuple[Array, Array, Array]:
    """The few distinct scores of each column, how many they are, and which of them each row has."""
    distinct = [np.unique(column, return_inverse=True) for column in scores.T]
    lengths = np.array([len(own) for own, _ in distinct])
    values = np.zeros((len(distinct), lengths.max()))
    for column, (own, _) in zip(values, distinct, strict=True):
        column[: len(own)] = own
    return values, lengths, np.column_stack([code.astype(np.int32) for _, code in distinct])


@njit(cache=True, nogil=True)
def fit_each(values: Array, lengths: Array, codes: Array, redrawn: Array, start: Array) -> Array:
    """Slope and offset of each column's sigmoid in each replicate, shape (R, m, 2).

    Parameters
    ----------
    values, lengths
        Distinct scores of each column, shape (m, v), and how many there are.
    codes
        Which of them each row has, shape (r, m).
    redrawn
        As in `recalibrate`.
    start
        Slope and offset from which each fit starts, shape (m, 2).
    """
    rows, m = codes.shape
    n_classes = redrawn.shape[1] - 1
    fitted = np.empty((len(redrawn), m, 2))
    for r in range(len(redrawn)):
        negative, positive = np.zeros(values.shape), np.zeros(values.shape)
        documents = np.zeros(rows)
        for k in range(n_classes):
            column = k if m > 1 else k - 1  # of two classes the second has the scores
            for i in range(rows):
                if redrawn[r, k, i] > 0:
                    documents[i] += redrawn[r, k, i]
                    if column >= 0:
                        positive[column, codes[i, column]] += redrawn[r, k, i]
        for i in range(rows):
            if documents[i] > 0:
                for j in range(m):
                    negative[j, codes[i, j]] += documents[i]
        negative -= positive
        for j in range(m):
            n = lengths[j]
            fitted[r, j] = fit_sigmoid(
                values[j, :n],
                negative[j, :n],
                positive[j, :n],
                start[j, 0],
                start[j, 1],
                _LAST_STEP,
            )
    return fitted


@njit(cache=True, nogil=True)
def sum_posteriors(values: Array, codes: Array, redrawn: Array, sigmoids: Array) -> Array:
    """Sums of the posteriors of the second of two classes, shape (R, 3).

    Parameters
    ----------
    values, codes, redrawn
        As in `fit_each`, of one column: shapes (v,), (r, 1) and (R, 3, r).
    sigmoids
        Slope and offset of each replicate, shape (R, 1, 2).
    """
    sums = np.zeros(redrawn.shape[:2])
    for r in range(len(redrawn)):
        slope, offset = sigmoids[r, 0]
        for i in range(len(codes)):
            posterior = 1 / (1 + np.exp(-slope * values[codes[i, 0]] - offset))
            for k in range(3):
                sums[r, k] += redrawn[r, k, i] * posterior
    return sums


@njit(cache=True, nogil=True)
def sum_normalised_posteriors(
    values: Array, lengths: Array, codes: Array, redrawn: Array, sigmoids: Array
) -> Array:
    """Sums of the posteriors of K classes, shape (R, K + 1, K).

    Parameters
    ----------
    values, lengths, codes, redrawn
        As in `fit_each`.
    sigmoids
        Slope and offset of each class in each replicate, shape (R, K, 2).
    """
    rows, n_classes = codes.shape
    sums = np.zeros((len(redrawn), n_classes + 1, n_classes))
    posteriors = np.empty((rows, n_classes))
    posterior_of_value = np.empty(values.shape)
    for r in range(len(redrawn)):
        for k in range(n_classes):
            slope, offset = sigmoids[r, k]
            for v in range(lengths[k]):
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
