"""What is taken home from a labelling: a page and a table of the shares."""

import csv
import io
import json
from contextlib import suppress

from quantext import atomic
from quantext.app.label.desk import Desk
from quantext.app.label.standing import current_shares
from quantext.app.results import note_result

__all__ = ["finish", "finished"]

_FILES = ("shares.html", "shares.csv")
_NOTE = "finished.json"


def finished(desk: Desk) -> dict[str, str] | None:
    """Names of the page and of the table that were written the last time, if they are there.

    Parameters
    ----------
    desk
        At which documents are labelled.
    """
    with suppress(OSError, ValueError, KeyError, TypeError):
        noted = json.loads((desk.state / _NOTE).read_bytes())
        names = {what: str(noted[what]) for what in ("page", "table")}
        if all(desk.folder.file(name).is_file() for name in names.values()):
            return names
    return None


def finish(desk: Desk) -> dict[str, str]:
    """Names of the page and of the table of the shares as they are now.

    Parameters
    ----------
    desk
        At which documents are labelled.
    """
    from quantext.reports.labelled_page import labelled_page

    found, question, documents = current_shares(desk)
    n_documents = desk.waves[0].n_documents
    people = list(dict.fromkeys(by for one in documents.values() for by in one.said))
    facts = {
        "Table": question.table,
        "Texts": ", ".join(question.text),
        "Labelled by": ", ".join(people),
        "A document has": "any number of classes" if question.several else "one class",
    }
    text = labelled_page(found, n_documents, 0.95, facts)
    with desk.lock:
        page, table = _FILES
        names = finished(desk)
        if names is None:  # files of others of these names stay
            free = desk.folder.free_name
            names = {"page": free(page), "table": free(table)}
        atomic.write(desk.folder.file(names["page"]), [text.encode()])
        held = io.StringIO(newline="")
        writer = csv.writer(held, lineterminator="\n")
        writer.writerow(["class", "share", "low", "high", "labelled"])
        columns = (found.names, found.share, found.low, found.high, found.counts)
        for name, share, low, high, count in zip(*columns, strict=True):
            writer.writerow([name, f"{share:.6f}", f"{low:.6f}", f"{high:.6f}", count])
        atomic.write(desk.folder.file(names["table"]), [held.getvalue().encode()])
        atomic.write(desk.state / _NOTE, [json.dumps(names).encode()])
        note_result(desk.folder, names["page"], [names["table"]], question.table)
    return names
