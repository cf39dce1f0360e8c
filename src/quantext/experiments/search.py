"""SearchQ: parameters of a quantifier, chosen by its error on bags."""

import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn import config_context, get_config
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted, validate_data

from quantext.experiments.fits import representation
from quantext.experiments.folder import claim, locked, write_frame
from quantext.experiments.protocol_names import make_protocol, protocol_settings
from quantext.experiments.protocols import AsGiven, BagProtocol
from quantext.experiments.search_folder import read_outcome, search_facts, write_outcome
from quantext.experiments.search_table import first_failures, gathered, make_table
from quantext.experiments.settings import (
    Setting,
    assembled,
    make_settings,
    quantifier_of,
    shared_folds,
)
from quantext.experiments.stages import Data, Stage, make_stages
from quantext.experiments.trials import Outcome, Piece, SharedVectors, try_piece
from quantext.measures import MEASURES, Measure, find_measure
from quantext.models.methods import INTERVAL_FOLDS
from quantext.progress import Progress, silent
from quantext.quantifiers import Quantifier
from quantext.scores.features import describe_features
from quantext.scores.scorers import LinearScorer

__all__ = ["SearchQ"]

Array = NDArray[Any]
Outcomes = tuple[int, Outcome]


class SearchQ(BaseEstimator):  # type: ignore[misc]
    """The quantifier of a grid whose estimates of bags are best.

    Parameters of a quantifier, of its classifier and of what makes vectors of its documents are
    tried on the same bags, which a protocol draws with many different shares: a classifier that is
    best at single documents need not count best.

    Settings that differ in the aggregation alone share one cross-validation. Bags are then drawn
    from its out-of-fold scores. What an aggregation learns from scores (rates of errors,
    thresholds, posteriors) is learned from those of one half of the documents and tested on bags
    of the other half, and the other way round. Methods that need no folds (CC, SVM(KLD)) are tried
    with those of others that have the same classifier, or else 10; those that have no out-of-fold
    scores at all are trained on one half. What comes before the quantifier, such as a vectorizer,
    is fitted to all documents, but without their labels: what selects features by labels belongs
    in the classifier.

    With ``ByPeriod``, ``ByGroup`` or ``Drawn(held_out=ByPeriod())`` bags are of documents that
    nothing was fitted to, as the protocol divides them.

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
        A name in ``quantext.experiments.protocol_names.PROTOCOLS``, or a protocol.
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
        Of settings and bags that are drawn, and of the halves.
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
            When each document was written, for ``ByPeriod``: dates, or names.
        groups
            What each document belongs to, for ``ByGroup``.
        """
        measure = _find_measure(self.measure)
        protocol = _find_protocol(self.protocol, self.seed)
        settings = make_settings(self.quantifier, self.param_grid, self.n_iter, self.seed)
        data = Data.of(X, y, periods, groups)
        stages, self.protocol_ = make_stages(protocol, data, self.seed)
        out_of_fold = stages[0].train is None
        settings = shared_folds(settings, INTERVAL_FOLDS if out_of_fold else 0)
        pieces = _pieces(settings, stages)
        found, best = self._tried(data, settings, stages, pieces, measure)
        errors = gathered(found, pieces, len(settings), len(stages))
        failures = first_failures(found)
        for number, why in failures.items():
            warnings.warn(
                f"the setting {settings[number].params} is ranked last, for it failed: {why}",
                FitFailedWarning,
                stacklevel=2,
            )
        if np.isnan(errors).all():
            first = next(iter(failures.values()))
            raise ValueError(f"all {len(settings)} settings failed; the first: {first}")
        self.n_bags_ = errors.shape[1]
        order = np.argsort(errors.mean(axis=1), kind="stable")  # NaN last
        self.errors_ = errors[order]
        self.results_ = make_table(settings, errors, order, found)
        chosen = settings[order[0]]
        self.best_params_ = dict(chosen.params)
        self.best_error_ = float(errors[order[0]].mean())
        self.best_quantifier_ = clone(chosen.whole)
        if self.refit:
            self.best_quantifier_ = _refitted(chosen, best.get(int(order[0])), data)
        if self.out is not None:
            write_frame(Path(self.out) / "results.parquet", self.results_)
        return self

    def _tried(
        self,
        data: Data,
        settings: Sequence[Setting],
        stages: Sequence[Stage],
        pieces: Sequence[Piece],
        measure: Callable[..., Any],
    ) -> tuple[dict[int, Outcome], dict[int, Outcome]]:
        """What came of each piece, and by the number of the best setting, what it was fitted to."""
        files = [None if self.out is None else _file(self.out, n) for n in range(len(pieces))]
        found: dict[int, Outcome] = {}
        best: dict[int, Outcome] = {}
        least = (np.inf, 0)
        with nullcontext() if self.out is None else locked(Path(self.out)):
            if self.out is not None:
                claim(Path(self.out), search_facts(data, settings, stages, self.measure))
                (Path(self.out) / "tasks").mkdir(exist_ok=True)
            for number, file in enumerate(files):
                if file is not None and file.exists():
                    found[number] = read_outcome(file)
            total = sum(len(piece.numbers) for piece in pieces)
            done = sum(len(pieces[number].numbers) for number in found)
            self.progress("search", done, total)
            waiting = [number for number in range(len(pieces)) if number not in found]
            vectors = SharedVectors(data, stages, [pieces[number] for number in waiting])

            def outcome(number: int) -> Outcomes:
                piece = pieces[number]
                stage = stages[piece.stage]
                return number, try_piece(piece, settings, stage, data, vectors, measure)

            with closing(_as_they_come(outcome, waiting, self.n_jobs)) as outcomes:
                for number, came in outcomes:
                    if (file := files[number]) is not None and not came.failures:
                        write_outcome(file, came)
                    errors = [(float(e.mean()), place) for place, e in came.errors.items()]
                    if errors and min(errors) < least:
                        least = min(errors)
                        best = {least[1]: came}
                    found[number] = came.light
                    self.progress("search", done := done + len(pieces[number].numbers), total)
        return found, best

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
    def classes_(self) -> Array:
        """Names of the classes, in the order of the estimates."""
        return np.asarray(self._fitted().classes_)

    def _fitted(self) -> Any:
        check_is_fitted(self, "best_quantifier_")
        if not self.refit:
            raise NotFittedError(
                "the best quantifier is not fitted, for the search was made with refit=False; fit "
                "it: search.best_quantifier_.fit(X, y)"
            )
        return self.best_quantifier_


