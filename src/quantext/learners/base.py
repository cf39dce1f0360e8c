"""What the linear classifiers share: labels in, hyperplanes kept, scores and classes out."""

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, validate_data

from quantext.learners.folds import indicator_columns
from quantext.vectors.dask_arrays import check_dask_array, is_dask
from quantext.vectors.sparse import check_sparse

__all__ = [
    "Hyperplane",
    "Labels",
    "LinearClassifier",
    "Result",
    "constant_hyperplane",
    "each_column",
    "is_constant",
]

Array = NDArray[np.float64]
Labels = NDArray[np.bool_]


@dataclass(frozen=True)
class Hyperplane:
    """One trained column: the score of x is coef·x + intercept."""

    coef: Array
    intercept: float
    n_iter: int


class LinearClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What the linear classifiers share: labels in, hyperplanes kept, scores and classes out.

    A subclass writes ``fit``: `_check_training`, then its learner on each column by `each_column`,
    then `_keep`.
    """

    n_jobs: int | None

    def decision_function(self, X: Any) -> Any:
        """Scores of the documents: positive for ``classes_[1]``, or for the label of the column.

        Parameters
        ----------
        X
            Array, sparse matrix or Dask array of shape (n, d).

        Returns
        -------
        scores
            Shape (n,) after training on one-dimensional labels, (n, m) after m columns. Of a Dask
            array, a Dask array that has computed nothing yet.
        """
        check_is_fitted(self)
        if is_dask(X):
            return self._by_chunk(X, "decision_function")
        check_sparse(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        scores: Array = safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_
        return scores if self.multilabel_ else scores[:, 0]

    def predict(self, X: Any) -> Any:
        """Classes of the documents: those whose score exceeds zero are positive.

        Parameters
        ----------
        X
            Array, sparse matrix or Dask array of shape (n, d).

        Returns
        -------
        y
            Shape (n,), entries of ``classes_``; or (n, m), 0 and 1. Of a Dask array, a Dask array
            that has computed nothing yet.
        """
        check_is_fitted(self)
        if is_dask(X):
            return self._by_chunk(X, "predict")
        positive = (self.decision_function(X) > 0).astype(np.intp)
        return positive if self.multilabel_ else self.classes_[positive]

    def _by_chunk(self, X: Any, method: str) -> Any:
        """What a method says of a Dask array, chunk by chunk where the chunks are."""
        from quantext.learners.dask_products import by_chunk  # Dask is optional

        check_dask_array(X)
        if not np.isnan(X.shape[1]):
            validate_data(self, X, reset=False, skip_check_array=True)
        # A copy, as it is used when the chunks are computed: this one may have been refitted.
        return by_chunk(X, copy.copy(self), method)

    def _check_training(self, X: Any, y: Any) -> tuple[Any, Labels]:
        """X as float array or CSR matrix, y as one boolean column per model; keeps the classes."""
        check_sparse(X)
        check_sparse(y)
        names = getattr(y, "columns", None)
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], multi_output=True
        )
        return X, self._check_labels(y, names)

    def _check_labels(self, y: Any, names: Any) -> Labels:
        """Labels as one boolean column per model; keeps the classes."""
        self.multilabel_ = y.ndim == 2
        if self.multilabel_:
            columns = indicator_columns(y)
            self.classes_ = np.arange(columns.shape[1]) if names is None else np.asarray(names)
            return columns
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"y has {len(self.classes_)} classes. Pass one column of 0 and 1 per class, or a "
                "quantifier, which does it for you."
            )
        # A single class is classes_[0], so all its documents are on the negative side.
        column: Labels = (y == self.classes_[-1]) & (len(self.classes_) == 2)
        return column[:, np.newaxis]

    def _keep(self, hyperplanes: Iterable[Hyperplane]) -> Self:
        """The fitted classifier, with the hyperplanes of its columns."""
        hyperplanes = list(hyperplanes)
        self.coef_ = np.stack([h.coef for h in hyperplanes])
        self.intercept_ = np.array([h.intercept for h in hyperplanes])
        n_iter = np.array([h.n_iter for h in hyperplanes])
        self.n_iter_ = n_iter if self.multilabel_ else int(n_iter[0])
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags


Result = TypeVar("Result")


def each_column(
    learn: Callable[[Labels], Result], columns: Labels, n_jobs: int | None
) -> list[Result]:
    """Results of a learner on every column of labels, in threads.

    Parameters
    ----------
    learn
        A function of one column.
    columns
        Labels of shape (n, m).
    n_jobs
        Number of threads, as in scikit-learn: None is one, −1 is all processors.
    """
    tasks = (delayed(learn)(np.ascontiguousarray(column)) for column in columns.T)
    results: list[Result] = Parallel(n_jobs=n_jobs, require="sharedmem")(tasks)
    return results


def is_constant(column: Labels) -> bool:
    """Whether all documents have the same label, so that there is nothing to learn."""
    return bool(column.all() or not column.any())


def constant_hyperplane(column: Labels, n_features: int) -> Hyperplane:
    """The hyperplane that gives all documents the one label of the column: a score of ±1."""
    return Hyperplane(np.zeros(n_features), 1.0 if column.all() else -1.0, n_iter=0)


def check_positive(**parameters: float) -> None:
    for name, value in parameters.items():
        if not (isinstance(value, Real) and 0 < value < np.inf):
            raise ValueError(f"{name} is {value!r}; it must be a positive number")
