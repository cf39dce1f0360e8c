"""Mixture models: the blend of two score distributions that looks most like the bag's."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import kernel
from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.summary import Tally
from quantext.quantifiers.thresholds import above_thresholds
from quantext.scores.training import ScoresByClass

__all__ = ["MixtureModel"]

Array = NDArray[Any]


@dataclass(frozen=True)
class ScoreDistributions:
    """Cumulative distributions of out-of-fold scores.

    Parameters
    ----------
    edges
        Distinct scores, ascending, shape (r,).
    negative, positive
        Share of the negatives and of the positives that is at or below each edge; shape (r + 1,),
        the first entry is the 0 below all edges.
    p_train
        Training prevalence of the positive class.
    """

    edges: Array
    negative: Array
    positive: Array
    p_train: float


class Polyline(NamedTuple):
    """A P–P plot: bag's share against blended share at or below t, in segments from left to right.

    Segment i runs from x[i] to x[i+1]. The blend at its ends is ``start + λ·start_gain`` and
    ``end + λ·end_gain``. Where the bag has no documents the plot jumps, and there is no segment.
    """

    x: Array
    start: Array
    start_gain: Array
    end: Array
    end_gain: Array


class MixtureModel(Quantifier):
    """Blend of the positives' and the negatives' scores that fits the bag's best (MM).

    With F, F₊ and F₋ the cumulative distributions of the scores of the bag, the positives and the
    negatives (out of fold), the estimate is the λ in [0, 1] for which λF₊ + (1−λ)F₋ is closest to
    F: by the largest difference at any t ("ks", after Kolmogorov and Smirnov), or by the area
    between the diagonal and the polyline through the points (F(t), λF₊(t) + (1−λ)F₋(t)) ("pp").
    Both are convex in λ and are minimised exactly. If a whole range of λ is best, as when all
    scores are equal, the estimate is the one nearest to the training prevalence.

    Forman (2005), "Counting positives accurately despite inaccurate classification".

    Parameters
    ----------
    classifier
        A scikit-learn classifier; it is cloned.
    distance
        "ks" or "pp".
    folds
        Of the cross-validation that gives the out-of-fold scores; at least 2.
    seed
        Of the folds.
    """

    def __init__(
        self,
        classifier: Any,
        distance: Literal["ks", "pp"] = "pp",
        folds: int = 50,
        seed: int = 0,
    ) -> None:
        self.classifier = classifier
        self.distance = distance
        self.folds = folds
        self.seed = seed

    def learn(self, training: ScoresByClass) -> ScoreDistributions:
        """The two distributions."""
        if self.distance not in ("ks", "pp"):
            raise ValueError(f"distance {self.distance!r} is unknown; choose ks or pp")
        edges, *above = above_thresholds(training)
        totals = training.counts.sum(axis=0)
        negative, positive = (
            np.append(0.0, (total - a) / total) for total, a in zip(totals, above, strict=True)
        )
        return ScoreDistributions(edges, negative, positive, totals[1] / totals.sum())

    def count(
        self, learned: ScoreDistributions, scores: Array, weights: Array | None = None
    ) -> Tally:
        """Number of documents at (odd keys) and between (even keys) the edges."""
        column = scores[:, 0] if weights is not None else np.sort(scores[:, 0])  # found sooner
        below = np.searchsorted(learned.edges, column, side="left")
        at = learned.edges[np.minimum(below, len(learned.edges) - 1)] == column
        return Tally.of(2 * below + at, weights)

    def estimate(self, learned: ScoreDistributions, counts: Tally, size: int) -> Array:
        """The best λ."""
        line = pp_plot(learned, counts, size)
        best = smallest_largest_gap if self.distance == "ks" else smallest_area
        positive = best(line, learned.p_train)
        return np.array([1 - positive, positive])


def pp_plot(learned: ScoreDistributions, counts: Tally, size: int) -> Polyline:
    """P–P plot of a bag against the blends of the two distributions."""
    gain = learned.positive - learned.negative
    # Cell 2i lies between edges i−1 and i, where the blend rests; cell 2i+1 is edge i, where it
    # goes from one value to the next.
    start, end = counts.keys // 2, (counts.keys + 1) // 2
    x = np.append(0.0, np.cumsum(counts.counts) / size)
    return Polyline(x, learned.negative[start], gain[start], learned.negative[end], gain[end])


def smallest_largest_gap(line: Polyline, p_train: float) -> float:
    """λ in [0, 1] with the smallest vertical distance from the diagonal, at its largest.

    It is enough to look at the ends of the segments: on a segment, and on the jump between two of
    them, the distance is largest at an end. So it is the upper envelope of straight lines in λ.
    """
    ends = np.concatenate([line.start - line.x[:-1], line.end - line.x[1:]])
    gains = np.concatenate([line.start_gain, line.end_gain])
    offset, slope = np.concatenate([ends, -ends]), np.concatenate([gains, -gains])
    height = _lowest_point(offset, slope)
    # All λ at which no line is above that height, but for rounding.
    slack = height - offset + 1e-14
    rising, falling = slope > 0, slope < 0
    high = np.min(slack[rising] / slope[rising], initial=1.0)
    low = np.max(slack[falling] / slope[falling], initial=0.0)
    return float(np.clip(p_train, min(low, high), max(low, high)))


def _lowest_point(offset: Array, slope: Array) -> float:
    """Minimum over λ in [0, 1] of the upper envelope of the lines offset + λ·slope.

    The lowest point lies on or above the intersection of a falling and a rising line of the
    envelope. Each round replaces one of the two by the line that is highest there.
    """

    def highest(x: float) -> tuple[float, int]:
        values = offset + x * slope
        i = int(np.argmax(values))
        return float(values[i]), i

    (at_0, left), (at_1, right) = highest(0.0), highest(1.0)
    if slope[left] >= 0:
        return at_0
    if slope[right] <= 0:
        return at_1
    while True:
        x = (offset[right] - offset[left]) / (slope[left] - slope[right])
        value, i = highest(x)
        if value <= offset[left] + x * slope[left] + 1e-15 or slope[i] == 0:
            return value
        if slope[i] < 0:
            left = i
        else:
            right = i


def smallest_area(line: Polyline, p_train: float) -> float:
    """λ in [0, 1] with the smallest area between the plot and the diagonal, to 1e-12."""
    return float(least_area(*line, p_train))


@kernel
def area_slope(
    share: float, x: Array, start: Array, start_gain: Array, end: Array, end_gain: Array
) -> float:
    """Derivative of the area by λ: the integral over x of sign(blend − x) times the blend's gain.

    Parameters
    ----------
    share
        λ.
    x, start, start_gain, end, end_gain
        The segments of a `Polyline`.
    """
    total = 0.0
    for i in range(len(start)):
        a = start[i] + share * start_gain[i] - x[i]
        b = end[i] + share * end_gain[i] - x[i + 1]
        whole = (start_gain[i] + end_gain[i]) / 2
        if a >= 0 and b >= 0:
            integral = whole if a > 0 or b > 0 else 0.0
        elif a <= 0 and b <= 0:
            integral = -whole
        else:
            # The segment crosses the diagonal at this part of its width.
            part = a / (a - b)
            before = part * start_gain[i] + part * part * (end_gain[i] - start_gain[i]) / 2
            integral = 2 * before - whole if a > 0 else whole - 2 * before
        total += (x[i + 1] - x[i]) * integral
    return total


@kernel
def least_area(
    x: Array,
    start: Array,
    start_gain: Array,
    end: Array,
    end_gain: Array,
    p_train: float,
) -> float:
    """λ of the smallest area; of several, the one nearest to p_train.

    Parameters
    ----------
    x, start, start_gain, end, end_gain
        The segments of a `Polyline`.
    p_train
        Training prevalence.
    """
    flat = 1e-12
    slope = area_slope(p_train, x, start, start_gain, end, end_gain)
    if abs(slope) <= flat:
        return p_train
    direction = 1.0 if slope < 0 else -1.0
    # The slope never falls, so the nearest minimum is the first point where it has lost its sign.
    near, far = p_train, (1.0 if slope < 0 else 0.0)
    for _ in range(40):
        middle = (near + far) / 2
        if direction * area_slope(middle, x, start, start_gain, end, end_gain) < -flat:
            near = middle
        else:
            far = middle
    return far
