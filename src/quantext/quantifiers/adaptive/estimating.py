"""Estimating: from the counts of a bag to shares, bounds and the change of its documents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from quantext.quantifiers.adaptive.change import Bag, least_change, measure_change
from quantext.quantifiers.adaptive.company import mix_rest, rest_weights, shift_beside
from quantext.quantifiers.adaptive.grid import CELL, POSTERIOR, THETA, B, mean_noise
from quantext.quantifiers.adaptive.learning import Learned
from quantext.quantifiers.adaptive.posterior import (
    Posterior,
    find_posterior,
    given_sum,
    sum_to_one,
)
from quantext.quantifiers.adaptive.prior import bag_prior
from quantext.quantifiers.intervals import whole_documents

__all__ = ["Shares", "draw_shares", "find_bounded_shares", "find_bounds", "find_shares"]

Array = NDArray[Any]

# Of estimating, each with what the one before says of the other classes. Labels that move each
# other do not settle: more rounds were worse.
ROUNDS, ROUNDS_OF_CLASSES = 3, 5
SETTLED = 0.05  # standard deviations of a share: estimates that move by less are final
# Factor of the variance of class means that an interval reckons with, which the estimate believes:
# labelled documents come in clumps, and means of later ones were found 2 to 3 standard errors off.
DOUBT = 6.0
# The same for the change that the words show.
DOUBT_WORDS = 2.0
# Documents of a class that may be wholly wrong though none was among those seen: else the interval
# of classes that training separates perfectly would have no width.
WRONG = 1.0


@dataclass(frozen=True)
class Shares:
    """Estimated shares of a bag, each of shape (m,).

    Parameters
    ----------
    p
        Share of each class or label.
    variance
        Of it.
    change
        Of the documents, as a variance of their log-odds.
    """

    p: Array
    variance: Array
    change: Array


def find_shares(learned: Learned, bag: Bag, log_prior: Array | None = None) -> Shares:
    """Share of each class, and the change of the documents.

    Parameters
    ----------
    learned
        From training.
    bag
        Its counts.
    log_prior
        The prior of bags of its size, as `bag_prior` gives it, if that is known.
    """
    several = learned.kind == "multiclass"
    known = learned.known
    mean = mean_posteriors(bag)
    if log_prior is None:
        log_prior = bag_prior(learned.population, bag.size)
    p, variance = learned.p_train, np.zeros(len(learned.p_train))
    change = measure_change(learned, bag, p)
    for _ in range(ROUNDS_OF_CLASSES if several else ROUNDS):
        score = score_function(learned, mean, Shares(p, variance, change), bag.size)
        before = p
        p, variance = find_posterior(score, log_prior, known, learned.jump).moments()
        p, variance = np.where(known, p, learned.p_train), np.where(known, variance, 0)
        if several:
            p = sum_to_one(p, variance)
        change = measure_change(learned, bag, p)
        if (np.abs(p - before) <= SETTLED * np.sqrt(variance)).all():
            break
    return Shares(p, variance, change)


def find_bounds(
    learned: Learned, bag: Bag, shares: Shares, level: float, log_prior: Array | None = None
) -> tuple[Array, Array]:
    """Bounds of the shares, by a posterior that doubts what the estimate believes.

    Parameters
    ----------
    learned, bag
        As in `find_shares`.
    shares
        That it found.
    level
        Share of bags whose prevalence the interval should contain.
    log_prior
        The prior of bags of its size that doubts more, if that is known.
    """
    posterior = _doubting_posterior(learned, bag, shares, log_prior)
    bounds = posterior.quantiles((1 - level) / 2)
    if learned.rest is not None:
        bounds = given_sum(posterior, bounds, shares.p)
    # Whatever lies beyond the candidates counts at their ends, and may be 0 or 1 itself.
    low = np.where(bounds[0] <= THETA[0] + CELL, 0.0, expit(bounds[0]))
    high = np.where(bounds[1] >= THETA[-1] - CELL, 1.0, expit(bounds[1]))
    low, high = np.minimum(low, shares.p), np.maximum(high, shares.p)
    low, high = whole_documents(low, high, bag.size)
    return np.where(learned.known, low, shares.p), np.where(learned.known, high, shares.p)


def find_bounded_shares(
    learned: Learned, bags: Sequence[Bag], level: float
) -> Iterator[tuple[int, Array, tuple[Array, Array]]]:
    """The number, the shares and their bounds of each bag, in any order.

    Parameters
    ----------
    learned
        As in `find_shares`.
    bags
        Counts of each.
    level
        As in `find_bounds`.
    """
    # One size after the other: of each, the prior is needed once and then no more.
    order = sorted(range(len(bags)), key=lambda b: bags[b].size)
    for size, own in groupby(order, key=lambda b: bags[b].size):
        prior, doubted = bag_prior(learned.population, size), bag_prior(learned.doubted, size)
        for b in own:
            shares = find_shares(learned, bags[b], prior)
            yield b, shares.p, find_bounds(learned, bags[b], shares, level, doubted)


def draw_shares(
    learned: Learned, bag: Bag, shares: Shares, replicates: int, rng: np.random.Generator
) -> Array:
    """Shares of several classes, drawn from the posterior that makes the bounds, (replicates, m).

    Each class is drawn by itself, and then moved so that all sum to 1, those that are least known
    by most: what that leaves is, of normal variables, what they are given their sum.

    Parameters
    ----------
    learned, bag, shares
        As in `find_bounds`.
    replicates
        How many.
    rng
        Source of randomness.
    """
    posterior = _doubting_posterior(learned, bag, shares)
    mean, variance = posterior.moments()
    variance = np.where(learned.known, variance, 0)
    off = np.where(learned.known, posterior.draw(replicates, rng) - mean, 0)
    give = variance / max(variance.sum(), 1e-300)
    return np.asarray(shares.p + off - off.sum(axis=1, keepdims=True) * give)


def _doubting_posterior(
    learned: Learned, bag: Bag, shares: Shares, log_prior: Array | None = None
) -> Posterior:
    """Posterior that doubts what the estimate believes."""
    least = least_change(learned)
    doubted = replace(shares, change=least + DOUBT_WORDS * (shares.change - least))
    mean = mean_posteriors(bag)
    score = score_function(learned, mean, doubted, bag.size, doubt=DOUBT, wrong=WRONG)
    if log_prior is None:
        log_prior = bag_prior(learned.doubted, bag.size)
    # What is doubted leaves room for a jump; to reckon with one too makes intervals too wide.
    return find_posterior(score, log_prior, learned.known, jump=np.zeros(len(shares.p)))


def mean_posteriors(bag: Bag) -> Array:
    """Mean posterior of the bag at each candidate, (m, G).

    Parameters
    ----------
    bag
        Its counts.
    """
    return np.asarray(bag.histogram / bag.size @ POSTERIOR)


def score_function(
    learned: Learned,
    mean: Array,
    shares: Shares,
    size: int,
    doubt: float = 1.0,
    wrong: float = 0.0,
) -> Array:
    """Derivative of the log-likelihood by theta at each candidate, shape (m, G).

    That is (m - T)(a1 - a0) b(1-b) / V: what the mean posterior is less what it should be, by its
    variance.

    Parameters
    ----------
    learned
        From training.
    mean
        Mean posterior of the bag at each candidate, (m, G).
    shares
        Current estimate.
    size
        Of the bag.
    doubt
        Factor of the variance of class means.
    wrong
        Documents of each class that may be wholly wrong, though none was among those seen.
    """
    p, variance = shares.p, shares.variance
    (a0, a1), (v0, v1) = (x.transpose(1, 0, 2) for x in (learned.mean, learned.variance))
    n0, n1 = learned.counts.T[:, :, None]
    noise1 = mean_noise(a1, v1, n1)
    shift, shift_noise = shift_beside(learned.beside, p, variance)
    if learned.rest is None:
        noise0, known0 = mean_noise(a0, v0, n0), np.zeros(1)
        odd0 = 1 / (n0 + 2) ** 2
    else:
        a0, v0, noise0, known0 = mix_rest(learned.rest, p, variance)
        odd0 = rest_weights(p) ** 2 @ (1 / (n1 + 2) ** 2)
    e0, e1 = a0 * (1 - a0) - v0, a1 * (1 - a1) - v1
    expected = B * a1 + (1 - B) * a0 + shift
    V = (
        (B * v1 + (1 - B) * v0) / size
        + doubt * (B**2 * noise1 + (1 - B) ** 2 * noise0)
        + (1 - B) ** 2 * known0
        + wrong**2 * (B**2 / (n1 + 2) ** 2 + (1 - B) ** 2 * odd0)
        + shift_noise
        + shares.change[:, None] * (B * e1 + (1 - B) * e0) ** 2
    )
    return np.asarray(
        (mean - expected) * np.maximum(a1 - a0, 0) * B * (1 - B) / np.maximum(V, 1e-300)
    )
