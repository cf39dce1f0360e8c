"""Estimates and training scores on Dask, where one machine is outgrown.

What is distributed is what adds up or stands by itself: documents are summarised where they are,
and the columns of labels are learned one by one. All else happens where these functions are called,
by the same code as without Dask. They use the current client, if there is one, and else Dask's
scheduler on this machine. A worker that is lost in between costs time and nothing else: whatever it
held is made again from the task graph.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import CancelledError
from copy import copy
from functools import reduce
from operator import add
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl
from sklearn.frozen import FrozenEstimator

try:
    import dask
    import distributed  # noqa: F401 (it brings the settings that are changed below)
    from dask import delayed
    from dask.bag import Bag
    from dask.utils import is_dataframe_like, is_series_like
except ImportError as error:
    raise ImportError("quantext.distributed needs Dask: pip install 'quantext[dask]'") from error

from quantext.models.bags import BagSummaries, summarise
from quantext.models.estimates import Estimates, aggregate
from quantext.models.save import open_model
from quantext.models.textquantifier import TextQuantifier
from quantext.quantifiers.intervals import check_level, check_replicates
from quantext.scores import training
from quantext.scores.labels import read_labels
from quantext.scores.scorers import LinearScorer, ModelScorer, Scorer
from quantext.scores.training import TrainingScores
from quantext.texts.columns import Columns
from quantext.texts.formats import check_columns
from quantext.texts.paths import Source, find_files
from quantext.texts.periods import Period, truncate
from quantext.texts.reading import read_documents, table_documents
from quantext.vectors.batches import batches
from quantext.vectors.disk import open_vectors
from quantext.vectors.ltc import LtcVectorizer

__all__ = ["estimate", "score_training"]

_FAN_IN = 8  # summaries that are added up by one task


def estimate(
    model: TextQuantifier | Source,
    texts: Any,
    *,
    text: str | Sequence[str] | None = None,
    label: str | None = None,
    separator: str | None = None,
    date: str | None = None,
    by: str | None = None,
    weight: str | None = None,
    period: Period = "week",
    level: float | None = 0.95,
    seed: int = 0,
    replicates: int = 1000,
) -> Estimates:
    """Share and number of documents of each class in every bag, estimated where documents are.

    The result is that of `estimate` for the same documents. They are read
    once. Workers summarise them, a partition or a file at a time, and add the summaries up; these
    are all that travels. For most methods a summary is a few numbers for each bag and class; for
    MS, MM and EMQ it is up to two for each distinct score in training (EMQ of several classes: for
    each distinct posterior among the documents). Estimates and intervals are made here. The model
    travels to each worker once.

    Parameters
    ----------
    model
        Fitted, or the path of a file that ``save`` wrote.
    texts
        A Dask bag of strings, all of them documents; a column of a Dask data frame; a Dask data
        frame; or files on storage that all workers see under the same path: one, a pattern, or a
        list of these, of the formats of `read_documents`. Parquet is the
        fastest of them. A file is the work of one worker, so there should be several.
    text, label, separator, date, by, weight
        Columns of a data frame or of the files, as in `read_corpus`, and the one of weights. Rows
        without a text are left out, rows without a label are not.
    period, level, seed, replicates
        As in `estimate`.

    Returns
    -------
    estimates
        ``estimates.table`` has them all; ``estimates.prevalence``, or ``np.asarray(estimates)``,
        is what ``model.predict`` would return for the texts of a bag.

    Examples
    --------
    >>> import dask.bag
    >>> from quantext import ClassifyAndCount, LinearSVM
    >>> model = TextQuantifier(ClassifyAndCount(LinearSVM())).fit(
    ...     ["great battery", "battery lasts", "screen broke", "broken screen"],
    ...     ["battery", "battery", "screen", "screen"],
    ... )
    >>> week = ["my battery!", "My screen?", "the screen", "screens"]
    >>> estimate(model, dask.bag.from_sequence(week, npartitions=2)).prevalence
    array([0.25, 0.75])
    """
    model = open_model(model)
    if level is not None:
        check_level(level)
        check_replicates(replicates)
    truncate(pl.Series([], dtype=pl.Date), period)  # raises now, and not after the work
    named = {"text": text, "label": label, "separator": separator, "date": date, "by": by}
    named["weight"] = weight
    shared = delayed(_single_threaded(model), traverse=False)
    parts = _parts(shared, texts, {name: value for name, value in named.items() if value})
    if not parts:
        raise ValueError("there is nothing to read; name at least one file")
    total: BagSummaries
    (total,) = _compute(_tree(parts))
    return aggregate(model, total, period=period, level=level, seed=seed, replicates=replicates)


def score_training(
    classifier: Any, X: Any, y: Any, *, folds: int = 50, seed: int = 0
) -> TrainingScores:
    """Fitted scorer and out-of-fold scores of a classifier, columns of labels spread over workers.

    The result is that of `score_training`, but for the seconds. Each class,
    or label, is one task with one thread: its classifier and all of its folds. It is not divided
    further, for coordinate descent takes one document after the other, each step from where the
    last has led, and the folds are learned together in one pass over the documents. So all of X
    must be seen by each worker, and y with one column is scored here, without Dask.

    Parameters
    ----------
    classifier, y, folds, seed
        As in `score_training`.
    X
        Documents: array or sparse matrix, sent to each worker once. Or the folder that
        `write_vectors` wrote on storage that all workers see under the same
        path, or the matrix that was mapped from it: then the path is sent, and workers map it.
    """
    start = perf_counter()
    folder = _folder_of(X)
    labels = read_labels(y)
    if labels.y.shape[1] == 1 or isinstance(classifier, FrozenEstimator):
        documents = X if folder is None else open_vectors(folder)
        return training.score_training(classifier, documents, y, folds=folds, seed=seed)
    # The path, for what is mapped on one worker would be sent to the next as it is in memory.
    documents = delayed(X, traverse=False) if folder is None else folder
    tasks = [
        delayed(_score_column)(classifier, documents, column[:, np.newaxis], folds, seed)
        for column in labels.y.T
    ]
    done: Sequence[TrainingScores] = _compute(*tasks)
    out_of_fold = [part.out_of_fold for part in done if part.out_of_fold is not None]
    return TrainingScores(
        _side_by_side([part.scorer for part in done]),
        np.hstack(out_of_fold) if out_of_fold else None,
        labels.y,
        perf_counter() - start,
        labels.classes,
        labels.kind,
        counts_each_class=done[0].counts_each_class,
    )


# Documents to summaries


def _single_threaded(model: TextQuantifier) -> TextQuantifier:
    """The model with one thread inside, as there are as many tasks at a time as threads."""
    if not isinstance(model.vectorizer_, LtcVectorizer):
        return model
    model = copy(model)
    model.vectorizer_ = copy(model.vectorizer_).set_params(n_jobs=None)
    return model


def _parts(model: Any, texts: Any, named: Mapping[str, Any]) -> list[Any]:
    """Tasks that summarise the documents, one for each file or partition."""
    if isinstance(texts, str | os.PathLike | list | tuple):
        columns = _columns(named, "the files", " (texts in a list need no Dask: model.predict)")
        files = map(os.path.abspath, find_files(texts))  # a worker may be in another folder
        return [delayed(_summarise_file)(model, path, columns) for path in files]
    if isinstance(texts, Bag):
        _check_no_columns(named, "a bag")
        return [
            delayed(_summarise_items)(model, items, f"partition {i} of the bag")
            for i, items in enumerate(texts.to_delayed())
        ]
    if dask.is_dask_collection(texts) and is_series_like(texts):
        _check_no_columns(named, "a column")
        name = texts.name if isinstance(texts.name, str) else "text"
        texts, named = texts.to_frame(name), {"text": name}
    if not (dask.is_dask_collection(texts) and is_dataframe_like(texts)):
        raise TypeError(
            f"texts is a {type(texts).__name__}; give a Dask bag of strings, a Dask data frame or "
            "a column of one, or paths of files"
        )
    columns = _columns(named, "the data frame")
    check_columns(columns.names, list(texts.columns), "the data frame")
    frames = texts[list(columns.names)].to_delayed()
    return [
        delayed(_summarise_frame)(model, frame, columns, f"partition {i} of the data frame")
        for i, frame in enumerate(frames)
    ]


def _columns(named: Mapping[str, Any], what: str, hint: str = "") -> Columns:
    if "text" not in named:
        raise ValueError(f"name the column of {what} that has the texts: text='...'{hint}")
    return Columns(**named)


def _check_no_columns(named: Mapping[str, Any], what: str) -> None:
    if named:
        given = ", ".join(f"{name}={value!r}" for name, value in named.items())
        raise ValueError(f"{what} has no columns to name with {given}; give a data frame instead")


def _check_seen(path: Source) -> None:
    if not os.path.exists(path):
        raise FileNotFoundError(
            f"a worker does not see {path}; put it on storage that all workers see under this path"
        )


def _summarise_file(model: TextQuantifier, path: str, columns: Columns) -> BagSummaries:
    _check_seen(path)
    return summarise(model, read_documents(path, columns, unlabelled=True))


def _summarise_items(model: TextQuantifier, items: Iterable[str], where: str) -> BagSummaries:
    try:
        return summarise(model, ((len(b), pl.DataFrame({"text": b})) for b in batches(items)))
    except TypeError as error:
        raise TypeError(f"{where}: {error}") from error


def _summarise_frame(
    model: TextQuantifier, frame: Any, columns: Columns, where: str
) -> BagSummaries:
    try:
        table = pl.from_pandas(frame)
    except (TypeError, ValueError) as error:  # as pyarrow says that values are of several types
        raise TypeError(
            f"{where} cannot be read ({error}); give each column values of one type"
        ) from error

    return summarise(model, table_documents(table, columns, where))


# Tasks to results


def _tree(parts: list[Any]) -> Any:
    """Sum of the parts, so that no task holds more than a few of them."""
    while len(parts) > 1:
        groups = [parts[i : i + _FAN_IN] for i in range(0, len(parts), _FAN_IN)]
        parts = [delayed(reduce)(add, group) for group in groups]
    return parts[0]


def _compute(*tasks: Any) -> Any:
    """What the tasks return; an error in the input is raised as if all had happened here."""
    # The graph holds the model, or X, once, as it must to be recomputed when a worker dies.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
        try:
            return dask.compute(*tasks)
        except (OSError, TypeError, ValueError) as error:
            raise error.with_traceback(None) from None
        except CancelledError as error:
            raise ConnectionError(
                "the scheduler is lost, or has cancelled the work; start it, and run this again"
            ) from error


# Columns of labels


def _folder_of(X: Any) -> Path | None:
    """The folder that X names, or that it was mapped from as a whole."""
    if isinstance(X, str | os.PathLike):
        return Path(X).absolute()
    if getattr(X, "format", None) != "csr":
        return None
    files = [_file_of(getattr(X, part)) for part in ("data", "indices", "indptr")]
    folder = Path(files[0] or "").parent
    if [folder / f"{part}.npy" for part in ("data", "indices", "indptr")] != files:
        return None
    return folder if open_vectors(folder).shape == X.shape else None


def _file_of(array: Any) -> Path | None:
    """The file that an array is mapped from."""
    while array is not None and not isinstance(array, np.memmap):
        array = getattr(array, "base", None)
    return None if array is None or array.filename is None else Path(array.filename)


def _score_column(classifier: Any, X: Any, column: Any, folds: int, seed: int) -> TrainingScores:
    if isinstance(X, Path):
        _check_seen(X)
        X = open_vectors(X)
    return training.score_training(classifier, X, column, folds=folds, seed=seed, n_jobs=1)


def _side_by_side(scorers: Sequence[Scorer]) -> Scorer:
    """One scorer for all columns, given one for each."""
    linear = [scorer for scorer in scorers if isinstance(scorer, LinearScorer)]
    if not linear:
        models = [scorer.models for scorer in scorers if isinstance(scorer, ModelScorer)]
        return ModelScorer(sum(models, ()))
    zero = np.zeros_like(linear[0].coef)
    coef, intercept = [], []
    for scorer in scorers:
        if isinstance(scorer, LinearScorer):
            coef.append(scorer.coef)
            intercept.append(scorer.intercept)
        elif isinstance(scorer, ModelScorer):  # a column that is constant
            coef.append(zero)
            intercept.append(np.array(scorer.models))
    return LinearScorer(np.hstack(coef), np.concatenate(intercept))
