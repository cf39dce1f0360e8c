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
    versions,
    write_json,
    write_piece,
)
from quantext.experiments.pieces import (
    Piece,
    askable,
    check_names,
    gathered,
    make_pieces,
    remove_damaged,
)
from quantext.experiments.rows import Spec, run_task
from quantext.experiments.splits import Split, fingerprint
from quantext.experiments.stored import store, vectorise
from quantext.experiments.tasks import Task, all_tasks
from quantext.experiments.workers import Outcome, Worker, work_off
from quantext.models.methods import METHODS, USUAL_METHODS
from quantext.progress import Progress, silent
from quantext.quantifiers import Quantifier
from quantext.texts.corpus import Corpus, VectorCorpus
from quantext.vectors.ltc import LtcVectorizer
from quantext.wording import counted, listed

__all__ = ["FailedTasksError", "run"]


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
    splits: Split | Sequence[Split],
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
    workers: Sequence[Worker] = (),
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
    splits
        Which of them train, and which make each bag. With several splits methods are trained as
        often, and no two bags have the same name.
    out
        Folder of the run, made if it is not there.
    methods
        Unfitted quantifiers by name; USUAL_METHODS by default.
    tasks
        What is asked; `all_tasks` of the corpus by default. Those without a training document or a
        bag are left out, in each split.
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
    workers
        Processes to begin with, from `workers_ahead`; others are started when they are needed.
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
    methods = methods or {name: METHODS[name].make() for name in USUAL_METHODS}
    vectorizer = vectorizer or LtcVectorizer()
    jobs = jobs or joblib.cpu_count()
    splits = (splits,) if isinstance(splits, Split) else tuple(splits)
    check_names(splits)
    asked = [askable(tasks or all_tasks(corpus), corpus, split) for split in splits]
    pieces = make_pieces(asked, corpus, splits, methods, folder / "tasks")
    places = [(piece.split, piece.place) for piece in pieces]
    spec = Spec(folder, methods, level, replicates, seed, places)
    with locked(folder):
        facts = _facts(corpus, splits, asked, pieces, vectorizer, spec)
        record = claim(folder, facts | dict(about or {}))
        (folder / "failures.json").unlink(missing_ok=True)
        (folder / "tasks").mkdir(exist_ok=True)
        failures: dict[str, str] = {}
        for piece in remove_damaged(asked, pieces, list(methods)):
            _log(folder, piece, [f"{piece.file.name} was damaged, so this is computed again"])
        unfinished = sorted({piece.split for piece in pieces if not piece.file.exists()})
        with _client(scheduler) if unfinished else nullcontext() as client:
            # Vectors of as many splits at a time as there are processes: they are large.
            for first in range(0, len(unfinished), jobs):
                with place_for_vectors(folder) as vectors:
                    now = unfinished[first : first + jobs]
                    progress("vectors", 0, 1)
                    start = perf_counter()
                    for number in now:
                        own = [piece.task for piece in pieces if piece.split == number]
                        stored = vectorise(corpus, splits[number], own, vectorizer, jobs)
                        store(stored, vectors / str(number))
                        record.setdefault("features", stored.train.shape[1])
                    progress("vectors", 1, 1)
                    record["seconds"] = _plus(record, "vectors", start)
                    write_json(folder / "run.json", record)
                    start = perf_counter()
                    # Those started ahead have all ended after the first time.
                    ready = workers if first == 0 else ()
                    # Not by a name: it would keep files open whose folder is about to be removed.
                    work(
                        replace(spec, folder=vectors),
                        pieces, now, failures, jobs, progress, client, ready,
                    )  # fmt: skip
                    record["seconds"] = _plus(record, "tasks", start)
                    write_json(folder / "run.json", record)
        results = gathered(asked, pieces, list(methods))
        if not results.is_empty():
            write_piece(folder / "results.parquet", results)
    if failures:
        raise FailedTasksError(failures, folder)
    return results


