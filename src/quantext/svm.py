"""Linear classifiers: vectors in, scores out.

Both take labels of any type in a one-dimensional y with two classes, or an (n, m) array of 0 and 1,
for which they train one model per column.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, validate_data

__all__: list[str] = []

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

    def decision_function(self, X: Any) -> Array:
        """Scores of the documents: positive for ``classes_[1]``, or for the label of the column.

        Parameters
        ----------
        X
            Array or sparse matrix of shape (n, d).

        Returns
        -------
        scores
            Shape (n,) after training on one-dimensional labels, (n, m) after m columns.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        scores: Array = safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_
        return scores if self.multilabel_ else scores[:, 0]

    def predict(self, X: Any) -> NDArray[Any]:
        """Classes of the documents: those whose score exceeds zero are positive.

        Parameters
        ----------
        X
            Array or sparse matrix of shape (n, d).

        Returns
        -------
        y
            Shape (n,), entries of ``classes_``; or (n, m), 0 and 1.
        """
        positive = (self.decision_function(X) > 0).astype(np.intp)
        return positive if self.multilabel_ else self.classes_[positive]

    def _check_training(self, X: Any, y: Any) -> tuple[Any, Labels]:
        """X as float array or CSR matrix, y as one boolean column per model; keeps the classes."""
        names = getattr(y, "columns", None)
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], multi_output=True
        )
        self.multilabel_ = y.ndim == 2
        if self.multilabel_:
            columns = _columns(y)
            self.classes_ = np.arange(columns.shape[1]) if names is None else np.asarray(names)
            return X, columns
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"y has {len(self.classes_)} classes. Pass one column of 0 and 1 per class, or a "
                "quantifier, which does it for you."
            )
        # A single class is classes_[0], so all its documents are on the negative side.
        return X, (y == self.classes_[-1])[:, np.newaxis] & (len(self.classes_) == 2)

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


def _columns(y: Any) -> Labels:
    """Boolean columns of an (n, m) indicator, dense or sparse, or an error if it is none."""
    dense: NDArray[Any] = y if isinstance(y, np.ndarray) else y.toarray()
    wrong = ~((dense == 0) | (dense == 1))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"y has two dimensions, so each column is one label and holds only 0 and 1; "
            f"y[{row}, {column}] is {dense[row, column]!r}"
        )
    if dense.shape[1] == 0:
        raise ValueError("y has no columns; pass at least one label")
    return np.asarray(dense == 1)
