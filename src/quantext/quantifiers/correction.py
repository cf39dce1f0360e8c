"""Corrections: the prevalence that explains what was counted, given how classes are mistaken."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import kernel
from quantext.quantifiers.nonnegative import least_nonnegative
from quantext.quantifiers.simplex import least_squares

if TYPE_CHECKING:  # it would load scikit-learn
    from quantext.quantifiers.problems import Relearned

__all__ = [
    "correct",
    "correct_each",
    "corrected_means",
    "least_squares_each",
    "mean_by_class",
    "mean_of_bags",
    "mean_of_classes",
]

Array = NDArray[Any]

# How little decides between equally good prevalences of replicates. Normal equations square it, and
# it must be more than rounding all the same.
_TIES = 1e-6


def correct(rates: Array, counted: Array) -> Array:
    """Prevalence that explains what was counted, given the rates at which classes are mistaken.

    Parameters
    ----------
    rates
        Shape (K, K): ``rates[k, l]`` is the share of documents of class l that is counted in k; a
        column of NaN for a class of which nothing is known, whose prevalence is then 0.
    counted
        Share of the bag that is counted in each class.

    Returns
    -------
    p_hat
        Two classes: the exact solution, clipped to [0, 1]; what was counted, if a document of
        class 1 is no more likely to be counted in it than one of class 0. More classes: the
        least-squares solution among all prevalences; if there are several, the one nearest to what
        was counted.

    Examples
    --------
    >>> correct(np.array([[0.9, 0.3], [0.1, 0.7]]), np.array([0.6, 0.4]))
    array([0.5, 0.5])
    """
    if len(rates) == 2:
        fpr, tpr = rates[1].tolist()
        if tpr <= fpr:
            return counted
        positive = min(max((float(counted[1]) - fpr) / (tpr - fpr), 0.0), 1.0)
        return np.array([1 - positive, positive])
    known = ~np.isnan(rates[0])
    p_hat = np.zeros(len(rates))
    p_hat[known] = least_squares(rates[:, known], counted, counted[known]).p
    return p_hat


def mean_by_class(values: Array, counts: Array) -> Array:
    """Mean of each column of values over the documents of each class; NaN for an empty class."""
    totals = counts.sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.asarray((values.T @ counts) / totals)


def correct_each(rates: Array, counted: Array) -> Array:
    """What `correct` says of each replicate, shape (R, K).

    Parameters
    ----------
    rates
        Shape (R, K, K).
    counted
        Shape (R, K).
    """
    if rates.shape[1] > 2:
        return least_squares_each(rates, counted)
    fpr, tpr = rates[:, 1].T
    told = tpr > fpr
    share = np.clip((counted[:, 1] - fpr) / np.where(told, tpr - fpr, 1.0), 0.0, 1.0)
    return np.where(told[:, None], np.column_stack([1 - share, share]), counted)


def corrected_means(tables: Array, redrawn: Array) -> "Relearned":
    """Function that gives corrected means of redrawn bags: see ``Quantifier.reestimator``.

    Parameters
    ----------
    tables, redrawn
        As in `mean_of_classes`, by whose means those of bags are corrected.
    """
    rates = np.ascontiguousarray(mean_of_classes(tables, redrawn).swapaxes(1, 2))
    return lambda rows, numbers: correct_each(rates, mean_of_bags(tables, rows, numbers))


@kernel
def mean_of_classes(tables: Array, redrawn: Array) -> Array:
    """Means of values over the documents of each class, NaN without any, shape (R, K, L).

    The share of documents of class l that is counted in k is at [l, k], so rates are its transpose.

    Parameters
    ----------
    tables
        Values of each row in each replicate, shape (R, rows, L); or (1, rows, L) for all.
    redrawn
        Documents of each class and row, shape (R, K, rows).
    """
    n_values = tables.shape[2]
    means = np.zeros((len(redrawn), redrawn.shape[1], n_values))
    for r in range(len(redrawn)):
        table = tables[r] if len(tables) > 1 else tables[0]
        for k in range(redrawn.shape[1]):
            total = 0
            for i in range(len(table)):
                number = redrawn[r, k, i]
                if number > 0:
                    total += number
                    for j in range(n_values):
                        means[r, k, j] += number * table[i, j]
            for j in range(n_values):
                means[r, k, j] = means[r, k, j] / total if total > 0 else np.nan
    return means


@kernel
def mean_of_bags(tables: Array, rows: Array, numbers: Array) -> Array:
    """Means of values over the documents of bags, shape (R, L).

    Parameters
    ----------
    tables
        As in `mean_of_classes`.
    rows, numbers
        Rows that documents have, and how many have them, shape (R, n).
    """
    n_values = tables.shape[2]
    means = np.zeros((len(rows), n_values))
    for r in range(len(rows)):
        table = tables[r] if len(tables) > 1 else tables[0]
        total = 0
        for i in range(rows.shape[1]):
            number = numbers[r, i]
            if number > 0:
                total += number
                for j in range(n_values):
                    means[r, j] += number * table[rows[r, i], j]
        for j in range(n_values):
            means[r, j] /= total
    return means


@kernel
def least_squares_each(rates: Array, counted: Array) -> Array:
    """What `correct` says of three classes or more, for each replicate, shape (R, K).

    The same system as that of `least_squares`, in normal equations: good to some 1e-4
    where classes can hardly be told apart, and else to far less.

    Parameters
    ----------
    rates, counted
        As in `correct_each`.
    """
    n_classes = counted.shape[1]
    found = np.zeros(counted.shape)
    for r in range(len(counted)):
        known = np.flatnonzero(~np.isnan(rates[r, 0]))
        n = len(known)
        image, towards = np.empty((n_classes, n)), np.empty(n)
        largest = 0.0
        for j in range(n):
            towards[j] = counted[r, known[j]]
            for k in range(n_classes):
                image[k, j] = rates[r, k, known[j]] - counted[r, k]
                largest = max(largest, abs(image[k, j]))
        scale = 1 / largest**2 if largest > 0 else 1.0
        length = (towards**2).sum()
        matrix = np.empty((n, n))
        for i in range(n):
            for j in range(n):
                product = 0.0
                for k in range(n_classes):
                    product += image[k, i] * image[k, j]
                tie = (i == j) - towards[i] - towards[j] + length
                matrix[i, j] = 1 + scale * product + _TIES**2 * tie
        solution = least_nonnegative(matrix, np.ones(n), np.ones(n, np.bool_))
        total = solution.sum()
        for j in range(n):
            found[r, known[j]] = solution[j] / total
    return found
