"""Rows of results: what an experiment does to one task, from stored vectors to its rows.

`run_task` is a pure function of the files that `store` wrote and of one task, with one thread
inside.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.experiments.classified import (
    asked_for,
    contingency,
    decisions,
    where_labelled,
)
from quantext.experiments.fits import (
    Fit,
    fit_methods,
    load_kernels,
    score_documents,
    scored_together,
)
from quantext.experiments.results import SCHEMA, TIMES
from quantext.experiments.stored import Stored, load
from quantext.experiments.tasks import Task
from quantext.models.train import quality
from quantext.quantifiers import ClassifyAndCount, Quantifier

__all__ = ["Spec", "run_task"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Spec:
    """What is done to every task.

    Parameters
    ----------
    folder
        Where `store` put the vectors, those of each split in a folder of its number.
    methods
        Unfitted quantifiers by name.
    level
        Of the intervals; None for no intervals.
    replicates
        Of the intervals.
    seed
        Of the intervals.
    tasks
        Split and place, among its tasks, of each task.
    """

    folder: Path
    methods: Mapping[str, Quantifier]
    level: float | None = None
    replicates: int = 1000
    seed: int = 0
    tasks: Sequence[tuple[int, int]] = ()

    def stored(self, split: int) -> Stored:
        """What is stored of a split: opened once, as to check the vectors takes reading them all.

        Parameters
        ----------
        split
            Its number.
        """
        opened: dict[int, Stored] = self.__dict__.setdefault("_opened", {})
        if split not in opened:
            opened[split] = load(self.folder / str(split))
        return opened[split]

    def __getstate__(self) -> dict[str, Any]:
        """All but what is open: whoever it is sent to opens it there."""
        return {own.name: getattr(self, own.name) for own in fields(self)}


def run_task(spec: Spec, number: int) -> pl.DataFrame:
    """Rows of results of one task: every method on every bag, but those drawn for other tasks.

    Where it is the tasks of several labels in one, every bag has rows for all of them, or for the
    one that it was drawn for. A method is then fitted once, and its seconds are divided evenly
    over the labels.

    Parameters
    ----------
    spec
        What to do.
    number
        Of the task.
    """
    split, place = spec.tasks[number]
    data = spec.stored(split)
    task = data.tasks[place]
    load_kernels(data.train.dtype)
    methods = {name: spec.methods[name] for name in task.methods or spec.methods}
    fits = fit_methods(methods, data.train, training_labels(data, task))
    rates = training_rates(fits, task)
    rows = rows_asked_for(data, task)
    mine = np.flatnonzero(rows.any(axis=1)).tolist()
    bags = [data.bags[i] for i in mine]
    y_test = data.y_test[list(task.classes)].T
    known = known_of_bags(data, task, mine, y_test)
    labelled = np.asarray(np.isnan(data.shares[mine]).any(axis=1))
    tasks = len(task.classes) if task.of_labels else 1
    columns = {}
    for group in scored_together(fits):
        scores, seconds = score_documents([fit.scores.scorer for fit in group], data.test)
        for fit, own in zip(group, scores, strict=True):
            X = data.test if fit.quantifier.counts_features else None
            values = known | estimate_bags(fit.quantifier, own, X, bags, task, spec)
            values["predict_seconds"] += seconds * known["size"]
            if isinstance(fit.quantifier, ClassifyAndCount):
                said = [decisions(fit.quantifier, own[bag], task) for bag in bags]
                tables = contingency(said, [y_test[bag] for bag in bags])
                values |= where_labelled(labelled, tables)
            values |= rates.get(fit.classifier, {})
            values |= {"method": fit.name, "fit_seconds": fit.seconds}
            values |= {"shared_seconds": fit.shared_seconds}
            values |= {name: values[name] / tasks for name in TIMES}
            columns[fit.name] = values
    frame = as_rows([columns[fit.name] for fit in fits], rows[mine])
    return frame.with_columns(periods(frame["period"]))


def training_labels(data: Stored, task: Task) -> Array:
    """Labels to fit a method to: the place of each document's class, or 0/1 columns.

    Parameters
    ----------
    data
        Of the experiment.
    task
        What is asked.
    """
    if task.joint:
        return np.asarray(data.y_train.argmax(axis=0))  # of the only one that is true
    return np.ascontiguousarray(data.y_train[list(task.classes)].T)


def rows_asked_for(data: Stored, task: Task) -> NDArray[np.bool_]:
    """Whether each class of the task is asked for in each bag, shape (bags, classes).

    Parameters
    ----------
    data
        Of the experiment.
    task
        What is asked.
    """
    names = task_names(data, task)
    found = [[drawn_for in (None, name) for name in names] for drawn_for in data.drawn_for]
    return np.broadcast_to(np.array(found), (len(found), len(task.classes)))


def task_names(data: Stored, task: Task) -> list[str]:
    """Names that the rows have for a task: its own, or those of the labels that it is of.

    Parameters
    ----------
    data
        Of the experiment.
    task
        What is asked.
    """
    return [data.classes[j] for j in task.classes] if task.of_labels else [task.name]


# Columns of the rows: each broadcasts to bags × classes ----------------------------------------


def known_of_bags(
    data: Stored, task: Task, bags: Sequence[int], y_test: NDArray[np.bool_]
) -> dict[str, Any]:
    """What is known of each bag and class, whatever the method.

    Parameters
    ----------
    data
        Of the experiment.
    task
        What is asked.
    bags
        Which bags it is asked of.
    y_test
        Whether each document of the bags has each class that is asked for.
    """
    y = data.y_train[list(task.classes)]
    names = [data.names[i] for i in bags]
    # A bag that was drawn has no place in time.
    times = [data.names[i] if data.in_time and not data.drawn_for[i] else None for i in bags]
    rows = [data.bags[i] for i in bags]
    given = data.shares[np.ix_(bags, task.classes)]
    counted = np.array([y_test[bag].mean(axis=0) for bag in rows])
    several = len(task.classes) > 1 and not task.of_labels
    return {
        "task": task_names(data, task),
        "bag": np.array(names, dtype=object)[:, np.newaxis],
        "class": [data.classes[j] for j in task.classes] if several else None,
        "period": np.array(times, dtype=object)[:, np.newaxis],
        "size": np.array([len(bag) for bag in rows])[:, np.newaxis],
        "n_train": y.shape[1],
        "p_train": y.mean(axis=1),
        "p_true": np.where(np.isnan(given), counted, given),
    }


def estimate_bags(
    quantifier: Quantifier,
    scores: Array,
    X: Any,
    bags: Sequence[NDArray[np.intp]],
    task: Task,
    spec: Spec,
) -> dict[str, Any]:
    """Estimates of each bag, its part of the seconds they took and, if asked for, its interval.

    A method that gives no intervals has none here either.

    Parameters
    ----------
    quantifier
        Fitted.
    scores
        Of all documents.
    X
        All documents, or None if the method does not look at them.
    bags
        Rows of both that are in each bag.
    task
        What is asked.
    spec
        What is asked for of every task.
    """
    level = spec.level if quantifier.gives_intervals else None
    start = process_time()
    if level is None:
        # Not a method's own way with many bags, which may round otherwise than `predict`.
        p_hat, bounds = Quantifier.estimate_bags(quantifier, scores, bags, X), None
        seconds = process_time() - start
    else:
        p_hat, bounds, seconds = _estimate_with_bounds(quantifier, scores, X, bags, level, spec)
    sizes = np.array([[len(bag)] for bag in bags])
    # A class that was not there in training is not there at all, says a method that knows none.
    columns = {"p_hat": asked_for(p_hat, quantifier, task, 0.0)}
    columns["predict_seconds"] = seconds * sizes / sizes.sum()
    if bounds is not None:
        bounds = asked_for(bounds, quantifier, task, np.nan)
        columns["low"], columns["high"] = bounds[:, 0], bounds[:, 1]
    return columns


def _estimate_with_bounds(
    quantifier: Quantifier,
    scores: Array,
    X: Any,
    bags: Sequence[NDArray[np.intp]],
    level: float,
    spec: Spec,
) -> tuple[Array, Array, float]:
    """Estimates of each bag, their bounds, and the seconds that the estimates took."""
    p_hat, intervals, seconds = [], [], 0.0
    # One bag after the other: summaries of all, with many labels, would be too large.
    for bag in bags:
        rows, documents = scores[bag], None if X is None else X[bag]
        start = process_time()
        summary = quantifier.summarise_scores(rows, documents)
        p_hat.append(quantifier.aggregate(summary))
        seconds += process_time() - start
        intervals.append(quantifier.interval(summary, level, spec.seed, replicates=spec.replicates))
    return np.array(p_hat), np.array(intervals), seconds


def training_rates(fits: Sequence[Fit], task: Task) -> dict[str, dict[str, Array]]:
    """Rates of true and false positives among out-of-fold scores, by classifier.

    Classify-and-count needs no folds, so its rates are those of a method that has the same
    classifier and does.

    Parameters
    ----------
    fits
        Fitted methods.
    task
        What is asked.
    """
    rates = {}
    for fit in fits:
        if fit.scores.out_of_fold is not None and fit.classifier not in rates:
            found = quality(fit.quantifier)
            rates[fit.classifier] = {
                f"{name}_train": asked_for(found[name].to_numpy(), fit.quantifier, task, np.nan)
                for name in ("tpr", "fpr")
            }
    return rates


def as_rows(values: Sequence[Mapping[str, Any]], asked: NDArray[np.bool_]) -> pl.DataFrame:
    """A row for each method and bag and, in each, for each class that is asked for.

    Parameters
    ----------
    values
        Of each method: by name of the column, where it is not null.
    asked
        Whether each class is asked for in each bag.
    """

    def column(name: str) -> list[Any]:
        every = (np.broadcast_to(own.get(name), asked.shape) for own in values)  # type: ignore[arg-type]
        return [value for own in every for value in own[asked].tolist()]

    frame = pl.DataFrame({name: column(name) for name in SCHEMA}, schema=SCHEMA)
    return frame.with_columns(pl.col("tpr_train", "fpr_train", "low", "high").fill_nan(None))


def periods(names: pl.Series) -> pl.Series:
    """Periods of bags: their names, as dates if all of them are days.

    Parameters
    ----------
    names
        Of the bags, null where they have no period.

    Examples
    --------
    >>> periods(pl.Series(["1996-08-27"])).dtype, periods(pl.Series(["wave 9"])).dtype
    (Date, String)
    """
    dates = names.str.to_date("%Y-%m-%d", strict=False)
    return names if dates.null_count() > names.null_count() else dates
