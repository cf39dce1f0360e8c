"""Linear classifiers: vectors in, scores out.

Both take labels of any type in a one-dimensional y with two classes, or an (n, m) array of 0 and 1,
for which they train one model per column. A CSR matrix of single precision that is mapped from a
file is read where it is, and not copied.
"""

import copy
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, validate_data

from quantext._descent import Documents, Model, descend, descend_folds, read_documents
from quantext.folds import stratified_folds
from quantext.losses import Loss, find_loss
from quantext.oracle import Products, make_oracle, make_products
from quantext.solver import Solution, minimise

__all__ = ["LinearSVM", "StructuralSVM"]

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
        from quantext.daskarray import by_chunk, check_array  # Dask is optional

        check_array(X)
        if not np.isnan(X.shape[1]):
            validate_data(self, X, reset=False, skip_check_array=True)
        # A copy, as it is used when the chunks are computed: this one may have been refitted.
        return by_chunk(X, copy.copy(self), method)

    def _check_training(self, X: Any, y: Any) -> tuple[Any, Labels]:
        """X as float array or CSR matrix, y as one boolean column per model; keeps the classes."""
        names = getattr(y, "columns", None)
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], multi_output=True
        )
        return X, self._check_labels(y, names)

    def _check_labels(self, y: Any, names: Any) -> Labels:
        """Labels as one boolean column per model; keeps the classes."""
        self.multilabel_ = y.ndim == 2
        if self.multilabel_:
            columns = _columns(y)
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


def is_dask(X: Any) -> bool:
    """Whether something is a collection of Dask, told without importing it."""
    return any(kind.__module__.startswith("dask.") for kind in type(X).__mro__)


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


