"""The honest zero: what one would say without looking at the bag."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.intervals import bounds, check_level, check_replicates
from quantext.quantifiers.problems import Problems
from quantext.quantifiers.summary import Summary
from quantext.scores.labels import check_lengths, read_labels
from quantext.scores.scorers import ModelScorer
from quantext.scores.training import ScoresByClass, TrainingScores

__all__ = ["TrainingPrevalence"]

Array = NDArray[Any]


class TrainingPrevalence(Quantifier):
    """Prevalence of each class in the training documents, whatever the bag.

    A method that does worse than this has learned nothing of the bag. The interval supposes that
    the bag comes from where the training documents came from: it covers the chance in both, and no
    drift at all.

    Examples
    --------
    >>> TrainingPrevalence().fit([[0], [0], [0], [0]], ["a", "a", "a", "b"]).predict([[9], [9]])
    array([0.75, 0.25])
    """

    corrects = False

    def __init__(self) -> None:
        pass

    @property
    def needs_folds(self) -> bool:
        """Never."""
        return False

    @property
    def gives_intervals(self) -> bool:
        """Always: they need no scores."""
        return True

    def divide(self, scores: TrainingScores) -> Problems:
        """All classes together: the training prevalences sum to 1 as they are."""
        return Problems.all_classes(scores)

    def represent(self, X: Any, y: Any) -> TrainingScores:
        """No scores, but the labels.

        Parameters
        ----------
        X
            Training documents; only their number counts.
        y
            One-dimensional: labels of any type. Two-dimensional: 0/1 columns, always multi-label.
        """
        labels = read_labels(y)
        check_lengths(X, labels)
        scorer = ModelScorer((0.0,) * labels.y.shape[1])
        return TrainingScores(scorer, None, labels.y, 0.0, labels.classes, labels.kind)

    def learn(self, training: ScoresByClass) -> Array:
        """Training prevalence."""
        return np.asarray(training.counts.sum(axis=0) / training.counts.sum())

    def count(self, learned: Array, scores: Array, weights: Array | None = None) -> Array:
        """Nothing, beyond the size that every summary has."""
        del learned, scores, weights
        return np.zeros(0, dtype=np.int64)

    def estimate(self, learned: Array, counts: Array, size: int) -> Array:
        """What was learned."""
        del counts, size
        return learned

    def interval(
        self, summary: Summary, level: float = 0.95, seed: int = 0, *, replicates: int = 1000
    ) -> tuple[Array, Array]:
        """Lower and upper bounds of the prevalence of each class in the bag that was summarised.

        Training documents and bag are redrawn from the training prevalence.

        Parameters
        ----------
        summary
            Of this quantifier's making.
        level, seed, replicates
            As in ``predict_interval``.
        """
        check_level(level)
        check_replicates(replicates)
        p_hat, size = self.aggregate(summary), summary.effective_size
        if self.kind_ != "multilabel":
            errors = p_hat - self.draw_shares(summary, seed, replicates=replicates)
            return bounds(p_hat, errors, level, size)
        n, rng, shape = self.n_train_, np.random.default_rng(seed), (replicates, len(p_hat))
        errors = rng.binomial(n, p_hat, shape) / n - rng.binomial(size, p_hat, shape) / size
        return bounds(p_hat, errors, level, size)

    def draw_shares(self, summary: Summary, seed: int = 0, *, replicates: int = 1000) -> Array:
        """Prevalences that the bag may have: the estimate less errors, shape (replicates, K).

        Parameters
        ----------
        summary
            Of this quantifier's making.
        seed, replicates
            As in ``predict_region``.
        """
        p_hat, size = self.aggregate(summary), summary.effective_size
        n, rng = self.n_train_, np.random.default_rng(seed)
        errors = rng.multinomial(n, p_hat, replicates) / n
        return np.asarray(p_hat - errors + rng.multinomial(size, p_hat, replicates) / size)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.no_validation = True  # X is counted, not read
        return tags
