"""Scorers: fitted classifiers as functions from documents to scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import _num_samples, check_array

from quantext.scores.finite import or_none
from quantext.vectors.csr import csr_count, csr_matmat, csr_matvec, csr_matvec_count
from quantext.vectors.sparse import check_sparse, without_duplicates

__all__ = [
    "LinearScorer",
    "ModelScorer",
    "Scorer",
    "is_linear",
    "log_odds",
    "make_scorer",
    "model_scores",
    "without_scores",
]

Array = NDArray[Any]

_DENSE_ROWS = 4096  # rows of a dense X that are made sparse at a time


class Scorer(Protocol):
    """Anything that gives documents their scores, one column per class or label."""

    def __call__(self, X: Any, /) -> Array:
        """Scores of the documents, shape (n, m)."""
        ...


@dataclass(frozen=True)
class LinearScorer:
    """Scores of linear models: X @ coef + intercept.

    A document's score never depends, not even in its last bit, on the documents beside it or on
    whether X is sparse: the sum over a row of a sparse matrix has one fixed order, which the
    blocks of a dense product do not.

    Parameters
    ----------
    coef
        Shape (d, m).
    intercept
        Shape (m,).
    """

    coef: Array
    intercept: Array

    @property
    def n_features(self) -> int:
        """Number of features that documents must have."""
        return len(self.coef)

    def check(self, n_columns: int) -> None:
        """Raise ValueError if the weights do not fit each other or so many columns of scores.

        Parameters
        ----------
        n_columns
            Of the scores.
        """
        if self.coef.ndim != 2 or not self.coef.size or self.coef.shape[1] != n_columns:
            raise ValueError("the weights are not one column for each column of scores")
        if self.intercept.shape != (n_columns,):
            raise ValueError("the intercepts are not one for each column of scores")
        if self.coef.dtype.kind != "f" or self.intercept.dtype.kind != "f":
            raise ValueError("the weights are no fractions")

    def __call__(self, X: Any) -> Array:
        """Scores of the documents, shape (n, m)."""
        check_sparse(X)
        if not (_is_ready(X) and np.isfinite(X.data).all()):
            X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
        self._check_width(X)
        if sparse.issparse(X):
            return self._sparse(X)
        parts = (X[start : start + _DENSE_ROWS] for start in range(0, len(X), _DENSE_ROWS))
        return np.concatenate([self._sparse(sparse.csr_array(part)) for part in parts])

    def score_and_count(self, X: Any) -> tuple[Array, NDArray[np.int32]]:
        """Scores of the documents, shape (n, m), and how many of them have each feature, (d,).

        Parameters
        ----------
        X
            Documents: array or sparse matrix.
        """
        documents = np.zeros(self.n_features, dtype=np.int32)
        check_sparse(X)
        if not _is_ready(X):
            X = sparse.csr_array(
                check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
            )
        self._check_width(X)
        X = without_duplicates(X)
        if self.coef.shape[1] == 1:
            scores = np.empty((X.shape[0], 1))
            weights = np.ascontiguousarray(self.coef[:, 0])
            csr_matvec_count(X.indptr, X.indices, X.data, weights, scores[:, 0], documents)
            scores += self.intercept
        else:
            scores = self._sparse(X)
            csr_count(X.indices[: X.nnz], X.data[: X.nnz], documents)
        # A number that is not finite makes the score so, which is sooner seen.
        if not np.isfinite(scores).all():
            return self(X), documents
        return scores, documents

    def _check_width(self, X: Any) -> None:
        if X.shape[1] != len(self.coef):
            raise ValueError(
                f"X has {X.shape[1]} features, but the classifier was trained on {len(self.coef)}"
            )

    def _sparse(self, X: Any) -> Array:
        # Not SciPy's product, which would keep other threads from running.
        scores = np.zeros((X.shape[0], self.coef.shape[1]))
        if self.coef.shape[1] == 1:
            csr_matvec(X.indptr, X.indices, X.data, self.coef[:, 0], scores[:, 0])
        else:
            csr_matmat(X.indptr, X.indices, X.data, self.coef, scores)
        scores += self.intercept
        return scores


@dataclass(frozen=True)
class ModelScorer:
    """Scores of fitted models side by side; a number stands for a column that is constant.

    Parameters
    ----------
    models
        Fitted classifiers, or numbers.
    """

    models: tuple[Any, ...]

    @property
    def constant(self) -> bool:
        """Whether there are only numbers, so that all documents have the same scores."""
        return all(isinstance(model, float) for model in self.models)

    def check(self, n_columns: int) -> None:
        """Raise ValueError unless there are only numbers, one for each column of scores.

        Parameters
        ----------
        n_columns
            Of the scores.
        """
        if len(self.models) != n_columns or not self.constant:
            raise ValueError("the constant scores are not one for each column of scores")

    def __call__(self, X: Any) -> Array:
        """Scores of the documents, shape (n, m)."""
        return np.column_stack([model_scores(model, X) for model in self.models])


def _is_ready(X: Any) -> bool:
    """Whether X needs no change to be scored; takes less time to say than `check_array`."""
    return (
        isinstance(X, sparse.csr_matrix | sparse.csr_array)
        and X.dtype in (np.float64, np.float32)
        and X.ndim == 2
        and min(X.shape) > 0
    )


def make_scorer(models: Sequence[Any]) -> Scorer:
    """One product with X for all models if they are linear, else the models side by side.

    Parameters
    ----------
    models
        Fitted classifiers, or numbers for columns that are constant.
    """
    fitted = [model for model in models if not isinstance(model, float)]
    if not fitted or not all(map(is_linear, fitted)):
        return ModelScorer(tuple(models))
    zero = np.zeros(np.atleast_2d(fitted[0].coef_).shape[1])
    coef = [np.atleast_2d(getattr(model, "coef_", zero)) for model in models]
    intercept = [
        np.broadcast_to(getattr(model, "intercept_", model), len(rows))
        for model, rows in zip(models, coef, strict=True)
    ]
    return LinearScorer(
        np.ascontiguousarray(np.vstack(coef).T, dtype=np.float64),
        np.concatenate(intercept).astype(np.float64),
    )


def is_linear(model: Any) -> bool:
    """Whether a fitted classifier has weights, which in scikit-learn give its scores.

    Parameters
    ----------
    model
        Fitted.
    """
    return (
        hasattr(model, "decision_function")
        and hasattr(model, "intercept_")
        and isinstance(getattr(model, "coef_", None), np.ndarray)
    )


def model_scores(model: Any, X: Any) -> Array:
    """Scores of the documents by one fitted classifier or constant, shape (n, k).

    Parameters
    ----------
    model
        A classifier with ``decision_function`` or, failing that, ``predict_proba``, whose log-odds
        are then the scores, up to ±36; or a number.
    X
        Documents, as the classifier takes them.
    """
    if isinstance(model, float):
        return np.full((_num_samples(X), 1), model)
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        return scores[:, None] if scores.ndim == 1 else scores
    if not hasattr(model, "predict_proba"):
        raise without_scores(model)
    posteriors = model.predict_proba(X)
    if isinstance(posteriors, list):  # one array for each label of a multi-label model
        return log_odds(np.column_stack([or_none(p)[:, 1] for p in posteriors]))
    posteriors = or_none(np.asarray(posteriors, dtype=np.float64))
    return log_odds(posteriors[:, 1:] if posteriors.shape[1] == 2 else posteriors)


def without_scores(model: Any) -> TypeError:
    """The error that a classifier gives no scores.

    Parameters
    ----------
    model
        A classifier.
    """
    return TypeError(
        f"{type(model).__name__} has neither decision_function nor predict_proba; "
        "a quantifier needs a classifier that scores documents"
    )


def log_odds(posteriors: Array) -> Array:
    """Log-odds of posteriors, up to ±36, which is as far as they can be told from 0 and 1.

    Parameters
    ----------
    posteriors
        Between 0 and 1.

    Examples
    --------
    >>> log_odds(np.array([0.5, 1.0])).round(1)
    array([ 0., 36.])
    """
    smallest = np.finfo(np.float64).eps
    p = np.clip(posteriors, smallest, 1 - smallest)
    return np.asarray(np.log(p) - np.log1p(-p))