class StructuralSVM(LinearClassifier):
    """A linear classifier trained for a loss of all its predictions at once.

    It minimises ½‖w‖² + C·n·R(w), where R(w) is the largest value, over all labellings of the n
    training documents, of the loss of the labelling minus the mean margin by which the weights
    prefer the true labels to it (Joachims, 2005, "A support vector method for multivariate
    performance measures"). The intercept is regularised like any weight. With the loss "kld" it is
    the SVM(KLD) of Esuli and Sebastiani (2015), "Optimizing text quantifiers for multivariate loss
    functions"; with "error_rate" the ordinary SVM, ``LinearSVC(loss="hinge")`` at the same C.

    Parameters
    ----------
    loss
        A name in `quantext.LOSSES`, a `PrevalenceLoss`, or any callable of a `ContingencyTable`.
    C
        Weight of the loss; see the notes for the default.
    tol
        Stop when the objective is certain to be within this fraction of its minimum.
    max_iter
        Most iterations of the solver; it warns if it needs more.
    n_jobs
        Number of threads over the columns of an (n, m) y: None is one, −1 is all processors.

    Attributes
    ----------
    classes_
        The two classes, the second is positive; or the names of the columns, else 0...m−1.
    coef_, intercept_
        Weights of shape (m, d) and (m,); m is 1 for a one-dimensional y.
    n_iter_
        Iterations; an array of m for an (n, m) y.
    solution_
        `Solution` with ``primal``, ``dual``, ``gap``, ``n_iter`` and ``converged``; a list of m for
        an (n, m) y.
    multilabel_
        Whether y was (n, m).

    Notes
    -----
    The default C is the least that is as good as any on two corpora (mean KLD of SVM(KLD) over all
    classes and later periods: Reuters-21578, 95 topics on 28 days after 3,597 training documents;
    arXiv, 155 categories in 52 weeks after 12,500), and the planes that each model took on arXiv:

    =============  ======  ======  ======  ======  ======  ======  ======
    C                   1       2       4       8      16      24      48
    Reuters-21578  6.3e-3  3.8e-3  2.4e-3  2.2e-3  2.2e-3  2.2e-3  2.2e-3
    arXiv          1.6e-2  5.6e-3  2.5e-3  1.5e-3  1.5e-3  1.5e-3  1.5e-3
    planes            2.0     2.5     4.3     9.7    21.3    28.7    44.3
    =============  ======  ======  ======  ======  ======  ======  ======

    A loss of prevalence, error rate, F1 and Q take O(n log n) for each plane. Any other callable is
    first evaluated on all contingency tables, of which there are about the positive times the
    negative documents.

    Documents have no weights: the loss is one of counts.

    X may be a Dask array whose chunks are CSR matrices or arrays; y is then gathered. It is trained
    on the current client of Dask, or with its local scheduler, and gives the same weights as the
    same X in memory. Distributed are the two products with X, which the workers hold in memory
    during `fit`; the scores of all documents come to the client, which searches them and keeps 8
    bytes for each document and plane. A product costs the client a millisecond a chunk besides, so
    let chunks have 100,000 rows or more. Chunks whose number of rows is no multiple of 16,384 are
    regrouped; chunks of unknown length are made twice, unless X was persisted.

    If all labels are the same there is nothing to train, and that label is predicted for any
    document.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.2], [0.4], [1.0]])
    >>> svm = StructuralSVM("kld", C=10).fit(X, ["no", "no", "no", "yes"])
    >>> svm.predict(X)
    array(['no', 'no', 'no', 'yes'], dtype='<U3')
    >>> svm.solution_.converged
    True
    """

    counts_each_class = True  # scores of different classes have no common scale

    def __init__(
        self,
        loss: str | Loss = "kld",
        C: float = 8.0,
        tol: float = 1e-2,
        max_iter: int = 1000,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """The classifier, trained.

        Parameters
        ----------
        X
            Array, sparse matrix or Dask array of shape (n, d).
        y
            Labels of two classes, of any type, of shape (n,); or 0 and 1 of shape (n, m).
        """
        loss = find_loss(self.loss)
        _check_positive(C=self.C, tol=self.tol, max_iter=self.max_iter)
        if is_dask(X):
            products, columns = self._check_dask(X, y)
        else:
            X, columns = self._check_training(X, y)
            products = make_products(X)

        def learn(column: Labels) -> tuple[Hyperplane, Solution]:
            if is_constant(column):
                constant = constant_hyperplane(column, self.n_features_in_)
                return constant, Solution(primal=0.0, dual=0.0, n_iter=0, converged=True)
            oracle = make_oracle(products, column, loss)
            w, solution = minimise(oracle, self.C, tol=self.tol, max_iter=self.max_iter)
            return Hyperplane(w[:-1], float(w[-1]), solution.n_iter), solution

        hyperplanes, solutions = zip(*each_column(learn, columns, self.n_jobs), strict=True)
        self.solution_ = list(solutions) if self.multilabel_ else solutions[0]
        _warn_unless_converged(solutions, self.tol, self.max_iter)
        return self._keep(hyperplanes)

    def _check_dask(self, X: Any, y: Any) -> tuple[Products, Labels]:
        """Products with a Dask array, and its labels as `_check_training` gives them."""
        from quantext.daskarray import gather, hold, in_whole_blocks  # Dask is optional

        X, y = in_whole_blocks(X), gather(y)
        validate_data(self, X, y, skip_check_array=True)
        columns = self._check_labels(
            validate_data(self, y=y, multi_output=True, reset=False), getattr(y, "columns", None)
        )
        if len(columns) != len(X):
            raise ValueError(f"X has {len(X)} documents, but y has labels for {len(columns)}")
        return hold(X), columns


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
    every quantifier takes it.

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
        _check_positive(C=self.C, tol=self.tol, max_iter=self.max_iter)
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
        _check_positive(C=self.C, tol=self.tol, max_iter=self.max_iter)
        _refuse_dask(X)
        X, columns = self._check_training(X, y)
        documents = read_documents(X)

        def learn(column: Labels) -> tuple[Hyperplane, Array, bool]:
            if is_constant(column):
                constant = constant_hyperplane(column, X.shape[1])
                return constant, np.full(len(column), constant.intercept), True
            fold_of = stratified_folds(column, folds, seed)
            limits = self.C, self.tol, self.max_iter
            model = descend(documents, column, *limits)
            scores, converged = descend_folds(documents, column, fold_of, model, *limits)
            hyperplane = _hyperplane(model, documents, X.shape[1])
            return hyperplane, scores, model.converged and converged

        results = each_column(learn, columns, self.n_jobs)
        hyperplanes, scores, converged = zip(*results, strict=True)
        self._warn_unless(converged)
        self._keep(hyperplanes)
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


def _hyperplane(model: Model, documents: Documents, n_features: int) -> Hyperplane:
    coef = np.zeros(n_features)
    coef[documents.used] = model.weights[:-1]
    return Hyperplane(coef, float(model.weights[-1]), model.n_iter)


def _warn_unless_converged(solutions: Iterable[Solution], tol: float, max_iter: int) -> None:
    gaps = [s.gap / s.primal for s in solutions if not s.converged]
    if gaps:
        warnings.warn(
            f"{len(gaps)} of the models stopped after max_iter={max_iter} iterations with a gap of "
            f"up to {max(gaps):.2g} times the objective, above tol={tol:g}; raise max_iter or tol, "
            "or lower C",
            ConvergenceWarning,
            stacklevel=3,
        )


def _check_positive(**parameters: float) -> None:
    for name, value in parameters.items():
        if not (isinstance(value, Real) and 0 < value < np.inf):
            raise ValueError(f"{name} is {value!r}; it must be a positive number")


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
    return np.asarray(dense == 1)
