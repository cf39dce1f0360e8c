"""Posterior methods: average the posteriors of a bag, with or without a correction."""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.correction import (
    correct,
    corrected_means,
    mean_by_class,
    mean_of_bags,
)
from quantext.quantifiers.problems import Problems, Relearner
from quantext.quantifiers.summary import UNIT, exact_sums
from quantext.scores.calibration import (
    LOGISTIC,
    Sigmoid,
    calibrate,
    posteriors,
    rounded,
)
from quantext.scores.recalibration import recalibrate
from quantext.scores.training import ScoresByClass, TrainingScores

__all__ = ["Posteriors", "ProbabilisticAdjustedCount", "ProbabilisticCount", "fit_sigmoids"]

Array = NDArray[Any]


Posteriors = Literal["calibrated", "logistic"]


class ProbabilisticCount(Quantifier):
    """Mean posterior of each class in the bag (PCC).

    Bella et al. (2010), "Quantification via probability estimators".

    Parameters
    ----------
    classifier
        A scikit-learn classifier; it is cloned.
    posteriors
        "calibrated": sigmoids fitted to the out-of-fold scores, after Platt; "logistic":
        1/(1+e^−s). With more than two classes they are divided by their sum. "logistic" is the
        classifier's own ``predict_proba`` where its log-odds are the scores: with two classes if it
        has no ``decision_function``, and with several if it learns them at once.
    folds
        Of the cross-validation that gives the out-of-fold scores: at least 2; or 0 with "logistic",
        which needs them for intervals only.
    seed
        Of the folds.
    """

    corrects = False

    def __init__(
        self, classifier: Any, posteriors: Posteriors = "calibrated", folds: int = 50, seed: int = 0
    ) -> None:
        self.classifier = classifier
        self.posteriors = posteriors
        self.folds = folds
        self.seed = seed

    @property
    def needs_folds(self) -> bool:
        """Whether there is a calibration to fit."""
        return self.posteriors == "calibrated"

    def divide(self, scores: TrainingScores) -> Problems:
        """All classes together: their posteriors are made to sum to 1."""
        return Problems.all_classes(scores)

    def coarsen(self, scores: Array) -> Array:
        """Scores rounded to much less than posteriors can tell."""
        return rounded(scores)

    def learn(self, training: ScoresByClass) -> tuple[Sigmoid, ...]:
        """Sigmoids that turn scores into posteriors."""
        return fit_sigmoids(self.posteriors, training)

    def count(
        self, learned: tuple[Sigmoid, ...], scores: Array, weights: Array | None = None
    ) -> Array:
        """Sum of the posteriors of each class, in whole numbers of 2^−44."""
        return exact_sums(posteriors(learned, scores), weights)

    def estimate(self, learned: tuple[Sigmoid, ...], counts: Array, size: int) -> Array:
        """Mean posteriors."""
        del learned
        return _means(counts, size)

    def reestimator(self, training: ScoresByClass) -> Relearner:
        """Mean posteriors."""
        tables = _tables(self.posteriors, training)
        return lambda redrawn: partial(mean_of_bags, tables(redrawn))


class ProbabilisticAdjustedCount(Quantifier):
    """Mean posteriors, corrected as `AdjustedCount` corrects counts (PACC).

    In place of the rates of true and false positives stand the mean posteriors of the positives
    and of the negatives among out-of-fold scores; the bare mean where they are not in that order.

    Bella et al. (2010), "Quantification via probability estimators".

    Parameters
    ----------
    classifier
        A scikit-learn classifier; it is cloned.
    posteriors
        "calibrated" or "logistic", as in `ProbabilisticCount`.
    folds
        Of the cross-validation that gives the out-of-fold scores; at least 2.
    seed
        Of the folds.
    """

    def __init__(
        self, classifier: Any, posteriors: Posteriors = "calibrated", folds: int = 50, seed: int = 0
    ) -> None:
        self.classifier = classifier
        self.posteriors = posteriors
        self.folds = folds
        self.seed = seed

    def divide(self, scores: TrainingScores) -> Problems:
        """All classes together: their posteriors are made to sum to 1."""
        return Problems.all_classes(scores)

    def coarsen(self, scores: Array) -> Array:
        """Scores rounded to much less than posteriors can tell."""
        return rounded(scores)

    def learn(self, training: ScoresByClass) -> tuple[tuple[Sigmoid, ...], Array]:
        """Sigmoids, and mean posteriors (rows) of the documents of each class (columns)."""
        sigmoids = fit_sigmoids(self.posteriors, training)
        return sigmoids, mean_by_class(posteriors(sigmoids, training.scores), training.counts)

    def count(
        self,
        learned: tuple[tuple[Sigmoid, ...], Array],
        scores: Array,
        weights: Array | None = None,
    ) -> Array:
        """Sum of the posteriors of each class, in whole numbers of 2^−44."""
        return exact_sums(posteriors(learned[0], scores), weights)

    def estimate(
        self, learned: tuple[tuple[Sigmoid, ...], Array], counts: Array, size: int
    ) -> Array:
        """Corrected mean posteriors."""
        return correct(learned[1], _means(counts, size))

    def reestimator(self, training: ScoresByClass) -> Relearner:
        """Corrected mean posteriors."""
        tables = _tables(self.posteriors, training)
        return lambda redrawn: corrected_means(tables(redrawn), redrawn)


def _tables(kind: Posteriors, training: ScoresByClass) -> Callable[[Array], Array]:
    """Function that gives posteriors of each row: see `recalibrate`."""
    if kind == "calibrated":
        return recalibrate(training)
    table = posteriors(fit_sigmoids(kind, training), training.scores)[None]
    return lambda _: table


def fit_sigmoids(kind: Posteriors, training: ScoresByClass) -> tuple[Sigmoid, ...]:
    """Sigmoids that turn scores into posteriors.

    Parameters
    ----------
    kind
        "calibrated": fitted to the scores; "logistic": the bare conversion.
    training
        Out-of-fold scores by class.
    """
    if kind == "logistic":
        return (LOGISTIC,)
    if kind == "calibrated":
        return calibrate(training)
    raise ValueError(f"posteriors {kind!r} is unknown; choose calibrated or logistic")


def _means(sums: Array, size: int) -> Array:
    means = (sums / (size * UNIT)).astype(np.float64)
    return np.asarray(means / means.sum())
