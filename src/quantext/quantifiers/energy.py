"""Energy distance: the mixture of the classes' posteriors that is nearest to those of the bag."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import kernel
from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.matching import prevalence_of
from quantext.quantifiers.posteriors import Posteriors, fit_sigmoids
from quantext.quantifiers.problems import Problems
from quantext.quantifiers.representations import LEVELS, levels
from quantext.quantifiers.simplex import least_quadratic
from quantext.quantifiers.summary import Tally
from quantext.scores.calibration import Sigmoid, rounded
from quantext.scores.training import ScoresByClass, TrainingScores

__all__ = ["EnergyDistance"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Distances:
    """Mean distances between training documents, and what those to a bag are made of.

    Parameters
    ----------
    sigmoids
        That make posteriors of scores.
    values
        Posteriors of documents of one class after the other, in multiples of 1/65,535, shape (r,
        m).
    classes, weights
        Class of each row of `values`, and its share of that class.
    between
        Mean distance between the documents of each two classes, shape (K, K).
    p_train
        Training prevalence.
    """

    sigmoids: tuple[Sigmoid, ...]
    values: Array
    classes: Array
    weights: Array
    between: Array
    p_train: Array


class EnergyDistance(Quantifier):
    """Prevalence whose mixture of the classes is nearest to the bag by the energy distance (EDy).

    With D the mean distances between the out-of-fold posteriors of each two classes and q those
    between each class and the bag, the estimate is the prevalence p at which 2qᵀp − pᵀDp is least.
    That is convex, and solved exactly. The distance of two documents is the sum over the classes of
    how far their posteriors are apart, so that sorting each class's posteriors gives all means at
    once. Posteriors are rounded to multiples of 1/65,535.

    Kawakubo, du Plessis & Sugiyama (2016), "Computationally efficient class-prior estimation under
    class balance change using energy distance", for features; Castaño et al. (2018), "Análisis de
    algoritmos de cuantificación basados en ajuste de distribuciones", for posteriors.

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

    def learn(self, training: ScoresByClass) -> Distances:
        """Mean distances between classes."""
        sigmoids = fit_sigmoids(self.posteriors, training)
        row, classes = np.nonzero(training.counts)
        totals = training.counts.sum(axis=0)
        weights = training.counts[row, classes] / totals[classes]
        values = levels(sigmoids, training.scores)[row]
        between = np.zeros((len(totals), len(totals)))
        for column in values.T:
            order = np.argsort(column, kind="stable")
            add_distances(column[order].astype(np.float64), classes[order], weights[order], between)
        between = (between + between.T) / LEVELS
        return Distances(sigmoids, values, classes, weights, between, prevalence_of(training))

    def count(
        self, learned: Distances, scores: Array, weights: Array | None = None
    ) -> tuple[Tally, ...]:
        """Number of documents by rounded posterior, for each class by itself."""
        return tuple(Tally.of(column, weights) for column in levels(learned.sigmoids, scores).T)

    def estimate(self, learned: Distances, counts: tuple[Tally, ...], size: int) -> Array:
        """Prevalence at the least energy distance."""
        far = np.zeros(len(learned.values))
        for column, tally in zip(learned.values.T, counts, strict=True):
            far += _mean_distances(column, tally, size)
        far *= learned.weights / LEVELS
        to_bag = np.bincount(learned.classes, far, len(learned.p_train))
        p_hat, known = np.zeros(len(learned.p_train)), learned.p_train > 0
        # Σp = 1 makes it a quadratic form. It is not negative: mean distances within the bag are
        # not, and without them it would be the energy distance itself.
        form = to_bag[:, None] + to_bag - learned.between
        p_hat[known] = least_quadratic(form[np.ix_(known, known)], learned.p_train[known]).p
        return p_hat


def _mean_distances(values: Array, bag: Tally, size: int) -> Array:
    """Mean distance of each value from those of a bag."""
    shares = bag.counts / size
    keys = bag.keys.astype(np.float64)
    below = np.append(0.0, np.cumsum(shares))
    sums = np.append(0.0, np.cumsum(shares * keys))
    place = np.searchsorted(bag.keys, values)
    return np.asarray(values * (2 * below[place] - below[-1]) - 2 * sums[place] + sums[-1])


@kernel
def add_distances(values: Array, classes: Array, weights: Array, between: Array) -> None:
    """Add, for each two classes, the sum over pairs of the later value less the earlier one.

    Parameters
    ----------
    values
        Ascending.
    classes, weights
        Class of each value, and how much it counts.
    between
        Shape (K, K), to be added to: the row is the class of the later of two values, the column
        that of the earlier.
    """
    n_classes = len(between)
    counts, sums = np.zeros(n_classes), np.zeros(n_classes)
    for i in range(len(values)):
        own, value, weight = classes[i], values[i], weights[i]
        for k in range(n_classes):
            between[own, k] += weight * (value * counts[k] - sums[k])
        counts[own] += weight
        sums[own] += weight * value
