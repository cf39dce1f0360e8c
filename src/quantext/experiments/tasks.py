"""Tasks: what an experiment asks of a corpus, class by class or of all classes at once."""

from collections.abc import Container
from dataclasses import dataclass

import numpy as np

from quantext.texts.corpus import Corpus, VectorCorpus

__all__ = ["Task", "all_tasks", "tasks_of_training"]


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
        has one class; else it learns whether a document has the one class that is asked for.
    """

    name: str
    classes: tuple[int, ...]
    joint: bool = False


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
    (Task(name='all classes', classes=(0, 1, 2), joint=True),)
    """
    each = tuple(Task(name, (place,)) for place, name in enumerate(corpus.classes))
    if isinstance(corpus, VectorCorpus) or corpus.multilabel:
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


def _unlike(name: str, others: Container[str]) -> str:
    """The name, in as many brackets as make it unlike all others."""
    while name in others:
        name = f"({name})"
    return name
