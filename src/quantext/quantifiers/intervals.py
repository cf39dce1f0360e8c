"""Intervals: how far estimates of redrawn bags are from the truth.

The prevalence asked for is that of one bag, so what matters is the error of the estimate: each
replicate has a true share of its own, by which its estimate is judged.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from quantext.scores.training import ScoresByClass

__all__ = [
    "bounds",
    "check_level",
    "check_replicates",
    "difference_bounds",
    "doubted",
    "draw_errors",
    "likely_truth",
    "redrawn_bounds",
    "redrawn_errors",
    "whole_documents",
]

Array = NDArray[Any]
Estimator = Callable[[ScoresByClass], Callable[[Array], Array]]

_FEW_ROWS = 64
_MANY_DOCUMENTS = 50  # of a bag, for each row
_AT_A_TIME = 2**12  # documents that are drawn
_BLOCK = 2**18  # counts of redrawn documents that are held at a time


def draw_errors(
    training: ScoresByClass,
    p_hat: Array,
    size: int,
    estimator: Estimator,
    *,
    replicates: int,
    rng: np.random.Generator,
) -> Array:
    """Errors of the estimates of redrawn bags, shape (replicates, K).

    Parameters
    ----------
    training
        Out-of-fold scores by class.
    p_hat
        Prevalence of each class at which bags are drawn.
    size
        Number of documents in the bag.
    estimator
        Given the scores in distinct rows, a function that gives the prevalence in R bags, shape
        (R, K). Its argument says how many documents of each replicate have the scores of each row:
        training documents of each class, and last the bag's; shape (R, K + 1, rows).
    replicates
        Number of bags.
    rng
        Source of randomness.
    """
    rows, row_of = np.unique(training.scores, axis=0, return_inverse=True)
    documents = [np.repeat(row_of.reshape(-1), counts) for counts in training.counts.T]
    known = np.array([len(rows_of_class) > 0 for rows_of_class in documents])
    # A classifier may find classes of which there are no scores to draw from.
    p = np.where(known, p_hat, 0.0)
    p = p / p.sum() if p.sum() > 0 else known / known.sum()
    counts = [np.bincount(rows_of_class, minlength=len(rows)) for rows_of_class in documents]
    estimate = estimator(ScoresByClass(rows, np.column_stack(counts)))
    errors = np.empty((replicates, len(p)))
    block = max(1, _BLOCK // (len(rows) * len(p)))
    few = len(rows) <= max(_FEW_ROWS, size / _MANY_DOCUMENTS)
    draw = _draw_rows if few else _draw_documents
    for start in range(0, replicates, block):
        stop = min(start + block, replicates)
        redrawn = np.zeros((stop - start, len(p) + 1, len(rows)), dtype=np.int64)
        classes = draw(documents, p, size, redrawn, rng)
        errors[start:stop] = estimate(redrawn) - classes / size
    return errors


def redrawn_bounds(
    training: ScoresByClass,
    p_hat: Array,
    size: int,
    estimator: Estimator,
    *,
    level: float,
    replicates: int,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """Lower and upper bounds of the prevalence of each class in a bag, shape (K,) each.

    Parameters
    ----------
    training, size, estimator, replicates, rng
        As in `draw_errors`.
    p_hat
        Estimate for the bag.
    level
        Share of bags whose prevalence the interval should contain.
    """
    errors = redrawn_errors(training, p_hat, size, estimator, replicates=replicates, rng=rng)
    low, high = bounds(p_hat, errors, level, size)
    sure = high - low < 1e-9
    doubtful = doubted(low, training.counts.sum(axis=0), size, level)
    return np.where(sure, doubtful[0], low), np.where(sure, doubtful[1], high)


def redrawn_errors(
    training: ScoresByClass,
    p_hat: Array,
    size: int,
    estimator: Estimator,
    *,
    replicates: int,
    rng: np.random.Generator,
) -> Array:
    """Errors of estimates like that of a bag, shape (replicates, K).

    They are those that the method makes where the truth is likely to be, and not where its bias has
    led.

    Parameters
    ----------
    training, size, estimator, replicates, rng
        As in `draw_errors`.
    p_hat
        Estimate for the bag.
    """
    there = likely_truth(training, p_hat, size, estimator, replicates=replicates, rng=rng)
    return draw_errors(training, there, size, estimator, replicates=replicates, rng=rng)


def likely_truth(
    training: ScoresByClass,
    p_hat: Array,
    size: int,
    estimator: Estimator,
    *,
    replicates: int,
    rng: np.random.Generator,
) -> Array:
    """Prevalence that the bag is likely to have: the estimate less what such estimates are off by.

    Half as many bags as asked for are redrawn at the estimate to see that.

    Parameters
    ----------
    training, size, estimator, replicates, rng
        As in `draw_errors`.
    p_hat
        Estimate for the bag.
    """
    first = -(-replicates // 2)
    errors = draw_errors(training, p_hat, size, estimator, replicates=first, rng=rng)
    there = np.clip(p_hat - np.median(errors, axis=0), 0, 1)
    if not there.any():
        there = p_hat
    return np.asarray(there / there.sum())


def doubted(p: Array, counts: Array, size: int, level: float) -> tuple[Array, Array]:
    """Bounds where no replicate ever errs, in whole documents, shape (K,) each.

    That no training document of N was mistaken leaves room for up to −ln(1 − level)/N of those that
    will be (3/N at 95%: the rule of three), and for one document at least.

    Parameters
    ----------
    p
        Share of each class of which replicates are sure.
    counts
        Training documents of each class.
    size
        Number of documents in the bag.
    level
        Share of bags whose prevalence the interval should contain.

    Examples
    --------
    >>> low, high = doubted(np.array([0.4, 0.6]), np.array([30, 60]), size=100, level=0.95)
    >>> low.round(2).tolist(), high.round(2).tolist()  # 3/30 of 40 documents, 3/60 of 60
    ([0.36, 0.57], [0.43, 0.64])
    """
    others = counts.sum() - counts
    unseen = -np.log1p(-level)
    lost, won = (
        np.maximum(1, np.ceil(size * share * np.minimum(1, unseen / np.maximum(n, 1)) - 1e-9))
        for share, n in ((p, counts), (1 - p, others))
    )
    return np.clip(p - lost / size, 0, 1), np.clip(p + won / size, 0, 1)


def bounds(p_hat: Array, errors: Array, level: float, size: int) -> tuple[Array, Array]:
    """Lower and upper bounds from the errors of replicates, in whole documents, shape (K,) each.

    They lie around the estimate less the median error.

    Parameters
    ----------
    p_hat
        Estimate for the bag.
    errors
        Shape (replicates, K).
    level
        Share of bags whose prevalence the interval should contain.
    size
        Number of documents in the bag.

    Examples
    --------
    >>> errors = np.linspace(0.0, 0.2, 101)[:, None]      # too high by 0.1, give or take 0.1
    >>> [bound.round(3).tolist() for bound in bounds(np.array([0.5]), errors, 0.9, size=100)]
    [[0.31], [0.49]]
    """
    tail = (1 - level) / 2
    low, middle, high = np.quantile(errors, [tail, 0.5, 1 - tail], axis=0)
    # Both ways by the longer tail: errors of estimates that are clipped at 0 or 1 lie to one side,
    # which says nothing of the side on which the truth is.
    reach, centre = np.maximum(high - middle, middle - low), p_hat - middle
    return whole_documents(np.clip(centre - reach, 0, 1), np.clip(centre + reach, 0, 1), size)


def whole_documents(low: Array, high: Array, size: int) -> tuple[Array, Array]:
    """Bounds that a share of a bag can have, rounded outward.

    Parameters
    ----------
    low, high
        Bounds of shares.
    size
        Number of documents in the bag.
    """
    slack = 1e-9  # for shares that are whole documents but for rounding
    return np.floor(low * size + slack) / size, np.ceil(high * size - slack) / size


def difference_bounds(
    first: tuple[Array, Array, Array], second: tuple[Array, Array, Array]
) -> tuple[Array, Array]:
    """Lower and upper bounds of a difference, second less first, from the bounds of both.

    The distance of a bound from its estimate stands for a multiple of the standard error on that
    side; those of two independent estimates add up in squares. Newcombe (1998), "Interval
    estimation for the difference between independent proportions"; Zou & Donner (2008),
    "Construction of confidence limits about effect measures".

    Parameters
    ----------
    first, second
        Estimate, lower and upper bound of each class. An estimate beside its interval, which the
        method knows to be off, counts as the nearer bound.

    Examples
    --------
    >>> first, second = (0.5, 0.45, 0.55), (0.3, 0.15, 0.45)
    >>> [round(float(bound), 3) for bound in difference_bounds(first, second)]
    [-0.358, -0.042]
    """
    (p, p_low, p_high), (q, q_low, q_high) = first, second
    p, q = np.clip(p, p_low, p_high), np.clip(q, q_low, q_high)
    middle = q - p
    low = middle - np.hypot(q - q_low, p_high - p)
    high = middle + np.hypot(q_high - q, p - p_low)
    return np.maximum(low, -1.0), np.minimum(high, 1.0)


def check_level(level: float) -> None:
    """Raise if the level of an interval is not between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; it is a share of bags between 0 and 1, such as 0.95")


