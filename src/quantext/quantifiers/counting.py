"""Counting methods: classify or average posteriors, with or without a correction."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from quantext.quantifiers.base import Quantifier
from quantext.scores.calibration import (
    LOGISTIC,
    Sigmoid,
    calibrate,
    posteriors,
    recalibrate,
    rounded,
)
from quantext.scores.training import ScoresByClass, TrainingScores

__all__ = [
    "AdjustedCount",
    "ClassifyAndCount",
    "ProbabilisticAdjustedCount",
    "ProbabilisticCount",
    "correct",
]

Array = NDArray[Any]
Posteriors = Literal["calibrated", "logistic"]

_UNIT = 2**44  # posteriors are summed in whole numbers of 1/_UNIT
_HALF = 22  # bits of a posterior that are summed at a time


class ClassifyAndCount(Quantifier):
    """Share of the bag's documents that the classifier puts in each class (CC).

    Two classes: the share with a score above zero. More: the share for which the class has the
    highest score; but each class is counted by itself, and the shares divided by their sum, if the
    classifier has an attribute ``counts_each_class`` that is true, as `StructuralSVM` does: it is
    trained to count one class against the rest, and its scores for different classes have no
    common scale.

    Forman (2008), "Quantifying counts and costs via classification". With a `StructuralSVM` it is
    SVM(KLD) and its siblings: Esuli & Sebastiani (2015), "Optimizing text quantifiers for
    multivariate loss functions".

    Parameters
    ----------
    classifier
        A scikit-learn classifier; it is cloned.
    folds
        0: no cross-validation, which the estimate does not need. At least 2: out-of-fold scores,
        which ``predict_interval`` needs; 10 are plenty.
    seed
        Of the folds.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> quantifier = ClassifyAndCount(LogisticRegression())
    >>> quantifier.fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"])
    ClassifyAndCount(classifier=LogisticRegression())
    >>> quantifier.predict([[0.5], [0.7], [0.9], [2.5]])
    array([0.75, 0.25])
    """

    def __init__(self, classifier: Any, folds: int = 0, seed: int = 0) -> None:
        self.classifier = classifier
        self.folds = folds
        self.seed = seed

    @property
    def needs_folds(self) -> bool:
        """Never: there is nothing to learn beyond the classifier."""
        return False

    def estimates_each_class(self, scores: TrainingScores) -> bool:
        """Whether the classifier counts each class against the rest."""
        return scores.counts_each_class

    def coarsen(self, scores: Array) -> Array:
        """Scores that say no more than the class, or of each class whether it is counted."""
        return np.where(scores > 0 if self._separate() else _positive(scores), 1.0, -1.0)

    def condense(self, scores: Array) -> Array:
        """Whether each document is counted for each class, a byte each."""
        return scores > 0 if len(self.learned_) == scores.shape[1] else _positive(scores)

    def learn(self, training: ScoresByClass) -> None:
        """Nothing."""
        del training

    def count(self, learned: None, scores: Array, weights: Array | None = None) -> Array:
        """Number of documents put in each class."""
        del learned
        return _class_counts(scores, weights)

    def estimate(self, learned: None, counts: Array, size: int) -> Array:
        """Share of documents put in each class."""
        del learned
        return counts / size

    def reestimator(self, training: ScoresByClass) -> Callable[[Array], Array]:
        """Shares of documents put in each class."""
        means = _mean_values(_decided(training.scores))
        return lambda redrawn: means(redrawn)[:, -1]


class AdjustedCount(Quantifier):
    """Classify and count, corrected for the classifier's own errors (ACC).

    Two classes: (cc − fpr)/(tpr − fpr), clipped to [0, 1], with the rates of true and false
    positives among out-of-fold scores; the bare count where tpr ≤ fpr. More classes: the
    prevalence under which the rates of misclassification, every class by every other, explain the
    count best by least squares.

    Gart & Buck (1966), "Comparison of a screening test and a reference test in epidemiologic
    studies"; Forman (2008), "Quantifying counts and costs via classification".

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

    def estimates_each_class(self, scores: TrainingScores) -> bool:
        """Whether the classifier counts each class against the rest."""
        return scores.counts_each_class

    def coarsen(self, scores: Array) -> Array:
        """Scores that say no more than the class, or of each class whether it is counted."""
        return np.where(scores > 0 if self._separate() else _positive(scores), 1.0, -1.0)

    def condense(self, scores: Array) -> Array:
        """Whether each document is counted for each class, a byte each."""
        return scores > 0 if len(self.learned_) == scores.shape[1] else _positive(scores)

    def learn(self, training: ScoresByClass) -> Array:
        """Rates at which documents of each class (column) are put in each (row)."""
        return _mean_by_class(_decided(training.scores), training.counts)

    def count(self, learned: Array, scores: Array, weights: Array | None = None) -> Array:
        """Number of documents put in each class."""
        del learned
        return _class_counts(scores, weights)

    def estimate(self, learned: Array, counts: Array, size: int) -> Array:
        """Corrected share of documents put in each class."""
        return correct(learned, counts / size)

    def reestimator(self, training: ScoresByClass) -> Callable[[Array], Array]:
        """Corrected shares of documents put in each class."""
        means = _mean_values(_decided(training.scores))
        return lambda redrawn: _correct_all(means(redrawn))


