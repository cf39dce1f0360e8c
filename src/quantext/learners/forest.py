"""Quantification forests: trees whose splits balance false positives and false negatives."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from quantext.learners.trees import count_votes, grow
from quantext.vectors.sparse import check_sparse, without_duplicates

__all__ = ["QuantificationForest", "Trees"]

Array = NDArray[Any]

POWERS = {"balance": 0, "mixed": 1}  # of the number of errors, by which the imbalance is multiplied


class QuantificationForest(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Trees whose splits make as many false positives as false negatives of each class.

    In each node both sides of a split are put in their commonest class. The split is taken that
    has the least Σ_c |FP_c − FN_c| ("balance") or Σ_c |FP_c − FN_c|·(FP_c + FN_c) ("mixed"), of
    equal ones that with the fewest errors. Leaves have one class, or are too small to be split. As
    in random forests, each tree has training documents drawn with replacement, and each node looks
    at some features only: those of documents drawn from it, so that words of many documents come
    more often. A split is at any value in between; in texts mostly at whether a word is there.

    Milli et al. (2013), "Quantification trees". That errors are counted in the node, and not in the
    whole tree, is how we read them.

    Parameters
    ----------
    n_trees
        Number of trees.
    criterion
        "mixed" or "balance".
    min_leaf
        Least number of documents on each side of a split. With one, trees grow long and slowly: to
        split off single documents balances as well as anything.
    seed
        Of all that is drawn.

    Attributes
    ----------
    classes_
        In ascending order.
    votes_
        `Trees`, and how they vote.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]] * 5, ["no", "no", "yes", "yes"] * 5
    >>> QuantificationForest(n_trees=9).fit(X, y).predict([[0.5], [2.5]])
    array(['no', 'yes'], dtype='<U3')
    """

    def __init__(
        self,
        n_trees: int = 50,
        criterion: Literal["mixed", "balance"] = "mixed",
        min_leaf: int = 5,
        seed: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.criterion = criterion
        self.min_leaf = min_leaf
        self.seed = seed

    def fit(self, X: Any, y: Any) -> Self:
        """The forest, grown.

        Parameters
        ----------
        X
            Array or sparse matrix of shape (n, d).
        y
            Labels of any type, of shape (n,).
        """
        if self.n_trees < 1:
            raise ValueError(f"n_trees is {self.n_trees}; there must be at least one")
        if self.min_leaf < 1:
            raise ValueError(f"min_leaf is {self.min_leaf}; a leaf has at least one document")
        if self.criterion not in POWERS:
            raise ValueError(f"criterion {self.criterion!r} is unknown; choose mixed or balance")
        check_sparse(X)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        rows = _canonical(X)
        columns = rows.tocsc()
        rng = np.random.default_rng(self.seed)
        tries = max(1, round(np.sqrt(X.shape[1])))
        parts = []
        for _ in range(self.n_trees):
            drawn = np.bincount(rng.integers(0, len(codes), len(codes)), minlength=len(codes))
            parts.append(
                grow(
                    (rows.indptr, rows.indices),
                    (columns.indptr, columns.indices, columns.data),
                    codes.astype(np.int64),
                    len(self.classes_),
                    drawn.astype(np.int64),
                    POWERS[self.criterion],
                    self.min_leaf,
                    tries,
                    rng,
                )
            )
        self.votes_ = _joined(parts, len(self.classes_), X.shape[1])
        return self

    def predict_proba(self, X: Any) -> Array:
        """Share of the trees that vote for each class, shape (n, K).

        Parameters
        ----------
        X
            Documents.
        """
        rows = self._checked(X)
        return self.votes_(rows)

    def predict(self, X: Any) -> Array:
        """The class with most votes; of several, the first.

        Parameters
        ----------
        X
            Documents.
        """
        shares = self.predict_proba(X)
        return np.asarray(self.classes_[shares.argmax(axis=1)])

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
class Trees:
    """Trees, node after node, each before those below it.

    Parameters
    ----------
    features
        By which a node splits; −1 for a leaf.
    thresholds
        Documents with a higher value go right.
    left, right
        The nodes below.
    labels
        Class of each node, from 0.
    roots
        First node of each tree.
    n_classes, n_features
        Of the documents.
    """

    features: NDArray[np.int64]
    thresholds: NDArray[np.float64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    labels: NDArray[np.int64]
    roots: NDArray[np.int64]
    n_classes: int
    n_features: int

    def check(self, n_columns: int) -> None:
        """Raise ValueError if there is no way from each root to a leaf, or not so many classes.

        Parameters
        ----------
        n_columns
            Number of classes.
        """
        n = len(self.features)
        nodes = self.features, self.thresholds, self.left, self.right, self.labels
        if not n or any(array.shape != (n,) for array in nodes):
            raise ValueError("the nodes of its trees have not all their parts")
        inner = np.flatnonzero(self.features >= 0)
        for below in (self.left[inner], self.right[inner]):
            if ((below <= inner) | (below >= n)).any():
                raise ValueError("a node of its trees leads nowhere, or back")
        if self.n_classes != n_columns or ((self.labels < 0) | (self.labels >= n_columns)).any():
            raise ValueError("its trees vote for classes that are not there")
        if (self.features >= self.n_features).any():
            raise ValueError("its trees ask for features that are not there")
        if self.roots.ndim != 1 or not len(self.roots):
            raise ValueError("it has no trees")
        if ((self.roots < 0) | (self.roots >= n)).any():
            raise ValueError("one of its trees has no root")

    def __call__(self, X: Any) -> Array:
        """Share of the trees that vote for each class, shape (n, K).

        Parameters
        ----------
        X
            Array or sparse matrix.
        """
        rows = _canonical(X)
        if rows.shape[1] != self.n_features:
            raise ValueError(f"X has {rows.shape[1]} features, but training had {self.n_features}")
        votes = np.zeros((rows.shape[0], self.n_classes), dtype=np.int64)
        documents = rows.indptr, rows.indices, rows.data
        nodes = self.features, self.thresholds, self.left, self.right, self.labels
        count_votes(documents, nodes, self.roots, votes)
        return np.asarray(votes / len(self.roots))


def _canonical(X: Any) -> sparse.csr_array:
    """Rows in double precision, with each column once, in order, and without zeros."""
    rows = without_duplicates(sparse.csr_array(X, dtype=np.float64))
    if (rows.data == 0).any():
        rows = rows.copy()
        rows.eliminate_zeros()
    if not rows.has_sorted_indices:
        rows = rows.sorted_indices()
    return sparse.csr_array(
        (rows.data, rows.indices.astype(np.int64), rows.indptr.astype(np.int64)), shape=rows.shape
    )


def _joined(parts: Sequence[tuple[Array, ...]], n_classes: int, n_features: int) -> Trees:
    """All trees in one array of nodes."""
    sizes = [len(part[0]) for part in parts]
    roots = np.cumsum([0, *sizes[:-1]])
    features, thresholds, left, right, labels = map(np.concatenate, zip(*parts, strict=True))
    shift = np.repeat(roots, sizes)
    inner = features >= 0
    return Trees(
        features,
        thresholds,
        np.where(inner, left + shift, 0),
        np.where(inner, right + shift, 0),
        labels,
        roots.astype(np.int64),
        n_classes,
        n_features,
    )
