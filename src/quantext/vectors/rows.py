"""Rows: weights of batches stacked to a sparse matrix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quantext.vectors.tokenise import Ints, Offsets

__all__ = ["Part", "pieces", "stack"]

# Weights, columns and ends of the rows of a batch.
Part: TypeAlias = tuple[NDArray[np.float32], Ints, Offsets]


def stack(parts: Iterable[Part], n_features: int) -> sparse.csr_matrix:
    """One sparse matrix of the rows of all batches."""
    weights, columns = [np.empty(0, np.float32)], [np.empty(0, np.int32)]
    ends = [np.zeros(1, np.int64)]
    for batch_weights, batch_columns, batch_ends in parts:
        weights.append(batch_weights)
        columns.append(batch_columns)
        ends.append(batch_ends + ends[-1][-1])
    indptr = np.concatenate(ends)
    matrix = sparse.csr_matrix(
        (np.concatenate(weights), np.concatenate(columns), indptr),
        shape=(len(indptr) - 1, n_features),
    )
    matrix.has_canonical_format = True  # sorted and without duplicates: spare others the check
    return matrix


def pieces(parts: Iterable[Part], n_features: int) -> Iterator[sparse.csr_matrix]:
    """A sparse matrix of the rows of each batch, and one without rows if there is no batch."""
    return (stack(part, n_features) for part in chain([[]], ([part] for part in parts)))
