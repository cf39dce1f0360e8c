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
their labellings.

The weights of all planes, their mix, are found in turn with the shares, after some of the documents
each time. In what both have in common they would creep, so after each round both are pushed on in
the direction in which they went, ever further until the value falls (Nesterov, 1983, "A method for
solving the convex programming problem with convergence rate O(1/k²)").
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.learners.kernels import minimise_on_simplex, mix_rows
from quantext.learners.oracle import Oracle, mean_loss
from quantext.learners.shares import (
    add_part,
    push_shares,
    raise_shares,
    read_border,
    squared_lengths,
)
from quantext.vectors.csr import csr_rmatvec

__all__ = ["Held", "Mean", "better_mean", "slope_at"]

Array = NDArray[np.float64]
Places = NDArray[np.intp]

_NEAR = 0.03  # of the documents: those nearest to the border may move, and those in between
_MOST = 0.8  # of the weight of what could move
_ALIKE = 0.3  # slopes, in units of the scores
_LEAST = 1e-6  # of the weight of a mean: a plane with less is not part of it
_NOTHING = 1e-13  # of a share: no more than rounding leaves
_MOST_ROUNDS = 100
_WHOLE = 10  # rounds, in one of which all documents are visited
_PARTS = 4  # of a round, after each of which the weights of the planes are found anew
_LEAST_GAIN = 0.04  # of the gap, for as many visits as there are documents


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


@dataclass(frozen=True, eq=False)
class Mean:
    """A mean of labellings, as a plane under the risk: loss − normal·w.

    Of all that call each document positive in the same share of them, it is the one whose
    labellings call positive the documents with shares above 0, above the least, and so on.

    Parameters
    ----------
    part
        Of each document, the share of labellings in which its class differs.
    loss
        The mean of their losses.
    normal
        Sum of the documents, times their part; the last entry is for the intercept.
    """

    part: NDArray[np.float32]
    loss: float
    normal: Array


def better_mean(oracle: Oracle, budget: float, held: Held, primal: float) -> Mean | None:
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
    n, positive = oracle.size, oracle.signs > 0
    counts = np.count_nonzero(positive) - n * held.normals[:, -1]  # of predicted positives
    slopes = np.array([slope_at(cost, k) for k in counts.tolist()])
    movable = (counts > 0.5) & (counts < n - 0.5)
    alike = _heaviest(held.mix, slopes, movable)
    inner = np.where(alike, held.mix, 0.0)
    inner[inner <= _LEAST * inner.sum()] = 0.0
    if not inner.sum() > _MOST * held.mix[movable].sum():
        return None
    inner /= inner.sum()
    merged = _merge(held, inner, alike)
    part = merged.parts[-1]
    away, ones = read_border(part, oracle.signs, held.scores, inner @ slopes, _NOTHING)
    near = _nearest(away)
    near = near[np.random.default_rng(0).permutation(len(near))]  # they may lie in order of label
    rows, of_positives = oracle.products.rows(near), positive[near]
    before = _turned(part[near], of_positives)
    always = ones - int(np.count_nonzero(before == 1))
    found = _ascend(rows, before, cost[always:], merged, budget, n, primal)
    if not np.isfinite(found).all():
        return None
    # Shares are rounded to single precision, and the plane is that of the rounded ones.
    part[near] = _turned(found, of_positives).astype(np.float32)
    shares = _turned(part[near], of_positives)
    less, normal = (before - shares) / n, merged.normals[-1]
    csr_rmatvec(rows.indptr, rows.indices, rows.data, less, normal)
    normal[-1] += less.sum()
    ones = always + int(np.count_nonzero(shares == 1))
    loss = mean_loss(shares[(shares > 0) & (shares < 1)], ones, cost) / n
    return Mean(part.astype(np.float32), loss, normal)


def _ascend(
    rows: Any, shares: Array, cost: Array, merged: Held, budget: float, n: int, primal: float
) -> Array:
    """Shares of the documents that may move, in turn with the weights of the planes.

    `cost` is that of the number of positives among these documents. Between the rounds in which all
    are visited, only those are that moved in the round before.
    """
    squares, before, shares = squared_lengths(rows.indptr, rows.data), shares.copy(), shares.copy()
    occurs = np.zeros(merged.normals.shape[1], np.bool_)
    occurs[rows.indices] = occurs[-1] = True
    columns = (np.cumsum(occurs) - 1).astype(rows.indices.dtype)[rows.indices]
    planes = _Planes.of(merged, budget, occurs)
    least = most = last = planes.lowest()
    total, rises, visits = shares.sum(), 0, 0
    visited = everyone = np.arange(len(shares))
    for number in range(1, _MOST_ROUNDS + 1):
        some = everyone if number % _WHOLE == 1 else visited
        # No more parts than that to find the mix takes no longer than to move the shares.
        entries = len(some) * rows.nnz / max(len(shares), 1)
        parts = int(np.clip(entries / planes.normals.size, 1, _PARTS))
        for part in np.array_split(some, parts):
            if not planes.mix[-1] > 0:
                return shares
            w, step, slope = planes.w.copy(), budget / n * planes.mix[-1], slope_at(cost, total)
            rise = raise_shares(
                rows.indptr, columns, rows.data, squares, part, slope, step, w, shares
            )
            total += rise
            if not np.isfinite(total):
                return shares
            planes.follow(w, slope * rise / n)
        value, visits = planes.lowest(), visits + len(some)
        most = max(most, value)
        if number % _WHOLE == 0:
            # Where rounding rules there is no gain, or none that is a number.
            enough = _LEAST_GAIN * visits / n * min(primal - most, abs(most))
            if not most - least > enough or number == _MOST_ROUNDS:
                break
            least, visits = most, 0
        rises = rises + 1 if value > last else 0
        last, push, cut = value, rises / (rises + 3), np.zeros(len(planes.w))
        slope = slope_at(cost, total)
        visited, rise = push_shares(
            rows.indptr, columns, rows.data, some, push, before, shares, cut
        )
        planes.push(push, cut / n, slope * rise / n)
        total += rise
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
    mix_before: Array
    mean_before: Array

    @classmethod
    def of(cls, merged: Held, budget: float, columns: NDArray[np.bool_]) -> "_Planes":
        """Planes whose mix is known."""
        normals = np.ascontiguousarray(merged.normals[:, columns])
        rest = merged.hessian[-1] - budget * np.einsum("jd,d->j", normals, normals[-1])
        w = mix_rows(budget * merged.mix, normals)
        mix, mean = merged.mix, normals[-1].copy()
        return cls(budget, mix, merged.offsets, normals, merged.hessian, rest, w, mix, mean)

    def lowest(self) -> float:
        """The lowest value of the objective over the planes."""
        squared_norm = self.budget * float(self.mix @ self.hessian @ self.mix)
        return self.budget * float(self.offsets @ self.mix) - squared_norm / 2

    def follow(self, w: Array, rise: float) -> None:
        """Find the mix anew, after the mean has moved the weights and its offset by this much."""
        self._move((w - self.w) / (self.budget * self.mix[-1]), rise)
        self.mix = minimise_on_simplex(self.hessian, self.offsets, self.mix)
        self.w = mix_rows(self.budget * self.mix, self.normals)

    def push(self, push: float, cut: Array, rise: float) -> None:
        """Move mix and mean on, as far as they came since the last time, times a push.

        `cut` is what of the mean's way is cut off, and `rise` how much its offset rises.
        """
        mix, mean = self.mix, self.normals[-1].copy()
        self._move(push * (mean - self.mean_before) + cut, rise)
        self.mix = np.maximum(mix + push * (mix - self.mix_before), 0.0) * (mix > 0)
        self.mix /= self.mix.sum()
        self.w = mix_rows(self.budget * self.mix, self.normals)
        self.mix_before, self.mean_before = mix, mean

    def _move(self, way: Array, rise: float) -> None:
        """Move the mean's normal this way, and raise its offset."""
        self.normals[-1] += way
        self.offsets[-1] += rise
        products = self.budget * np.einsum("jd,d->j", self.normals, self.normals[-1])
        self.hessian[-1] = self.hessian[:, -1] = self.rest + products


def _heaviest(mix: Array, slopes: Array, movable: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of the planes that can move the one with the most weight, and those of about its slope."""
    top = np.argmax(np.where(movable, mix, -1.0))
    alike: NDArray[np.bool_] = movable & (np.abs(slopes - slopes[top]) <= _ALIKE)
    return alike


def _merge(held: Held, inner: Array, alike: NDArray[np.bool_]) -> Held:
    """The planes, with a mean in the last place instead of those that are alike."""
    others = np.flatnonzero(~alike)
    made = np.vstack([np.eye(len(inner))[others], inner])  # what the planes are made of
    part, ones = np.zeros(len(held.parts[0])), np.ones(len(held.parts[0]))
    for share, own in zip(inner.tolist(), held.parts, strict=True):
        add_part(share, ones, own, part)
    return Held(
        np.append(held.mix[others], held.mix[alike].sum()),
        made @ held.offsets,
        np.vstack([held.normals[others], mix_rows(inner, held.normals)]),
        made @ held.hessian @ made.T,
        [*(held.parts[j] for j in others.tolist()), part],
        held.scores,
    )


def _turned(shares: Array, positive: NDArray[np.bool_]) -> Array:
    """The part that is wrong, of shares that are called positive; or these, of that."""
    turned: Array = np.where(positive, 1 - shares, shares)
    return turned


def slope_at(cost: Array, count: float) -> float:
    """Slope of the cost, at about this number of documents.

    Parameters
    ----------
    cost
        Of 0, 1, 2... documents.
    count
        Of documents.
    """
    k = min(max(round(count), 0), len(cost) - 1)
    low, high = max(k - 1, 0), min(k + 1, len(cost) - 1)
    return float(cost[high] - cost[low]) / max(high - low, 1)


def _nearest(away: Array) -> Places:
    """The documents that may move: those in between, and a few of the others."""
    last = min(int(_NEAR * len(away)) + int(np.count_nonzero(away == -np.inf)), len(away) - 1)
    farthest = np.partition(away, last)[last]
    nearer, ties = np.flatnonzero(away < farthest), np.flatnonzero(away == farthest)
    return np.concatenate([nearer, ties[: last + 1 - len(nearer)]])
