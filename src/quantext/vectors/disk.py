"""Vectors on disk: a sparse matrix as a folder of plain arrays, for more than memory holds.

The folder has ``data.npy``, ``indices.npy`` and ``indptr.npy``, as SciPy names the parts of a CSR
matrix, and ``shape.npy``: NumPy alone reads them. They are written piece by piece, and mapped into
memory when they are opened, so that the system reads what is used and may forget it again.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quantext.atomic import new_folder
from quantext.vectors.sparse import check_sparse, is_canonical, read_only

__all__ = ["map_vectors", "open_vectors", "write_vectors"]

Array = NDArray[Any]

_BLOCK = 1 << 20  # numbers that are copied at a time
_FILES = ("shape", "indptr", "indices", "data")
_NUMBERS = "?bBhHiIlLqQfdgFDG"  # what SciPy has sparse matrices of, as NumPy abbreviates it


def write_vectors(pieces: Iterable[Any], folder: Path | str) -> sparse.csr_matrix:
    """The rows of all pieces, written to a new folder and mapped into memory.

    Memory holds two pieces at most. The folder gets its name when it is complete: whatever
    happens before that, there is nothing under this name.

    Parameters
    ----------
    pieces
        Sparse matrices with the same number of columns and the same type of numbers, at least one,
        which may be without rows. Columns are sorted within each row, and duplicates summed. A
        matrix by itself is one piece.
    folder
        Where to; it must not exist, and the folder that it is in must.

    See Also
    --------
    open_vectors : The same matrix again, later or in another process.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> pieces = (sparse.csr_matrix([[0, n]], dtype=np.float32) for n in (1, 2))
    >>> with TemporaryDirectory() as place:
    ...     write_vectors(pieces, Path(place, "vectors")).toarray()
    array([[0., 1.],
           [0., 2.]], dtype=float32)
    """
    with new_folder(folder) as part:
        # SciPy would take rows of a matrix before anybody has looked at it.
        _write([pieces] if sparse.issparse(pieces) else pieces, part)
    return map_vectors(Path(folder))


def open_vectors(folder: Path | str) -> sparse.csr_matrix:
    """The matrix that `write_vectors` wrote, mapped into memory.

    The files may come from anywhere, so all places of numbers are read once and checked, which
    takes about a millisecond a million; the numbers themselves are not read.
    Its arrays may be written to, which changes them in memory and not on disk, unless the files are
    larger than all memory: then they are read-only. From 2³¹ non-zeros on, ``indptr`` is of 64 bits
    and ``indices`` is still of 32; SciPy's own operations make a copy of it then.

    Parameters
    ----------
    folder
        Where it is.
    """
    X = map_vectors(Path(folder))
    try:
        check_sparse(X)
    except ValueError as error:
        raise ValueError(
            f"{folder} is damaged, or was not made by write_vectors: {error}; write it again"
        ) from None
    if not is_canonical(read_only(X.indptr), read_only(X.indices)):
        raise ValueError(
            f"{folder} is damaged, or was not made by write_vectors: the columns of a row do not "
            "rise; write it again"
        )
    return X


def map_vectors(folder: Path) -> sparse.csr_matrix:
    """The matrix in a folder, not read: only the sizes of the files are checked.

    Parameters
    ----------
    folder
        Whose files come from a place as trusted as this process.
    """
    if not folder.exists():
        raise FileNotFoundError(f"there is no folder {folder}; write_vectors makes one")
    shape, indptr, indices, data = (_mapped(folder / f"{name}.npy") for name in _FILES)
    if not (
        len(shape) == 2
        and shape.dtype == np.int64
        and shape.min() >= 0
        and len(indptr) == shape[0] + 1
        and indptr[0] == 0
        and len(indices) == len(data) == indptr[-1]
        and indptr.dtype in (np.int32, np.int64)
        and indices.dtype == np.int32
    ):
        raise ValueError(
            f"{folder} is damaged, or was not made by write_vectors: its arrays do not belong to "
            "one matrix; write it again"
        )
    # Given to the constructor, arrays of different types would be copied to one type.
    X = sparse.csr_matrix((int(shape[0]), int(shape[1])), dtype=data.dtype)
    X.indptr, X.indices, X.data = indptr, indices, data
    X.has_sorted_indices = X.has_canonical_format = True  # spares the check, a pass over all data
    return X


def _write(pieces: Iterable[Any], folder: Path) -> None:
    """Write the files of a matrix."""
    iterator = map(_checked, pieces)
    piece = next(iterator, None)
    if piece is None:
        raise ValueError("there are no pieces; give at least one, which may be without rows")
    n_columns, dtype = piece.shape[1], piece.dtype
    ends = folder / "ends.npy"
    n_rows = n_numbers = 0
    with (
        _growing(folder / "data.npy", dtype) as add_data,
        _growing(folder / "indices.npy", np.int32) as add_indices,
        _growing(ends, np.int64) as add_ends,
    ):
        add_ends(np.zeros(1, np.int64))
        while piece is not None:
            if (piece.shape[1], piece.dtype) != (n_columns, dtype):
                raise ValueError(
                    f"the piece from row {n_rows} on has {piece.shape[1]} columns of {piece.dtype}"
                    f", and the first one {n_columns} of {dtype}; they must be alike"
                )
            rows = _canonical(piece)
            add_data(rows.data)
            add_indices(rows.indices)
            add_ends(rows.indptr[1:].astype(np.int64) + n_numbers)
            n_rows += rows.shape[0]
            n_numbers += rows.nnz
            piece = next(iterator, None)
    # Only now is it known which type is wide enough, the same as in SciPy.
    wide = n_numbers > np.iinfo(np.int32).max
    with _growing(folder / "indptr.npy", np.int64 if wide else np.int32) as add_indptr:
        all_ends = np.lib.format.open_memmap(ends, mode="r")
        for start in range(0, n_rows + 1, _BLOCK):
            add_indptr(all_ends[start : start + _BLOCK])
        del all_ends  # some systems cannot delete a file that is mapped
    ends.unlink()
    with _growing(folder / "shape.npy", np.int64) as add_shape:
        add_shape(np.array([n_rows, n_columns]))


def _checked(piece: Any) -> Any:
    """The piece, if it is a sparse matrix that can be read."""
    if getattr(piece, "ndim", 0) != 2 or not sparse.issparse(piece):
        raise TypeError(
            f"one of the pieces is a {type(piece).__name__}; give sparse matrices: [X] for a single"
            " one, scipy.sparse.csr_matrix(X) for an array"
        )
    check_sparse(piece)
    return piece


def _canonical(piece: Any) -> Any:
    """The piece as CSR, with columns sorted and without duplicates."""
    rows = piece.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


@contextmanager
def _growing(path: Path, dtype: Any) -> Iterator[Callable[[Array], None]]:
    """Function that adds numbers to a new .npy file, which is on the disk at the end."""
    length = 0
    with open(path, "wb") as file:
        _write_header(file, dtype, length)

        def add(values: Array) -> None:
            nonlocal length
            length += len(values)
            file.write(np.ascontiguousarray(values, dtype).data)

        yield add
        file.seek(0)
        _write_header(file, dtype, length)
        file.flush()
        os.fsync(file.fileno())


def _write_header(file: BinaryIO, dtype: Any, length: int) -> None:
    """Write the header of an array; NumPy leaves room in it for any length."""
    descr = np.lib.format.dtype_to_descr(np.dtype(dtype))
    header = {"descr": descr, "fortran_order": False, "shape": (length,)}
    np.lib.format.write_array_header_1_0(file, header)


def _mapped(path: Path) -> Array:
    """The array in a .npy file."""
    if not path.is_file():
        raise ValueError(f"{path.parent} does not hold vectors: it has no file {path.name}")
    try:
        dtype, length, start = _header(path)
        # Copy on write: kernels are compiled for arrays that may be written to.
        try:
            return np.asarray(np.memmap(path, dtype, "c", start, (length,)))
        except OSError:  # larger than memory: the system has no room for such a copy
            return np.asarray(np.memmap(path, dtype, "r", start, (length,)))
    except OSError:
        raise
    except Exception as error:  # NumPy parses the header as Python, and whatever that raises
        raise ValueError(
            f"{path} is damaged or incomplete, or no array: {error}; write the vectors again"
        ) from None


def _header(path: Path) -> tuple[np.dtype[Any], int, int]:
    """Type and number of the numbers in a .npy file, and where they start; they are all there."""
    with open(path, "rb") as file:
        if (version := np.lib.format.read_magic(file)) != (1, 0):
            raise ValueError(f"it is of version {version}")
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        start = file.tell()
    if dtype.char not in _NUMBERS or not dtype.isnative or len(shape) != 1:
        raise ValueError(f"it holds {dtype} of shape {shape}, and no list of numbers")
    if start + shape[0] * dtype.itemsize != path.stat().st_size:
        raise ValueError(f"it is not as long as {shape[0]} numbers are")
    return dtype, shape[0], start
