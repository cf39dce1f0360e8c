"""Scores of a stream of documents: texts in, what bags are counted by out, many at a time."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from quantext.models.textquantifier import TextQuantifier
from quantext.quantifiers import Quantifier
from quantext.vectors.batches import batches
from quantext.vectors.ltc import LtcVectorizer
from quantext.vectors.proxy import ProxyVectorizer

__all__ = ["SCORES_AT_ONCE", "Scored", "joined", "scored"]

Array = NDArray[Any]

# What is counted at a time: so many scores, or documents, whose bags and labels wait with them.
SCORES_AT_ONCE, DOCUMENTS_AT_ONCE = 1 << 22, 1 << 16


class Scored(NamedTuple):
    """Documents that are to be counted.

    Parameters
    ----------
    scores
        What counts of their scores, shape (m, n): a class's in a row.
    words
        Numbers of known and of all their words, shape (n, 2).
    X
        Their vectors, if the method counts features.
    shown
        How much they are of each class, shape (K, n), if documents are quoted.
    """

    scores: Array
    words: Array
    X: Any
    shown: Array | None

    def select(self, rows: Array) -> "Scored":
        """Some of the documents."""
        if len(rows) == len(self.words):
            return self
        X = None if self.X is None else self.X[rows]
        shown = None if self.shown is None else self.shown[:, rows]
        return Scored(self.scores[:, rows], self.words[rows], X, shown)


def scored(
    model: TextQuantifier,
    texts: Iterator[pl.Series],
    show: Callable[[Quantifier, Array], Array] | None,
) -> Iterator[Scored]:
    """The documents as they come, some at a time.

    Parameters
    ----------
    model
        Fitted.
    texts
        Of the documents.
    show
        Gives, of their scores, what is shown of documents that may be quoted.
    """
    quantifier, vectorizer = model.quantifier_, model.vectorizer_

    def scores(X: Any) -> tuple[Array, Any, Array | None]:
        rows = quantifier.rows(X)
        features = X if quantifier.counts_features else None
        shown = None if show is None else show(quantifier, rows).T
        return quantifier.condense(rows).T, features, shown

    if isinstance(vectorizer, LtcVectorizer | ProxyVectorizer):
        for (rows, X, shown), words in vectorizer.map_counted(scores, texts):
            yield Scored(rows, words, X, shown)
    else:  # it does not tell which words it knows
        for part in chain.from_iterable(map(batches, texts)):
            rows, X, shown = scores(vectorizer.transform(part))
            yield Scored(rows, np.zeros((len(part), 2), np.int64), X, shown)


def joined(parts: Iterable[Scored], scores_at_once: int) -> Iterator[Scored]:
    """The same, more at a time: to count many documents at once takes less time.

    Parameters
    ----------
    parts
        As from `scored`.
    scores_at_once
        How many scores wait.
    """
    waiting: list[Scored] = []
    n_scores = n_documents = 0
    for part in parts:
        waiting.append(part)
        n_scores, n_documents = n_scores + part.scores.size, n_documents + len(part.words)
        if n_scores >= scores_at_once or n_documents >= DOCUMENTS_AT_ONCE:
            yield _stacked(waiting)
            waiting, n_scores, n_documents = [], 0, 0
    if waiting:
        yield _stacked(waiting)


def _stacked(parts: list[Scored]) -> Scored:
    scores, words, X, shown = zip(*parts, strict=True)
    return Scored(
        np.hstack(scores),
        np.vstack(words),
        None if X[0] is None else _stacked_rows(X),
        None if shown[0] is None else np.hstack(shown),
    )


def _stacked_rows(X: Sequence[Any]) -> Any:
    return sparse.vstack(X, format="csr") if sparse.issparse(X[0]) else np.vstack(X)
