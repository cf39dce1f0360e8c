"""Measures: how far an estimated prevalence is from the true one.

Every measure is a function ``f(p_true, p_hat, *, size)``. Classes lie on the last axis; all leading
axes broadcast, so one call measures one bag or a million. ``size`` is the number of documents in
the bag (one number, or an array over the leading axes): the smoothing depends on it, and a measure
that does not smooth takes it all the same, so that any of them can stand in for another.
"""

from collections.abc import Callable, Mapping

import numpy as np
import scipy  # its parts load when they are first used
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "MEASURES",
    "absolute_error",
    "bias",
    "binary",
    "kld",
    "normalized_kld",
    "relative_absolute_error",
]

Array = NDArray[np.float64]

_SUM_TOLERANCE = 1e-6


def bias(p_true: ArrayLike, p_hat: ArrayLike, *, size: ArrayLike) -> Array:
    """Estimated minus true prevalence, for each class.

    Parameters
    ----------
    p_true, p_hat
        True and estimated prevalences, classes on the last axis.
    size
        Number of documents in the bag.

    Examples
    --------
    >>> bias([0.25, 0.75], [0.5, 0.5], size=100)
    array([ 0.25, -0.25])
    """
    p, q, _ = _checked(p_true, p_hat, size)
    return q - p


def absolute_error(p_true: ArrayLike, p_hat: ArrayLike, *, size: ArrayLike) -> Array:
    """Mean over the classes of the absolute difference between the two prevalences.

    Parameters
    ----------
    p_true, p_hat
        True and estimated prevalences, classes on the last axis.
    size
        Number of documents in the bag.

    Examples
    --------
    >>> float(absolute_error([0.25, 0.75], [0.5, 0.5], size=100))
    0.25
    """
    p, q, _ = _checked(p_true, p_hat, size)
    return _mean(np.abs(q - p))


def relative_absolute_error(
    p_true: ArrayLike, p_hat: ArrayLike, *, size: ArrayLike, positive: int | None = None
) -> Array:
    """Mean over the classes of the absolute error relative to the true prevalence, both smoothed.

    Parameters
    ----------
    p_true, p_hat
        True and estimated prevalences, classes on the last axis.
    size
        Number of documents in the bag.
    positive
        Index of a class: its term alone instead of the mean.

    Examples
    --------
    >>> p_true, p_hat = [0.95, 0.05], [0.85, 0.15]
    >>> round(float(relative_absolute_error(p_true, p_hat, size=50)), 4)
    0.8854
    >>> round(float(relative_absolute_error(p_true, p_hat, size=50, positive=1)), 4)
    1.6667
    """
    p, q, epsilon = _checked(p_true, p_hat, size)
    # Both are smoothed with the same denominator, which cancels in the ratio.
    terms = np.abs(q - p) / (p + epsilon)
    if positive is None:
        return _mean(terms)
    n_classes = p.shape[-1]
    if not -n_classes <= positive < n_classes:
        raise ValueError(
            f"positive={positive} is not the index of one of the {n_classes} classes; "
            f"choose from 0 to {n_classes - 1}"
        )
    return terms[..., positive][()]  # a scalar for a single bag, as the others give


def kld(p_true: ArrayLike, p_hat: ArrayLike, *, size: ArrayLike) -> Array:
    """Kullback-Leibler divergence of the smoothed prevalences, in nats.

    It is zero when the two are equal, never negative, and finite even where a class is absent:
    1/(2·size) is added to each class of both before they are normalised again.

    Parameters
    ----------
    p_true, p_hat
        True and estimated prevalences, classes on the last axis.
    size
        Number of documents in the bag.

    Examples
    --------
    >>> round(float(kld([0.03, 0.97], [0.05, 0.95], size=100)), 6)
    0.004345
    >>> kld([0.1, 0.9], [[0.0, 1.0], [0.1, 0.9]], size=100).round(6)
    array([0.222598, 0.      ])
    """
    p, q, epsilon = _checked(p_true, p_hat, size)
    scale = 1 + epsilon * p.shape[-1]
    # kl_div is p·ln(p/q) − p + q. The added terms sum to zero over the classes and make each
    # addend non-negative, so rounding in the sums of p and q cannot push the result below zero.
    terms = scipy.special.kl_div((p + epsilon) / scale, (q + epsilon) / scale)
    return _sum(np.maximum(terms, 0.0))


