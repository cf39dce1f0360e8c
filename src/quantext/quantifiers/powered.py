"""Prediction-powered shares: a sample whose truth is known, and a model's word on all documents.

The sample alone is unbiased. What the model says of all documents, less what it says of the sample,
is how unlike the rest the sample happens to be, and a part of that, lambda, is added: Angelopoulos,
Duchi & Zrnic (2023), "PPI++"; in survey sampling the difference estimator (Cochran 1977).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

__all__ = ["Sample", "design_effects", "moments", "powered", "tune", "tune_for_population"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Sample:
    """Documents of one bag whose truth is known, and how they were drawn.

    Parameters
    ----------
    truth
        Whether each document is in each class, shape (n, K).
    posteriors
        What the model says, each document's own truth apart; shape (n, K).
    kinds
        Which of the distinct posteriors each document has, shape (n,).
    chances
        Probability with which each was drawn, shape (n,).
    clusters, strata
        Numbers of the cluster and of the stratum that each was drawn from; None: there are none.
    """

    truth: NDArray[np.bool_]
    posteriors: NDArray[np.float64]
    kinds: NDArray[np.int64]
    chances: NDArray[np.float64]
    clusters: NDArray[np.int64] | None = None
    strata: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def weights(self) -> NDArray[np.float64]:
        """How much each document counts; their sum is 1."""
        inverse = 1 / self.chances
        return np.asarray(inverse / inverse.sum())

    @property
    def shares(self) -> NDArray[np.float64]:
        """Share of each class among the documents as they count, which is what they say alone."""
        return np.asarray(self.weights @ self.truth)

    @property
    def size(self) -> float:
        """Number of documents of equal weight that would tell as much (Kish 1965)."""
        return float(1 / (self.weights**2).sum())

    @property
    def left_out(self) -> float:
        """Share of the bag that was not drawn, which is what remains to be guessed."""
        weights = self.weights
        return float((weights**2 @ (1 - self.chances)) / (weights**2).sum())


def tune(sample: Sample, bags: Array | None = None) -> float:
    """How much of the model's word to add, between 0 and 1: the same for all classes.

    It is the one for which estimates vary least, in all classes together, so that shares sum to 1.

    Parameters
    ----------
    sample
        Documents whose truth is known, of all bags.
    bags
        Number of the bag of each; only what differs within bags counts.
    """
    covariance, _, variance = moments(sample, bags)
    return _ratio(covariance.sum(), variance.sum())


def tune_for_population(sample: Sample, values: Array, counts: Array) -> float:
    """As `tune`, if the bag itself was drawn from something larger: that of PPI++.

    Parameters
    ----------
    sample
        Documents whose truth is known.
    values
        Distinct posteriors, shape (U, K).
    counts
        How many of all documents have each, the sample's too; shape (U,).
    """
    covariance, _, _ = moments(sample)
    total, n = counts.sum(), len(sample)
    mean = counts @ values / total
    variance = counts @ (values - mean) ** 2 / max(total - 1, 1)
    return _ratio(covariance.sum(), (1 + n / max(total - n, 1)) * variance.sum())


def moments(sample: Sample, bags: Array | None = None) -> tuple[Array, Array, Array]:
    """Covariance of truth and posteriors, and the variance of each, by class: shape (K,) each."""
    own = np.zeros(len(sample), dtype=np.int64) if bags is None else bags
    truth, said = sample.truth.astype(np.float64), sample.posteriors.copy()
    weights = sample.weights
    sums = np.bincount(own, weights)
    for columns in (truth, said):
        for k in range(columns.shape[1]):
            means = np.bincount(own, weights * columns[:, k]) / np.where(sums > 0, sums, 1)
            columns[:, k] -= means[own]
    return weights @ (truth * said), weights @ truth**2, weights @ said**2


def _ratio(covariance: float, variance: float) -> float:
    return float(np.clip(covariance / variance, 0, 1)) if variance > 1e-15 else 0.0


def powered(sample: Sample, mean: Array, power: float) -> NDArray[np.float64]:
    """Share of each class in the bag, shape (K,); nothing keeps it between 0 and 1.

    Parameters
    ----------
    sample
        Of the bag.
    mean
        Mean posterior of the bag's documents, shape (K,).
    power
        How much of the model's word is added.

    Examples
    --------
    >>> truth = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=bool)
    >>> said = np.array([[0.9, 0.1], [0.9, 0.1], [0.9, 0.1], [0.1, 0.9]])
    >>> four = Sample(truth, said, np.array([0, 0, 0, 1]), np.full(4, 0.01))
    >>> powered(four, np.array([0.5, 0.5]), 1.0).round(3).tolist()  # .5 + 1 (.5 - .7), and the rest
    [0.3, 0.7]
    """
    return np.asarray(sample.shares + power * (mean - sample.weights @ sample.posteriors))


def design_effects(sample: Sample, power: float, level: float) -> NDArray[np.float64]:
    """How many times more the estimate of each class varies than by single documents; shape (K,).

    Documents of one cluster are alike, which makes more than 1, and those of strata are not, which
    makes less. A few clusters say little about their own variance, so Student's quantile is in it.
    Weights that go with the truth make more than 1 too: Hájek's variance, held against Kish's.

    Parameters
    ----------
    sample
        Of the bag.
    power
        How much of the model's word is added.
    level
        Of the interval.
    """
    effects = np.ones(sample.truth.shape[1])
    n, weights = len(sample), sample.weights
    residuals = sample.truth - power * sample.posteriors
    residuals = residuals - weights @ residuals
    if sample.clusters is None and sample.strata is None:
        squares = weights**2 * (1 - sample.chances)
        usual = (weights @ residuals**2) * squares.sum()
        varied = usual > 1e-15
        effects[varied] = (squares @ residuals**2)[varied] / usual[varied]
        return np.maximum(effects, 1.0)
    simple = (weights[:, None] ** 2 * residuals**2).sum(axis=0) * n / (n - 1)
    varied = simple > 1e-15
    within = residuals
    if sample.strata is not None:
        # One document of a stratum says nothing of its spread; it is held against all.
        size = np.bincount(sample.strata)[sample.strata][:, None]
        apart = residuals - _means(residuals, weights, sample.strata)[sample.strata]
        more = np.sqrt(size / np.maximum(size - 1, 1)) if sample.clusters is None else 1.0
        within = np.where(size > 1, more * apart, residuals)
    parts = weights[:, None] * within
    clusters = np.arange(n) if sample.clusters is None else sample.clusters
    totals = np.column_stack([np.bincount(clusters, own) for own in parts.T])
    effects[varied] = (totals**2).sum(axis=0)[varied] / simple[varied]
    if sample.clusters is None:
        return np.minimum(effects, 1.0)
    number = len(np.unique(clusters))
    quantile = (1 + level) / 2
    more = number / (number - 1) * (stdtrit(number - 1, quantile) / ndtri(quantile)) ** 2
    return np.maximum(effects, 1.0) * more


def _means(values: Array, weights: Array, groups: Array) -> Array:
    """Weighted mean of the rows of each group, shape (groups, K)."""
    sums = np.bincount(groups, weights)
    own = [np.bincount(groups, weights * column) for column in values.T]
    return np.column_stack(own) / np.where(sums > 0, sums, 1)[:, None]
