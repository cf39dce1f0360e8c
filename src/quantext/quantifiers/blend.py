"""Blends of two classes: the one at which a distance is least, by halves or ever finer steps."""

from typing import Any, Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["Convex", "least_blend", "least_mean_hellinger"]

Array = NDArray[Any]

Convex = Literal["squared_hellinger", "topsoe", "likelihood"]
_CODES = {"squared_hellinger": 0, "topsoe": 1, "likelihood": 2}
_STEPS, _FINER, _FINEST = (
    100,
    10,
    1e-10,
)  # of shares: first steps, how often each is split, the last
_GAIN = 1e-14  # distances are not told apart by less
_HELD = 2**16  # entries of mixtures that are held at a time, so few that they stay in the cache


def least_blend(columns: Array, q: Array, distance: Convex, p_train: Array) -> Array:
    """Prevalence of two classes at which a distance of the mixture from q is least.

    It is what `newton` finds, in less time. The slope never falls, so it is enough to follow it to
    where it changes its sign. If a whole range is best, the estimate is the end that is nearest to
    the training prevalence, or that itself.

    Parameters
    ----------
    columns
        Shape (d, 2): of each class.
    q
        Shape (d,): of the bag.
    distance
        Name of a function of ``distances``.
    p_train
        Training prevalence.

    Examples
    --------
    >>> columns = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> least_blend(columns, np.array([0.25, 0.75]), "likelihood", np.array([0.5, 0.5])).round(9)
    array([0.25, 0.75])
    """
    first, second = np.ascontiguousarray(columns.T, dtype=np.float64)
    share = follow_slope(first, second, q, _CODES[distance], p_train[1])
    return np.array([1 - share, share])


@njit(cache=True, nogil=True)
def slope_at(share: float, first: Array, second: Array, q: Array, code: int) -> float:
    """Derivative of a distance by the share of the second class.

    Parameters
    ----------
    share
        Of the second class.
    first, second, q
        What the classes and the bag are like.
    code
        0: squared Hellinger distance, 1: Topsøe's, 2: likelihood.
    """
    total = 0.0
    for i in range(len(q)):
        gain = second[i] - first[i]
        if gain == 0.0:
            continue
        b = (1 - share) * first[i] + share * second[i]
        if q[i] == 0.0:
            total += gain * (1.0 if code == 0 else np.log(2.0) if code == 1 else 0.0)
        elif b <= 0.0:
            return -np.inf if gain > 0 else np.inf
        elif code == 0:
            total += gain * (1 - np.sqrt(q[i] / b))
        elif code == 1:
            total += gain * np.log(2 * b / (q[i] + b))
        else:
            total -= gain * q[i] / b
    return total


@njit(cache=True, nogil=True)
def follow_slope(first: Array, second: Array, q: Array, code: int, p_train: float) -> float:
    """Share of the second class at the minimum that is nearest to p_train.

    Parameters
    ----------
    first, second, q, code
        As in `slope_at`.
    p_train
        Share of the second class in training.
    """
    flat = 1e-13
    slope = slope_at(p_train, first, second, q, code)
    if abs(slope) <= flat:
        return p_train
    direction = 1.0 if slope < 0 else -1.0
    near, far = p_train, (1.0 if slope < 0 else 0.0)
    if direction * slope_at(far, first, second, q, code) < 0:
        return far
    for _ in range(60):
        middle = (near + far) / 2
        if direction * slope_at(middle, first, second, q, code) < -flat:
            near = middle
        else:
            far = middle
    return far


def least_mean_hellinger(
    columns: Array, q: Array, histogram: Array, beyond: Array, start: Array
) -> Array:
    """Prevalence of two classes at which the mean Hellinger distance of histograms is least.

    The mean has many minima, most of them with a kink. So all shares of 0, 0.01 … 1 are tried, then
    those around the best of them in steps a tenth as long, and so on.

    Parameters
    ----------
    columns
        Shape (d, 2): entries of the histograms of each class.
    q
        Shape (d,): those of the bag.
    histogram
        In which histogram each entry is, in ascending order.
    beyond
        What each histogram of the bag has in entries that are not among these.
    start
        Prevalence that is tried as well, and is the answer if none is better.

    Examples
    --------
    >>> columns, q = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.25, 0.75])
    >>> least_mean_hellinger(columns, q, np.array([0, 0]), np.zeros(1), np.array([0.5, 0.5]))
    array([0.25, 0.75])
    """
    first, gain, roots = columns[:, 0], columns[:, 1] - columns[:, 0], np.sqrt(q)
    # A histogram without entries is as far away at all shares.
    kept, starts = np.unique(histogram, return_index=True)

    def distances(shares: Array) -> Array:
        mixed = np.maximum(first + shares[:, None] * gain, 0.0)
        squares = np.add.reduceat(np.square(roots - np.sqrt(mixed)), starts, axis=1)
        return np.asarray(np.sqrt((squares + beyond[kept]) / 2).mean(axis=1))

    best = float(start[1])
    least = float(distances(np.array([best]))[0])
    at_a_time = max(1, _HELD // len(q))
    step, shares = 1 / _STEPS, np.linspace(0.0, 1.0, _STEPS + 1)
    while step > _FINEST:
        parts = np.array_split(shares, -(-len(shares) // at_a_time))
        values = np.concatenate([distances(part) for part in parts])
        if values.min() < least - _GAIN:
            best, least = float(shares[values.argmin()]), float(values.min())
        shares = np.clip(best + np.linspace(-step, step, 2 * _FINER + 1), 0.0, 1.0)
        step /= _FINER
    return np.array([1 - best, best])
