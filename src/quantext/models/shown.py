"""What a model shows of documents: rows that it counts in, how much each is of each class out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext import quantifiers
from quantext.models.textquantifier import TextQuantifier
from quantext.quantifiers.base import Quantifier
from quantext.vectors.proxy import ProxyVectorizer

__all__ = ["check_quotes", "class_scores"]

Array = NDArray[Any]

MOST = 20  # quotes of a class: more are not a glimpse but a copy of the data


def check_quotes(model: TextQuantifier, quotes: int) -> None:
    """Raise ValueError unless the model can choose so many documents of each class.

    Parameters
    ----------
    model
        Fitted.
    quotes
        Of each class.
    """
    whole = isinstance(quotes, int | np.integer) and not isinstance(quotes, bool)
    if not whole or not 0 <= quotes <= MOST:
        raise ValueError(f"quotes is {quotes!r}; ask for 1 to {MOST} documents a class, or 0")
    if not quotes:
        return
    if isinstance(model.vectorizer_, ProxyVectorizer):
        raise ValueError(
            "the model reads what other models say of documents and not their texts, so there is "
            "nothing to quote; leave quotes out"
        )
    kind = type(model.quantifier_)
    # Rows of any other representation may mean anything.
    others = quantifiers.StackedCount, quantifiers.VoteCount, quantifiers.EnsembleQuantifier
    if kind.represent not in [other.represent for other in (Quantifier, *others)]:
        raise ValueError(
            f"{kind.__name__} gives documents no score for each class by which to choose them; "
            "leave quotes out, or train another method, such as Adaptive"
        )


def class_scores(quantifier: Quantifier, rows: Array) -> NDArray[np.float64]:
    """How much each document is of each class, shape (n, K): above 0 if it is put there.

    Of two classes, and of labels, that is the score. Of three classes or more it is how far the
    score of the class is above the highest of the others; but the score itself where scores are not
    made to be compared between classes. An ensemble's are the means over its members. Millionths
    are enough: what is below may depend on the documents beside.

    Parameters
    ----------
    quantifier
        Fitted.
    rows
        What it counts of the documents, shape (n, m).
    """
    training = quantifier.scores_
    n_columns = training.y.shape[1]
    scores = np.asarray(rows, dtype=np.float64)
    if isinstance(quantifier, quantifiers.EnsembleQuantifier):
        scores = scores.reshape(len(scores), -1, n_columns).mean(axis=1)
    if training.kind == "binary":
        scores = np.column_stack([-scores[:, 0], scores[:, 0]])
    elif training.kind == "multiclass" and not training.counts_each_class:
        scores = scores - _highest_other(scores)
    return scores.round(6)


def _highest_other(scores: Array) -> Array:
    """The highest score of the other classes, for each document and class."""
    places = np.arange(len(scores))
    first = scores.argmax(axis=1)
    rest = scores.copy()
    rest[places, first] = -np.inf
    other = np.repeat(scores[places, first][:, None], scores.shape[1], axis=1)
    other[places, first] = rest.max(axis=1)
    return other