def work(
    spec: Spec,
    pieces: Sequence[Piece],
    splits: Sequence[int],
    failures: dict[str, str],
    jobs: int,
    progress: Progress,
    client: Any = None,
    workers: Sequence[Worker] = (),
) -> None:
    """Do all pieces of these splits that have no file yet.

    Parameters
    ----------
    spec
        What to do to a task.
    pieces
        All there are.
    splits
        Numbers of those that `spec.folder` holds.
    failures
        What went wrong, by name, is added to it.
    jobs, progress
        As in `run`.
    client
        Of the scheduler, if there is one.
    workers
        As in `run`.
    """
    undone = [number for number, piece in enumerate(pieces) if not piece.file.exists()]
    # The largest classes take longest, and all labels at once longer than any: begun first, they
    # do not keep all others waiting.
    waiting = [number for number in undone if pieces[number].split in splits]
    waiting.sort(key=lambda number: -pieces[number].positives)
    done = len(pieces) - len(undone)
    progress("tasks", done, len(pieces))
    folder = pieces[0].file.parent.parent
    with closing(_outcomes(spec, waiting, jobs, client, workers)) as outcomes:
        for outcome in outcomes:
            piece = pieces[outcome.task]
            if outcome.warnings:
                _log(folder, piece, outcome.warnings)
            if outcome.result is None:
                failures[piece.name] = outcome.error or ""
                write_json(folder / "failures.json", failures)
            else:
                write_piece(piece.file, outcome.result)
            progress("tasks", done := done + 1, len(pieces))


def _log(folder: Path, piece: Piece, warnings: Sequence[str]) -> None:
    """Write down what there is to say of a piece."""
    with open(folder / "warnings.log", "a", encoding="utf-8") as log:
        log.writelines(f"{piece.name}: {warning}\n" for warning in warnings)


def _client(scheduler: str | None) -> AbstractContextManager[Any]:
    """Inside, a client of the scheduler, or None."""
    if scheduler is None:
        return nullcontext()
    from quantext.experiments.dask_workers import (
        connected,  # it needs Dask, and nothing else here does
    )

    return connected(scheduler, versions())


def _outcomes(
    spec: Spec, tasks: Sequence[int], jobs: int, client: Any, workers: Sequence[Worker]
) -> Generator[Outcome[pl.DataFrame], None, None]:
    """What becomes of the tasks, here or on the workers of a scheduler."""
    work = partial(run_task, spec)
    if client is None:
        return work_off(work, tasks, jobs, workers)
    from quantext.experiments import dask_workers as cluster

    return cluster.work_off(work, tasks, client, versions(), spec.folder)


def _facts(
    corpus: Corpus | VectorCorpus,
    splits: Sequence[Split],
    asked: Sequence[Sequence[Task]],
    pieces: Sequence[Piece],
    vectorizer: LtcVectorizer,
    spec: Spec,
) -> dict[str, Any]:
    """What tells this run from others."""
    texts = isinstance(corpus, Corpus)
    work = repr([(piece.split, piece.task) for piece in pieces])
    notes = dict.fromkeys(note for split in splits for note in split.notes)
    configuration = {
        "methods": {name: described(method) for name, method in spec.methods.items()},
        "vectorizer": described(clone(vectorizer).set_params(n_jobs=None)) if texts else "none",
        "training documents": round(np.mean([len(split.train) for split in splits])),
        "splits": len(splits),
        "bags": sum(len(split.bags) for split in splits),
        "documents of each": fingerprint(splits),
        "tasks": len({task.name for tasks in asked for task in tasks}),
        "classes of each": hashlib.blake2b(work.encode(), digest_size=16).hexdigest(),
        "level": spec.level,
    }
    if spec.level is not None:
        configuration |= {"replicates": spec.replicates, "seed": spec.seed}
    return {
        "corpus": corpus.name,
        "documents": len(corpus),
        "notes": [*corpus.notes, *notes],
        "checksum": corpus.checksum(),
        "configuration": configuration,
        "versions": {"python": platform.python_version()} | versions(),
    }


def _plus(record: Mapping[str, Any], stage: str, start: float) -> dict[str, float]:
    """Seconds by stage, with what has passed since the start."""
    seconds: dict[str, float] = record.get("seconds", {})
    return seconds | {stage: round(seconds.get(stage, 0.0) + perf_counter() - start, 3)}
