"""Trials: the error of settings on every bag, where those with the same scores share them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from quantext.experiments.search.settings import Setting
from quantext.experiments.search.stages import Data, Stage, tested
from quantext.experiments.search.vectors import Piece, SharedVectors, Vectors, pick
from quantext.experiments.splits import Bag, Split
from quantext.quantifiers import Quantifier
from quantext.scores.features import ClassFeatures, describe_features
from quantext.scores.scorers import LinearScorer
from quantext.scores.training import TrainingScores, score_training

__all__ = ["Outcome", "try_piece"]

Array = NDArray[Any]
Indices = NDArray[np.intp]
Measure = Callable[..., Any]


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
            train, test = (pick(X, rows) for rows in (trial.train, tested(trial)))
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
        features = describe_features(pick(X, rows), scores.y, scores.out_of_fold)
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
