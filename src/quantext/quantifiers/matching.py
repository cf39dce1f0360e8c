"""Matching: the mixture of the classes' histograms of posteriors that is like the bag's."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.blend import Convex, least_blend, least_mean_hellinger
from quantext.quantifiers.distances import mean_hellinger, squared_hellinger, topsoe
from quantext.quantifiers.posteriors import Posteriors, fit_sigmoids
from quantext.quantifiers.problems import Problems
from quantext.quantifiers.representations import (
    bins,
    count_cells,
    distinct_posteriors,
    shares_by_class,
)
from quantext.quantifiers.simplex import newton
from quantext.scores.calibration import Sigmoid, rounded
from quantext.scores.training import ScoresByClass, TrainingScores
from quantext.wording import listed

__all__ = [
    "Distance",
    "DistributionMatching",
    "check_distance",
    "match_histograms",
    "prevalence_of",
]

Array = NDArray[Any]

Distance = Literal["hellinger", "squared-hellinger", "topsoe"]
DISTANCES: tuple[Distance, ...] = ("hellinger", "squared-hellinger", "topsoe")
SWEEP = tuple(range(10, 111, 10))


@dataclass(frozen=True)
class Histograms:
    """What posteriors of each class are like.

    Parameters
    ----------
    sigmoids
        That make posteriors of scores.
    columns
        For each number of bins, the histograms of each class, shape (m · bins, K).
    p_train
        Training prevalence.
    """

    sigmoids: tuple[Sigmoid, ...]
    columns: tuple[Array, ...]
    p_train: Array


class DistributionMatching(Quantifier):
    """Prevalence at which histograms of posteriors, mixed from those of the classes, fit the bag's.

    The classes' histograms are of out-of-fold posteriors. With ``classes="each"`` there is one
    histogram, of the posterior of a class against the rest; with "together" there is one for the
    posterior of each class, and all classes are mixed at once. With two classes that is the same.

    HDy is the Hellinger distance, √(½Σ(√q − √b)²), of each class with ``bins="sweep"``:
    González-Castro, Alaiz-Rodríguez & Alegre (2013), "Class distribution estimation based on the
    Hellinger distance". They look at shares of 0, 0.01 … 1; here the minimum is exact.

    DMy is the mean of the Hellinger distances of all classes together, 8 bins each: Firat (2016),
    "Unified framework for quantification"; Bunse (2022), "On multi-class extensions of adjusted
    classify and count". With more than two classes it is not convex: the estimate is the minimum
    that is reached from that of the mean of the squared distances, which is convex.

    DyS is Topsøe's distance, Σ q ln(2q/(q+b)) + b ln(2b/(q+b)), of each class with 8 bins:
    Maletzke et al. (2019), "DyS: a framework for mixture models in quantification". They search by
    thirds, and their program takes the median over 2, 4 … 20 bins.

    Parameters
    ----------
    classifier
        A scikit-learn classifier; it is cloned.
    distance
        "hellinger"; "squared-hellinger", whose mean is convex, so that the estimate is certain to
        be the best of all; or "topsoe".
    bins
        Of equal width, in each histogram; or "sweep": the median of the estimates with 10, 20 …
        110 of them.
    classes
        "together", or "each" against the rest; then shares are divided by their sum.
    posteriors
        "calibrated" or "logistic", as in `ProbabilisticCount`.
    folds
        Of the cross-validation that gives the out-of-fold scores; at least 2.
    seed
        Of the folds.
    """

    def __init__(
        self,
        classifier: Any,
        distance: Distance = "hellinger",
        bins: int | Literal["sweep"] = 8,
        classes: Literal["together", "each"] = "together",
        posteriors: Posteriors = "calibrated",
        folds: int = 50,
        seed: int = 0,
    ) -> None:
        self.classifier = classifier
        self.distance = distance
        self.bins = bins
        self.classes = classes
        self.posteriors = posteriors
        self.folds = folds
        self.seed = seed

    def divide(self, scores: TrainingScores) -> Problems:
        """Each class against the rest, or all together."""
        if self.classes not in ("together", "each"):
            raise ValueError(f"classes {self.classes!r} is unknown; choose together or each")
        if self.classes == "each":
            return Problems.each_class(scores)
        return Problems.all_classes(scores)

    def coarsen(self, scores: Array) -> Array:
        """Scores rounded to much less than posteriors can tell."""
        return rounded(scores)

    def learn(self, training: ScoresByClass) -> Histograms:
        """Histograms of each class."""
        check_distance(self.distance)
        sigmoids = fit_sigmoids(self.posteriors, training)
        values = distinct_posteriors(sigmoids, training.scores)
        columns = tuple(
            shares_by_class(bins(values, number), number * values.shape[1], training.counts)
            for number in self._numbers
        )
        return Histograms(sigmoids, columns, prevalence_of(training))

    def count(
        self, learned: Histograms, scores: Array, weights: Array | None = None
    ) -> tuple[Array, ...]:
        """Number of documents in each bin, for each number of bins."""
        values = distinct_posteriors(learned.sigmoids, scores)
        return tuple(
            count_cells(bins(values, number), number * values.shape[1], weights)
            for number in self._numbers
        )

    def estimate(self, learned: Histograms, counts: tuple[Array, ...], size: int) -> Array:
        """Median of the best mixtures with each number of bins."""
        found = [
            match_histograms(columns, own / size, number, learned.p_train, self.distance)
            for columns, own, number in zip(learned.columns, counts, self._numbers, strict=True)
        ]
        middle = np.median(found, axis=0)
        return np.asarray(middle / middle.sum())

    @property
    def _numbers(self) -> tuple[int, ...]:
        """Numbers of bins."""
        if self.bins == "sweep":
            return SWEEP
        if not isinstance(self.bins, int | np.integer) or self.bins < 2:
            raise ValueError(f"bins is {self.bins!r}; it is a number of at least 2, or 'sweep'")
        return (int(self.bins),)


def prevalence_of(training: ScoresByClass) -> Array:
    """Share of each class among the documents.

    Parameters
    ----------
    training
        Documents by class.
    """
    totals = training.counts.sum(axis=0)
    return np.asarray(totals / totals.sum())


def check_distance(distance: str) -> None:
    """Raise ValueError for a distance that is unknown.

    Parameters
    ----------
    distance
        A name.
    """
    if distance not in DISTANCES:
        raise ValueError(f"distance {distance!r} is unknown; choose {listed(DISTANCES, 'or')}")


def match_histograms(
    columns: Array, q: Array, number: int, p_train: Array, distance: Distance
) -> Array:
    """Prevalence at which mixed histograms are nearest to those of a bag.

    Parameters
    ----------
    columns
        Histograms of each class, one after the other, shape (m · number, K).
    q
        Those of the bag, shape (m · number,).
    number
        Of bins in each.
    p_train
        Training prevalence; a class that has none gets none. Where nothing can be told, the answer.
    distance
        "hellinger", of which it is the mean over histograms; "squared-hellinger" or "topsoe", of
        which it is the sum.
    """
    known = p_train > 0
    # Where no class has anything, no mixture has, and the distance is what it is.
    there = columns.any(axis=1)
    inside, own, start = columns[there][:, known], q[there], p_train[known]
    if distance == "hellinger" and len(q) > number:
        histogram = np.repeat(np.arange(len(q) // number), number)
        beyond = np.bincount(histogram[~there], q[~there], histogram[-1] + 1)
        p = _match_means(inside, own, histogram[there], beyond, start)
    else:
        p = _match_sums(inside, own, distance, start)
    p_hat = np.zeros(len(p_train))
    p_hat[known] = p
    return p_hat


def _match_sums(columns: Array, q: Array, distance: Distance, start: Array) -> Array:
    """Prevalence at which a sum over entries, which is convex, is least.

    Of a single histogram the Hellinger distance is least where its square is.
    """
    if len(start) == 2:
        name: Convex = "topsoe" if distance == "topsoe" else "squared_hellinger"
        return least_blend(columns, q, name, start)
    bend = topsoe if distance == "topsoe" else squared_hellinger
    return newton(columns, partial(bend, q), start).p


def _match_means(columns: Array, q: Array, histogram: Array, beyond: Array, start: Array) -> Array:
    """Prevalence at which a mean of Hellinger distances, which is not convex, is least."""
    if len(start) == 2:
        return least_mean_hellinger(columns, q, histogram, beyond, start)
    p = _match_sums(columns, q, "squared-hellinger", start)
    bend = partial(mean_hellinger, q, histogram=histogram, beyond=beyond)
    # From inside, for at the edge the slope may be infinite.
    return newton(columns, bend, 0.999 * p + 0.001 * start).p
