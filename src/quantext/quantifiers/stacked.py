"""Stacked scores: what all labels say of a document tells of each of them."""

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.quantifiers.posteriors import ProbabilisticAdjustedCount
from quantext.scores.scorers import LinearScorer, Scorer
from quantext.scores.training import TrainingScores

__all__ = ["StackedCount", "StackedScorer", "stack"]

Array = NDArray[Any]

_RIDGE = 1.0  # of the weights of standardised scores, beside the documents


@dataclass(frozen=True)
class StackedScorer:
    """Scores of a second layer, whose features are the scores of the first.

    Parameters
    ----------
    first
        Gives documents their scores, one for each label.
    second
        Gives these scores theirs.
    """

    first: Scorer
    second: LinearScorer

    @property
    def n_features(self) -> int | None:
        """Number of features that documents must have, if that is known."""
        return getattr(self.first, "n_features", None)

    def check(self, n_columns: int) -> None:
        """Raise ValueError if the layers do not fit each other or so many columns of scores.

        Parameters
        ----------
        n_columns
            Of the scores.
        """
        self.second.check(n_columns)
        if self.second.n_features != n_columns:
            raise ValueError("the second layer is not for as many scores as the first gives")
        check: Any = getattr(self.first, "check", None)
        if check is not None:
            check(n_columns)

    def __call__(self, X: Any) -> Array:
        """Scores, shape (n, m)."""
        scores = self.first(X)
        finite = np.isfinite(scores).all(axis=1, keepdims=True)
        if finite.all():
            return self.second(scores)
        # Left to whoever checks scores, who knows the classifier's name and the document's number.
        return np.where(finite, self.second(np.where(finite, scores, 0)), np.nan)


class StackedCount(ProbabilisticAdjustedCount):
    """PACC on the scores of a second layer, which knows what all labels say of a document.

    Labels that go together, or never do, tell of each other. The first layer scores each label by
    itself; its out-of-fold scores of all labels are the features of the second, which gives each
    label a new score. Everything else is as in `ProbabilisticAdjustedCount`.

    Moreo, Francisco & Sebastiani (2023), "Multi-label quantification", who stack classifiers after
    Godbole & Sarawagi (2004). Our second layer is a ridge regression on the standardised scores
    alone: it has its out-of-fold scores, each document left out in turn, in closed form.

    It also takes the classes of a document that has one.

    Parameters
    ----------
    classifier
        A scikit-learn classifier, of the first layer; it is cloned.
    posteriors
        "calibrated" or "logistic", as in `ProbabilisticCount`.
    folds
        Of the cross-validation that gives the out-of-fold scores; at least 2.
    seed
        Of the folds.
    """

    labels_together = True
    stored = (StackedScorer,)

    def represent(self, X: Any, y: Any) -> TrainingScores:
        """Scores of the second layer.

        Parameters
        ----------
        X, y
            As in `fit`.
        """
        start = perf_counter()
        first = super().represent(X, y)
        if first.out_of_fold is None:
            return first  # `fit_scores` says what is missing
        second, out_of_fold = stack(first.out_of_fold, first.y)
        return TrainingScores(
            StackedScorer(first.scorer, second),
            out_of_fold,
            first.y,
            perf_counter() - start,
            first.classes,
            first.kind,
        )


def stack(scores: Array, y: Array) -> tuple[LinearScorer, Array]:
    """Second layer, and its scores of each training document when that is left out.

    A ridge regression of labels, as +1 and −1, on standardised scores. With H the matrix that turns
    labels into fitted values, a document left out has the value y − (y − ŷ)/(1 − H_ii): Allen
    (1974), "The relationship between variable selection and data augmentation".

    Parameters
    ----------
    scores
        Out-of-fold scores of the first layer, shape (n, m).
    y
        Labels, shape (n, m).
    """
    targets = np.where(y, 1.0, -1.0)
    centre, scale = scores.mean(axis=0), scores.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    Z = np.column_stack([(scores - centre) / scale, np.ones(len(scores))])
    penalty = np.append(np.full(scores.shape[1], _RIDGE), 0.0)
    inverse = np.linalg.inv(Z.T @ Z + np.diag(penalty))
    weights = inverse @ (Z.T @ targets)
    left_out = 1 - np.einsum("ij,jk,ik->i", Z, inverse, Z, optimize=True)
    # A document that alone decides its value says nothing without itself: the score is 0.
    safe = np.where(left_out > 1e-9, left_out, 1.0)[:, None]
    fitted = Z @ weights
    out_of_fold = np.where(left_out[:, None] > 1e-9, targets - (targets - fitted) / safe, 0.0)
    constant = (y == y[0]).all(axis=0)
    out_of_fold[:, constant] = weights[-1, constant] = targets[0, constant]
    weights[:-1, constant] = 0.0
    coef = weights[:-1] / scale[:, None]
    return LinearScorer(coef, weights[-1] - centre @ coef), out_of_fold
