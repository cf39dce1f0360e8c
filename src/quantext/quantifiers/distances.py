"""Distances between what a bag is like, q, and a mixture of what its classes are like, b.

Each is a function of q and b that gives what `newton` needs: a number that is least where the
distance is, its derivative by each entry of b, and how it curves there.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

__all__ = ["likelihood", "mean_hellinger", "squared_hellinger", "topsoe"]

Array = NDArray[Any]
Bent = tuple[float, Array, Array]

_SMALL = 1e-12  # square of a distance between distributions that are as good as equal


def squared_hellinger(q: Array, b: Array) -> Bent:
    """Σ(√q − √b)², which is convex in b; the Hellinger distance is the root of half of it.

    Parameters
    ----------
    q, b
        Not negative.

    Examples
    --------
    >>> value, slope, curvature = squared_hellinger(np.array([0.25, 0.75]), np.array([1.0, 0.0]))
    >>> round(value, 9)                 # 2 − 2·√(0.25·1)
    1.0
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(q > 0, np.sqrt(q / b), 0.0)
        curvature = np.where(q > 0, ratio / (2 * b), 0.0)
    return float(np.square(np.sqrt(q) - np.sqrt(b)).sum()), 1 - ratio, curvature


def mean_hellinger(q: Array, b: Array, histogram: Array, beyond: Array) -> Bent:
    """Mean Hellinger distance, √(½Σ(√q − √b)²), of several histograms.

    The root makes it a mean that is not convex. The curvature is that of a mean of squares, each
    divided by twice the distance at b: it has the same slope there and is nowhere below.

    Parameters
    ----------
    q, b
        Entries of the histograms.
    histogram
        In which histogram each entry is.
    beyond
        What each histogram of the bag has in entries that are not among these, as b has nothing.
    """
    _, slope, curvature = squared_hellinger(q, b)
    squares = np.bincount(histogram, np.square(np.sqrt(q) - np.sqrt(b)), len(beyond)) + beyond
    distances = np.sqrt(squares / 2 + _SMALL)
    weights = (1 / (4 * len(beyond) * distances))[histogram]
    return float(distances.mean()), weights * slope, weights * curvature


def topsoe(q: Array, b: Array) -> Bent:
    """Topsøe's distance Σ q ln(2q/(q+b)) + b ln(2b/(q+b)), which is convex in b.

    Parameters
    ----------
    q, b
        Not negative.
    """
    middle = (q + b) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        value = (xlogy(q, q / middle) + xlogy(b, b / middle))[middle > 0].sum()
        slope = np.where(q > 0, np.log(b / middle), np.log(2.0))
        curvature = np.where(q > 0, q / (b * (q + b)), 0.0)
    return float(value), slope, curvature


def likelihood(q: Array, b: Array) -> Bent:
    """−Σ q ln b, where q are shares of a bag and b the densities of their documents.

    Parameters
    ----------
    q, b
        Not negative.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        value = -xlogy(q, b).sum()
        ratio = np.where(q > 0, q / b, 0.0)
        curvature = np.where(q > 0, ratio / b, 0.0)
    return float(value), -ratio, curvature
