"""Measures: how far an estimated prevalence is from the true one.

Every measure is a function ``f(p_true, p_hat, *, size)``. Classes lie on the last axis; all leading
axes broadcast, so one call measures one bag or a million. ``size`` is the number of documents in
the bag (one number, or an array over the leading axes): the smoothing depends on it, and a measure
that does not smooth takes it all the same, so that any of them can stand in for another.

To smooth is to add 1/(2·size) to the share of each class, in both prevalences, and to divide by the
new sum. Definitions are those of Sebastiani (2020), "Evaluation measures for quantification: an
axiomatic approach", unless a measure says otherwise. The mean of any measure over bags is the mean
of what it returns; the two that papers report most, mae and mrae, have a name.

The file is longer than others, since whoever chooses a measure should find all of them in it.
"""

from collections.abc import Callable, Mapping
from difflib import get_close_matches

import numpy as np
import scipy  # its parts load when they are first used
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "MEASURES",
    "Measure",
    "absolute_error",
    "ae",
    "bias",
    "binary",
    "find_measure",
    "kld",
    "mae",
    "mrae",
    "nae",
    "nkld",
    "nmd",
    "normalized_kld",
    "nrae",
    "rae",
    "relative_absolute_error",
    "se",
]

Array = NDArray[np.float64]
Measure = Callable[..., Array]

_SUM_TOLERANCE = 1e-6


def bias(p_true: ArrayLike, p_hat: ArrayLike, *, size: ArrayLike) -> Array:
    """Estimated minus true prevalence, for each class. Nothing is smoothed.

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
    """Mean over the classes of the absolute difference between the two prevalences (AE).

    Nothing is smoothed. Sebastiani (2020).

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


ae = absolute_error
"""The same as `absolute_error`, as papers call it."""


def nae(p_true: ArrayLike, p_hat: ArrayLike, *, size: ArrayLike) -> Array:
    """Absolute error as a share of the largest one that this true prevalence allows (NAE).

    That is 2·(1 − min p)/|C|, of an estimate that has all documents in the rarest class. Nothing is
    smoothed; a single class has an error of 0. Sebastiani (2020).

    Parameters
    ----------
    p_true, p_hat
        True and estimated prevalences, classes on the last axis.
    size
        Number of documents in the bag.

    Examples
    --------
    >>> round(float(nae([0.2, 0.8], [0.6, 0.4], size=100)), 6)
    0.5
    """
    p, q, _ = _checked(p_true, p_hat, size)
    return _of_largest(_mean(np.abs(q - p)), 2 * (1 - p.min(axis=-1)) / p.shape[-1])


def se(p_true: ArrayLike, p_hat: ArrayLike, *, size: ArrayLike) -> Array:
    """Mean over the classes of the squared difference between the two prevalences (SE).

    Nothing is smoothed. Sebastiani (2020).

    Parameters
    ----------
    p_true, p_hat
        True and estimated prevalences, classes on the last axis.
    size
        Number of documents in the bag.

    Examples
    --------
    >>> float(se([0.25, 0.75], [0.5, 0.5], size=100))
    0.0625
    """
    p, q, _ = _checked(p_true, p_hat, size)
    return _mean((q - p) ** 2)


def nmd(p_true: ArrayLike, p_hat: ArrayLike, *, size: ArrayLike) -> Array:
    """Match distance of ordered classes, divided by its largest value |C| − 1 (NMD).

    It is how far documents must be moved from class to class to make one prevalence the other: the
    sum of the absolute differences of the cumulative shares. The order is that of the last axis.
    Nothing is smoothed; a single class has a distance of 0. The distance is of Werman et al.
    (1985), as an error of quantification of Da San Martino et al. (2016), "Ordinal text
    quantification", who call it the earth mover's distance; normalised, of Sakai (2021).

    Parameters
    ----------
    p_true, p_hat
        True and estimated prevalences, classes on the last axis, in their order.
    size
        Number of documents in the bag.

    Examples
    --------
    >>> p_true = [1, 0, 0]  # bad, fair, good
    >>> nmd(p_true, [[0, 1, 0], [0, 0, 1]], size=100)
    array([0.5, 1. ])
    """
    p, q, _ = _checked(p_true, p_hat, size)
    steps = max(p.shape[-1] - 1, 1)
    moved: Array = _sum(np.abs(np.cumsum(q - p, axis=-1)[..., :-1])) / steps
    return np.minimum(moved, 1.0)  # rounding may leave the largest a hair above


