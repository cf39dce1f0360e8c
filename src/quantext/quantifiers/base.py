"""Quantifier: what every method shares."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from quantext.quantifiers.intervals import bounds, check_level, check_replicates, draw_errors
from quantext.quantifiers.summary import Counts, Summary
from quantext.scores.training import ScoresByClass, TrainingScores, score_training
from quantext.vectors.dask_arrays import check_dask_array, is_dask

__all__ = ["OneClass", "Quantifier"]

Array = NDArray[Any]


class Quantifier(BaseEstimator, ABC):  # type: ignore[misc]
    """Estimator whose ``predict`` speaks of the whole bag: the prevalence of each class in it.

    A method says three things of one problem, which has either two classes and one column of
    scores, or K classes and K columns: what it learns from out-of-fold scores (`learn`), which
    whole numbers it needs of a bag (`count`), and how it reads the prevalence from these
    (`estimate`). Everything else is here. A multi-label y is as many two-class problems as it has
    columns. A multi-class y is one problem or, where `estimates_each_class` says so, one for each
    class against the rest, whose shares are divided by their sum; if they are all zero, the
    estimate is the training prevalence.

    A label that all training documents have is estimated as 1, one that none has as 0, whatever
    the method and the bag.

    Attributes
    ----------
    classes_
        Names of the classes, in the order of the estimates; for multi-label y those of the columns.
    scores_
        The `TrainingScores` it was fitted to.
    learned_
        What `learn` returned for each problem, or a `OneClass`.
    """

    classifier: Any
    folds: int
    seed: int

    @abstractmethod
    def learn(self, training: ScoresByClass) -> Any:
        """What the method knows beyond the classifier, from out-of-fold scores by class."""

    @abstractmethod
    def count(self, learned: Any, scores: Array, weights: Array | None = None) -> Counts:
        """Whole numbers that say all of a bag's scores that matters, and that add up.

        `scores` has shape (n, m); row i stands for ``weights[i]`` documents, or for one.
        """

    @abstractmethod
    def estimate(self, learned: Any, counts: Any, size: int) -> Array:
        """Prevalence of each class of the problem, shape (K,), from the counts of a bag."""

    @property
    def needs_folds(self) -> bool:
        """Whether the method learns from out-of-fold scores; if not, it may be given none."""
        return True

    def estimates_each_class(self, scores: TrainingScores) -> bool:
        """Whether a multi-class estimate is made of one for each class against the rest."""
        del scores
        return True

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

    def reestimator(self, training: ScoresByClass) -> Callable[[Array], Array]:
        """Function that gives the prevalence in redrawn bags, shape (R, K), for intervals.

        Its argument says how many documents have the scores of each row, shape (R, K + 1, rows): in
        each replicate training documents of each class, and last those of a bag. It says what
        `learn`, `count` and `estimate` say of one replicate after the other; a method that can say
        it of all at once has its own.

        Parameters
        ----------
        training
            Scores that are redrawn.
        """

        def estimate(counts: Array) -> Array:
            learned = self.learn(ScoresByClass(training.scores, counts[:-1].T))
            bag = self.count(learned, training.scores, counts[-1])
            return self.estimate(learned, bag, int(counts[-1].sum()))

        return lambda redrawn: np.array([estimate(counts) for counts in redrawn])

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
        validate_data(self, X, y, skip_check_array=True)
        return self.fit_scores(
            score_training(self.classifier, X, y, folds=self.folds, seed=self.seed)
        )

    def fit_scores(self, scores: TrainingScores) -> Self:
        """Fitted quantifier, from scores that other methods may share.

        Parameters
        ----------
        scores
            Made by `score_training`, or your own.
        """
        if self.needs_folds and scores.out_of_fold is None:
            raise ValueError(
                f"{type(self).__name__} learns from out-of-fold scores, and there are none: "
                "fit with folds >= 2"
            )
        self.scores_ = scores
        self.classes_ = scores.classes
        self.learned_ = tuple(map(self._learn, self._problems()))
        return self

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
            _check_size(len(parts))
            return reduce(add, parts)
        _check_size(_num_samples(X))
        return self.summarise_scores(self.scores_.scorer(X))

    def summarise_scores(self, scores: Array) -> Summary:
        """Summary of a bag whose scores are known, because other methods share them.

        Parameters
        ----------
        scores
            Shape (n, m): what ``scores_.scorer`` gives for the bag.
        """
        problems = zip(self.learned_, self._split_columns(scores), strict=True)
        return Summary(len(scores), tuple(self._count(*problem) for problem in problems))

    def aggregate(self, summary: Summary) -> Array:
        """Prevalence of each class in the bag that was summarised.

        Parameters
        ----------
        summary
            Of this quantifier's making.
        """
        check_is_fitted(self)
        _check_size(summary.size)
        problems = zip(self.learned_, summary.counts, strict=True)
        estimates = [self._estimate(*problem, summary.size) for problem in problems]
        if self.scores_.kind == "multilabel":
            return np.array([estimate[1] for estimate in estimates])
        return self._join_classes(estimates)

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

        They bound the share in this very bag, each class by itself. In every replicate the bag's
        classes are drawn at the estimate, its scores within each class from the out-of-fold
        scores; those are redrawn too, and what the method learned from them is learned anew. The
        errors of the replicates' estimates make the interval, which always contains the estimate.

        It covers chance: that of which documents were labelled and which are in the bag. It does
        not cover scores that drift within a class, as when a class changes its vocabulary, nor the
        classifier, which is not trained anew. Of the bias of methods that do not correct for a new
        prevalence (CC, PCC and the SVM methods) it knows what there is of it at the estimate: far
        from the training prevalence their intervals miss the truth more often than not.

        Parameters
        ----------
        summary
            Of this quantifier's making.
        level, seed, replicates
            As in `predict_interval`.
        """
        check_level(level)
        check_replicates(replicates)
        estimate = self.aggregate(summary)
        if self.scores_.out_of_fold is None:
            raise ValueError(
                "an interval needs out-of-fold scores, and there are none: fit with folds >= 2"
            )

        def problem_bounds(j: int, training: ScoresByClass, p_hat: Array) -> tuple[Array, Array]:
            if _one_class(training):
                return p_hat, p_hat
            coarse = ScoresByClass(self.coarsen(training.scores), training.counts)
            rng = np.random.default_rng([seed, j])
            errors = draw_errors(
                coarse, p_hat, summary.size, self._reestimator, replicates=replicates, rng=rng
            )
            return bounds(p_hat, errors, level)

        trainings = self.scores_.by_class()
        if self.scores_.kind != "multilabel":
            return problem_bounds(0, next(trainings), estimate)
        parallel = Parallel(n_jobs=getattr(self.classifier, "n_jobs", None), require="sharedmem")
        labels = enumerate(zip(trainings, estimate, strict=True))
        pairs = parallel(
            delayed(problem_bounds)(j, training, np.array([1 - p, p]))
            for j, (training, p) in labels
        )
        return np.array([low[1] for low, _ in pairs]), np.array([high[1] for _, high in pairs])

    def _learn(self, training: ScoresByClass) -> Any:
        if _one_class(training):
            return OneClass((training.counts.sum(axis=0) > 0).astype(np.float64))
        return self.learn(training)

    def _count(self, learned: Any, scores: Array, weights: Array | None = None) -> Counts:
        if isinstance(learned, OneClass):
            return np.zeros(0, dtype=np.int64)
        return self.count(learned, scores, weights)

    def _estimate(self, learned: Any, counts: Counts, size: int) -> Array:
        if isinstance(learned, OneClass):
            return learned.estimate
        return self.estimate(learned, counts, size)

    def _reestimator(self, training: ScoresByClass) -> Callable[[Array], Array]:
        """As `reestimator`, for all problems of a multi-class y together."""
        if not self._separate():
            return self.reestimator(training)
        problems = [
            None if _one_class(problem) else self.reestimator(problem)
            for problem in self._split_classes(training)
        ]

        def estimates(redrawn: Array) -> Array:
            total = redrawn[:, :-1].sum(axis=1)
            shares = np.zeros((len(redrawn), len(problems)))
            for k, estimate in enumerate(problems):
                if estimate is not None:  # else a class without documents
                    positive = redrawn[:, k]
                    problem = np.stack([total - positive, positive, redrawn[:, -1]], axis=1)
                    shares[:, k] = estimate(problem)[:, 1]
            return np.array([self._join(own) for own in shares])

        return estimates

    def _separate(self) -> bool:
        """Whether each class of a multi-class y is a problem by itself."""
        return self.scores_.kind == "multiclass" and self.estimates_each_class(self.scores_)

    def _problems(self) -> Iterator[ScoresByClass]:
        """Out-of-fold scores of each problem."""
        for training in self.scores_.by_class():
            yield from self._split_classes(training)

    def _split_classes(self, training: ScoresByClass) -> list[ScoresByClass]:
        if not self._separate():
            return [training]
        return [training.against_rest(k) for k in range(training.counts.shape[1])]

    def _join_classes(self, estimates: Sequence[Array]) -> Array:
        if not self._separate():
            return estimates[0]
        return self._join(np.array([estimate[1] for estimate in estimates]))

    def _join(self, shares: Array) -> Array:
        """Shares of classes that were estimated each by itself, divided by their sum."""
        total = shares.sum()
        return np.asarray(shares / total if total > 0 else self.scores_.prevalence)

    def _split_columns(self, scores: Array) -> list[Array]:
        """Columns of each problem."""
        if self.scores_.kind == "multiclass" and not self._separate():
            return [scores]
        return [scores[:, j : j + 1] for j in range(scores.shape[1])]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


@dataclass(frozen=True)
class OneClass:
    """What is learned where all training documents are of one class: that the bag's are too."""

    estimate: Array


def _one_class(training: ScoresByClass) -> bool:
    # Column by column, a tenth of the time of a sum along them.
    return sum(bool(column.any()) for column in training.counts.T) == 1


def _check_size(size: int) -> None:
    if size == 0:
        raise ValueError("the bag is empty: give at least one document")
