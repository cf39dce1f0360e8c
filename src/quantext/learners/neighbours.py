"""Nearest neighbours whose votes are weighted against the large classes (PWK)."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from quantext.kernels import kernel
from quantext.vectors.sparse import check_sparse, without_duplicates

__all__ = ["Neighbours", "WeightedNeighbours"]

Array = NDArray[Any]
Compressed = tuple[Array, Array, Array]


class WeightedNeighbours(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Nearest neighbours, each of whose votes weighs less the larger its class is (PWK).

    The weight of a class of n_c training documents is (n_c / n_min)^(−1/α), n_min the size of the
    smallest. With α = 1 all classes have the same weight together, and a rare one is found far too
    often; the larger α, the nearer it is to one vote each. The neighbours are those of least
    Euclidean distance, which for vectors of unit length is the order of the cosine; of equally near
    ones the first in training.

    Barranquero et al. (2013), "On the study of nearest neighbor algorithms for prevalence
    estimation in binary problems".

    Parameters
    ----------
    n_neighbors
        Documents that vote; all, if there are fewer.
    alpha
        At least 1. Of 1, 2, 3, 5 and 10, 2 was the best by far on our synthetic survey.

    Attributes
    ----------
    classes_
        In ascending order.
    votes_
        `Neighbours`: the training documents, and how they vote.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], ["no", "no", "no", "no", "yes"]
    >>> neighbours = WeightedNeighbours(n_neighbors=3, alpha=1).fit(X, y)
    >>> neighbours.predict([[3.0], [1.0]])  # two votes of 1/4 against one of 1
    array(['yes', 'no'], dtype='<U3')
    """

    def __init__(self, n_neighbors: int = 10, alpha: float = 2.0) -> None:
        self.n_neighbors = n_neighbors
        self.alpha = alpha

    def fit(self, X: Any, y: Any) -> Self:
        """The classifier, which keeps the training documents.

        Parameters
        ----------
        X
            Array or sparse matrix of shape (n, d).
        y
            Labels of any type, of shape (n,).
        """
        if self.n_neighbors < 1:
            raise ValueError(f"n_neighbors is {self.n_neighbors}; at least one must vote")
        if not self.alpha >= 1:
            raise ValueError(f"alpha is {self.alpha}; it is at least 1")
        check_sparse(X)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        check_classification_targets(y)
        self.classes_, codes, sizes = np.unique(y, return_inverse=True, return_counts=True)
        weights = (sizes / sizes.min()) ** (-1 / self.alpha)
        documents = without_duplicates(sparse.csr_array(X))
        self.votes_ = Neighbours(
            documents, codes.astype(np.int64), weights, min(self.n_neighbors, len(codes))
        )
        return self

    def predict_proba(self, X: Any) -> Array:
        """Share of the weighted votes that each class has, shape (n, K).

        Parameters
        ----------
        X
            Documents.
        """
        rows = self._checked(X)
        votes = self.votes_.weighted(rows)
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> Array:
        """The class with most weighted votes; of several, the first.

        Parameters
        ----------
        X
            Documents.
        """
        rows = self._checked(X)
        return np.asarray(self.classes_[self.votes_.weighted(rows).argmax(axis=1)])

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        check_sparse(X)
        return validate_data(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@dataclass(frozen=True)
class Neighbours:
    """Training documents, each with a class, whose nearest to any other document vote.

    Parameters
    ----------
    documents
        Shape (n, d).
    codes
        Class of each, from 0.
    weights
        Of a vote for each class.
    k
        How many vote.
    """

    documents: sparse.csr_array
    codes: NDArray[np.int64]
    weights: NDArray[np.float64]
    k: int

    @property
    def n_features(self) -> int:
        """Number of features that documents must have."""
        return int(self.documents.shape[1])

    def check(self, n_columns: int) -> None:
        """Raise ValueError if the parts do not fit each other or so many classes.

        Parameters
        ----------
        n_columns
            Number of classes.
        """
        n = self.documents.shape[0]
        if self.weights.shape != (n_columns,) or self.codes.shape != (n,):
            raise ValueError("the neighbours are not one class each, of so many classes")
        if not (np.isfinite(self.weights) & (self.weights > 0)).all():
            raise ValueError("the weights of votes are not positive")
        if not 1 <= self.k <= n:
            raise ValueError(f"{self.k} of {n} neighbours vote")
        if self.codes.min() < 0 or self.codes.max() >= n_columns:
            raise ValueError("a neighbour votes for a class that is not there")
        if self.documents.dtype.kind != "f" or not np.isfinite(self.documents.data).all():
            raise ValueError("the neighbours are no fractions")

    def __call__(self, X: Any) -> Array:
        """Which class has most votes of each document's neighbours, as 0 and 1, shape (n, K)."""
        return np.asarray(np.eye(len(self.weights))[self.weighted(X).argmax(axis=1)])

    def weighted(self, X: Any) -> Array:
        """Weighted votes for each class, shape (n, K).

        Parameters
        ----------
        X
            Array or sparse matrix.
        """
        # Always sparse: the sum over a row has one order then, whatever the documents beside it.
        rows = without_duplicates(sparse.csr_array(X))
        if rows.shape[1] != self.n_features:
            raise ValueError(f"X has {rows.shape[1]} features, but training had {self.n_features}")
        squares = self.documents.multiply(self.documents).sum(axis=1).astype(np.float64)
        turned = self.documents.T.tocsr()
        votes = np.zeros((rows.shape[0], len(self.weights)))
        count_nearest(
            (rows.indptr, rows.indices, rows.data),
            (turned.indptr, turned.indices, turned.data),
            squares,
            self.codes,
            self.k,
            votes,
        )
        return votes * self.weights


@kernel
def count_nearest(
    rows: Compressed,
    turned: Compressed,
    squares: NDArray[np.float64],
    codes: NDArray[np.int64],
    k: int,
    votes: NDArray[np.float64],
) -> None:
    """Add to `votes` the classes of the k documents that are nearest to each row.

    A row meets only the documents that have its features, through the lists of these, and what is
    held is a product with each document, and the k nearest so far.

    Parameters
    ----------
    rows
        The arrays of a CSR matrix, shape (n, d): starts, columns, values.
    turned
        The same of the training documents, shape (d, m): a row for each feature.
    squares
        Squared length of each training document.
    codes
        Class of each.
    k
        At least 1, and at most m.
    votes
        Shape (n, K).
    """
    starts, features, values = rows
    ends, documents, weights = turned
    m = len(squares)
    products = np.zeros(m)
    far, found = np.empty(k), np.empty(k, np.int64)
    for i in range(len(votes)):
        for a in range(starts[i], starts[i + 1]):
            first, last = ends[features[a]], ends[features[a] + 1]
            value = np.float64(values[a])
            own, where = weights[first:last], documents[first:last]
            if len(own) == m:  # all have the feature: no need to look which
                for j in range(m):
                    products[j] += value * own[j]
            else:
                for b in range(len(own)):
                    products[np.uint64(where[b])] += value * own[b]
        for j in range(m):
            # Less the square of the row itself, which is the same for all.
            products[j] = squares[j] - 2 * products[j]
        for j in range(k):
            rise(far, found, j, products[j], j)
        farthest = far[0]
        for j in range(k, m):
            if products[j] < farthest:
                sink(far, found, products[j], j)
                farthest = far[0]
        products[:] = 0.0
        for b in range(k):
            votes[i, codes[found[b]]] += 1


@kernel
def rise(
    far: NDArray[np.float64], found: NDArray[np.int64], place: int, distance: float, j: int
) -> None:
    """Put a document in the heap, whose first is the farthest; of equally far ones the last.

    Parameters
    ----------
    far, found
        Distances in the heap, and the documents that have them.
    place
        How many are there.
    distance, j
        Of the new one, which is after all of them in training.
    """
    while place > 0:
        above = (place - 1) // 2
        if far[above] > distance:
            break
        far[place], found[place] = far[above], found[above]
        place = above
    far[place], found[place] = distance, j


@kernel
def sink(far: NDArray[np.float64], found: NDArray[np.int64], distance: float, j: int) -> None:
    """Put a document in the place of the first of the heap.

    Parameters
    ----------
    far, found
        As in `rise`, full.
    distance, j
        Of the new one, which is nearer than the first, and after all of them in training.
    """
    place, size = 0, len(far)
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        beside = below + 1
        if beside < size and (
            far[beside] > far[below] or (far[beside] == far[below] and found[beside] > found[below])
        ):
            below = beside
        if far[below] <= distance:
            break
        far[place], found[place] = far[below], found[below]
        place = below
    far[place], found[place] = distance, j
