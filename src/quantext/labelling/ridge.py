"""Kernel ridge regression on few labels, whose predictions without each label are exact.

The kernel adds a constant, shared words, and nearness in themes of words and of letters (with
scores of another model, these too). Least squares is what the estimate asks for: its variance is
that of the differences of truths and predictions. Of all regularised learners it alone tells what
it would have said without one label, for all labels and all documents, without learning again.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.labelling.representation import Features
from quantext.progress import Progress, silent

__all__ = ["Fitted", "fit", "kernel", "population"]

Array = NDArray[Any]

PENALTIES = tuple(10.0 ** np.arange(-1.5, 2.6, 0.5))
_SCORES = 4.0  # weight of a model's scores beside words
_BLOCK = 4096


@dataclass(frozen=True, eq=False)
class Fitted:
    """A function of documents, learned from labels of some of them.

    Parameters
    ----------
    rows
        Documents that it was learned from, shape (m,).
    prior
        What is said where nothing is known, shape (K,).
    weights
        Of each of these documents, shape (m, K).
    left_out
        Truth minus what is said of it by what is learned without it, shape (m, K).
    penalties
        Of each class, shape (K,).
    values, vectors
        Eigenvalues and eigenvectors of the kernel among these documents, shapes (m,) and (m, m).
    """

    rows: NDArray[np.int64]
    prior: NDArray[np.float64]
    weights: NDArray[np.float64]
    left_out: NDArray[np.float64]
    penalties: NDArray[np.float64]
    values: NDArray[np.float64]
    vectors: NDArray[np.float64]

    def shifts(self, sums: Array) -> NDArray[np.float64]:
        """How much a sum of predictions changes if each label is left out, shape (m, K).

        Parameters
        ----------
        sums
            Sums of the kernel over documents with each row, shape (m,).
        """
        turned = self.vectors.T @ sums
        solved = self.vectors @ (turned[:, None] / (self.values[:, None] + self.penalties))
        return -solved * self.left_out


def kernel(features: Features, first: Array, second: Array) -> NDArray[np.float64]:
    """How alike documents are, shape (n, m).

    Parameters
    ----------
    features
        Of all documents.
    first, second
        Numbers of documents.
    """
    words = (features.words[first] @ features.words[second].T).toarray().astype(np.float64)
    found = 1.0 + words
    for themes in _themes(features):
        found += np.exp(2.0 * (themes[first] @ themes[second].T) - 2.0)
    if features.scores is not None:
        scores = features.scores
        found += _SCORES * (scores[first] @ scores[second].T)
    return np.asarray(found)


def fit(
    features: Features, rows: Array, truths: Array, weights: Array, prior: Array, common: bool
) -> Fitted:
    """The function that explains truths best without knowing them.

    Parameters
    ----------
    features
        Of all documents.
    rows
        Documents with a known truth.
    truths
        Whether each is of each class, shape (m, K).
    weights
        How many documents each stands for; the penalty is chosen by them.
    prior
        What is said where nothing is known, shape (K,).
    common
        Whether all classes have one penalty, so that what is said of them sums to what it should.
    """
    values, vectors = np.linalg.eigh(kernel(features, rows, rows))
    values = np.maximum(values, 0.0)
    target = truths.astype(np.float64) - prior
    turned = vectors.T @ target
    squares = vectors**2
    found = []
    for penalty in PENALTIES:
        solved = vectors @ (turned / (values + penalty)[:, None])
        found.append((solved, solved / (squares @ (1 / (values + penalty)))[:, None]))
    errors = np.array([(weights[:, None] * left**2).sum(axis=0) for _, left in found])
    if common:
        errors = np.broadcast_to(errors.sum(axis=1, keepdims=True), errors.shape)
    best = errors.argmin(axis=0)
    columns = range(target.shape[1])
    return Fitted(
        np.asarray(rows, dtype=np.int64),
        np.asarray(prior, dtype=np.float64),
        np.column_stack([found[best[k]][0][:, k] for k in columns]),
        np.column_stack([found[best[k]][1][:, k] for k in columns]),
        np.array(PENALTIES)[best],
        values,
        vectors,
    )


def population(
    features: Features, fitted: Fitted, progress: Progress = silent
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """What is said of all documents, (N, K), and sums of the kernel over them, (m,).

    Parameters
    ----------
    features
        Of all documents.
    fitted
        What was learned.
    progress
        Told how far it is.
    """
    rows, N = fitted.rows, len(features)
    words = features.words[rows]
    of_words = np.asarray(words.T @ fitted.weights.astype(np.float32))
    themes = [(every, np.ascontiguousarray(every[rows].T)) for every in _themes(features)]
    weights = fitted.weights.astype(np.float32)
    said = np.empty((N, fitted.weights.shape[1]), dtype=np.float32)
    total = np.asarray(features.words.sum(axis=0), dtype=np.float64).reshape(-1)
    sums = N + np.asarray(words @ total).reshape(-1)
    offset = fitted.prior + fitted.weights.sum(axis=0)
    of_scores = None
    if (scores := features.scores) is not None:
        of_scores = _SCORES * (scores[rows].T @ fitted.weights)
        sums += _SCORES * (scores[rows] @ scores.sum(axis=0))
    for start in range(0, N, _BLOCK):
        own = slice(start, min(start + _BLOCK, N))
        said[own] = features.words[own] @ of_words + offset
        for every, of_rows in themes:
            near = every[own] @ of_rows
            near -= 1.0
            near *= 2.0
            np.exp(near, out=near)
            said[own] += near @ weights
            sums += near.sum(axis=0, dtype=np.float64)
        if scores is not None and of_scores is not None:
            said[own] += scores[own] @ of_scores
        progress("predictions", own.stop, N)
    return said, sums


def _themes(features: Features) -> list[NDArray[np.float32]]:
    return [part for part in (features.themes, features.letters) if part is not None]
