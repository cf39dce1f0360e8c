"""Regions: where the shares of three classes or more lie together, as an ellipse and as a box."""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import lgamma, log, pi
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import helmert
from scipy.stats import chi2

from quantext.quantifiers.intervals import bounds
from quantext.scores.labels import Kind

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Box", "Region", "check_several", "find_region", "joint_box"]

Array = NDArray[Any]

_SLACK = 1e-9  # for shares on the border, but for rounding
_POINTS = 2**15  # by which volumes are measured that have no formula
_MOST_EXACT = 12  # classes of a box whose volume is a sum over all sets of them


@dataclass(frozen=True, eq=False)
class Box:
    """Bounds of each class that hold for all classes at once (Bonferroni).

    Parameters
    ----------
    low, high
        Bounds of each class.

    Examples
    --------
    >>> box = Box(np.array([0.0, 0.0, 0.0]), np.array([0.5, 0.5, 0.5]))
    >>> [0.4, 0.4, 0.2] in box, [0.6, 0.2, 0.2] in box
    (True, False)
    >>> box.volume_share  # what is left of a triangle without its three corners
    0.25
    """

    low: Array
    high: Array

    def __contains__(self, p: Any) -> bool:
        """Whether each share is within its bounds, and they are shares that sum to 1."""
        shares = _shares(p, len(self.low))
        within = (shares >= self.low - _SLACK) & (shares <= self.high + _SLACK)
        return _is_prevalence(shares) and bool(within.all())

    @property
    def volume_share(self) -> float:
        """Which part of all prevalences is within the bounds, from 0 to 1."""
        measure = _exact_share if len(self.low) <= _MOST_EXACT else _sampled_share
        return measure(self.low, self.high)


@dataclass(frozen=True, eq=False)
class Region:
    """Prevalences that a bag may have: those in an ellipse, or ellipsoid, on the simplex.

    ``p in region`` says whether a prevalence is one of them. The shares of a bag sum to 1, so that
    one that is too high makes others too low; intervals, each class by itself, cannot say that.

    Parameters
    ----------
    classes
        Names of the classes.
    estimate
        Prevalence that was estimated.
    level
        Share of bags whose prevalence the region should contain.
    centre
        Of the ellipse: shares that sum to 1, which may be negative.
    axes
        Its half axes, shape (K − 1, K): vectors from the centre to the border, at right angles.
        The entries of each sum to 0.
    box
        Bounds of each class at 1 − (1 − level)/K, which all hold together as often: larger, but
        easier to tell.

    Examples
    --------
    >>> axes = np.array([[0.1, -0.1, 0.0], [0.05, 0.05, -0.1]])
    >>> third = np.full(3, 1 / 3)
    >>> box = Box(third - 0.15, third + 0.15)
    >>> region = Region(np.array(["a", "b", "c"]), third, 0.95, third, axes, box)
    >>> third + [0.09, -0.09, 0] in region, third + [0.11, -0.11, 0] in region
    (True, False)
    >>> round(region.volume_share, 4)  # pi √0.02 √0.015 of √3/2
    0.0628
    """

    classes: Array
    estimate: Array
    level: float
    centre: Array
    axes: Array
    box: Box

    def __contains__(self, p: Any) -> bool:
        """Whether a prevalence is in the ellipse; what does not sum to 1 is not."""
        shares = _shares(p, len(self.centre))
        return _is_prevalence(shares) and bool(self._distance(shares) <= 1 + _SLACK)

    @property
    def volume_share(self) -> float:
        """Which part of all prevalences is in the ellipse, from 0 to 1.

        By a formula if all of the ellipse has shares above 0; else that of the part that has is
        found by points drawn at random, always the same ones.
        """
        d = len(self.axes)
        volume = d / 2 * log(pi) - lgamma(d / 2 + 1) + _log_product(_lengths(self.axes))
        share = np.exp(volume - log(d + 1) / 2 + lgamma(d + 1))
        reach = np.sqrt((self.axes**2).sum(axis=0))
        if (self.centre >= reach).all():
            return float(share)
        rng = np.random.default_rng(0)
        if share > 1:
            points = rng.dirichlet(np.ones(d + 1), _POINTS)
            return float(np.mean(self._distance(points) <= 1))
        directions = rng.normal(size=(_POINTS, d))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        points = self.centre + directions * rng.random((_POINTS, 1)) ** (1 / d) @ self.axes
        return float(share * np.mean((points >= 0).all(axis=1)))

    def plot(self) -> "Figure":
        """The ellipse, the box and the estimate in a triangle, for three classes."""
        if len(self.classes) != 3:
            raise ValueError(
                f"a region of {len(self.classes)} classes cannot be drawn, only one of three"
            )
        from quantext.quantifiers.triangle import draw_region  # matplotlib takes a second

        return draw_region(self)

    def _distance(self, p: Array) -> Array:
        """Of prevalences from the centre; 1 on the border."""
        lengths = _lengths(self.axes)
        return np.asarray(np.linalg.norm((p - self.centre) @ (self.axes.T / lengths**2), axis=-1))


def check_several(kind: Kind, n_classes: int) -> None:
    """Raise ValueError unless a document has exactly one of three classes or more.

    Parameters
    ----------
    kind
        Of y.
    n_classes
        Of y.
    """
    if kind == "multilabel":
        raise ValueError(
            "a region is for classes whose shares sum to 1, and each label has a share of its own: "
            "use predict_interval, for all m labels at once at the level 1 - (1 - level) / m"
        )
    if n_classes < 3:
        raise ValueError(
            f"a region is for three classes or more, and there are {n_classes}: "
            "use predict_interval, which says it all"
        )


