"""Blends of two classes: the one at which a distance is least, by its slope or ever finer steps."""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Convex", "least_blend", "least_mean_hellinger"]

Array = NDArray[Any]

Convex = Literal["squared_hellinger", "topsoe", "likelihood"]
_NOTHING = 1e-100  # stands for an entry of zero, at which slopes would be infinite
_FLAT, _SAME = 1e-13, 1e-15  # slopes, and steps, that are as good as zero
_HALVINGS = 200  # more than are ever needed
_STEPS, _FINER, _FINEST = (
    100,
    10,
    1e-10,
)  # of shares: first steps, how often each is split, the last
_GAIN = 1e-14  # distances are not told apart by less
_HELD = 2**16  # entries of mixtures that are held at a time, so few that they stay in the cache


def least_blend(columns: Array, q: Array, distance: Convex, p_train: Array) -> Array:
    """Prevalence of two classes at which a distance of the mixture from q is least.

    It is what `newton` finds, in less time: the slope never falls, so it is enough to follow it to
    where it changes its sign. Steps are Newton's; where one leads beyond what is known, or hardly
    gains, it is half of the way instead. Where nothing can be told, the answer is the training
    prevalence.

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
    share = _follow(first, second, partial(_SLOPES[distance], q), float(p_train[1]))
    return np.array([1 - share, share])


def _follow(
    first: Array, second: Array, slopes: Callable[[Array], tuple[Array, Array]], p_train: float
) -> float:
    """Share of the second class at which the slope changes its sign, or where it would."""
    gain = second - first
    square = gain * gain

    def slope_at(share: float) -> tuple[float, float]:
        slope, curvature = slopes(np.maximum(first + share * gain, _NOTHING))
        return float(gain @ slope), float(square @ curvature)

    slope, curvature = slope_at(p_train)
    if abs(slope) <= _FLAT:
        return p_train
    direction = 1.0 if slope < 0 else -1.0
    share, near, far = p_train, p_train, (1.0 if slope < 0 else 0.0)
    if direction * slope_at(far)[0] <= 0:
        return far
    last = 1.0
    for _ in range(_HALVINGS):
        step = -slope / curvature if curvature > 0 else np.inf
        within = direction * near < direction * (share + step) < direction * far
        if not within or abs(step) > last / 2:
            step = (near + far) / 2 - share
        share, last = share + step, abs(step)
        slope, curvature = slope_at(share)
        if abs(slope) <= _FLAT or last <= _SAME:
            break
        if direction * slope < 0:
            near = share
        else:
            far = share
    return share


def _hellinger_slopes(q: Array, b: Array) -> tuple[Array, Array]:
    """First and second derivative of the squared Hellinger distance by each entry of b."""
    ratio = np.sqrt(q / b)
    return 1 - ratio, ratio / (2 * b)


def _topsoe_slopes(q: Array, b: Array) -> tuple[Array, Array]:
    """The same of Topsøe's distance."""
    both = q + b
    return np.log(2 * b / both), q / (b * both)


def _likelihood_slopes(q: Array, b: Array) -> tuple[Array, Array]:
    """The same of the likelihood, with its sign changed."""
    ratio = q / b
    return -ratio, ratio / b


_SLOPES: dict[Convex, Callable[[Array, Array], tuple[Array, Array]]] = {
    "squared_hellinger": _hellinger_slopes,
    "topsoe": _topsoe_slopes,
    "likelihood": _likelihood_slopes,
}


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
