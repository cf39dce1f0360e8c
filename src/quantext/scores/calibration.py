"""Posteriors: scores in, probabilities out."""

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from quantext.scores.training import ScoresByClass

__all__ = ["LOGISTIC", "Sigmoid", "calibrate", "posteriors", "rounded"]

Array = NDArray[Any]

_ROUNDS = 200
_ROUNDS_OF_SOME = 10  # for a start: more are needed only where it is of no use
_LAST_STEP = 1e-6  # in log-odds; it leaves an error of about its square
_AT_ONCE = 1 << 15  # scores: arrays of so many stay in a cache


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
    return training.once(_calibrated)


def _calibrated(training: ScoresByClass) -> tuple[Sigmoid, ...]:
    if training.scores.shape[1] == 1:
        return (_sigmoid(training),)
    return tuple(_sigmoid(training.against_rest(k)) for k in range(training.scores.shape[1]))


def _sigmoid(training: ScoresByClass) -> Sigmoid:
    """Sigmoid of least cross-entropy to Platt's targets.

    Newton's method with backtracking, after Lin, Lin & Weng (2007), "A note on Platt's
    probabilistic outputs for support vector machines", on standardised scores. `fit_sigmoid` does
    the same a thousand times in less time; to load compiled code for this once would take some 45
    megabytes.
    """
    documents = training.counts.sum(axis=1)
    rows = documents > 0
    scores, weights = training.scores[rows, 0], documents[rows].astype(np.float64)
    positive = training.counts[rows, 1]
    n_negative, n_positive = training.counts.sum(axis=0).tolist()
    total = n_negative + n_positive
    mean = float((weights * scores).sum() / total)
    z = scores - mean
    deviation = float(np.sqrt((weights * z * z).sum() / total))
    if deviation <= 1e-12 * abs(mean):  # all scores are equal but for rounding
        more = 0 if n_positive and n_negative else 1
        return Sigmoid(0.0, float(np.log((n_positive + more) / (n_negative + more))))
    z /= deviation
    high, low = (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2)
    targets = positive * high + (weights - positive) * low
    prevalence = float(np.log((n_positive + 1) / (n_negative + 1)))
    a, b = _least_cross_entropy(z, weights, targets, prevalence)
    return Sigmoid(a / deviation, b - a * mean / deviation)


def _least_cross_entropy(
    z: Array, weights: Array, targets: Array, b: float, rounds: int = _ROUNDS
) -> tuple[float, float]:
    """Slope and offset at which posteriors are nearest to the targets.

    Parameters
    ----------
    z
        Scores, or some of them, where all have mean 0 and deviation 1.
    weights, targets
        Documents of each score, and the sum of their targets.
    b
        Offset to start from; the slope starts from 0.
    rounds
        Most steps.
    """
    parts = [slice(start, start + _AT_ONCE) for start in range(0, len(z), _AT_ONCE)]

    def value(a: float, b: float) -> float:
        total = 0.0
        for part in parts:
            f = a * z[part] + b
            total += float((weights[part] * np.logaddexp(0.0, f) - targets[part] * f).sum())
        return total

    def derivatives(a: float, b: float) -> list[float]:
        """By b, by a, by b twice, by both, by a twice."""
        total = np.zeros(5)
        for part in parts:
            own, half = z[part], weights[part] / 2
            # A posterior is (1 + t)/2, t being tanh of half its log-odds, which is faster.
            t = np.tanh(a / 2 * own + b / 2)
            residual = half * t + (half - targets[part])
            curvature = half * (1 - t * t) / 2
            # Sums of products, not products of arrays, whose rounding depends on the threads.
            products = residual, own * residual, curvature, own * curvature, own * own * curvature
            total += [product.sum() for product in products]
        return total.tolist()

    a, extent, ridge = 0.0, float(np.abs(z).max()), 1e-12 * float(weights.sum())
    if len(parts) > 1:  # what is best for some of them mostly is nearly so for all
        some = slice(None, None, len(parts))
        start = _least_cross_entropy(z[some], weights[some], targets[some], b, _ROUNDS_OF_SOME)
        if value(*start) < value(a, b):
            a, b = start
    for _ in range(rounds):
        grad_b, grad_a, h_bb, h_ab, h_aa = derivatives(a, b)
        h_bb, h_aa = h_bb + ridge, h_aa + ridge
        determinant = h_aa * h_bb - h_ab * h_ab
        step_a = (h_ab * grad_b - h_bb * grad_a) / determinant
        step_b = (h_ab * grad_a - h_aa * grad_b) / determinant
        reach, step = abs(step_a) * extent + abs(step_b), 1.0
        # Where no log-odds move by more than 1/2, no curvature changes by more than e^(1/2) times,
        # and the whole step is sure to gain.
        if reach > 0.5:
            now, decrease = value(a, b), -(grad_a * step_a + grad_b * step_b)
            if decrease <= 1e-12 * abs(now):  # what is left to gain drowns in rounding
                break
            while (
                step > 1e-10
                and value(a + step * step_a, b + step * step_b) > now - 1e-4 * step * decrease
            ):
                step /= 2
        a, b = a + step * step_a, b + step * step_b
        if reach <= _LAST_STEP:
            break
    return a, b