# What is asked ------------------------------------------------------------------------------------


def _find_measure(measure: str | Measure) -> Callable[[Array, Array, Array], Array]:
    """Errors, shape (bags, parts), of prevalences, (bags, parts, classes), and sizes, (bags, 1)."""
    error_of = find_measure(measure)

    def together(p_true: Array, p_hat: Array, sizes: Array) -> Array:
        return error_of(p_true, p_hat, size=sizes)

    def each(p_true: Array, p_hat: Array, sizes: Array) -> Array:
        bags = zip(p_true, p_hat, sizes[:, 0].tolist(), strict=True)
        return np.array(
            [[error_of(p, q, size=n) for p, q in zip(*both, strict=True)] for *both, n in bags]
        )

    half, size = np.full((1, 1, 2), 0.5), np.array([[100]])
    if np.shape(each(half, half, size)) != (1, 1):
        raise ValueError(
            f"measure {measure!r} gives several numbers of a bag, and a search needs one; choose "
            "another, such as kld or ae"
        )
    # Of a function that we do not know, nobody knows what it makes of several bags.
    known = error_of in MEASURES.values()
    return together if known and np.shape(together(half, half, size)) == (1, 1) else each


def _find_protocol(protocol: str | BagProtocol, seed: int) -> BagProtocol:
    if isinstance(protocol, str):
        seeded = "seed" in protocol_settings(protocol)
        protocol = make_protocol(protocol, **{"seed": seed} if seeded else {})
    if isinstance(protocol, AsGiven):
        raise ValueError("X and y have no bags of their own; choose another protocol")
    if not hasattr(protocol, "split"):
        raise TypeError(
            f"protocol is a {type(protocol).__name__}; give a name, or a protocol such as "
            "ByPeriod() or Drawn()"
        )
    return protocol


def _pieces(settings: Sequence[Setting], stages: Sequence[Stage]) -> list[Piece]:
    """Settings by what they share, in each stage."""
    sharing: dict[tuple[str, str], list[int]] = {}
    for number, setting in enumerate(settings):
        sharing.setdefault((setting.front, setting.representation), []).append(number)
    return [
        Piece(stage, front, tuple(numbers))
        for stage in range(len(stages))
        for (front, _), numbers in sharing.items()
    ]


def _as_they_come(
    work: Callable[[int], Outcomes], numbers: Sequence[int], n_jobs: int | None
) -> Generator[Outcomes, None, None]:
    """What comes of each number, in threads, whichever is first; closed, it begins no more."""
    jobs = effective_n_jobs(n_jobs)
    if jobs == 1:
        yield from map(work, numbers)
        return
    config = get_config()  # scikit-learn's, which is that of a thread

    def configured(number: int) -> Outcomes:
        with config_context(**config):
            return work(number)

    pool = ThreadPoolExecutor(jobs)
    try:
        for future in as_completed([pool.submit(configured, number) for number in numbers]):
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _file(folder: Path | str, number: int) -> Path:
    return Path(folder) / "tasks" / f"{number:05}.parquet"


def _refitted(setting: Setting, outcome: Outcome | None, data: Data) -> Any:
    """The whole fitted to all documents, from the scores of the search if they are at hand."""
    asked = clone(quantifier_of(setting.whole))
    if (
        outcome is None
        or outcome.scores is None
        or representation(asked) != representation(setting.quantifier)
    ):
        return clone(setting.whole).fit(data.X, data.y)
    assert outcome.vectors is not None
    X, scores = outcome.vectors.train, outcome.scores
    if asked.counts_features and type(asked).represent is Quantifier.represent:
        unweighted = None if isinstance(scores.scorer, LinearScorer) else scores.out_of_fold
        scores = replace(scores, features=describe_features(X, scores.y, unweighted))
    validate_data(asked, X, skip_check_array=True)  # as its `fit` does
    return assembled(setting.whole, outcome.vectors.front, asked.fit_scores(scores))
