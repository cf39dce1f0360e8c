"""Vectors of a search: made once for all settings that make them in the same way."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, get_tags

from quantext.experiments.search.data import Data
from quantext.experiments.search.settings import Setting, front_of
from quantext.experiments.search.stages import Stage, tested
from quantext.scores.features import ClassFeatures, describe_features

__all__ = ["Piece", "SharedVectors", "Vectors", "pick"]

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Piece:
    """Settings that share their scores, in a stage.

    Parameters
    ----------
    stage, front
        Number of the stage, and what makes its vectors.
    numbers
        Of the settings.
    """

    stage: int
    front: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Vectors:
    """Documents of a stage as vectors.

    Parameters
    ----------
    front
        Fitted to the training documents; None if there is nothing to fit.
    train, test
        Training documents, and those in bags: where these are the same, all documents.
    seconds
        What it took.
    features
        Of the documents that are learned from in each trial, if a method counts features.
    """

    front: Any
    train: Any
    test: Any
    seconds: float
    features: tuple[ClassFeatures | None, ...] | None = None

    @classmethod
    def of(cls, whole: Any, data: Data, stage: Stage) -> "Vectors":
        """Vectors of the documents of a stage."""
        start = perf_counter()
        front = front_of(whole)
        front = None if front is None else clone(front)
        if stage.train is None:
            X = data.X if front is None else _without_labels(front, data.X)
            return cls(front, X, X, perf_counter() - start)
        [trial] = stage.trials
        train, test = (pick(data.X, rows) for rows in (trial.train, tested(trial)))
        if front is not None:
            given = (train, data.part(trial.train)) if isinstance(whole, Pipeline) else (train,)
            train = _csr(front.fit_transform(*given))  # as its `fit` does
            test = _csr(front.transform(test))
        return cls(front, train, test, perf_counter() - start)

    def described(self, stage: Stage, data: Data) -> "Vectors":
        """The same, with features: they depend on the labels, but on no classifier."""
        start = perf_counter()
        features = tuple(
            describe_features(
                self.train if stage.train is not None else pick(self.train, trial.train),
                data.labels.y[trial.train],
            )
            for trial in stage.trials
        )
        return replace(self, features=features, seconds=self.seconds + perf_counter() - start)


class SharedVectors:
    """Vectors that are made when they are first asked for, once, and then kept for the others.

    Parameters
    ----------
    data, stages
        Of a search.
    pieces
        That will ask; when the last of them is done with vectors, they are forgotten.
    """

    def __init__(self, data: Data, stages: Sequence[Stage], pieces: Sequence[Piece]) -> None:
        keys = [(piece.stage, piece.front) for piece in pieces]
        self._data, self._stages = data, stages
        self._waiting = {key: keys.count(key) for key in keys}
        self._locks = {key: Lock() for key in keys}
        self._made: dict[tuple[int, str], Vectors] = {}

    def take(self, piece: Piece, first: Setting) -> Vectors:
        """Vectors for a piece, which asks once.

        Parameters
        ----------
        piece
            Of the search.
        first
            Setting of it; if it counts features, they are described.
        """
        key = piece.stage, piece.front
        stage, data = self._stages[piece.stage], self._data
        with self._locks[key]:
            if key not in self._made:
                self._made[key] = Vectors.of(first.whole, data, stage)
            if first.quantifier.counts_features and self._made[key].features is None:
                self._made[key] = self._made[key].described(stage, data)
            self._waiting[key] -= 1
            return self._made[key] if self._waiting[key] else self._made.pop(key)


def _without_labels(front: Any, X: Any) -> Any:
    """Vectors of documents that know nothing of their labels, as out-of-fold scores must not."""
    try:
        return _csr(front.fit_transform(X))
    except (TypeError, ValueError) as error:
        if not _needs_labels(front, error):
            raise
        raise ValueError(
            f"{error} (what comes before the quantifier is fitted without labels; if it needs "
            "them, make it a part of the classifier, or search with periods or groups)"
        ) from error


def _needs_labels(front: Any, error: Exception) -> bool:
    """Whether a step says that it needs them, or that it misses them."""
    steps = [step for _, step in front.steps] if isinstance(front, Pipeline) else [front]
    said = any(
        hasattr(step, "__sklearn_tags__") and get_tags(step).target_tags.required for step in steps
    )
    return said or re.search(r"\by\b", str(error)) is not None


def _csr(X: Any) -> Any:
    return X.tocsr() if hasattr(X, "tocsr") else X


def pick(X: Any, rows: Indices) -> Any:
    """Some of the documents.

    Parameters
    ----------
    X
        Documents.
    rows
        Their positions.
    """
    return X[rows] if isinstance(X, pl.Series) else _safe_indexing(X, rows)
