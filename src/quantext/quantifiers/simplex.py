"""The simplex: among all prevalences the one at which something is least, and how sure that is."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "INWARD",
    "PROXIMAL",
    "SUM",
    "Bend",
    "Minimum",
    "least_angle",
    "least_quadratic",
    "least_squares",
    "newton",
]

Array = NDArray[Any]
Bend = Callable[[Array], tuple[float, Array, Array]]

_TIES = 1e-7  # how little decides between prevalences that are equally good
_STEPS, _HALVINGS, _GUESSES = 200, 50, 10
PROXIMAL, SUM = 1e-10, 1e2  # beside the curvature of what is minimised
INWARD = 0.99  # part of a step that would otherwise end where the slope is infinite


class Minimum(NamedTuple):
    """A prevalence, and a certificate.

    No prevalence has a value that is lower by more than the gap, if what is minimised is convex:
    the value lies above its tangent plane, and the gap is how far the plane falls at most, which it
    does towards a corner of the simplex.
    """

    p: Array
    value: float
    gap: float


def least_squares(columns: Array, target: Array, towards: Array) -> Minimum:
    """Prevalence p for which |columns @ p − target|² is least, among all prevalences.

    Parameters
    ----------
    columns
        Shape (d, K): of each class.
    target
        Shape (d,).
    towards
        Shape (K,): of several prevalences that are equally good, the nearest to this one is taken.

    Examples
    --------
    >>> p, value, gap = least_squares(np.array([[0.9, 0.2], [0.1, 0.8]]), np.array([0.55, 0.45]),
    ...     towards=np.array([0.5, 0.5]))
    >>> p.round(6), gap < 1e-12
    (array([0.5, 0.5]), True)
    """
    # Σp = 1 makes the residual (columns − target·1ᵀ)p.
    return _shortest(columns - target[:, None], towards)


def least_quadratic(form: Array, towards: Array) -> Minimum:
    """Prevalence p for which pᵀ·form·p is least, among all prevalences.

    Parameters
    ----------
    form
        Shape (K, K), symmetric and, but for rounding, not negative for any p.
    towards
        As in `least_squares`.
    """
    values, vectors = np.linalg.eigh(form)
    return _shortest(np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T, towards)


def least_angle(form: Array, products: Array, towards: Array) -> Minimum:
    """Prevalence p for which −products·p / √(pᵀ·form·p) is least, among all prevalences.

    It is the cosine of an angle, with its sign turned: `form` has the inner products of vectors
    that are mixed, and `products` those of each with another, of length 1.

    Parameters
    ----------
    form
        Shape (K, K), symmetric and, but for rounding, not negative for any p.
    products
        Shape (K,), not negative.
    towards
        As in `least_squares`.
    """
    # The angle does not depend on the length of a mixture x, so x may be the one that is nearest to
    # the other vector: |Ax − b|², AᵀA = form, Aᵀb = products.
    values, vectors = np.linalg.eigh(form)
    there = values > 1e-14 * values[-1]
    matrix = np.sqrt(values[there])[:, None] * vectors.T[there]
    target = vectors.T[there] @ products / np.sqrt(values[there])
    length = float(products @ towards) / float(towards @ form @ towards)
    ties = _TIES * np.sqrt(values[-1]) * np.eye(len(towards))
    system = np.vstack([matrix, ties])
    solution = _nonnegative(system, np.append(target, ties @ towards * length))
    total = solution.sum()
    p = solution / total if total > 0 else towards
    product, square = float(products @ p), float(p @ form @ p)
    # Of the logarithm, −ln(products·p) + ½ ln(pᵀ·form·p), which is flat along a mixture's length.
    slopes = form @ p / square - products / max(product, 1e-300)
    return Minimum(p, -product / np.sqrt(square), max(0.0, -float(slopes.min())))


def _shortest(matrix: Array, towards: Array) -> Minimum:
    """Prevalence p for which |matrix @ p|² is least."""
    scale = np.abs(matrix).max(initial=0.0)
    scaled = matrix / scale if scale > 0 else matrix
    # Nonnegative least squares on [A; 1ᵀ]x = [0; 1] has the minimiser as its direction: with
    # x = s·p the best s leaves d/(1+d), d = |Ap|². The rows of 1e-7 decide between equally good
    # prevalences, and are nothing beside the others.
    ties = _TIES * (np.eye(len(towards)) - towards[:, None])
    system = np.vstack([scaled, ties, np.ones(len(towards))])
    solution = _nonnegative(system, np.append(np.zeros(len(system) - 1), 1.0))
    p = solution / solution.sum()
    image = matrix @ p
    value = float(image @ image)
    return Minimum(p, value, 2 * max(value - float((image @ matrix).min()), 0.0))


def newton(columns: Array, bend: Bend, start: Array, tol: float = 1e-12) -> Minimum:
    """Prevalence p for which a function of the mixture, columns @ p, is least.

    Newton's method: each step is to the least value on the simplex of a quadratic function that has
    the slope and curvature of the true one, or part of the way there. It ends where the gap of the
    certificate is below `tol`, or where rounding leaves nothing to gain. A function with a kink may
    end with a larger gap; one that is not convex may end in a minimum that is not the lowest.

    Parameters
    ----------
    columns
        Shape (d, K): of each class; no row of zeros.
    bend
        Function of a mixture, shape (d,), that gives what is to be least, its derivative by each
        entry, and how it curves there: its second derivative, or a number that is not negative
        and nowhere leads too far. The derivative is infinite at an entry of zero that it would be
        good to be rid of.
    start
        Prevalence at which no entry of the mixture is zero. Of several prevalences that are equally
        good, one near it is found.
    tol
        Gap that is small enough.
    """
    p, mixture = start, columns @ start
    value, slope, curvature = bend(mixture)
    last, decrease = np.inf, np.inf
    for _ in range(_STEPS):
        gradient = slope @ columns
        # A gradient with the same number in all entries is none: shares sum to 1.
        tilt = gradient - gradient @ p
        gap = max(0.0, -float(tilt.min()))
        rounding = 1e-14 * (1 + abs(value))
        if gap <= tol or (decrease <= rounding and gap >= last):
            break
        ahead = _step(columns, tilt, curvature, p)
        decrease = float(tilt @ (p - ahead))
        if decrease <= 0:
            break
        there, part = columns @ ahead, 1.0
        for _ in range(_HALVINGS):
            between = there if part == 1 else mixture + part * (there - mixture)
            found = bend(between)
            enough = found[0] <= value - 1e-4 * part * decrease + rounding
            if enough and np.isfinite(found[1]).all():
                break
            part = INWARD if part == 1 else part / 2
        else:
            break
        p, mixture, last = p + part * (ahead - p), between, gap
        value, slope, curvature = found
    p = np.maximum(p, 0.0)
    return Minimum(p / p.sum(), value, gap)


def _step(columns: Array, tilt: Array, curvature: Array, p: Array) -> Array:
    """Prevalence at which the quadratic function with this tilt and curvature at p is least."""
    hessian = (columns.T * curvature) @ columns
    size = max(float(p @ hessian @ p), float(np.abs(tilt).max()))
    # Where nothing tells classes apart, they stay where they are; and the sum stays near 1, and at
    # the minimum, where the tilt of all classes with a share is zero, at 1.
    hessian += np.diag(PROXIMAL * (np.diag(hessian) + size)) + SUM * size
    # Classes may be of very different scales, which the solver would take for zeros.
    scale = np.sqrt(np.diag(hessian))
    scaled, right = hessian / scale / scale[:, None], (hessian @ p - tilt) / scale
    solution = _solve(scaled, right, (p > 0) | (tilt < 0)) / scale
    total = solution.sum()
    return np.asarray(solution / total if total > 0 else p)


def _solve(matrix: Array, right: Array, free: NDArray[np.bool_]) -> Array:
    """The x ≥ 0 for which ½xᵀ·matrix·x − right·x is least.

    Parameters
    ----------
    matrix
        Definite, with ones on its diagonal.
    right
        Shape (K,).
    free
        Which entries may well be above 0. If they are guessed right but for a few, as they are when
        Newton's method is under way, one or two systems of equations solve it.
    """
    for _ in range(_GUESSES):
        x = np.zeros(len(right))
        x[free] = np.linalg.solve(matrix[free][:, free], right[free])
        below, above = x < 0, ~free & (matrix @ x - right < -1e-12)
        if not (below.any() or above.any()):
            return x
        free = (free & ~below) | above
    from scipy.linalg import cholesky, solve_triangular  # slow to load, and seldom needed

    factor = cholesky(matrix)
    return _nonnegative(factor, solve_triangular(factor, right, trans=1))


def _nonnegative(matrix: Array, target: Array) -> Array:
    """The x ≥ 0 for which |matrix @ x − target|² is least."""
    from scipy.optimize import nnls  # slow to load, and what is told without it is told sooner

    return np.asarray(nnls(matrix, target)[0])
