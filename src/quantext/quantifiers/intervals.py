"""Intervals: bounds of the truth, in whole documents, from the errors of estimates."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "bounds",
    "bounds_about",
    "check_level",
    "check_replicates",
    "difference_bounds",
    "doubted",
    "error_levels",
    "whole_documents",
]

Array = NDArray[Any]


def doubted(p: Array, counts: Array, size: int, level: float) -> tuple[Array, Array]:
    """Bounds where no replicate ever errs, in whole documents, shape (K,) each.

    That no training document of N was mistaken leaves room for up to −ln(1 − level)/N of those that
    will be (3/N at 95%: the rule of three), and for one document at least.

    Parameters
    ----------
    p
        Share of each class of which replicates are sure.
    counts
        Training documents of each class.
    size
        Number of documents in the bag.
    level
        Share of bags whose prevalence the interval should contain.

    Examples
    --------
    >>> low, high = doubted(np.array([0.4, 0.6]), np.array([30, 60]), size=100, level=0.95)
    >>> low.round(2).tolist(), high.round(2).tolist()  # 3/30 of 40 documents, 3/60 of 60
    ([0.36, 0.57], [0.43, 0.64])
    """
    others = counts.sum() - counts
    unseen = -np.log1p(-level)
    lost, won = (
        np.maximum(1, np.ceil(size * share * np.minimum(1, unseen / np.maximum(n, 1)) - 1e-9))
        for share, n in ((p, counts), (1 - p, others))
    )
    return np.clip(p - lost / size, 0, 1), np.clip(p + won / size, 0, 1)


def bounds(p_hat: Array, errors: Array, level: float, size: int) -> tuple[Array, Array]:
    """Lower and upper bounds from the errors of replicates, in whole documents, shape (K,) each.

    They lie around the estimate less the median error.

    Parameters
    ----------
    p_hat
        Estimate for the bag.
    errors
        Shape (replicates, K).
    level
        Share of bags whose prevalence the interval should contain.
    size
        Number of documents in the bag.

    Examples
    --------
    >>> errors = np.linspace(0.0, 0.2, 101)[:, None]      # too high by 0.1, give or take 0.1
    >>> [bound.round(3).tolist() for bound in bounds(np.array([0.5]), errors, 0.9, size=100)]
    [[0.31], [0.49]]
    """
    return bounds_about(p_hat, np.quantile(errors, error_levels(level), axis=0), size)


def error_levels(level: float) -> list[float]:
    """Of errors, the quantiles that bounds are made of: lower tail, median, upper tail."""
    tail = (1 - level) / 2
    return [tail, 0.5, 1 - tail]


def bounds_about(p_hat: Array, quantiles: Array, size: int) -> tuple[Array, Array]:
    """Lower and upper bounds from quantiles of the errors, in whole documents, shape (K,) each.

    Parameters
    ----------
    p_hat
        Estimate for the bag.
    quantiles
        Shape (3, K): those that `error_levels` names.
    size
        Number of documents in the bag.
    """
    low, middle, high = quantiles
    # Both ways by the longer tail: errors of estimates that are clipped at 0 or 1 lie to one side,
    # which says nothing of the side on which the truth is.
    reach, centre = np.maximum(high - middle, middle - low), p_hat - middle
    return whole_documents(np.clip(centre - reach, 0, 1), np.clip(centre + reach, 0, 1), size)


def whole_documents(low: Array, high: Array, size: int | Array) -> tuple[Array, Array]:
    """Bounds that a share of a bag can have, rounded outward.

    Parameters
    ----------
    low, high
        Bounds of shares.
    size
        Number of documents in the bag, or in each of several.
    """
    slack = 1e-9  # for shares that are whole documents but for rounding
    return np.floor(low * size + slack) / size, np.ceil(high * size - slack) / size


def difference_bounds(
    first: tuple[Array, Array, Array], second: tuple[Array, Array, Array]
) -> tuple[Array, Array]:
    """Lower and upper bounds of a difference, second less first, from the bounds of both.

    The distance of a bound from its estimate stands for a multiple of the standard error on that
    side; those of two independent estimates add up in squares. Newcombe (1998), "Interval
    estimation for the difference between independent proportions"; Zou & Donner (2008),
    "Construction of confidence limits about effect measures".

    Parameters
    ----------
    first, second
        Estimate, lower and upper bound of each class. An estimate beside its interval, which the
        method knows to be off, counts as the nearer bound.

    Examples
    --------
    >>> first, second = (0.5, 0.45, 0.55), (0.3, 0.15, 0.45)
    >>> [round(float(bound), 3) for bound in difference_bounds(first, second)]
    [-0.358, -0.042]
    """
    (p, p_low, p_high), (q, q_low, q_high) = first, second
    p, q = np.clip(p, p_low, p_high), np.clip(q, q_low, q_high)
    middle = q - p
    low = middle - np.hypot(q - q_low, p_high - p)
    high = middle + np.hypot(q_high - q, p - p_low)
    return np.maximum(low, -1.0), np.minimum(high, 1.0)


def check_level(level: float) -> None:
    """Raise if the level of an interval is not between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; it is a share of bags between 0 and 1, such as 0.95")


def check_replicates(replicates: int) -> None:
    """Raise if there are no replicates to make an interval of."""
    if replicates < 1:
        raise ValueError(f"replicates is {replicates}; an interval needs at least one, better 1000")
