"""Bounds of shares that a sample and a model's word tell of.

They are not those of the normal law, which are far too short where the model is good and few of its
errors were seen: with 50 documents and a model that is right in 95% of cases those held the truth
in 48 to 96% of simulated files. Documents are put in a few groups by what the model says of a
class; in each the share of the class has a beta posterior, and the bag's share is their sum,
weighted by the sizes of the groups, which are known. Its quantiles are those of a gamma law with
the same first three moments.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv, ndtri

from quantext.quantifiers.powered import Sample

__all__ = ["FEW", "Steps", "group_bounds", "split_groups", "wilson"]

Array = NDArray[Any]

# Added to both counts of each group: a little more than Jeffreys' half, and towards each bound a
# little more than away from it. With half, or the same for both, some cells of
# benchmarks/correction.py with five or more documents of the class were just below 93%.
_PRIOR, _TOWARDS = 0.6, 0.05
_TOLD_APART = 6.0  # chi-square, above which groups are not alike by chance
_DOCUMENTS = 15  # of the class, or of the others, for each further group: each has a prior
_MOST_GROUPS = 8
_STEPS = 1024  # posteriors are told apart, at most, to be grouped
FEW = 3  # documents of a class, below which its interval is that of the sample alone


def wilson(shares: Array, size: Array | float, level: float) -> tuple[Array, Array]:
    """Lower and upper bounds of shares that were found in a sample: Wilson (1927).

    Parameters
    ----------
    shares
        Of the classes in the sample.
    size
        Number of documents in it; not finite where all documents were drawn.
    level
        Share of samples whose interval should hold the truth.

    Examples
    --------
    >>> [bounds.round(3).tolist() for bounds in wilson(np.array([0.0, 0.5]), 50, 0.95)]
    [[0.0, 0.366], [0.071, 0.634]]
    """
    z = ndtri((1 + level) / 2)
    spread = z**2 / np.asarray(size, dtype=np.float64)
    centre = (shares + spread / 2) / (1 + spread)
    half = np.sqrt(spread * (shares * (1 - shares) + spread / 4)) / (1 + spread)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


class Steps(NamedTuple):
    """Posteriors of a class in ascending order, and the documents that have each; shape (U,) each.

    Parameters
    ----------
    posteriors
        Distinct ones.
    counts
        How many of the bag's documents have each.
    drawn, found
        How many of the sample's, and how many of these are of the class.
    """

    posteriors: Array
    counts: Array
    drawn: Array
    found: Array


def split_groups(steps: Steps, most: int) -> NDArray[np.int64]:
    """Group of each step, counted from 0 upwards.

    The groups are split one by one, each time where it takes away the most variance, as long as the
    truths of the sample tell both sides apart. Without that condition the groups follow the luck of
    the draw: with 50 documents and six answers, intervals held the truth in 90% of files.

    Parameters
    ----------
    steps
        What is grouped.
    most
        Groups there may be.

    Examples
    --------
    >>> drawn, found = np.array([50, 30, 10, 10]), np.array([4, 3, 8, 8])
    >>> steps = Steps(np.array([0.08, 0.1, 0.8, 0.81]), 10 * drawn, drawn, found)
    >>> split_groups(steps, 4).tolist()
    [0, 0, 1, 1]
    """
    sums = [steps.counts, steps.counts * steps.posteriors, steps.drawn, steps.found]
    upto = np.zeros((4, len(steps.posteriors) + 1))
    np.cumsum(sums, axis=1, out=upto[:, 1:])
    splits = [_best_split(upto, 0, len(steps.posteriors))]
    while len(splits) < most and (best := max(splits)).gain > 0:
        splits.remove(best)
        splits += [_best_split(upto, best.start, best.at), _best_split(upto, best.at, best.stop)]
    starts = np.array(sorted(split.start for split in splits))
    return np.searchsorted(starts, np.arange(len(steps.posteriors)), side="right") - 1


class _Split(NamedTuple):
    """By how much splitting the steps of a group at one of them lowers the variance."""

    gain: float
    at: int
    start: int
    stop: int


def _best_split(upto: Array, start: int, stop: int) -> _Split:
    """The best split of a group; no gain if nothing tells its sides apart."""
    if stop - start < 2:
        return _Split(0.0, start, start, stop)
    left = upto[:, start + 1 : stop] - upto[:, [start]]
    total = upto[:, stop] - upto[:, start]
    right = total[:, None] - left
    gains = _between(left[0], right[0], left[1], right[1], 0.0)
    best = int(gains.argmax())
    # Asked only there: a place that is sought until the truths agree is found by luck. Half a
    # document less, as Yates (1934) does it: one alone must not make a group.
    evidence = _between(left[2:3, best], right[2:3, best], left[3:, best], right[3:, best], 0.5)
    if evidence[0] * total[2] <= _TOLD_APART * total[3] * (total[2] - total[3]):
        return _Split(0.0, start, start, stop)
    gain = float(gains[best]) / max(float(total[0]), 1.0)
    return _Split(gain, start + 1 + best, start, stop)


def _between(
    left: Array, right: Array, left_sum: Array, right_sum: Array, less: float
) -> NDArray[np.float64]:
    """Squared difference of the means on both sides, times both weights."""
    product = left * right
    apart = np.maximum(np.abs(left_sum * right - right_sum * left) - less * (left + right), 0.0)
    return np.asarray(np.divide(apart**2, product, out=np.zeros(len(product)), where=product > 0))


def group_bounds(
    sample: Sample,
    values: Array,
    counts: Array,
    effects: Array,
    *,
    asked: Sequence[int],
    named: Array,
    level: float,
    population: bool,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lower and upper bounds of the share of each class in the bag, shape (K,) each.

    Parameters
    ----------
    sample
        Of the bag.
    values
        Distinct posteriors, shape (U, K).
    counts
        How many of the bag's documents have each, the sample's too; shape (U,).
    effects
        Design effects of the classes.
    asked
        Numbers of the classes to bound so; the bounds of others are those of the sample alone.
    named
        Number of the class that each posterior's answer is called, -1 for none; shape (U,).
    level
        Share of bags whose share the interval should contain.
    population
        Whether the share asked for is that in what the bag was drawn from.
    """
    left_out = 1.0 if population else sample.left_out
    size = sample.size / effects
    low, high = wilson(sample.shares, size / left_out if left_out else np.inf, level)
    seen = np.minimum(sample.truth.sum(axis=0), (~sample.truth).sum(axis=0))
    # Groups are strata already: what a stratified sample gains must not be counted twice.
    effects = np.maximum(effects, 1.0)
    for k in (k for k in asked if seen[k] >= FEW):
        groups, own_groups = _groups(sample, k, values[:, k], counts, named == k, effects[k])
        low[k], high[k] = _posterior_bounds(
            sample,
            k,
            own_groups,
            np.bincount(groups, counts) / counts.sum(),
            effects[k],
            left_out,
            counts.sum() if population else np.inf,
            level,
        )
    return low, high


