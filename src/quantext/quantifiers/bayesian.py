"""Bayesian counts: all prevalences that would explain what was counted, each as far as it would."""

from abc import abstractmethod
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.quantifiers.base import OneClass, Quantifier
from quantext.quantifiers.correction import correct
from quantext.quantifiers.counting import Classified, decided
from quantext.quantifiers.intervals import check_level, whole_documents
from quantext.quantifiers.summary import Summary
from quantext.quantifiers.weighted import effective, weighted_quantiles
from quantext.scores.training import ScoresByClass

__all__ = ["BayesianCount", "PreciseQuantifier", "draw_rates", "posterior_by_bins", "solve_draws"]

Array = NDArray[Any]

_MOST_DRAWS = 1_000_000  # which are in memory together
_ENOUGH = 200  # draws that a posterior is made of, after their weights
_FEW = 50  # below which the posterior is not known
_BATCHES = 10  # of draws, at most
_AT_A_TIME = 2**21  # rates that are drawn, at most
_COARSE, _FINE = 101, 401  # shares at which a likelihood is evaluated


class _Posterior(Quantifier):
    """What methods share that give a distribution of prevalences, not one."""

    depends_on_size = True

    draws: int

    @abstractmethod
    def posterior(
        self, learned: Any, counts: Array, rng: np.random.Generator
    ) -> tuple[Array, Array]:
        """Prevalences, shape (R, K), and how much each of them weighs, shape (R,)."""

    def estimate(self, learned: Any, counts: Array, size: int) -> Array:
        """Mean of the posterior."""
        del size
        self._check_draws()
        shares, weights = self.posterior(learned, counts, np.random.default_rng(self.seed))
        return np.asarray(weights @ shares / weights.sum())

    def _check_draws(self) -> None:
        """Raise where the number of draws is none, in fitting already: a file may have it."""
        if not (isinstance(self.draws, Integral) and 1 <= self.draws <= _MOST_DRAWS):
            raise ValueError(
                f"draws is {self.draws!r}; a posterior needs at least one, better 1000, and at "
                f"most {_MOST_DRAWS:,}"
            )

    def aggregate(self, summary: Summary) -> Array:
        """Prevalence of each class in the bag that was summarised.

        Parameters
        ----------
        summary
            Of this quantifier's making.
        """
        return super().aggregate(_in_documents(summary))

    def interval(
        self, summary: Summary, level: float = 0.95, seed: int = 0, *, replicates: int = 1000
    ) -> tuple[Array, Array]:
        """Lower and upper bounds of the prevalence of each class in the bag that was summarised.

        They are quantiles of the posterior, in whole documents. It is the posterior of the share
        in whatever the bag was drawn from, so for small bags the bounds are wider than need be.

        Parameters
        ----------
        summary
            Of this quantifier's making.
        level
            Share of bags whose prevalence the interval should contain.
        seed
            Of the draws.
        replicates
            Not used: other quantifiers redraw.
        """
        del replicates
        check_level(level)
        p_hat = self.aggregate(summary)
        bag = _in_documents(summary)
        tails = (1 - level) / 2, (1 + level) / 2

        def bounds(j: int, learned: Any, counts: Any) -> tuple[Array, Array]:
            if isinstance(learned, OneClass):
                return learned.estimate, learned.estimate
            posterior = self.posterior(learned, counts, np.random.default_rng([seed, j]))
            ends = weighted_quantiles(*posterior, tails)
            return ends[0], ends[1]

        problems = enumerate(zip(self.learned_, bag.counts, strict=True))
        pairs = [bounds(j, *problem) for j, problem in problems]
        if len(pairs) > 1 or self.kind_ == "multilabel":
            low, high = (np.array([pair[end][1] for pair in pairs]) for end in (0, 1))
        else:
            low, high = pairs[0]
        low, high = whole_documents(np.clip(low, 0, 1), np.clip(high, 0, 1), bag.size)
        return np.minimum(low, p_hat), np.maximum(high, p_hat)


