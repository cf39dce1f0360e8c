"""What training says of the features, by class: how often each occurs, its mean, its variance."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quantext.vectors.sparse import without_duplicates

__all__ = ["ClassFeatures", "describe_features"]

Array = NDArray[Any]

_ROWS = 16_384  # documents that are looked at at a time


@dataclass(frozen=True, eq=False)
class ClassFeatures:
    """Sums over training documents, of all of them and of those of each column of labels.

    Parameters
    ----------
    sums
        Of each feature over the documents that have each label: CSR, shape (m, d).
    documents
        How many of these have the feature at all: CSR, shape (m, d).
    total_sums, total_squares, total_documents
        The same, and the sum of squares, over all documents, whatever their labels; shape (d,).
    n_documents
        Number of all documents.
    sparse
        Whether X was sparse: then features are words, or like words.
    weights
        Of each feature in each column of scores, shape (d, m), where the scorer itself does not
        tell: by ridge regression of the out-of-fold scores.
    """

    sums: sparse.csr_array
    documents: sparse.csr_array
    total_sums: NDArray[np.float64]
    total_squares: NDArray[np.float64]
    total_documents: NDArray[np.int64]
    n_documents: int
    sparse: bool = False
    weights: NDArray[np.float64] | None = None

    @property
    def mean(self) -> NDArray[np.float64]:
        """Mean of each feature over all documents."""
        return np.asarray(self.total_sums / self.n_documents)

    @property
    def variance(self) -> NDArray[np.float64]:
        """Variance of each feature over all documents."""
        return np.maximum(self.total_squares / self.n_documents - self.mean**2, 0.0)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.total_sums)

    def check(self, n_columns: int) -> None:
        """Raise ValueError unless the parts fit each other.

        Parameters
        ----------
        n_columns
            Of the scores.
        """
        d = self.n_features
        widths = {*self.sums.shape[1:], *self.documents.shape[1:]}
        lengths = {len(self.total_squares), len(self.total_documents)}
        same_labels = self.sums.shape[0] == self.documents.shape[0]
        if widths != {d} or lengths != {d} or not same_labels or self.n_documents < 1:
            raise ValueError("the sums of the features do not fit each other")
        if self.weights is not None and self.weights.shape != (d, n_columns):
            raise ValueError("the weights of the features do not fit the scores")
        if self.total_squares.min(initial=0.0) < 0 or self.total_documents.min(initial=0) < 0:
            raise ValueError("the sums of squares or counts of the features are negative")


def describe_features(
    X: Any, y: NDArray[np.bool_], scores: Array | None = None
) -> ClassFeatures | None:
    """Sums of the features by class; None where X has no features, as when it is texts.

    Parameters
    ----------
    X
        Documents: array or sparse matrix.
    y
        Labels, shape (n, m).
    scores
        Out-of-fold scores of a classifier without weights, to find weights for.

    Examples
    --------
    >>> found = describe_features(np.array([[2.0, 0.0], [4.0, 1.0]]), np.array([[True], [False]]))
    >>> found.sums.toarray(), found.mean
    (array([[2., 0.]]), array([3. , 0.5]))
    """
    if getattr(X, "ndim", 0) != 2 or not (sparse.issparse(X) or _is_numeric(X)):
        return None
    n, d = X.shape
    m = y.shape[1]
    sums = sparse.csr_array((m, d), dtype=np.float64)
    documents = sparse.csr_array((m, d), dtype=np.int64)
    total_sums, total_squares, total_documents = np.zeros(d), np.zeros(d), np.zeros(d, np.int64)
    for start in range(0, n, _ROWS):
        rows = without_duplicates(sparse.csr_array(X[start : start + _ROWS], dtype=np.float64))
        there = sparse.csr_array(
            ((rows.data != 0).astype(np.int64), rows.indices, rows.indptr), shape=rows.shape
        )
        labels = sparse.csr_array(y[start : start + _ROWS].T.astype(np.int64))
        sums = sums + labels @ rows
        documents = documents + labels @ there
        total_sums += np.bincount(rows.indices, rows.data, d)
        total_squares += np.bincount(rows.indices, rows.data**2, d)
        total_documents += np.bincount(rows.indices[rows.data != 0], minlength=d)
    is_sparse = bool(sparse.issparse(X))
    weights = _ridge_weights(X, scores) if is_sparse and scores is not None else None
    totals = total_sums, total_squares, total_documents
    return ClassFeatures(sums, documents, *totals, n, is_sparse, weights)


def _ridge_weights(X: Any, scores: Array) -> NDArray[np.float64]:
    from sklearn.linear_model import Ridge  # slow to load, and seldom needed

    model = Ridge(alpha=1.0, solver="sparse_cg").fit(X, scores)
    return np.ascontiguousarray(np.atleast_2d(model.coef_).T, dtype=np.float64)


def _is_numeric(X: Any) -> bool:
    return isinstance(X, np.ndarray) and X.dtype.kind in "biuf"
