"""Patterns of words: the mixture of classes in which a few random words occur together as often."""

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.matching import prevalence_of
from quantext.quantifiers.presence import Presence, find_presence
from quantext.quantifiers.problems import Problems, Relearned, Relearner
from quantext.quantifiers.representations import count_cells_by_class
from quantext.quantifiers.simplex import least_quadratic
from quantext.scores.labels import check_lengths, read_labels
from quantext.scores.training import ScoresByClass, TrainingScores

__all__ = ["PatternMatching"]

Array = NDArray[Any]

_RARE, _FREQUENT = 0.01, 0.99  # shares of training documents that have a word worth looking at
_MOST_WORDS = 20  # in a pattern
_ROWS = 512  # documents that are looked at at a time: bounds the memory
_KEPT = 2**22  # shares of patterns that are kept for all bags: 32 MB
_HELD = 2**16  # patterns that are compared at a time


@dataclass(frozen=True)
class WordPatterns:
    """Which of a few words documents have, as a number for each draw of words.

    Parameters
    ----------
    presence
        Says which features documents have.
    words
        Features of each draw, shape (draws, words).
    """

    presence: Presence
    words: NDArray[np.int64]

    @property
    def n_features(self) -> int:
        """Number of features that documents must have."""
        return self.presence.n_features

    def check(self, n_columns: int) -> None:
        """Raise ValueError if the parts do not fit each other.

        Parameters
        ----------
        n_columns
            Of the rows.
        """
        self.presence.check(n_columns)
        if self.words.ndim != 2 or not self.words.size or len(self.words) != n_columns:
            raise ValueError("the words are not some for each column of the rows")
        if self.words.shape[1] > _MOST_WORDS:
            raise ValueError("the words of a draw are too many")
        if self.words.min() < 0 or self.words.max() >= self.n_features:
            raise ValueError("the words are not among the features")

    def __call__(self, X: Any) -> Array:
        """Pattern of each document in each draw: the sum of 2^i over the words i that it has."""
        n_draws, n_words = self.words.shape
        ones = sparse.csr_array(
            (
                np.tile(2 ** np.arange(n_words), n_draws),
                (self.words.reshape(-1), np.repeat(np.arange(n_draws), n_words)),
            ),
            shape=(self.n_features, n_draws),
        )
        present = self.presence.of(X)
        patterns = np.empty((present.shape[0], n_draws), np.float32)
        for start in range(0, len(patterns), _ROWS):
            rows = slice(start, start + _ROWS)
            patterns[rows] = (present[rows] @ ones).toarray()
        return patterns


@dataclass(frozen=True)
class PatternShares:
    """How often patterns occur in each class.

    Parameters
    ----------
    patterns
        Those of training, ascending, for each draw.
    columns
        Share of the documents of each class that have each of them, one draw after the other,
        shape (r, K).
    p_train
        Training prevalence.
    """

    patterns: tuple[Array, ...]
    columns: Array
    p_train: Array


