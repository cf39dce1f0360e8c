"""Gaussian kernels: places in, weighted sums at points out; all kernels, without a shortcut."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import kernel

__all__ = ["Kernels", "kernel_sums", "relative_kernel_sums", "sum_values"]

Array = NDArray[Any]

_BLOCK = 2**16  # kernels that are held at a time, so few that they stay in the cache


@dataclass(frozen=True)
class Kernels:
    """Gaussian kernels, those of one sum after those of another.

    Parameters
    ----------
    places
        Where they are in the space of posteriors, shape (r, m).
    weights
        Of each in its sum, shape (r,).
    ends
        Where the kernels of each sum end, shape (k,).
    """

    places: Array
    weights: Array
    ends: Array

    @classmethod
    def of(cls, places: Array, shares: Array) -> Self:
        """Kernels at places, of which each sum has a share, shape (r, k)."""
        k, row = np.nonzero(shares.T)
        ends = np.cumsum(np.count_nonzero(shares, axis=0))
        return cls(places[row], shares[row, k], ends)

    def each(self) -> list[slice]:
        """Which kernels are those of each sum."""
        return [slice(*ends) for ends in pairwise([0, *self.ends.tolist()])]


def kernel_sums(points: Array, kernels: Kernels, width: float) -> Array:
    """Weighted sums of Gaussian kernels at points, shape (t, k).

    Parameters
    ----------
    points
        Shape (t, m).
    kernels
        Where they are, and in which sum.
    width
        Standard deviation of the kernels.
    """
    blocks = _distances(points, kernels)
    return np.concatenate([_summed(own, kernels, width) for own in blocks])


def relative_kernel_sums(points: Array, kernels: Kernels, width: float) -> Array:
    """The same, divided at each point by the largest kernel, so that no point has only zeros.

    Parameters
    ----------
    points, kernels, width
        As in `kernel_sums`.
    """
    blocks = _distances(points, kernels)
    return np.concatenate(
        [_summed(own - own.min(axis=1)[:, None], kernels, width) for own in blocks]
    )


def _distances(points: Array, kernels: Kernels) -> Iterator[Array]:
    """Squared distances of some points at a time from the places of kernels, shape (t, r)."""
    rows = max(1, _BLOCK // len(kernels.places))
    here = np.ascontiguousarray(points, dtype=np.float32)
    there = np.ascontiguousarray(kernels.places.T, dtype=np.float32)
    for start in range(0, len(points), rows):
        own = here[start : start + rows]
        # One posterior, that of two classes, needs no loop, and so no process of two classes has to
        # load what runs compiled code, which takes more memory than all else here.
        yield np.square(own - there) if len(there) == 1 else squared_distances(own, there)


def _summed(squares: Array, kernels: Kernels, width: float) -> Array:
    """Weighted sums of the kernels; the squared distances are overwritten."""
    squares *= np.float32(-0.5 / width**2)
    np.exp(squares, out=squares)
    return np.column_stack([squares[:, own] @ kernels.weights[own] for own in kernels.each()])


def sum_values(kernels: Kernels, values: Array) -> Array:
    """Weighted sums of values at the places of kernels, shape (k, ...).

    Parameters
    ----------
    kernels
        With weights.
    values
        At the place of each.
    """
    return np.array([kernels.weights[own] @ values[own] for own in kernels.each()])


@kernel(fastmath=True)
def squared_distances(points: Array, places: Array) -> Array:
    """Squared distance of each point (row) from each place (column).

    Parameters
    ----------
    points
        Shape (t, m).
    places
        Shape (m, r).
    """
    squares = np.zeros((len(points), places.shape[1]), dtype=points.dtype)
    for i in range(len(points)):
        for c in range(len(places)):
            x = points[i, c]
            for j in range(places.shape[1]):
                far = x - places[c, j]
                squares[i, j] += far * far
    return squares
