"""Threshold methods: count above another threshold than zero, or above all of them."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.summary import Tally
from quantext.scores.training import ScoresByClass

__all__ = ["Correction", "MedianSweep", "ThresholdCount"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Correction:
    """Thresholds, ascending, with the rates of true and false positives above each."""

    thresholds: Array
    tpr: Array
    fpr: Array

    def estimates(self, above: Array, size: int) -> Array:
        """Adjusted counts, clipped to [0, 1], from the number of documents above each."""
        adjusted = (above / size - self.fpr) / (self.tpr - self.fpr)
        return np.asarray(np.clip(adjusted, 0.0, 1.0))


# Where no threshold will do: the bare count of the scores above zero.
CLASSIFY_AND_COUNT = Correction(np.zeros(1), np.ones(1), np.zeros(1))


class ThresholdCount(Quantifier):
    """Adjusted count at the threshold that a policy chooses (T50, X, MAX).

    Thresholds are the distinct out-of-fold scores; a document is counted if its score is above.
    Policies: "t50", where tpr is closest to one half; "x", where fpr is closest to 1 − tpr; "max",
    where tpr − fpr is largest. Ties go to the largest tpr − fpr, then to the threshold nearest to
    zero, then to the lower one. If tpr ≤ fpr there, the estimate is the share of scores above zero.

    Forman (2008), "Quantifying counts and costs via classification".

    Parameters
    ----------
    classifier
        A scikit-learn classifier; it is cloned.
    policy
        "t50", "x" or "max".
    folds
        Of the cross-validation that gives the out-of-fold scores; at least 2.
    seed
        Of the folds.
    """

    def __init__(
        self,
        classifier: Any,
        policy: Literal["t50", "x", "max"] = "max",
        folds: int = 50,
        seed: int = 0,
    ) -> None:
        self.classifier = classifier
        self.policy = policy
        self.folds = folds
        self.seed = seed

    def learn(self, training: ScoresByClass) -> Correction:
        """The threshold, with its rates."""
        thresholds, fp, tp = above_thresholds(training)
        negatives, positives = training.counts.sum(axis=0)
        # In whole numbers, so that ties are ties: tpr − fpr, times all negatives and positives.
        difference = tp * negatives - fp * positives
        match self.policy:
            case "t50":
                distance = np.abs(2 * tp - positives)
            case "x":
                distance = np.abs(fp * positives - (positives - tp) * negatives)
            case "max":
                distance = -difference
            case _:
                raise ValueError(f"policy {self.policy!r} is unknown; choose t50, x or max")
        best = np.lexsort([np.abs(thresholds), -difference, distance])[:1]
        if difference[best[0]] <= 0:
            return CLASSIFY_AND_COUNT
        return Correction(thresholds[best], tp[best] / positives, fp[best] / negatives)

    def count(self, learned: Correction, scores: Array, weights: Array | None = None) -> Array:
        """Number of documents above the threshold."""
        above = scores[:, 0] > learned.thresholds
        return np.array([above.sum() if weights is None else weights @ above])

    def estimate(self, learned: Correction, counts: Array, size: int) -> Array:
        """Adjusted count."""
        (positive,) = learned.estimates(counts, size)
        return np.array([1 - positive, positive])


class MedianSweep(Quantifier):
    """Median of the adjusted counts at all thresholds (MS; with 0.25, MS2).

    Thresholds are the distinct out-of-fold scores at which tpr − fpr exceeds a minimum. If there
    is none, the estimate is the share of scores above zero.

    Forman (2008), "Quantifying counts and costs via classification".

    Parameters
    ----------
    classifier
        A scikit-learn classifier; it is cloned.
    min_difference
        What tpr − fpr must exceed: not below 0, below 1.
    folds
        Of the cross-validation that gives the out-of-fold scores; at least 2.
    seed
        Of the folds.
    """

    def __init__(
        self, classifier: Any, min_difference: float = 0.0, folds: int = 50, seed: int = 0
    ) -> None:
        self.classifier = classifier
        self.min_difference = min_difference
        self.folds = folds
        self.seed = seed

    def learn(self, training: ScoresByClass) -> Correction:
        """The thresholds, with their rates."""
        if not 0 <= self.min_difference < 1:
            raise ValueError(f"min_difference is {self.min_difference}; it is 0 or more, below 1")
        thresholds, fp, tp = above_thresholds(training)
        negatives, positives = training.counts.sum(axis=0)
        difference = tp * negatives - fp * positives
        wide = difference > self.min_difference * negatives * positives
        if not wide.any():
            return CLASSIFY_AND_COUNT
        return Correction(thresholds[wide], tp[wide] / positives, fp[wide] / negatives)

    def count(self, learned: Correction, scores: Array, weights: Array | None = None) -> Tally:
        """Number of documents by how many thresholds lie below them."""
        column = scores[:, 0] if weights is not None else np.sort(scores[:, 0])  # found sooner
        return Tally.of(np.searchsorted(learned.thresholds, column, side="left"), weights)

    def estimate(self, learned: Correction, counts: Tally, size: int) -> Array:
        """Median of the adjusted counts."""
        below = np.zeros(len(learned.thresholds) + 1, dtype=np.int64)
        below[counts.keys] = counts.counts
        above = size - np.cumsum(below[:-1])
        positive = float(np.median(learned.estimates(above, size)))
        return np.array([1 - positive, positive])


def above_thresholds(training: ScoresByClass) -> tuple[Array, Array, Array]:
    """Distinct scores, ascending, and how many negatives and positives lie above each.

    Parameters
    ----------
    training
        Scores by class, one column; rows that no document has are left out.
    """
    return training.once(_ranked)


def _ranked(training: ScoresByClass) -> tuple[Array, Array, Array]:
    negatives, positives = training.counts.T
    seen = np.flatnonzero(negatives + positives)
    order = seen[np.argsort(training.scores[seen, 0])]
    scores = training.scores[order, 0]
    last = np.flatnonzero(np.append(scores[1:] != scores[:-1], True))  # of a run of equal scores
    # One column at a time: a sum down the rows of a narrow array is several times as slow.
    below = [np.cumsum(column[order]) for column in (negatives, positives)]
    fp, tp = (column[-1] - column[last] for column in below)
    return scores[last], fp, tp
