"""The posterior: the share of each class, from the slope of its likelihood and its prior."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from quantext.quantifiers.adaptive.grid import CELL, THETA
from quantext.quantifiers.adaptive.prior import LOG_WEIGHTS

__all__ = ["Posterior", "find_posterior", "given_sum", "sum_to_one"]

Array = NDArray[Any]

POINTS = 97  # on which a posterior is integrated, all of them where its mass is
_ALONG = np.linspace(0, 1, POINTS)
ZOOMS = 2  # from a cell of the grid to one of 1/1,000 of it
DEPTH = 25.0  # below its maximum, in logarithms, a posterior has no mass that counts: e^-25


@dataclass(frozen=True)
class Posterior:
    """Posterior of theta = logit b for each class.

    Parameters
    ----------
    theta
        Points, for each bag and class its own, (..., m, points).
    mass
        Of each; those of a class sum to 1.
    """

    theta: Array
    mass: Array

    def moments(self) -> tuple[Array, Array]:
        """Mean, which minimises the expected KLD, and variance of the share."""
        b = expit(self.theta)
        mean = (self.mass * b).sum(axis=-1)
        return mean, (self.mass * (b - mean[..., None]) ** 2).sum(axis=-1)

    def quantiles(self, tail: float) -> Array:
        """Thetas that leave a tail below and above, shape (2, ..., m).

        Parameters
        ----------
        tail
            Mass of each.
        """
        return self._at(np.broadcast_to([tail, 1 - tail], (*self.theta.shape[:-1], 2)))

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Shares drawn from each by itself, shape (n, ..., m).

        Parameters
        ----------
        n
            How many.
        rng
            Source of randomness.
        """
        return np.asarray(expit(self._at(rng.random((*self.theta.shape[:-1], n)))))

    def _at(self, masses: Array) -> Array:
        """Thetas that have the masses of each class, the last axis, below them: (n, ..., m)."""
        below = np.cumsum(self.mass, axis=-1) - self.mass / 2
        found = np.empty(masses.shape)
        for own in np.ndindex(masses.shape[:-1]):
            found[own] = np.interp(masses[own], below[own], self.theta[own])
        return np.moveaxis(found, -1, 0)


def find_posterior(score: Array, log_prior: Array, known: Array, jump: Array) -> Posterior:
    """Posterior of theta, on points that lie where its mass is.

    The sigmas of all classes are one: a bag in which much moves lets all its classes move. But one
    class may jump by itself, whatever the others say: its sigma is then one of the two largest.

    Parameters
    ----------
    score
        Derivative of the log-likelihood at each candidate, (..., m, G).
    log_prior
        Of the bag's share, by sigma, (..., S, m, G).
    known
        Classes whose evidence counts.
    jump
        Chance that each class jumps by itself, (m,).
    """
    likelihood = np.zeros(score.shape)
    np.cumsum((score[..., 1:] + score[..., :-1]) * (CELL / 2), axis=-1, out=likelihood[..., 1:])
    envelope = log_prior.max(axis=-3)
    theta = np.broadcast_to(THETA, score.shape)
    height = likelihood + envelope
    for _ in range(ZOOMS):  # large bags and good classifiers leave less than a cell of the grid
        low, high = _extent(theta, height)
        theta = low + (high - low) * _ALONG
        cell, t = _place(theta)
        left, right = _beside(score, cell)
        # The score is linear within a cell.
        fine = _beside(likelihood, cell)[0]
        fine += t * CELL * (left + t / 2 * (right - left))
        height = fine + _between(envelope, cell, t)
    by_sigma = _between(log_prior, cell[..., None, :, :], t[..., None, :, :])
    by_sigma += (fine - height.max(axis=-1, keepdims=True))[..., None, :, :]
    np.exp(by_sigma, out=by_sigma)
    evidence = np.log(np.maximum(by_sigma.sum(axis=-1), 1e-300))
    others = (evidence * known).sum(axis=-1, keepdims=True) - evidence * known
    log_weight = LOG_WEIGHTS[:, None] + others
    weight = np.exp(log_weight - log_weight.max(axis=-2, keepdims=True))
    weight *= ((1 - jump) / weight.sum(axis=-2))[..., None, :]
    weight[..., -2:, :] += jump / 2
    by_sigma *= weight[..., None]
    mass = by_sigma.sum(axis=-3)
    return Posterior(theta, mass / mass.sum(axis=-1, keepdims=True))


