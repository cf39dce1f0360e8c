"""Temperature scaling with a bias for each class: scores in, posteriors out."""

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit, logsumexp

from quantext.scores.calibration import Sigmoid
from quantext.scores.training import ScoresByClass

__all__ = ["Softmax", "scale_temperature"]

Array = NDArray[Any]

# Weight of the penalty ½·RIDGE·(slope in deviations of the scores)², in documents: nothing beside
# them, but scores that separate the classes have no finite slope of largest likelihood without it.
_RIDGE = 1e-3
_ROUNDS = 100
_TOLERANCE = 1e-9  # of the gain that is left, in nats a document


@dataclass(frozen=True)
class Softmax:
    """Posteriors of several classes: softmax(slope · scores + offsets).

    Parameters
    ----------
    slope
        The inverse of the temperature.
    offsets
        Of each class; −∞ for a class of which there are no documents.
    """

    slope: float
    offsets: Array

    def posteriors(self, scores: Array) -> Array:
        """Posterior of each class, shape (n, K); rows sum to 1."""
        columns = [self.slope * z + b for z, b in zip(scores.T, self.offsets, strict=True)]
        highest = reduce(np.maximum, columns)
        # e^x by expit, whose value never depends on the documents beside.
        powers = [expit(column - highest) / expit(highest - column) for column in columns]
        total = reduce(np.add, powers)
        return np.column_stack([power / total for power in powers])


def scale_temperature(training: ScoresByClass) -> tuple[Sigmoid, ...] | Softmax:
    """Calibration of largest likelihood among softmax(scores/T + bias) with one T for all classes.

    Alexandari, Kundaje & Shrikumar (2020), "Maximum likelihood with bias-corrected calibration is
    hard-to-beat at label shift adaptation". With two classes this is one sigmoid. The mean of the
    posteriors over the documents is then the prevalence in them. Where a higher score makes a class
    less likely, T is infinite, and every posterior that prevalence.

    Parameters
    ----------
    training
        Out-of-fold scores by class: one column for two classes, or one column a class.

    Examples
    --------
    >>> scores = np.array([[-1.0], [1.0]])
    >>> sigmoid, = scale_temperature(ScoresByClass(scores, np.array([[3, 1], [1, 3]])))
    >>> round(sigmoid.slope, 3), abs(round(sigmoid.offset, 3))    # of four at 1 three are positive
    (1.098, 0.0)
    """
    if training.scores.shape[1] > 1:
        return _fit(training.scores, training.counts)
    column = training.scores[:, 0]
    both = _fit(np.column_stack([np.zeros(len(column)), column]), training.counts)
    return (Sigmoid(both.slope, float(both.offsets[1] - both.offsets[0])),)


def _fit(scores: Array, counts: Array) -> Softmax:
    documents, known = counts.sum(axis=1), counts.any(axis=0)
    rows = documents > 0
    z, counts, documents = scores[rows][:, known], counts[rows][:, known], documents[rows]
    total, own = documents.sum(), counts.sum(axis=0)
    # What the slope sees are differences between classes; their deviation is its unit.
    centred = z - z.mean(axis=1, keepdims=True)
    unit = np.sqrt(documents @ (centred**2).sum(axis=1) / total)
    offsets = np.full(scores.shape[1], -np.inf)
    offsets[known] = np.log(own / total)
    if unit <= 1e-12 * np.abs(z).max(initial=0.0):
        return Softmax(0.0, offsets)
    a, b = _newton(centred / unit, counts / total, np.log(own / total), _RIDGE / total)
    if a <= 0:
        return Softmax(0.0, offsets)
    offsets[known] = b
    return Softmax(float(a / unit), offsets)


def _newton(z: Array, shares: Array, b: Array, ridge: float) -> tuple[float, Array]:
    """Slope and offsets that minimise the cross-entropy, by damped Newton steps.

    Parameters
    ----------
    z
        Scores, shape (r, K).
    shares
        Of all documents that have the scores of the row and are of the class, shape (r, K).
    b
        Offsets to start from; the slope starts from 0.
    ridge
        Weight of half the square of the slope.
    """
    weights, own = shares.sum(axis=1), shares.sum(axis=0)
    linear = np.append((shares * z).sum(), own)

    def value(x: Array) -> float:
        normaliser = logsumexp(x[0] * z + x[1:], axis=1)
        return float(weights @ normaliser - linear @ x + ridge / 2 * x[0] ** 2)

    x = np.append(0.0, b)
    now = value(x)
    for _ in range(_ROUNDS):
        f = x[0] * z + x[1:]
        p = np.exp(f - logsumexp(f, axis=1, keepdims=True))
        mean = (p * z).sum(axis=1)
        gradient = np.append(weights @ mean + ridge * x[0], weights @ p) - linear
        hessian = np.empty((len(x), len(x)))
        weighted = weights[:, None] * p
        hessian[1:, 1:] = np.diag(weighted.sum(axis=0)) - weighted.T @ p
        hessian[0, 0] = weights @ ((p * z**2).sum(axis=1) - mean**2) + ridge
        hessian[0, 1:] = hessian[1:, 0] = (weighted * (z - mean[:, None])).sum(axis=0)
        # Offsets matter only by their differences: the ones keep their sum where it is.
        hessian[1:, 1:] += 1 / len(b)
        hessian[np.diag_indices(len(x))] += 1e-12  # so that rounding leaves it positive
        step = -cho_solve(cho_factor(hessian), gradient)
        gain = -float(gradient @ step)
        if gain <= _TOLERANCE:
            break
        length = 1.0
        while length > 1e-10 and (new := value(x + length * step)) > now - 1e-4 * length * gain:
            length /= 2
        if length <= 1e-10:  # what is left to gain drowns in rounding
            break
        x, now = x + length * step, new
    return float(x[0]), x[1:]
