"""Shares corrected by how classes are mistaken: truths from elsewhere, a model's word on a bag."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from quantext.quantifiers.correction import correct
from quantext.quantifiers.intervals import check_level
from quantext.quantifiers.weighted import effective, weighted_quantiles

__all__ = ["Misclassified", "rates_of", "unmix"]

Array = NDArray[Any]

_DRAWS = 4000
_AT_A_TIME = 2**23  # rates that are drawn, at most
_FEW = 50  # equal draws, below which a posterior is not known
# Spread of det M relative to its mean, for each class beyond the first, up to which classes are
# told apart: chosen so that no cell of benchmarks/correction.py is below 93%.
_STEADY = 0.08


class Misclassified(NamedTuple):
    """Shares of each class in a bag, their bounds, shape (K,) each; and how well they explain it.

    The last is a p-value: near 0 where no shares at all explain what the model says of the bag, so
    that it cannot mistake classes here as it does where the truth is known.
    """

    p: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    fits: float


def rates_of(table: Array) -> NDArray[np.float64]:
    """Share of the documents of each class (column) that is put in each (row); NaN for none.

    Parameters
    ----------
    table
        Documents of each class (column) by the class that the model puts them in (row).
    """
    totals = table.sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.asarray(table / totals)


def unmix(
    table: Array,
    counts: Array,
    *,
    level: float = 0.95,
    population: bool = False,
    seed: int = 0,
    draws: int = _DRAWS,
) -> Misclassified:
    """Shares that explain what a model says of a bag, given how it mistakes classes elsewhere.

    The shares solve q = Mp, by least squares among all prevalences (two classes: Rogan & Gladen
    1978), M being the rates at which classes are mistaken. For the bounds, M is drawn from its
    posterior: for each class Dirichlet(1 + documents put in the right class, 1/(K − 1) + those in
    each of the others), a prior worth two documents, which for two classes is uniform. Draws weigh
    1/|det M| and those whose p is no prevalence are dropped, which makes a uniform prior of p; the
    bounds are quantiles of the rest.

    Where the model hardly tells classes apart, draws of M are near singular ones, the posterior is
    little but the prior of p, and its quantiles miss shares that are near 0 or 1: in simulations
    with 100 truths and a model that is right in 60% of cases it held a share of 2% in 70% of bags.
    There, the bounds are widened to the quantiles of all draws, those beyond 0 and 1 counted there.

    Parameters
    ----------
    table
        Documents from elsewhere, of each class (column) by the class that the model says (row).
    counts
        Documents of the bag by the class that the model says, shape (K,).
    level
        Share of bags whose share the interval should contain.
    population
        Whether the shares asked for are those in what the bag was drawn from.
    seed, draws
        Of the draws, and how many.

    Examples
    --------
    >>> found = unmix(np.array([[90, 10], [10, 40]]), np.array([650, 350]))
    >>> found.p.round(4).tolist()  # (.35 - .1) / (.8 - .1)
    [0.6429, 0.3571]
    """
    check_level(level)
    rng = np.random.default_rng(seed)
    size = counts.sum()
    p = correct(rates_of(table), counts / size)
    draws = max(_FEW, min(draws, _AT_A_TIME // table.size))
    rates = _draw(table, draws, rng)
    q = _draw_counted(rates.mean(axis=0), p, counts, population, draws, rng)
    # In logarithms: with many classes determinants are too small for numbers.
    logs = np.linalg.slogdet(rates)[1]
    solvable = logs > -np.inf
    solved = np.linalg.solve(rates[solvable], q[solvable, :, None])[:, :, 0]
    weights = np.exp(logs.min(where=solvable, initial=0.0) - logs[solvable])
    determinants = np.exp(logs - logs.max())
    tails = (1 - level) / 2, (1 + level) / 2
    inside = (solved >= 0).all(axis=1)
    known = effective(weights[inside]) >= _FEW
    spread = determinants.std() / determinants.mean()
    low, high = np.ones(len(p)), np.zeros(len(p))
    if known:
        low, high = weighted_quantiles(solved[inside], weights[inside], tails)
    if not known or spread > _STEADY * (len(p) - 1):
        ends = np.quantile(np.clip(solved, 0, 1), tails, axis=0)
        low, high = np.minimum(low, ends[0]), np.maximum(high, ends[1])
    fits = _fits(rates @ p - q, counts / size - rates_of(table) @ p)
    return Misclassified(p, np.minimum(low, p), np.maximum(high, p), fits)


def _fits(draws: Array, left: Array) -> float:
    """Chance of something as far from 0 as what is left, if it varies as the draws do."""
    covariance = np.cov(draws[:, :-1], rowvar=False).reshape(len(left) - 1, -1)
    distance = left[:-1] @ np.linalg.pinv(covariance, hermitian=True) @ left[:-1]
    return float(chdtrc(len(left) - 1, distance))


def _draw(table: Array, draws: int, rng: np.random.Generator) -> Array:
    """Draws of the rates, shape (draws, K, K)."""
    K = len(table)
    prior = np.where(np.eye(K, dtype=bool), 1.0, 1 / max(K - 1, 1))
    gammas = rng.standard_gamma(prior + table, (draws, K, K))
    return np.asarray(gammas / gammas.sum(axis=1, keepdims=True))


def _draw_counted(
    rates: Array,
    p: Array,
    counts: Array,
    population: bool,
    draws: int,
    rng: np.random.Generator,
) -> Array:
    """Shares that would be counted in bags like this, shape (draws, K).

    The bag's documents of each class are put in classes at random; in what it was drawn from, the
    classes themselves are at random too.
    """
    size = counts.sum()
    q = counts / size
    if population:
        covariance = np.diag(q) - np.outer(q, q)
    else:
        covariance = np.diag(rates @ p) - (rates * p) @ rates.T
    values, vectors = np.linalg.eigh(covariance / size)
    root = vectors * np.sqrt(np.maximum(values, 0))
    return np.asarray(q + rng.standard_normal((draws, len(q))) @ root.T)
