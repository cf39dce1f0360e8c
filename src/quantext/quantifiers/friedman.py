"""Friedman's method: how many posteriors are above the training prevalence, corrected."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.matching import prevalence_of
from quantext.quantifiers.posteriors import Posteriors, fit_sigmoids
from quantext.quantifiers.problems import Problems
from quantext.quantifiers.representations import (
    above,
    count_cells,
    distinct_posteriors,
    shares_by_class,
)
from quantext.quantifiers.simplex import least_squares
from quantext.scores.calibration import Sigmoid, rounded
from quantext.scores.training import ScoresByClass, TrainingScores

__all__ = ["FriedmanCount"]

Array = NDArray[Any]


class FriedmanCount(Quantifier):
    """Share of documents whose posterior is at or above the training prevalence, corrected.

    For each class it is counted how many documents are more likely to be in it than a training
    document is, and the estimate is the prevalence that explains these counts best by least
    squares, given how many they are among the out-of-fold documents of each class. The thresholds
    are those with which estimates vary least, if shares are near those of training.

    Friedman (2014), "Class counts in future unlabeled samples", a talk at MIT.

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

    def learn(self, training: ScoresByClass) -> tuple[tuple[Sigmoid, ...], Array, Array]:
        """Sigmoids, shares at or above each threshold (rows) by class, and training prevalence."""
        sigmoids = fit_sigmoids(self.posteriors, training)
        p_train = prevalence_of(training)
        cells = _cells(sigmoids, training.scores, p_train)
        columns = shares_by_class(cells, 2 * cells.shape[1], training.counts)[1::2]
        return sigmoids, columns, p_train

    def count(
        self,
        learned: tuple[tuple[Sigmoid, ...], Array, Array],
        scores: Array,
        weights: Array | None = None,
    ) -> Array:
        """Number of documents at or above each threshold."""
        sigmoids, _, p_train = learned
        cells = _cells(sigmoids, scores, p_train)
        return count_cells(cells, 2 * cells.shape[1], weights)[1::2]

    def estimate(
        self, learned: tuple[tuple[Sigmoid, ...], Array, Array], counts: Array, size: int
    ) -> Array:
        """Prevalence that explains the counts best."""
        _, columns, p_train = learned
        p_hat, known = np.zeros(len(p_train)), p_train > 0
        p_hat[known] = least_squares(columns[:, known], counts / size, p_train[known]).p
        return p_hat


def _cells(sigmoids: tuple[Sigmoid, ...], scores: Array, p_train: Array) -> Array:
    values = distinct_posteriors(sigmoids, scores)
    return above(values, p_train[-values.shape[1] :])
