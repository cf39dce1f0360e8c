"""Quantifier: what every method shares.

It is longer than other files, since whoever writes a method should find in one place all that it
may say and all that it inherits.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, repeat
from operator import add
from threading import Lock
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, _safe_indexing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from quantext.measures import Measure
from quantext.progress import Progress, silent
from quantext.quantifiers.intervals import (
    check_level,
    check_replicates,
    difference_bounds,
)
from quantext.quantifiers.possible import possible_errors
from quantext.quantifiers.problems import Problems, Relearned, Relearner
from quantext.quantifiers.redrawn import Redrawing, likely_truths, redrawn_bounds
from quantext.quantifiers.redraws import Documents
from quantext.quantifiers.regions import Region, check_several, find_region, joint_box
from quantext.quantifiers.scoring import bag_score, tell_of_bags
from quantext.quantifiers.summary import Summary
from quantext.quantifiers.weights import Weights, whole_weights
from quantext.scores.finite import check_finite
from quantext.scores.labels import Kind
from quantext.scores.training import ScoresByClass, TrainingScores, score_training
from quantext.vectors.dask_arrays import check_dask_array, is_dask
from quantext.vectors.sparse import check_sparse

__all__ = ["OneClass", "Quantifier", "check_size"]

Array = NDArray[Any]


class Quantifier(BaseEstimator, ABC):  # type: ignore[misc]
    """Estimator whose ``predict`` speaks of the whole bag: the prevalence of each class in it.

    A method says three things of one problem, which has either two classes or K of them: what it
    learns from rows of training documents (`learn`), what it counts of a bag's (`count`), and how
    it reads the prevalence from that (`estimate`). Rows are out-of-fold scores of a classifier, one
    column for two classes and K for more, unless the method represents documents in a way of its
    own (`represent`). How the classes of a y become problems, `divide` says: each against the rest,
    unless it says otherwise. Everything else is here.

    A label that all training documents have is estimated as 1, one that none has as 0, whatever
    the method and the bag.

    Attributes
    ----------
    classes_
        Names of the classes, in the order of the estimates; for multi-label y those of the columns.
    kind_
        Of y: "binary", "multiclass" or "multilabel".
    prevalence_
        Training prevalence of each class.
    n_train_
        Number of training documents.
    scores_
        The `TrainingScores` it was fitted to.
    problems_
        How the classes are divided into problems.
    learned_
        What `learn` returned for each problem, or a `OneClass`.
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("binary", "multiclass", "multilabel")
    """Kinds of y that the method can be fitted to."""

    corrects: ClassVar[bool] = True
    """Whether the estimate follows a bag far from the training prevalence, as intervals do."""

    depends_on_size: ClassVar[bool] = False
    """Whether a bag with every document twice may have another estimate."""

    counts_features: ClassVar[bool] = False
    """Whether the method also looks at the features of documents, in training and in a bag."""

    labels_together: ClassVar[bool] = False
    """Whether the labels of a multi-label y tell of each other, so that which they are matters."""

    stored: ClassVar[tuple[type, ...]] = ()
    """Frozen dataclasses of a representation of its own, which model files may keep."""

    classifier: Any
    folds: int
    seed: int

    @abstractmethod
    def learn(self, training: ScoresByClass) -> Any:
        """What the method knows beyond the classifier, from rows of training documents by class."""

    @abstractmethod
    def count(self, learned: Any, scores: Array, weights: Array | None = None) -> Any:
        """Whole numbers that say all of a bag's rows that matters, and that add up.

        Anything with ``+`` and ``==`` will do, and tuples of it. `scores` has shape (n, m); row i
        stands for ``weights[i]`` documents, a whole number, or for one. Weights of a survey come in
        a small unit, and so does the size that `estimate` is given.
        """

    @abstractmethod
    def estimate(self, learned: Any, counts: Any, size: int) -> Array:
        """Prevalence of each class of the problem, shape (K,), from the counts of a bag."""

    def represent(self, X: Any, y: Any) -> TrainingScores:
        """Rows of the training documents, and what gives those of a bag: a classifier's scores.

        A method with another representation has its own; its rows may have any number of columns
        and mean anything.

        Parameters
        ----------
        X, y
            As in `fit`.
        """
        return score_training(
            self.classifier,
            X,
            y,
            folds=self.folds,
            seed=self.seed,
            features=self.counts_features,
        )

    def divide(self, scores: TrainingScores) -> Problems:
        """How the classes become problems: each against the rest.

        Parameters
        ----------
        scores
            To be fitted to.
        """
        return Problems.each_class(scores)

    @classmethod
    def learning_bytes(cls, scores: TrainingScores) -> int:
        """About how much memory ``fit_scores`` takes for a moment, for files that nobody trusts.

        Parameters
        ----------
        scores
            To be fitted to.
        """
        # Whole numbers, and posteriors, for all documents at once.
        return scores.y.size * (16 if scores.out_of_fold is None else 48)

    @property
    def needs_folds(self) -> bool:
        """Whether the method learns from out-of-fold scores; if not, it may be given none."""
        return True

    @property
    def gives_intervals(self) -> bool:
        """Whether it was fitted in a way that gives intervals."""
        return self.scores_.out_of_fold is not None

    def coarsen(self, scores: Array) -> Array:
        """Scores that mean the same to the method but with fewer distinct rows, for intervals."""
        return scores

    def condense(self, scores: Array) -> Array:
        """The same scores, or what `summarise_scores` needs of them, in less memory.

        Parameters
        ----------
        scores
            Shape (n, m): what ``scores_.scorer`` gives for documents.
        """
        return scores

    def reestimator(self, training: ScoresByClass) -> Relearner:
        """Function that learns from redrawn documents, to estimate redrawn bags, for intervals.

        Its argument says how many training documents of each class have the scores of each row,
        in each of R replicates: shape (R, K, rows). It gives a function of R bags, which says what
        the method estimates of each, by what it learned in the same replicate: shape (R, K). The
        arguments of that one are rows of the bags' documents, and how many have each, shape (R, n).

        It says what `learn`, `count` and `estimate` say of one replicate after the other; a method
        that can say it of all at once has its own.

        Parameters
        ----------
        training
            Scores that are redrawn.
        """
        scores = training.scores

        def relearn(redrawn: Array) -> Relearned:
            learned = [self.learn(ScoresByClass(scores, counts.T)) for counts in redrawn]

            def estimates(rows: Array, numbers: Array) -> Array:
                weights = repeat(None) if (numbers == 1).all() else numbers
                sizes = numbers.sum(axis=1).tolist()
                bags = zip(learned, scores[rows], weights, sizes, strict=False)
                return np.array(
                    [self.estimate(L, self.count(L, own, w), n) for L, own, w, n in bags]
                )

            return estimates

        return relearn

    def fit(self, X: Any, y: Any) -> Self:
        """Fitted quantifier.

        To use a classifier that is already fitted, put it in scikit-learn's ``FrozenEstimator`` and
        pass documents that it was not trained on.

        Parameters
        ----------
        X
            Training documents: array or sparse matrix, or whatever the classifier takes.
        y
            One-dimensional: labels of any type. Two-dimensional: 0/1 columns, always multi-label.
        """
        check_sparse(X)
        validate_data(self, X, y, skip_check_array=True)
        return self.fit_scores(self.represent(X, y))

    def fit_scores(self, scores: TrainingScores) -> Self:
        """Fitted quantifier, from scores that other methods may share.

        Parameters
        ----------
        scores
            Made by `score_training`, or your own.
        """
        if scores.kind not in self.kinds:
            raise ValueError(
                f"{type(self).__name__} is made for a {' or '.join(self.kinds)} y, and this one is "
                f"{scores.kind}; `quantext methods` lists others"
            )
        if self.needs_folds and scores.out_of_fold is None:
            raise ValueError(
                f"{type(self).__name__} learns from out-of-fold scores, and there are none: "
                "fit with folds >= 2"
            )
        if scores.out_of_fold is not None:
            self._check_finite(scores.out_of_fold, "training document")
        self.scores_ = scores
        self.classes_ = scores.classes
        self.kind_ = scores.kind
        self.prevalence_ = scores.prevalence
        self.n_train_ = len(scores.y)
        self.problems_ = self.divide(scores)
        units = self.problems_.units(scores)
        problems = chain.from_iterable(map(self.problems_.split, units))
        self.learned_ = tuple(map(self._learn, problems))
        return self

    def rows(self, X: Any) -> Array:
        """What `summarise_scores` takes of documents: their scores, or other representation.

        Parameters
        ----------
        X
            Documents, as in ``fit``.
        """
        check_sparse(X)
        return self.scores_.scorer(X)

    def summarise(self, X: Any) -> Summary:
        """Summary of a bag, or of a part of one.

        Parameters
        ----------
        X
            Documents, as in ``fit``. A Dask array is summarised where its chunks of rows are, and
            only summaries travel.
        """
        check_is_fitted(self)
        if hasattr(self, "n_features_in_") and getattr(X, "ndim", 2) == 1:
            raise ValueError(
                "X has one dimension, but a bag has a row for each document. Reshape your data: "
                "X.reshape(1, -1) is a bag of one document"
            )
        in_chunks = is_dask(X)
        if in_chunks:
            check_dask_array(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        if in_chunks:
            from quantext.quantifiers.dask_bags import summarise_chunks  # Dask is optional

            parts = summarise_chunks(self, X)
            check_size(len(parts))
            return reduce(add, parts)
        check_size(_num_samples(X))
        return self._summarised(X)

    def _summarised(self, X: Any) -> Summary:
        """Summary of documents that are fit to be scored."""
        return self.summarise_scores(self.rows(X), X if self.counts_features else None)

    def summarise_scores(self, scores: Array, X: Any = None, weights: Any = None) -> Summary:
        """Summary of a bag whose scores are known, because other methods share them.

        Parameters
        ----------
        scores
            Shape (n, m): what `rows` gives for the bag.
        X
            Documents of the bag, for methods whose `counts_features` is true; without, they do with
            the scores.
        weights
            How much each document counts, if not all count alike: numbers that are finite and not
            negative. Only their ratios matter.
        """
        del X
        self._check_finite(scores, "document")
        rows = zip(self.learned_, self.problems_.rows(scores), strict=True)
        if weights is None:
            return Summary(len(scores), tuple(self._count(*problem) for problem in rows))
        whole = whole_weights(weights)
        counts = tuple(self._count(*problem, whole) for problem in rows)
        return Summary(len(scores), counts, Weights.of(whole))

    def aggregate(self, summary: Summary) -> Array:
        """Prevalence of each class in the bag that was summarised.

        Parameters
        ----------
        summary
            Of this quantifier's making.
        """
        check_is_fitted(self)
        check_size(summary.size)
        if summary.weights is not None:
            summary.weights.check(summary.size)
        problems = zip(self.learned_, summary.counts, strict=True)
        # A copy, so that whoever gets it may write to it.
        return np.array(self.problems_.join([self._estimate(*p, summary.total) for p in problems]))

    def estimate_bags(self, scores: Array, bags: Sequence[Array], X: Any = None) -> Array:
        """What `aggregate` says of many bags, a row each, in less time.

        Parameters
        ----------
        scores
            Shape (n, m): what `rows` gives for documents.
        bags
            Places of the documents of each bag, at least one.
        X
            The documents, for methods whose `counts_features` is true.
        """
        kind = type(self)
        if (
            kind.summarise_scores is not Quantifier.summarise_scores
            or kind.aggregate is not Quantifier.aggregate
        ):
            parts = ((scores[bag], None if X is None else _safe_indexing(X, bag)) for bag in bags)
            return np.array([self.aggregate(self.summarise_scores(*part)) for part in parts])
        # The same without checking every bag: of small bags that takes most of the time.
        self._check_finite(scores, "document")
        problems = list(zip(self.learned_, self.problems_.rows(scores), strict=True))
        return np.array(
            [
                self.problems_.join(
                    [
                        self._estimate(learned, self._count(learned, rows[bag]), len(bag))
                        for learned, rows in problems
                    ]
                )
                for bag in bags
            ]
        )

    def predict(self, X: Any) -> Array:
        """Prevalence of each class in a bag.

        Parameters
        ----------
        X
            Documents of the bag, as in ``fit``.

        Returns
        -------
        p_hat
            In the order of ``classes_``: shares that sum to 1 or, after a two-dimensional y, the
            share of each label.
        """
        return self.aggregate(self.summarise(X))

    def score(self, X: Any, y: Any, *, measure: str | Measure = "kld") -> float:
        """Minus the error of the estimate for a bag; of several labels, minus their mean error.

        So scikit-learn's searches and validations work, and each fold is a bag.

        Parameters
        ----------
        X
            Documents of the bag, as in ``fit``.
        y
            Their labels; not all classes need to be there.
        measure
            A name in ``quantext.measures.MEASURES``, or a function ``f(p_true, p_hat, *, size)``.
            Of several labels, each is measured as a prevalence of two classes.
        """
        summary = self.summarise(X)
        p_hat, size = self.aggregate(summary), summary.size
        return bag_score(
            y, p_hat, size=size, classes=self.classes_, kind=self.kind_, measure=measure
        )

    def predict_interval(
        self, X: Any, level: float = 0.95, seed: int = 0, *, replicates: int = 1000
    ) -> tuple[Array, Array]:
        """Lower and upper bounds of the prevalence of each class in a bag: see `interval`.

        Parameters
        ----------
        X
            Documents of the bag, as in ``fit``.
        level
            Share of bags whose prevalence the interval should contain.
        seed
            Of the replicates.
        replicates
            Number of times that training scores and bag are redrawn.
        """
        return self.interval(self.summarise(X), level, seed, replicates=replicates)

    def interval(
        self, summary: Summary, level: float = 0.95, seed: int = 0, *, replicates: int = 1000
    ) -> tuple[Array, Array]:
        """Lower and upper bounds of the prevalence of each class in the bag that was summarised.

        They bound the share in this very bag, each class by itself, in whole documents. In every
        replicate the bag's classes are drawn, its scores within each class from the out-of-fold
        scores; those are redrawn too, and what the method learned from them is learned anew. This
        is done twice, at the estimate and at the estimate less its median error there; the errors
        of the second time make the interval.

        They are bounds of the truth, so the interval of a method that does not correct for a new
        prevalence (CC, PCC and the SVM methods: its `corrects` is false) may lie beside its
        estimate. That of any other contains it.

        It covers chance: that of which documents were labelled and which are in the bag. It does
        not cover scores that drift within a class, as when a class changes its vocabulary, nor the
        classifier, which is not trained anew.

        Parameters
        ----------
        summary
            Of this quantifier's making.
        level, seed, replicates
            As in `predict_interval`.
        """
        low, high = self._intervals([summary], level, seed, replicates=replicates)[1:]
        return low[0], high[0]

    def aggregate_intervals(
        self,
        summaries: Sequence[Summary],
        level: float = 0.95,
        seed: int = 0,
        *,
        replicates: int = 1000,
        n_jobs: int | None = None,
        progress: Progress = silent,
    ) -> tuple[Array, Array, Array]:
        """What `aggregate` and `interval` say of many bags, a row each, in far less time.

        What does not depend on the bag is redrawn and learned once. The answer to a bag is the same
        whatever other bags there are, and however many threads.

        Parameters
        ----------
        summaries
            Of this quantifier's making.
        level, seed, replicates
            As in `predict_interval`.
        n_jobs
            Threads; None is one, -1 all there are.
        progress
            Is told "bags", and about how many of them are done.
        """
        total = len(summaries)
        if not total:
            nothing = np.empty((0, len(self.classes_)))
            return nothing, nothing, nothing
        if type(self).interval is Quantifier.interval:
            return self._intervals(
                summaries, level, seed, replicates=replicates, n_jobs=n_jobs, progress=progress
            )
        # Methods with intervals of their own.
        parallel = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")
        one = delayed(self.aggregate_interval)
        found = []
        for own in parallel(one(bag, level, seed, replicates=replicates) for bag in summaries):
            found.append(own)
            progress("bags", len(found), total)
        estimates, low, high = map(np.array, zip(*found, strict=True))
        return estimates, low, high

    def _intervals(
        self,
        summaries: Sequence[Summary],
        level: float,
        seed: int,
        *,
        replicates: int,
        n_jobs: int | None = None,
        progress: Progress = silent,
    ) -> tuple[Array, Array, Array]:
        """Estimates and bounds of bags that are redrawn."""
        check_level(level)
        check_replicates(replicates)
        estimates = np.array([self.aggregate(summary) for summary in summaries])
        self._check_gives_intervals()
        sizes = np.array([summary.effective_size for summary in summaries])
        units = self.problems_.units(self.scores_)
        parts, lock = np.zeros(len(units)), Lock()

        def unit_bounds(j: int, p_hat: Array, threads: int | None) -> tuple[Array, Array]:
            def tell(part: float) -> None:
                with lock:  # labels have threads of their own, and whoever listens may have none
                    parts[j] = part
                    progress("bags", int(parts.mean() * len(sizes)), len(sizes))

            if units[j].one_class:
                tell(1.0)
                return p_hat, p_hat
            documents = Documents.of(ScoresByClass(self.coarsen(units[j].scores), units[j].counts))
            redrawing = Redrawing(
                documents, self._reestimator, replicates, (seed, j), threads, tell
            )
            low, high = redrawn_bounds(redrawing, p_hat, sizes, level)
            if not self.corrects:
                return low, high
            return np.minimum(low, p_hat), np.maximum(high, p_hat)

        if self.kind_ != "multilabel":
            return estimates, *unit_bounds(0, estimates, n_jobs)
        if n_jobs is None:
            n_jobs = getattr(getattr(self, "classifier", None), "n_jobs", None)
        parallel = Parallel(n_jobs=n_jobs, require="sharedmem")
        labels = enumerate(estimates.T)
        pairs = parallel(
            delayed(unit_bounds)(j, np.column_stack([1 - p, p]), None) for j, p in labels
        )
        low, high = (np.column_stack([pair[end][:, 1] for pair in pairs]) for end in (0, 1))
        return estimates, low, high

    def predict_region(
        self, X: Any, level: float = 0.95, seed: int = 0, *, replicates: int = 1000
    ) -> Region:
        """Prevalences that a bag of three classes or more may have, all together: see `region`.

        Parameters
        ----------
        X
            Documents of the bag, as in ``fit``.
        level
            Share of bags whose prevalence the region should contain.
        seed
            Of the replicates.
        replicates
            Number of times that training scores and bag are redrawn.
        """
        return self.region(self.summarise(X), level, seed, replicates=replicates)

    def region(
        self, summary: Summary, level: float = 0.95, seed: int = 0, *, replicates: int = 1000
    ) -> Region:
        """Prevalences that the bag that was summarised may have: an ellipse, beside it a box.

        It is about the shares in this very bag, as `interval` is, and covers the same chance; but
        where an interval holds for one class, the region holds for all classes at once.

        Parameters
        ----------
        summary
            Of this quantifier's making.
        level, seed, replicates
            As in `predict_region`.
        """
        check_level(level)
        check_replicates(replicates)
        estimate = self.aggregate(summary)
        check_several(self.kind_, len(self.classes_))
        self._check_gives_intervals()
        draws = self.draw_shares(summary, seed, replicates=replicates)
        size, holds = summary.effective_size, self.corrects
        box = joint_box(estimate, draws, level=level, size=size, holds_estimate=holds)
        return find_region(
            self.classes_, estimate, draws, box, level=level, size=size, holds_estimate=holds
        )

    def draw_shares(self, summary: Summary, seed: int = 0, *, replicates: int = 1000) -> Array:
        """Prevalences that the bag may have, of several classes, shape (replicates, K).

        They are the estimate less errors, so they sum to 1, but may be negative. The errors are
        drawn where those of the interval are, and reckon also with classes that are not quite what
        training shows of them. A method whose interval is made otherwise has its own.

        Parameters
        ----------
        summary
            Of this quantifier's making.
        seed, replicates
            As in `predict_region`.
        """
        estimate = self.aggregate(summary)
        [unit] = self.problems_.units(self.scores_)
        if unit.one_class:
            return np.tile(estimate, (replicates, 1))
        rng, size = np.random.default_rng([seed, 0]), summary.effective_size
        coarse = ScoresByClass(self.coarsen(unit.scores), unit.counts)
        redrawing = Redrawing(Documents.of(coarse), self._reestimator, replicates, (seed, 0))
        [there] = likely_truths(redrawing, estimate[None], np.array([size]))
        errors = possible_errors(
            coarse, there, size, self._reestimator, replicates=replicates, rng=rng
        )
        return np.asarray(estimate - errors)

    def aggregate_interval(
        self, summary: Summary, level: float = 0.95, seed: int = 0, *, replicates: int = 1000
    ) -> tuple[Array, Array, Array]:
        """What `aggregate` and `interval` say: the estimate and its lower and upper bounds.

        Parameters
        ----------
        summary
            Of this quantifier's making.
        level, seed, replicates
            As in `predict_interval`.
        """
        low, high = self.interval(summary, level, seed, replicates=replicates)
        return self.aggregate(summary), low, high

    def difference_interval(
        self,
        first: Summary,
        second: Summary,
        level: float = 0.95,
        seed: int = 0,
        *,
        replicates: int = 1000,
    ) -> tuple[Array, Array]:
        """Lower and upper bounds of the difference of two bags' prevalences, second less first.

        They are made of the two intervals, as if the errors of the two bags had nothing to do with
        each other. What is common to them, because the model is the same, cancels in part; so the
        bounds are, if anything, too wide.

        Parameters
        ----------
        first, second
            Of this quantifier's making.
        level, seed, replicates
            As in `predict_interval`.
        """
        bags = [
            (self.aggregate(bag), *self.interval(bag, level, seed, replicates=replicates))
            for bag in (first, second)
        ]
        return difference_bounds(*bags)

    def _check_gives_intervals(self) -> None:
        if not self.gives_intervals:
            raise ValueError(
                "an interval needs out-of-fold scores, and there are none: fit with folds >= 2"
            )

    def _check_finite(self, scores: Array, of: str) -> None:
        """Raise unless all scores are finite numbers."""
        check_finite(scores, getattr(self, "classifier", None), of)

    def _learn(self, training: ScoresByClass) -> Any:
        if self.problems_.is_constant(training):
            return OneClass((training.counts.sum(axis=0) > 0).astype(np.float64))
        return self.learn(training)

    def _count(self, learned: Any, scores: Array, weights: Array | None = None) -> Any:
        if isinstance(learned, OneClass):
            return np.zeros(0, dtype=np.int64)
        return self.count(learned, scores, weights)

    def _estimate(self, learned: Any, counts: Any, size: int) -> Array:
        if isinstance(learned, OneClass):
            return learned.estimate
        return self.estimate(learned, counts, size)

    def _reestimator(self, unit: ScoresByClass) -> Relearner:
        """As `reestimator`, for all problems of a unit together."""
        problems = self.problems_.split(unit)
        return self.problems_.join_redrawn(
            [None if problem.one_class else self.reestimator(problem) for problem in problems]
        )

    def __sklearn_tags__(self) -> Tags:
        tell_of_bags()
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


@dataclass(frozen=True)
class OneClass:
    """What is learned where all training documents are of one class: that the bag's are too."""

    estimate: Array


def check_size(size: int) -> None:
    """Raise ValueError for a bag without documents.

    Parameters
    ----------
    size
        Of the bag.
    """
    if size == 0:
        raise ValueError("the bag is empty: give at least one document")
