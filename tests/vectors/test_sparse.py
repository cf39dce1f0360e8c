"""Sparse matrices whose arrays do not fit each other are found before anything reads them."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from quantext.vectors.sparse import check_sparse, find_fault, is_canonical, read_only

DENSE = np.array([[1.0, 0, 2, 0], [0, 3, 0, 0], [4, 0, 5, 6], [0, 0, 0, 7]])


def compressed(make=sparse.csr_matrix, **changed):
    """A matrix some of whose arrays are others: its indptr is 0, 2, 3, 6, 7 in rows."""
    X = make(DENSE)
    for name, array in changed.items():
        setattr(X, name, np.asarray(array))
    return X


INDICES, INDPTR = [0, 2, 1, 0, 2, 3, 3], [0, 2, 3, 6, 7]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"indices": [0, 2, 1, 0, 2, 3, 4]}, "entry 6 of its indices is 4, and it has 4 columns"),
        ({"indices": [0, 2, -1, 0, 2, 3, 3]}, "entry 2 of its indices is -1"),
        ({"indices": [0, 2, 10**9, 0, 2, 3, 3]}, "entry 2 of its indices is 1000000000"),
        ({"indices": INDICES[:5]}, "it has 7 numbers, and 5 indices"),
        ({"indices": np.array(INDICES, float)}, "its indices are float64"),
        ({"indices": [INDICES]}, "of shape"),
        ({"data": [1.0, 2.0]}, "it has 2 numbers, and 7 indices"),
        ({"data": [[1.0] * 7]}, r"its data are of shape \(1, 7\)"),
        ({"indptr": [0, 2, 1, 6, 7]}, "entry 2 of its indptr is 1, after 2"),
        ({"indptr": [0, 10**8, 3, 6, 7]}, "entry 2 of its indptr is 3, after 100000000"),
        ({"indptr": [0, -(10**8), 3, 6, 7]}, "entry 1 of its indptr is -100000000, after 0"),
        ({"indptr": [0, 2, 3, 6, 8]}, "from 0 to 8, and there are 7 numbers"),
        ({"indptr": [1, 2, 3, 6, 7]}, "from 1 to 7"),
        ({"indptr": [0, 2, 7]}, "its indptr has 3 entries, and it has 4 rows"),
        ({"indptr": np.array(INDPTR, float)}, "its indptr are float64"),
        ({"data": np.arange(7.0).astype(">f8")}, "its data are >f8, and this machine has another"),
        ({"data": np.arange(7.0).astype(object)}, "its data are object, and no numbers"),
        ({"data": ["a"] * 7}, "its data are <U1, and no numbers"),
        ({"_shape": (4, -4)}, "its shape is "),
    ],
)
def test_a_row_matrix_with_a_fault_is_an_error_that_says_which(changed, message):
    with pytest.raises(ValueError, match=message):
        check_sparse(compressed(**changed))


def test_the_other_formats_are_checked_before_they_are_converted():
    columns = sparse.csc_array(DENSE)
    columns.indices[0] = 4
    with pytest.raises(ValueError, match="entry 0 of its indices is 4, and it has 4 rows"):
        check_sparse(columns)
    points = sparse.coo_array(DENSE)
    points.coords[1][3] = -2
    with pytest.raises(ValueError, match="entry 3 of its coordinates 1 is -2, of 4"):
        check_sparse(points)
    points = sparse.coo_array(DENSE)
    points.data = points.data[:3]
    with pytest.raises(ValueError, match=r"coordinates 0 are int\d+ of shape \(7,\)"):
        check_sparse(points)
    blocks = sparse.bsr_array(DENSE, blocksize=(2, 2))
    blocks.indices[0] = 2
    with pytest.raises(ValueError, match="is 2, and it has 2 blocks of columns"):
        check_sparse(blocks)
    lists = sparse.lil_array(DENSE)
    lists.rows[0] = [0, 9]
    with pytest.raises(ValueError, match="entry 1 of its indices is 9"):
        check_sparse(lists)
    lists.rows[0] = [0]
    with pytest.raises(ValueError, match="differ in length"):
        check_sparse(lists)
    diagonals = sparse.dia_array(DENSE)
    diagonals.offsets = diagonals.offsets[:1]
    with pytest.raises(ValueError, match=r"it has offsets of shape \(1,\)"):
        check_sparse(diagonals)


@pytest.mark.parametrize("offset", [2**62, -(2**33) - 2, 0.5])
def test_diagonals_that_no_matrix_has_are_a_fault(offset):
    diagonals = sparse.dia_array(DENSE)
    diagonals.offsets = np.array([offset, *diagonals.offsets[1:]])
    with pytest.raises(ValueError, match=r"malformed: (one of )?its offsets"):
        check_sparse(diagonals)
    diagonals.offsets = np.array([-1000, *sparse.dia_array(DENSE).offsets[1:]])
    check_sparse(diagonals)  # an empty one


def test_what_is_no_array_of_this_machine_is_a_fault():
    swapped = np.array(INDICES, np.int32).astype(np.dtype(np.int32).newbyteorder())
    with pytest.raises(ValueError, match=r"its indices are .i4, and this machine has another byte"):
        check_sparse(compressed(indices=swapped))
    points = sparse.coo_array(DENSE)
    points.coords = (points.coords[0], points.coords[1].astype(swapped.dtype))
    with pytest.raises(ValueError, match=r"its coords are .i4, and this machine has another byte"):
        check_sparse(points)
    rows = sparse.csr_array(DENSE)
    rows.data = rows.data.tolist()
    with pytest.raises(ValueError, match="its data are a list, and no array"):
        check_sparse(rows)
    lists = sparse.lil_array(DENSE)
    lists.rows[0] = ["0", "2"]
    with pytest.raises(ValueError, match="its lists cannot be read"):
        check_sparse(lists)


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo", "lil", "dia", "dok"])
@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csr_matrix])
def test_matrices_as_scipy_makes_them_pass(kind, make):
    for dense in (DENSE, DENSE[:0], np.zeros((3, 5))):
        check_sparse(make(dense).asformat(kind))


def test_unsorted_columns_duplicates_spare_room_and_wide_indices_are_no_fault():
    check_sparse(compressed(indices=[2, 0, 1, 3, 3, 0, 3]))
    check_sparse(compressed(indices=[*INDICES, 99], data=[1.0] * 8))  # beyond the last row
    check_sparse(compressed(indices=np.array(INDICES, np.int64)))
    check_sparse(compressed(indices=np.array(INDICES * 2)[::2] * 0))
    check_sparse(sparse.csr_array([1.0, 0, 2]))  # a vector
    check_sparse("no matrix")


def test_the_kernels_agree_with_plain_python():
    rng = np.random.default_rng(0)
    for _ in range(300):
        indptr = np.append(0, rng.integers(0, 7, 4))
        indptr[:4].sort() if rng.random() < 0.7 else None
        indices = rng.integers(-1, 6, 8)
        falls = np.flatnonzero(np.diff(indptr) < 0)
        outside = [k for k in range(indptr[-1]) if not 0 <= indices[k] < 5]
        expected = (int(falls[0]) + 1, -1) if len(falls) else (-1, outside[0] if outside else -1)
        arrays = read_only(indptr), read_only(indices)
        assert find_fault(*arrays, np.uint64(5)) == expected
        rows = [indices[a:b] for a, b in pairwise(indptr)]
        assert is_canonical(*arrays) == all((np.diff(row) > 0).all() for row in rows)