def relative_absolute_error(
    p_true: ArrayLike, p_hat: ArrayLike, *, size: ArrayLike, positive: int | None = None
) -> Array:
    """Mean over the classes of the absolute error relative to the true prevalence (RAE).

    Both prevalences are smoothed by 1/(2·size). Sebastiani (2020).

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


rae = relative_absolute_error
"""The same as `relative_absolute_error`, as papers call it."""


def nrae(p_true: ArrayLike, p_hat: ArrayLike, *, size: ArrayLike) -> Array:
    """Relative absolute error as a share of the largest one of this true prevalence (NRAE).

    That is (|C| − 1 + (1 − min p)/min p)/|C|. Both prevalences are smoothed by 1/(2·size) first, in
    the largest error too. A smoothed estimate has no class of share 1 or 0, so the worst estimate
    stays a little below an NRAE of 1. A single class has an error of 0. Sebastiani (2020).

    Parameters
    ----------
    p_true, p_hat
        True and estimated prevalences, classes on the last axis.
    size
        Number of documents in the bag.

    Examples
    --------
    >>> round(float(nrae([0.2, 0.8], [0.6, 0.4], size=100)), 4)
    0.4969
    """
    p, _, epsilon = _checked(p_true, p_hat, size)
    n_classes = p.shape[-1]
    rarest = ((p + epsilon) / (1 + epsilon * n_classes)).min(axis=-1)
    largest = (n_classes - 1 + (1 - rarest) / rarest) / n_classes
    return _of_largest(rae(p_true, p_hat, size=size), largest)


def kld(p_true: ArrayLike, p_hat: ArrayLike, *, size: ArrayLike) -> Array:
    """Kullback-Leibler divergence of the smoothed prevalences, in nats (KLD).

    It is zero when the two are equal, never negative, and finite even where a class is absent:
    1/(2·size) is added to each class of both before they are normalised again. As an error of
    quantification, Forman (2005); smoothed in this way, Esuli & Sebastiani (2015).

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
    """Kullback-Leibler divergence mapped to [0, 1) by the logistic function (NKLD).

    Both prevalences are smoothed by 1/(2·size), as in `kld`. Esuli & Sebastiani (2014).

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


nkld = normalized_kld
"""The same as `normalized_kld`, as papers call it."""


def mae(p_true: ArrayLike, p_hat: ArrayLike, *, size: ArrayLike) -> Array:
    """Mean of the absolute error over all bags, that is over all leading axes (MAE).

    Nothing is smoothed. Every bag counts alike, whatever its size.

    Parameters
    ----------
    p_true, p_hat
        True and estimated prevalences, classes on the last axis.
    size
        Number of documents in each bag.

    Examples
    --------
    >>> float(mae([[0.25, 0.75], [1, 0]], [[0.5, 0.5], [1, 0]], size=100))
    0.125
    """
    return _over_bags(ae(p_true, p_hat, size=size))


def mrae(p_true: ArrayLike, p_hat: ArrayLike, *, size: ArrayLike) -> Array:
    """Mean of the relative absolute error over all bags, that is over all leading axes (MRAE).

    Both prevalences of each bag are smoothed by 1/(2·size), as in `rae`. Every bag counts alike.

    Parameters
    ----------
    p_true, p_hat
        True and estimated prevalences, classes on the last axis.
    size
        Number of documents in each bag.

    Examples
    --------
    >>> round(float(mrae([0.95, 0.05], [[0.85, 0.15], [0.95, 0.05]], size=50)), 4)
    0.4427
    """
    return _over_bags(rae(p_true, p_hat, size=size))


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


MEASURES: Mapping[str, Measure] = {
    "absolute_error": absolute_error,
    "ae": ae,
    "bias": bias,
    "kld": kld,
    "mae": mae,
    "mrae": mrae,
    "nae": nae,
    "nkld": nkld,
    "nmd": nmd,
    "normalized_kld": normalized_kld,
    "nrae": nrae,
    "rae": rae,
    "relative_absolute_error": relative_absolute_error,
    "se": se,
}
"""All measures by name."""


def find_measure(measure: str | Measure) -> Measure:
    """The measure of that name in MEASURES, in any case; a callable is returned as it is.

    Parameters
    ----------
    measure
        A name or a callable.

    Examples
    --------
    >>> find_measure("NAE") is nae
    True
    >>> find_measure("kdl")
    Traceback (most recent call last):
    ValueError: measure 'kdl' is unknown; did you mean kld? There are absolute_error, ae, bias, ...
    """
    if callable(measure):
        return measure
    name = str(measure).lower()
    if found := MEASURES.get(name):
        return found
    close = get_close_matches(name, MEASURES, n=1)
    hint = f"did you mean {close[0]}? There are" if close else "choose one of"
    raise ValueError(
        f"measure {measure!r} is unknown; {hint} {', '.join(MEASURES)}, or pass a function "
        "f(p_true, p_hat, *, size)"
    )


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


def _over_bags(errors: Array) -> Array:
    """Mean over bags."""
    if not np.size(errors):
        raise ValueError("there are no bags to take the mean of; give at least one")
    mean: Array = np.asarray(errors).mean()
    return mean


def _of_largest(error: Array, largest: Array) -> Array:
    """Error as a share of the largest possible one, and 0 for the single class that allows none."""
    # Of two classes or more, one has at most half of the documents, so that there is room for an
    # error; of one there is none but for what its share may lack of 1.
    room = np.where(largest > 2 * _SUM_TOLERANCE, largest, np.inf)
    return np.minimum(error / room, 1.0)  # rounding may leave the largest a hair above


def _first(values: Array, wrong: NDArray[np.bool_]) -> tuple[str, str]:
    """Index, as text to follow a name, and value of the first wrong entry."""
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    return str(list(index)) if index else "", f"{values[index]:.10g}"