class ProbabilisticCount(Quantifier):
    """Mean posterior of each class in the bag (PCC).

    Bella et al. (2010), "Quantification via probability estimators".

    Parameters
    ----------
    classifier
        A scikit-learn classifier; it is cloned.
    posteriors
        "calibrated": sigmoids fitted to the out-of-fold scores, after Platt; "logistic":
        1/(1+e^−s), which is a classifier's own posterior if it has no ``decision_function``. With
        more than two classes they are divided by their sum.
    folds
        Of the cross-validation that gives the out-of-fold scores: at least 2; or 0 with "logistic",
        which needs them for intervals only.
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

    @property
    def needs_folds(self) -> bool:
        """Whether there is a calibration to fit."""
        return self.posteriors == "calibrated"

    def estimates_each_class(self, scores: TrainingScores) -> bool:
        """False: posteriors of the classes are made to sum to 1."""
        del scores
        return False

    def coarsen(self, scores: Array) -> Array:
        """Scores rounded to much less than posteriors can tell."""
        return rounded(scores)

    def learn(self, training: ScoresByClass) -> tuple[Sigmoid, ...]:
        """Sigmoids that turn scores into posteriors."""
        return _sigmoids(self.posteriors, training)

    def count(
        self, learned: tuple[Sigmoid, ...], scores: Array, weights: Array | None = None
    ) -> Array:
        """Sum of the posteriors of each class, in whole numbers of 2^−44."""
        return _exact_sums(posteriors(learned, scores), weights)

    def estimate(self, learned: tuple[Sigmoid, ...], counts: Array, size: int) -> Array:
        """Mean posteriors."""
        del learned
        return _means(counts, size)

    def reestimator(self, training: ScoresByClass) -> Callable[[Array], Array]:
        """Mean posteriors."""
        means = _mean_posteriors(self.posteriors, training)
        return lambda redrawn: means(redrawn)[:, -1]


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

    def estimates_each_class(self, scores: TrainingScores) -> bool:
        """False: posteriors of the classes are made to sum to 1."""
        del scores
        return False

    def coarsen(self, scores: Array) -> Array:
        """Scores rounded to much less than posteriors can tell."""
        return rounded(scores)

    def learn(self, training: ScoresByClass) -> tuple[tuple[Sigmoid, ...], Array]:
        """Sigmoids, and mean posteriors (rows) of the documents of each class (columns)."""
        sigmoids = _sigmoids(self.posteriors, training)
        return sigmoids, _mean_by_class(posteriors(sigmoids, training.scores), training.counts)

    def count(
        self,
        learned: tuple[tuple[Sigmoid, ...], Array],
        scores: Array,
        weights: Array | None = None,
    ) -> Array:
        """Sum of the posteriors of each class, in whole numbers of 2^−44."""
        return _exact_sums(posteriors(learned[0], scores), weights)

    def estimate(
        self, learned: tuple[tuple[Sigmoid, ...], Array], counts: Array, size: int
    ) -> Array:
        """Corrected mean posteriors."""
        return correct(learned[1], _means(counts, size))

    def reestimator(self, training: ScoresByClass) -> Callable[[Array], Array]:
        """Corrected mean posteriors."""
        means = _mean_posteriors(self.posteriors, training)
        return lambda redrawn: _correct_all(means(redrawn))


def correct(rates: Array, counted: Array) -> Array:
    """Prevalence that explains what was counted, given the rates at which classes are mistaken.

    Parameters
    ----------
    rates
        Shape (K, K): ``rates[k, l]`` is the share of documents of class l that is counted in k; a
        column of NaN for a class of which nothing is known, whose prevalence is then 0.
    counted
        Share of the bag that is counted in each class.

    Returns
    -------
    p_hat
        Two classes: the exact solution, clipped to [0, 1]; what was counted, if a document of
        class 1 is no more likely to be counted in it than one of class 0. More classes: the
        least-squares solution among all prevalences; if there are several, the one nearest to what
        was counted.

    Examples
    --------
    >>> correct(np.array([[0.9, 0.3], [0.1, 0.7]]), np.array([0.6, 0.4]))
    array([0.5, 0.5])
    """
    if len(rates) == 2:
        fpr, tpr = rates[1].tolist()
        if tpr <= fpr:
            return counted
        positive = min(max((float(counted[1]) - fpr) / (tpr - fpr), 0.0), 1.0)
        return np.array([1 - positive, positive])
    known = ~np.isnan(rates[0])
    # Σq = 1 makes the residual (R − c·1ᵀ)q. Nonnegative least squares on [R − c·1ᵀ; 1ᵀ]x = [0; 1]
    # has the minimiser as its direction: with x = s·q the best s leaves d/(1+d), d = |(R−c·1ᵀ)q|².
    # The rows of 1e-7 decide between equally good prevalences, and are nothing beside the others.
    towards = 1e-7 * (np.eye(len(rates)) - counted[:, None])
    system = np.vstack([rates - counted[:, None], towards, np.ones(len(rates))])[:, known]
    solution, _ = nnls(system, np.append(np.zeros(len(system) - 1), 1.0))
    p_hat = np.zeros(len(rates))
    p_hat[known] = solution / solution.sum()
    return p_hat


def _correct_all(means: Array) -> Array:
    """Corrected means of the last of each replicate, a bag, by those of its classes before."""
    return np.array([correct(own[:-1].T, own[-1]) for own in means])


def _positive(scores: Array) -> Array:
    """Which score decides the class: one above zero or, of several, the highest."""
    if scores.shape[1] == 1:
        return scores > 0
    return np.asarray(scores.argmax(axis=1)[:, None] == np.arange(scores.shape[1]))


def _decided(scores: Array) -> Array:
    """Indicator of the class each document is put in, shape (n, K)."""
    positive = _positive(scores)
    return np.hstack([~positive, positive]) if scores.shape[1] == 1 else positive


def _class_counts(scores: Array, weights: Array | None) -> Array:
    if weights is None and scores.shape[1] == 1:
        column = scores[:, 0]
        condensed = column.dtype == np.bool_  # to compare it again would take longer
        positive = np.count_nonzero(column if condensed else column > 0)
        return np.array([len(scores) - positive, positive])
    decided = _decided(scores)
    return decided.sum(axis=0) if weights is None else weights @ decided


def _mean_by_class(values: Array, counts: Array) -> Array:
    """Mean of each column of values over the documents of each class; NaN for an empty class."""
    totals = counts.sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.asarray((values.T @ counts) / totals)


def _mean_values(values: Array) -> Callable[[Array], Array]:
    """Function that gives the means of redrawn rows of these values: see `recalibrate`."""

    def means(redrawn: Array) -> Array:
        with np.errstate(invalid="ignore"):
            return np.asarray(redrawn @ values / redrawn.sum(axis=2)[:, :, None])

    return means


def _mean_posteriors(kind: Posteriors, training: ScoresByClass) -> Callable[[Array], Array]:
    """Function that gives mean posteriors of redrawn documents: see `recalibrate`."""
    if kind == "calibrated":
        return recalibrate(training)
    return _mean_values(posteriors(_sigmoids(kind, training), training.scores))


def _sigmoids(kind: Posteriors, training: ScoresByClass) -> tuple[Sigmoid, ...]:
    if kind == "logistic":
        return (LOGISTIC,)
    if kind == "calibrated":
        return calibrate(training)
    raise ValueError(f"posteriors {kind!r} is unknown; choose calibrated or logistic")


def _exact_sums(values: Array, weights: Array | None) -> Array:
    """Sum of each column in whole numbers of 1/_UNIT, as Python's integers, which never overflow.

    A sum in floating point depends on the order of the documents; this does not, and is exact to
    3·10⁻¹⁴ a document however many there are.
    """
    whole = np.rint(values * _UNIT).astype(np.int64)
    # In two halves, so that 2^40 documents fit in 64 bits.
    halves = (whole >> _HALF, whole & (2**_HALF - 1))
    high, low = (h.sum(axis=0) if weights is None else weights @ h for h in halves)
    return np.asarray(high.astype(object) * 2**_HALF + low.astype(object))


def _means(sums: Array, size: int) -> Array:
    means = (sums / (size * _UNIT)).astype(np.float64)
    return np.asarray(means / means.sum())
