"""What someone is shown: documents that wait for them, and those that they may look at again."""

from dataclasses import dataclass

from quantext.app.label.desk import Desk

__all__ = ["Shown", "last", "outdated", "waiting"]


@dataclass(frozen=True)
class Shown:
    """A document to look at.

    Parameters
    ----------
    row, text
        Of the table.
    labels
        What the person said of it before; None: nothing, or it was skipped.
    """

    row: int
    text: str
    labels: tuple[str, ...] | None = None


def waiting(desk: Desk, by: str) -> list[Shown]:
    """Drawn documents of which someone has not said anything yet, in their order.

    Parameters
    ----------
    desk
        At which documents are labelled.
    by
        Who labels.
    """
    with desk.lock:
        documents = desk.documents
        return [
            Shown(row, text)
            for wave in desk.waves
            for row, text in zip(wave.rows, wave.texts, strict=True)
            if row not in documents or by not in documents[row].said
        ]


def outdated(desk: Desk, by: str) -> list[Shown]:
    """Documents that someone labelled before a class was added, which they may be of.

    Parameters
    ----------
    desk
        At which documents are labelled.
    by
        Who labels.
    """
    with desk.lock:
        since = max(desk.question.added.values(), default="") if desk.question else ""
        own = [(one, one.said[by]) for one in desk.documents.values() if by in one.said]
        return [Shown(one.row, one.text, said.labels) for one, said in own if said.time < since]


def last(desk: Desk, by: str) -> Shown | None:
    """The document of which someone spoke last.

    Parameters
    ----------
    desk
        At which documents are labelled.
    by
        Who labels.
    """
    own = [(one.said[by].time, one) for one in desk.documents.values() if by in one.said]
    if not own:
        return None
    _, one = max(own, key=lambda pair: pair[0])
    return Shown(one.row, one.text, one.said[by].labels)