def normalized_kld(p_true: ArrayLike, p_hat: ArrayLike, *, size: ArrayLike) -> Array:
    """Kullback-Leibler divergence mapped to [0, 1) by the logistic function.

    Parameters
    ----------
    p_true, p_hat
        True and estimated prevalences, classes on the last axis.
    size
        Number of documents in the bag.

    Examples
    --------
    >>> round(float(normalized_kld([0.1, 0.9], [0.0, 1.0], size=100)), 6)
    0.110842
    """
    # 2·eᵏ/(1+eᵏ) − 1 = tanh(k/2), which cannot overflow.
    return np.tanh(kld(p_true, p_hat, size=size) / 2)


def binary(p: ArrayLike) -> Array:
    """Prevalences (1−p, p) of a class's absence and presence, on a new last axis.

    Several labels per document have shares that need not sum to 1; each becomes a prevalence of
    two classes, and can be measured.

    Parameters
    ----------
    p
        Shares, of any shape, each from 0 to 1.

    Examples
    --------
    >>> binary([0.25, 1.0])
    array([[0.75, 0.25],
           [0.  , 1.  ]])
    """
    share = np.asarray(p, dtype=np.float64)
    if (wrong := ~((share >= 0) & (share <= 1))).any():
        place, value = _first(share, wrong)
        raise ValueError(f"p{place} is {value}; a share is from 0 to 1")
    return np.stack([1 - share, share], axis=-1)


MEASURES: Mapping[str, Callable[..., Array]] = {
    "absolute_error": absolute_error,
    "bias": bias,
    "kld": kld,
    "normalized_kld": normalized_kld,
    "relative_absolute_error": relative_absolute_error,
}


def _checked(p_true: ArrayLike, p_hat: ArrayLike, size: ArrayLike) -> tuple[Array, Array, Array]:
    """Both prevalences and the smoothing 1/(2·size), shaped to broadcast against them."""
    p, q = _prevalence("p_true", p_true), _prevalence("p_hat", p_hat)
    sizes = np.asarray(size, dtype=np.float64)
    if (wrong := ~((sizes > 0) & np.isfinite(sizes))).any():
        place, value = _first(sizes, wrong)
        raise ValueError(f"size{place} is {value}; a bag has at least one document")
    if p.shape[-1] != q.shape[-1]:
        raise ValueError(f"p_true has {p.shape[-1]} classes, p_hat has {q.shape[-1]}")
    try:
        np.broadcast_shapes(p.shape[:-1], q.shape[:-1], sizes.shape)
    except ValueError:
        raise ValueError(
            f"the leading axes of p_true {p.shape}, p_hat {q.shape} (classes on the last axis) and "
            f"size {sizes.shape} do not broadcast"
        ) from None
    return p, q, 1 / (2 * sizes[..., np.newaxis])


def _prevalence(name: str, values: ArrayLike) -> Array:
    """The argument as an array, or an error that says what is wrong where."""
    p = np.asarray(values, dtype=np.float64)
    if p.ndim == 0 or p.shape[-1] == 0:
        raise ValueError(
            f"{name} of shape {p.shape} has no classes on its last axis; "
            "for the share of one label pass binary(share)"
        )
    if not p.min(initial=0.0) >= 0:  # also true of NaN
        place, value = _first(p, ~(p >= 0))
        raise ValueError(f"{name}{place} is {value}; a prevalence is from 0 to 1")
    total = _sum(p)
    if (wrong := ~(np.abs(total - 1) <= _SUM_TOLERANCE)).any():
        place, value = _first(total, wrong)
        raise ValueError(f"{name}{place} sums to {value} over the classes, not to 1")
    return p


def _sum(terms: Array) -> Array:
    """Sum over the classes."""
    # A reduction over a last axis of two runs element by element; the product is 10 times as fast.
    return terms @ np.ones(terms.shape[-1])


def _mean(terms: Array) -> Array:
    """Mean over the classes."""
    mean: Array = _sum(terms) / terms.shape[-1]
    return mean


def _first(values: Array, wrong: NDArray[np.bool_]) -> tuple[str, str]:
    """Index, as text to follow a name, and value of the first wrong entry."""
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    return str(list(index)) if index else "", f"{values[index]:.10g}"
