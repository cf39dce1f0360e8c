"""An experiment: every method on every task and bag, in one long table, resumable at any moment.

Each class with a positive training document and a bag is a task; so, where a document has one class
of several, are all classes together. Methods that look at overlapping labels together answer all
tasks in one piece of work, all others one task after the other. Work is done by processes, of this
machine or of a cluster, and what is finished is a file in the run's folder, so that a run that was
stopped, however rudely, goes on where it was.
"""

import hashlib
import platform
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from itertools import compress
from pathlib import Path
from time import perf_counter
from typing import Any

import joblib
import numpy as np
import polars as pl
from sklearn.base import clone

from quantext.experiments.fits import described
from quantext.experiments.folder import (
    claim,
    locked,
    place_for_vectors,
    read_frame,
    write_frame,
    write_json,
)
from quantext.experiments.protocols import Split
from quantext.experiments.results import SCHEMA
from quantext.experiments.rows import Spec, run_task
from quantext.experiments.stored import Stored, store, vectorise
from quantext.experiments.tasks import Task, all_tasks, work_on
from quantext.experiments.workers import Outcome, work_off
from quantext.models.methods import METHODS
from quantext.progress import Progress, silent
from quantext.quantifiers import Quantifier
from quantext.texts.corpus import Corpus, VectorCorpus
from quantext.vectors.ltc import LtcVectorizer
from quantext.wording import counted, listed

__all__ = ["FailedTasksError", "run"]

# What the numbers of a run depend on.
_PACKAGES = ("quantext", "numpy", "scipy", "scikit-learn", "numba", "PyStemmer")


class FailedTasksError(RuntimeError):
    """Some tasks of a run failed; the results of the others are in its folder.

    Parameters
    ----------
    failures
        What went wrong, by the name of the task.
    folder
        Of the run.
    """

    def __init__(self, failures: Mapping[str, str], folder: Path) -> None:
        first = next(iter(failures.values())).partition("\n")[0]
        super().__init__(
            f"{counted(len(failures), 'task')} failed: {listed(failures)}. The first: {first} "
            f"(all are in {folder / 'failures.json'}; run the same again to try them once more)"
        )
        self.failures = dict(failures)
        self.folder = folder


