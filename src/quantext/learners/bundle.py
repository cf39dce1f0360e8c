"""Planes held: where they are lowest, and the way there from the best weights so far.

Weights are sums of documents, so all of it happens in the space of documents: the planes' scores
are kept (`ByScores`), and then the scores of a new point, the products between normals and the
trials of the line search need no pass over the data. With many documents the planes' normals are
kept instead (`normals`).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from quantext.learners.certificate import Solution, certify, rounding
from quantext.learners.kernels import minimise_on_simplex, mix_rows, sums_at
from quantext.learners.oracle import Labelling, Oracle
from quantext.learners.shares import add_part

__all__ = ["Bundle", "ByScores", "Point", "Segment", "too_large"]

Array = NDArray[np.float64]

_ROOM = 8  # planes by which the array of their scores grows


@dataclass(frozen=True, eq=False)
class Point:
    """Weights on a segment, with the labelling that attains the risk there.

    `rise` is the derivative of the labelling's risk along the segment, `derivative` that of the
    objective (one of them, at a kink).
    """

    step: float
    scores: Array
    squared_norm: float
    labelling: Labelling
    objective: float
    rise: float = 0.0
    derivative: float = 0.0


@dataclass(frozen=True, eq=False)
class Segment:
    """The weights from a point (step 0) to the lowest point of the planes (step 1).

    Along it the squared norm is ‖w‖² + 2·slope·step + curvature·step².
    """

    oracle: Oracle
    budget: float
    start: Point
    direction: Array
    slope: float
    curvature: float

    def search(self, tolerance: float) -> tuple[Point, list[Point]]:
        """The lowest point, up to the tolerance, and points whose planes cut off step 1.

        Each trial gives a line under the risk. The minimum lies in a bracket, and the next trial
        is where the quadratic plus the higher of the lines of its ends is lowest. From the upper
        end of the bracket on the objective rises, by the plane found there; so at step 1 that plane
        is above the planes held. It comes first, and then step 1 itself.
        """
        rise, derivative = self._slopes(0.0, self.start.labelling)
        low = replace(self.start, step=0.0, rise=rise, derivative=derivative)
        if low.derivative >= 0:
            return low, [low]
        high = end = self._trial(1.0)
        best = min(low, high, key=lambda point: point.objective)
        while high.derivative > 0:
            step, floor = self._lowest_between(low, high)
            if best.objective - floor <= tolerance or not low.step < step < high.step:
                break
            trial = self._trial(step)
            best = min(best, trial, key=lambda point: point.objective)
            low, high = (low, trial) if trial.derivative >= 0 else (trial, high)
        return best, [high] if high is end else [high, end]

    def _trial(self, step: float) -> Point:
        scores = step * self.direction
        scores += self.start.scores  # in place: with many documents fresh memory costs as much
        labelling = self.oracle(scores)
        squared_norm = self._squared_norm(step)
        objective = squared_norm / 2 + self.budget * labelling.risk
        slopes = self._slopes(step, labelling)
        return Point(step, scores, squared_norm, labelling, objective, *slopes)

    def _slopes(self, step: float, labelling: Labelling) -> tuple[float, float]:
        """Derivatives of the labelling's risk and of the objective."""
        rise = -labelling.times(self.direction)
        return rise, self.slope + self.curvature * step + self.budget * rise

    def _lowest_between(self, low: Point, high: Point) -> tuple[float, float]:
        """Step and value of the minimum of the quadratic plus the higher of the points' lines."""
        of_low, of_high = (
            -(self.slope + self.budget * point.rise) / self.curvature for point in (low, high)
        )
        # The line of `low` rules before the crossing, that of `high` after it.
        above = low.labelling.risk + low.rise * (high.step - low.step) - high.labelling.risk
        crossing = high.step + above / (high.rise - low.rise) if high.rise > low.rise else of_low
        step = min(of_low, max(of_high, crossing))
        risk = max(point.labelling.risk + point.rise * (step - point.step) for point in (low, high))
        return step, self._squared_norm(step) / 2 + self.budget * risk

    def _squared_norm(self, step: float) -> float:
        return self.start.squared_norm + (2 * self.slope + self.curvature * step) * step


