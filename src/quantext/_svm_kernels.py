"""Numba kernels of the structural SVM: products with a CSR matrix, searches, a small solver.

Indices are converted to unsigned integers by value: that spares Numba's test for negative ones,
which costs as much as the arithmetic. All are single-threaded and release the GIL.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = [
    "best_count",
    "best_table_f1",
    "best_table_q",
    "csr_matvec",
    "csr_rmatvec",
    "solve_positive_definite",
]

Array = NDArray[np.float64]
ONE, TWO, THREE, FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)


@njit(cache=True, nogil=True)
def csr_matvec(
    indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], w: Array, out: Array
) -> None:
    """Write X·w to `out`, accumulated in double precision whatever the type of `data`."""
    for i in range(len(out)):
        # Four sums at once: a single one would wait for each addition before the next.
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        k, end = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        last = k + ((end - k) & ~THREE)
        while k < last:
            a += data[k] * w[np.uint64(indices[k])]
            b += data[k + ONE] * w[np.uint64(indices[k + ONE])]
            c += data[k + TWO] * w[np.uint64(indices[k + TWO])]
            d += data[k + THREE] * w[np.uint64(indices[k + THREE])]
            k += FOUR
        while k < end:
            a += data[k] * w[np.uint64(indices[k])]
            k += ONE
        out[i] = (a + b) + (c + d)


@njit(cache=True, nogil=True)
def csr_rmatvec(
    indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], v: Array, out: Array
) -> None:
    """Add Xᵀ·v to `out`; rows where v is zero cost nothing."""
    for i in range(len(v)):
        if v[i] != 0.0:
            k, end = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
            while k < end:
                out[np.uint64(indices[k])] += v[i] * data[k]
                k += ONE


@njit(cache=True, nogil=True)
def best_count(cost: Array, ascending: Array) -> int:
    """The k with the largest cost[k] plus sum of the k highest scores."""
    n = len(ascending)
    best, best_k, total = cost[0], 0, 0.0
    for k in range(1, n + 1):
        total += ascending[n - k]
        if cost[k] + total > best:
            best, best_k = cost[k] + total, k
    return best_k


@njit(cache=True, nogil=True)
def best_table_f1(positive: Array, negative: Array) -> tuple[int, int]:
    """(tp, fp) of the largest n·F1 loss plus sums of the tp and fp highest scores.

    `positive[tp]` and `negative[fp]` are those sums, of the positive and the negative documents.
    For a fixed tp the value is concave in fp, and the best fp never decreases with tp (the loss is
    supermodular), so one pass of two pointers is exact. There must be a positive document.
    """
    P, N = len(positive) - 1, len(negative) - 1
    n = float(P + N)
    best, best_tp, best_fp = -np.inf, 0, 0
    fp = 0
    for tp in range(P + 1):
        value = negative[fp] - n * 2.0 * tp / (tp + P + fp)
        while fp < N:
            following = negative[fp + 1] - n * 2.0 * tp / (tp + P + fp + 1)
            if following <= value:
                break
            value = following
            fp += 1
        if value + positive[tp] > best:
            best, best_tp, best_fp = value + positive[tp], tp, fp
    return best_tp, best_fp


@njit(cache=True, nogil=True)
def best_table_q(positive: Array, negative: Array) -> tuple[int, int]:
    """(tp, fp) of the largest n·Q loss plus sums of the tp and fp highest scores.

    `positive[tp]` and `negative[fp]` are those sums, of the positive and the negative documents.
    Closeness in prevalence is the lesser of two linear functions of tp + fp, so the loss is the
    greater of two losses, one for each. The one that rises with fp is supermodular: its best fp
    never decreases with tp. The other is submodular: it never increases. Rows are visited in the
    order of a bisection, each between the best columns of its neighbours, which is exact and takes
    O((P+N) log P). There must be a positive document.
    """
    P, N = len(positive) - 1, len(negative) - 1
    n, M = float(P + N), float(max(P, N))
    best, best_tp, best_fp = -np.inf, 0, 0
    column = np.empty(P + 1, np.int64)
    for sign in (1.0, -1.0):
        step = 1
        while 2 * step <= P + 1:
            step *= 2
        while step >= 1:
            for tp in range(step - 1, P + 1, 2 * step):
                before = column[tp - step] if tp >= step else (0 if sign > 0 else N)
                after = column[tp + step] if tp + step <= P else (N if sign > 0 else 0)
                recall = tp / P
                row_best, row_fp = -np.inf, 0
                for fp in range(min(before, after), max(before, after) + 1):
                    closeness = 1.0 + sign * (P - tp - fp) / M
                    total = closeness + recall
                    harmonic = closeness * recall / total if total > 0 else 0.0
                    value = negative[fp] - 2.0 * n * harmonic
                    if value > row_best:
                        row_best, row_fp = value, fp
                column[tp] = row_fp
                if row_best + positive[tp] > best:
                    best, best_tp, best_fp = row_best + positive[tp], tp, row_fp
            step //= 2
    return best_tp, best_fp


@njit(cache=True, nogil=True)
def solve_positive_definite(A: Array, rows: Array, least: float) -> None:
    """Overwrite each row r of `rows` by the solution x of A·x = r, and A by its Cholesky factor.

    Pivots below `least` are taken for it: they are rounding.
    """
    n = len(A)
    for j in range(n):
        pivot = np.sqrt(max(A[j, j], least))
        for i in range(j, n):
            A[j, i] /= pivot
        A[j, j] = pivot
        for i in range(j + 1, n):
            factor = A[j, i]
            for c in range(i, n):
                A[i, c] -= factor * A[j, c]
    for r in range(len(rows)):
        x = rows[r]
        for j in range(n):
            x[j] /= A[j, j]
            for i in range(j + 1, n):
                x[i] -= A[j, i] * x[j]
        for j in range(n - 1, -1, -1):
            for i in range(j + 1, n):
                x[j] -= A[j, i] * x[i]
            x[j] /= A[j, j]
