"""Estimating: from the counts of bags to shares, bounds and the change of their documents.

Bags are estimated some at a time, each as if it were alone, to the last bit: of many small ones the
time goes into calls, not into arithmetic.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from quantext.quantifiers.adaptive.change import Bag, least_change, measure_change
from quantext.quantifiers.adaptive.company import mix_rest, rest_weights, shift_beside
from quantext.quantifiers.adaptive.grid import CELL, POSTERIOR, THETA, B, mean_noise
from quantext.quantifiers.adaptive.learning import Learned
from quantext.quantifiers.adaptive.posterior import (
    POINTS,
    Posterior,
    find_posterior,
    given_sum,
    sum_to_one,
)
from quantext.quantifiers.adaptive.prior import bag_prior, bag_priors
from quantext.quantifiers.intervals import whole_documents

__all__ = ["Bags", "Shares", "draw_shares", "find_bounded_shares", "find_bounds", "find_shares"]

Array = NDArray[Any]

# Numbers that a posterior of some bags has, by bag, class, sigma and point: bounds the memory, and
# what is at hand of a few fits in a cache.
AT_ONCE = 2**16
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
class Bags:
    """What the estimates of some bags are made of.

    Parameters
    ----------
    sizes
        Number of documents of each, (n,).
    mean
        Mean posterior of each at each candidate, (n, m, G).
    change
        Change of the documents of some bags, as a variance of their log-odds, (..., m), given their
        shares and their places among all.
    """

    sizes: Array
    mean: Array
    change: Callable[[Array, Array], Array]

    @classmethod
    def of(cls, learned: Learned, bags: Sequence[Bag]) -> "Bags":
        """Of their counts."""

        def change(p: Array, places: Array) -> Array:
            pairs = zip(p, places.tolist(), strict=True)
            return np.array([measure_change(learned, bags[b], own) for own, b in pairs])

        mean = np.array([bag.histogram / bag.size @ POSTERIOR for bag in bags])
        return cls(np.array([bag.size for bag in bags]), mean, change)


@dataclass(frozen=True)
class Shares:
    """Estimated shares of some bags, each of shape (n, m).

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


def find_shares(learned: Learned, bags: Bags, log_prior: Array | None = None) -> Shares:
    """Share of each class, and the change of the documents.

    Parameters
    ----------
    learned
        From training.
    bags
        Some.
    log_prior
        The prior of each bag, as `bag_priors` gives it, if that is known.
    """
    several = learned.kind == "multiclass"
    known, everywhere = learned.known, np.arange(len(bags.sizes))
    if log_prior is None:
        log_prior = bag_priors(learned.population, bags.sizes)
    p = np.tile(learned.p_train, (len(everywhere), 1))
    found = Shares(p, np.zeros(p.shape), bags.change(p, everywhere))
    moving = everywhere  # bags that have not settled
    for _ in range(ROUNDS_OF_CLASSES if several else ROUNDS):
        before = Shares(*(own[moving] for own in (found.p, found.variance, found.change)))
        score = score_function(learned, bags.mean[moving], before, bags.sizes[moving])
        p, variance = find_posterior(score, log_prior[moving], known, learned.jump).moments()
        p, variance = np.where(known, p, learned.p_train), np.where(known, variance, 0)
        if several:
            p = sum_to_one(p, variance)
        found.p[moving], found.variance[moving] = p, variance
        found.change[moving] = bags.change(p, moving)
        moved = np.abs(p - before.p) > SETTLED * np.sqrt(variance)
        moving = moving[moved.any(axis=1)]
        if not len(moving):
            break
    return found


def find_bounds(
    learned: Learned, bags: Bags, shares: Shares, level: float, log_prior: Array | None = None
) -> tuple[Array, Array]:
    """Bounds of the shares, by a posterior that doubts what the estimate believes, each (n, m).

    Parameters
    ----------
    learned, bags
        As in `find_shares`.
    shares
        That it found.
    level
        Share of bags whose prevalence the interval should contain.
    log_prior
        The prior of each bag that doubts more, if that is known.
    """
    posterior = _doubting_posterior(learned, bags, shares, log_prior)
    bounds = posterior.quantiles((1 - level) / 2)
    if learned.rest is not None:
        bounds = given_sum(posterior, bounds, shares.p)
    # Whatever lies beyond the candidates counts at their ends, and may be 0 or 1 itself.
    low = np.where(bounds[0] <= THETA[0] + CELL, 0.0, expit(bounds[0]))
    high = np.where(bounds[1] >= THETA[-1] - CELL, 1.0, expit(bounds[1]))
    low, high = np.minimum(low, shares.p), np.maximum(high, shares.p)
    low, high = whole_documents(low, high, bags.sizes[:, None])
    return np.where(learned.known, low, shares.p), np.where(learned.known, high, shares.p)


