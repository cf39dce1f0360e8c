"""LinearSVM: a linear support vector machine that cross-validates itself in one pass."""

import warnings
from collections.abc import Iterable
from time import thread_time
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from quantext.learners.base import (
    Hyperplane,
    Labels,
    LinearClassifier,
    check_positive,
    constant_hyperplane,
    each_column,
    is_constant,
)
from quantext.learners.folds import stratified_folds
from quantext.vectors.dask_arrays import is_dask

if TYPE_CHECKING:
    from quantext.learners.descent import Documents, Model

__all__ = ["LinearSVM"]

Array = NDArray[np.float64]


class LinearSVM(LinearClassifier):
    """A linear support vector machine, which can cross-validate itself in one pass.

    It minimises ½‖w‖² + C Σ max(0, 1 − y_i w·x_i)², the squared hinge, with the intercept
    regularised like any weight: the same optimum as scikit-learn's ``LinearSVC()``. It is found by
    dual coordinate descent (Hsieh et al., 2008, "A dual coordinate descent method for large-scale
    linear SVM"). `fold_scores` trains the models of all folds together, for little more than the
    cost of a few.

    Parameters
    ----------
    C
        Weight of the hinge.
    tol
        Stop when no coordinate of the dual's projected gradient exceeds this; scores are then
        within about `tol` of the optimum's.
    max_iter
        Most passes over the documents; it warns if it needs more.
    n_jobs
        Number of threads over the columns of an (n, m) y: None is one, −1 is all processors.

    Attributes
    ----------
    classes_
        The two classes, the second is positive; or the names of the columns, else 0...m−1.
    coef_, intercept_
        Weights of shape (m, d) and (m,); m is 1 for a one-dimensional y.
    n_iter_
        Passes over the documents; an array of m for an (n, m) y.
    multilabel_
        Whether y was (n, m).
    fit_seconds_
        After `fold_scores`: processor time of what `fit` would have done.

    Notes
    -----
    Documents are read in single precision, and so are the weights of the folds; the weights of the
    model itself are in double precision. The documents are visited in an order that looks random
    but is always the same, so there is no seed, and equal input gives equal output.

    X that is mapped from a file is read in that order too, each pass anew. As long as the system
    can keep the file in its cache that costs nothing; a file larger than free memory is read from
    the disk at random places, once a pass, which only a fast disk makes bearable. `StructuralSVM`
    reads it from beginning to end.

    It is made for the vectors of texts: many features, rows of unit length. On a few dense features
    of any scale it may need thousands of passes; scikit-learn's ``LinearSVC`` is better there, and
    every quantifier takes it. Numbers of 1e18 and beyond are an error.

    If all labels are the same there is nothing to train, and that label is predicted for any
    document.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.2], [0.4], [3.0]])
    >>> svm = LinearSVM(C=10).fit(X, ["no", "no", "no", "yes"])
    >>> svm.predict(X)
    array(['no', 'no', 'no', 'yes'], dtype='<U3')
    """

    def __init__(
        self,
        C: float = 1.0,
        tol: float = 1e-3,
        max_iter: int = 1000,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """The classifier, trained.

        Parameters
        ----------
        X
            Array or sparse matrix of shape (n, d).
        y
            Labels of two classes, of any type, of shape (n,); or 0 and 1 of shape (n, m).
        """
        from quantext.learners.descent import descend, read_documents  # not to predict

        check_positive(C=self.C, tol=self.tol, max_iter=self.max_iter)
        _refuse_dask(X)
        X, columns = self._check_training(X, y)
        documents = read_documents(X)

        def learn(column: Labels) -> tuple[Hyperplane, bool]:
            if is_constant(column):
                return constant_hyperplane(column, X.shape[1]), True
            model = descend(documents, column, self.C, self.tol, self.max_iter)
            return _hyperplane(model, documents, X.shape[1]), model.converged

        hyperplanes, converged = zip(*each_column(learn, columns, self.n_jobs), strict=True)
        self._warn_unless(converged)
        return self._keep(hyperplanes)

    def fold_scores(self, X: Any, y: Any, folds: int, seed: int) -> Array:
        """Out-of-fold scores of the documents; trains the classifier on all of them as well.

        Each document is scored by a model that was trained without its fold. The folds are those
        of `stratified_folds`, for each column its own. If the documents outside a fold are all
        negative, those in it get the score −1; if they are all positive, +1.

        Parameters
        ----------
        X, y
            As for `fit`.
        folds
            Number of folds, at least 2; with fewer documents, each is a fold.
        seed
            Of the folds.

        Returns
        -------
        scores
            Of the shape of y.
        """
        from quantext.learners.descent import descend, descend_folds, read_documents

        start = thread_time()
        check_positive(C=self.C, tol=self.tol, max_iter=self.max_iter)
        _refuse_dask(X)
        X, columns = self._check_training(X, y)
        documents = read_documents(X)

        def learn(column: Labels) -> tuple[Hyperplane, Array, bool, float]:
            if is_constant(column):
                constant = constant_hyperplane(column, X.shape[1])
                return constant, np.full(len(column), constant.intercept), True, 0.0
            start, limits = thread_time(), (self.C, self.tol, self.max_iter)
            model = descend(documents, column, *limits)
            hyperplane = _hyperplane(model, documents, X.shape[1])
            seconds = thread_time() - start
            fold_of = stratified_folds(column, folds, seed)
            scores, converged = descend_folds(documents, column, fold_of, model, *limits)
            return hyperplane, scores, model.converged and converged, seconds

        reading = thread_time() - start
        results = each_column(learn, columns, self.n_jobs)
        hyperplanes, scores, converged, seconds = zip(*results, strict=True)
        self._warn_unless(converged)
        self._keep(hyperplanes)
        self.fit_seconds_ = reading + sum(seconds)
        return np.column_stack(scores) if self.multilabel_ else scores[0]

    def _warn_unless(self, converged: Iterable[bool]) -> None:
        failed = sum(not c for c in converged)
        if failed:
            warnings.warn(
                f"{failed} of the models had not reached tol={self.tol:g} after "
                f"max_iter={self.max_iter} passes over the documents; scale the documents to unit "
                "length, raise max_iter or tol, or lower C",
                ConvergenceWarning,
                stacklevel=3,
            )


def _refuse_dask(X: Any) -> None:
    if is_dask(X):
        raise TypeError(
            "LinearSVM cannot be trained on a Dask array, as each step of its descent needs the "
            "one before; pass a matrix in memory or mapped from a file, spread the columns of y "
            "over workers by quantext.distributed.score_training, or use StructuralSVM"
        )


def _hyperplane(model: "Model", documents: "Documents", n_features: int) -> Hyperplane:
    coef = np.zeros(n_features)
    coef[documents.used] = model.weights[:-1]
    return Hyperplane(coef, float(model.weights[-1]), model.n_iter)
