"""Presence: which features documents have, and the mixture of classes that has as many of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import _num_samples, check_array

from quantext.quantifiers.base import OneClass, Quantifier
from quantext.quantifiers.matching import Distance, check_distance, match_histograms
from quantext.quantifiers.problems import Problems
from quantext.quantifiers.summary import Summary
from quantext.quantifiers.weights import Weights, whole_weights
from quantext.scores.features import describe_features
from quantext.scores.labels import check_lengths, read_labels
from quantext.scores.training import ScoresByClass, TrainingScores
from quantext.vectors.sparse import check_sparse, without_duplicates

__all__ = ["FeatureMatching", "Presence", "find_presence", "read_documents"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Presence:
    """Whether documents have features.

    A document has a word if its weight is not zero. Of a feature that all training documents have,
    as those of dense arrays, it counts whether it is above its median in training.

    Parameters
    ----------
    common
        Whether all training documents have the feature, shape (d,).
    medians
        Of these features; zero for others, shape (d,).
    n_columns
        Of the rows that it gives as a scorer: zeros, for features are counted, not scored.
    """

    common: NDArray[np.bool_]
    medians: NDArray[np.float64]
    n_columns: int

    @property
    def n_features(self) -> int:
        """Number of features that documents must have."""
        return len(self.common)

    def check(self, n_columns: int) -> None:
        """Raise ValueError if the parts do not fit each other.

        Parameters
        ----------
        n_columns
            Of the rows.
        """
        if self.common.ndim != 1 or self.common.shape != self.medians.shape:
            raise ValueError("the medians are not one for each feature")
        if self.n_columns != n_columns:
            raise ValueError("the rows are not of the length that they should have")

    def __call__(self, X: Any) -> Array:
        """Rows that say nothing, shape (n, n_columns)."""
        return np.zeros((_num_samples(X), self.n_columns))

    def of(self, X: Any) -> sparse.csr_array:
        """Ones where documents have features, shape (n, d).

        Parameters
        ----------
        X
            Documents: array or sparse matrix.
        """
        rows = self._fitting(read_documents(X))
        there = rows.data != 0
        if self.common.any():
            at = rows.indices
            there &= ~self.common[at] | (rows.data > self.medians[at])
        before = np.append(0, np.cumsum(there))[rows.indptr]
        ones = np.ones(before[-1], dtype=np.int64)
        return sparse.csr_array((ones, rows.indices[there], before), shape=rows.shape)

    def count(self, X: Any) -> NDArray[np.int64]:
        """How many documents have each feature, shape (d,).

        Parameters
        ----------
        X
            Documents: array or sparse matrix.
        """
        if sparse.issparse(X):
            return np.bincount(self.of(X).indices, minlength=self.n_features).astype(np.int64)
        # Where nothing is sparse, it takes a tenth of the time not to make it so.
        rows = self._fitting(_checked(X))
        there = rows != 0
        there[:, self.common] = rows[:, self.common] > self.medians[self.common]
        return np.asarray(np.count_nonzero(there, axis=0), np.int64)

    def _fitting(self, rows: Any) -> Any:
        """The documents, if they have as many features as those of training."""
        if rows.shape[1] != self.n_features:
            raise ValueError(
                f"X has {rows.shape[1]} features, but there were {self.n_features} in training"
            )
        return rows


def read_documents(X: Any) -> Any:
    """Documents as a sparse matrix, each feature at most once in a row.

    Parameters
    ----------
    X
        Array or sparse matrix of finite numbers.
    """
    return without_duplicates(sparse.csr_array(_checked(X)))


def _checked(X: Any) -> Any:
    """Documents as an array, or sparse matrix, of finite numbers."""
    check_sparse(X)
    return check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])


def find_presence(X: Any, n_columns: int) -> Presence:
    """What it means that a document has a feature, from the training documents.

    Parameters
    ----------
    X
        Array or sparse matrix.
    n_columns
        As in `Presence`.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [2.0, 5.0], [0.0, 3.0]])
    >>> find_presence(X, 1).of(X).toarray()
    array([[0, 0],
           [1, 1],
           [0, 0]])
    """
    rows = read_documents(X)
    documents = np.bincount(rows.indices[rows.data != 0], minlength=rows.shape[1])
    common = documents == rows.shape[0]
    medians = np.zeros(rows.shape[1])
    if common.any():
        medians[common] = np.median(rows[:, np.flatnonzero(common)].toarray(), axis=0)
    return Presence(common, medians, n_columns)


class FeatureMatching(Quantifier):
    """Prevalence at which the classes, mixed, have each feature as often as the bag (HDx).

    Features are words, or like words: documents have them or not. (Of a feature that all training
    documents have, it counts whether it is above its median.) For each there is the Hellinger
    distance between the shares of documents that have it, and have it not, in the bag and in the
    mixture, and their mean over all features is least. There is no classifier.

    The mean is not convex: with two classes the estimate is the best minimum near a share of 0,
    0.01 … 1, with more the one that is reached from that of the mean of the squared distances,
    which is convex. Where features are words, most of them rare, squares are likely to give better
    estimates, for they count a word the more the more documents have it.

    There are no intervals: of documents no more is kept than how many have each feature, so that
    there is nothing to redraw.

    González-Castro, Alaiz-Rodríguez & Alegre (2013), "Class distribution estimation based on the
    Hellinger distance", for two classes.

    Parameters
    ----------
    distance
        "hellinger", as published; "squared-hellinger"; or "topsoe".

    Examples
    --------
    >>> X = [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> quantifier = FeatureMatching().fit(X, ["a", "a", "b", "b"])
    >>> quantifier.predict([[1, 0], [0, 1], [0, 1], [0, 1]]).round(6)
    array([0.25, 0.75])
    """

    counts_features = True
    stored = (Presence,)

    def __init__(self, distance: Distance = "hellinger") -> None:
        self.distance = distance

    @classmethod
    def learning_bytes(cls, scores: TrainingScores) -> int:
        """About how much memory ``fit_scores`` takes for a moment: a number a class and feature."""
        d = 0 if scores.features is None else scores.features.n_features
        return int(super().learning_bytes(scores) + 8 * d * scores.y.shape[1])

    @property
    def needs_folds(self) -> bool:
        """Never: there is no classifier."""
        return False

    def represent(self, X: Any, y: Any) -> TrainingScores:
        """How many documents of each class have each feature.

        Parameters
        ----------
        X
            Training documents: array or sparse matrix.
        y
            One-dimensional: labels of any type. Two-dimensional: 0/1 columns, always multi-label.
        """
        start = perf_counter()
        labels = read_labels(y)
        check_lengths(X, labels)
        scorer = find_presence(X, labels.y.shape[1])
        features = describe_features(scorer.of(X), labels.y)
        seconds = perf_counter() - start
        return TrainingScores(
            scorer, None, labels.y, seconds, labels.classes, labels.kind, features=features
        )

    def divide(self, scores: TrainingScores) -> Problems:
        """One problem, since what is counted is the same for all."""
        return Problems.everything(scores)

    def learn(self, training: ScoresByClass) -> NDArray[np.int64]:
        """How many documents of each class, or with each label, have each feature, shape (m, d)."""
        del training
        check_distance(self.distance)
        features = self.scores_.features
        if features is None:
            raise ValueError("FeatureMatching counts features, and these scores have none: use fit")
        return np.asarray(features.documents.toarray(), np.int64)

    def count(self, learned: Any, scores: Array, weights: Array | None = None) -> Array:
        """Nothing, for scores say nothing."""
        del learned, scores, weights
        return np.zeros(0, dtype=np.int64)

    def summarise_scores(self, scores: Array, X: Any = None, weights: Any = None) -> Summary:
        """Summary of a bag: how many of its documents have each feature.

        Parameters
        ----------
        scores
            Not used.
        X
            Documents of the bag.
        weights
            How much each document counts, if not all count alike.
        """
        if isinstance(self.learned_[0], OneClass):
            return super().summarise_scores(scores, weights=weights)
        if X is None:
            raise ValueError("FeatureMatching counts features: give the documents, as X")
        scorer: Presence = self.scores_.scorer  # type: ignore[assignment]
        if weights is None:
            return Summary(len(scores), (scorer.count(X),))
        whole = whole_weights(weights)
        return Summary(len(scores), (np.asarray(whole @ scorer.of(X)),), Weights.of(whole))

    def estimate(self, learned: Array, counts: Array, size: int) -> Array:
        """Prevalence at which each feature is as frequent as in the bag."""
        q = counts / size
        if self.kind_ == "multiclass":
            return self._match(learned, self.scores_.y.sum(axis=0), q)
        every = self.scores_.features.total_documents  # type: ignore[union-attr]
        n = len(self.scores_.y)
        pairs: Sequence[Array] = [
            self._match(np.stack([every - own, own]), np.array([n - total, total]), q)
            for own, total in zip(learned, self.scores_.y.sum(axis=0), strict=True)
        ]
        return pairs[0] if self.kind_ == "binary" else np.array([own[1] for own in pairs])

    def _match(self, documents: Array, totals: Array, q: Array) -> Array:
        """Prevalence, from how many documents of each class have each feature, shape (K, d)."""
        present = documents.T / np.maximum(totals, 1)
        columns = np.stack([1 - present, present], axis=1).reshape(-1, len(totals))
        own = np.stack([1 - q, q], axis=1).reshape(-1)
        return match_histograms(columns, own, 2, totals / totals.sum(), self.distance)

    def interval(
        self, summary: Summary, level: float = 0.95, seed: int = 0, *, replicates: int = 1000
    ) -> tuple[Array, Array]:
        """Raise ValueError: there is nothing to redraw.

        Parameters
        ----------
        summary, level, seed, replicates
            Not used.
        """
        raise ValueError(
            "FeatureMatching gives no intervals: it keeps how many documents have each feature, "
            "and no documents to redraw; PatternMatching does without a classifier too, and has "
            "them"
        )
