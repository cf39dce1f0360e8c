"""Sparse matrices: whether one can be read at all.

SciPy trusts the arrays of a matrix, and so do the kernels of `csr`: an index outside it would be
read from, or written to, memory that belongs to something else. So whatever takes a matrix of a
caller's or of a file has `check_sparse` look at it first.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quantext.kernels import kernel

__all__ = [
    "check_sparse",
    "find_fault",
    "is_canonical",
    "read_only",
    "without_duplicates",
]

_ARRAYS = ("data", "indptr", "indices", "coords", "offsets")


def check_sparse(X: Any) -> None:
    """Raise ValueError if X is a sparse matrix whose arrays do not fit each other.

    Columns that are not sorted, or twice in a row, are no fault. Anything that is no sparse matrix
    of SciPy's passes.

    Parameters
    ----------
    X
        Anything.

    Examples
    --------
    >>> X = sparse.csr_array(np.eye(2))
    >>> X.indices[1] = 7
    >>> check_sparse(X)
    Traceback (most recent call last):
        ...
    ValueError: the sparse matrix is malformed: entry 1 of its indices is 7, and it has 2 columns; \
make it anew, and let its check_format() look at it
    """
    if not sparse.issparse(X):
        return
    fault = _fault_of_arrays(X) or _FAULTS[getattr(X, "format", "")](X)
    if fault is not None:
        raise ValueError(
            f"the sparse matrix is malformed: {fault}; make it anew, and let its check_format() "
            "look at it"
        )


def _fault_of_arrays(X: Any) -> str | None:
    """What is no array of this machine's: SciPy and the kernels take nothing else."""
    if min(X.shape) < 0:
        return f"its shape is {X.shape}"
    for name in filter(partial(hasattr, X), _ARRAYS):
        values = getattr(X, name)
        for array in values if isinstance(values, tuple) else (values,):
            if not isinstance(array, np.ndarray):
                return f"its {name} are a {type(array).__name__}, and no array"
            if not array.dtype.isnative:
                return f"its {name} are {array.dtype.str}, and this machine has another byte order"
            if name == "data" and X.format != "lil" and array.dtype.kind not in "biufc":
                return f"its data are {array.dtype}, and no numbers"
    return None


def _fault_of_compressed(X: Any) -> str | None:
    """What is wrong with a CSR, CSC or BSR matrix."""
    indptr, indices, data = map(np.asarray, (X.indptr, X.indices, X.data))
    block = data.shape[1:] if X.format == "bsr" else (1, 1)
    if data.ndim != (3 if X.format == "bsr" else 1) or 0 in block:
        return f"its data are of shape {data.shape}"
    rows, columns = X.shape if len(X.shape) == 2 else (1, *X.shape)  # SciPy has vectors too
    if rows % block[0] or columns % block[1]:
        return f"blocks of {block[0]} by {block[1]} do not fill {rows} by {columns}"
    lines, across = rows // block[0], columns // block[1]
    names = ("blocks of rows", "blocks of columns") if X.format == "bsr" else ("rows", "columns")
    if X.format == "csc":
        lines, across, names = across, lines, ("columns", "rows")
    for name, array in (("indptr", indptr), ("indices", indices)):
        if array.ndim != 1 or array.dtype.kind not in "iu":
            return f"its {name} are {array.dtype} of shape {array.shape}, and no list of integers"
    if len(indptr) != lines + 1:
        return f"its indptr has {len(indptr)} entries, and it has {lines} {names[0]}"
    if len(indices) != len(data):
        return f"it has {len(data)} numbers, and {len(indices)} indices of them"
    if indptr[0] != 0 or indptr[-1] > len(indices):
        return (
            f"its indptr leads from {indptr[0]} to {indptr[-1]}, and there are {len(data)} numbers"
        )
    line, place = find_fault(read_only(indptr), read_only(indices), np.uint64(across))
    if line >= 0:
        return f"entry {line} of its indptr is {indptr[line]}, after {indptr[line - 1]}"
    if place >= 0:
        return f"entry {place} of its indices is {indices[place]}, and it has {across} {names[1]}"
    return None