class PatternMatching(Quantifier):
    """Prevalence at which some words occur together as often as in the bag (ReadMe).

    Some words are drawn at random, and counted is how many documents have which of them: with 15
    words there are 32,768 patterns. The prevalence that explains the patterns of the bag best, by
    least squares, given how often they occur in the classes, is found for each of many draws; the
    estimate is the mean. There is no classifier.

    Words are features that documents have or not, as in `FeatureMatching`; only those are drawn
    that 1 to 99% of the training documents have, if there are any.

    Hopkins & King (2010), "A method of automated nonparametric content analysis for social
    science".

    Parameters
    ----------
    words
        In a draw; at most 20.
    draws
        How many there are.
    seed
        Of the draws.

    Examples
    --------
    >>> X = [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> quantifier = PatternMatching(draws=2).fit(X, ["a", "a", "b", "b"])
    >>> quantifier.predict([[1, 0], [0, 1], [0, 1], [0, 1]]).round(6)
    array([0.25, 0.75])
    """

    stored = (WordPatterns,)

    def __init__(self, words: int = 15, draws: int = 300, seed: int = 0) -> None:
        self.words = words
        self.draws = draws
        self.seed = seed

    @classmethod
    def learning_bytes(cls, scores: TrainingScores) -> int:
        """About how much memory ``fit_scores`` takes for a moment: patterns may all differ."""
        rows = 0 if scores.out_of_fold is None else scores.out_of_fold.size
        return int(super().learning_bytes(scores) + 8 * rows * (2 + scores.y.shape[1]))

    def represent(self, X: Any, y: Any) -> TrainingScores:
        """Patterns of the training documents.

        Parameters
        ----------
        X
            Training documents: array or sparse matrix.
        y
            One-dimensional: labels of any type. Two-dimensional: 0/1 columns, always multi-label.
        """
        if not 1 <= self.words <= _MOST_WORDS:
            raise ValueError(f"words is {self.words}; a draw has 1 to {_MOST_WORDS}")
        if self.draws < 1:
            raise ValueError(f"draws is {self.draws}; there must be at least one")
        start = perf_counter()
        labels = read_labels(y)
        check_lengths(X, labels)
        presence = find_presence(X, self.draws)
        scorer = WordPatterns(presence, self._draw(presence.of(X)))
        rows = scorer(X)
        seconds = perf_counter() - start
        return TrainingScores(scorer, rows, labels.y, seconds, labels.classes, labels.kind)

    def _draw(self, present: sparse.csr_array) -> NDArray[np.int64]:
        """Words of each draw."""
        n, d = present.shape
        share = np.bincount(present.indices, minlength=d) / n
        usable = np.flatnonzero((share >= _RARE) & (share <= _FREQUENT))
        if not len(usable):
            usable = np.arange(d)
        rng = np.random.default_rng(self.seed)
        number = min(self.words, len(usable))
        drawn = [rng.choice(usable, number, replace=False) for _ in range(self.draws)]
        return np.sort(np.array(drawn, dtype=np.int64), axis=1)

    def divide(self, scores: TrainingScores) -> Problems:
        """All classes together; each label sees the same patterns."""
        return Problems.all_classes(scores, all_columns=True)

    def learn(self, training: ScoresByClass) -> PatternShares:
        """How often the patterns of training occur in each class."""
        totals = np.maximum(training.counts.sum(axis=0), 1)
        patterns, columns = [], []
        for codes in training.scores.T:
            own, cells = _distinct(codes)
            by_class = count_cells_by_class(cells[:, None], len(own), training.counts)
            patterns.append(own.astype(np.int32))
            columns.append(by_class / totals)
        return PatternShares(tuple(patterns), np.concatenate(columns), prevalence_of(training))

    def count(self, learned: PatternShares, scores: Array, weights: Array | None = None) -> Array:
        """Number of documents with each pattern of training, one draw after the other."""
        counts, end = np.empty(len(learned.columns), np.int64), 0
        for own, codes in zip(learned.patterns, scores.T, strict=True):
            # Sums of whole numbers below 2^53 are exact in floating point.
            all_patterns = np.bincount(codes.astype(np.int64), weights, int(own[-1]) + 1)
            start, end = end, end + len(own)
            counts[start:end] = all_patterns[own]
        return counts

    def estimate(self, learned: PatternShares, counts: Array, size: int) -> Array:
        """Mean of the prevalences that explain the patterns of each draw best."""
        ends = np.cumsum([len(own) for own in learned.patterns])
        return mean_over_draws(learned.columns, counts / size, ends, learned.p_train)

    def reestimator(self, training: ScoresByClass) -> Relearner:
        """The same, with patterns told apart once for all replicates."""
        distinct = [_distinct(codes) for codes in training.scores.T]
        ends = np.cumsum([len(own) for own, _ in distinct])
        starts = ends - [len(own) for own, _ in distinct]
        cells = np.column_stack([own for _, own in distinct]) + starts
        n, draws = cells.shape
        has = sparse.csr_array(
            (np.ones(n * draws), cells.reshape(-1), np.arange(0, n * draws + 1, draws)),
            shape=(n, ends[-1]),
        ).T.tocsr()

        def relearn(redrawn: Array) -> Relearned:
            totals = redrawn.sum(axis=2)
            p_train = totals / totals.sum(axis=1, keepdims=True)

            def columns(r: int) -> Array:
                return np.asarray(has @ redrawn[r].T / np.maximum(totals[r], 1))

            few = totals.size * ends[-1] <= _KEPT
            kept = [columns(r) for r in range(len(redrawn))] if few else None

            def estimate(r: int, rows: Array, numbers: Array) -> Array:
                there = np.bincount(cells[rows].reshape(-1), np.repeat(numbers, draws), ends[-1])
                own = columns(r) if kept is None else kept[r]
                return mean_over_draws(own, there / numbers.sum(), ends, p_train[r])

            def estimates(rows: Array, numbers: Array) -> Array:
                return np.array(
                    [estimate(r, *own) for r, own in enumerate(zip(rows, numbers, strict=True))]
                )

            return estimates

        return relearn


def _distinct(codes: Array) -> tuple[Array, Array]:
    """Distinct patterns, ascending, and which of them each document has."""
    whole = codes.astype(np.int64)
    there = np.bincount(whole) > 0
    return np.flatnonzero(there), (np.cumsum(there) - 1)[whole]


def mean_over_draws(columns: Array, q: Array, ends: Array, p_train: Array) -> Array:
    """Mean over draws of the prevalences that explain shares of patterns by least squares.

    Parameters
    ----------
    columns
        Share of each class that has each pattern, one draw after the other, shape (r, K).
    q
        Share of the bag that has each.
    ends
        Where each draw ends.
    p_train
        Training prevalence: of a draw that tells nothing, and of a class that has no documents.
    """
    p_hat, known = np.zeros(len(p_train)), p_train > 0
    starts = np.append(0, ends[:-1])
    if len(p_train) == 2 and known.all():
        found = []
        blocks = min(len(ends), -(-len(columns) // _HELD))
        for draws in np.array_split(np.arange(len(ends)), blocks):
            rows = slice(starts[draws[0]], ends[draws[-1]])
            gain, rest = columns[rows, 1] - columns[rows, 0], q[rows] - columns[rows, 0]
            here = starts[draws] - rows.start
            along, length = (np.add.reduceat(own * gain, here) for own in (rest, gain))
            told = length > 0
            found.append(np.where(told, along / np.where(told, length, 1.0), p_train[1]))
        positive = float(np.clip(np.concatenate(found), 0.0, 1.0).mean())
        return np.array([1 - positive, positive])
    rest = columns[:, known] - q[:, None]
    found = []
    for start, end in zip(starts, ends, strict=True):
        own = rest[start:end]
        found.append(least_quadratic(own.T @ own, p_train[known]).p)
    p_hat[known] = np.mean(found, axis=0)
    return p_hat
