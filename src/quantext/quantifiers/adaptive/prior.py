"""The prior: how far the share of a bag may be from that of training, before it is read."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, logit

from quantext.quantifiers.adaptive.grid import CELL, THETA, B

__all__ = ["LOG_WEIGHTS", "bag_prior", "bag_priors", "population"]

Array = NDArray[Any]

# How far shares may move: logit of the population's = logit of training's + sigma t3. Sigma is
# within a factor of two of 0.5 in two bags of three: so much shares move from week to week and from
# one subject to the next, and not by more than 3.2 anywhere.
SIGMAS = np.geomspace(0.05, 3.2, 7)
LOG_WEIGHTS = -0.5 * (np.log(SIGMAS / 0.5) / 0.7) ** 2
NARROWEST = 128.0  # Beta(n b, n(1-b)) has a deviation of 1/sqrt(128) in theta at n = 128/(b(1-b))


def population(p_train: Array, variance: Array) -> Array:
    """Mass of the population's share at each candidate, for each sigma, shape (S, m, G).

    Parameters
    ----------
    p_train
        Training prevalence, above 0 and below 1.
    variance
        Of its logit.
    """
    edges = (THETA[1:] + THETA[:-1]) / 2
    # Student's t with 3 degrees of freedom has the variance 3.
    scale = np.sqrt(3 * SIGMAS[:, None] ** 2 + variance)
    t = (edges - logit(p_train)[:, None]) / scale[:, :, None]
    cumulative = 0.5 + (t / (1 + t * t) + np.arctan(t)) / np.pi
    return np.diff(cumulative, axis=2, prepend=0, append=1)


def bag_prior(population: Array, size: int) -> Array:
    """Log-probability of the bag's share before it is read, by sigma, shape (S, m, G).

    Parameters
    ----------
    population
        Mass of the population's share, (S, m, G).
    size
        Of the bag.
    """
    return np.asarray(np.log(np.maximum(population @ sampling(size), 1e-300)))


def bag_priors(population: Array, sizes: Array) -> Array:
    """What `bag_prior` says of bags of each of these sizes, shape (n, S, m, G).

    Parameters
    ----------
    population
        As there.
    sizes
        Of the bags.
    """
    different, places = np.unique(sizes, return_inverse=True)
    return np.array([bag_prior(population, size) for size in different.tolist()])[places]


def sampling(size: int) -> Array:
    """Probability of each share in the bag, given the population's, shape (G, G): rows sum to 1.

    Parameters
    ----------
    size
        Of the bag.
    """
    # Binomial, as a Beta; no narrower than the grid can show, which is narrow beside most sigmas.
    n = np.minimum(size, NARROWEST / (B * (1 - B)))
    positive, negative = n * B, n * (1 - B)
    norm = betaln(positive, negative)[:, None]
    log = np.outer(positive, np.log(B)) + np.outer(negative, np.log1p(-B))
    kernel = CELL * np.exp(log - norm)
    # A class of which less than a document is expected is likely to be absent: what lies beyond the
    # grid counts at its ends. There the density is that of an exponential distribution.
    ends = np.column_stack([positive, negative])
    kernel[:, [0, -1]] += np.exp(-ends * (THETA[-1] + CELL / 2) - norm) / ends
    return np.asarray(kernel / kernel.sum(axis=1, keepdims=True))
