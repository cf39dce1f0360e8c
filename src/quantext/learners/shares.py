"""Kernels of means of labellings, which call each document positive in some share of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import kernel
from quantext.vectors.csr import ONE, row_times

__all__ = ["add_part", "raise_shares", "read_border", "read_shares", "squared_lengths"]

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
) -> tuple[Array, Array]:
    """Of labellings that have documents wrong in this part of them: how near these are to moving.

    The share of the labellings that calls each document positive, or 0 or 1 where it is as good as
    that; and how far its score plus the slope is from where this share would move. One in between
    moves wherever it is: −∞.
    """
    shares, away = np.empty(len(part)), np.empty(len(part))
    for i in range(len(part)):
        share = 1 - part[i] if signs[i] > 0 else part[i]
        if share < nothing:
            share = 0.0
        elif share > 1 - nothing:
            share = 1.0
        shares[i] = share
        # Beyond zero, it wants to stay.
        excess = scores[i] + slope
        away[i] = -np.inf if 0 < share < 1 else excess if share > 0 else -excess
    return shares, away


@kernel
def read_shares(
    shares: Array, signs: Array
) -> tuple[NDArray[np.float32], Array, Places, Array, int]:
    """Of labellings that call each document positive in this share of them: their mistakes.

    In which part of them its class differs, in single precision; that times the sign; where it is
    not zero; and, as rounded so, the shares between 0 and 1 and the number of those that are 1.
    """
    n, m, n_between, ones = len(shares), 0, 0, 0
    part, coefficients = np.empty(n, np.float32), np.empty(n)
    for i in range(n):
        positive = signs[i] > 0
        part[i] = 1 - shares[i] if positive else shares[i]
        differs = part[i] != 0
        m += differs
        n_between += differs and part[i] != 1
    wrong, between = np.empty(m + 1, np.int64), np.empty(n_between + 1)
    m, n_between = 0, 0
    for i in range(n):
        own = float(part[i])
        coefficients[i] = own * signs[i]
        wrong[m] = i
        m += own != 0
        share = 1 - own if signs[i] > 0 else own
        between[n_between] = share
        n_between += 0 < share < 1
        ones += share == 1
    return part, coefficients, wrong[:m], between[:n_between], ones


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
) -> tuple[Places, float]:
    """Move the shares of the documents visited to where each is best, and the weights along.

    The share of a row of the CSR matrix, between 0 and 1, takes `step` times the row from the
    weights; the last of these is the intercept. It rises while the row's score plus the slope is
    positive. `squares` are squared lengths of the rows, with the 1 of the intercept. Returns the
    documents that moved, and by how much all of them together did.
    """
    last, m, total = len(w) - 1, 0, 0.0
    moved = np.empty(len(visited), np.int64)
    for i in visited:
        start, end = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        excess = w[last] + row_times(indices, data, start, end, w) + slope
        share = min(max(shares[i] + excess / (step * squares[i]), 0.0), 1.0)
        if share != shares[i]:
            change = step * (shares[i] - share)
            total += share - shares[i]
            shares[i] = share
            moved[m] = i
            m += 1
            w[last] += change
            k = start
            while k < end:
                w[np.uint64(indices[k])] += change * data[k]
                k += ONE
    return moved[:m].copy(), total
