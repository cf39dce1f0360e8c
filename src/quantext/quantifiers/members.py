"""Members of an ensemble: what they are trained on, and what is known of each."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quantext.quantifiers.base import Quantifier
from quantext.scores.scorers import Scorer

__all__ = ["EnsembleScorer", "Member", "codes_of", "draw_documents"]

Array = NDArray[Any]

_BINS = 8  # of the histograms in which scores are compared


@dataclass(frozen=True)
class EnsembleScorer:
    """Scores by all members, side by side.

    Parameters
    ----------
    scorers
        Of the first member, then of the second: one for all classes, or one for each label.
    prevalences
        Share of each column of y in the documents each member was trained on, shape (T, m).
    """

    scorers: tuple[Scorer, ...]
    prevalences: NDArray[np.float64]

    @property
    def n_features(self) -> int | None:
        """Number of features that documents must have, if that is known."""
        return next((s.n_features for s in self.scorers if hasattr(s, "n_features")), None)

    def check(self, n_columns: int) -> None:
        """Raise ValueError if the scorers do not fit each other or so many columns of scores.

        Parameters
        ----------
        n_columns
            Of the scores.
        """
        if self.prevalences.ndim != 2 or self.prevalences.size != n_columns or not self.scorers:
            raise ValueError("the members are not for as many columns as there are scores")
        if not ((self.prevalences >= 0) & (self.prevalences <= 1)).all():
            raise ValueError("the prevalences of its members are no shares")
        if n_columns % len(self.scorers):
            raise ValueError("the members have not all the same number of scores")
        features = {s.n_features for s in self.scorers if hasattr(s, "n_features")}
        if len(features) > 1:
            raise ValueError("its members are for documents of different features")
        for scorer in self.scorers:
            check: Any = getattr(scorer, "check", None)
            if check is not None:
                check(n_columns // len(self.scorers))

    def __call__(self, X: Any) -> Array:
        """Scores, shape (n, T·m)."""
        return np.hstack([scorer(X) for scorer in self.scorers])


@dataclass(frozen=True)
class Member:
    """A fitted quantifier, and the documents that its classifier was trained on.

    Parameters
    ----------
    quantifier
        Fitted to the member's scores of all training documents.
    prevalence
        Of each column of y among the documents that its classifier was trained on, shape (m,).
    edges
        Inner edges of the bins of each column of scores, shape (m, b − 1).
    expected
        Share of its documents in each bin, shape (m, b).
    """

    quantifier: Quantifier
    prevalence: Array
    edges: Array
    expected: Array

    @classmethod
    def of(cls, quantifier: Quantifier, prevalence: Array) -> Self:
        """The member, with bins of as many training scores each."""
        scores, y = quantifier.scores_.out_of_fold, quantifier.scores_.y
        assert scores is not None
        edges = np.quantile(scores, np.arange(1, _BINS) / _BINS, axis=0).T
        expected = np.empty((scores.shape[1], _BINS))
        for j, (column, own) in enumerate(zip(scores.T, edges, strict=True)):
            bins = np.searchsorted(own, column, side="left")
            if quantifier.kind_ == "multiclass":
                expected[j] = sum(
                    share * _shares(bins[of]) for share, of in zip(prevalence, y.T, strict=True)
                )
            else:
                positive, negative = _shares(bins[y[:, j]]), _shares(bins[~y[:, j]])
                expected[j] = prevalence[j] * positive + (1 - prevalence[j]) * negative
        return cls(quantifier, prevalence, edges, expected)

    def histograms(self, scores: Array, weights: Array | None) -> NDArray[np.int64]:
        """Documents of a bag in each bin of each column of scores, shape (m, b)."""
        times = np.ones(len(scores), dtype=np.int64) if weights is None else weights
        result = np.zeros(self.expected.shape, dtype=np.int64)
        for own, column, edges in zip(result, scores.T, self.edges, strict=True):
            np.add.at(own, np.searchsorted(edges, column, side="left"), times)
        return result

    def distance(self, histograms: Array) -> float:
        """Of a bag's scores from those in training: squares of Hellinger's, summed."""
        shares = histograms / histograms.sum(axis=1, keepdims=True)
        return float((1 - np.sqrt(self.expected * shares).sum(axis=1)).sum())


def _shares(bins: Array) -> Array:
    return np.bincount(bins, minlength=_BINS) / max(len(bins), 1)


def draw_documents(y: Array, rng: np.random.Generator) -> Array:
    """Rows of as many documents as there are, at a prevalence that is as likely as any other.

    Parameters
    ----------
    y
        One column for two classes, or a column for each class, shape (n, m).
    rng
        Source of randomness.

    Examples
    --------
    >>> y = np.arange(10)[:, None] < 2
    >>> drawn = draw_documents(y, np.random.default_rng(0))
    >>> len(drawn), bool(y[drawn].any()), bool(y[drawn].all())
    (10, True, False)
    """
    codes = codes_of(y)
    classes = np.unique(codes)
    # Each class has a document at least, or its members could not know it.
    spare = max(len(codes) - len(classes), 0)
    numbers = 1 + rng.multinomial(spare, rng.dirichlet(np.ones(len(classes))))
    drawn = []
    for code, number in zip(classes, numbers, strict=True):
        own = np.flatnonzero(codes == code)
        drawn.append(rng.choice(own, number, replace=number > len(own)))
    return np.concatenate(drawn)


def codes_of(y: Array) -> Array:
    """Class of each document, from 0.

    Parameters
    ----------
    y
        One column for two classes, or a column for each class.
    """
    return y[:, 0].astype(np.int64) if y.shape[1] == 1 else y.argmax(axis=1)