def _extent(theta: Array, height: Array) -> tuple[Array, Array]:
    """The points around those at which a posterior has mass that counts, each (..., m, 1)."""
    inside = height > height.max(axis=-1, keepdims=True) - DEPTH
    end = inside.shape[-1] - 1
    first = np.maximum(inside.argmax(axis=-1) - 1, 0)
    last = np.minimum(end + 1 - inside[..., ::-1].argmax(axis=-1), end)
    low, high = (np.take_along_axis(theta, at[..., None], axis=-1) for at in (first, last))
    return low, high


def _place(theta: Array) -> tuple[Array, Array]:
    """Cell of the grid and place in it, from 0 to 1."""
    place = np.clip((theta - THETA[0]) / CELL, 0, len(THETA) - 1)
    cell = np.minimum(place.astype(np.intp), len(THETA) - 2)
    return cell, place - cell


def _beside(values: Array, cell: Array) -> tuple[Array, Array]:
    """Values at both ends of cells of the last axis."""
    # By their places in memory: indices of every axis take several times as long.
    rows = np.arange(0, values.size, values.shape[-1]).reshape(*values.shape[:-1], 1)
    places, flat = rows + cell, values.ravel()
    left = flat[places]
    places += 1
    return left, flat[places]


def _between(values: Array, cell: Array, t: Array) -> Array:
    """Values within cells of the last axis, on straight lines between their ends."""
    left, right = _beside(values, cell)
    right -= left
    right *= t
    right += left
    return right


def given_sum(posterior: Posterior, bounds: Array, p: Array) -> Array:
    """Bounds of theta, given that the shares sum to 1: moved like the estimate, and narrower.

    Of normal variables whose sum is known, each keeps 1 - variance/(sum of variances) of its own.

    Parameters
    ----------
    posterior
        Of each class by itself.
    bounds
        Its quantiles, (2, ..., m).
    p
        Estimate, which sums to 1.
    """
    mean, variance = posterior.moments()
    total = np.maximum(variance.sum(axis=-1, keepdims=True), 1e-300)
    kept = np.sqrt(np.maximum(1 - variance / total, 0))
    middle = posterior.quantiles(0.5)[0]
    moved = logit(np.clip(p, 1e-9, 1 - 1e-9)) - logit(np.clip(mean, 1e-9, 1 - 1e-9))
    return np.asarray(middle + kept * (bounds - middle) + moved)


def sum_to_one(p: Array, variance: Array) -> Array:
    """Shares that sum to 1, of which the least certain give or take most: p exp(c variance/p).

    Parameters
    ----------
    p
        Shares of each bag, not all zero, (..., m).
    variance
        Of each.
    """
    give = variance / np.maximum(p, 1e-300)
    most = give.max(axis=-1, keepdims=True)
    give = np.divide(give, most, out=np.zeros(give.shape), where=most > 0)
    c = np.zeros(most.shape)
    moving = most > 0
    for _ in range(100):
        q = p * np.exp(c * give)
        slope = np.maximum((q * give).sum(axis=-1, keepdims=True), 1e-300)
        step = (1 - q.sum(axis=-1, keepdims=True)) / slope
        c = np.where(moving, np.clip(c + np.clip(step, -2, 2), -50, 50), c)
        moving = moving & (np.abs(step) >= 1e-12)
        if not moving.any():
            break
    q = p * np.exp(c * give)
    return np.asarray(q / q.sum(axis=-1, keepdims=True))