def _groups(
    sample: Sample, k: int, posteriors: Array, counts: Array, named: Array, effect: float
) -> tuple[Array, Array]:
    """Group of each distinct posterior, and of each document of the sample.

    Answers of the class's name are apart, and all are split by posterior. Where no two documents
    are alike, the posteriors of those of the sample are learned from their own truths, which makes
    groups look purer than they are: such documents are grouped by what the others' truths say.
    """
    own = sample.posteriors[:, k] if counts.max() == 1 else posteriors[sample.kinds]
    groups, own_groups = np.zeros(len(counts), np.int64), np.zeros(len(sample), np.int64)
    called, number = named[sample.kinds], 0
    seen = min(int(sample.truth[:, k].sum()), int((~sample.truth[:, k]).sum()))
    least = 1 if named.any() else 2
    limit = int(np.clip(1 + seen / effect // _DOCUMENTS, least, _MOST_GROUPS))
    for part, own_part in ((~named, ~called), (named, called)):
        if not part.any():
            continue
        said, mass = posteriors[part], counts[part]
        edges = _edges(said)
        step, own_step = (np.searchsorted(edges, v, side="right") for v in (said, own[own_part]))
        most = len(edges) + 1
        total = np.bincount(step, mass, most)
        means = np.bincount(step, mass * said, most) / np.maximum(total, 1)
        drawn = np.bincount(own_step, minlength=most) / effect
        found = np.bincount(own_step, sample.truth[own_part, k], most) / effect
        group_of = number + split_groups(Steps(means, total, drawn, found), limit)
        groups[part], own_groups[own_part] = group_of[step], group_of[own_step]
        number = int(group_of.max()) + 1
    return groups, own_groups


def _edges(posteriors: Array) -> Array:
    """Where steps end, so that posteriors are in different ones; if many, at equal distances."""
    if len(posteriors) > _STEPS:  # without sorting, as there may be millions
        return np.linspace(posteriors.min(), posteriors.max(), _STEPS + 1)[1:-1]
    values = np.unique(posteriors)
    return np.asarray((values[1:] + values[:-1]) / 2)


def _posterior_bounds(
    sample: Sample,
    k: int,
    groups: Array,
    sizes: Array,
    effect: float,
    left_out: float,
    drawn: float,
    level: float,
) -> tuple[float, float]:
    """Bounds of one class; `drawn` documents tell of what they were drawn from."""
    weights = sample.weights
    own = np.bincount(groups, weights, len(sizes))
    squares = np.bincount(groups, weights**2, len(sizes))
    documents = np.where(squares > 0, own**2 / np.where(squares > 0, squares, 1), 0.0) / effect
    found = np.bincount(groups, weights * sample.truth[:, k], len(sizes))
    shares = np.where(own > 0, found / np.where(own > 0, own, 1), sample.shares[k])

    def bound(towards: float, tail: float) -> float:
        a = documents * shares + _PRIOR + towards
        b = documents * (1 - shares) + _PRIOR - towards
        total = a + b
        means, variances = a / total, a * b / (total**2 * (total + 1))
        skews = variances * 2 * (b - a) / (total * (total + 2))
        # What was drawn is known: the prior, too, speaks only of the rest.
        centre = sizes @ (shares + left_out * (means - shares))
        between = sizes @ means**2 - (sizes @ means) ** 2
        variance = left_out * (sizes**2 @ variances) + (between / drawn if drawn < np.inf else 0.0)
        skew = left_out**1.5 * (sizes**3 @ skews)
        return _gamma_quantile(float(centre), float(variance), float(skew), tail)

    return bound(-_TOWARDS, (1 - level) / 2), bound(_TOWARDS, (1 + level) / 2)


def _gamma_quantile(mean: float, variance: float, third: float, tail: float) -> float:
    """Quantile of the shifted gamma law (Pearson's type III) with these central moments."""
    if variance <= 0:
        return mean
    skewness = third / variance**1.5
    if abs(skewness) < 1e-3:
        away = ndtri(tail)
    else:
        shape, side = 4 / skewness**2, np.sign(skewness)
        away = side * (gammaincinv(shape, tail if side > 0 else 1 - tail) - shape) / shape**0.5
    return float(np.clip(mean + variance**0.5 * away, 0, 1))
