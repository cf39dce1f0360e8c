"""Themes: the directions in which documents differ most, labelled or not."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quantext.progress import Progress, silent

__all__ = ["directions", "unit_rows"]

Array = NDArray[Any]

_ROUNDS = 4  # of the subspace iteration


def directions(
    rows: sparse.csr_matrix, number: int, seed: Sequence[int], progress: Progress = silent
) -> NDArray[np.float32]:
    """Leading directions of rows, shape (columns, at most ``number``).

    Subspace iteration (Halko, Martinsson & Tropp 2011, "Finding structure with randomness"), with
    single precision: themes need not be exact.

    Parameters
    ----------
    rows
        One for each document.
    number
        How many; fewer if there are fewer rows or columns.
    seed
        Of the search.
    progress
        Told how far it is.
    """
    number = min(number, *rows.shape)
    basis = np.random.default_rng(seed).standard_normal(
        (rows.shape[1], min(number + 16, rows.shape[1]))
    )
    basis = basis.astype(np.float32)
    transposed = rows.T.tocsr()
    for done in range(_ROUNDS):
        progress("themes", done, _ROUNDS)
        basis, _ = np.linalg.qr(transposed @ (rows @ basis))
    own = rows @ basis
    _, turned = np.linalg.eigh((own.T @ own).astype(np.float64))
    progress("themes", _ROUNDS, _ROUNDS)
    return np.asarray(basis @ turned[:, ::-1][:, :number].astype(np.float32), dtype=np.float32)


def unit_rows(rows: Array) -> NDArray[np.float32]:
    """Rows of unit length; one of nothing stays 0.

    Parameters
    ----------
    rows
        Places of documents, shape (N, d).
    """
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)
