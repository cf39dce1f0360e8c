"""Counting methods: classify and count, with or without a correction."""

from functools import partial
from typing import Any

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
from quantext.scores.training import ScoresByClass, TrainingScores

__all__ = ["AdjustedCount", "BlackBoxShift", "Classified", "ClassifyAndCount", "decided"]

Array = NDArray[Any]

_SINGULAR = 1e-10  # beside the largest singular value of a matrix, what counts as zero


class Classified(Quantifier):
    """What methods share that look at the class alone in which a document is put."""

    def divide(self, scores: TrainingScores) -> Problems:
        """All classes together, unless the classifier counts each against the rest."""
        if scores.counts_each_class:
            return Problems.each_class(scores)
        return Problems.all_classes(scores)

    def coarsen(self, scores: Array) -> Array:
        """Scores that say no more than the class, or of each class whether it is counted."""
        return np.where(self.condense(scores), 1.0, -1.0)

    def condense(self, scores: Array) -> Array:
        """Whether each document is counted for each class, a byte each."""
        return scores > 0 if len(self.learned_) > 1 else _positive(scores)

    def count(self, learned: Any, scores: Array, weights: Array | None = None) -> Array:
        """Number of documents put in each class."""
        del learned
        if weights is None and scores.shape[1] == 1:
            column = scores[:, 0]
            condensed = column.dtype == np.bool_  # to compare it again would take longer
            positive = np.count_nonzero(column if condensed else column > 0)
            return np.array([len(scores) - positive, positive])
        put = decided(scores)
        return put.sum(axis=0) if weights is None else weights @ put


class ClassifyAndCount(Classified):
    """Share of the bag's documents that the classifier puts in each class (CC).

    Two classes: the share with a score above zero. More: the share for which the class has the
    highest score, which is what the classifier predicts if it learns all classes at once. But each
    class is counted by itself, and the shares divided by their sum, if the classifier has an
    attribute ``counts_each_class`` that is true, as `StructuralSVM` does: it is trained to count
    one class against the rest, and its scores for different classes have no common scale.

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

    corrects = False

    def __init__(self, classifier: Any, folds: int = 0, seed: int = 0) -> None:
        self.classifier = classifier
        self.folds = folds
        self.seed = seed

    @property
    def needs_folds(self) -> bool:
        """Never: there is nothing to learn beyond the classifier."""
        return False

    def learn(self, training: ScoresByClass) -> None:
        """Nothing."""
        del training

    def estimate(self, learned: None, counts: Array, size: int) -> Array:
        """Share of documents put in each class."""
        del learned
        return counts / size

    def reestimator(self, training: ScoresByClass) -> Relearner:
        """Shares of documents put in each class."""
        table = decided(training.scores)[None].astype(np.float64)
        return lambda _: partial(mean_of_bags, table)


class AdjustedCount(Classified):
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

    def learn(self, training: ScoresByClass) -> Array:
        """Rates at which documents of each class (column) are put in each (row)."""
        return mean_by_class(decided(training.scores), training.counts)

    def estimate(self, learned: Array, counts: Array, size: int) -> Array:
        """Corrected share of documents put in each class."""
        return correct(learned, counts / size)

    def reestimator(self, training: ScoresByClass) -> Relearner:
        """Corrected shares of documents put in each class."""
        table = decided(training.scores)[None].astype(np.float64)
        return lambda redrawn: corrected_means(table, redrawn)


class BlackBoxShift(Classified):
    """Classify and count, with weights that say how much more or less frequent classes are (BBSE).

    With C the shares of out-of-fold documents that are put in a class (row) and are of another
    (column), and q the shares of the bag's that are put in each, Cw = q; the estimate is the
    training prevalence times w, which is set to 0 where it is negative, divided by its sum. Where C
    has no inverse, w is the solution that is nearest to 1, so that classes of which C says nothing
    keep the share that they have in training.

    Two classes: the same as `AdjustedCount`, but also where the classifier is worse than chance.

    Lipton, Wang & Smola (2018), "Detecting and correcting for label shift with black box
    predictors".

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

    def learn(self, training: ScoresByClass) -> Array:
        """Shares of documents that are put in each class (row) and are of each (column)."""
        joint = decided(training.scores).T.astype(np.float64) @ training.counts
        return np.asarray(joint / training.counts.sum())

    def estimate(self, learned: Array, counts: Array, size: int) -> Array:
        """Training prevalence times how much more frequent each class is."""
        p_train = learned.sum(axis=0)
        change = counts / size - learned.sum(axis=1)
        more, *_ = np.linalg.lstsq(learned, change, rcond=_SINGULAR)
        weighted = np.maximum(1 + more, 0.0) * p_train
        total = weighted.sum()
        return np.asarray(weighted / total if total > 0 else p_train)


def _positive(scores: Array) -> Array:
    """Which score decides the class: one above zero or, of several, the highest."""
    if scores.shape[1] == 1:
        return scores > 0
    return np.asarray(scores.argmax(axis=1)[:, None] == np.arange(scores.shape[1]))


def decided(scores: Array) -> Array:
    """Indicator of the class each document is put in, shape (n, K)."""
    positive = _positive(scores)
    return np.hstack([~positive, positive]) if scores.shape[1] == 1 else positive
