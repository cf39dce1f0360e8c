"""Votes: a classifier of many members, each of which counts; the mean of their counts."""

from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from quantext.learners.folds import stratified_folds
from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.correction import mean_of_bags
from quantext.quantifiers.problems import Problems, Relearner
from quantext.quantifiers.summary import UNIT, exact_sums
from quantext.scores.labels import read_labels
from quantext.scores.training import ScoresByClass, TrainingScores

__all__ = ["VoteCount", "VoteScorer"]

Array = NDArray[Any]


@dataclass(frozen=True)
class VoteScorer:
    """Shares of the votes for each class, or for each label, less one half.

    So what is above zero has most votes, as scores have it.

    Parameters
    ----------
    voters
        Functions from documents to shares of votes for each class, shape (n, K): one for all
        classes, or one for each label; the number of a class, for one that always has all votes.
    n_classes
        For which a voter votes: 2 for labels.
    """

    voters: tuple[Any, ...]
    n_classes: int

    @property
    def n_features(self) -> int | None:
        """Number of features that documents must have, if that is known."""
        return next((v.n_features for v in self.voters if hasattr(v, "n_features")), None)

    def check(self, n_columns: int) -> None:
        """Raise ValueError if the voters do not fit so many columns.

        Parameters
        ----------
        n_columns
            Of the shares.
        """
        if n_columns != (len(self.voters) if self.n_classes <= 2 else self.n_classes):
            raise ValueError("the voters are not for as many classes as there are")
        features = {v.n_features for v in self.voters if hasattr(v, "n_features")}
        if len(features) > 1:
            raise ValueError("the voters are for documents of different features")
        for voter in self.voters:
            if isinstance(voter, float):
                if voter not in range(self.n_classes):
                    raise ValueError("a voter is always for a class that is not there")
            elif not hasattr(voter, "check"):
                raise ValueError("a voter is no voter")
            else:
                voter.check(self.n_classes)

    def __call__(self, X: Any) -> Array:
        """Shares less one half, shape (n, m): of the positive class alone where there are two."""
        first = 1 if self.n_classes == 2 else 0
        return np.hstack([self._shares(voter, X)[:, first:] for voter in self.voters]) - 0.5

    def _shares(self, voter: Any, X: Any) -> Array:
        if not isinstance(voter, float):
            return np.asarray(voter(X))
        return np.tile(np.eye(self.n_classes)[int(voter)], (_num_samples(X), 1))


class VoteCount(Quantifier):
    """Mean share of votes for each class, by a classifier whose members vote.

    A forest's trees each classify the bag and count; this is the mean of their counts. Of a
    classifier without members, it is the share of documents put in each class, as in
    `ClassifyAndCount`. With `QuantificationForest` it is Milli et al. (2013), "Quantification
    trees"; with `WeightedNeighbours`, PWK of Barranquero et al. (2013), "On the study of nearest
    neighbor algorithms for prevalence estimation in binary problems".

    Classes are learned together, and each label by itself.

    Parameters
    ----------
    classifier
        A scikit-learn classifier; it is cloned. If it has an attribute ``votes_`` once it is
        fitted, that gives documents the shares of their votes, shape (n, K).
    folds
        0, or at least 2 for intervals, which need out-of-fold votes.
    seed
        Of the folds.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> VoteCount(DecisionTreeClassifier()).fit(X, y).predict([[0.5], [0.7], [0.9], [2.5]])
    array([0.75, 0.25])
    """

    corrects = False
    stored = (VoteScorer,)

    def __init__(self, classifier: Any, folds: int = 0, seed: int = 0) -> None:
        self.classifier = classifier
        self.folds = folds
        self.seed = seed

    @property
    def needs_folds(self) -> bool:
        """Never: there is nothing to learn beyond the classifier."""
        return False

    def divide(self, scores: TrainingScores) -> Problems:
        """All classes together, and each label by itself."""
        return Problems.all_classes(scores)

    def represent(self, X: Any, y: Any) -> TrainingScores:
        """Shares of votes for the training documents, and what gives those of a bag.

        Parameters
        ----------
        X, y
            As in `fit`.
        """
        start = perf_counter()
        if self.folds < 0 or self.folds == 1:
            raise ValueError(f"folds is {self.folds}; use 0 for no cross-validation, or at least 2")
        labels = read_labels(y)
        if (n := _num_samples(X)) != len(labels.y):
            raise ValueError(f"X has {n} documents but y has labels for {len(labels.y)}")
        if hasattr(X, "tocsr"):
            X = X.tocsr()
        if labels.kind == "multiclass":
            columns, n_classes = [labels.y.argmax(axis=1)], labels.y.shape[1]
        else:
            columns, n_classes = list(labels.y.T.astype(np.int64)), 2

        def scorer(rows: Array | None) -> VoteScorer:
            part = X if rows is None else _safe_indexing(X, rows)
            voters = [self._voter(part, c if rows is None else c[rows], n_classes) for c in columns]
            return VoteScorer(tuple(voters), n_classes)

        out_of_fold = None
        if self.folds:
            # Rare classes, or combinations of labels, are dealt evenly too.
            groups = np.unique(np.column_stack(columns), axis=0, return_inverse=True)[1].reshape(-1)
            fold_of = stratified_folds(groups, self.folds, self.seed)
            out_of_fold = np.empty(labels.y.shape)
            for fold in range(fold_of.max() + 1):
                held = np.flatnonzero(fold_of == fold)
                voters = scorer(np.flatnonzero(fold_of != fold))
                out_of_fold[held] = voters(_safe_indexing(X, held))
        return TrainingScores(
            scorer(None), out_of_fold, labels.y, perf_counter() - start, labels.classes, labels.kind
        )

    def _voter(self, X: Any, codes: Array, n_classes: int) -> Any:
        known = np.unique(codes)
        if len(known) < 2:
            return float(known[0]) if len(known) else 0.0
        model = clone(self.classifier).fit(X, codes)
        voter = getattr(model, "votes_", None)
        if voter is not None and len(known) == n_classes:
            return voter
        return _Votes(model, n_classes)

    def learn(self, training: ScoresByClass) -> None:
        """Nothing."""
        del training

    def count(self, learned: None, scores: Array, weights: Array | None = None) -> Array:
        """Sum of the shares of votes for each class, in whole numbers of 2^−44."""
        del learned
        return exact_sums(_both(scores), weights)

    def estimate(self, learned: None, counts: Array, size: int) -> Array:
        """Mean shares of votes."""
        del learned
        means = (counts / (size * UNIT)).astype(np.float64)
        return np.asarray(means / means.sum())

    def reestimator(self, training: ScoresByClass) -> Relearner:
        """Mean shares of votes."""
        table = _both(training.scores)[None]
        return lambda _: partial(mean_of_bags, table)


@dataclass(frozen=True)
class _Votes:
    """Votes of a fitted classifier that may not know all classes."""

    model: Any
    n_classes: int

    def __call__(self, X: Any) -> Array:
        """Shares of votes, shape (n, K)."""
        known = np.asarray(self.model.classes_)
        votes = getattr(self.model, "votes_", None)
        shares = votes(X) if votes else np.asarray(self.model.predict(X))[:, None] == known
        full = np.zeros((len(shares), self.n_classes))
        full[:, known] = shares
        return full


def _both(scores: Array) -> Array:
    """Shares of each class, where there may be the score of the positive one alone."""
    shares = scores + 0.5
    return np.hstack([1 - shares, shares]) if shares.shape[1] == 1 else shares
