"""Rows: weights of batches stacked to a sparse matrix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quantext.vectors.batches import in_threads
from quantext.vectors.terms import Counts
from quantext.vectors.tokenise import Ints, Offsets
from quantext.vectors.weighing import Features, Part, n_weights, write_rows

__all__ = ["pieces", "stack", "weighed_matrix"]


def stack(parts: Iterable[Part], n_features: int) -> sparse.csr_matrix:
    """One sparse matrix of the rows of all batches."""
    weights, columns = [np.empty(0, np.float32)], [np.empty(0, np.int32)]
    ends = []
    for batch_weights, batch_columns, batch_ends in parts:
        weights.append(batch_weights)
        columns.append(batch_columns)
        ends.append(batch_ends)
    return _matrix(np.concatenate(weights), np.concatenate(columns), ends, n_features)


def pieces(parts: Iterable[Part], n_features: int) -> Iterator[sparse.csr_matrix]:
    """A sparse matrix of the rows of each batch, and one without rows if there is no batch."""
    return (stack(part, n_features) for part in chain([[]], ([part] for part in parts)))


def weighed_matrix(
    batches: list[Counts], features: list[Features], n_threads: int
) -> sparse.csr_matrix:
    """One sparse matrix of the rows of all batches, each written where it belongs.

    Parameters
    ----------
    batches
        What was counted in each.
    features
        Of the terms of each counter.
    n_threads
        That weigh.
    """
    sizes = list(
        in_threads(lambda counts: n_weights(counts, features[counts.counter]), batches, n_threads)
    )
    starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    weights, columns = np.empty(starts[-1], np.float32), np.empty(starts[-1], np.int32)

    def write(work: tuple[Counts, slice]) -> Offsets:
        counts, place = work
        return write_rows(counts, features[counts.counter], weights[place], columns[place])

    places = map(slice, starts[:-1], starts[1:])
    ends = list(in_threads(write, zip(batches, places, strict=True), n_threads))
    return _matrix(weights, columns, ends, features[0].n)


def _matrix(
    weights: NDArray[np.float32], columns: Ints, ends: list[Offsets], n_features: int
) -> sparse.csr_matrix:
    """The sparse matrix of rows whose ends are told by batch."""
    indptr = [np.zeros(1, np.int64)]
    for batch_ends in ends:
        indptr.append(batch_ends + indptr[-1][-1] if len(batch_ends) else batch_ends)
    rows = np.concatenate(indptr)
    matrix = sparse.csr_matrix((weights, columns, rows), shape=(len(rows) - 1, n_features))
    matrix.has_canonical_format = True  # sorted and without duplicates: spare others the check
    return matrix
