"""Values that have weights: how many they count for, and their quantiles."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["effective", "weighted_quantiles"]

Array = NDArray[Any]


def effective(weights: Array) -> float:
    """How many equal weights would tell as much: Kish (1965), "Survey sampling"."""
    return float(weights.sum() ** 2 / (weights**2).sum()) if weights.any() else 0.0


def weighted_quantiles(values: Array, weights: Array, levels: tuple[float, ...]) -> Array:
    """Quantiles of each column, shape (levels, K), where each row has its weight.

    Parameters
    ----------
    values
        Shape (R, K).
    weights
        Shape (R,).
    levels
        Between 0 and 1.

    Examples
    --------
    >>> weighted_quantiles(np.array([[0.0], [1.0], [2.0]]), np.array([1, 2, 1]), (0.5,)).tolist()
    [[1.0]]
    """
    result = np.empty((len(levels), values.shape[1]))
    for k, column in enumerate(values.T):
        order = np.argsort(column, kind="stable")
        own = weights[order]
        middles = (np.cumsum(own) - own / 2) / own.sum()
        result[:, k] = np.interp(levels, middles, column[order])
    return result
