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
their labellings, and the weights of all planes, their mix, are found in turn with the shares, after
some of the documents each time: in what both have in common they would else creep.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.learners.kernels import minimise_on_simplex, mix_rows
from quantext.learners.oracle import Labelling, Oracle
from quantext.learners.shares import add_part, raise_shares, read_border, squared_lengths

__all__ = ["Held", "better_mean"]

Array = NDArray[np.float64]
Places = NDArray[np.intp]

_NEAR = 0.03  # of the documents: those nearest to the border may move, and those in between
_MOST = 0.8  # of the weight of what could move
_ALIKE = 0.3  # slopes, in units of the scores
_NOTHING = 1e-9  # of a share
_MOST_ROUNDS = 100
_WHOLE = 10  # rounds, in one of which all documents are visited
_PARTS = 4  # of a round, after each of which the weights of the planes are found anew
_PUSH = 0.93  # of the change of these weights in a round
_LEAST_GAIN = 0.02  # of the gap, for as many visits as there are documents
_MOST_FAILS = 3  # rounds that gain less, one after the other


@dataclass(frozen=True, eq=False)
class Held:
    """Planes that make up the lowest point, and some that may.

    Parameters
    ----------
    mix
        Weights of the planes, of sum 1, and none of those that may be of use later.
    offsets, normals
        Of each plane.
    hessian
        Products of the normals, times the budget.
    parts
        Which documents each has wrong, or which part of them.
    scores
        Of the documents, where the border between classes is looked for.
    """

    mix: Array
    offsets: Array
    normals: Array
    hessian: Array
    parts: Sequence[NDArray[Any]]
    scores: Array


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
    n = oracle.size
    counts = np.count_nonzero(oracle.signs > 0) - n * held.normals[:, -1]  # of predicted positives
    of_planes = np.array([_slope(cost, k) for k in counts.tolist()])
    movable = np.flatnonzero((counts > 0.5) & (counts < n - 0.5))
    group = _heaviest(held.mix, of_planes, movable)
    weight = held.mix[group].sum()
    if weight <= 0 or weight < _MOST * held.mix[movable].sum():
        return None
    merged = _merge(held, group)
    slope = held.mix[group] @ of_planes[group] / weight
    # Rounding makes 1e-16 of what all labellings agree on, and such documents need not move.
    shares, away = read_border(merged.parts[-1], oracle.signs, held.scores, slope, _NOTHING)
    near = _nearest(away)
    near = near[np.random.default_rng(0).permutation(len(near))]  # they may lie in order of label
    always = int(np.count_nonzero(shares == 1) - np.count_nonzero(shares[near] == 1))
    found = _ascend(
        oracle.products.rows(near), shares[near], cost[always:], merged, budget, n, primal
    )
    shares[near] = found
    return oracle.mean(shares) if np.isfinite(found).all() else None


def _ascend(
    rows: Any, shares: Array, cost: Array, merged: Held, budget: float, n: int, primal: float
) -> Array:
    """Shares of the documents that may move, in turn with the weights of the planes.

    `cost` is that of the number of positives among these documents. Between the rounds in which all
    are visited, only those are that moved in the round before.
    """
    squares, shares = squared_lengths(rows.indptr, rows.data), shares.copy()
    occurs = np.zeros(merged.normals.shape[1], np.bool_)
    occurs[rows.indices] = occurs[-1] = True
    planes = _Planes.of(merged, budget, occurs)
    columns = (np.cumsum(occurs) - 1).astype(rows.indices.dtype)[rows.indices]
    most, total, fails, before = planes.lowest(), shares.sum(), 0, planes.mix
    visited = everyone = np.arange(len(shares))
    for number in range(_MOST_ROUNDS):
        moved = []
        some = everyone if number % _WHOLE == 0 else visited
        # No more parts than that to find the mix takes no longer than to move the shares.
        entries = len(some) * rows.nnz / max(len(shares), 1)
        parts = int(np.clip(entries / planes.normals.size, 1, _PARTS))
        for part in np.array_split(some, parts):
            if not (planes.mix[-1] > 0 and np.isfinite(total)):
                return shares
            w, step = planes.w.copy(), budget / n * planes.mix[-1]
            slope = _slope(cost, total)
            own, rise = raise_shares(
                rows.indptr, columns, rows.data, squares, part, slope, step, w, shares
            )
            planes.follow(w, slope * rise / n)
            moved.append(own)
            total += rise
        visited = np.concatenate(moved)
        value = planes.lowest()
        # Where rounding rules there is no gain, or none that is a number.
        enough = _LEAST_GAIN * len(some) / n * min(primal - value, abs(value))
        fails = 0 if value - most > enough else fails + 1
        if fails == _MOST_FAILS:
            break
        now, least, most = planes.mix, most, max(most, value)
        if value > least:
            planes.push(before, least)
        before = now
    return shares


