"""Nonnegative solutions of small quadratic problems, thousands of them, for intervals."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import kernel

__all__ = ["least_nonnegative"]

Array = NDArray[Any]

_CHANCES = 3  # for guesses that mend no fault, before entries are mended one at a time
_SLACK = 1e-12


@kernel
def least_nonnegative(matrix: Array, right: Array, free: Array) -> Array:
    """The x >= 0 for which x'·matrix·x/2 - right·x is least.

    Entries are guessed to be zero or free; those that turn out wrong change sides, all at once as
    long as that leaves fewer, else the last of them alone, which is sure to end. Kostreva (1978),
    "Block pivot methods for solving the complementarity problem".

    Parameters
    ----------
    matrix
        Symmetric and definite, shape (K, K), with a diagonal of about one size.
    right
        Shape (K,).
    free
        Entries that may well be above 0; it is written to.
    """
    n = len(right)
    x, wrong = np.zeros(n), np.zeros(n, np.bool_)
    fewest, chances = n + 1, _CHANCES
    for _ in range(100 + 20 * n):
        _solve(matrix, right, free, x)
        faults, last = 0, 0
        for i in range(n):
            if free[i]:
                wrong[i] = x[i] < 0
            else:
                slope = -right[i]
                for j in range(n):
                    slope += matrix[i, j] * x[j]
                wrong[i] = slope < -_SLACK
            if wrong[i]:
                faults += 1
                last = i
        if faults == 0:
            break
        if faults < fewest:
            fewest, chances = faults, _CHANCES
        else:
            chances -= 1
        if chances > 0:
            for i in range(n):
                if wrong[i]:
                    free[i] = not free[i]
        else:
            free[last] = not free[last]
    return np.maximum(x, 0.0)


@kernel
def _solve(matrix: Array, right: Array, free: Array, x: Array) -> None:
    """Set x to the solution of the equations of free entries, others to 0, after Cholesky."""
    n = len(right)
    factor = np.zeros((n, n))
    for i in range(n):
        x[i] = 0.0
        if not free[i]:
            continue
        x[i] = right[i]
        for j in range(i + 1):
            if not free[j]:
                continue
            value = matrix[i, j]
            for k in range(j):
                value -= factor[i, k] * factor[j, k]
            if j < i:
                factor[i, j] = value / factor[j, j]
                x[i] -= factor[i, j] * x[j]
            else:  # what rounding leaves of a pivot may be nothing
                factor[i, i] = np.sqrt(max(value, 1e-15 * matrix[i, i]))
                x[i] /= factor[i, i]
    for i in range(n - 1, -1, -1):
        if free[i]:
            for k in range(i + 1, n):
                x[i] -= factor[k, i] * x[k]
            x[i] /= factor[i, i]
