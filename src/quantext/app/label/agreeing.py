"""What two people said of the same documents: how far they agree, and where they do not."""

import math
from typing import Any

from quantext.app.label.desk import Desk

__all__ = ["agreeing"]

_SHOWN = 200  # disagreements on a page; more come when these are settled


def agreeing(desk: Desk, first: str | None, second: str | None) -> dict[str, Any]:
    """All that the page of two people shows.

    Parameters
    ----------
    desk
        At which they labelled.
    first, second
        Who; by default those who labelled most.
    """
    with desk.lock:
        question, documents = desk.question, list(desk.documents.values())
    assert question is not None
    numbers: dict[str, int] = {}
    for document in documents:
        for by in document.said:
            numbers[by] = numbers.get(by, 0) + 1
    people = sorted(numbers, key=lambda by: -numbers[by])
    pair = [by for by in (first, second) if by in numbers]
    pair += [by for by in people if by not in pair]
    found = {"people": people, "first": None, "second": None, "documents": 0}
    if len(pair) < 2:
        return found

    from quantext.labelling.kappa import agreement

    one, other = pair[:2]
    said = [
        {
            document.row: frozenset(labels)
            for document in documents
            if by in document.said and (labels := document.said[by].labels) is not None
        }
        for by in (one, other)
    ]
    told = agreement(said[0], said[1], question.classes)
    by_row = {document.row: document for document in documents}
    differing = [by_row[row] for row in told.disagreements.tolist()]
    settled = sum(document.settled is not None for document in differing)
    differing.sort(key=lambda document: document.settled is not None)
    return found | {
        "first": one,
        "second": other,
        "documents": told.n_documents,
        "kappa": _number(told.kappa),
        "observed": _number(told.observed),
        "by_class": [
            (name, _number(float(kappa)))
            for name, kappa in zip(told.classes, told.by_class, strict=True)
        ],
        "differing": len(differing),
        "settled": settled,
        "rows": [
            {
                "row": document.row,
                "text": document.text[:20_000],
                "first": list(document.said[one].labels or ()),
                "second": list(document.said[other].labels or ()),
                "settled": None if document.settled is None else document.settled[1].labels,
            }
            for document in differing[:_SHOWN]
        ],
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
