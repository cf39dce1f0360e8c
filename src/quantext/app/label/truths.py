"""What people said, as statistics take it: waves and labels as arrays."""

from collections.abc import Iterable, Sequence

import numpy as np

from quantext.app.label.drawn import Drawn
from quantext.app.label.question import Question
from quantext.app.label.sheet import Document
from quantext.labelling.task import Labels, Task, Wave

__all__ = ["labels_of", "task_of", "waves_of"]


def task_of(question: Question) -> Task:
    """What the question is to statistics."""
    return Task(question.classes, question.several, question.target)


def waves_of(drawn: Sequence[Drawn]) -> list[Wave]:
    """The waves, without texts."""
    return [Wave(np.array(one.places), np.array(one.chances), one.number) for one in drawn]


def labels_of(task: Task, drawn: Sequence[Drawn], documents: Iterable[Document]) -> Labels:
    """Labels that count, of documents that were drawn.

    Parameters
    ----------
    task
        What is asked.
    drawn
        All waves so far.
    documents
        That someone has labelled or skipped. Those that were not drawn have no known chance, and
        are left out.
    """
    places = {row: place for one in drawn for row, place in zip(one.rows, one.places, strict=True)}
    known, truths, skipped = [], [], []
    for document in documents:
        place = places.get(document.row)
        said = document.counts[1].labels
        if place is None:
            continue
        if said is None or (not task.several and len(said) != 1):
            skipped.append(place)
        else:
            known.append(place)
            truths.append([name in said for name in task.classes])
    table = np.array(truths, dtype=bool).reshape(len(known), len(task.classes))
    return Labels(np.array(known, dtype=np.int64), table, np.array(skipped, dtype=np.int64))
