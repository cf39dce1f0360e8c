"""Words: which of them matter to the classifier, and in what share of the documents they are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

from quantext.quantifiers.adaptive.company import regression
from quantext.scores.features import ClassFeatures
from quantext.scores.labels import Kind

__all__ = ["Words", "count_words", "learn_words"]

Array = NDArray[Any]

MOST = 10_000  # words that are kept: fewer miss some that have changed


@dataclass(frozen=True)
class Words:
    """The words that matter to the classifier, and in what share of the documents they are.

    Parameters
    ----------
    columns
        Of X.
    weights
        Squares of what the presence of a word adds to the log-odds of each class, shape (m, d).
    base, effects
        Share of documents with each word, (d,), and what is added to it for each unit of
        prevalence, (m, d).
    share
        Of the training documents, (d,).
    """

    columns: Array
    weights: Array
    base: Array
    effects: Array
    share: Array

    @property
    def variance(self) -> Array:
        """Of a word's presence, (d,)."""
        return np.asarray(self.share * (1 - self.share))


def learn_words(features: ClassFeatures, y: NDArray[np.bool_], kind: Kind, weights: Array) -> Words:
    """Weights of the words that matter most, and the share of documents that have them.

    Parameters
    ----------
    features
        What training says of them.
    y, kind
        Labels, shape (n, m), and the kind of problem.
    weights
        Of each feature in the log-odds of each column, shape (d, m).
    """
    typical = features.total_sums / np.maximum(features.total_documents, 1)
    share = features.total_documents / features.n_documents
    squares = (weights * typical[:, None]).T ** 2
    matter = squares.sum(axis=0) * share * (1 - share)
    columns = np.sort(np.argsort(-matter, kind="stable")[:MOST])
    share = share[columns]
    together = features.documents[:, columns].toarray()
    documents = y.sum(axis=0)
    if kind == "multiclass":
        base = np.zeros(len(columns))
        effects = together / np.maximum(documents, 1)[:, None]
    else:
        effects = regression(y) @ (together - np.outer(documents, share))
        base = share - y.mean(axis=0) @ effects
    narrow = squares[:, columns].astype(np.float32), effects.astype(np.float32)
    return Words(columns, narrow[0], base, narrow[1], share)


def count_words(words: Words | None, X: Any, weights: Array | None = None) -> NDArray[np.int64]:
    """How many documents have each of the words.

    Parameters
    ----------
    words
        Which; None: none.
    X
        Documents: array or sparse matrix.
    weights
        How many documents each row stands for; one each by default.
    """
    if words is None or X is None:
        return np.zeros(0, dtype=np.int64)
    rows = X if getattr(X, "format", "") == "csr" else sparse.csr_array(X)
    if weights is not None:
        present = rows[:, words.columns].astype(bool).astype(np.int64)
        return np.asarray(weights @ present)
    documents = np.zeros(rows.shape[1], dtype=np.int64)
    count_present(rows.indices, rows.data, documents)
    return np.asarray(documents[words.columns])


@njit(cache=True, nogil=True)
def count_present(indices: Array, data: Array, documents: Array) -> None:
    """Add to each column how many documents have it; no column occurs twice in a row.

    Parameters
    ----------
    indices, data
        Of a CSR matrix.
    documents
        To be added to, shape (d,).
    """
    for i in range(len(indices)):
        documents[indices[i]] += data[i] != 0
