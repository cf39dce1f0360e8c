"""Fits: methods fitted to the training documents of a task, and the scores that they share."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from time import process_time
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from quantext.learners.linear import LinearSVM
from quantext.quantifiers import Quantifier
from quantext.scores.scorers import LinearScorer, ModelScorer, Scorer
from quantext.scores.shared import SharedScores
from quantext.scores.training import TrainingScores, score_training

__all__ = [
    "Fit",
    "described",
    "fit_methods",
    "load_kernels",
    "representation",
    "score_documents",
    "scored_together",
]

Array = NDArray[Any]

_ROWS = 16_384  # documents that are scored at a time: bounds the memory of a process


@dataclass(frozen=True)
class Fit:
    """A fitted method, and what it cost.

    Parameters
    ----------
    name
        Of the method.
    quantifier
        Fitted.
    seconds
        What the method costs alone.
    shared_seconds
        The part of it that other methods shared here.
    """

    name: str
    quantifier: Quantifier
    seconds: float
    shared_seconds: float

    @property
    def scores(self) -> TrainingScores:
        """Scores that it was fitted to."""
        scores: TrainingScores = self.quantifier.scores_
        return scores

    @cached_property
    def classifier(self) -> str:
        """What tells its classifier from others."""
        return described(getattr(self.quantifier, "classifier", None))


@cache
def load_kernels(dtype: Any) -> None:
    """Load compiled kernels, once in a process: half a second, and no cost of any method.

    Parameters
    ----------
    dtype
        Of the vectors.
    """
    score_training(LinearSVM(), np.eye(2, dtype=dtype), np.eye(2, 1, dtype=bool), folds=2)


def fit_methods(methods: Mapping[str, Quantifier], X: Any, y: Array) -> list[Fit]:
    """Fitted methods; those that represent documents in the same way share their scores.

    One without cross-validation takes the scorer of those with it, where what it took is known.

    Parameters
    ----------
    methods
        Unfitted quantifiers by name; they are cloned.
    X
        Training documents.
    y
        Their labels, as a quantifier's ``fit`` takes them.
    """
    sharing: dict[Any, list[str]] = {}
    for name, method in methods.items():
        sharing.setdefault(representation(method), []).append(name)
    fits: dict[str, Fit] = {}
    alone: dict[str, tuple[TrainingScores, float]] = {}  # by classifier, without cross-validation
    for how, names in sorted(sharing.items(), key=lambda item: _no_folds(item[0])):
        shared = len(names) > 1
        if _no_folds(how) and how[0] in alone:
            scores, scoring = alone[how[0]]
            shared = True
        else:
            start = process_time()
            # One that counts features asks for most.
            first = max(names, key=lambda name: methods[name].counts_features)
            scores = clone(methods[first]).represent(X, y)
            scoring = process_time() - start
        if scores.fit_seconds is not None:
            known = replace(scores, out_of_fold=None, features=None)
            alone[how[0]] = known, scores.fit_seconds
        if len(names) > 1:
            scores = SharedScores.of(scores)
        for name in names:
            start = process_time()
            fitted = clone(methods[name]).fit_scores(scores)
            seconds = process_time() - start + scoring
            fits[name] = Fit(name, fitted, seconds, scoring if shared else 0.0)
    return [fits[name] for name in methods]


def representation(method: Quantifier) -> tuple[Any, ...]:
    """What tells a method's representation of documents from others.

    Parameters
    ----------
    method
        Unfitted.
    """
    if type(method).represent is not Quantifier.represent:
        return (described(method),)
    return described(method.classifier), method.folds, method.seed


def _no_folds(representation: tuple[Any, ...]) -> bool:
    """Whether it is a classifier's scores without cross-validation."""
    return representation[1:2] == (0,)


def described(estimator: Any) -> str:
    """Class and all parameters of an estimator, those left at their defaults too.

    Of one that is fitted already and stays so, also a fingerprint of what it has learned.
    """
    if isinstance(estimator, FrozenEstimator):
        return f"FrozenEstimator({described(estimator.estimator)}, {joblib.hash(estimator)})"
    if isinstance(estimator, list | tuple):  # the steps of a pipeline, for one
        return f"[{', '.join(map(described, estimator))}]"
    if not hasattr(estimator, "get_params"):
        return repr(estimator)
    params = estimator.get_params(deep=False).items()
    inside = ", ".join(f"{name}={described(value)}" for name, value in params)
    kind = type(estimator)
    # Two classes may have one name.
    known = kind.__module__.partition(".")[0] in ("quantext", "sklearn")
    return f"{'' if known else f'{kind.__module__}.'}{kind.__name__}({inside})"


def scored_together(fits: Sequence[Fit]) -> Iterator[list[Fit]]:
    """Groups of methods whose scores are made in one pass over the documents, and then forgotten.

    Where a scorer gives one score, that is all of them. Where it gives one for each class, only
    methods with the same scorer: with many classes, the scores of one are large enough.

    Parameters
    ----------
    fits
        Fitted methods.
    """
    groups: dict[int, list[Fit]] = {}
    for fit in fits:
        many = fit.scores.y.shape[1] > 1
        groups.setdefault(id(fit.scores.scorer) if many else 0, []).append(fit)
    yield from groups.values()


def score_documents(scorers: Sequence[Scorer], X: sparse.csr_matrix) -> tuple[list[Array], float]:
    """Scores by each scorer, and the seconds that each took for a document.

    Each scorer is asked once, however often it is in the list, and linear ones all together: one
    pass over X serves them all.

    Parameters
    ----------
    scorers
        Of any number of columns.
    X
        Documents.
    """
    start = process_time()
    distinct = list({id(scorer): scorer for scorer in scorers}.values())
    linear = [scorer for scorer in distinct if isinstance(scorer, LinearScorer)]
    others = [scorer for scorer in distinct if not isinstance(scorer, LinearScorer)]
    ends = np.cumsum([len(scorer.intercept) for scorer in linear])[:-1]
    if linear:
        coef = np.hstack([scorer.coef for scorer in linear])
        joined = LinearScorer(coef, np.hstack([scorer.intercept for scorer in linear]))
    scores: dict[int, Array] = {}
    if linear:  # a product takes no memory beside its result, so all rows at once
        parts = np.split(joined(X), ends, axis=1)
        scores |= {id(s): np.ascontiguousarray(p) for s, p in zip(linear, parts, strict=True)}
    # Nor do numbers that no document has a part in.
    scores |= {id(s): s(X) for s in others if isinstance(s, ModelScorer) and s.constant}
    others = [scorer for scorer in others if id(scorer) not in scores]
    for first in range(0, X.shape[0] if others else 0, _ROWS):
        rows = X[first : first + _ROWS]
        for scorer in others:
            part = scorer(rows)
            if first == 0:
                scores[id(scorer)] = np.empty((X.shape[0], part.shape[1]))
            scores[id(scorer)][first : first + _ROWS] = part
    seconds = (process_time() - start) / max(len(distinct) * X.shape[0], 1)
    return [scores[id(scorer)] for scorer in scorers], seconds
