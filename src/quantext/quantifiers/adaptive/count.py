"""AdaptiveCount: the method that is meant for every case."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from quantext.progress import Progress, silent
from quantext.quantifiers.adaptive.change import (
    Bag,
    ChangedWord,
    find_changed_words,
    in_documents,
    measure_change,
)
from quantext.quantifiers.adaptive.estimating import (
    Bags,
    draw_shares,
    find_bounded_shares,
    find_shares,
)
from quantext.quantifiers.adaptive.grid import LOG_ODDS, count_bins
from quantext.quantifiers.adaptive.learning import MOST_IN_PAIRS, Learned, learn
from quantext.quantifiers.adaptive.many import can_estimate_many, find_many_shares
from quantext.quantifiers.adaptive.words import count_words
from quantext.quantifiers.base import OneClass, Quantifier, check_size
from quantext.quantifiers.intervals import check_level
from quantext.quantifiers.problems import Problems
from quantext.quantifiers.summary import Summary
from quantext.quantifiers.weights import Weights, whole_weights
from quantext.scores.scorers import LinearScorer
from quantext.scores.training import ScoresByClass, TrainingScores

__all__ = ["AdaptiveCount", "Explanation"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Explanation:
    """How far the documents of a bag have changed, beyond what the shares of classes explain.

    Parameters
    ----------
    change
        Standard deviation of the change for each class, in log-odds: by so much all documents may
        look more, or less, like the class than those of training.
    words
        That say so, the most important first.
    """

    change: Array
    words: tuple[ChangedWord, ...]


class AdaptiveCount(Quantifier):
    """Share of each class by Bayes' rule: drift is believed as far as the bag gives reason to.

    With calibrated posteriors, corrections such as PACC take a bag's drift at its word, mean
    posteriors (PCC) believe a part of it, the training prevalence nothing. Which is right depends
    on how well the classifier tells classes apart, on how many documents there are, on how far
    shares usually move, and on whether documents within a class have changed. Here all of it enters
    one posterior of the share: a likelihood whose variance counts the chance in the bag and in
    training, the shares of the other classes, and the change that the words of the bag show beyond
    what any shares explain; and a prior about the training prevalence, whose width the classes of
    the bag tell together. The estimate is its mean, which minimises the expected KLD; the interval
    is made of its quantiles, after doubting more. ``docs/adaptive.md`` has the formulas and what
    was measured.

    Words are looked at where the X of ``fit`` is sparse: only then features are words, or like
    words, that a document has or has not. (A dense array that was made sparse has all its features
    in all documents, and so says nothing of a change.) Of a classifier without weights, a ridge
    regression of its scores tells them. Each class is looked at beside each other one, and each
    label, unless there are more than 512; then the others are taken to be as in training.

    Any classifier will do, but its scores should say more than right or wrong. Those of naive Bayes
    are too extreme: with ``MultinomialNB`` the KLD was 2 to 14 times that with a linear SVM, and
    95% intervals held the truth of 89% of SemEval's topics, not 95%. Logistic regression does as
    well as the SVM.

    Parameters
    ----------
    classifier
        A scikit-learn classifier; it is cloned. "Adaptive" in METHODS is with ``LinearSVM(C=0.3)``.
    folds
        Of the cross-validation that gives the out-of-fold scores; at least 2.
    seed
        Of the folds.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = np.arange(40.0)[:, None] / 10
    >>> y = np.where(np.arange(40) + 5 * np.sin(np.arange(40)) > 20, "yes", "no")
    >>> quantifier = AdaptiveCount(LogisticRegression(), folds=5).fit(X, y)
    >>> quantifier.predict(X[10:]).round(2)
    array([0.34, 0.66])
    """

    depends_on_size = True
    counts_features = True
    labels_together = True

    def __init__(self, classifier: Any, folds: int = 50, seed: int = 0) -> None:
        self.classifier = classifier
        self.folds = folds
        self.seed = seed

    @classmethod
    def learning_bytes(cls, scores: TrainingScores) -> int:
        """About how much memory ``fit_scores`` takes for a moment: classes are learned in pairs."""
        m = scores.y.shape[1]
        pairs = m * m if 1 < m <= MOST_IN_PAIRS else 0
        return super().learning_bytes(scores) + 5_000 * pairs

    def divide(self, scores: TrainingScores) -> Problems:
        """One problem: classes, and labels too, tell of each other."""
        return Problems.everything(scores)

    def learn(self, training: ScoresByClass) -> Learned:
        """What the method knows from training."""
        scores, features = self.scores_, self.scores_.features
        weights = None
        if features is not None and features.sparse:
            scorer = scores.scorer
            weights = scorer.coef if isinstance(scorer, LinearScorer) else features.weights
        return learn(training.scores, scores.y, scores.kind, features, weights)

    def count(self, learned: Learned, scores: Array, weights: Array | None = None) -> Array:
        """Number of documents by class and bin of log-odds."""
        histogram = np.zeros((len(learned.slope), len(LOG_ODDS)), dtype=np.int64)
        times = np.ones(len(scores), dtype=np.int64) if weights is None else weights
        rows = np.ascontiguousarray(scores, dtype=np.float64)
        count_bins(rows, learned.slope, learned.offset, times, histogram)
        return histogram

    def summarise_scores(self, scores: Array, X: Any = None, weights: Any = None) -> Summary:
        """Summary of a bag whose scores are known.

        Parameters
        ----------
        scores
            Shape (n, m): what `rows` gives for the bag.
        X
            Documents of the bag. Without them nothing is known of a change.
        weights
            How much each document counts, if not all count alike.
        """
        [learned] = self.learned_
        if isinstance(learned, OneClass):
            return super().summarise_scores(scores, weights=weights)
        self._check_finite(scores, "document")
        if weights is None:
            return self._summary(learned, scores, count_words(learned.words, X))
        whole = whole_weights(weights)
        counts = self.count(learned, scores, whole), count_words(learned.words, X, whole)
        return Summary(len(scores), (counts,), Weights.of(whole))

    def _summarised(self, X: Any) -> Summary:
        [learned] = self.learned_
        scorer = self.scores_.scorer
        if not (
            isinstance(learned, Learned)
            and learned.words is not None
            and isinstance(scorer, LinearScorer)
            and sparse.issparse(X)
        ):
            return super()._summarised(X)
        scores, documents = scorer.score_and_count(X)
        self._check_finite(scores, "document")
        return self._summary(learned, scores, documents[learned.words.columns].astype(np.int64))

    def _summary(self, learned: Learned, scores: Array, words: Array) -> Summary:
        return Summary(len(scores), ((self.count(learned, scores), words),))

    def aggregate(self, summary: Summary) -> Array:
        """Prevalence of each class in the bag that was summarised.

        Parameters
        ----------
        summary
            Of this quantifier's making.
        """
        return super().aggregate(in_documents(summary))

    def estimate_bags(self, scores: Array, bags: Sequence[Array], X: Any = None) -> Array:
        """What `aggregate` says of many bags, a row each, but for rounding.

        Two classes, or a single label, take a tenth of the time.

        Parameters
        ----------
        scores
            Shape (n, m): what `rows` gives for documents.
        bags
            Places of the documents of each bag, at least one.
        X
            The documents. Without them nothing is known of a change.
        """
        [learned] = self.learned_
        if isinstance(learned, OneClass) or not can_estimate_many(learned, X):
            return super().estimate_bags(scores, bags, X)
        self._check_finite(scores, "document")
        p = find_many_shares(learned, scores, X, bags)
        return self._shown(p)

    def estimate(self, learned: Learned, counts: tuple[Array, Array], size: int) -> Array:
        """Mean of the posterior of each share."""
        return self._shown(find_shares(learned, Bags.of(learned, [Bag(size, *counts)])).p[0])

    @property
    def gives_intervals(self) -> bool:
        """Always: they need nothing that the estimate does not."""
        return True

    def interval(
        self, summary: Summary, level: float = 0.95, seed: int = 0, *, replicates: int = 1000
    ) -> tuple[Array, Array]:
        """Lower and upper bounds of the prevalence of each class in the bag that was summarised.

        They are quantiles of the posterior, in whole documents. Nothing is redrawn.

        Parameters
        ----------
        summary
            Of this quantifier's making.
        level
            Share of bags whose prevalence the interval should contain.
        seed, replicates
            Not used: other quantifiers redraw.
        """
        _, low, high = self.aggregate_interval(summary, level, seed, replicates=replicates)
        return low, high

    def aggregate_interval(
        self, summary: Summary, level: float = 0.95, seed: int = 0, *, replicates: int = 1000
    ) -> tuple[Array, Array, Array]:
        """What `aggregate` and `interval` say, in little more time than one of them.

        Parameters
        ----------
        summary
            Of this quantifier's making.
        level
            Share of bags whose prevalence the interval should contain.
        seed, replicates
            Not used: other quantifiers redraw.
        """
        found = self.aggregate_intervals([summary], level, seed, replicates=replicates)
        p_hat, low, high = (own[0] for own in found)
        return p_hat, low, high

    def aggregate_intervals(
        self,
        summaries: Sequence[Summary],
        level: float = 0.95,
        seed: int = 0,
        *,
        replicates: int = 1000,
        n_jobs: int | None = None,
        progress: Progress = silent,
    ) -> tuple[Array, Array, Array]:
        """What `aggregate_interval` says of many bags, a row each; bags of one size share a prior.

        Parameters
        ----------
        summaries
            Of this quantifier's making.
        level
            Share of bags whose prevalence the interval should contain.
        seed, replicates, n_jobs
            Not used: other quantifiers redraw.
        progress
            Is told "bags", and how many of them are done.
        """
        del seed, replicates, n_jobs
        check_is_fitted(self)
        check_level(level)
        for summary in summaries:
            check_size(summary.size)
        [learned] = self.learned_
        shape = (len(summaries), len(self.classes_))
        if isinstance(learned, OneClass):
            p_hat, low, high = (np.tile(learned.estimate, (len(summaries), 1)) for _ in range(3))
            return p_hat, low, high
        estimates, low, high = np.empty(shape), np.empty(shape), np.empty(shape)
        bags = [self._bag(summary) for summary in summaries]
        done = 0
        for places, p, (least, most) in find_bounded_shares(learned, bags, level):
            estimates[places] = self._shown(p)
            if self.kind_ == "binary":  # what is the least of one class is the most of the other
                least, most = np.hstack([most, least]), np.hstack([least, most])
                least[:, 0], most[:, 0] = 1 - least[:, 0], 1 - most[:, 0]
            low[places], high[places] = least, most
            done += len(places)
            progress("bags", done, len(bags))
        return estimates, low, high

    def draw_shares(self, summary: Summary, seed: int = 0, *, replicates: int = 1000) -> Array:
        """Prevalences that the bag may have, drawn from the posterior that makes the interval.

        Parameters
        ----------
        summary
            Of this quantifier's making.
        seed, replicates
            As in ``predict_region``.
        """
        [learned] = self.learned_
        if isinstance(learned, OneClass):
            return np.tile(learned.estimate, (replicates, 1))
        bags, rng = Bags.of(learned, [self._bag(summary)]), np.random.default_rng(seed)
        return draw_shares(learned, bags, find_shares(learned, bags), replicates, rng)[:, 0]

    def explain(
        self, summary: Summary, most: int = 20, *, p_hat: Array | None = None
    ) -> Explanation:
        """How far the documents of the bag that was summarised have changed, and in which words.

        Parameters
        ----------
        summary
            Of this quantifier's making.
        most
            Words that are named, at most.
        p_hat
            What `aggregate` says of it, if that is known: it takes nearly all of the time.
        """
        p_hat = self.aggregate(summary) if p_hat is None else p_hat
        [learned] = self.learned_
        if isinstance(learned, OneClass):
            return Explanation(np.zeros(len(self.classes_)), ())
        bag = self._bag(summary)
        p = p_hat[1:] if self.kind_ == "binary" else p_hat
        words = find_changed_words(learned, bag, p, most)
        change = np.sqrt(measure_change(learned, bag, p))
        return Explanation(np.resize(change, len(self.classes_)), tuple(words))

    def _bag(self, summary: Summary) -> Bag:
        summary = in_documents(summary)
        [counts] = summary.counts
        return Bag(summary.size, *counts)

    def _shown(self, p: Array) -> Array:
        """Shares in the order of ``classes_``, the last axis."""
        return np.concatenate([1 - p, p], axis=-1) if self.kind_ == "binary" else p
