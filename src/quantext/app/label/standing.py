"""Where a labelling stands: shares with intervals, how many labels are still needed, by whom."""

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quantext.app.label.desk import Desk
from quantext.app.label.drawn import GUIDE, Drawn
from quantext.app.label.question import Question
from quantext.app.label.sheet import Document

if TYPE_CHECKING:
    from quantext.labelling.found import Shares

__all__ = ["current_shares", "standing"]

_HISTORY = "history.jsonl"
_POINTS = 200  # of the picture


def standing(desk: Desk) -> dict[str, Any]:
    """All that is shown beside a document.

    Parameters
    ----------
    desk
        At which documents are labelled.
    """
    found, question, documents = current_shares(desk)
    people: dict[str, int] = {}
    for document in documents.values():
        for by in document.said:
            people[by] = people.get(by, 0) + 1
    widest = float(found.half_width.max())
    history = _history(desk.state / _HISTORY, found.n_labels, widest)
    numbers = {
        name: [None if math.isnan(one) else one for one in getattr(found, name).tolist()]
        for name in ("share", "low", "high", "half_width")
    }
    return numbers | {
        "names": list(found.names),
        "counts": found.counts.tolist(),
        "labels": found.n_labels,
        "skipped": found.n_skipped,
        "target": question.target,
        "needed": found.needed_more,
        "reached": found.reached,
        "lacking": list(found.lacking),
        "notes": list(found.notes),
        "people": sorted(people.items(), key=lambda pair: -pair[1]),
        "history": history,
    }


def current_shares(desk: Desk) -> tuple["Shares", Question, Mapping[int, Document]]:
    """Shares now, of what question, and from which documents.

    Parameters
    ----------
    desk
        At which documents are labelled.
    """
    with desk.lock:
        question, waves, documents = desk.question, list(desk.waves), desk.documents
    if question is None or not waves:
        raise ValueError("nothing is prepared yet")
    return _shares(desk.state, question, waves, documents), question, documents


def _shares(
    state: Path, question: Question, drawn: Sequence[Drawn], documents: Mapping[int, Document]
) -> "Shares":
    # Here and not above: it takes a second to import, which a label must not wait for.
    from quantext.app.label.truths import labels_of, task_of, waves_of
    from quantext.labelling.found import shares
    from quantext.labelling.guide import Guide

    task, waves = task_of(question), waves_of(drawn)
    labels = labels_of(task, drawn, documents.values())
    guide = None
    with suppress(FileNotFoundError, ValueError):  # none yet, or damaged, or a class was added
        found = Guide.load(state / GUIDE)
        found.check(drawn[0].n_documents, waves, len(task.classes))
        guide = found
    return shares(task, drawn[0].n_documents, waves, labels, guide)


def _history(path: Path, n_labels: int, half_width: float) -> list[tuple[int, float]]:
    """Half width of the widest interval by number of labels, with what it is now."""
    known: dict[int, float] = {}
    with suppress(FileNotFoundError):
        for line in path.read_text(encoding="ascii", errors="replace").splitlines():
            with suppress(ValueError, TypeError):  # half a line, if the server was killed
                number, width = json.loads(line)
                known[int(number)] = float(width)
    if n_labels and known.get(n_labels) != half_width:
        known[n_labels] = half_width
        with open(path, "a", encoding="ascii") as file:
            file.write(json.dumps([n_labels, half_width]) + "\n")
    points = sorted((number, width) for number, width in known.items() if number <= n_labels)
    step = 1 + len(points) // _POINTS
    return points[:-1][::step] + points[-1:]
