"""Trials: the error of settings on every bag, where those with the same scores share them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from quantext.experiments.search.apart import apart
from quantext.experiments.search.data import Data
from quantext.experiments.search.settings import Setting
from quantext.experiments.search.stages import Stage, tested
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

_TOGETHER = 1000  # bags that are estimated at a time


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
        What is asked of each bag, shape (bags, parts, classes).
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
    if stage.train is not None:
        [trial], [p_true] = stage.trials, stage.p_true
        [features] = vectors.features or (None,)
        train, test = vectors.train, vectors.test
        return None, [_held_out(quantifier, train, test, trial, data, features, p_true)]
    X = vectors.train
    scores = _scored(quantifier, X, data.y)
    if scores.out_of_fold is None:
        return scores, [_apart(quantifier, X, *trial, data) for trial in apart(stage, data)]
    described = vectors.features or (None,) * len(stage.trials)
    lessons = []
    for trial, features, p_true in zip(stage.trials, described, stage.p_true, strict=True):
        rows, y = scores.out_of_fold[trial.train], scores.y[trial.train]
        part = replace(scores, out_of_fold=rows, y=y)
        part = _with_features(part, features, X, trial.train)
        places = tuple(bag.indices for bag in trial.bags)
        lessons.append(_Lesson(part, scores.out_of_fold, X, places, trial.bags, p_true))
    return scores, lessons


def _apart(quantifier: Quantifier, X: Any, trial: Split, p_true: Array, data: Data) -> _Lesson:
    """What there is to learn where the classifier of all documents has seen those of the bags."""
    train, test = (pick(X, rows) for rows in (trial.train, tested(trial)))
    counts = quantifier.counts_features
    features = describe_features(train, data.labels.y[trial.train]) if counts else None
    return _held_out(quantifier, train, test, trial, data, features, p_true)


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
    p_true = lesson.p_true
    p_hat, own = _estimates(clone(quantifier), lesson, data)
    if not np.array_equal(own, data.labels.classes):
        # Training documents may lack a class, and a fitted classifier may know one more.
        every = np.union1d(data.labels.classes, own)
        p_true, p_hat = _placed(p_true, data.labels.classes, every), _placed(p_hat, own, every)
    sizes = np.array([len(bag) for bag in lesson.bags])
    errors: NDArray[np.float64] = measure(p_true, p_hat, sizes[:, None]).mean(axis=1)
    if wrong := int(np.isnan(errors).sum()):
        raise ValueError(f"the measure gave NaN for {wrong:,} of {len(errors):,} bags")
    return errors


def _estimates(quantifier: Quantifier, lesson: _Lesson, data: Data) -> tuple[Array, Array]:
    """Estimates of what is asked of each bag, and the classes that they are of."""
    tasks = [bag.task for bag in lesson.bags]
    scores, classes = lesson.scores, data.labels.classes
    multilabel = data.labels.kind == "multilabel"
    alone = (
        multilabel
        and None not in tasks
        and not (quantifier.labels_together or quantifier.counts_features)
        and scores.out_of_fold is not None
        and scores.out_of_fold.shape == scores.y.shape
        and lesson.rows is not None
    )
    if alone:
        return _two(_of_one_label(quantifier, lesson, data.names)), classes
    quantifier.fit_scores(scores)
    own = np.asarray(quantifier.classes_)
    rows = quantifier.rows(lesson.X) if lesson.rows is None else lesson.rows
    X = lesson.X if quantifier.counts_features and scores.features is not None else None
    names = {str(name): place for place, name in enumerate(own)}
    parts = []
    # Some at a time, for with many labels there are many bags, and only one is asked of each.
    for start in range(0, len(tasks), _TOGETHER):
        some = slice(start, start + _TOGETHER)
        shares = quantifier.estimate_bags(rows, lesson.places[some], X)
        if tasks[0] is not None:
            known = np.column_stack([shares, np.zeros(len(shares))])  # a class it lacks has none
            places = [names.get(str(task), -1) for task in tasks[some]]
            shares = known[np.arange(len(shares)), places][:, None]
        parts.append(shares)
    shares = np.concatenate(parts)
    if tasks[0] is not None:
        return _two(shares), classes
    return (_two(shares), classes) if multilabel else (shares[:, None, :], own)


def _of_one_label(quantifier: Quantifier, lesson: _Lesson, names: Sequence[str]) -> Array:
    """Share of the label that each bag was drawn for: it is enough to look at that one."""
    scores, rows = lesson.scores, lesson.rows
    assert scores.out_of_fold is not None
    assert rows is not None
    asked: dict[str | None, list[int]] = {}
    for number, bag in enumerate(lesson.bags):
        asked.setdefault(bag.task, []).append(number)
    shares = np.zeros((len(lesson.bags), 1))
    for place, name in enumerate(names):
        if mine := asked.get(name, []):
            column = slice(place, place + 1)
            own = scores.out_of_fold[:, column], scores.y[:, column], scores.classes[column]
            quantifier.fit_scores(
                replace(scores, out_of_fold=own[0], y=own[1], classes=own[2], features=None)
            )
            bags = [lesson.places[number] for number in mine]
            shares[mine] = quantifier.estimate_bags(rows[:, column], bags)
    return shares


def _two(shares: Array) -> Array:
    """Prevalences, shape (bags, parts, 2), of shares that are each measured by itself."""
    shares = np.clip(shares, 0.0, 1.0)  # beyond them by rounding alone
    return np.stack([1 - shares, shares], axis=-1)


def _placed(shares: Array, own: Array, every: Array) -> Array:
    """Shares of all classes, of which those of some are known; the others have none."""
    placed = np.zeros((*shares.shape[:-1], len(every)))
    placed[..., np.searchsorted(every, own)] = shares
    return placed
