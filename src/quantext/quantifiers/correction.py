"""Corrections: the prevalence that explains what was counted, given how classes are mistaken."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.quantifiers.simplex import least_squares

__all__ = ["correct", "correct_all", "mean_by_class", "mean_values"]

Array = NDArray[Any]


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


def correct_all(means: Array) -> Array:
    """Corrected means of the last of each replicate, a bag, by those of its classes before."""
    return np.array([correct(own[:-1].T, own[-1]) for own in means])


def mean_by_class(values: Array, counts: Array) -> Array:
    """Mean of each column of values over the documents of each class; NaN for an empty class."""
    totals = counts.sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.asarray((values.T @ counts) / totals)


def mean_values(values: Array) -> Callable[[Array], Array]:
    """Function that gives the means of redrawn rows of these values: see `recalibrate`."""

    def means(redrawn: Array) -> Array:
        with np.errstate(invalid="ignore"):
            return np.asarray(redrawn @ values / redrawn.sum(axis=2)[:, :, None])

    return means
