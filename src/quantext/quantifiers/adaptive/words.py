"""Words: which of them matter to the classifier, and in what share of the documents they are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quantext.quantifiers.adaptive.company import regression
from quantext.scores.features import ClassFeatures
from quantext.scores.labels import Kind
from quantext.vectors.csr import csr_count
from quantext.vectors.sparse import check_sparse, without_duplicates

__all__ = ["Words", "count_words", "learn_words"]

Array = NDArray[Any]

MOST = 10_000  # words that are kept: 5,000 miss some that have changed, on tweets


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


def learn_words(
    features: ClassFeatures, y: NDArray[np.bool_], kind: Kind, weights: Array, slope: Array
) -> Words:
    """Weights of the words that matter most, and the share of documents that have them.

    Parameters
    ----------
    features
        What training says of them.
    y, kind
        Labels, shape (n, m), and the kind of problem.
    weights
        Of each feature in each column of scores, shape (d, m).
    slope
        Of the log-odds by these scores, (m,).
    """
    typical = features.total_sums / np.maximum(features.total_documents, 1)
    share = features.total_documents / features.n_documents
    matter = np.einsum("fj,fj,j->f", weights, weights, slope**2)
    matter *= typical**2 * share * (1 - share)
    columns = _largest(matter, MOST)
    share = share[columns]
    squares = (weights[columns] * slope * typical[columns, None]).T ** 2
    together = features.documents[:, columns].toarray()
    documents = y.sum(axis=0)
    if kind == "multiclass":
        base = np.zeros(len(columns))
        effects = together / np.maximum(documents, 1)[:, None]
    else:
        effects = regression(y) @ (together - np.outer(documents, share))
        base = share - y.mean(axis=0) @ effects
    return Words(columns, squares.astype(np.float32), base, effects.astype(np.float32), share)


def _largest(values: Array, most: int) -> NDArray[np.intp]:
    """Places of the largest values, ascending; of equal ones the first."""
    if len(values) <= most:
        return np.arange(len(values))
    # Not sorted, which takes ten times as long.
    least = np.partition(values, len(values) - most)[len(values) - most]
    above, at = np.flatnonzero(values > least), np.flatnonzero(values == least)
    return np.sort(np.concatenate([above, at[: most - len(above)]]))


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
    if not hasattr(X, "tocsr"):
        X = sparse.csr_array(np.asarray(X)[:, words.columns] != 0)
        return np.asarray(X.sum(axis=0) if weights is None else weights @ X, np.int64)
    check_sparse(X)
    rows = without_duplicates(X.tocsr())
    if weights is not None:
        return np.asarray(weights @ (rows[:, words.columns] != 0), np.int64)
    documents = np.zeros(rows.shape[1], dtype=np.int32)
    csr_count(rows.indices[: rows.nnz], rows.data[: rows.nnz], documents)
    return documents[words.columns].astype(np.int64)