class Bundle(ABC):
    """The planes held, the quadratic programme over them, and the centre: the best weights so far.

    Planes are known by their place in the arrays. Plane 0 is that of the true labelling, which is
    zero everywhere. A new plane takes the place of one that has been idle for long, so that memory
    stays bounded.

    Parameters
    ----------
    oracle
        Gives the planes.
    budget
        Weight of the risk.
    most_idle
        Iterations after which an idle plane may have to make room.
    """

    def __init__(self, oracle: Oracle, budget: float, most_idle: int = 20) -> None:
        n = oracle.size
        self.oracle, self.budget, self.most_idle = oracle, budget, most_idle
        self.parts: list[NDArray[np.bool_] | NDArray[np.float32]] = [np.zeros(n, dtype=np.bool_)]
        self.offsets = np.zeros(1)
        self.hessian = np.zeros((1, 1))  # budget times the products of the normals
        self.mix = np.ones(1)  # the lowest point of the planes is budget·Σ mix·normal
        self.idle = np.zeros(1)  # iterations since a plane was last part of it
        self.largest = 0.0  # score of a document by a plane

    @abstractmethod
    def begin(self) -> Point:
        """The point where the centre is at first."""

    @abstractmethod
    def cuts(self, points: Sequence[Point]) -> list[Labelling]:
        """Labellings whose planes to hold next, found at points, of which the first is the best."""

    @abstractmethod
    def add_mean(self, best: Point) -> bool:
        """Hold a mean of labellings whose plane raises the minimum, if one is sought and found."""

    @abstractmethod
    def add(self, labelling: Labelling) -> None:
        """Hold the plane of a labelling."""

    @abstractmethod
    def segment(self, best: Point) -> Segment:
        """The segment that leads to the minimum."""

    @abstractmethod
    def move_centre(self, point: Point) -> None:
        """Make a point of the segment that leads to the minimum the centre."""

    @abstractmethod
    def weights(self) -> Array:
        """Those of the centre."""

    def minimum(self) -> float:
        """Lowest value of the objective over the planes; `mix` is where it is."""
        self.mix = x = minimise_on_simplex(self.hessian, self.offsets, self.mix)
        self.idle = np.where(x > 0, 0, self.idle)  # lest a plane that is needed should be replaced
        return self._value()

    def _value(self) -> float:
        return self.budget * float(self.offsets @ self.mix) - self._squared_norm() / 2

    def certified(self, solution: Solution, tol: float) -> tuple[Array, Solution]:
        """Weights of the centre, and the solution as it is there."""
        weights = self.weights()
        # Nearly always rounding is nothing beside the tolerance; to look would cost some products.
        if rounding(self.budget, self.largest) <= 0.01 * tol * solution.primal:
            return weights, solution
        documents = self._sum(np.zeros(self.oracle.size), self.mix)
        lowest = documents, self.budget * float(self.offsets @ self.mix)
        return weights, certify(self.oracle, self.budget, weights, lowest, solution, tol)

    def _squared_norm(self) -> float:
        return self.budget * float(self.mix @ self.hessian @ self.mix)

    def _sum(self, total: Array, shares: Array) -> Array:
        """Add the shares of all planes to a sum of documents."""
        for wrong, share in zip(self.parts, shares.tolist(), strict=True):
            add_part(self.budget * share, self.oracle.signs, wrong, total)
        return total

    def _notice(self, scores: Array, normal: Array, share: float = 1.0) -> None:
        """Notice how large scores by a plane are; raise if one is too large to be a number."""
        high, low = share * float(scores.max()), share * float(scores.min())
        self.largest = max(self.largest, high, -low)
        if not np.isfinite(high - low):
            raise too_large(normal)

    def _most_idle_place(self) -> int | None:
        """The place of the plane that has been idle longest, if that is long."""
        j = int(np.argmax(self.idle[1:])) + 1 if len(self.idle) > 1 else 0
        return j if self.idle[j] > self.most_idle else None

    def _append(self, *names: str) -> int:
        """Make room for a plane in these arrays, too; where."""
        m = len(self.parts)
        hessian = np.zeros((m + 1, m + 1))
        hessian[:m, :m] = self.hessian
        self.hessian = hessian
        self.parts.append(self.parts[0])
        for name in ("offsets", "mix", "idle", *names):
            setattr(self, name, np.append(getattr(self, name), 0))
        return m


