"""Likeliest prevalences of redrawn bags, thousands of them, for intervals."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import kernel
from quantext.quantifiers.nonnegative import least_nonnegative
from quantext.quantifiers.simplex import INWARD, PROXIMAL, SUM

__all__ = ["most_likely_each"]

Array = NDArray[Any]

_STEPS, _HALVINGS = 100, 40


@kernel
def most_likely_each(
    likelihoods: Array, rows: Array, numbers: Array, start: Array, tol: float
) -> Array:
    """Prevalence for which the likelihood of each bag is largest, shape (R, K).

    What ``newton`` does for one bag, without a certificate.

    Parameters
    ----------
    likelihoods
        Of each row under each class, in each replicate, shape (R, r, K).
    rows, numbers
        Rows that documents have, and how many have them, shape (R, n).
    start
        A prevalence for each replicate, shape (R, K); a class that has none gets none.
    tol
        By how much another prevalence may be likelier, in nats a document.
    """
    n_bags, n_classes = start.shape
    found = np.zeros((n_bags, n_classes))
    columns = np.empty((rows.shape[1], n_classes))
    shares = np.empty(rows.shape[1])
    for r in range(n_bags):
        known = np.flatnonzero(start[r] > 0)
        n, total = 0, 0.0
        for i in range(rows.shape[1]):
            if numbers[r, i] > 0:
                largest = 0.0
                for j in range(len(known)):
                    columns[n, j] = likelihoods[r, rows[r, i], known[j]]
                    largest = max(largest, columns[n, j])
                total += numbers[r, i]
                if largest > 0:
                    shares[n] = numbers[r, i]
                    n += 1
        p = start[r][known] / start[r].sum()
        _climb(columns[:n, : len(known)], shares[:n] / total, p, tol)
        for j in range(len(known)):
            found[r, known[j]] = p[j]
    return found


@kernel
def _climb(columns: Array, shares: Array, p: Array, tol: float) -> None:
    """Set p to the likeliest prevalence, from where it is."""
    n, n_classes = columns.shape
    mixture, ahead_mixture, between = np.empty((3, n))
    hessian = np.empty((n_classes, n_classes))
    tilt = np.empty(n_classes)
    for i in range(n):
        mixture[i] = 0.0
        for k in range(n_classes):
            mixture[i] += columns[i, k] * p[k]
    value = _value(shares, mixture)
    for _ in range(_STEPS):
        tilt[:] = 0.0
        hessian[:] = 0.0
        for i in range(n):
            slope = shares[i] / mixture[i]
            curvature = slope / mixture[i]
            for k in range(n_classes):
                tilt[k] -= slope * columns[i, k]
                product = curvature * columns[i, k]
                for j in range(k + 1):
                    hessian[k, j] += product * columns[i, j]
        level = 0.0
        for k in range(n_classes):
            level += tilt[k] * p[k]
        gap, steepest = 0.0, 0.0
        for k in range(n_classes):
            tilt[k] -= level
            gap, steepest = max(gap, -tilt[k]), max(steepest, abs(tilt[k]))
        if gap <= tol:
            return
        ahead = _step(hessian, tilt, steepest, p)
        decrease = 0.0
        for k in range(n_classes):
            decrease += tilt[k] * (p[k] - ahead[k])
        if decrease <= 0:
            return
        for i in range(n):
            ahead_mixture[i] = 0.0
            for k in range(n_classes):
                ahead_mixture[i] += columns[i, k] * ahead[k]
        part, rounding, enough = 1.0, 1e-14 * (1 + abs(value)), False
        for _ in range(_HALVINGS):
            for i in range(n):
                between[i] = mixture[i] + part * (ahead_mixture[i] - mixture[i])
            there = _value(shares, between)
            if there <= value - 1e-4 * part * decrease + rounding:
                enough = True
                break
            part = INWARD if part == 1.0 else part / 2
        if not enough:
            return
        for k in range(n_classes):
            p[k] = max(p[k] + part * (ahead[k] - p[k]), 0.0)
        p /= p.sum()
        mixture[:] = between
        value = there


@kernel
def _step(hessian: Array, tilt: Array, steepest: float, p: Array) -> Array:
    """Prevalence at which the quadratic function with this tilt and curvature at p is least."""
    n_classes = len(p)
    size = 0.0
    for k in range(n_classes):
        for j in range(k):
            hessian[j, k] = hessian[k, j]
            size += 2 * hessian[k, j] * p[k] * p[j]
        size += hessian[k, k] * p[k] ** 2
    size = max(size, steepest)
    scale, right = np.empty(n_classes), np.empty(n_classes)
    free = np.empty(n_classes, np.bool_)
    for k in range(n_classes):
        hessian[k, k] += PROXIMAL * (hessian[k, k] + size)
        free[k] = p[k] > 0 or tilt[k] < 0
    hessian += SUM * size
    for k in range(n_classes):
        scale[k] = np.sqrt(hessian[k, k])
    for k in range(n_classes):
        right[k] = -tilt[k]
        for j in range(n_classes):
            right[k] += hessian[k, j] * p[j]
        right[k] /= scale[k]
    for k in range(n_classes):
        for j in range(n_classes):
            hessian[k, j] /= scale[k] * scale[j]
    solution = least_nonnegative(hessian, right, free) / scale
    total = solution.sum()
    return solution / total if total > 0 else p.copy()


@kernel
def _value(shares: Array, mixture: Array) -> float:
    """Minus the logarithm of the likelihood, a document."""
    value = 0.0
    for i in range(len(shares)):
        if not mixture[i] > 0:
            return np.inf
        value -= shares[i] * np.log(mixture[i])
    return value
