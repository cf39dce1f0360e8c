"""Planes of many documents: their normals are kept, and what begins is known from a part.

With many documents the scores of a plane cost most. So only its normal is kept, which is as long as
there are features; the scores at the minimum are a product with the data, one an iteration however
many planes there are. Then more planes may be held of each iteration: those of all labellings that
attain a local maximum, and means of labellings (`ascent`). And the first iterations are spared, by
beginning at the weights that a part of the documents has.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.learners.ascent import Held, better_mean, slope_at
from quantext.learners.bundle import Bundle, Point, Segment, too_large
from quantext.learners.kernels import mix_rows
from quantext.learners.oracle import Labelling, Oracle, dot
from quantext.learners.shares import differing

__all__ = ["ByNormals"]

Array = NDArray[np.float64]

_FIRST_MEAN = 3  # iteration: before, the planes say nothing of the border between classes
_LONGEST = 1.25  # times the weights of a part: they are too small for all, as they overfit
_ROOM = 8  # planes by which the array of their normals grows
_RECENT = 1  # iterations after which a plane that is of no use may be of some
_NOTICED = 3  # planes whose scores are looked at, one by one
_PAYS = 0.003  # of the gap, which a mean has to close


class ByNormals(Bundle):
    """Planes of which the normals are kept, and the weights of the centre.

    Parameters
    ----------
    oracle, budget, most_idle
        As of any bundle.
    known
        Weights to begin near; if None, those are zero.
    """

    def __init__(
        self, oracle: Oracle, budget: float, known: Array | None = None, most_idle: int = 20
    ) -> None:
        super().__init__(oracle, budget, most_idle)
        self.known = known
        self.iteration = 1 if known is None else _FIRST_MEAN
        self.next_mean, self.wait = _FIRST_MEAN, 1  # iterations
        self.without: float | None = None  # lowest value of the planes before the last mean
        length = oracle.products.rows(np.arange(1)).shape[1] + 1
        # What a document adds to its own score by a plane: it may be in none that is noticed.
        largest = oracle.products.largest()
        self.largest = largest * largest / oracle.size
        self.flat = oracle.cost is not None and _is_flat(oracle.cost, oracle.signs > 0)
        self.normals = np.zeros((_ROOM, length))  # of the planes, with room for more
        self.centre = np.zeros(length)  # weights
        self.lowest = np.zeros(length)  # weights where the planes are lowest

    def begin(self) -> Point:
        """The best point on the ray through the weights that are known."""
        nowhere = np.zeros(self.oracle.size)
        labelling = self.oracle(nowhere)
        origin = Point(0.0, nowhere, 0.0, labelling, self.budget * labelling.risk)
        if self.known is None:
            return origin
        self.add(labelling)
        far = _LONGEST * self.known
        squared_norm = dot(far, far)
        ray = Segment(self.oracle, self.budget, origin, self.oracle.scores(far), 0.0, squared_norm)
        best, _ = ray.search(tolerance=0.01 * squared_norm)
        self.centre = best.step * far
        return best

    def cuts(self, points: Sequence[Point]) -> list[Labelling]:
        """The labellings that attain the risk, and others that attain a local maximum at the first.

        They have been found anyway, and to hold a plane more is little beside an iteration.
        """
        peaks = self.oracle.peaks(points[0].scores, points[0].labelling)
        return [*(point.labelling for point in points), *peaks]

    def add_mean(self, best: Point) -> bool:
        """Hold a mean of labellings whose plane raises the minimum, if there is one.

        Where the last did not pay, none is sought for some iterations, and ever longer.
        """
        if not self.flat or self.iteration < self.next_mean:
            return False
        own = np.flatnonzero((self.mix > 0) | (self.idle <= _RECENT))
        held = Held(
            self.mix[own],
            self.offsets[own],
            self.normals[own],
            self.hessian[np.ix_(own, own)],
            [self.parts[j] for j in own.tolist()],
            best.scores,
        )
        if (mean := better_mean(self.oracle, self.budget, held, best.objective)) is None:
            return False
        self.without = self._value()
        self._hold(mean.part, mean.loss, mean.normal)
        return True

    def add(self, labelling: Labelling) -> None:
        """Hold the plane of a labelling, unless it is held."""
        part = labelling.coefficients != 0
        alike = np.flatnonzero(self.offsets == labelling.loss).tolist()
        if any(np.array_equal(self.parts[j], part) for j in alike):
            return
        normal = self._normal(labelling, part)
        if len(self.parts) <= _NOTICED:
            self._notice(self.oracle.scores(normal), normal)
        self._hold(part, labelling.loss, normal)

    def _normal(self, labelling: Labelling, part: NDArray[np.bool_]) -> Array:
        """The normal of a labelling: that of the plane most like it, and what differs."""
        last = float(labelling.coefficients.sum())  # as many more or fewer predicted positives
        j = int(np.argmin(np.abs(self._held()[:, -1] - last)))
        difference, n_differing = differing(part, self.parts[j], self.oracle.signs)
        if n_differing < len(labelling.wrong):
            normal: Array = self.normals[j] + self.oracle.weights(difference)
            return normal
        return self.oracle.weights(labelling.coefficients)

    def _hold(self, part: NDArray[Any], offset: float, normal: Array) -> None:
        """Hold a plane."""
        j = self._place()
        self.parts[j], self.offsets[j], self.normals[j] = part, offset, normal
        products = self.budget * np.einsum("jd,d->j", self._held(), normal)
        if not np.isfinite(products).all():
            raise too_large(normal)
        self.hessian[j] = self.hessian[:, j] = products
        self.mix[j] = self.idle[j] = 0

    def segment(self, best: Point) -> Segment:
        """The segment that leads to the minimum."""
        if self.without is not None:
            pays = self._value() - self.without > _PAYS * (best.objective - self.without)
            self.wait = 1 if pays else 2 * self.wait
            self.next_mean = self.iteration + self.wait
            self.without = None
        self.iteration += 1
        self.idle = np.where(self.mix > 0, 0, self.idle + 1)
        self.lowest = self.budget * mix_rows(self.mix, self.normals)
        scores = self.oracle.scores(self.lowest)
        self._notice(scores, self.lowest, 1 / self.budget)
        product, direction = dot(self.lowest, self.centre), scores - best.scores
        slope = product - best.squared_norm
        # Rounding may leave none, or so little that what is divided by it overflows.
        curvature = max(self._squared_norm() - 2 * product + best.squared_norm, 1e-100)
        return Segment(self.oracle, self.budget, best, direction, slope, curvature)

    def move_centre(self, point: Point) -> None:
        """Make a point of the segment that leads to the minimum the centre."""
        self.centre = (1 - point.step) * self.centre + point.step * self.lowest

    def weights(self) -> Array:
        """Those of the centre."""
        return self.centre

    def _held(self) -> Array:
        """The normals of the planes."""
        return self.normals[: len(self.parts)]

    def _place(self) -> int:
        """Where to put a plane: in the place of one that has long been idle, or after the last."""
        if (j := self._most_idle_place()) is not None:
            return j
        if len(self.parts) == len(self.normals):
            # In place, as a copy would double the peak of memory; nothing else refers to it.
            m, length = self.normals.shape
            self.normals.resize((m + _ROOM, length), refcheck=False)
        return self._append()


def _is_flat(cost: Array, positive: NDArray[np.bool_]) -> bool:
    """Whether the loss has no kink where as many are called positive as are.

    Around a kink the slope jumps at once by as much as it changes over a tenth of the documents of
    a class. There labellings of both slopes are needed, and a mean of either does not pay.
    """
    P = int(np.count_nonzero(positive))
    fewer = min(P, len(positive) - P)
    away = max(fewer // 10, 5)
    if fewer <= away:
        return True
    jump = cost[P + 1] - 2 * cost[P] + cost[P - 1]
    change = slope_at(cost, P + away) - slope_at(cost, P - away)
    return bool(jump < 0.5 * change)
