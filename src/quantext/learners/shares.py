"""Kernels of means of labellings, which call each document positive in some share of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import inlined, kernel
from quantext.vectors.csr import ONE, row_times

__all__ = [
    "add_part",
    "differing",
    "push_shares",
    "raise_shares",
    "read_border",
    "squared_lengths",
]

Array = NDArray[np.float64]
Places = NDArray[np.int64]


@kernel
def add_part(share: float, signs: Array, wrong: NDArray[Any], total: Array) -> None:
    """Add to `total` the signs of documents that are wrong, or of a part of them, times a share."""
    if share != 0.0:
        for i in range(len(total)):
            if wrong[i]:
                total[i] += share * wrong[i] * signs[i]


@kernel
def squared_lengths(indptr: NDArray[Any], data: NDArray[Any]) -> Array:
    """Of each row of a CSR matrix, and of the constant 1 after it."""
    squares = np.empty(len(indptr) - 1)
    for i in range(len(squares)):
        total, k, end = 0.0, np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        while k < end:
            total += np.float64(data[k]) * np.float64(data[k])
            k += ONE
        squares[i] = 1 + total
    return squares


@kernel
def read_border(
    part: Array, signs: Array, scores: Array, slope: float, nothing: float
) -> tuple[Array, int]:
    """Of labellings that have documents wrong in this part of them: how near these are to moving.

    How far the score of each plus the slope is from where the share of labellings that call it
    positive would move; one in between moves wherever it is: −∞. And how many have a share of 1.
    A part that is nothing, or all but nothing, is made 0 or 1.
    """
    away, ones = np.empty(len(part)), 0
    for i in range(len(part)):
        if part[i] < nothing:
            part[i] = 0.0
        elif part[i] > 1 - nothing:
            part[i] = 1.0
        positive = (part[i] == 0) == (signs[i] > 0)
        ones += positive and (part[i] == 0 or part[i] == 1)
        # Beyond zero, it wants to stay.
        excess = scores[i] + slope
        away[i] = -np.inf if 0 < part[i] < 1 else excess if positive else -excess
    return away, ones


@kernel
def differing(part: NDArray[Any], other: NDArray[Any], signs: Array) -> tuple[Array, int]:
    """By how much more of labellings each document is wrong than of others, times its sign.

    And how many documents that are.
    """
    difference, m = np.empty(len(part)), 0
    for i in range(len(part)):
        more = np.float64(part[i]) - np.float64(other[i])
        difference[i] = more * signs[i]
        m += more != 0
    return difference, m


@kernel
def raise_shares(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    squares: Array,
    visited: Places,
    slope: float,
    step: float,
    w: Array,
    shares: Array,
) -> float:
    """Move the shares of the documents visited to where each is best, and the weights along.

    The share of a row of the CSR matrix, between 0 and 1, takes `step` times the row from the
    weights; the last of these is the intercept. It rises while the row's score plus the slope is
    positive. `squares` are squared lengths of the rows, with the 1 of the intercept. Returns by how
    much all shares together rose.
    """
    last, total = len(w) - 1, 0.0
    for i in visited:
        start, end = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        excess = w[last] + row_times(indices, data, start, end, w) + slope
        share = min(max(shares[i] + excess / (step * squares[i]), 0.0), 1.0)
        if share != shares[i]:
            total += share - shares[i]
            _add_row(indptr, indices, data, i, step * (shares[i] - share), w)
            shares[i] = share
    return total


@kernel
def push_shares(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    visited: Places,
    push: float,
    before: Array,
    shares: Array,
    cut: Array,
) -> tuple[Places, float]:
    """Move the shares of the documents visited on, as far as they came since before, times a push.

    What that would be beyond 0 or 1 is cut off; added to `cut` is, for each document, this much of
    its row and of the 1 of the intercept. Where the shares were first is noted in `before`. Returns
    the documents that had come from elsewhere, and by how much all shares together rose now.
    """
    m, total = 0, 0.0
    moved = np.empty(len(visited), np.int64)
    for i in visited:
        now = shares[i]
        if now != before[i]:
            far = now + push * (now - before[i])
            share = min(max(far, 0.0), 1.0)
            if share != far:
                _add_row(indptr, indices, data, i, far - share, cut)
            total += share - now
            shares[i], before[i] = share, now
            moved[m] = i
            m += 1
    return moved[:m].copy(), total


@inlined
def _add_row(
    indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], i: int, much: float, out: Array
) -> None:
    """Add this much of a row to a vector, and of the constant 1 that stands after the row."""
    out[len(out) - 1] += much
    k, end = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
    while k < end:
        out[np.uint64(indices[k])] += much * data[k]
        k += ONE