def check_replicates(replicates: int) -> None:
    """Raise if there are no replicates to make an interval of."""
    if replicates < 1:
        raise ValueError(f"replicates is {replicates}; an interval needs at least one, better 1000")


def _draw_rows(
    documents: list[Array], p: Array, size: int, redrawn: Array, rng: np.random.Generator
) -> Array:
    """Classes of the bags, shape (R, K), after counting what is drawn in `redrawn`.

    Its time does not depend on the size of the bag.
    """
    n_rows = redrawn.shape[2]
    shares = [np.bincount(own, minlength=n_rows) / max(len(own), 1) for own in documents]
    classes = np.empty((len(redrawn), len(p)), dtype=np.int64)
    for r, counts in enumerate(redrawn):
        classes[r] = rng.multinomial(size, p)
        for k, own in enumerate(documents):
            if len(own):
                counts[k] = rng.multinomial(len(own), shares[k])
        for k, n in enumerate(classes[r].tolist()):
            if n:
                counts[-1] += rng.multinomial(n, shares[k])
    return classes


def _draw_documents(
    documents: list[Array], p: Array, size: int, redrawn: Array, rng: np.random.Generator
) -> Array:
    """The same, one document at a time, which is faster where rows are many and documents few."""
    rows, ends = np.concatenate(documents), np.cumsum([len(own) for own in documents])
    classes = np.empty((len(redrawn), len(p)), dtype=np.int64)
    for r, counts in enumerate(redrawn):
        classes[r] = rng.multinomial(size, p)
        redraw(rng, rows, ends, classes[r], counts)
    return classes


@njit(cache=True, nogil=True)
def redraw(
    rng: np.random.Generator, rows: Array, ends: Array, classes: Array, counts: Array
) -> None:
    """Count by row the documents that are redrawn of each class, and then those of a bag.

    Parameters
    ----------
    rng
        Source of randomness.
    rows, ends
        Rows of the documents of all classes, one class after the other, and where each ends.
    classes
        Documents of each class in the bag.
    counts
        Zeros, shape (K + 1, rows), to be added to; the last are those of the bag.
    """
    for bag in range(2):
        start = 0
        for k in range(len(ends)):
            own = rows[start : ends[k]]
            start = ends[k]
            left = classes[k] if bag else len(own)
            place = counts[len(ends)] if bag else counts[k]
            while left > 0:  # some at a time, so that a large bag takes no memory
                n = min(left, _AT_A_TIME)
                for drawn in rng.integers(0, len(own), n):
                    place[own[drawn]] += 1
                left -= n
