"""Company: what the other classes, or labels, do to the posteriors of each."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

from quantext.quantifiers.adaptive.grid import (
    COARSE,
    FILL,
    LOG_ODDS,
    POSTERIOR,
    STRIDE,
    mean_noise,
    read_posteriors,
    tally,
)

__all__ = [
    "Beside",
    "Rest",
    "learn_beside",
    "learn_rest",
    "mix_rest",
    "regression",
    "rest_weights",
    "shift_beside",
]

Array = NDArray[Any]

RIDGE = 1.0  # documents' worth of doubt about the effect of each label
SURE = 4.0  # a label beside has moved if its share is off by the square root of this, in deviations


@dataclass(frozen=True)
class Beside:
    """What the other labels do to the posteriors of each label.

    Parameters
    ----------
    effects
        Of label i on the mean posterior of j, at coarse candidates, shape (m, m, c).
    without, given
        Share of label i among documents without and with j, shape (m, m).
    """

    effects: Array
    without: Array
    given: Array


@dataclass(frozen=True)
class Rest:
    """What each class j takes the place of, with several classes: a mixture of the other ones.

    Parameters
    ----------
    shares
        Of the documents of class k, by bin of their log-odds for j, shape (m, m, bins).
    mean, mean_squared, noise
        Of their posteriors for j, at coarse candidates: mean, its square, and the variance of that
        mean, (m, m, c).
    """

    shares: Array
    mean: Array
    mean_squared: Array
    noise: Array


def regression(y: Array) -> Array:
    """Matrix that turns covariances with each label into the effects of all, shape (m, m).

    Ridge regression on the centred labels: effects = regression(y) @ (y - mean)' @ numbers.

    Parameters
    ----------
    y
        Labels, shape (n, m).
    """
    Y = y.astype(np.float64)
    scatter = Y.T @ Y - len(Y) * np.outer(Y.mean(axis=0), Y.mean(axis=0))
    return np.linalg.inv(scatter + RIDGE * np.eye(Y.shape[1]))


def learn_beside(bins: Array, y: Array) -> Beside:
    """Effects of labels on each other's posteriors, by regression on all labels at once.

    Parameters
    ----------
    bins
        Of the training documents' log-odds, shape (n, m).
    y
        Their labels, shape (n, m).
    """
    n, m = y.shape
    labels = sparse.csr_array(y.astype(np.float64))
    solve = regression(y)
    coarse = expit(LOG_ODDS[:, None] + COARSE)
    effects = np.zeros((m, m, len(COARSE)), dtype=np.float32)
    positive = y.sum(axis=0)
    for j in range(m):
        one_hot = sparse.csr_array((np.ones(n), bins[:, j], np.arange(n + 1)), (n, len(LOG_ODDS)))
        together = (labels.T @ one_hot).toarray() - np.outer(positive, tally(bins[:, j]) / n)
        effects[j] = solve @ (together @ coarse)
        effects[j, j] = 0  # its own effect is the candidate's
    both = (labels.T @ labels).toarray()
    return Beside(
        effects,
        (positive - both) / np.maximum(n - positive, 1)[:, None],
        both / np.maximum(positive, 1)[:, None],
    )


def learn_rest(histograms: Array) -> Rest:
    """Log-odds of the documents of each class k for each class j.

    Parameters
    ----------
    histograms
        Documents by class j, class k and bin of their log-odds for j.
    """
    mean, variance = read_posteriors(histograms, expit(LOG_ODDS[:, None] + COARSE))
    n = histograms.sum(axis=2, keepdims=True)
    noise = mean_noise(mean, variance, n)
    narrow = (x.astype(np.float32) for x in (histograms / np.maximum(n, 1), mean, mean**2, noise))
    return Rest(*narrow)


def rest_weights(p: Array) -> Array:
    """Shares of the other classes in the rest of each class, (..., m, m): rows sum to 1.

    Parameters
    ----------
    p
        Shares of all classes, (..., m).
    """
    w = (1 - np.eye(p.shape[-1])) * p[..., None, :]
    return np.asarray(w / np.maximum(w.sum(axis=-1, keepdims=True), 1e-300))


def mix_rest(rest: Rest, p: Array, variance: Array) -> tuple[Array, Array, Array, Array]:
    """Mean and variance of the rest's posteriors, and two variances of that mean, (..., m, G).

    The rest of each class is the other classes at their current shares. Its mean is uncertain
    because classes have few training documents, and because their shares are uncertain.

    Parameters
    ----------
    rest
        From training.
    p, variance
        Current estimate of the shares, and its variance, (..., m).
    """
    w = rest_weights(p)
    mixed = _mix(w.astype(np.float32), rest.shares).astype(np.float64)
    mean = mixed @ POSTERIOR
    total = np.maximum(mixed @ POSTERIOR**2 - mean**2, 0)
    noise = _mix((w**2).astype(np.float32), rest.noise) @ FILL
    others = (1 - np.eye(p.shape[-1])) / np.maximum(1 - p, 1e-9)[..., None]
    moved = (others**2 * variance[..., None, :]).astype(np.float32)
    coarse = mean[..., ::STRIDE]
    about = _mix(moved, rest.mean_squared) - 2 * coarse * _mix(moved, rest.mean)
    about += coarse**2 * moved.sum(axis=-1, keepdims=True)
    return mean, total, noise, np.maximum(about, 0) @ FILL


def _mix(weights: Array, values: Array) -> Array:
    """Sum over classes, shape (..., m, G)."""
    return np.asarray(np.matmul(weights[..., None, :], values)[..., 0, :])


def shift_beside(
    beside: Beside | None, p: Array, variance: Array
) -> tuple[Array | float, Array | float]:
    """What other labels that have moved add to the mean posterior of each, and its variance.

    A label's documents change with the labels beside it. Only what its own prevalence does not
    explain counts, and only what is sure: beyond two standard deviations.

    Parameters
    ----------
    beside
        From training; None: nothing is added.
    p, variance
        Current estimate of the shares, and its variance, (..., m).
    """
    if beside is None:
        return 0.0, 0.0
    drift = p[..., None, :] - beside.without - p[..., None] * (beside.given - beside.without)
    sure = np.maximum(0, 1 - SURE * variance[..., None, :] / np.maximum(drift**2, 1e-300))
    shift = _mix((drift * sure).astype(np.float32), beside.effects)
    noise = _mix(variance.astype(np.float32)[..., None, :], beside.effects**2)
    return shift @ FILL, noise @ FILL
