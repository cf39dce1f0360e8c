"""Trials: the error of settings on every bag, where those with the same scores share them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from quantext.experiments.settings import Setting, front_of
from quantext.experiments.splits import Bag, Split
from quantext.experiments.stages import Data, Stage, tested
from quantext.quantifiers import Quantifier
from quantext.scores.features import ClassFeatures, describe_features
from quantext.scores.scorers import LinearScorer
from quantext.scores.training import TrainingScores, score_training

__all__ = ["Outcome", "Piece", "SharedVectors", "Vectors", "try_piece"]

Array = NDArray[Any]
Indices = NDArray[np.intp]
Measure = Callable[..., Any]


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


# Vectors ------------------------------------------------------------------------------------------


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
        train, test = (_pick(data.X, rows) for rows in (trial.train, tested(trial)))
        if front is not None:
            train = _csr(front.fit_transform(train, data.part(trial.train)))
            test = _csr(front.transform(test))
        return cls(front, train, test, perf_counter() - start)

    def described(self, stage: Stage, data: Data) -> "Vectors":
        """The same, with features: they depend on the labels, but on no classifier."""
        start = perf_counter()
        features = tuple(
            describe_features(
                self.train if stage.train is not None else _pick(self.train, trial.train),
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
        raise ValueError(
            f"{error} (what comes before the quantifier is fitted without labels; if it needs "
            "them, make it a part of the classifier, or search with periods or groups)"
        ) from error


def _csr(X: Any) -> Any:
    return X.tocsr() if hasattr(X, "tocsr") else X


def _pick(X: Any, rows: Indices) -> Any:
    return X[rows] if isinstance(X, pl.Series) else _safe_indexing(X, rows)


# Trying -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of the settings of a piece.

    Parameters
    ----------
    errors
        On each bag of the stage, by the number of the setting; without those that failed.
    seconds
        Of each setting by itself.
    shared_seconds
        Of vectors and scores.
    failures
        What went wrong, by the number of the setting.
    vectors, scores
        Of all documents, if they were tried on these.
    """

    errors: dict[int, NDArray[np.float64]]
    seconds: dict[int, float]
    shared_seconds: float
    failures: dict[int, str]
    vectors: Vectors | None = None
    scores: TrainingScores | None = None

    @property
    def light(self) -> "Outcome":
        """The same without vectors and scores, which are large."""
        return replace(self, vectors=None, scores=None)


@dataclass(frozen=True, eq=False)
class _Lesson:
    """What to learn from in a trial, and what the rows of bags are picked from.

    Parameters
    ----------
    scores
        To be fitted to.
    rows, X
        Of documents; rows are None if only a fitted quantifier can make them of X.
    places
        Of the documents of each bag in rows and X.
    bags
        The bags.
    p_true
        Share of each class in each bag.
    """

    scores: TrainingScores
    rows: Array | None
    X: Any
    places: tuple[Indices, ...]
    bags: tuple[Bag, ...]
    p_true: Array


def try_piece(
    piece: Piece,
    settings: Sequence[Setting],
    stage: Stage,
    data: Data,
    vectors: SharedVectors,
    measure: Measure,
) -> Outcome:
    """Errors of settings that share their scores.

    A setting that raises is a failure, and others go on.

    Parameters
    ----------
    piece
        What to try.
    settings
        All of the search.
    stage
        The one of the piece.
    data
        Documents.
    vectors
        Of them.
    measure
        Error of bags: takes two arrays of shape (bags, parts, classes) and sizes.
    """
    start = perf_counter()
    mine = {number: settings[number].quantifier for number in piece.numbers}
    # One that counts features asks for most.
    first = max(mine, key=lambda number: mine[number].counts_features)
    try:
        found = vectors.take(piece, settings[first])
        began = perf_counter()
        scores, lessons = _lessons(mine[first], found, stage, data)
    except Exception as error:
        why = _said(error)
        return Outcome({}, {}, perf_counter() - start, dict.fromkeys(piece.numbers, why))
    shared = found.seconds + perf_counter() - began
    errors, seconds, failures = {}, {}, {}
    for number, quantifier in mine.items():
        start = perf_counter()
        try:
            tried = [_errors(quantifier, lesson, data, measure) for lesson in lessons]
            errors[number] = np.concatenate(tried)
        except Exception as error:
            failures[number] = _said(error)
        seconds[number] = perf_counter() - start
    if scores is None:
        return Outcome(errors, seconds, shared, failures)
    return Outcome(errors, seconds, shared, failures, found, scores)


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _lessons(
    quantifier: Quantifier, vectors: Vectors, stage: Stage, data: Data
) -> tuple[TrainingScores | None, list[_Lesson]]:
    """Scores of all documents, if they serve, and what there is to learn in each trial."""
    features = vectors.features or (None,) * len(stage.trials)
    if stage.train is not None:
        [trial] = stage.trials
        train, test = vectors.train, vectors.test
        return None, [_held_out(quantifier, train, test, trial, data, features[0], stage.p_true[0])]
    X = vectors.train
    scores = _scored(quantifier, X, data.y)
    lessons = []
    for trial, own, p_true in zip(stage.trials, features, stage.p_true, strict=True):
        if scores.out_of_fold is None:  # so it never sees the documents of the bags
            train, test = (_pick(X, rows) for rows in (trial.train, tested(trial)))
            lessons.append(_held_out(quantifier, train, test, trial, data, own, p_true))
        else:
            rows, y = scores.out_of_fold[trial.train], scores.y[trial.train]
            part = replace(scores, out_of_fold=rows, y=y)
            part = _with_features(part, own, X, trial.train)
            places = tuple(bag.indices for bag in trial.bags)
            lessons.append(_Lesson(part, scores.out_of_fold, X, places, trial.bags, p_true))
    return scores, lessons


