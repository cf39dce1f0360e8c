"""Documents in memory and in Dask arrays of many kinds, for the tests of training on Dask."""

import dask
import dask.array as da
import numpy as np
from scipy import sparse

from quantext.learners.products import BLOCK
from quantext.learners.structural import StructuralSVM

N, D = 60_000, 400  # four blocks, the last one incomplete


def make_documents():
    """Twelve features of each document, and three labels that lean on some of them."""
    rng = np.random.default_rng(0)
    indices = rng.integers(0, D, (N, 12), dtype=np.int32)
    values = rng.random((N, 12), dtype=np.float32)
    X = sparse.csr_matrix((values.ravel(), indices.ravel(), np.arange(0, 12 * N + 1, 12)), (N, D))
    X.sum_duplicates()
    scores = np.column_stack([X[:, 20 * j : 20 * j + 20].sum(axis=1) for j in range(3)])
    return X, np.asarray(scores + 0.3 * rng.normal(size=(N, 3)) > [1.2, 1.0, 1.5])


X, Y = make_documents()
y = Y[:, 0]
DENSE = X[:, :30].toarray()


def svm():
    return StructuralSVM(C=0.3)


def chunked(rows, columns=D, kind=sparse.csr_matrix):
    return da.from_array(kind(X), chunks=(rows, columns), asarray=False)


def of_unknown_length():
    """Chunks of 25,000 rows whose lengths Dask does not know."""
    parts = [dask.delayed(X[start : start + 25_000]) for start in range(0, N, 25_000)]
    meta = sparse.csr_matrix((0, D), dtype=X.dtype)
    shape = (np.nan, D)
    return da.concatenate([da.from_delayed(part, shape, meta=meta) for part in parts])


CSR = {
    "one chunk": chunked(N),
    "chunks of one block": chunked(BLOCK),
    "chunks of two blocks": chunked(2 * BLOCK),
    "chunks with odd ends": chunked(7_001),
    "chunks of rows and columns": chunked(20_000, 150),
    "columns apart": chunked(N, 150),
    "CSR arrays": chunked(25_000, D, sparse.csr_array),
    "unknown lengths": of_unknown_length(),
}
ARRAYS = {
    "chunks of one block": da.from_array(DENSE, chunks=(BLOCK, 30)),
    "chunks with odd ends": da.from_array(DENSE, chunks=(7_001, 11)),
    "by columns": da.from_array(np.asfortranarray(DENSE), chunks=(20_000, 30)),
}


def assert_same(model, other):
    np.testing.assert_array_equal(model.coef_, other.coef_)
    np.testing.assert_array_equal(model.intercept_, other.intercept_)
    assert model.solution_ == other.solution_
