"""Scores that are numbers: what a classifier gives is looked at where it enters."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator

__all__ = ["check_finite", "or_none"]

Array = NDArray[Any]


def check_finite(scores: Array, classifier: Any, of: str, numbers: Array | None = None) -> None:
    """Raise ValueError unless all scores are finite numbers.

    Parameters
    ----------
    scores
        Shape (n, m).
    classifier
        That gave them; None: somebody else did.
    of
        What each row is of.
    numbers
        Of the rows, for the message; else they are counted from 0.

    Examples
    --------
    >>> check_finite(np.array([[0.5], [np.nan]]), None, "document")
    Traceback (most recent call last):
        ...
    ValueError: document 1 (counting from 0) has the score [nan], which is not finite; scale the \
features, or leave that document out
    """
    if scores.dtype.kind != "f" or (finite := np.isfinite(scores).all(axis=1)).all():
        return
    i = int(np.argmin(finite))
    document = f"{of} {i if numbers is None else numbers[i]} (counting from 0)"
    inner = classifier.estimator if isinstance(classifier, FrozenEstimator) else classifier
    has = f"{document} has" if inner is None else f"{type(inner).__name__} gives {document}"
    raise ValueError(
        f"{has} the score {scores[i]}, which is not finite; scale the features, or leave that "
        "document out"
    )


def or_none(posteriors: Array) -> Array:
    """Posteriors, of documents with one that is not finite NaN for all classes.

    So nothing that is made of the others hides it.

    Parameters
    ----------
    posteriors
        Shape (n, K).

    Examples
    --------
    >>> or_none(np.array([[0.5, np.inf], [0.25, 0.75]]))
    array([[ nan,  nan],
           [0.25, 0.75]])
    """
    finite = np.isfinite(posteriors).all(axis=1, keepdims=True)
    return posteriors if finite.all() else np.where(finite, posteriors, np.nan)
