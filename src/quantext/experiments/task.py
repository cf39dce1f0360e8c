"""Tasks: what an experiment does to one class, from stored vectors to rows of results.

The vectors of all documents are written once, as plain arrays that every process maps into its
memory; `run_task` is a pure function of these files and of one task, with one thread inside.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from quantext.learners.linear import LinearSVM
from quantext.quantifiers import ClassifyAndCount, Quantifier
from quantext.scores.scorers import LinearScorer, Scorer
from quantext.scores.training import TrainingScores, score_training
from quantext.vectors.disk import open_vectors, write_vectors

__all__ = ["SCHEMA", "TIMES", "Spec", "Stored", "load", "run_task", "store"]

Array = NDArray[Any]

TIMES = ("fit_seconds", "shared_seconds", "predict_seconds")
"""The columns of results that differ between two runs of the same experiment.

They are seconds of processor time, so they do not depend on what else the machine is doing.
"""

SCHEMA: Mapping[str, Any] = {
    **dict.fromkeys(("task", "method", "bag"), pl.String),
    "period": pl.String,
    **dict.fromkeys(("size", "n_train"), pl.Int64),
    **dict.fromkeys(("p_train", "p_true", "p_hat"), pl.Float64),
    **dict.fromkeys(("tp", "fp", "fn", "tn"), pl.Int64),
    **dict.fromkeys(("tpr_train", "fpr_train", "low", "high", *TIMES), pl.Float64),
}
"""Columns of results; ``period`` is a Date where all bags have a day for a name."""

_ROWS = 16_384  # documents that are scored at a time: bounds the memory of a process


@dataclass(frozen=True)
class Spec:
    """What is done to every task.

    Parameters
    ----------
    folder
        Where `store` put the vectors.
    methods
        Unfitted quantifiers by name.
    level
        Of the intervals; None for no intervals.
    replicates
        Of the intervals.
    seed
        Of the intervals.
    """

    folder: Path
    methods: Mapping[str, Quantifier]
    level: float | None = None
    replicates: int = 1000
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Stored:
    """Vectors and labels of an experiment.

    Parameters
    ----------
    train, test
        Vectors of the training documents, and of the documents of all bags.
    y_train, y_test
        Their labels, a row per task.
    bags
        Rows of ``test`` that are in each bag.
    tasks, names
        Names of the tasks and of the bags.
    drawn_for
        The task that each bag was drawn for; None: it is a bag of all tasks.
    """

    train: sparse.csr_matrix
    test: sparse.csr_matrix
    y_train: NDArray[np.bool_]
    y_test: NDArray[np.bool_]
    bags: Sequence[NDArray[np.intp]]
    tasks: Sequence[str]
    names: Sequence[str]
    drawn_for: Sequence[str | None]


def store(stored: Stored, folder: Path) -> None:
    """Write the vectors as files that `load` maps into memory.

    Parameters
    ----------
    stored
        What to write.
    folder
        Where to; made if it is not there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, X in (("train", stored.train), ("test", stored.test)):
        write_vectors([X], folder / name)
    arrays = {"y_train": stored.y_train, "y_test": stored.y_test}
    arrays["bags"] = np.concatenate(stored.bags)
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", values)
    about = {
        "sizes": [len(bag) for bag in stored.bags],
        "tasks": list(stored.tasks),
        "names": list(stored.names),
        "drawn_for": list(stored.drawn_for),
    }
    (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")


def load(folder: Path) -> Stored:
    """Vectors and labels that `store` wrote, mapped and not read.

    Parameters
    ----------
    folder
        Where they are.
    """
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    # Copy on write: kernels are compiled for arrays that may be written to, though none does.
    y_train, y_test, bags = (
        np.asarray(np.load(folder / f"{name}.npy", mmap_mode="c"))
        for name in ("y_train", "y_test", "bags")
    )
    return Stored(
        open_vectors(folder / "train"),
        open_vectors(folder / "test"),
        y_train,
        y_test,
        np.split(bags, np.cumsum(about["sizes"])[:-1]),
        about["tasks"],
        about["names"],
        about["drawn_for"],
    )


def run_task(spec: Spec, task: int) -> pl.DataFrame:
    """Rows of results of one task: every method on every bag, but those drawn for other tasks.

    Parameters
    ----------
    spec
        What to do.
    task
        Number of the task.
    """
    data = load(spec.folder)
    y, y_test = data.y_train[task], data.y_test[task]
    load_kernels(data.train.dtype)
    fits = fit_methods(spec.methods, data.train, y)
    scores, seconds_a_score = score_documents([fit.scores.scorer for fit in fits], data.test)
    rates = training_rates(fits)
    mine = [i for i, other in enumerate(data.drawn_for) if other in (None, data.tasks[task])]
    bags = [data.bags[i] for i in mine]
    sizes = np.array([len(bag) for bag in bags])
    truth = [y_test[bag] for bag in bags]
    columns: dict[str, list[Any]] = {name: [] for name in SCHEMA}
    for fit, column in zip(fits, scores, strict=True):
        parts = [column[bag] for bag in bags]
        tpr_train, fpr_train = rates.get(fit.classifier, (None, None))
        values: dict[str, Any] = dict.fromkeys(SCHEMA)
        values |= estimate_bags(fit.quantifier, parts, spec)
        values["predict_seconds"] += seconds_a_score * sizes
        if isinstance(fit.quantifier, ClassifyAndCount):
            values |= contingency([part[:, 0] > 0 for part in parts], truth)
        values |= {
            "task": data.tasks[task],
            "method": fit.name,
            "bag": [data.names[i] for i in mine],
            # A bag that was drawn has no place in time.
            "period": [None if data.drawn_for[i] else data.names[i] for i in mine],
            "size": sizes,
            "n_train": len(y),
            "p_train": y.mean(),
            "p_true": [part.mean() for part in truth],
            "tpr_train": tpr_train,
            "fpr_train": fpr_train,
            "fit_seconds": fit.seconds,
            "shared_seconds": fit.shared_seconds,
        }
        for name, value in values.items():
            columns[name] += np.broadcast_to(value, len(sizes)).tolist()
    frame = pl.DataFrame(columns, schema=SCHEMA)
    return frame.with_columns(periods(frame["period"]))


def load_kernels(dtype: Any) -> None:
    """Load compiled kernels: half a second in a new process, and no cost of any method.

    Parameters
    ----------
    dtype
        Of the vectors.
    """
    score_training(LinearSVM(), np.eye(2, dtype=dtype), np.eye(2, 1, dtype=bool), folds=2)


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

    @property
    def classifier(self) -> str:
        """What tells its classifier from others."""
        return described(getattr(self.quantifier, "classifier", None))


def fit_methods(methods: Mapping[str, Quantifier], X: Any, y: NDArray[np.bool_]) -> list[Fit]:
    """Fitted methods; those with the same classifier, folds and seed share their scores.

    Parameters
    ----------
    methods
        Unfitted quantifiers by name; they are cloned.
    X
        Training documents.
    y
        Their labels.
    """
    column = y[:, np.newaxis]
    # Without a classifier there is nothing to share.
    keys = {
        name: (described(q.classifier), q.folds, q.seed) if hasattr(q, "classifier") else (name,)
        for name, q in methods.items()
    }
    fits, shared = [], {}
    for name, key in keys.items():
        quantifier = clone(methods[name])
        if len(key) == 1:
            start = process_time()
            quantifier.fit(X, column)
            fits.append(Fit(name, quantifier, process_time() - start, 0.0))
            continue
        start = process_time()
        if key not in shared:
            scores = score_training(
                quantifier.classifier, X, column, folds=quantifier.folds, seed=quantifier.seed
            )
            shared[key] = scores, process_time() - start
            start = process_time()
        scores, scoring = shared[key]
        quantifier.fit_scores(scores)
        seconds = process_time() - start + scoring
        alone = list(keys.values()).count(key) == 1
        fits.append(Fit(name, quantifier, seconds, 0.0 if alone else scoring))
    return fits


def described(estimator: Any) -> str:
    """Class and all parameters of an estimator, those left at their defaults too."""
    if not hasattr(estimator, "get_params"):
        return repr(estimator)
    params = estimator.get_params(deep=False).items()
    inside = ", ".join(f"{name}={described(value)}" for name, value in params)
    return f"{type(estimator).__name__}({inside})"


def score_documents(scorers: Sequence[Scorer], X: sparse.csr_matrix) -> tuple[list[Array], float]:
    """Scores by each scorer, of shape (n, 1), and the seconds that one score took.

    Each scorer is asked once, however often it is in the list, and linear ones all together: one
    pass over X serves them all.

    Parameters
    ----------
    scorers
        Of one column each.
    X
        Documents.
    """
    start = process_time()
    distinct = list({id(scorer): scorer for scorer in scorers}.values())
    linear = [scorer for scorer in distinct if isinstance(scorer, LinearScorer)]
    others = [scorer for scorer in distinct if not isinstance(scorer, LinearScorer)]
    columns = {id(scorer): j for j, scorer in enumerate([*linear, *others])}
    joined: list[Scorer] = list(others)
    if linear:
        coef = np.hstack([scorer.coef for scorer in linear])
        joined.insert(0, LinearScorer(coef, np.hstack([scorer.intercept for scorer in linear])))
    scores = np.empty((len(distinct), X.shape[0]))
    for first in range(0, X.shape[0], _ROWS):
        rows = X[first : first + _ROWS]
        scores[:, first : first + _ROWS] = np.hstack([scorer(rows) for scorer in joined]).T
    seconds = (process_time() - start) / max(scores.size, 1)
    return [scores[columns[id(scorer)], :, np.newaxis] for scorer in scorers], seconds


def training_rates(fits: Sequence[Fit]) -> dict[str, tuple[float | None, float | None]]:
    """Rates of true and false positives among out-of-fold scores, by classifier.

    Classify-and-count needs no folds, so its rates are those of a method that has the same
    classifier and does.

    Parameters
    ----------
    fits
        Fitted methods.
    """
    rates = {}
    for fit in fits:
        if fit.scores.out_of_fold is not None and fit.classifier not in rates:
            positive, y = fit.scores.out_of_fold[:, 0] > 0, fit.scores.y[:, 0]
            rates[fit.classifier] = (_share(positive[y]), _share(positive[~y]))
    return rates


def _share(positive: NDArray[np.bool_]) -> float | None:
    return float(positive.mean()) if len(positive) else None


def estimate_bags(quantifier: Quantifier, bags: Sequence[Array], spec: Spec) -> dict[str, Any]:
    """Estimates of each bag, its part of the seconds they took and, if asked for, its interval.

    Parameters
    ----------
    quantifier
        Fitted.
    bags
        Scores of each bag.
    spec
        What is asked for.
    """
    start = process_time()
    summaries = [quantifier.summarise_scores(scores) for scores in bags]
    p_hat = np.array([quantifier.aggregate(summary)[0] for summary in summaries])
    seconds = process_time() - start
    sizes = np.array([len(scores) for scores in bags])
    columns = {"p_hat": p_hat, "predict_seconds": seconds * sizes / sizes.sum()}
    if spec.level is not None:
        intervals = [
            quantifier.interval(summary, spec.level, spec.seed, replicates=spec.replicates)
            for summary in summaries
        ]
        columns["low"], columns["high"] = np.array(intervals)[:, :, 0].T
    return columns


def contingency(
    positive: Sequence[NDArray[np.bool_]], truth: Sequence[NDArray[np.bool_]]
) -> dict[str, Array]:
    """Contingency table of each bag.

    Parameters
    ----------
    positive
        Whether each document of each bag was put in the class.
    truth
        Whether it is in it.
    """
    pairs = list(zip(positive, truth, strict=True))
    return {
        "tp": np.array([np.count_nonzero(p & y) for p, y in pairs]),
        "fp": np.array([np.count_nonzero(p & ~y) for p, y in pairs]),
        "fn": np.array([np.count_nonzero(~p & y) for p, y in pairs]),
        "tn": np.array([np.count_nonzero(~p & ~y) for p, y in pairs]),
    }