def joint_box(
    estimate: Array, draws: Array, *, level: float, size: int, holds_estimate: bool
) -> Box:
    """Bounds of each class that hold for all classes at once, each at 1 − (1 − level)/K.

    Parameters
    ----------
    estimate, draws, level, size, holds_estimate
        As in `find_region`.

    Examples
    --------
    >>> draws = np.array([[0.4, 0.4, 0.2], [0.5, 0.3, 0.2], [0.6, 0.2, 0.2]])
    >>> box = joint_box(draws[1], draws, level=0.9999, size=10, holds_estimate=True)
    >>> box.low.tolist(), box.high.tolist()
    ([0.4, 0.2, 0.2], [0.6, 0.4, 0.2])
    """
    low, high = bounds(estimate, estimate - draws, 1 - (1 - level) / len(estimate), size)
    if not holds_estimate:
        return Box(low, high)
    return Box(np.minimum(low, estimate), np.maximum(high, estimate))


def find_region(
    classes: Array,
    estimate: Array,
    draws: Array,
    box: Box,
    *,
    level: float,
    size: int,
    holds_estimate: bool,
) -> Region:
    """Ellipse around prevalences that a bag may have.

    It lies around their median, class by class, has the shape of their second moments about it, and
    is so large that it holds a share of `level` of them, and of a normal distribution of these
    moments. Where it would reach less far than the box it is made wider, for the box is of whole
    documents. Nor does it reach less than half a document.

    Parameters
    ----------
    classes
        Names of the classes.
    estimate
        Prevalence that was estimated.
    draws
        Prevalences, shape (R, K); they need not be positive.
    box
        Beside it.
    level
        Share of bags whose prevalence the region should contain.
    size
        Number of documents in the bag.
    holds_estimate
        Whether the estimate must be in it.
    """
    k = len(estimate)
    plane = helmert(k)  # rows at right angles to (1, ..., 1), of length 1
    middle = np.median(draws, axis=0)
    centre = middle + (1 - middle.sum()) / k
    away = draws - centre
    second = plane @ _longer_tails(away) @ plane.T
    lengths, directions = np.linalg.eigh(second)
    seen = lengths > 1e-18
    squares = (away @ plane.T @ directions[:, seen]) ** 2 @ (1 / lengths[seen])
    shape = max(np.quantile(squares, level), chi2.ppf(level, k - 1)) * second
    reach = np.maximum(box.high - centre, centre - box.low)
    missing = np.maximum(reach**2 - np.diag(plane.T @ shape @ plane), (0.5 / size) ** 2)
    # Of what is added for a class, the others take a part: shares sum to 1.
    shape += plane @ np.diag(missing * (k / (k - 1)) ** 2) @ plane.T
    lengths, directions = np.linalg.eigh(shape)
    axes = (np.sqrt(lengths) * directions).T[::-1] @ plane  # the longest first
    region = Region(classes, estimate, level, centre, axes, box)
    if holds_estimate and (distance := float(region._distance(estimate))) > 1:
        return replace(region, axes=axes * distance)
    return region


def _longer_tails(away: Array) -> Array:
    """Second moments of vectors, shape (K, K), as if each class went both ways by its longer tail.

    Errors of estimates that are clipped at 0 or 1 lie to one side, which says nothing of the side
    on which the truth is.
    """
    moments = away.T @ away / len(away)
    own = np.diag(moments)
    above, below = ((np.maximum(side, 0) ** 2).mean(axis=0) for side in (away, -away))
    longer = np.sqrt(2 * np.maximum(above, below) / np.where(own > 0, own, 1.0))
    return np.asarray(moments * np.outer(longer, longer))


def _exact_share(low: Array, high: Array) -> float:
    """Part of the simplex within bounds.

    The part that lies above given lower bounds is a smaller simplex, (1 - their sum)^(K-1) of all;
    to be within the bounds is to be above the lower ones, but not above any upper one. In
    fractions, as the terms of a small box cancel each other nearly.
    """
    d = len(low) - 1
    left = 1 - sum(map(Fraction, low.tolist()))
    widths = [Fraction(b) - Fraction(a) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    total = Fraction(0)
    for n in range(d + 2):
        for above in combinations(widths, n):
            total += (-1) ** n * max(left - sum(above), Fraction(0)) ** d
    return float(total)


def _sampled_share(low: Array, high: Array) -> float:
    """The same for many classes, by points drawn at random, always the same ones.

    All classes but one are drawn within their bounds, which leaves the one: that with the widest
    bounds, which is most often within them. Where that is more than all prevalences, these are
    drawn.
    """
    widths, rng = high - low, np.random.default_rng(0)
    last = int(np.argmax(widths))
    others = np.arange(len(low)) != last
    if not widths[others].all():
        return 0.0
    share = np.exp(_log_product(widths[others]) + lgamma(len(low)))
    if share > 1:
        points = rng.dirichlet(np.ones(len(low)), _POINTS)
        return float(np.mean(((points >= low) & (points <= high)).all(axis=1)))
    rest = 1 - (low[others] + widths[others] * rng.random((_POINTS, others.sum()))).sum(axis=1)
    return float(share * np.mean((rest >= low[last]) & (rest <= high[last])))


def _shares(p: Any, n_classes: int) -> Array:
    shares = np.asarray(p, dtype=np.float64)
    if shares.shape != (n_classes,):
        raise ValueError(
            f"a prevalence has {n_classes} shares, one for each class, but this has the shape "
            f"{shares.shape}"
        )
    return shares


def _is_prevalence(shares: Array) -> bool:
    return bool((shares >= -_SLACK).all() and abs(shares.sum() - 1) <= 1e-6)


def _lengths(axes: Array) -> Array:
    return np.asarray(np.linalg.norm(axes, axis=1))


def _log_product(values: Array) -> float:
    return float(np.log(values).sum())