def _fault_of_coordinates(X: Any) -> str | None:
    """What is wrong with a COO matrix."""
    if len(X.coords) != len(X.shape):
        return f"it has {len(X.coords)} coordinates for {len(X.shape)} dimensions"
    none = np.zeros(1, np.int64)
    for axis, (own, length) in enumerate(zip(map(np.asarray, X.coords), X.shape, strict=True)):
        if own.ndim != 1 or own.dtype.kind not in "iu" or len(own) != len(X.data):
            return f"its coordinates {axis} are {own.dtype} of shape {own.shape}, and it has " + (
                f"{len(X.data)} numbers"
            )
        ends = np.append(none, len(own))
        _, place = find_fault(read_only(ends), read_only(own), np.uint64(length))
        if place >= 0:
            return f"entry {place} of its coordinates {axis} is {own[place]}, of {length}"
    return None


def _fault_of_lists(X: Any) -> str | None:
    """What is wrong with a LIL matrix."""
    lengths = [[len(own) for own in lists] for lists in (X.rows, X.data)]
    if len(X.rows) != X.shape[0] or lengths[0] != lengths[1]:
        return "its lists of columns and of numbers differ in length"
    try:
        rows = X.tocsr()
    except (OverflowError, TypeError, ValueError) as error:
        return f"its lists cannot be read: {error}"
    return _fault_of_compressed(rows)


def _fault_of_diagonals(X: Any) -> str | None:
    """What is wrong with a DIA matrix."""
    if np.ndim(X.data) != 2 or np.shape(X.offsets) != np.shape(X.data)[:1]:
        return f"it has offsets of shape {np.shape(X.offsets)} for data of {np.shape(X.data)}"
    if X.offsets.dtype.kind not in "iu":
        return f"its offsets are {X.offsets.dtype}, and no integers"
    # Diagonals outside the matrix are empty, but SciPy may cut their numbers to 32 bits.
    most = max(2**31 - 1, *X.shape)
    for offset in map(int, X.offsets):
        if abs(offset) > most:
            return f"one of its offsets is {offset}, of {X.shape[0]} by {X.shape[1]}"
    return None


def _fault_of_dictionary(X: Any) -> str | None:
    """What is wrong with a DOK matrix, whose keys are seen to by SciPy."""
    return _fault_of_coordinates(X.tocoo())


_FAULTS = {
    "csr": _fault_of_compressed,
    "csc": _fault_of_compressed,
    "bsr": _fault_of_compressed,
    "coo": _fault_of_coordinates,
    "lil": _fault_of_lists,
    "dia": _fault_of_diagonals,
    "dok": _fault_of_dictionary,
}


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view that cannot be written to, as of a mapped file: kernels are compiled for one kind.

    Parameters
    ----------
    array
        Of one dimension.
    """
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


@kernel(steps=lambda indptr, indices, *_: len(indptr) + len(indices))
def find_fault(indptr: NDArray[Any], indices: NDArray[Any], width: np.uint64) -> tuple[int, int]:
    """First places where `indptr` falls, and where an index is not below `width`; −1 for none.

    Where `indptr` falls nobody looks at the indices; else its last entry is at most their number.
    """
    for line in range(1, len(indptr)):
        if indptr[line] < indptr[line - 1]:
            return line, -1
    end = np.int64(indptr[-1])
    outside = False
    for k in range(end):  # without a way out, so that many are compared at once
        outside |= bool(np.uint64(indices[k]) >= width)  # what is negative becomes large
    if outside:
        for k in range(end):
            if np.uint64(indices[k]) >= width:
                return -1, k
    return -1, -1


@kernel(steps=lambda _, indices: len(indices))
def is_canonical(indptr: NDArray[Any], indices: NDArray[Any]) -> bool:
    """Whether the columns of each row rise, so that none is there twice."""
    rises = True
    for i in range(len(indptr) - 1):
        for k in range(indptr[i] + 1, indptr[i + 1]):
            rises &= bool(indices[k - 1] < indices[k])
    return rises


def without_duplicates(X: Any) -> Any:
    """The CSR matrix with each column at most once in a row, as kernels that count need it.

    Parameters
    ----------
    X
        CSR matrix; it is not changed.
    """
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X
