"""Means of labellings: documents move one by one, so that few passes over the data bound the risk.

A plane of the oracle is one labelling, the same step for all documents. The lowest point of the
planes needs for each document its own share of labellings that call it positive, so that with many
documents many planes are needed. A mean of labellings has such shares, and its plane bounds the
risk from below like that of any labelling: its loss is the mean of theirs.

For a loss that depends on the number of predicted positives alone, the shares are found by
coordinate ascent in the dual (as of Hsieh et al., 2008, "A dual coordinate descent method for
large-scale linear SVM"). Near the best weights nearly all labellings that matter predict about as
many positives, so that one more would change their losses by the same slope. In their mean, the
share of a document should rise as long as its score plus the slope is positive; only documents near
that border can move, and they are few. The other planes, such as that of no positive at all, keep
their labellings, and their weights are found in turn with the shares.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.learners.kernels import add_part, minimise_on_simplex, raise_shares
from quantext.learners.oracle import Labelling, Oracle, dot, mean_loss

__all__ = ["Held", "better_mean"]

Array = NDArray[np.float64]
Places = NDArray[np.intp]

_NEAR = 0.06  # of the documents: those nearest to the border may move, and those in between
_MOST = 0.8  # of the weight of what could move
_ALIKE = 0.3  # slopes, in units of the scores
_NOTHING = 1e-9  # of a share
_MOST_ROUNDS = 100
_LEAST_GAIN = 0.001  # of the gap, in a round, which costs a hundredth of an iteration of the solver


@dataclass(frozen=True, eq=False)
class Held:
    """Planes that make up the lowest point, and the scores there.

    Parameters
    ----------
    mix
        Weights of the planes, of sum 1 and above zero.
    offsets, normals
        Of each plane.
    parts
        Which documents each has wrong, or which part of them.
    scores
        Gives those of the documents at the lowest point.
    """

    mix: Array
    offsets: Array
    normals: Array
    parts: Sequence[NDArray[Any]]
    scores: Callable[[], Array]


def better_mean(oracle: Oracle, budget: float, held: Held, primal: float) -> Labelling | None:
    """A mean of labellings whose plane, with those held, has a higher lowest point.

    None if the loss is not one of counts, or if labellings of several slopes have much weight, as
    with the absolute error: then planes of the oracle do as well.

    Parameters
    ----------
    oracle, budget
        Of the problem.
    held
        What there is.
    primal
        Value of the objective at some weights.
    """
    if (cost := oracle.cost) is None:
        return None
    n, positive, slopes = oracle.size, oracle.signs > 0, np.gradient(cost)
    counts = np.count_nonzero(positive) - n * held.normals[:, -1]  # of predicted positives
    of_planes = slopes[np.clip(np.rint(counts), 0, n).astype(np.intp)]
    movable = np.flatnonzero((counts > 0.5) & (counts < n - 0.5))
    group = _heaviest(held.mix, of_planes, movable)
    if len(group) == 0 or held.mix[group].sum() < _MOST * held.mix[movable].sum():
        return None
    merged = _merge(held, group)
    shares = _shares(positive, merged)
    near = np.flatnonzero(_near_border(shares, held.scores() + of_planes[group].mean()))
    near = near[np.random.default_rng(0).permutation(len(near))]  # they may lie in order of label
    always = int(np.count_nonzero(shares >= 1) - np.count_nonzero(shares[near] >= 1))
    shares[near] = _ascend(
        oracle.products.rows(near), shares[near], cost[always:], merged, budget, n, primal
    )
    return oracle.mean(shares) if np.isfinite(shares).all() else None


def _ascend(
    rows: Any, shares: Array, cost: Array, merged: Held, budget: float, n: int, primal: float
) -> Array:
    """Shares of the documents that may move, in turn with the weights of the planes.

    The last of the planes is the mean, whose normal moves with the shares; `cost` is that of the
    number of positives among these documents.
    """
    squares, slopes = _squares(rows), np.gradient(cost)
    mix, offsets, normals = merged.mix.copy(), merged.offsets.copy(), merged.normals
    hessian = budget * np.einsum("id,jd->ij", normals, normals)
    value, shares = -np.inf, shares.copy()
    for _ in range(_MOST_ROUNDS):
        w = budget * np.einsum("j,jd->d", mix, normals)
        last, value = value, budget * float(offsets @ mix) - dot(w, w) / 2
        # Where rounding rules there is no gain, or none that is a number.
        if mix[-1] <= 0 or not value - last > _LEAST_GAIN * min(primal - value, abs(value)):
            break
        slope = slopes[min(int(np.rint(shares.sum())), len(cost) - 1)]
        moved = w.copy()
        step = budget / n * mix[-1]
        raise_shares(rows.indptr, rows.indices, rows.data, squares, slope, step, moved, shares)
        normals[-1] += (moved - w) / (budget * mix[-1])
        offsets[-1] = mean_loss(shares, cost) / n
        hessian[-1] = hessian[:, -1] = budget * np.einsum("jd,d->j", normals, normals[-1])
        mix = minimise_on_simplex(hessian, offsets, mix)
    return shares


def _heaviest(mix: Array, slopes: Array, movable: Places) -> Places:
    """Planes of like slopes, of those that can move, that have the most weight together."""
    groups: list[list[int]] = [[]]
    for j in movable[np.argsort(slopes[movable], kind="stable")].tolist():
        if groups[-1] and slopes[j] - slopes[groups[-1][0]] > _ALIKE:
            groups.append([])
        groups[-1].append(j)
    return np.array(max(groups, key=lambda group: mix[group].sum()), dtype=np.intp)


def _merge(held: Held, group: Places) -> Held:
    """The planes, with the mean of a group in the last place instead of the group."""
    others = np.setdiff1d(np.arange(len(held.mix)), group)
    weight = held.mix[group].sum()
    inner = held.mix[group] / weight
    normal = np.einsum("j,jd->d", inner, held.normals[group])
    n = len(held.parts[0])
    part, ones = np.zeros(n), np.ones(n)
    for j, own in zip(group.tolist(), inner.tolist(), strict=True):
        add_part(own, ones, held.parts[j], part)
    return Held(
        np.append(held.mix[others], weight),
        np.append(held.offsets[others], inner @ held.offsets[group]),
        np.concatenate([held.normals[others], normal[np.newaxis]]),
        [*(held.parts[j] for j in others.tolist()), part],
        held.scores,
    )


def _shares(positive: NDArray[np.bool_], merged: Held) -> Array:
    """Share of the labellings of the mean that call each document positive."""
    part = merged.parts[-1]
    shares = np.where(positive, 1 - part, part)
    # Rounding makes 1e-16 of what all labellings agree on, and such documents need not move.
    shares[shares < _NOTHING] = 0.0
    shares[shares > 1 - _NOTHING] = 1.0
    return shares


def _near_border(shares: Array, excess: Array) -> NDArray[np.bool_]:
    """Documents that may move: those in between, and those nearest to where they would."""
    away = np.where(shares > 0, excess, -excess)  # beyond zero, it wants to stay
    last = int(_NEAR * len(shares))
    near: NDArray[np.bool_] = away <= np.partition(away, last)[last]
    near |= (shares > 0) & (shares < 1)
    return near


def _squares(rows: Any) -> Array:
    """Squared length of each row, and of the constant 1 after it."""
    of_entries = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    squares = np.square(rows.data, dtype=np.float64)
    sums = np.bincount(of_entries, squares, rows.shape[0])
    return 1 + sums.astype(np.float64)
