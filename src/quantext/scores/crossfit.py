"""What a model's answer says of the truth: P(class | answer), cross-fitted on documents with both.

A document's own truth has no part in its own posterior, so that what posteriors explain of it is
not flattered. One column of labels: shares of the classes among documents with the same answer,
leaving out one at a time, in closed form. Several models, or scores: logistic regression, in folds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.learners.folds import stratified_folds
from quantext.vectors.answers import Answers, Numbers

__all__ = ["Posteriors", "as_given", "cross_fit"]

Array = NDArray[Any]

_TOWARDS_ALL = 1.0  # documents, in shares like those of all, that are added to those of an answer
_FOLDS = 10
_AT_A_TIME = 100_000  # documents


@dataclass(frozen=True)
class Posteriors:
    """P(class | answer) of documents.

    Parameters
    ----------
    own
        Of the documents whose truth is known, each without its own truth; shape (n, K).
    values
        Posteriors from all truths, shape (U, K): one for all documents that are alike.
    rows
        Which of them each of all documents has, shape (T,).
    """

    own: NDArray[np.float64]
    values: NDArray[np.float64]
    rows: NDArray[np.int64]


def cross_fit(
    models: Sequence[Answers | Numbers], known: Array, truth: Array, n_classes: int, seed: int = 0
) -> Posteriors:
    """Posteriors of the classes, given what models say.

    Parameters
    ----------
    models
        What each says of all T documents.
    known
        Numbers of the n documents whose truth is known.
    truth
        Number of the class of each of them.
    n_classes
        Number of classes, K; some may be among no truths.
    seed
        Of the folds.

    Examples
    --------
    >>> from quantext.vectors.answers import read_proxy
    >>> says = read_proxy(["yes", "yes", "yes", "no", "no"])
    >>> posteriors = cross_fit(says, np.array([0, 1, 3]), np.array([1, 1, 0]), 2)
    >>> posteriors.values[posteriors.rows].round(3)[:, 1].tolist()  # (2 + 2/3) / 3 and (2/3) / 2
    [0.889, 0.889, 0.889, 0.333, 0.333]
    """
    if len(models) == 1 and isinstance(models[0], Answers):
        return _by_answer(models[0], known, truth, n_classes)
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # ships no types

    # Threads of BLAS, for products this small, cost four times what they compute: 1.8 s against 0.4
    # for a million documents.
    with threadpool_limits(1, user_api="blas"):
        return _by_regression(models, known, truth, n_classes, seed)


def as_given(values: Array, known: Array) -> Posteriors:
    """Posteriors that are taken as a model gave them.

    Parameters
    ----------
    values
        A number for each document and class, shape (T, K).
    known
        Numbers of the documents whose truth is known.
    """
    own = np.asarray(values, dtype=np.float64)
    return Posteriors(own[known], own, np.arange(len(own)))


def _by_answer(model: Answers, known: Array, truth: Array, n_classes: int) -> Posteriors:
    table = np.zeros((len(model.names), n_classes))
    codes = model.codes[known]
    np.add.at(table, (codes, truth), 1.0)
    number, by_class, by_answer = len(known), table.sum(axis=0), table.sum(axis=1)
    values = table + _TOWARDS_ALL * by_class / number
    values /= (by_answer + _TOWARDS_ALL)[:, None]
    # The same of all documents but one, which is among them once by answer and by class.
    one = np.eye(n_classes)[truth]
    all_but_one = (by_class - one) / max(number - 1, 1)
    own = table[codes] - one + _TOWARDS_ALL * all_but_one
    own /= (by_answer[codes] - 1 + _TOWARDS_ALL)[:, None]
    return Posteriors(own, values, model.codes)


def _by_regression(
    models: Sequence[Answers | Numbers], known: Array, truth: Array, n_classes: int, seed: int
) -> Posteriors:
    features = _Features(models, known)
    X = features(known)
    folds = min(_FOLDS, len(known))
    own = np.zeros((len(known), n_classes))
    fold_of = stratified_folds(truth, folds, seed)
    for fold in range(folds):
        rest, held_out = fold_of != fold, fold_of == fold
        own[held_out] = _regress(X[rest], truth[rest], n_classes)(X[held_out])
    whole = _regress(X, truth, n_classes)
    total = len(models[0])
    codes = _patterns(models)
    if codes is not None:  # labels alone: the same labels, the same posteriors
        _, first, rows = np.unique(codes, return_index=True, return_inverse=True)
        return Posteriors(own, whole(features(first)), rows.reshape(-1))
    starts = range(0, total, _AT_A_TIME)
    parts = [whole(features(np.arange(i, min(i + _AT_A_TIME, total)))) for i in starts]
    return Posteriors(own, np.concatenate(parts), np.arange(total))


def _patterns(models: Sequence[Answers | Numbers]) -> Array | None:
    """A number for what all models together say of each document, if all give labels."""
    codes = np.zeros(len(models[0]), dtype=np.int64)
    for model in models:
        if isinstance(model, Numbers):
            return None
        _, codes = np.unique(codes * len(model.names) + model.codes, return_inverse=True)
    return codes.reshape(-1)


class _Features:
    """A row of numbers for each document: 0 or 1 for each label, numbers in their usual spread."""

    def __init__(self, models: Sequence[Answers | Numbers], known: Array) -> None:
        self.models = models
        numbers = [m.values[known] for m in models if isinstance(m, Numbers)]
        self.centres = [_nan_to_zero(np.nanmean, own) for own in numbers]
        self.spreads = [np.maximum(_nan_to_zero(np.nanstd, own), 1e-12) for own in numbers]

    def __call__(self, rows: Array) -> Array:
        columns = []
        scales = iter(zip(self.centres, self.spreads, strict=True))
        for model in self.models:
            if isinstance(model, Answers):
                columns.append(np.eye(len(model.names))[model.codes[rows]])
                continue
            centre, spread = next(scales)
            values = (model.values[rows] - centre) / spread
            missing = np.isnan(values).max(axis=1, keepdims=True)
            columns += [np.nan_to_num(values), np.asarray(missing, dtype=np.float64)]
        return np.hstack(columns)


def _nan_to_zero(mean: Any, values: Array) -> Array:
    known = ~np.isnan(values).all(axis=0)
    result = np.zeros(values.shape[1])
    result[known] = mean(values[:, known], axis=0)
    return result


def _regress(X: Array, truth: Array, n_classes: int) -> Any:
    """A function that gives the posteriors of rows; classes that are not there get 0."""
    from sklearn.linear_model import LogisticRegression  # slow to load; labels need none

    seen = np.unique(truth)
    fitted = LogisticRegression(max_iter=1000)
    if len(seen) > 1:
        fitted.fit(X, truth)

    def predict(rows: Array) -> Array:
        result = np.zeros((len(rows), n_classes))
        result[:, seen] = fitted.predict_proba(rows) if len(seen) > 1 else 1.0
        return result

    return predict