@dataclass(eq=False)
class _Planes:
    """Planes, the last of which is a mean that moves, and weights w where they are lowest.

    Normals and w are kept for the features that the mean's normal can change in; the products of
    the rest stay as they are.
    """

    budget: float
    mix: Array
    offsets: Array
    normals: Array
    hessian: Array
    rest: Array
    w: Array

    @classmethod
    def of(cls, merged: Held, budget: float, columns: NDArray[np.bool_]) -> "_Planes":
        """Planes whose mix is known."""
        normals = np.ascontiguousarray(merged.normals[:, columns])
        rest = merged.hessian[-1] - budget * np.einsum("jd,d->j", normals, normals[-1])
        w = mix_rows(budget * merged.mix, normals)
        return cls(budget, merged.mix, merged.offsets, normals, merged.hessian, rest, w)

    def lowest(self) -> float:
        """The lowest value of the objective over the planes."""
        squared_norm = self.budget * float(self.mix @ self.hessian @ self.mix)
        return self.budget * float(self.offsets @ self.mix) - squared_norm / 2

    def follow(self, w: Array, rise: float) -> None:
        """Find the mix anew, after the mean has moved the weights and its offset by this much."""
        self.normals[-1] += (w - self.w) / (self.budget * self.mix[-1])
        self.offsets[-1] += rise
        products = self.budget * np.einsum("jd,d->j", self.normals, self.normals[-1])
        self.hessian[-1] = self.hessian[:, -1] = self.rest + products
        self.mix = minimise_on_simplex(self.hessian, self.offsets, self.mix)
        self._find_weights()

    def push(self, before: Array, least: float) -> None:
        """Move the mix on in the direction from where it was before, if the lowest value allows.

        Shares and mix, each best at the other, move on together in ever the same direction, by
        small steps (Polyak, 1964, "Some methods of speeding up the convergence of iteration
        methods").
        """
        now = self.mix
        mix = np.maximum(now + _PUSH * (now - before), 0.0) * (now > 0)
        self.mix = mix / mix.sum()
        if self.mix[-1] <= 0 or self.lowest() < least:
            self.mix = now
        else:
            self._find_weights()

    def _find_weights(self) -> None:
        self.w = mix_rows(self.budget * self.mix, self.normals)


def _heaviest(mix: Array, slopes: Array, movable: Places) -> Places:
    """Of the planes that can move the one with the most weight, and those of about its slope."""
    if not len(movable):
        return movable
    top = movable[np.argmax(mix[movable])]
    alike: Places = movable[np.abs(slopes[movable] - slopes[top]) <= _ALIKE]
    return alike


def _merge(held: Held, group: Places) -> Held:
    """The planes, with the mean of a group in the last place instead of the group."""
    others = np.setdiff1d(np.arange(len(held.mix)), group)
    weight = held.mix[group].sum()
    inner = held.mix[group] / weight
    made = np.zeros((len(others) + 1, len(held.mix)))  # what the planes will be made of
    made[np.arange(len(others)), others] = 1.0
    made[-1, group] = inner
    n = len(held.parts[0])
    part, ones = np.zeros(n), np.ones(n)
    for j, own in zip(group.tolist(), inner.tolist(), strict=True):
        add_part(own, ones, held.parts[j], part)
    return Held(
        np.append(held.mix[others], weight),
        made @ held.offsets,
        np.array([mix_rows(own, held.normals) for own in made]),
        made @ held.hessian @ made.T,
        [*(held.parts[j] for j in others.tolist()), part],
        held.scores,
    )


def _slope(cost: Array, count: float) -> float:
    """Of the cost, at about this number of documents."""
    k = min(max(round(count), 0), len(cost) - 1)
    low, high = max(k - 1, 0), min(k + 1, len(cost) - 1)
    return float(cost[high] - cost[low]) / max(high - low, 1)


def _nearest(away: Array) -> Places:
    """The documents that may move: those in between, and a few of the others."""
    last = min(int(_NEAR * len(away)) + int(np.count_nonzero(away == -np.inf)), len(away) - 1)
    return np.flatnonzero(away <= np.partition(away, last)[last])
