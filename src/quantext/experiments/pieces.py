"""Pieces of work: the tasks of each split of a run, and the rows that come of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from quantext.experiments.folder import DamagedFileError, check_file, damaged, read_piece
from quantext.experiments.results import SCHEMA, STORED
from quantext.experiments.splits import Split
from quantext.experiments.tasks import Task, tasks_of_bags, work_on
from quantext.quantifiers import Quantifier
from quantext.texts.corpus import Corpus, VectorCorpus

__all__ = ["Piece", "askable", "check_names", "gathered", "make_pieces", "remove_damaged"]


def check_names(splits: Sequence[Split]) -> None:
    """Raise if two bags have the same name: rows are told apart by it.

    Parameters
    ----------
    splits
        Of one run.
    """
    names = [bag.name for split in splits for bag in split.bags]
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise ValueError(f"two bags are called {twice[0]!r}; give each a name of its own")


def askable(tasks: Sequence[Task], corpus: Corpus | VectorCorpus, split: Split) -> tuple[Task, ...]:
    """Tasks that have a training document and a bag.

    Parameters
    ----------
    tasks
        What is asked.
    corpus
        With labels.
    split
        Of its documents.
    """
    trained = np.asarray(corpus.indicator[split.train].any(axis=0))
    if not trained.any():
        raise ValueError(f"corpus {corpus.name!r}: no training document has a class")
    drawn_for = {bag.task for bag in split.bags}
    found = tuple(
        task
        for task in tasks_of_bags(tasks, corpus, drawn_for)
        if task.joint or trained[list(task.classes)].any()
    )
    if not found:
        raise ValueError(f"corpus {corpus.name!r}: no bag is of a class with training documents")
    return found


@dataclass(frozen=True)
class Piece:
    """A piece of work: a task of a split.

    Parameters
    ----------
    split, place
        Number of the split, and of the task in it.
    task
        What is asked.
    name
        Of the task and, of several splits, of the split.
    positives
        Number of training documents of the classes that it asks for.
    file
        Where its rows go.
    """

    split: int
    place: int
    task: Task
    name: str
    positives: int
    file: Path


def make_pieces(
    asked: Sequence[Sequence[Task]],
    corpus: Corpus | VectorCorpus,
    splits: Sequence[Split],
    methods: Mapping[str, Quantifier],
    folder: Path,
) -> list[Piece]:
    """All there is to do.

    Parameters
    ----------
    asked
        Tasks of each split.
    corpus, splits, methods
        As in `run`.
    folder
        Of the files.
    """
    pieces: list[Piece] = []
    for number, split in enumerate(splits):
        positives = np.asarray(corpus.indicator[split.train].sum(axis=0))
        of_split = f" ({split.name})" if len(splits) > 1 else ""
        tasks = work_on(asked[number], corpus, split.train, methods) if asked[number] else ()
        for place, task in enumerate(tasks):
            there = int(positives[list(task.classes)].sum())
            file = folder / f"{len(pieces):05}.parquet"
            pieces.append(Piece(number, place, task, f"{task.name}{of_split}", there, file))
    return pieces


def remove_damaged(
    asked: Sequence[Sequence[Task]], pieces: Sequence[Piece], methods: Sequence[str]
) -> list[Piece]:
    """Pieces whose files are damaged; these are taken away, so that the pieces are done again.

    Parameters
    ----------
    asked, pieces, methods
        As in `gathered`.
    """
    removed = []
    for piece in pieces:
        check_file(piece.file)
        if piece.file.exists():
            try:
                rows = read_piece(piece.file, STORED)
                told = _tasks_told(piece.task, asked[piece.split])
                for column, own in (("task", told), ("method", piece.task.methods or methods)):
                    if not rows[column].is_in(own).all():
                        raise damaged(piece.file, f"it has a {column} that was not asked for")
            except DamagedFileError:
                piece.file.unlink()
                removed.append(piece)
    return removed


def _tasks_told(task: Task, asked: Sequence[Task]) -> list[str]:
    """Names of the tasks that rows of a piece are of: its own, or those of each of its labels."""
    if not task.of_labels:
        return [task.name]
    return [own.name for own in asked if not own.joint and {*own.classes} <= {*task.classes}]


def gathered(
    asked: Sequence[Sequence[Task]], pieces: Sequence[Piece], methods: Sequence[str]
) -> pl.DataFrame:
    """Rows of the tasks that did not fail, by task, method and bag, from the files of the pieces.

    Of a task that failed there are no rows of that split, also not of methods that answered it in
    another piece: methods are compared on the same test sets.

    Parameters
    ----------
    asked
        Tasks of each split.
    pieces
        All there are.
    methods
        Names, in order.
    """
    frames = []
    for number, tasks in enumerate(asked):
        mine = [piece for piece in pieces if piece.split == number]
        failed = {piece.task.name for piece in mine if not piece.file.exists()}
        names = [task.name for task in tasks if task.name not in failed]
        frames += [
            read_piece(piece.file).filter(pl.col("task").is_in(names))
            for piece in mine
            if piece.file.exists()
        ]
    if not frames:
        return pl.DataFrame(schema=SCHEMA)
    return pl.concat(frames).sort(
        pl.col("task").cast(pl.Enum(_names(asked))),
        pl.col("method").cast(pl.Enum(methods)),
        maintain_order=True,
    )


def _names(asked: Sequence[Sequence[Task]]) -> list[str]:
    """Names of the tasks of all splits."""
    return list(dict.fromkeys(task.name for tasks in asked for task in tasks))
