"""StructuralSVM: a linear classifier trained for a loss of all its predictions at once."""

import warnings
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from quantext.learners.base import (
    Hyperplane,
    Labels,
    LinearClassifier,
    check_positive,
    constant_hyperplane,
    each_column,
    is_constant,
)
from quantext.learners.certificate import Solution
from quantext.learners.losses import Loss, find_loss
from quantext.learners.oracle import make_oracle
from quantext.learners.products import Products, make_products
from quantext.learners.solver import minimise
from quantext.vectors.dask_arrays import is_dask
from quantext.vectors.sparse import check_sparse

__all__ = ["StructuralSVM"]

Array = NDArray[np.float64]


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
        `Solution` with ``primal``, ``dual``, ``gap``, ``n_iter``, ``converged`` and ``unscaled``; a
        list of m for an (n, m) y.
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

    Equal input gives equal output on one machine. From 50,000 documents on, rounding decides which
    documents are looked at for some planes; it differs between a dense X and a sparse one, and
    between kinds of processors, and solutions then agree within `tol`.

    Documents have no weights: the loss is one of counts.

    A column that is huge beside the others, such as seconds since 1970 beside features of size 1,
    leaves them no digits: weights are sums of documents. It then warns, naming the column, and the
    solution says what the weights are truly worth. It does not scale columns by itself, since
    scaled weights have another norm, and so another optimum.

    X may be a Dask array whose chunks are CSR matrices or arrays; y is then gathered. It is trained
    on the current client of Dask, or with its local scheduler, and gives the same weights as the
    same X in memory. Distributed are the two products with X, which the workers hold in memory
    during `fit`; the scores of all documents come to the client, which searches them and keeps 8
    bytes for each document and plane. From 50,000 documents on, and no fewer than columns, it keeps
    8 bytes for each column and plane and 1 to 4 for each document, and some rows come too: an
    eighth of them at first, which are trained on before all are, and then those near the border,
    some twentieth at a time at the default C and up to most at a much larger one. A
    product costs the client a millisecond a chunk besides, so let chunks have 100,000 rows or more.
    Chunks whose number of rows is no multiple of 16,384 are regrouped; chunks of unknown length are
    made twice, unless X was persisted.

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
        check_positive(C=self.C, tol=self.tol, max_iter=self.max_iter)
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
        names = getattr(self, "feature_names_in_", None)
        _warn_of_columns(solutions, names)
        _warn_unless_converged(solutions, self.tol, self.max_iter)
        return self._keep(hyperplanes)

    def _check_dask(self, X: Any, y: Any) -> tuple[Products, Labels]:
        """Products with a Dask array, and its labels as `_check_training` gives them."""
        from quantext.learners.dask_products import (  # Dask is optional
            gather,
            hold,
            in_whole_blocks,
        )

        X, y = in_whole_blocks(X), gather(y)
        check_sparse(y)
        validate_data(self, X, y, skip_check_array=True)
        columns = self._check_labels(
            validate_data(self, y=y, multi_output=True, reset=False), getattr(y, "columns", None)
        )
        if len(columns) != len(X):
            raise ValueError(f"X has {len(X)} documents, but y has labels for {len(columns)}")
        return hold(X), columns


def _warn_of_columns(solutions: Iterable[Solution], names: Any) -> None:
    for solution in solutions:
        if (column := solution.unscaled) is not None:
            name = f"{column} (counting from 0)" if names is None else repr(str(names[column]))
            warnings.warn(
                f"column {name} of X is so large that rounding hides what is small beside it, and "
                "the weights may not be the best: their objective, which is rounded too, is about "
                f"{solution.primal:.2g}, and the least is above {solution.dual:.5g}; scale "
                "that column, as scikit-learn's StandardScaler or MaxAbsScaler does",
                ConvergenceWarning,
                stacklevel=3,
            )
            return


def _warn_unless_converged(solutions: Iterable[Solution], tol: float, max_iter: int) -> None:
    gaps = [s.gap / s.primal for s in solutions if not s.converged and s.unscaled is None]
    if gaps:
        warnings.warn(
            f"{len(gaps)} of the models stopped after max_iter={max_iter} iterations with a gap of "
            f"up to {max(gaps):.2g} times the objective, above tol={tol:g}; raise max_iter or tol, "
            "or lower C",
            ConvergenceWarning,
            stacklevel=3,
        )
