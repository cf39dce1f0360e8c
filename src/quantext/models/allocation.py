"""How many documents of each stratum to label: so many that every share is told to a half width.

A stratum gets documents in proportion to its size and to how much its truths vary once the model's
word is known (Neyman 1934), in all classes together, but at least a few and at most all.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

__all__ = ["LEAST", "Spread", "allocate", "allocate_number", "half_widths", "needed_alone"]

Array = NDArray[Any]

LEAST = 5  # documents of each stratum, if it has as many: of fewer, hardly a variance is known


@dataclass(frozen=True)
class Spread:
    """How much truths vary, by class.

    Parameters
    ----------
    classes
        Names.
    whole
        Variance in all documents, p (1 - p); shape (K,).
    within
        Variance in each stratum that the model's word does not explain, shape (S, K).
    """

    classes: tuple[str, ...]
    whole: NDArray[np.float64]
    within: NDArray[np.float64]

    def correlation(self, sizes: Array) -> float:
        """Of the model's word with the truth, in all classes together."""
        left = (sizes / sizes.sum()) @ self.within.sum(axis=1)
        total = self.whole.sum()
        return float(np.sqrt(max(1 - left / total, 0.0))) if total > 0 else 0.0


def half_widths(spread: Spread, sizes: Array, drawn: Array, level: float) -> NDArray[np.float64]:
    """Half width of the interval of each class if so many of each stratum are labelled.

    Parameters
    ----------
    spread
        Of the truths.
    sizes, drawn
        Documents of each stratum, all and those that are labelled.
    level
        Of the intervals.

    Examples
    --------
    >>> even = Spread(("a", "b"), np.full(2, 0.25), np.full((1, 2), 0.25))
    >>> half_widths(even, np.array([10**9]), np.array([1067]), 0.95).round(4).tolist()
    [0.03, 0.03]
    """
    of_each = np.where(drawn > 0, 1 / np.maximum(drawn, 1e-9) - 1 / np.maximum(sizes, 1), np.inf)
    shares = sizes / sizes.sum()
    variances = np.where(shares > 0, shares**2 * of_each, 0.0) @ spread.within
    return np.asarray(ndtri((1 + level) / 2) * np.sqrt(variances))


def needed_alone(spread: Spread, total: int, target: float, level: float) -> int:
    """How many documents of all must be labelled without a model: z² p (1 - p) / h², and finite.

    Parameters
    ----------
    spread
        Of the truths; that of the class that varies most counts.
    total
        Number of documents.
    target
        Half width.
    level
        Of the intervals.

    Examples
    --------
    >>> even = Spread(("a", "b"), np.full(2, 0.25), np.full((1, 2), 0.25))
    >>> needed_alone(even, 10**9, 0.03, 0.95), needed_alone(even, 1000, 0.03, 0.95)
    (1068, 517)
    """
    many = ndtri((1 + level) / 2) ** 2 * float(spread.whole.max()) / target**2
    return min(max(int(np.ceil(many / (1 + many / total))), 1), total)


def allocate(
    spread: Spread, sizes: Array, least: Array, target: float, level: float
) -> NDArray[np.int64]:
    """Documents of each stratum so that the interval of no class is wider; shape (S,).

    Parameters
    ----------
    spread
        Of the truths.
    sizes, least
        Documents of each stratum: all, and those that are drawn in any case.
    target
        Half width.
    level
        Of the intervals.
    """

    def enough(drawn: Array) -> bool:
        return bool((half_widths(spread, sizes, drawn, level) <= target).all())

    return np.ceil(_smallest(spread, sizes, least, enough) - 1e-6).astype(np.int64)


def allocate_number(spread: Spread, sizes: Array, least: Array, number: int) -> NDArray[np.int64]:
    """So many documents, distributed over the strata; shape (S,).

    Parameters
    ----------
    spread, sizes, least
        As in `allocate`.
    number
        From the sum of ``least`` to that of ``sizes``.

    Examples
    --------
    >>> spread = Spread(("a",), np.array([0.2]), np.array([[0.04], [0.01]]))
    >>> allocate_number(spread, np.array([500, 1000]), np.array([5, 5]), 101).tolist()  # 1 : 1
    [51, 50]
    """

    def enough(drawn: Array) -> bool:
        return bool(drawn.sum() >= number)

    exact = _smallest(spread, sizes, least, enough)
    whole = np.maximum(np.floor(exact + 1e-6).astype(np.int64), least)
    rest = np.where(whole < sizes, exact - whole, -np.inf)
    whole[np.argsort(-rest, kind="stable")[: number - whole.sum()]] += 1
    return whole


def _smallest(
    spread: Spread, sizes: Array, least: Array, enough: Callable[[Array], bool]
) -> NDArray[np.float64]:
    """The smallest allocation, not in whole documents, that is enough."""
    # A stratum of which nothing seems to be left to know comes last, but it comes.
    deviations = np.maximum(np.sqrt(spread.within.sum(axis=1)), 1e-6)

    def drawn(factor: float) -> NDArray[np.float64]:
        return np.asarray(np.clip(factor * sizes * deviations, least, sizes), dtype=np.float64)

    low, high = 0.0, float(1 / deviations.min())
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(drawn(middle)) else (middle, high)
    return drawn(high)
