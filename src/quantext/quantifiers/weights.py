"""Weights of documents, as surveys have them, in whole numbers that add up exactly."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["WEIGHT_UNIT", "Weights", "whole_weights"]

WEIGHT_UNIT = 2**16  # weights are counted in whole numbers of 1/WEIGHT_UNIT
# What weights may sum to, so that no sum of their products with 16 bits leaves 64; and their least
# mean, so that rounding them is off by less than 1 in 1,000.
MOST, LEAST = 2**31, 0.01


@dataclass(frozen=True)
class Weights:
    """What is kept of the weights of a bag's documents; parts add up.

    Parameters
    ----------
    total
        Their sum, in whole numbers of 1/WEIGHT_UNIT.
    squares
        Sum of their squares, in the unit's square.

    Examples
    --------
    >>> both = Weights.of(whole_weights([1.0, 1.0])) + Weights.of(whole_weights([2.0]))
    >>> both.total / WEIGHT_UNIT, both.effective_size
    (4.0, 2)
    """

    total: int
    squares: int

    @classmethod
    def of(cls, whole: NDArray[np.int64]) -> "Weights":
        """Of weights that `whole_weights` gave."""
        exact = whole.astype(object)  # squares may need more than 64 bits
        return cls(int(exact.sum()), int(exact @ exact))

    def __add__(self, other: "Weights") -> "Weights":
        total = self.total + other.total
        _check_most(total / WEIGHT_UNIT)
        return Weights(total, self.squares + other.squares)

    @property
    def effective_size(self) -> int:
        """Documents of equal weight whose mean is as uncertain: Kish (1965), "Survey sampling"."""
        return max(1, self.total**2 // self.squares) if self.squares else 0

    def check(self, size: int) -> None:
        """Raise unless so many documents can be estimated by these weights."""
        mean = self.total / WEIGHT_UNIT / size
        if not mean:
            raise ValueError("all documents of the bag have weight 0; give at least one a weight")
        if mean < LEAST:
            raise ValueError(
                f"the weights of the bag are {mean:.2g} on average, too small to be kept exactly; "
                "multiply all by the same number, so that they are about 1"
            )


def whole_weights(weights: Any) -> NDArray[np.int64]:
    """Weights in whole numbers of 1/WEIGHT_UNIT.

    Parameters
    ----------
    weights
        One a document: finite and not negative.
    """
    values = np.asarray(weights, dtype=np.float64)
    if not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError("weights must be finite numbers, 0 or more")
    _check_most(float(values.sum()))
    return np.asarray(np.rint(values * WEIGHT_UNIT), dtype=np.int64)


def _check_most(total: float) -> None:
    if total > MOST:
        raise ValueError(
            f"the weights of a bag sum to {total:.3g}, too much to be kept exactly; divide all by "
            "the same number, so that they are about 1"
        )
