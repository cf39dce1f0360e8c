"""Vectors and labels of a run: made once, and stored as plain arrays that processes map."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from quantext.experiments.splits import Split
from quantext.experiments.tasks import Task
from quantext.texts.corpus import Corpus, VectorCorpus
from quantext.vectors.disk import open_vectors, write_vectors
from quantext.vectors.ltc import LtcVectorizer
from quantext.vectors.sparse import check_sparse

__all__ = ["Stored", "load", "store", "vectorise"]


_ROWS = 65_536  # that are written at a time: bounds memory
_ARRAYS = ("y_train", "y_test", "shares")


@dataclass(frozen=True, eq=False)
class Stored:
    """Vectors and labels of an experiment.

    Parameters
    ----------
    train, test
        Vectors of the training documents, and of the documents of all bags, among others.
    y_train, y_test
        Whether each of them (column) has each class (row).
    bags
        Rows of ``test`` that are in each bag.
    classes, names
        Names of the classes and of the bags.
    drawn_for
        Name of the task that each bag was drawn for; None: it is a bag of all tasks.
    in_time
        Whether the names of the bags are periods.
    shares
        True share of each class (column) in each bag (row), where its documents have no labels of
        their own; else NaN.
    tasks
        What is asked, in the pieces that are worked at.
    """

    train: sparse.csr_matrix
    test: sparse.csr_matrix
    y_train: NDArray[np.bool_]
    y_test: NDArray[np.bool_]
    bags: Sequence[NDArray[np.intp]]
    classes: Sequence[str]
    names: Sequence[str]
    drawn_for: Sequence[str | None]
    in_time: bool
    shares: NDArray[np.float64]
    tasks: Sequence[Task]


def vectorise(
    corpus: Corpus | VectorCorpus,
    split: Split,
    tasks: Sequence[Task],
    vectorizer: LtcVectorizer,
    jobs: int,
) -> Stored:
    """Vectors and labels of the documents that the split uses.

    Parameters
    ----------
    corpus, split, vectorizer, jobs
        As in `run`.
    tasks
        What is asked.
    """
    if isinstance(corpus, VectorCorpus):
        check_sparse(corpus.vectors)  # before SciPy takes rows of it
        # All of them, since a copy of some may be too large for memory.
        used, test = np.arange(len(corpus)), corpus.vectors
        train = corpus.vectors[split.train]
    else:
        used = np.unique(np.concatenate([bag.indices for bag in split.bags]))
        learner = clone(vectorizer).set_params(n_jobs=jobs)
        train = learner.fit_transform(corpus.texts.gather(split.train))
        test = learner.transform(corpus.texts.gather(used))
    y = corpus.indicator
    unknown = np.full(len(corpus.classes), np.nan)
    return Stored(
        train,
        test,
        np.ascontiguousarray(y[split.train].T),
        np.ascontiguousarray(y[used].T),
        [np.searchsorted(used, bag.indices) for bag in split.bags],
        corpus.classes,
        [bag.name for bag in split.bags],
        [bag.task for bag in split.bags],
        split.in_time,
        np.array([unknown if bag.shares is None else bag.shares for bag in split.bags]),
        tasks,
    )


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
        parts = (X[first : first + _ROWS] for first in range(0, max(X.shape[0], 1), _ROWS))
        write_vectors(parts, folder / name)
    arrays: dict[str, NDArray[Any]] = {name: getattr(stored, name) for name in _ARRAYS}
    arrays["bags"] = np.concatenate(stored.bags)
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", values)
    about = {
        "sizes": [len(bag) for bag in stored.bags],
        "classes": list(stored.classes),
        "names": list(stored.names),
        "drawn_for": list(stored.drawn_for),
        "in_time": stored.in_time,
        "tasks": [asdict(task) for task in stored.tasks],
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
    arrays = {
        name: np.asarray(np.load(folder / f"{name}.npy", mmap_mode="c"))
        for name in (*_ARRAYS, "bags")
    }
    return Stored(
        open_vectors(folder / "train"),
        open_vectors(folder / "test"),
        arrays["y_train"],
        arrays["y_test"],
        np.split(arrays["bags"], np.cumsum(about["sizes"])[:-1]),
        about["classes"],
        about["names"],
        about["drawn_for"],
        about["in_time"],
        arrays["shares"],
        [_task(**task) for task in about["tasks"]],
    )


def _task(classes: list[int], methods: list[str] | None, **rest: Any) -> Task:
    """Task, as it was before it was written as JSON, which has no tuples."""
    return Task(classes=tuple(classes), methods=None if methods is None else tuple(methods), **rest)
