"""Redrawn bags: how far estimates of bags like those in question are from the truth.

The prevalence asked for is that of one bag, so what matters is the error of the estimate: each
replicate has a true share of its own, by which its estimate is judged.

A replicate has training documents, from which the method learns anew, and a bag. What is learned
takes most of the time and does not depend on the bag in question, so all bags share it. How far off
the estimates are depends on no more of a bag than its size and its shares, so bags that are alike
in these share that too. Neither makes the answer to one bag depend on which others there are.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from quantext.quantifiers.intervals import bounds_about, doubted, error_levels
from quantext.quantifiers.problems import Relearned, Relearner
from quantext.quantifiers.redraws import Documents
from quantext.scores.training import ScoresByClass

__all__ = ["Estimator", "Redrawing", "likely_truths", "redrawn_bounds"]

Array = NDArray[Any]
Estimator = Callable[[ScoresByClass], Relearner]
Tell = Callable[[float], object]

_BLOCK = 2**21  # counts of redrawn training documents that are held at a time: 16 MB
_ERRORS = 2**22  # errors that are held at a time: 32 MB
_PER_ERROR = 4  # steps in a standard error, in which the shares of two classes are told apart
_GROUPS = 4  # of bags, for each thread: so that none waits long for another


def _nobody(part: float) -> None:
    """Nobody wants to know which part of the work is done."""


class Redrawing(NamedTuple):
    """How bags are redrawn.

    Parameters
    ----------
    documents
        To draw from.
    estimator
        Given the scores in distinct rows, a function of redrawn training documents, how many of
        each class have each row, shape (R, K, rows), that learns from them and gives a function of
        bags: of the rows of their documents and how many have them, shape (R, n) each. It gives
        the prevalence in each bag, by what was learned in the same replicate, shape (R, K).
    replicates
        Number of bags.
    seed
        Same seed, same bags.
    n_jobs
        Threads, as scikit-learn counts them.
    tell
        Is told again and again which part of the work is done.
    """

    documents: Documents
    estimator: Estimator
    replicates: int
    seed: tuple[int, ...]
    n_jobs: int | None = None
    tell: Tell = _nobody


def redrawn_bounds(
    redrawing: Redrawing, p_hat: Array, sizes: Array, level: float
) -> tuple[Array, Array]:
    """Lower and upper bounds of the prevalence of each class in bags, shape (B, K) each.

    They are made of the errors of the method where the truth is likely to be, and not where its
    bias has led.

    Parameters
    ----------
    redrawing
        How.
    p_hat
        Estimate for each bag, shape (B, K).
    sizes
        Number of documents in each.
    level
        Share of bags whose prevalence the interval should contain.
    """
    first = redrawing._replace(tell=lambda part: redrawing.tell(part / 3))
    there = likely_truths(first, p_hat, sizes)
    second = redrawing._replace(tell=lambda part: redrawing.tell((1 + 2 * part) / 3))
    found = error_quantiles(second, 2, there, sizes, error_levels(level))
    low, high = np.empty(p_hat.shape), np.empty(p_hat.shape)
    counts = redrawing.documents.counts
    for b, size in enumerate(sizes.tolist()):
        own = bounds_about(p_hat[b], found[b], size)
        sure = own[1] - own[0] < 1e-9
        doubtful = doubted(own[0], counts, size, level)
        low[b], high[b] = (np.where(sure, d, o) for d, o in zip(doubtful, own, strict=True))
    return low, high


def likely_truths(redrawing: Redrawing, p_hat: Array, sizes: Array) -> Array:
    """Prevalences that bags are likely to have: estimates less what such estimates are off by.

    Half as many bags as asked for are redrawn at the estimate to see that.

    Parameters
    ----------
    redrawing, p_hat, sizes
        As in `redrawn_bounds`.
    """
    half = redrawing._replace(replicates=-(-redrawing.replicates // 2))
    median = error_quantiles(half, 1, p_hat, sizes, [0.5])[:, 0]
    there = np.clip(p_hat - median, 0, 1)
    there = np.where(there.any(axis=1, keepdims=True), there, p_hat)
    return np.asarray(there / there.sum(axis=1, keepdims=True))


def error_quantiles(
    redrawing: Redrawing, stage: int, p: Array, sizes: Array, levels: list[float]
) -> Array:
    """Quantiles of the errors of estimates of redrawn bags, shape (B, levels, K).

    Parameters
    ----------
    redrawing
        How.
    stage
        Number above 0: bags of different stages have nothing to do with each other.
    p
        Prevalences at which bags are drawn, shape (B, K).
    sizes
        Of the bags.
    levels
        Of the quantiles.
    """
    kinds, kind_of = alike(redrawing.documents.possible(p), sizes)
    at_once = max(1, _ERRORS // (redrawing.replicates * p.shape[1]))
    found = np.empty((len(kinds), len(levels), p.shape[1]))
    for start in range(0, len(kinds), at_once):
        now = kinds[start : start + at_once]

        def tell(part: float, start: int = start, n: int = len(now)) -> None:
            redrawing.tell((start + part * n) / len(kinds))

        errors = draw_errors(redrawing._replace(tell=tell), stage, now)
        found[start : start + at_once] = np.quantile(errors, levels, axis=1).swapaxes(0, 1)
    return found[kind_of]


def alike(p: Array, sizes: Array) -> tuple[list[tuple[Array, int]], NDArray[np.int64]]:
    """Prevalences and sizes of bags of different kinds, and of which kind each bag is.

    Bags of one kind have the same size and shares. Those of two classes are told apart by a quarter
    of the standard error that the share of a bag has by chance, √(p(1−p)/n): less than a thousand
    replicates can tell. On the scale of arcsin √p that is the same everywhere; so what is rare is
    told from what is not there, however large the bag.

    Parameters
    ----------
    p
        Prevalences, shape (B, K).
    sizes
        Of the bags.

    Examples
    --------
    >>> shares = np.array([[0.5, 0.5], [0.499, 0.501], [0.4, 0.6], [1.0, 0.0]])
    >>> kinds, kind_of = alike(shares, np.array([25, 25, 25, 25]))
    >>> [own.round(2).tolist() for own, size in kinds], kind_of.tolist()
    ([[0.5, 0.5], [0.4, 0.6], [1.0, 0.0]], [0, 0, 1, 2])
    """
    if p.shape[1] == 2:
        # The standard error of arcsin √p is 1/(2√n), and it goes up to π/2. An even number of steps
        # has one half among them, so that neither class comes first.
        steps = 2 * np.ceil(_PER_ERROR * np.pi / 2 * np.sqrt(sizes))
        angle = np.rint(np.arcsin(np.sqrt(np.clip(p[:, 1], 0, 1))) / (np.pi / 2) * steps)
        share = np.sin(angle / steps * (np.pi / 2)) ** 2
        p = np.column_stack([1 - share, share])
    places: dict[tuple[int, bytes], int] = {}
    kinds: list[tuple[Array, int]] = []
    kind_of = np.empty(len(p), dtype=np.int64)
    for b, (own, size) in enumerate(zip(p, sizes.tolist(), strict=True)):
        kind_of[b] = places.setdefault((size, own.tobytes()), len(places))
        if kind_of[b] == len(kinds):
            kinds.append((own, size))
    return kinds, kind_of


def draw_errors(redrawing: Redrawing, stage: int, kinds: list[tuple[Array, int]]) -> Array:
    """Errors of the estimates of redrawn bags, shape (kinds, replicates, K).

    Parameters
    ----------
    redrawing, stage
        As in `error_quantiles`.
    kinds
        Prevalence and size of the bags of each kind.
    """
    documents, replicates, seed = redrawing.documents, redrawing.replicates, redrawing.seed
    relearn = redrawing.estimator(documents.training)
    n_rows, n_classes = documents.training.counts.shape
    errors = np.empty((len(kinds), replicates, n_classes))
    block = max(1, _BLOCK // (n_rows * n_classes))

    def judge(group: list[int], start: int, estimate: Relearned) -> int:
        stop = min(start + block, replicates)
        for b in group:
            p, size = kinds[b]
            # The same for all kinds, so that none depends on which others there are.
            rng = np.random.default_rng([*seed, stage, start])
            classes, rows, numbers = documents.draw_bags(p, size, stop - start, rng)
            errors[b, start:stop] = estimate(rows, numbers) - classes / size
        return len(group) * int(stop - start)

    threads = min(effective_n_jobs(redrawing.n_jobs), len(kinds))
    n_groups = min(len(kinds), threads * _GROUPS)
    groups = [list(range(first, len(kinds), n_groups)) for first in range(n_groups)]
    with Parallel(n_jobs=threads, require="sharedmem", return_as="generator_unordered") as parallel:
        done = 0
        for start in range(0, replicates, block):
            rng = np.random.default_rng([*seed, 0, start])
            estimate = relearn(documents.draw_training(min(block, replicates - start), rng))
            for n in parallel(delayed(judge)(group, start, estimate) for group in groups):
                done += n
                redrawing.tell(done / (len(kinds) * replicates))
    return errors
