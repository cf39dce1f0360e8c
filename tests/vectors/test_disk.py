"""Vectors on disk: written in pieces, mapped again, and never half there."""

import os
import resource
import subprocess
import sys
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from quantext.vectors.disk import map_vectors, open_vectors, write_vectors

# Rows: (0, 2, 0), (), (3, 0, 4).
X = sparse.csr_matrix(np.array([[0, 2, 0], [0, 0, 0], [3, 0, 4]], np.float32))


@pytest.fixture
def folder(tmp_path):
    """Of vectors that are there."""
    write_vectors([X], tmp_path / "vectors")
    return tmp_path / "vectors"


def assert_same(ours, expected):
    """The two matrices are the same bit for bit."""
    assert ours.shape == expected.shape
    for part in ("data", "indices", "indptr"):
        a, b = getattr(ours, part), getattr(expected, part)
        assert a.dtype == b.dtype
        assert np.array_equal(a, b)


def test_the_files_are_plain_arrays(folder):
    files = {path.name: np.load(path).tolist() for path in folder.iterdir()}
    assert files == {
        "shape.npy": [3, 3],
        "indptr.npy": [0, 1, 1, 3],
        "indices.npy": [1, 0, 2],
        "data.npy": [2, 3, 4],
    }


def test_a_matrix_that_is_opened_again_is_the_same_and_mapped(folder):
    again = open_vectors(str(folder))
    assert_same(again, X)
    for array in (again.data, again.indices, again.indptr):
        assert type(array) is np.ndarray
        assert isinstance(array.base, np.memmap)
    assert again.has_sorted_indices
    assert again.has_canonical_format
    assert (again @ np.ones(3)).tolist() == [2, 0, 7]


def test_writing_to_the_arrays_does_not_change_the_files(folder):
    opened = open_vectors(folder)
    opened.data[:] = 9
    assert opened.sum() == 27
    assert open_vectors(folder).sum() == 9


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.integers(0, 7), min_size=1, max_size=5),
    st.integers(0, 9),
    st.integers(0, 2**31),
    st.sampled_from([np.float32, np.float64]),
)
def test_pieces_of_any_sizes_become_their_stack(sizes, n_columns, seed, dtype):
    rng = np.random.default_rng(seed)
    pieces = [
        sparse.random(n, n_columns, 0.4, format="csr", dtype=dtype, random_state=rng) for n in sizes
    ]
    with TemporaryDirectory() as place:
        ours = write_vectors(iter(pieces), f"{place}/vectors")
        assert_same(ours, sparse.vstack(pieces, format="csr"))


def test_columns_are_sorted_and_duplicates_summed_without_touching_the_piece(tmp_path):
    indices, data = np.array([2, 0, 2], np.int32), np.array([1, 5, 10], np.float32)
    piece = sparse.csr_matrix((data, indices, [0, 3]), shape=(1, 3))
    ours = write_vectors([piece], tmp_path / "vectors")
    assert ours.indices.tolist() == [0, 2]
    assert ours.data.tolist() == [5, 11]
    assert piece.indices.tolist() == [2, 0, 2]


def test_two_pieces_are_in_memory_at_most(tmp_path):
    alive = 0

    class Piece(sparse.csr_matrix):
        def __del__(self):
            nonlocal alive
            alive -= 1

    def pieces():
        nonlocal alive
        for _ in range(5):
            alive += 1
            assert alive <= 2
            yield Piece(X)

    assert write_vectors(pieces(), tmp_path / "vectors").shape == (15, 3)


def test_pieces_that_are_not_alike_are_an_error_that_names_the_row(tmp_path):
    for other in (X[:, :2], X.astype(np.float64)):
        with pytest.raises(ValueError, match=r"from row 3 on has . columns of float"):
            write_vectors([X, other], tmp_path / "vectors")
    with pytest.raises(ValueError, match="no pieces; give at least one"):
        write_vectors([], tmp_path / "vectors")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("piece", [None, X.toarray(), sparse.coo_array([1.0, 2.0])])
def test_a_piece_that_is_no_sparse_matrix_is_an_error_and_not_the_end(piece, tmp_path):
    with pytest.raises(TypeError, match=rf"is a {type(piece).__name__}; give sparse matrices"):
        write_vectors([X, piece, X], tmp_path / "vectors")
    assert os.listdir(tmp_path) == []


def test_a_folder_that_exists_is_an_error_before_anything_is_read(folder):
    def pieces():
        raise AssertionError("it was read")
        yield

    with pytest.raises(FileExistsError, match="exists already; choose another name, or delete it"):
        write_vectors(pieces(), folder)
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere to make vectors in"):
        write_vectors(pieces(), folder / "nowhere" / "vectors")


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_work_that_is_interrupted_leaves_nothing(tmp_path, error):
    def pieces():
        yield X
        assert len(os.listdir(tmp_path)) == 1
        assert not (tmp_path / "vectors").exists()
        raise error

    with pytest.raises(error):
        write_vectors(pieces(), tmp_path / "vectors")
    assert os.listdir(tmp_path) == []


