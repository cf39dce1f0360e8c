"""Class distribution estimation: count, set the costs of errors by the count, count again."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.summary import Tally
from quantext.scores.calibration import Sigmoid, calibrate, rounded
from quantext.scores.training import ScoresByClass

__all__ = ["CostCount"]

Array = NDArray[Any]

# Log-odds are counted in bins of 1/_PER_UNIT, from _LIMIT below to _LIMIT above zero.
_PER_UNIT, _LIMIT = 1_024, 64


@dataclass(frozen=True)
class Costs:
    """The sigmoid that turns scores into posteriors, and the training prevalence."""

    sigmoid: Sigmoid
    prevalence: float


class CostCount(Quantifier):
    """Count at the threshold that would be right if the count were the prevalence (CDE-Iterate).

    A document is positive if its posterior odds times c exceed 1, c the cost of missing a positive
    over that of a false alarm. c is 1 at first. The count says a new prevalence, c becomes the
    ratio of its odds to those in training, as if the classifier had been trained at it, and so on
    until the count rests. It never goes back on its way, so it does rest; at 0 or 1 it stays. It is
    expectation-maximisation with decisions in place of posteriors. Several classes are each counted
    against the rest.

    Xue & Weiss (2009), "Quantification and semi-supervised classification methods for handling
    changes in class distribution", who stop after one to three rounds. They train a cost-sensitive
    classifier anew in each round; here costs move the threshold on calibrated posteriors, which is
    the same to a classifier that has the right ones.

    Parameters
    ----------
    classifier
        A scikit-learn classifier; it is cloned.
    folds
        Of the cross-validation that gives the out-of-fold scores; at least 2.
    seed
        Of the folds.
    """

    def __init__(self, classifier: Any, folds: int = 50, seed: int = 0) -> None:
        self.classifier = classifier
        self.folds = folds
        self.seed = seed

    def coarsen(self, scores: Array) -> Array:
        """Scores rounded to much less than posteriors can tell."""
        return rounded(scores)

    def learn(self, training: ScoresByClass) -> Costs:
        """Calibration, and the training prevalence."""
        [sigmoid] = calibrate(training)
        negative, positive = training.counts.sum(axis=0)
        return Costs(sigmoid, float(positive / (negative + positive)))

    def count(self, learned: Costs, scores: Array, weights: Array | None = None) -> Tally:
        """Number of documents by log-odds, rounded down."""
        bins = np.ceil(learned.sigmoid.log_odds(scores[:, 0]) * _PER_UNIT) - 1
        most = _LIMIT * _PER_UNIT
        return Tally.of(np.clip(bins, -most, most).astype(np.int32), weights)

    def estimate(self, learned: Costs, counts: Tally, size: int) -> Array:
        """Share above the threshold at which the count rests."""
        above = size - np.append(0, np.cumsum(counts.counts))  # those of the keys from each on
        odds = learned.prevalence / (1 - learned.prevalence)
        cost, positive = 1.0, -1
        while True:
            with np.errstate(divide="ignore"):
                threshold = -np.log(cost) * _PER_UNIT
            new = int(above[np.searchsorted(counts.keys, threshold, side="left")])
            if new == positive:
                share = positive / size
                return np.array([1 - share, share])
            positive = new
            cost = positive / (size - positive) / odds if positive < size else np.inf
