"""Tasks: what an experiment asks of a corpus, class by class or of all classes at once."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from quantext.quantifiers import Quantifier
from quantext.texts.corpus import Corpus, VectorCorpus

__all__ = ["Task", "all_tasks", "tasks_of_bags", "tasks_of_training", "work_on"]


@dataclass(frozen=True)
class Task:
    """What is asked of each bag, and so what a method is trained on.

    Parameters
    ----------
    name
        That of the class, if one is asked for; else a name that no class has.
    classes
        Places, among those of the corpus, of the classes whose prevalence is asked.
    joint
        Whether a method learns the class of each document, as `train` has it do where a document
        has one class; else it learns whether a document has each class that is asked for.
    methods
        Names of the methods that are asked; None: all.
    """

    name: str
    classes: tuple[int, ...]
    joint: bool = False
    methods: tuple[str, ...] | None = None

    @property
    def of_labels(self) -> bool:
        """Whether it is the tasks of several labels in one, with rows for each of them."""
        return not self.joint and len(self.classes) > 1


def tasks_of_training(corpus: Corpus | VectorCorpus) -> tuple[Task, ...]:
    """Tasks that measure exactly what `train` would fit.

    Where a document has one class, that is one task of all classes that occur. If there are two,
    one of them is asked for, the rarer, since any error is that of the other too. Where a document
    may have several classes, each is a task.

    Parameters
    ----------
    corpus
        With labels.

    Examples
    --------
    >>> import polars as pl
    >>> texts, labels = pl.Series(["a", "b", "c"]), pl.Series(["dear", "fast", "slow"])
    >>> tasks_of_training(Corpus("answers", texts, labels))
    (Task(name='all classes', classes=(0, 1, 2), joint=True, methods=None),)
    """
    each = tuple(Task(name, (place,)) for place, name in enumerate(corpus.classes))
    if _overlaps(corpus):
        return each
    counts = corpus.indicator.sum(axis=0)
    there = np.flatnonzero(counts).tolist()
    if len(there) < 2:
        return each
    if len(there) == 2:
        rarer = min(there, key=lambda place: int(counts[place]))
        return (Task(corpus.classes[rarer], (rarer,), joint=True),)
    return (Task(_unlike("all classes", corpus.classes), tuple(there), joint=True),)


def all_tasks(corpus: Corpus | VectorCorpus) -> tuple[Task, ...]:
    """Each class against the rest and then, where a document has one of several, all at once.

    Parameters
    ----------
    corpus
        With labels.
    """
    trained = tasks_of_training(corpus)
    if len(trained) > 1 or len(trained[0].classes) == 1:
        return trained
    return (*(Task(name, (place,)) for place, name in enumerate(corpus.classes)), *trained)


def tasks_of_bags(
    tasks: Sequence[Task], corpus: Corpus | VectorCorpus, drawn_for: Container[str | None]
) -> tuple[Task, ...]:
    """Tasks that bags were drawn for: all, or one for each class that some were drawn for.

    Where a document has one class, a method learns all of them and is asked for this one.

    Parameters
    ----------
    tasks
        What is asked.
    corpus
        With labels.
    drawn_for
        What the bags were drawn for; None: for all tasks.
    """
    if None in drawn_for:
        return tuple(tasks)
    named = {task.name: task for task in tasks}
    return tuple(
        named.get(name) or Task(name, (place,), joint=not corpus.multilabel)
        for place, name in enumerate(corpus.classes)
        if name in drawn_for
    )


def work_on(
    tasks: Sequence[Task],
    corpus: Corpus | VectorCorpus,
    train: NDArray[np.intp],
    methods: Mapping[str, Quantifier],
) -> tuple[Task, ...]:
    """Pieces of work that answer the tasks, each method fitted to what `train` would fit it to.

    That is a piece for each task. But where a document may have several labels, methods that look
    at labels together have one piece instead, the last: of all labels that are there in training,
    whichever are asked for.

    Parameters
    ----------
    tasks
        What is asked.
    corpus
        With labels.
    train
        Positions of the training documents.
    methods
        Quantifiers by name.
    """
    labels = np.flatnonzero(corpus.indicator[train].any(axis=0)).tolist()
    together = tuple(name for name, method in methods.items() if method.labels_together)
    if not _overlaps(corpus) or len(labels) < 2 or not together:
        return tuple(tasks)
    apart = tuple(name for name in methods if name not in together)
    each = [replace(task, methods=apart) for task in tasks if apart]
    name = _unlike("all labels", corpus.classes)
    return (*each, Task(name, tuple(labels), methods=together))


def _overlaps(corpus: Corpus | VectorCorpus) -> bool:
    """Whether a document may have several classes."""
    return corpus.multilabel


def _unlike(name: str, others: Container[str]) -> str:
    """The name, in as many brackets as make it unlike all others."""
    while name in others:
        name = f"({name})"
    return name
