"""Products with a Dask array: its rows stay on the workers, and only vectors travel.

Every chunk of rows ends on the border of a block, so that the products are those of the same
matrix in memory, to the last bit. All that a step needs is in its graph, as a task of its own:
whatever is lost with a worker the scheduler makes again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any

import dask
import numpy as np
from dask.delayed import Delayed, delayed
from numpy.typing import NDArray
from scipy import sparse

from quantext.learners.products import (
    BLOCK,
    BlockSum,
    add_up,
    join_runs,
    largest_value,
    make_products,
)
from quantext.vectors.dask_arrays import check_chunks, check_dask_array
from quantext.vectors.sparse import check_sparse

__all__ = ["DaskProducts", "by_chunk", "gather", "hold", "in_whole_blocks"]

Array = NDArray[np.float64]

_RUNS_JOINED = 4  # by one task


def gather(collection: Any) -> Any:
    """What a Dask collection amounts to, in memory; anything else as it is."""
    [result] = dask.compute(collection, traverse=False)
    return result


def in_whole_blocks(X: Any) -> Any:
    """The same Dask array, in chunks of whole rows and whole blocks of known size.

    Parameters
    ----------
    X
        Dask array of shape (n, d). Chunk lengths that are not known are found out by making the
        chunks once, on the workers.
    """
    check_dask_array(X)
    if np.isnan(X.shape).any():
        X = X.copy().compute_chunk_sizes()  # it would change the caller's array
    n, d = X.shape
    if n == 0 or d == 0:
        raise ValueError(f"X has shape {X.shape}; training needs a document and a feature")
    nearest = {BLOCK * round(border / BLOCK) for border in accumulate(X.chunks[0])}
    borders = sorted({0, n} | {border for border in nearest if border < n})
    chunks = (tuple(np.diff(borders).tolist()), (d,))
    # The other method of Dask, by disk, is for arrays only.
    return X if X.chunks == chunks else check_chunks(X).rechunk(chunks, method="tasks")


def hold(X: Any) -> "DaskProducts":
    """Products with a Dask array, which its workers keep in memory while this object lives.

    Parameters
    ----------
    X
        As `in_whole_blocks` gives it. It is an error if its chunks, when they are made, hold
        anything but finite numbers, or are malformed.
    """
    products = DaskProducts(dask.persist(*X.to_delayed()[:, 0]), X.chunks[0])
    shapes = ((length, X.shape[1]) for length in products.lengths)
    complaints = dask.compute(*map(delayed(_complaint), products.chunks, shapes, products.starts()))
    for complaint in filter(None, complaints):
        raise ValueError(complaint)
    return products


@dataclass(frozen=True, eq=False)
class DaskProducts:
    """Products with rows that are in chunks elsewhere, each of whole blocks.

    Parameters
    ----------
    chunks
        Delayed arrays or CSR matrices.
    lengths
        Their numbers of rows.
    most_bytes
        Of a vector that travel in one graph, and so up to twice as many of two: Dask warns of
        graphs from 10 MB on.
    """

    chunks: tuple[Delayed, ...]
    lengths: tuple[int, ...]
    most_bytes: int = 2**22

    def starts(self) -> list[int]:
        """The first row of each chunk."""
        return [0, *accumulate(self.lengths[:-1])]

    def matvec(self, w: Array) -> Array:
        """X @ w."""
        [whole] = _send([w], self.most_bytes)
        return np.concatenate(
            dask.compute(*(delayed(_matvec)(chunk, whole) for chunk in self.chunks))
        )

    def rmatvec(self, v: Array) -> Array:
        """X.T @ v."""
        slices = _send(np.split(v, self.starts()[1:]), self.most_bytes)
        runs = list(map(delayed(_block_sums), self.chunks, slices, self.starts()))
        while len(runs) > 1:
            groups = (runs[i : i + _RUNS_JOINED] for i in range(0, len(runs), _RUNS_JOINED))
            runs = [delayed(join_runs)(*group) for group in groups]
        [total] = dask.compute(delayed(add_up)(runs[0]))
        return np.asarray(total)

    def rows(self, places: NDArray[np.intp]) -> Any:
        """The rows at some places, in that order, as CSR matrix."""
        order = np.argsort(places)
        ascending = places[order]
        borders = np.searchsorted(ascending, self.starts()[1:])
        own = np.split(ascending, borders)
        within = [part - start for part, start in zip(own, self.starts(), strict=True)]
        sent = _send(within, self.most_bytes)
        pieces = dask.persist(*map(delayed(_rows), self.chunks, sent))
        rows = _joined(pieces, self.most_bytes)
        return rows if np.array_equal(places, ascending) else rows[np.argsort(order)]

    def largest(self) -> float:
        """The largest absolute value in X."""
        return float(max(dask.compute(*map(delayed(_largest), self.chunks))))


def by_chunk(X: Any, model: Any, method: str) -> Any:
    """A lazy Dask array: what a method of a fitted classifier says of each chunk of rows.

    Parameters
    ----------
    X
        Dask array of shape (n, d).
    model
        A fitted classifier. It is used when the chunks are computed, and must not change till then.
    method
        The name of the method.
    """
    if X.numblocks[1] > 1:
        X = check_chunks(X).rechunk({1: -1}, method="tasks")
    nothing = _none(model, method)
    return X.map_blocks(
        _apply,
        model=delayed(model, traverse=False),
        method=method,
        dtype=nothing.dtype,
        meta=nothing,
        chunks=(X.chunks[0], *((m,) for m in nothing.shape[1:])),
        drop_axis=[] if nothing.ndim == 2 else 1,
    )


def _apply(chunk: Any, model: Any, method: str) -> NDArray[Any]:
    result: NDArray[Any] = getattr(model, method)(chunk) if chunk.shape[0] else _none(model, method)
    return result


def _none(model: Any, method: str) -> NDArray[Any]:
    """What the method says of no documents; scikit-learn would refuse them."""
    result: NDArray[Any] = getattr(model, method)(np.zeros((1, model.n_features_in_)))[:0]
    return result


def _matvec(chunk: Any, w: Array) -> Array:
    return make_products(chunk).matvec(w)


def _largest(chunk: Any) -> float:
    values: Any = chunk.data if sparse.issparse(chunk) else chunk  # type: ignore[attr-defined]
    return largest_value(values)


def _rows(chunk: Any, places: NDArray[np.intp]) -> Any:
    return make_products(chunk).rows(places)


def _measure(rows: Any) -> tuple[int, Any, Any]:
    return rows.nnz, rows.data.dtype, rows.indices.dtype


def _joined(pieces: Sequence[Delayed], most_bytes: int) -> Any:
    """One CSR matrix of pieces that are elsewhere, which come a few at a time.

    All at once they would be here three times: as they come, as pieces and as the matrix.
    """
    lengths, *kinds = zip(*dask.compute(*map(delayed(_measure), pieces)), strict=True)
    values, columns = (np.empty(sum(lengths), np.result_type(*kind)) for kind in kinds)
    ends = np.cumsum(lengths) * (values.itemsize + columns.itemsize)
    groups = np.split(np.arange(len(pieces)), np.flatnonzero(np.diff(ends // most_bytes)) + 1)
    counts, first = [np.zeros(1, np.int64)], 0
    for group in groups:
        for rows in dask.compute(*(pieces[j] for j in group)):
            stop = first + rows.nnz
            values[first:stop], columns[first:stop] = rows.data, rows.indices
            counts.append(np.diff(rows.indptr))
            first, width = stop, rows.shape[1]
    starts = np.cumsum(np.concatenate(counts))
    return sparse.csr_matrix((values, columns, starts), shape=(len(starts) - 1, width))


def _block_sums(chunk: Any, v: Array, start: int) -> list[BlockSum]:
    return make_products(chunk).block_sums(v, start // BLOCK)


def _send(vectors: Sequence[NDArray[Any]], most_bytes: int) -> list[Delayed]:
    """Vectors as tasks, in several graphs if they are too much for one.

    Tasks and not scattered data, which would be lost with the worker that has it. What is returned
    must be kept until it has been used: to Dask, tasks that refer to it are no reason to keep it.
    """
    if sum(vector.nbytes for vector in vectors) <= most_bytes:
        return [delayed(_itself)(vector) for vector in vectors]
    # One that is empty, as of a chunk none of whose rows are asked for, is one part as well.
    parts = [np.array_split(own, max(1, -(-own.nbytes // most_bytes))) for own in vectors]
    graphs: dict[int, list[Delayed]] = {}
    n_bytes = 0
    for part in chain.from_iterable(parts):
        graphs.setdefault(n_bytes // most_bytes, []).append(delayed(_itself)(part))
        n_bytes += part.nbytes
    sent = [task for graph in graphs.values() for task in dask.persist(*graph)]
    rest = iter(sent)
    whole = [delayed(np.concatenate)([next(rest) for _ in of_one]) for of_one in parts]
    return list(dask.persist(*whole))


def _itself(vector: NDArray[Any]) -> NDArray[Any]:
    return vector


def _complaint(chunk: Any, shape: tuple[int, int], start: int) -> str | None:
    """What is wrong with a chunk of X, or None. It is looked for where the chunk is."""
    where = f"the chunk of X from row {start} on"
    is_csr = isinstance(chunk, sparse.csr_matrix | sparse.csr_array)
    if not is_csr and not isinstance(chunk, np.ndarray):
        return (
            f"{where} is a {type(chunk).__name__}; it must be a CSR matrix or an array, as after "
            "X.map_blocks(scipy.sparse.csr_matrix)"
        )
    if chunk.shape != shape:
        return (
            f"{where} has shape {chunk.shape}, but by X.chunks it should be {shape}; make X with "
            "the true shapes of its chunks, or with nan for lengths that are not known"
        )
    try:
        check_sparse(chunk)
    except ValueError as error:
        return f"{where}: {error}"
    kind, size = chunk.dtype.kind, chunk.dtype.itemsize
    if kind not in "biuf" or (kind == "f" and size not in (4, 8)):
        return f"{where} holds {chunk.dtype}; it must hold numbers of single or double precision"
    values = chunk.data[: chunk.nnz] if is_csr else chunk
    if np.isfinite(values).all():
        return None
    row = start + (
        int(np.searchsorted(chunk.indptr, np.argmin(np.isfinite(values)), side="right")) - 1
        if is_csr
        else int(np.argmin(np.isfinite(values).all(axis=1)))
    )
    what = "NaN" if np.isnan(values).any() else "infinity or a value too large"
    return f"Input X contains {what}; the first row that is not finite is {row}"