class ByScores(Bundle):
    """Planes of which the scores of the documents are kept.

    Parameters
    ----------
    oracle, budget, most_idle
        As of any bundle.
    """

    def __init__(self, oracle: Oracle, budget: float, most_idle: int = 20) -> None:
        super().__init__(oracle, budget, most_idle)
        n = oracle.size
        self.scores = np.zeros((_ROOM, n))  # with room for more planes
        self.centre = np.zeros(n)  # the scores of the centre
        self.overlap = np.zeros(1)  # products of the centre with the normals
        self.share = np.ones(1)  # the centre is budget·Σ share·normal, and of planes given up
        self.given_up = np.zeros(n)  # this sum of documents

    def begin(self) -> Point:
        """The point at which all weights are zero."""
        labelling = self.oracle(self.centre)
        return Point(0.0, self.centre, 0.0, labelling, self.budget * labelling.risk)

    def cuts(self, points: Sequence[Point]) -> list[Labelling]:
        """The labelling that attains the risk at the first."""
        return [points[0].labelling]

    def add_mean(self, best: Point) -> bool:
        """None is sought: with few documents more planes cost less than better ones."""
        del best
        return False

    def add(self, labelling: Labelling) -> None:
        """Hold the plane of a labelling."""
        plane = self.oracle.plane(labelling)
        self._notice(plane.scores, plane.normal)
        j = self._place()
        self.parts[j] = labelling.coefficients != 0
        self.offsets[j], self.scores[j] = plane.offset, plane.scores
        held = self.scores[: len(self.parts)]
        products = sums_at(labelling.wrong, labelling.coefficients, held)
        self.hessian[j] = self.hessian[:, j] = self.budget * products
        self.overlap[j] = labelling.times(self.centre)
        self.mix[j] = self.share[j] = self.idle[j] = 0

    def segment(self, best: Point) -> Segment:
        """The segment that leads to the minimum."""
        self.idle = np.where(self.mix > 0, 0, self.idle + 1)
        product = self.budget * float(self.overlap @ self.mix)
        direction = self.budget * mix_rows(self.mix, self.scores) - best.scores
        slope = product - best.squared_norm
        # Rounding may leave none, or so little that what is divided by it overflows.
        curvature = max(self._squared_norm() - 2 * product + best.squared_norm, 1e-100)
        return Segment(self.oracle, self.budget, best, direction, slope, curvature)

    def move_centre(self, point: Point) -> None:
        """Make a point of the segment that leads to the minimum the centre."""
        t = point.step
        self.centre = point.scores
        self.overlap = (1 - t) * self.overlap + t * (self.hessian @ self.mix)
        self.share = (1 - t) * self.share + t * self.mix
        self.given_up *= 1 - t

    def weights(self) -> Array:
        """Those of the centre."""
        return self.oracle.weights(self._sum(self.given_up.copy(), self.share))

    def _place(self) -> int:
        """Where to put a plane: in the place of one that has long been idle, or after the last."""
        if (j := self._most_idle_place()) is not None:
            add_part(self.budget * self.share[j], self.oracle.signs, self.parts[j], self.given_up)
            return j
        if (m := len(self.parts)) == len(self.scores):
            # In place, as a copy would double the peak of memory; nothing else refers to it.
            self.scores.resize((m + _ROOM, self.oracle.size), refcheck=False)
        return self._append("overlap", "share")


def too_large(normal: Array) -> ValueError:
    """Error that says which column of X is too large."""
    return ValueError(
        f"column {int(np.argmax(np.abs(normal[:-1])))} of X (counting from 0) is so large that "
        "products of documents overflow; scale it"
    )
