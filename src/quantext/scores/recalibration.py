"""Recalibration: sigmoids fitted anew to redrawn scores, a thousand times, for intervals."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import kernel
from quantext.scores.calibration import calibrate
from quantext.scores.training import ScoresByClass

__all__ = ["recalibrate", "refit_sigmoids"]

Array = NDArray[Any]

_LAST_STEP = 1e-2  # errors of 1e-4 in log-odds, and mostly far less, are nothing beside chance


def refit_sigmoids(training: ScoresByClass) -> Callable[[Array], Array]:
    """Function that gives sigmoids fitted to redrawn documents.

    Its argument has whole numbers, shape (R, K, r): how many documents of each replicate and class
    have the scores of each row. It returns the slope and offset of each column of scores, shape
    (R, m, 2).

    Parameters
    ----------
    training
        Scores that are redrawn, in r rows.
    """
    start = _start(training)
    values, lengths, codes = _distinct(training.scores)
    return lambda redrawn: fit_each(values, lengths, codes, redrawn, start)


def recalibrate(training: ScoresByClass) -> Callable[[Array], Array]:
    """Function that gives the posteriors of each row, by sigmoids fitted to redrawn documents.

    Its argument is that of the function `refit_sigmoids` gives; it returns shape (R, r, K).

    Parameters
    ----------
    training
        Scores that are redrawn, in r rows.
    """
    start = _start(training)
    values, lengths, codes = _distinct(training.scores)

    def tables(redrawn: Array) -> Array:
        sigmoids = fit_each(values, lengths, codes, redrawn, start)
        return tabulate_posteriors(values, lengths, codes, sigmoids)

    return tables


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


@kernel
def fit_each(values: Array, lengths: Array, codes: Array, redrawn: Array, start: Array) -> Array:
    """Slope and offset of each column's sigmoid in each replicate, shape (R, m, 2).

    Parameters
    ----------
    values, lengths
        Distinct scores of each column, shape (m, v), and how many there are.
    codes
        Which of them each row has, shape (r, m).
    redrawn
        Documents of each replicate and class in each row, shape (R, K, r).
    start
        Slope and offset from which each fit starts, shape (m, 2).
    """
    rows, m = codes.shape
    n_classes = redrawn.shape[1]
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


@kernel
def tabulate_posteriors(values: Array, lengths: Array, codes: Array, sigmoids: Array) -> Array:
    """Posteriors of each row in each replicate, shape (R, r, K).

    Parameters
    ----------
    values, lengths, codes
        As in `fit_each`.
    sigmoids
        Slope and offset of each column in each replicate, shape (R, m, 2).
    """
    rows, m = codes.shape
    tables = np.empty((len(sigmoids), rows, max(m, 2)))
    posterior_of_value = np.empty(values.shape)
    for r in range(len(sigmoids)):
        for j in range(m):
            slope, offset = sigmoids[r, j]
            for v in range(lengths[j]):
                posterior_of_value[j, v] = 1 / (1 + np.exp(-slope * values[j, v] - offset))
        for i in range(rows):
            if m == 1:
                positive = posterior_of_value[0, codes[i, 0]]
                tables[r, i, 0], tables[r, i, 1] = 1 - positive, positive
                continue
            total = 0.0
            for j in range(m):
                tables[r, i, j] = posterior_of_value[j, codes[i, j]]
                total += tables[r, i, j]
            for j in range(m):
                tables[r, i, j] = tables[r, i, j] / total if total > 0 else 1 / m
    return tables


@kernel
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


@kernel
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