def run(
    corpus: Corpus | VectorCorpus,
    split: Split,
    out: Path | str,
    *,
    methods: Mapping[str, Quantifier] | None = None,
    tasks: Sequence[Task] | None = None,
    vectorizer: LtcVectorizer | None = None,
    level: float | None = None,
    replicates: int = 1000,
    seed: int = 0,
    jobs: int | None = None,
    scheduler: str | None = None,
    progress: Progress = silent,
    about: Mapping[str, Any] | None = None,
) -> pl.DataFrame:
    """Results: a row for every task, method, bag and class of the task, in this order.

    The folder ends with ``results.parquet``, the same table; ``run.json``, what was run; and, if
    there was reason to, ``warnings.log`` and ``failures.json``. If the folder has tasks of the same
    run that are finished, they are not run again.

    Parameters
    ----------
    corpus
        Documents with labels.
    split
        Which of them train, and which make each bag.
    out
        Folder of the run, made if it is not there.
    methods
        Unfitted quantifiers by name; all of METHODS by default.
    tasks
        What is asked; `all_tasks` of the corpus by default. Those without a training document or a
        bag are left out.
    vectorizer
        Makes vectors of texts; `LtcVectorizer` with its defaults by default.
    level
        Of the intervals, such as 0.95; None for no intervals.
    replicates, seed
        Of the intervals.
    jobs
        Number of processes; by default one for each processor.
    scheduler
        Address of a Dask scheduler, whose workers then do the tasks, one at a time each. All of
        them must see the folder of the run under the same path. Vectors are made here, with as many
        threads as ``jobs`` says.
    progress
        Is called with the stage, how much of it is done, and how much there is.
    about
        Further facts to be recorded in ``run.json``.

    Raises
    ------
    FailedTasksError
        When all tasks have been tried and some failed.
    ConnectionError
        When the scheduler does not answer, or no longer. To run the same again goes on, with this
        scheduler, another or none.
    """
    folder = Path(out)
    methods = methods or {name: method.make() for name, method in METHODS.items()}
    vectorizer = vectorizer or LtcVectorizer()
    jobs = jobs or joblib.cpu_count()
    spec = Spec(folder, methods, level, replicates, seed)
    tasks = _askable(all_tasks(corpus) if tasks is None else tasks, corpus, split)
    pieces = work_on(tasks, corpus, split.train, methods)
    with locked(folder):
        facts = _facts(corpus, split, tasks, pieces, vectorizer, spec)
        record = claim(folder, facts | dict(about or {}))
        (folder / "failures.json").unlink(missing_ok=True)
        (folder / "tasks").mkdir(exist_ok=True)
        files = [folder / "tasks" / f"{piece:05}.parquet" for piece in range(len(pieces))]
        failures: dict[str, str] = {}
        with place_for_vectors(folder) as vectors:
            if not all(file.exists() for file in files):
                with _client(scheduler) as client:
                    progress("vectors", 0, 1)
                    start = perf_counter()
                    stored = vectorise(corpus, split, pieces, vectorizer, jobs)
                    store(stored, vectors)
                    progress("vectors", 1, 1)
                    record["features"] = stored.train.shape[1]
                    record["seconds"] = _plus(record, "vectors", start)
                    write_json(folder / "run.json", record)
                    start = perf_counter()
                    spec = replace(spec, folder=vectors)
                    failures = work(spec, stored, files, jobs, progress, client)
                    record["seconds"] = _plus(record, "tasks", start)
                    write_json(folder / "run.json", record)
        results = _gathered(tasks, pieces, files, list(methods))
        if not results.is_empty():
            write_frame(folder / "results.parquet", results)
    if failures:
        raise FailedTasksError(failures, folder)
    return results


def _gathered(
    tasks: Sequence[Task], pieces: Sequence[Task], files: Sequence[Path], methods: Sequence[str]
) -> pl.DataFrame:
    """Rows of the tasks that did not fail, by task, method and bag, from the files of the pieces.

    Of a task that failed there are no rows, also not of methods that answered it in another piece:
    methods are compared on the same test sets.
    """
    there = [file.exists() for file in files]
    failed = {piece.name for piece, done in zip(pieces, there, strict=True) if not done}
    names = [task.name for task in tasks if task.name not in failed]
    frames = [read_frame(file) for file in compress(files, there)]
    rows = pl.concat(frames) if frames else pl.DataFrame(schema=SCHEMA)
    return rows.filter(pl.col("task").is_in(names)).sort(
        pl.col("task").cast(pl.Enum(names)),
        pl.col("method").cast(pl.Enum(methods)),
        maintain_order=True,
    )


def work(
    spec: Spec,
    stored: Stored,
    files: Sequence[Path],
    jobs: int,
    progress: Progress,
    client: Any = None,
) -> dict[str, str]:
    """What went wrong, by task, after trying all tasks that have no file yet.

    Parameters
    ----------
    spec
        What to do to a task.
    stored
        What `spec.folder` holds.
    files
        Where the rows of each task go.
    jobs, progress
        As in `run`.
    client
        Of the scheduler, if there is one.
    """
    waiting = [task for task, file in enumerate(files) if not file.exists()]
    # The largest classes take longest, and all labels at once longer than any: begun first, they
    # do not keep all others waiting.
    waiting.sort(key=lambda task: -_positives(stored, task))
    done = len(files) - len(waiting)
    progress("tasks", done, len(files))
    failures: dict[str, str] = {}
    folder = files[0].parent.parent
    with closing(_outcomes(spec, waiting, jobs, client)) as outcomes:
        for outcome in outcomes:
            name = stored.tasks[outcome.task].name
            if outcome.warnings:
                with open(folder / "warnings.log", "a", encoding="utf-8") as log:
                    log.writelines(f"{name}: {warning}\n" for warning in outcome.warnings)
            if outcome.result is None:
                failures[name] = outcome.error or ""
                write_json(folder / "failures.json", failures)
            else:
                write_frame(files[outcome.task], outcome.result)
            progress("tasks", done := done + 1, len(files))
    return failures


