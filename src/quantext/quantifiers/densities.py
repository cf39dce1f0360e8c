"""Kernel densities: the mixture of the classes' smoothed posteriors that explains the bag's."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.blend import least_blend
from quantext.quantifiers.distances import likelihood, squared_hellinger
from quantext.quantifiers.gaussians import (
    Kernels,
    kernel_sums,
    relative_kernel_sums,
    sum_values,
)
from quantext.quantifiers.matching import prevalence_of
from quantext.quantifiers.posteriors import Posteriors, fit_sigmoids
from quantext.quantifiers.problems import Problems
from quantext.quantifiers.representations import LEVELS, levels
from quantext.quantifiers.simplex import least_angle, newton
from quantext.quantifiers.summary import Tally
from quantext.scores.calibration import Sigmoid, rounded
from quantext.scores.training import ScoresByClass, TrainingScores

__all__ = ["KernelDensity"]

Array = NDArray[Any]

_FINE = 64  # points of a grid in a deviation of the kernel, to which two classes are moved
_TRIALS = 10_000  # points at which densities of more than two classes are compared
_COARSE, _REACH = 8, 6  # the same for two classes: points in a deviation, and how far out


@dataclass(frozen=True)
class Cloud:
    """Training documents by their posteriors.

    Parameters
    ----------
    sigmoids
        That make posteriors of scores.
    kernels
        Of the documents of each class; their weights sum to 1.
    p_train
        Training prevalence.
    points
        Where densities are compared, shape (t, m).
    densities
        Of each class at the points, shape (t, K), but for a factor that is the same for all.
    between
        Mean kernel between the documents of each two classes, shape (K, K).
    """

    sigmoids: tuple[Sigmoid, ...]
    kernels: Kernels
    p_train: Array
    points: Array
    densities: Array
    between: Array


class KernelDensity(Quantifier):
    """Prevalence at which the classes' densities of posteriors, mixed, explain the bag (KDEy).

    The density of a class has a Gaussian kernel at the posteriors of each of its out-of-fold
    documents. The mixture is the one

    - "likelihood" (KDEy-ML): under which the bag's posteriors are most likely;
    - "hellinger" (KDEy-HD): whose Hellinger distance from the density of the bag is least, by
      10,000 points drawn from the classes' densities, each class as often; two classes, where it is
      one integral, by a fixed grid of points;
    - "cauchy-schwarz" (KDEy-CS): whose angle with the density of the bag, as functions, is least.

    The first two are convex, the third becomes so if the mixture may have any length; all are
    solved exactly.

    Moreo, González & del Coz (2023), "Kernel density estimation for multiclass quantification".

    Posteriors are rounded to multiples of 1/65,535. Those of two classes, which are one number, are
    then shared out between the two nearest points of a grid, 64 to a deviation of the kernel: that
    moves the estimate by some 1e-6, and makes it independent of the number of documents. More
    classes have all their kernels, some at a time: time grows with training documents times those
    of the bag, and intervals, for which all of it is done a thousand times, take long.

    Parameters
    ----------
    classifier
        A scikit-learn classifier; it is cloned.
    distance
        "likelihood", "hellinger" or "cauchy-schwarz".
    bandwidth
        Standard deviation of the kernel in each posterior.
    posteriors
        "calibrated" or "logistic", as in `ProbabilisticCount`.
    folds
        Of the cross-validation that gives the out-of-fold scores; at least 2.
    seed
        Of the folds, and of the points that are drawn.
    """

    def __init__(
        self,
        classifier: Any,
        distance: Literal["likelihood", "hellinger", "cauchy-schwarz"] = "likelihood",
        bandwidth: float = 0.1,
        posteriors: Posteriors = "calibrated",
        folds: int = 50,
        seed: int = 0,
    ) -> None:
        self.classifier = classifier
        self.distance = distance
        self.bandwidth = bandwidth
        self.posteriors = posteriors
        self.folds = folds
        self.seed = seed

    def divide(self, scores: TrainingScores) -> Problems:
        """All classes together: their posteriors are made to sum to 1."""
        return Problems.all_classes(scores)

    def coarsen(self, scores: Array) -> Array:
        """Scores rounded to much less than posteriors can tell."""
        return rounded(scores)

    def learn(self, training: ScoresByClass) -> Cloud:
        """Training documents by cell, and what can be known before there is a bag."""
        if self.distance not in ("likelihood", "hellinger", "cauchy-schwarz"):
            raise ValueError(
                f"distance {self.distance!r} is unknown; choose likelihood, hellinger or "
                "cauchy-schwarz"
            )
        if not 1e-3 <= self.bandwidth <= 10:
            raise ValueError(f"bandwidth is {self.bandwidth}; it is between 0.001 and 10")
        sigmoids = fit_sigmoids(self.posteriors, training)
        keys, row = np.unique(levels(sigmoids, training.scores), axis=0, return_inverse=True)
        counts = np.zeros((len(keys), training.counts.shape[1]))
        np.add.at(counts, row.reshape(-1), training.counts)
        kernels = self._kernels(keys, counts / np.maximum(counts.sum(axis=0), 1))
        width = self._width(kernels)
        points, densities, between = np.zeros((3, 0, 0))
        if self.distance == "hellinger":
            points = self._points(kernels)
            densities = kernel_sums(points, kernels, width)
        if self.distance == "cauchy-schwarz":
            # The integral of a product of Gaussians is a Gaussian √2 as wide.
            between = sum_values(kernels, kernel_sums(kernels.places, kernels, np.sqrt(2) * width))
        p_train = prevalence_of(training)
        return Cloud(sigmoids, kernels, p_train, points, densities, between)

    def count(self, learned: Cloud, scores: Array, weights: Array | None = None) -> Tally:
        """Number of documents by rounded posteriors."""
        return Tally.of(levels(learned.sigmoids, scores), weights)

    def estimate(self, learned: Cloud, counts: Tally, size: int) -> Array:
        """Prevalence of the mixture that explains the bag."""
        p_hat, known = np.zeros(len(learned.p_train)), learned.p_train > 0
        bag = self._kernels(counts.keys, counts.counts[:, None] / size)
        match = {
            "likelihood": _most_likely,
            "hellinger": _nearest,
            "cauchy-schwarz": _most_parallel,
        }[self.distance]
        p_hat[known] = match(learned, bag, self._width(bag), known)
        return p_hat

    def _width(self, kernels: Kernels) -> float:
        """Standard deviation of the kernels.

        Of two classes one posterior is kept, which moves by 1/√2 where the pair of them moves by 1.
        """
        two = kernels.places.shape[1] == 1
        return float(self.bandwidth / np.sqrt(2)) if two else float(self.bandwidth)

    def _kernels(self, keys: Array, shares: Array) -> Kernels:
        """Kernels of documents with these posteriors; for two classes at points of a grid."""
        places = keys / LEVELS
        if keys.shape[1] > 1:
            return Kernels.of(places, shares)
        number = int(np.ceil(_FINE * np.sqrt(2) / self.bandwidth))
        steps = places[:, 0] * number
        below = np.minimum(steps.astype(np.int64), number - 1)
        grid = np.zeros((number + 1, shares.shape[1]))
        np.add.at(grid, below, (below + 1 - steps)[:, None] * shares)
        np.add.at(grid, below + 1, (steps - below)[:, None] * shares)
        return Kernels.of(np.arange(number + 1)[:, None] / number, grid)

    def _points(self, kernels: Kernels) -> Array:
        """Points at which densities are compared."""
        width = self._width(kernels)
        m = kernels.places.shape[1]
        if m == 1:
            far = _REACH * width
            return np.arange(-far, 1 + far, width / _COARSE)[:, None]
        rng = np.random.default_rng(self.seed)
        classes = [own for own in kernels.each() if own.stop > own.start]
        drawn = rng.integers(0, len(classes), _TRIALS)
        rows = np.empty(_TRIALS, dtype=np.int64)
        for k, own in enumerate(classes):
            below = np.cumsum(kernels.weights[own])
            u = rng.random(int((drawn == k).sum())) * below[-1]
            rows[drawn == k] = own.start + np.searchsorted(below, u, side="right")
        return np.asarray(kernels.places[rows] + rng.normal(0.0, width, (_TRIALS, m)))


def _most_likely(learned: Cloud, bag: Kernels, width: float, known: Array) -> Array:
    # The likelihood may have any factor for each document: the largest kernel becomes 1.
    densities = relative_kernel_sums(bag.places, learned.kernels, width)[:, known]
    p_train = learned.p_train[known]
    if len(p_train) == 2:
        return least_blend(densities, bag.weights, "likelihood", p_train)
    return newton(densities, partial(likelihood, bag.weights), p_train).p


def _nearest(learned: Cloud, bag: Kernels, width: float, known: Array) -> Array:
    of_bag = kernel_sums(learned.points, bag, width)[:, 0]
    of_classes = learned.densities[:, known]
    there = of_classes.any(axis=1)
    of_bag, of_classes = of_bag[there], of_classes[there]
    if bag.places.shape[1] > 1:
        # Divided by the density from which points were drawn, sums stand for integrals.
        drawn_from = of_classes.mean(axis=1)
        of_bag, of_classes = of_bag / drawn_from, of_classes / drawn_from[:, None]
    scale = of_classes.sum(axis=0).max()
    of_bag, of_classes = of_bag / scale, of_classes / scale
    p_train = learned.p_train[known]
    if len(p_train) == 2:
        return least_blend(of_classes, of_bag, "squared_hellinger", p_train)
    return newton(of_classes, partial(squared_hellinger, of_bag), p_train).p


def _most_parallel(learned: Cloud, bag: Kernels, width: float, known: Array) -> Array:
    kernels = learned.kernels
    with_bag = sum_values(kernels, kernel_sums(kernels.places, bag, np.sqrt(2) * width)[:, 0])
    between = learned.between[np.ix_(known, known)]
    return least_angle(between, with_bag[known], learned.p_train[known]).p
