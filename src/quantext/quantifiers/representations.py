"""Representations: what documents are like, in whole numbers that add up, bag by bag and by class.

A representation puts each document in some cells, by its posteriors or otherwise. How many
documents of a bag are in each cell is all that a method needs to know of it; the shares of the
documents of each class are the columns whose mixture it compares with those of the bag.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.scores.calibration import Sigmoid, posteriors

__all__ = [
    "LEVELS",
    "above",
    "bins",
    "count_cells",
    "count_cells_by_class",
    "distinct_posteriors",
    "levels",
    "shares_by_class",
]

Array = NDArray[Any]

LEVELS = 65_535  # to which a posterior is rounded where it is kept as it is


def distinct_posteriors(sigmoids: tuple[Sigmoid, ...], scores: Array) -> Array:
    """Posteriors without what follows from them: of two classes that of the second alone.

    Parameters
    ----------
    sigmoids, scores
        As in `posteriors`.
    """
    own = posteriors(sigmoids, scores)
    return own[:, 1:] if scores.shape[1] == 1 else own


def levels(sigmoids: tuple[Sigmoid, ...], scores: Array) -> NDArray[np.uint16]:
    """The same posteriors, in multiples of 1/65,535.

    Parameters
    ----------
    sigmoids, scores
        As in `posteriors`.
    """
    return np.asarray(np.rint(distinct_posteriors(sigmoids, scores) * LEVELS), np.uint16)


def bins(values: Array, number: int) -> Array:
    """Cell of each document in the histogram of each column, shape (n, m), from 0 to m·number − 1.

    Parameters
    ----------
    values
        Posteriors, shape (n, m).
    number
        Of bins, of equal width from 0 to 1, in each histogram.

    Examples
    --------
    >>> bins(np.array([[0.0, 1.0], [0.49, 0.51]]), 2).tolist()
    [[0, 3], [0, 3]]
    """
    cells = np.minimum((values * number).astype(np.int64), number - 1)
    return np.asarray(cells + number * np.arange(values.shape[1]))


def above(values: Array, thresholds: Array) -> Array:
    """Cell of each document in each column, 2j + 1 at or above the column's threshold, else 2j.

    Parameters
    ----------
    values
        Posteriors, shape (n, m).
    thresholds
        Shape (m,).
    """
    return np.asarray((values >= thresholds) + 2 * np.arange(values.shape[1]))


def count_cells(cells: Array, n_cells: int, weights: Array | None = None) -> NDArray[np.int64]:
    """Number of documents in each cell.

    Parameters
    ----------
    cells
        Of each document, shape (n, m).
    n_cells
        Number of all cells.
    weights
        How many documents each row stands for; one each by default.
    """
    if weights is None:
        return np.bincount(cells.reshape(-1), minlength=n_cells).astype(np.int64)
    repeated = np.repeat(weights, cells.shape[1])
    # Sums of whole numbers below 2^53 are exact in floating point.
    return np.bincount(cells.reshape(-1), repeated, n_cells).astype(np.int64)


def count_cells_by_class(cells: Array, n_cells: int, counts: Array) -> NDArray[np.float64]:
    """Number of documents of each class in each cell, shape (n_cells, K).

    Parameters
    ----------
    cells, n_cells
        As in `count_cells`.
    counts
        How many documents of each class each row stands for, shape (n, K).
    """
    row, k = np.nonzero(counts)
    n_classes = counts.shape[1]
    codes = cells[row] * n_classes + k[:, None]
    weights = np.repeat(counts[row, k], cells.shape[1])
    by_class = np.bincount(codes.reshape(-1), weights, n_cells * n_classes)
    return by_class.astype(np.float64).reshape(n_cells, n_classes)


def shares_by_class(cells: Array, n_cells: int, counts: Array) -> NDArray[np.float64]:
    """Share of the documents of each class in each cell, (n_cells, K); zeros for an empty class.

    Parameters
    ----------
    cells, n_cells, counts
        As in `count_cells_by_class`.
    """
    totals = np.maximum(counts.sum(axis=0), 1)
    return np.asarray(count_cells_by_class(cells, n_cells, counts) / totals)
