"""SearchQ: parameters of a quantifier, chosen by its error on bags."""

import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from quantext.experiments.folder import locked, write_frame
from quantext.experiments.protocols import BagProtocol
from quantext.experiments.search.data import Data
from quantext.experiments.search.plan import Plan, errors_by, find_protocol
from quantext.experiments.search.settings import make_settings, shared_folds
from quantext.experiments.search.stages import make_stages
from quantext.experiments.search.table import first_failures, gathered, make_table
from quantext.experiments.search.work import Found, refitted, try_all
from quantext.measures import Measure
from quantext.models.methods import INTERVAL_FOLDS
from quantext.progress import Progress, silent
from quantext.quantifiers.scoring import tell_of_bags

__all__ = ["SearchQ"]

Array = NDArray[Any]


class SearchQ(BaseEstimator):  # type: ignore[misc]
    """The quantifier of a grid whose estimates of bags are best.

    Parameters of a quantifier, of its classifier and of what makes vectors of its documents are
    tried on the same bags, which a protocol draws with many different shares: a classifier that is
    best at single documents need not count best.

    Settings that differ in the aggregation alone share one cross-validation. Bags are then drawn
    from its out-of-fold scores. What an aggregation learns from scores (rates of errors,
    thresholds, posteriors) is learned from as many documents that are drawn with replacement, and
    tested on bags of all; twice, for half of the bags each. So what is learned differs
    from what is true in the bags by as much as what is learned from all documents will differ from
    the world. Methods that need no folds (CC, SVM(KLD)) are tried with those of others that have
    the same classifier, or else 10; those that have no out-of-fold scores at all are trained on
    one half and tested on the other. What comes before the quantifier, such as a vectorizer, is
    fitted to all documents, but without their labels: what selects features by labels belongs in
    the classifier.

    With ``ByPeriod``, ``ByGroup``, ``Drawn(held_out=ByPeriod())`` or another share that is held
    out than the usual half, ``Drawn(held_out=0.2)``, bags are of documents that nothing was fitted
    to, as the protocol divides them.

    Notes
    -----
    Of 150 documents in three classes, KLD was 0.048 (CC), 0.039 (ACC), 0.030 (PACC) and 0.027 (EMQ)
    in the search, and 0.049, 0.040, 0.030 and 0.034 on new documents, in the mean over 12 made-up
    data sets; of 2,000 documents the two differed by a fifth at most (5 data sets). Where a class
    has few documents, 15 of 300, KLD of CC came out a quarter too large, and others were within an
    eighth. But methods that compare fine histograms (HDy) remember documents, and look far better
    there than they are: 0.06 for 0.50. If your choice is between these, hold documents out:
    ``Drawn(held_out=0.3)``.

    Parameters
    ----------
    quantifier
        A `Quantifier` or the name of a method, a `TextQuantifier`, or a pipeline that ends in a
        quantifier. It is cloned.
    param_grid
        Lists of values by the name of the parameter, as scikit-learn's ``GridSearchCV`` takes them,
        or a list of such grids. Parameters of the quantifier may go by their own names in a
        `TextQuantifier` or a pipeline too: ``classifier__C``. The name ``quantifier`` is the
        quantifier itself, a name of a method will do; a parameter that some of its values do not
        have is left out for these.
    protocol
        A name in ``quantext.experiments.protocol_names.PROTOCOLS``, or a protocol. By name, bags
        have 100 documents, or half of all if these are fewer.
    measure
        Error of a bag: a name in ``quantext.measures.MEASURES``, or a function
        ``f(p_true, p_hat, *, size)`` that gives a number. Where documents have several labels, each
        is measured by itself.
    n_iter
        Number of settings that are drawn at random; a value may then be a distribution. None: the
        whole grid.
    refit
        Whether to fit the best one to all documents.
    n_jobs
        Threads over settings that do not share scores. The answer is the same for any number.
    seed
        Of settings and bags that are drawn, and of the documents that are learned from.
    out
        Folder of the search, made if it is not there. If it has pieces of the same search that are
        finished, they are not tried again; so one that was stopped goes on.
    progress
        Is called with "search", how many settings are done, and how many there are.

    Attributes
    ----------
    best_params_
        As the grid has them.
    best_error_
        Mean error over the bags.
    best_quantifier_
        Fitted to all documents; with ``refit=False``, not fitted.
    results_
        Table with a row for each setting, the best first: ``rank``; ``error`` and ``sd``, its mean
        and standard deviation over the bags; a column for each parameter; ``seconds`` that the
        setting took by itself, and ``shared_seconds`` with all that share its scores.
    errors_
        Of each setting (row, in the order of ``results_``) on each bag.
    protocol_
        What was done, in words.
    n_bags_
        Number of bags.
    notes_
        What else there is to say of the bags: whether documents are often repeated in them, and
        what was left out. A warning says it too.

    Examples
    --------
    >>> from quantext import AdjustedCount, ClassifyAndCount
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = np.random.default_rng(0).normal(size=(400, 1))
    >>> y = np.where(X[:, 0] + np.sin(np.arange(400)) > 1, "yes", "no")
    >>> quantifiers = [kind(LogisticRegression(), folds=5)
    ...                for kind in (ClassifyAndCount, AdjustedCount)]
    >>> search = SearchQ("CC", {"quantifier": quantifiers}).fit(X, y)
    >>> search.best_params_
    {'quantifier': AdjustedCount(classifier=LogisticRegression(), folds=5)}
    >>> search.predict(X[y == "yes"]).round(1)
    array([0., 1.])
    """

    best_params_: dict[str, Any]
    best_error_: float
    best_quantifier_: Any
    results_: pl.DataFrame
    errors_: Array
    protocol_: str
    n_bags_: int
    notes_: tuple[str, ...]

    def __init__(
        self,
        quantifier: Any,
        param_grid: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        protocol: str | BagProtocol = "uniform",
        measure: str | Measure = "kld",
        n_iter: int | None = None,
        refit: bool = True,
        n_jobs: int | None = None,
        seed: int = 0,
        out: Path | str | None = None,
        progress: Progress = silent,
    ) -> None:
        self.quantifier = quantifier
        self.param_grid = param_grid
        self.protocol = protocol
        self.measure = measure
        self.n_iter = n_iter
        self.refit = refit
        self.n_jobs = n_jobs
        self.seed = seed
        self.out = out
        self.progress = progress

    def fit(self, X: Any, y: Any, *, periods: Any = None, groups: Any = None) -> Self:
        """Search that is done.

        Parameters
        ----------
        X
            Documents, as the quantifier takes them.
        y
            One-dimensional: labels of any type. Two-dimensional: 0/1 columns, always multi-label.
        periods
            When each document was written, for ``ByPeriod``: dates, also as text (2024-12-31), or
            names.
        groups
            What each document belongs to, for ``ByGroup``.
        """
        data = Data.of(X, y, periods, groups)
        protocol = find_protocol(self.protocol, self.seed, len(data.labels.y))
        separate = data.labels.kind == "multilabel" or getattr(protocol, "of", None) is not None
        measure = errors_by(self.measure, 2 if separate else len(data.names))
        settings = make_settings(self.quantifier, self.param_grid, self.n_iter, self.seed)
        stages, self.protocol_, self.notes_ = make_stages(protocol, data, self.seed)
        if self.notes_:
            warnings.warn(". ".join(self.notes_), UserWarning, stacklevel=2)
        out_of_fold = stages[0].train is None
        settings = shared_folds(settings, INTERVAL_FOLDS if out_of_fold else 0)
        plan = Plan(data, settings, stages, self.measure)
        folder = None if self.out is None else Path(self.out)
        with nullcontext() if folder is None else locked(folder):
            found = try_all(plan, measure, folder, self.n_jobs, progress=self.progress)
            self._choose(plan, found)
            if folder is not None:
                write_frame(folder / "results.parquet", self.results_)
        return self

    def _choose(self, plan: Plan, found: Found) -> None:
        """Take the best of all settings."""
        settings = plan.settings
        errors = gathered(found.outcomes, plan)
        failures = first_failures(found.outcomes)
        for number, why in failures.items():
            warnings.warn(
                f"the setting {settings[number].params} is ranked last, for it failed: {why}",
                FitFailedWarning,
                stacklevel=3,
            )
        if np.isnan(errors).all():
            first = next(iter(failures.values()))
            raise ValueError(f"all {len(settings)} settings failed; the first: {first}")
        self.n_bags_ = errors.shape[1]
        order = np.argsort(errors.mean(axis=1), kind="stable")  # NaN last
        self.errors_ = errors[order]
        self.results_ = make_table(settings, errors, order, found.outcomes)
        chosen = settings[order[0]]
        self.best_params_ = dict(chosen.params)
        self.best_error_ = float(errors[order[0]].mean())
        self.best_quantifier_ = clone(chosen.whole)
        if self.refit:
            tried = found.whole if found.best == order[0] else None
            self.best_quantifier_ = refitted(chosen, tried, plan.data)

    def predict(self, X: Any) -> Array:
        """Prevalence of each class in a bag, by the best quantifier.

        Parameters
        ----------
        X
            Documents of the bag, as in ``fit``.
        """
        p_hat: Array = self._fitted().predict(X)
        return p_hat

    def predict_interval(self, X: Any, level: float = 0.95, seed: int = 0) -> tuple[Array, Array]:
        """Lower and upper bounds of the prevalence of each class, by the best quantifier.

        Parameters
        ----------
        X
            Documents of the bag, as in ``fit``.
        level, seed
            As in `Quantifier.predict_interval`.
        """
        best, X = self._quantifier(X)
        bounds: tuple[Array, Array] = best.predict_interval(X, level, seed)
        return bounds

    def score(self, X: Any, y: Any) -> float:
        """Minus the error of the best quantifier for a bag, by the measure of the search.

        Parameters
        ----------
        X
            Documents of the bag, as in ``fit``.
        y
            Their labels.
        """
        best, X = self._quantifier(X)
        score: float = best.score(X, y, measure=self.measure)
        return score

    def _quantifier(self, X: Any) -> tuple[Any, Any]:
        """The best one, and documents as it takes them.

        A pipeline passes on nothing but X and y.
        """
        best = self._fitted()
        if not isinstance(best, Pipeline):
            return best, X
        return best[-1], best[:-1].transform(X) if len(best) > 1 else X

    @property
    def n_features_in_(self) -> int:
        """Number of features, where documents are rows of numbers."""
        features: int = self._fitted().n_features_in_
        return features

    @property
    def classes_(self) -> Array:
        """Names of the classes, in the order of the estimates."""
        return np.asarray(self._fitted().classes_)

    def __sklearn_tags__(self) -> Tags:
        tell_of_bags()
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        return tags

    def _fitted(self) -> Any:
        check_is_fitted(self, "best_quantifier_")
        if not self.refit:
            raise NotFittedError(
                "the best quantifier is not fitted, for the search was made with refit=False; fit "
                "it: search.best_quantifier_.fit(X, y)"
            )
        return self.best_quantifier_