def _client(scheduler: str | None) -> AbstractContextManager[Any]:
    """Inside, a client of the scheduler, or None."""
    if scheduler is None:
        return nullcontext()
    from quantext.experiments.dask_workers import (
        connected,  # it needs Dask, and nothing else here does
    )

    return connected(scheduler, _versions())


def _outcomes(
    spec: Spec, tasks: Sequence[int], jobs: int, client: Any
) -> Generator[Outcome[pl.DataFrame], None, None]:
    """What becomes of the tasks, here or on the workers of a scheduler."""
    work = partial(run_task, spec)
    if client is None:
        return work_off(work, tasks, jobs)
    from quantext.experiments import dask_workers as cluster

    return cluster.work_off(work, tasks, client, _versions(), spec.folder)


def _positives(stored: Stored, task: int) -> int:
    """Number of training documents of the classes that a task asks for."""
    return int(np.count_nonzero(stored.y_train[list(stored.tasks[task].classes)]))


def _askable(
    tasks: Sequence[Task], corpus: Corpus | VectorCorpus, split: Split
) -> tuple[Task, ...]:
    """Tasks that have a training document and a bag."""
    trained = np.asarray(corpus.indicator[split.train].any(axis=0))
    if not trained.any():
        raise ValueError(f"corpus {corpus.name!r}: no training document has a class")
    drawn_for = {bag.task for bag in split.bags}
    found = tuple(
        task
        for task in tasks
        if (task.joint or trained[list(task.classes)].any())
        and (None in drawn_for or task.name in drawn_for)
    )
    if not found:
        raise ValueError(f"corpus {corpus.name!r}: no bag is of a class with training documents")
    return found


def _facts(
    corpus: Corpus | VectorCorpus,
    split: Split,
    tasks: Sequence[Task],
    pieces: Sequence[Task],
    vectorizer: LtcVectorizer,
    spec: Spec,
) -> dict[str, Any]:
    """What tells this run from others."""
    texts = isinstance(corpus, Corpus)
    configuration = {
        "methods": {name: described(method) for name, method in spec.methods.items()},
        "vectorizer": described(clone(vectorizer).set_params(n_jobs=None)) if texts else "none",
        "training documents": len(split.train),
        "bags": len(split.bags),
        "documents of each": _checksum(split),
        "tasks": len(tasks),
        "classes of each": hashlib.blake2b(repr(pieces).encode(), digest_size=16).hexdigest(),
        "level": spec.level,
    }
    if spec.level is not None:
        configuration |= {"replicates": spec.replicates, "seed": spec.seed}
    return {
        "corpus": corpus.name,
        "documents": len(corpus),
        "notes": [*corpus.notes, *split.notes],
        "checksum": corpus.checksum(),
        "configuration": configuration,
        "versions": {"python": platform.python_version()} | _versions(),
    }


def _versions() -> dict[str, str]:
    return {package: version(package) for package in _PACKAGES}


def _checksum(split: Split) -> str:
    digest = hashlib.blake2b(split.train.tobytes(), digest_size=16)
    for bag in split.bags:
        drawn_for = f" of {bag.task}" if bag.task is not None else ""
        digest.update(f"{bag.name}: {len(bag)}{drawn_for}".encode() + bag.indices.tobytes())
    return digest.hexdigest()


def _plus(record: Mapping[str, Any], stage: str, start: float) -> dict[str, float]:
    """Seconds by stage, with what has passed since the start."""
    seconds: dict[str, float] = record.get("seconds", {})
    return seconds | {stage: round(seconds.get(stage, 0.0) + perf_counter() - start, 3)}