def find_bounded_shares(
    learned: Learned, bags: Sequence[Bag], level: float
) -> Iterator[tuple[list[int], Array, tuple[Array, Array]]]:
    """Places, shares and their bounds of some bags at a time, in any order.

    Parameters
    ----------
    learned
        As in `find_shares`.
    bags
        Counts of each.
    level
        As in `find_bounds`.
    """
    # By size: bags of one size have one prior, which is kept as long as they come.
    order = sorted(range(len(bags)), key=lambda b: bags[b].size)
    at_once = max(1, AT_ONCE // (len(learned.p_train) * len(learned.population) * POINTS))
    priors: dict[int, tuple[Array, Array]] = {}
    for start in range(0, len(order), at_once):
        places = order[start : start + at_once]
        some = Bags.of(learned, [bags[b] for b in places])
        sizes: list[int] = some.sizes.tolist()
        priors = {size: priors.get(size) or _both_priors(learned, size) for size in set(sizes)}
        prior, doubted = (np.array(own) for own in zip(*map(priors.get, sizes), strict=True))
        shares = find_shares(learned, some, prior)
        yield places, shares.p, find_bounds(learned, some, shares, level, doubted)


def _both_priors(learned: Learned, size: int) -> tuple[Array, Array]:
    """Prior of bags of a size, as the estimate and as the bounds have it."""
    return bag_prior(learned.population, size), bag_prior(learned.doubted, size)


def draw_shares(
    learned: Learned, bags: Bags, shares: Shares, replicates: int, rng: np.random.Generator
) -> Array:
    """Shares of several classes, drawn from what makes the bounds, (replicates, n, m).

    Each class is drawn by itself, and then moved so that all sum to 1, those that are least known
    by most: what that leaves is, of normal variables, what they are given their sum.

    Parameters
    ----------
    learned, bags, shares
        As in `find_bounds`.
    replicates
        How many.
    rng
        Source of randomness.
    """
    posterior = _doubting_posterior(learned, bags, shares)
    mean, variance = posterior.moments()
    variance = np.where(learned.known, variance, 0)
    off = np.where(learned.known, posterior.draw(replicates, rng) - mean, 0)
    give = variance / np.maximum(variance.sum(axis=-1, keepdims=True), 1e-300)
    return np.asarray(shares.p + off - off.sum(axis=-1, keepdims=True) * give)


def _doubting_posterior(
    learned: Learned, bags: Bags, shares: Shares, log_prior: Array | None = None
) -> Posterior:
    """Posterior that doubts what the estimate believes."""
    least = least_change(learned)
    doubted = replace(shares, change=least + DOUBT_WORDS * (shares.change - least))
    score = score_function(learned, bags.mean, doubted, bags.sizes, doubt=DOUBT, wrong=WRONG)
    if log_prior is None:
        log_prior = bag_priors(learned.doubted, bags.sizes)
    # What is doubted leaves room for a jump; to reckon with one too makes intervals too wide.
    return find_posterior(score, log_prior, learned.known, jump=np.zeros(len(learned.p_train)))


def score_function(
    learned: Learned,
    mean: Array,
    shares: Shares,
    sizes: Array,
    doubt: float = 1.0,
    wrong: float = 0.0,
) -> Array:
    """Derivative of the log-likelihood by theta at each candidate, shape (n, m, G).

    That is (m - T)(a1 - a0) b(1-b) / V: what the mean posterior is less what it should be, by its
    variance.

    Parameters
    ----------
    learned
        From training.
    mean
        Mean posterior of each bag at each candidate, (n, m, G).
    shares
        Current estimate.
    sizes
        Of the bags.
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
        (B * v1 + (1 - B) * v0) / sizes[:, None, None]
        + doubt * (B**2 * noise1 + (1 - B) ** 2 * noise0)
        + (1 - B) ** 2 * known0
        + wrong**2 * (B**2 / (n1 + 2) ** 2 + (1 - B) ** 2 * odd0)
        + shift_noise
        + shares.change[..., None] * (B * e1 + (1 - B) * e0) ** 2
    )
    return np.asarray(
        (mean - expected) * np.maximum(a1 - a0, 0) * B * (1 - B) / np.maximum(V, 1e-300)
    )