class BayesianCount(_Posterior, Classified):
    """Mean of the posterior of the prevalence, given the classes that documents are put in.

    The rates M at which documents of each class are put in each are unknown, with a uniform prior,
    and so is the prevalence p: training says how often which class was mistaken for which, and the
    bag how often each was found, q. Where ACC solves q = Mp once, this solves it for many draws of
    M and q from their posteriors, Dirichlet(1 + counts). A draw weighs 1/|det M|, which makes the
    prior uniform in p and not in q, and draws with a p that is no prevalence are dropped. So it
    knows what it does not know: with few training documents the estimate stays near the middle.

    Ziegler & Czyż (2024), "Bayesian quantification with black-box estimators", have this model,
    and sample from it by Markov chains. With many classes, where hardly any draw is left, those
    that are no prevalence count as the nearest one by least squares instead.

    Parameters
    ----------
    classifier
        A scikit-learn classifier; it is cloned.
    draws
        Of rates at a time; there are more, up to ten times, where few are left.
    folds
        Of the cross-validation that gives the out-of-fold scores; at least 2.
    seed
        Of the folds, and of the draws that give the estimate.
    """

    def __init__(self, classifier: Any, draws: int = 2000, folds: int = 50, seed: int = 0) -> None:
        self.classifier = classifier
        self.draws = draws
        self.folds = folds
        self.seed = seed

    def learn(self, training: ScoresByClass) -> Array:
        """Number of documents of each class (column) that are put in each (row)."""
        self._check_draws()
        return np.asarray(decided(training.scores).T.astype(np.int64) @ training.counts)

    def posterior(
        self, learned: Array, counts: Array, rng: np.random.Generator
    ) -> tuple[Array, Array]:
        """Draws, each with its weight."""
        return solve_draws(learned, counts, self.draws, rng)


class PreciseQuantifier(_Posterior):
    """Mean of the posterior of the share, given how many scores fall in each of a few bins (PQ).

    As `BayesianCount`, but documents are counted by bins of the posterior, whose edges are
    quantiles of the out-of-fold scores, so that less is lost than by counting classes. For draws of
    the bins' rates in both classes, Dirichlet(1 + counts), the likelihood of the bag is evaluated
    at all shares of a grid, and summed. Several classes are estimated one against the rest.

    Igiraneza, Fraser & Hinch (2025), "Estimating prevalence with precision and accuracy", who
    sample from the same model by Markov chains. If the bag is far larger than training, few draws
    of the rates explain it, and the estimate is rough.

    Parameters
    ----------
    classifier
        A scikit-learn classifier; it is cloned.
    bins
        Number of bins, at least 2.
    draws
        Of rates at a time; there are more, up to ten times, where few of them explain the bag.
    folds
        Of the cross-validation that gives the out-of-fold scores; at least 2.
    seed
        Of the folds, and of the draws that give the estimate.
    """

    def __init__(
        self, classifier: Any, bins: int = 4, draws: int = 1000, folds: int = 50, seed: int = 0
    ) -> None:
        self.classifier = classifier
        self.bins = bins
        self.draws = draws
        self.folds = folds
        self.seed = seed

    def learn(self, training: ScoresByClass) -> tuple[Array, Array]:
        """Edges of the bins, and training documents in each bin (row) by class (column)."""
        self._check_draws()
        if self.bins < 2:
            raise ValueError(f"bins is {self.bins}; there must be at least 2")
        scores = np.repeat(training.scores[:, 0], training.counts.sum(axis=1))
        # Observed scores, so that rounding decides nothing.
        inner = np.arange(1, self.bins) / self.bins
        edges = np.unique(np.quantile(scores, inner, method="lower"))
        edges = edges[edges < scores.max()]
        bins = np.searchsorted(edges, training.scores[:, 0], side="left")
        return edges, np.eye(len(edges) + 1, dtype=np.int64)[bins].T @ training.counts

    def count(
        self, learned: tuple[Array, Array], scores: Array, weights: Array | None = None
    ) -> Array:
        """Number of documents in each bin."""
        edges, _ = learned
        bins = np.searchsorted(edges, scores[:, 0], side="left")
        inside = np.eye(len(edges) + 1, dtype=np.int64)[bins]
        return np.asarray(inside.sum(axis=0) if weights is None else weights @ inside)

    def posterior(
        self, learned: tuple[Array, Array], counts: Array, rng: np.random.Generator
    ) -> tuple[Array, Array]:
        """Shares of a grid, each with its weight."""
        return posterior_by_bins(learned[1], counts, self.draws, rng)