def test_a_full_disk_leaves_nothing(tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(OSError, match="large"):
            write_vectors([X] * 2000, tmp_path / "vectors")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert os.listdir(tmp_path) == []


KILLED = """
import os, signal, sys
from scipy import sparse
from quantext.vectors.disk import write_vectors

def pieces():
    yield sparse.eye(3, format="csr")
    os.kill(os.getpid(), signal.SIGKILL)

write_vectors(pieces(), sys.argv[1])
"""


def test_a_process_that_is_killed_leaves_nothing_under_the_name(tmp_path):
    target = tmp_path / "vectors"
    child = subprocess.run([sys.executable, "-c", KILLED, target], timeout=60)
    assert child.returncode == -9
    assert not target.exists()
    assert_same(write_vectors([X], target), X)


def test_a_folder_that_is_absent_foreign_or_a_file_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*vectors"):
        open_vectors(tmp_path / "vectors")
    with pytest.raises(ValueError, match=r"does not hold vectors: it has no file shape\.npy"):
        open_vectors(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="file does not hold vectors"):
        open_vectors(tmp_path / "file")


@pytest.mark.parametrize("name", ["shape", "indptr", "indices", "data"])
def test_a_file_that_is_missing_cut_off_or_no_array_is_an_error_that_names_it(folder, name):
    path = folder / f"{name}.npy"
    whole = path.read_bytes()
    for damaged in (
        whole[:-1],
        whole[:50],
        b"",
        b"PK\x03\x04" + whole,
        b"no array at all",
        whole.replace(b"}", b" "),
        whole.replace(b"False", b"F[l{e"),
    ):
        assert damaged != whole
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=rf"{name}\.npy is damaged or incomplete, or no array"):
            open_vectors(folder)
    path.unlink()
    with pytest.raises(ValueError, match=rf"it has no file {name}\.npy"):
        open_vectors(folder)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("shape", [3]),
        ("shape", [2, 3]),
        ("shape", [3, -3]),
        ("shape", [3.0, 3.0]),
        ("indptr", [0, 1, 3]),
        ("indptr", [0, 1, 1, 4]),
        ("indptr", [1, 1, 1, 3]),
        ("indptr", [0.0, 1.0, 1.0, 3.0]),
        ("indices", [1, 0]),
        ("indices", [1.0, 0.0, 2.0]),
        ("indptr", np.array([0, 2, 1, 3], np.int32)),  # falls
        ("indptr", np.array([0, -9, 1, 3], np.int32)),
        ("indices", np.array([1, 0, 3], np.int32)),  # there are three columns
        ("indices", np.array([-1, 0, 2], np.int32)),
        ("indices", np.array([1, 2, 0], np.int32)),  # not sorted
        ("indices", np.array([1, 2, 2], np.int32)),  # twice in a row
        ("data", [2.0, 3.0]),
    ],
)
def test_arrays_that_do_not_belong_together_are_an_error(folder, name, values):
    np.save(folder / f"{name}.npy", np.array(values))
    with pytest.raises(ValueError, match="is damaged, or was not made by write_vectors"):
        open_vectors(folder)


@pytest.mark.parametrize(
    "values",
    [
        np.ones((3, 1)),
        np.ones(3, ">f8"),
        np.ones(3, np.float16),
        np.array(["a", "b", "c"]),
        np.array(["2024-01-01"] * 3, "M8[s]"),
    ],
    ids=lambda values: values.dtype.str,
)
def test_what_is_no_list_of_numbers_is_an_error(folder, values):
    np.save(folder / "data.npy", values)
    with pytest.raises(ValueError, match=r"data\.npy is damaged .* it holds .*, and no list of nu"):
        open_vectors(folder)


@pytest.mark.parametrize("kind", ["|S0", "|V0"])
def test_numbers_without_bytes_do_not_end_the_process(folder, kind):
    # NumPy divides by their size when it maps a file of them.
    with open(folder / "data.npy", "wb") as file:
        header = {"descr": kind, "fortran_order": False, "shape": (3,)}
        np.lib.format.write_array_header_1_0(file, header)
    with pytest.raises(ValueError, match=r"data\.npy is damaged"):
        open_vectors(folder)


@pytest.mark.parametrize("length", [2, 4, 2**62])
def test_a_length_that_is_not_that_of_the_file_is_an_error(folder, length):
    path = folder / "data.npy"
    numbers = path.read_bytes()[128:]
    with open(path, "wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (length,)}
        np.lib.format.write_array_header_1_0(file, header)
        file.write(numbers)
    with pytest.raises(ValueError, match=f"it is not as long as {length} numbers are"):
        open_vectors(folder)


def test_files_larger_than_memory_are_opened_without_a_copy(folder):
    # Files of zeros that take no room on the disk: as many numbers as fill twice the memory.
    n = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    n = max(n, 2**31)
    try:
        for name, dtype in (("indices", np.int32), ("data", np.float32)):
            path = folder / f"{name}.npy"
            path.unlink()
            np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=(n,))
    except OSError as error:
        pytest.skip(f"no such files can be made here: {error}")
    np.save(folder / "indptr.npy", np.array([0, n - 1, n - 1, n]))
    huge = map_vectors(folder)
    assert (huge.nnz, huge.indptr.dtype, huge.indices.dtype) == (n, np.int64, np.int32)
    assert huge.data[-1] == 0


def test_a_malformed_piece_is_an_error_and_nothing_is_written(tmp_path):
    bad = sparse.csc_array(np.eye(2))
    bad.indices[1] = 2
    with pytest.raises(ValueError, match="the sparse matrix is malformed"):
        write_vectors([bad], tmp_path / "vectors")
    assert list(tmp_path.iterdir()) == []


def test_a_matrix_by_itself_is_one_piece_and_looked_at_like_any(tmp_path):
    X = sparse.csr_matrix(np.eye(3))
    assert (write_vectors(X, tmp_path / "vectors") != X).nnz == 0
    X.indptr[0] = 1
    with pytest.raises(ValueError, match="the sparse matrix is malformed"):
        write_vectors(X, tmp_path / "others")
    assert not (tmp_path / "others").exists()
