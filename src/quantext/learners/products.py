"""Products with the data, X @ w and X.T @ v, and a few rows: all that a solver sees of it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quantext.vectors.csr import csr_matvec, csr_rmatvec, csr_rows

__all__ = [
    "BLOCK",
    "BlockSum",
    "Products",
    "add_up",
    "join_runs",
    "largest_value",
    "make_products",
]

Array = NDArray[np.float64]


class Products(Protocol):
    """All that training asks of the vectors X of the documents, wherever they are."""

    def matvec(self, w: Array) -> Array:
        """X @ w."""

    def rmatvec(self, v: Array) -> Array:
        """X.T @ v."""

    def rows(self, places: NDArray[np.intp]) -> Any:
        """The rows at some places, in that order, as CSR matrix."""

    def largest(self) -> float:
        """The largest absolute value in X."""


BLOCK = 16_384  # rows; another number would change the last digits of every model


class BlockSum(NamedTuple):
    """The sum of the vectors of some blocks of rows: a node of the binary tree over all blocks.

    The leaves of the tree are the blocks. A node covers ``size`` blocks, a power of two, and
    ``first``, the number of the first of them, is a multiple of it.
    """

    first: int
    size: int
    total: Array


def join_runs(*runs: Iterable[BlockSum]) -> list[BlockSum]:
    """The sums over a run of blocks, from those over the runs that follow each other in it.

    What it returns are the largest nodes of the tree within the run, from left to right; they are
    the same, to the last bit, however the run was divided. Runs are read as they come, and few
    vectors are held at a time.

    Parameters
    ----------
    runs
        Sums of consecutive blocks; each run begins where the one before ends.
    """
    nodes: list[BlockSum] = []
    for node in chain.from_iterable(runs):
        joined = node
        while nodes and nodes[-1].size == joined.size and nodes[-1].first % (2 * joined.size) == 0:
            left = nodes.pop()
            joined = BlockSum(left.first, 2 * left.size, left.total + joined.total)
        nodes.append(joined)
    return nodes


def add_up(run: Sequence[BlockSum]) -> Array:
    """The one vector that a run amounts to, its nodes added from the last to the first."""
    total = run[-1].total
    for node in run[-2::-1]:
        total = node.total + total
    return total


def make_products(X: Any) -> "CsrProducts | DenseProducts":
    """Products with an array or a CSR matrix, accumulated in double precision.

    Rows are summed in blocks of fixed size, and the blocks in a fixed tree. So when X is one of
    several parts of a matrix, cut at borders of blocks, then its scores and sums of blocks make up
    the products with that matrix, to the last bit.

    Parameters
    ----------
    X
        Array or CSR matrix of numbers, of shape (n, d). If it is mapped from a file it is read from
        there each time, and not held.
    """
    return CsrProducts(X) if sparse.issparse(X) else DenseProducts(X)


@dataclass(frozen=True, eq=False)
class CsrProducts:
    """Products with a CSR matrix."""

    X: Any

    def matvec(self, w: Array) -> Array:
        """X @ w."""
        out = np.empty(self.X.shape[0])
        csr_matvec(self.X.indptr, self.X.indices, self.X.data, w, out)
        return out

    def rmatvec(self, v: Array) -> Array:
        """X.T @ v."""
        return add_up(self.block_sums(v))

    def rows(self, places: NDArray[np.intp]) -> Any:
        """The rows at some places, in that order, as CSR matrix."""
        # By hand: of a matrix with 64-bit `indptr`, SciPy would first copy all indices.
        X = self.X
        starts = np.zeros(len(places) + 1, dtype=np.int64)
        np.cumsum(X.indptr[places + 1] - X.indptr[places], out=starts[1:])
        values, columns = np.empty(starts[-1], X.data.dtype), np.empty(starts[-1], X.indices.dtype)
        csr_rows(X.indptr, X.indices, X.data, places, starts, columns, values)
        return sparse.csr_matrix((values, columns, starts), shape=(len(places), X.shape[1]))

    def largest(self) -> float:
        """The largest absolute value in X."""
        return largest_value(self.X.data)

    def block_sums(self, v: Array, first: int = 0) -> list[BlockSum]:
        """X.T @ v as a run of blocks, of which the first has this number."""

        def add(start: int, stop: int, total: Array) -> None:
            indptr = self.X.indptr[start : stop + 1]
            csr_rmatvec(indptr, self.X.indices, self.X.data, v[start:stop], total)

        return join_runs(_sum_blocks(self.X.shape, first, add))


@dataclass(frozen=True, eq=False)
class DenseProducts:
    """Products with an array; not by a BLAS, whose sums depend on the number of its threads."""

    X: NDArray[Any]

    def matvec(self, w: Array) -> Array:
        """X @ w."""
        parts = self._double(0, len(self.X))
        return np.concatenate([np.einsum("ij,j->i", part, w) for _, part in parts])

    def rmatvec(self, v: Array) -> Array:
        """X.T @ v."""
        return add_up(self.block_sums(v))

    def rows(self, places: NDArray[np.intp]) -> Any:
        """The rows at some places, in that order, as CSR matrix."""
        return sparse.csr_matrix(self.X[places])

    def largest(self) -> float:
        """The largest absolute value in X."""
        return largest_value(self.X)

    def block_sums(self, v: Array, first: int = 0) -> list[BlockSum]:
        """X.T @ v as a run of blocks, of which the first has this number."""

        def add(start: int, stop: int, total: Array) -> None:
            for rows, part in self._double(start, stop):
                total += np.einsum("i,ij->j", v[rows], part)

        return join_runs(_sum_blocks(self.X.shape, first, add))

    def _double(self, start: int, stop: int) -> Iterator[tuple[slice, Array]]:
        """Rows and their vectors in double precision, a copy only of few rows at a time."""
        step = max(1, min(BLOCK, 2**20 // self.X.shape[1]))
        for row in range(start, stop, step):
            rows = slice(row, min(row + step, stop))
            yield rows, np.asarray(self.X[rows], dtype=np.float64, order="C")


def largest_value(values: NDArray[Any]) -> float:
    """The largest absolute value of an array, without a copy of it; 0 if it is empty.

    Parameters
    ----------
    values
        Numbers.
    """
    return max(float(values.max()), -float(values.min())) if values.size else 0.0


def _sum_blocks(
    shape: tuple[int, int], first: int, add: Callable[[int, int, Array], None]
) -> Iterator[BlockSum]:
    """The sum of each block; `add` adds the vectors of the rows from start to stop to a vector."""
    n, d = shape
    for number, start in enumerate(range(0, n, BLOCK), first):
        total = np.zeros(d)
        add(start, min(start + BLOCK, n), total)
        yield BlockSum(number, 1, total)