def draw_rates(table: Array, number: int, rng: np.random.Generator) -> Array:
    """Draws of the rates of each class, shape (number, B, K): Dirichlet(1 + counts) by column.

    Parameters
    ----------
    table
        Training documents of each class (column) by where they were counted (row), shape (B, K).
    number
        Of draws.
    rng
        Source of randomness.
    """
    gammas = rng.standard_gamma(1.0 + table, (number, *table.shape))
    return np.asarray(gammas / gammas.sum(axis=1, keepdims=True))


def solve_draws(
    table: Array, counts: Array, number: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Prevalences p that solve q = Mp for draws of M and q, shape (R, K), and weights 1/|det M|.

    Parameters
    ----------
    table
        Training documents of each class (column) by the class they were put in (row), (K, K).
    counts
        Documents of the bag by the class they were put in, shape (K,).
    number
        Of draws at a time.
    rng
        Source of randomness.
    """
    size = max(1, min(number, _AT_A_TIME // table.size))
    found: list[Array] = []
    weights: list[Array] = []
    drawn = []
    for _ in range(_BATCHES):
        rates = draw_rates(table, size, rng)
        counted = rng.dirichlet(1.0 + counts, size)
        determinants = np.abs(np.linalg.det(rates))
        solvable = determinants > 1e-300
        p = np.linalg.solve(rates[solvable], counted[solvable, :, None])[:, :, 0]
        inside = (p >= 0).all(axis=1)
        found.append(p[inside])
        weights.append(1 / determinants[solvable][inside])
        drawn.append((rates[:_ENOUGH], counted[:_ENOUGH]))
        together = np.concatenate(weights)
        if effective(together) >= _ENOUGH or not len(together):
            break
    if effective(together) >= _FEW:
        shares = np.concatenate(found)
        return shares / shares.sum(axis=1, keepdims=True), together
    rates, counted = drawn[0]
    nearest = np.array([correct(M, q) for M, q in zip(rates, counted, strict=True)])
    return nearest, np.ones(len(nearest))


def posterior_by_bins(
    table: Array, counts: Array, number: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Shares of two classes on a grid, shape (G, 2), and the weight of each, shape (G,).

    Parameters
    ----------
    table
        Training documents of both classes (columns) by bin (row), shape (B, 2).
    counts
        Documents of the bag in each bin, shape (B,).
    number
        Of draws of the rates at a time.
    rng
        Source of randomness.
    """
    rates = draw_rates(table, number, rng)
    grid = (np.arange(_COARSE) + 0.5) / _COARSE
    for _ in range(_BATCHES - 1):
        likelihood = _likelihood(rates, counts, grid)
        if effective(likelihood.sum(axis=1)) >= _ENOUGH:
            break
        rates = np.concatenate([rates, draw_rates(table, number, rng)])
    else:
        likelihood = _likelihood(rates, counts, grid)
    matters = np.flatnonzero(likelihood.sum(axis=0) > 1e-9 * likelihood.sum(axis=0).max())
    first, last = matters[0] / _COARSE, (matters[-1] + 1) / _COARSE
    # Of the draws that explain the bag; the others take time and say nothing.
    best = likelihood.sum(axis=1)
    rates = rates[best > 1e-9 * best.max()]
    fine = first + (last - first) * (np.arange(_FINE) + 0.5) / _FINE
    weights = _likelihood(rates, counts, fine).sum(axis=0)
    return np.column_stack([1 - fine, fine]), weights


def _likelihood(rates: Array, counts: Array, grid: Array) -> Array:
    """Of the bag under each draw (row) and share (column), up to a factor."""
    logs = np.zeros((len(rates), len(grid)))
    for own, n in zip(np.moveaxis(rates, 1, 0), counts, strict=True):
        if n:
            logs += n * np.log(own[:, :1] * (1 - grid) + own[:, 1:] * grid)
    return np.asarray(np.exp(logs - logs.max()))


def _in_documents(summary: Summary) -> Summary:
    """A summary whose weights are turned into a number of documents that say as much."""
    if summary.weights is None:
        return summary
    summary.weights.check(summary.size)
    scale = summary.effective_size / summary.total
    # Rounded, so that weights that are all the same say exactly what none do.
    counts = tuple(np.round(own * scale, 6) for own in summary.counts)
    return Summary(summary.effective_size, counts)