def _held_out(
    quantifier: Quantifier,
    train: Any,
    test: Any,
    trial: Split,
    data: Data,
    features: ClassFeatures | None,
    p_true: Array,
) -> _Lesson:
    """What there is to learn where nothing has seen the documents of the bags."""
    scores = _scored(quantifier, train, data.part(trial.train))
    scores = _with_features(scores, features, train, np.arange(len(scores.y)))
    rows = scores.scorer(test) if type(quantifier).rows is Quantifier.rows else None
    there = tested(trial)
    places = tuple(np.searchsorted(there, bag.indices) for bag in trial.bags)
    return _Lesson(scores, rows, test, places, trial.bags, p_true)


def _scored(quantifier: Quantifier, X: Any, y: Any) -> TrainingScores:
    """What the quantifier's `represent` gives, but for the features."""
    if type(quantifier).represent is not Quantifier.represent:
        found: TrainingScores = clone(quantifier).represent(X, y)
        return found
    own = quantifier
    return score_training(own.classifier, X, y, folds=own.folds, seed=own.seed)


def _with_features(
    scores: TrainingScores, features: ClassFeatures | None, X: Any, rows: Indices
) -> TrainingScores:
    """Scores of some documents of X with the features of these, if there are any."""
    if features is None:
        return scores
    if features.sparse and not isinstance(scores.scorer, LinearScorer):
        features = describe_features(_pick(X, rows), scores.y, scores.out_of_fold)
    return replace(scores, features=features)


def _errors(
    quantifier: Quantifier, lesson: _Lesson, data: Data, measure: Measure
) -> NDArray[np.float64]:
    """Error of a quantifier on each bag of a trial."""
    p_hat, own = _estimates(clone(quantifier), lesson, data)
    p_true, classes = lesson.p_true, data.labels.classes
    if data.labels.kind != "multilabel" and not np.array_equal(own, classes):
        # Training documents may lack a class, and a fitted classifier may know one more.
        every = np.union1d(classes, own)
        p_true, p_hat = _placed(p_true, classes, every), _placed(p_hat, own, every)
        classes = every
    names = list(map(str, classes))
    tasks = [None if bag.task is None else names.index(bag.task) for bag in lesson.bags]
    separate = data.labels.kind == "multilabel"
    sizes = np.array([len(bag) for bag in lesson.bags])
    shares = (_asked(p, tasks, separate) for p in (p_true, p_hat))
    errors: NDArray[np.float64] = np.asarray(measure(*shares, sizes[:, None])).mean(axis=1)
    return errors


def _estimates(quantifier: Quantifier, lesson: _Lesson, data: Data) -> tuple[Array, Array]:
    """Estimate of each bag, and the classes that it is of."""
    tasks = [bag.task for bag in lesson.bags]
    scores = lesson.scores
    alone = (
        data.labels.kind == "multilabel"
        and None not in tasks
        and not (quantifier.labels_together or quantifier.counts_features)
        and scores.out_of_fold is not None
        and scores.out_of_fold.shape == scores.y.shape
        and lesson.rows is not None
    )
    if not alone:
        quantifier.fit_scores(scores)
        rows = quantifier.rows(lesson.X) if lesson.rows is None else lesson.rows
        X = lesson.X if quantifier.counts_features and scores.features is not None else None
        p_hat = quantifier.estimate_bags(rows, lesson.places, X)
        return p_hat, np.asarray(quantifier.classes_)
    # Bags are drawn for one label each, so it is enough to look at that one.
    p_hat = np.zeros((len(tasks), scores.y.shape[1]))
    for place, name in enumerate(data.names):
        if mine := [number for number, task in enumerate(tasks) if task == name]:
            assert scores.out_of_fold is not None
            assert lesson.rows is not None
            column = slice(place, place + 1)
            own = scores.out_of_fold[:, column], scores.y[:, column], scores.classes[column]
            quantifier.fit_scores(
                replace(scores, out_of_fold=own[0], y=own[1], classes=own[2], features=None)
            )
            bags = [lesson.places[number] for number in mine]
            p_hat[mine, place] = quantifier.estimate_bags(lesson.rows[:, column], bags)[:, 0]
    return p_hat, np.asarray(scores.classes)


def _placed(shares: Array, own: Array, every: Array) -> Array:
    """Shares of all classes, of which those of some are known; the others have none."""
    placed = np.zeros((len(shares), len(every)))
    placed[:, np.searchsorted(every, own)] = shares
    return placed


def _asked(shares: Array, tasks: Sequence[int | None], separate: bool) -> Array:
    """What is measured of shares, shape (bags, classes): prevalences, (bags, parts, classes)."""
    if None in tasks and not separate:
        return shares[:, None, :]
    if places := [place for place in tasks if place is not None]:
        shares = shares[np.arange(len(shares)), places][:, None]
    shares = np.clip(shares, 0.0, 1.0)  # beyond them by rounding alone
    return np.stack([1 - shares, shares], axis=-1)
