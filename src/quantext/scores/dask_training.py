"""Training scores on Dask: the columns of labels spread over workers."""

import os
from collections.abc import Sequence
from concurrent.futures import CancelledError
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import dask
import numpy as np
from dask import delayed
from sklearn.frozen import FrozenEstimator

from quantext.scores import training
from quantext.scores.features import describe_features
from quantext.scores.labels import read_labels
from quantext.scores.scorers import LinearScorer, ModelScorer, Scorer
from quantext.scores.several import used_as_it_is
from quantext.scores.training import TrainingScores
from quantext.vectors.disk import open_vectors

__all__ = ["check_seen", "compute", "score_training"]


def score_training(
    classifier: Any, X: Any, y: Any, *, folds: int = 50, seed: int = 0, features: bool = False
) -> TrainingScores:
    """Fitted scorer and out-of-fold scores of a classifier, columns of labels spread over workers.

    The result is that of ``quantext.score_training``, but for the seconds. Each class, or label, is
    one task with one thread: its classifier and all of its folds. It is not divided further, for
    coordinate descent takes one document after the other, each step from where the last has led,
    and the folds are learned together in one pass over the documents. So all of X must be seen by
    each worker, and y with one column is scored here, without Dask, as are all classes of a
    classifier that learns them at once; features are described here.

    Parameters
    ----------
    classifier, y, folds, seed, features
        As in ``quantext.score_training``.
    X
        Documents: array or sparse matrix, sent to each worker once. Or the folder that
        `write_vectors` wrote on storage that all workers see under the same
        path, or the matrix that was mapped from it: then the path is sent, and workers map it.
    """
    start = perf_counter()
    folder = _folder_of(X)
    labels = read_labels(y)
    here = partial(_documents, X if folder is None else folder)
    frozen = isinstance(classifier, FrozenEstimator)
    if labels.y.shape[1] == 1 or frozen or used_as_it_is(classifier, labels):
        return training.score_training(
            classifier, here(), y, folds=folds, seed=seed, features=features
        )
    # The path, for what is mapped on one worker would be sent to the next as it is in memory.
    there = delayed(X, traverse=False) if folder is None else folder
    tasks = [
        delayed(_score_column)(classifier, there, column[:, np.newaxis], folds, seed)
        for column in labels.y.T
    ]
    done: Sequence[TrainingScores] = compute(*tasks)
    out_of_fold = [part.out_of_fold for part in done if part.out_of_fold is not None]
    scorer, rows = _side_by_side([part.scorer for part in done]), None
    if out_of_fold:
        rows = np.hstack(out_of_fold)
    described = None
    if features:
        unweighted = None if isinstance(scorer, LinearScorer) else rows
        described = describe_features(here(), labels.y, unweighted)
    return TrainingScores(
        scorer,
        rows,
        labels.y,
        perf_counter() - start,
        labels.classes,
        labels.kind,
        counts_each_class=done[0].counts_each_class,
        features=described,
    )


def compute(*tasks: Any) -> Any:
    """What the tasks return; an error in the input is raised as if all had happened here.

    Parameters
    ----------
    tasks
        Delayed.
    """
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


def check_seen(path: str | os.PathLike[str]) -> None:
    """Raise FileNotFoundError if this worker does not see a path.

    Parameters
    ----------
    path
        That all workers should see.
    """
    if not os.path.exists(path):
        raise FileNotFoundError(
            f"a worker does not see {path}; put it on storage that all workers see under this path"
        )


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
    rows = _documents(X)
    return training.score_training(classifier, rows, column, folds=folds, seed=seed, n_jobs=1)


def _documents(X: Any) -> Any:
    """What X is, or what the folder has that it names."""
    if isinstance(X, Path):
        check_seen(X)
        return open_vectors(X)
    return X.tocsr() if hasattr(X, "tocsr") else X


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
