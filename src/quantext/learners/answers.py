"""AnswerClassifier: an answer that somebody else gave, taken for a class."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

__all__ = ["AnswerClassifier"]

Array = NDArray[Any]


class AnswerClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Scores of documents that come with one answer each: 1 for its class, −1 for the others.

    An answer that names a class stands for it. Any other, no answer among them, stands for the
    class whose documents give it most often, so that how frequent classes are does not matter; one
    that nobody gave in training, for the largest class.

    Parameters
    ----------
    meanings
        Class that each column of X names, as y has it; None for an answer that names none. (A
        quantifier gives a classifier of two classes 0 and 1 for y.)

    Attributes
    ----------
    classes_
        Of y, in order.
    coef_, intercept_
        Weights of each answer (column), a row for each class or, of two, for the second: 1 or −1;
        and zeros.

    Examples
    --------
    >>> X = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]])  # no, yes, no answer
    >>> judge = AnswerClassifier(["no", "yes", None]).fit(X, ["no", "yes", "no", "no"])
    >>> judge.decision_function(np.eye(3)).tolist()
    [-1.0, 1.0, -1.0]
    """

    def __init__(self, meanings: Sequence[Any]) -> None:
        self.meanings = meanings

    def fit(self, X: Any, y: Any) -> Self:
        """Fitted classifier.

        Parameters
        ----------
        X
            Documents, shape (n, a): 1 in the column of the answer, 0 in the others.
        y
            Labels.
        """
        if X.shape[1] != len(self.meanings):
            raise ValueError(
                f"X has {X.shape[1]} columns, but there are {len(self.meanings)} meanings of them"
            )
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        counts = np.asarray(X.T @ np.eye(len(self.classes_))[codes])  # of answers, by class
        sizes = np.bincount(codes)
        given = counts.sum(axis=1, keepdims=True)
        # As if one more document of each class had answered as documents do on the whole: what
        # was never given stands for no class rather than for the smallest.
        rates = (counts + given / len(codes)) / (sizes + 1)
        stands_for = np.where(given[:, 0] > 0, rates.argmax(axis=1), sizes.argmax())
        number = {label: k for k, label in enumerate(self.classes_.tolist())}
        for column, meaning in enumerate(self.meanings):
            stands_for[column] = number.get(meaning, stands_for[column])
        weights = np.where(stands_for == np.arange(len(self.classes_))[:, None], 1.0, -1.0)
        self.coef_ = weights[1:] if len(weights) == 2 else weights
        self.intercept_ = np.zeros(len(self.coef_))
        return self

    def decision_function(self, X: Any) -> Array:
        """Scores of the documents, shape (n,) for two classes, else (n, K).

        Parameters
        ----------
        X
            As in `fit`.
        """
        check_is_fitted(self)
        scores = np.asarray(X @ self.coef_.T) + self.intercept_
        return scores[:, 0] if len(self.coef_) == 1 else scores

    def predict(self, X: Any) -> Array:
        """Class that the answer of each document stands for.

        Parameters
        ----------
        X
            As in `fit`.
        """
        scores = self.decision_function(X)
        best = (scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[best])
