"""Continuous Sweep: the mean of adjusted counts over all thresholds that are worth it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.summary import Tally
from quantext.scores.calibration import rounded
from quantext.scores.training import ScoresByClass

__all__ = ["ContinuousSweep"]

Array = NDArray[Any]

_THRESHOLDS = 1000  # of the grid on which integrals are summed
_CUTS = 50  # least differences of the two rates that are tried, up to the largest there is
_FIRST = 0.25  # the one of Median Sweep, at which a share is guessed to begin with


@dataclass(frozen=True)
class Curves:
    """Thresholds on a grid, evenly spaced, and the rates above each of two normal distributions.

    Parameters
    ----------
    thresholds, tpr, fpr
        Shape (t,): where tpr − fpr has no value below those further out.
    fallback
        Whether no threshold will do, so that scores above zero are counted.
    """

    thresholds: Array
    tpr: Array
    fpr: Array
    fallback: bool = False


class ContinuousSweep(Quantifier):
    """Mean of the adjusted count, integrated over thresholds (CS).

    As `MedianSweep`, but scores are taken to be normal within each class, which gives smooth rates
    of true and false positives; and the estimate is the mean over all thresholds between the two
    at which tpr − fpr has fallen to a cut. Each bag has the cut at which that mean has the least
    variance, given a first estimate of its share: a low cut takes in thresholds where little tells
    the classes apart, a high one leaves few to average. If positives have no higher mean than
    negatives, the estimate is the share of scores above zero. Several classes are each estimated
    against the rest.

    Kloos et al. (2023), "Continuous Sweep: an improved, binary quantifier". The variance is that
    of a bag whose class distributions are known; what training leaves open of them is not in it.
    The first estimate, at the cut 1/4 of Median Sweep, is ours.

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
        """Scores rounded to much less than a mean over thresholds can tell."""
        return rounded(scores)

    def learn(self, training: ScoresByClass) -> Curves:
        """The grid of thresholds, with the rates."""
        scores, totals = training.scores[:, 0], training.counts.sum(axis=0)
        means = scores @ training.counts / totals
        squares = ((scores[:, None] - means) ** 2 * training.counts).sum(axis=0)
        # One document has no deviation of its own: the classes' common one stands in.
        common = np.sqrt(squares.sum() / max(totals.sum() - 2, 1))
        deviations = np.sqrt(squares / np.maximum(totals - 1, 1))
        deviations = np.where(deviations > 0, deviations, common)
        return curves(means, deviations)

    def count(self, learned: Curves, scores: Array, weights: Array | None = None) -> Tally:
        """Number of documents by how many thresholds lie below them."""
        return Tally.of(np.searchsorted(learned.thresholds, scores[:, 0], side="left"), weights)

    def estimate(self, learned: Curves, counts: Tally, size: int) -> Array:
        """Mean of the adjusted counts."""
        below = np.zeros(len(learned.thresholds) + 1, dtype=np.int64)
        below[counts.keys] = counts.counts
        above = (size - np.cumsum(below[:-1])) / size
        positive = float(above[0]) if learned.fallback else sweep(learned, above)
        return np.array([1 - positive, positive])


def curves(means: Array, deviations: Array) -> Curves:
    """Thresholds around the two means, with the rates above them.

    Parameters
    ----------
    means, deviations
        Of the scores of negatives and positives.
    """
    (m0, m1), (s0, s1) = means, deviations
    if not m1 > m0:
        return Curves(np.zeros(1), np.ones(1), np.zeros(1), fallback=True)
    if s0 == 0 or s1 == 0:  # scores of two values at most: any threshold between them is perfect
        return Curves(np.array([(m0 + m1) / 2]), np.ones(1), np.zeros(1))
    # Beyond four deviations of both, neither rate is anything but 0 or 1.
    ends = min(m0 - 4 * s0, m1 - 4 * s1), max(m0 + 4 * s0, m1 + 4 * s1)
    thresholds = ends[0] + (ends[1] - ends[0]) * (np.arange(_THRESHOLDS) + 0.5) / _THRESHOLDS
    tpr, fpr = ndtr((m1 - thresholds) / s1), ndtr((m0 - thresholds) / s0)
    # Of unequal deviations the curves cross; what matters lies around the largest difference.
    top = int(np.argmax(tpr - fpr))
    usable = _around(tpr - fpr > 1e-3, top)
    return Curves(thresholds[usable], tpr[usable], fpr[usable])


def sweep(learned: Curves, above: Array) -> float:
    """Mean of the adjusted counts over thresholds, at the cut of least variance.

    Parameters
    ----------
    learned
        Thresholds and rates.
    above
        Share of the bag above each threshold.
    """
    difference = learned.tpr - learned.fpr
    adjusted = (above - learned.fpr) / difference
    top, largest = int(np.argmax(difference)), float(difference.max())

    def mean(cut: float) -> float:
        return float(np.clip(adjusted[_around(difference >= cut, top)].mean(), 0.0, 1.0))

    guess = mean(min(_FIRST, largest))
    cuts = largest * (np.arange(_CUTS) + 0.5) / _CUTS
    variances = [variance(learned, guess, _around(difference >= cut, top)) for cut in cuts]
    return mean(float(cuts[int(np.argmin(variances))]))


def variance(learned: Curves, share: float, usable: slice) -> float:
    """Variance of the mean adjusted count of one document, whose class is positive at this share.

    Shares above two thresholds u < v have in each class the covariance F(v)·(1 − F(u)), F the rate
    above; that of the mean is its double integral, each threshold weighed by 1/(tpr − fpr).

    Parameters
    ----------
    learned
        Thresholds and rates.
    share
        Of positives.
    usable
        Thresholds that are averaged.
    """
    tpr, fpr = learned.tpr[usable], learned.fpr[usable]
    weights = 1 / (tpr - fpr)
    total = 0.0
    for own, rate in ((share, tpr), (1 - share, fpr)):
        before = np.cumsum(weights * (1 - rate)) - weights * (1 - rate) / 2
        total += own * 2 * float((weights * rate) @ before)
    return total / len(tpr) ** 2


def _around(good: Array, top: int) -> slice:
    """The run of good places that holds this one."""
    bad = np.flatnonzero(~good)
    first = bad[bad < top].max(initial=-1) + 1
    last = bad[bad > top].min(initial=len(good))
    return slice(int(first), int(last))
