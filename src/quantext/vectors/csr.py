"""Rows of CSR matrices: products with them, in one thread that lets others run.

The arrays of a matrix are trusted: `check_sparse` has looked at it before.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import inlined, kernel

__all__ = [
    "ONE",
    "csr_count",
    "csr_matmat",
    "csr_matvec",
    "csr_matvec_count",
    "csr_rmatvec",
    "csr_rows",
    "row_times",
]

Array = NDArray[np.float64]
ONE, TWO, THREE, FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)


@inlined
def row_times(
    indices: NDArray[Any], data: NDArray[Any], start: np.uint64, end: np.uint64, w: Array
) -> np.float64:
    """The product of a row, whose entries these are, with w, in double precision."""
    # Four sums at once: a single one would wait for each addition before the next.
    a = b = c = d = np.float64(0.0)
    k, fours = start, start + ((end - start) & ~THREE)
    while k < fours:
        a += data[k] * w[np.uint64(indices[k])]
        b += data[k + ONE] * w[np.uint64(indices[k + ONE])]
        c += data[k + TWO] * w[np.uint64(indices[k + TWO])]
        d += data[k + THREE] * w[np.uint64(indices[k + THREE])]
        k += FOUR
    while k < end:
        a += data[k] * w[np.uint64(indices[k])]
        k += ONE
    return (a + b) + (c + d)


@kernel(steps=lambda _, indices, *__: len(indices))
def csr_matvec(
    indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], w: Array, out: Array
) -> None:
    """Write X·w to `out`, accumulated in double precision whatever the type of `data`."""
    for i in range(len(out)):
        out[i] = row_times(indices, data, np.uint64(indptr[i]), np.uint64(indptr[i + 1]), w)


@kernel(steps=lambda _, indices, *__: len(indices))
def csr_matvec_count(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    w: Array,
    out: Array,
    documents: NDArray[np.int32],
) -> None:
    """Do what `csr_matvec` and `csr_count` do, in one pass over X: two take half as long again."""
    for i in range(len(out)):
        a = b = c = d = np.float64(0.0)
        k, end = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        last = k + ((end - k) & ~THREE)
        while k < last:
            e, f = np.uint64(indices[k]), np.uint64(indices[k + ONE])
            g, h = np.uint64(indices[k + TWO]), np.uint64(indices[k + THREE])
            a += data[k] * w[e]
            b += data[k + ONE] * w[f]
            c += data[k + TWO] * w[g]
            d += data[k + THREE] * w[h]
            documents[e] += data[k] != 0
            documents[f] += data[k + ONE] != 0
            documents[g] += data[k + TWO] != 0
            documents[h] += data[k + THREE] != 0
            k += FOUR
        while k < end:
            e = np.uint64(indices[k])
            a += data[k] * w[e]
            documents[e] += data[k] != 0
            k += ONE
        out[i] = (a + b) + (c + d)


@kernel(steps=lambda indices, *_: len(indices))
def csr_count(indices: NDArray[Any], data: NDArray[Any], documents: NDArray[np.int32]) -> None:
    """Add to `documents` how many rows have each column; none has a column twice."""
    k, end = np.uint64(0), np.uint64(len(indices))
    last = end & ~THREE
    while k < last:
        documents[np.uint64(indices[k])] += data[k] != 0
        documents[np.uint64(indices[k + ONE])] += data[k + ONE] != 0
        documents[np.uint64(indices[k + TWO])] += data[k + TWO] != 0
        documents[np.uint64(indices[k + THREE])] += data[k + THREE] != 0
        k += FOUR
    while k < end:
        documents[np.uint64(indices[k])] += data[k] != 0
        k += ONE


@kernel(steps=lambda _, indices, __, W, ___: len(indices) * W.shape[1])
def csr_matmat(
    indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], W: Array, out: Array
) -> None:
    """Add X·W to `out`, row by row in the order of the entries, in double precision."""
    for i in range(len(out)):
        total = out[i]
        k, end = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        last = k + ((end - k) & ~THREE)
        while k < last:
            # Four rows of W at once: a total is read and written once for all of them.
            w, a = W[np.uint64(indices[k])], np.float64(data[k])
            x, b = W[np.uint64(indices[k + ONE])], np.float64(data[k + ONE])
            y, c = W[np.uint64(indices[k + TWO])], np.float64(data[k + TWO])
            z, d = W[np.uint64(indices[k + THREE])], np.float64(data[k + THREE])
            for j in range(len(total)):
                total[j] = (((total[j] + a * w[j]) + b * x[j]) + c * y[j]) + d * z[j]
            k += FOUR
        while k < end:
            w, a = W[np.uint64(indices[k])], np.float64(data[k])
            for j in range(len(total)):
                total[j] += a * w[j]
            k += ONE


@kernel
def csr_rows(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    places: NDArray[Any],
    starts: NDArray[Any],
    columns: NDArray[Any],
    values: NDArray[Any],
) -> None:
    """Write the entries of the rows at some places to `columns` and `values`, at these starts."""
    for i in range(len(places)):
        k, end = np.uint64(indptr[places[i]]), np.uint64(indptr[places[i] + 1])
        at = np.uint64(starts[i])
        while k < end:
            columns[at] = indices[k]
            values[at] = data[k]
            at += ONE
            k += ONE


@kernel
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
