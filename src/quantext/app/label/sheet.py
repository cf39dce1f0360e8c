"""``labels.csv``: what people said, a line for each document, as an ordinary table.

The columns are ``row`` (of the table that was labelled, counted from 1 below the header), ``text``,
``label`` (several are joined by semicolons; a lone semicolon: none of the classes; blank: skipped),
``note``, ``by``, ``wave``, ``chance`` and ``time``. Once a second person has labelled, each has two
more columns: what they said, and when; ``label`` is what counts then, and ``settled`` says where it
was settled between them. Columns of others stay as they are.
"""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from quantext import atomic
from quantext.app.label.question import SKIPPED

__all__ = ["Document", "Said", "read_sheet", "signature", "write_sheet"]

_COLUMNS = ("row", "text", "label", "note", "by", "wave", "chance", "time")
_BY, _AT, _SETTLED = "label by ", "time by ", "settled"
_NONE = ";"  # readers of tables split it in two blanks: a list without labels
_LARGEST_CELL = 1 << 27


@dataclass(frozen=True)
class Said:
    """What someone said of a document.

    Parameters
    ----------
    labels
        Classes, of which there may be none; None: it was skipped.
    time
        When, as ISO 8601 has it, in UTC.
    """

    labels: tuple[str, ...] | None
    time: str


@dataclass
class Document:
    """A document that someone has labelled or skipped.

    Parameters
    ----------
    row, text
        Of the table.
    wave, chance
        In which it was drawn, and how likely that was; as they stand in the file.
    note
        Of whoever wrote one last.
    said
        By each person, the first one first.
    settled
        What was settled on between them, and who did so; None: nothing was.
    others
        Cells of columns that are not ours.
    """

    row: int
    text: str
    wave: str
    chance: str
    note: str = ""
    said: dict[str, Said] = field(default_factory=dict)
    settled: tuple[str, Said] | None = None
    others: dict[str, str] = field(default_factory=dict)

    @property
    def counts(self) -> tuple[str, Said]:
        """What counts, and whose it is: what was settled, else the first label, else a skip."""
        if self.settled is not None:
            return self.settled
        labelled = [(by, one) for by, one in self.said.items() if one.labels is not None]
        return (labelled or list(self.said.items()))[0]


def signature(path: Path) -> tuple[int, int, int] | None:
    """What changes when a file is written by anyone; None if there is no file."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def write_sheet(path: Path, documents: Iterable[Document]) -> None:
    """Bring all labels to the disk, whole or not at all.

    Parameters
    ----------
    path
        Of the file.
    documents
        In the order in which they were labelled.
    """
    documents = list(documents)
    people = list(dict.fromkeys(by for one in documents for by in one.said))
    several = len(people) > 1 or any(one.settled for one in documents)
    header = list(_COLUMNS)
    if several:
        header += [_SETTLED, *(column + by for by in people for column in (_BY, _AT))]
    header += dict.fromkeys(name for one in documents for name in one.others)
    held = io.StringIO(newline="")
    writer = csv.writer(held, lineterminator="\n")
    writer.writerow(header)
    for one in documents:
        cells = _cells(one) | one.others
        writer.writerow([cells.get(name, "") for name in header])
    atomic.write(path, [held.getvalue().encode("utf-8")])


def _cells(document: Document) -> dict[str, str]:
    by, counts = document.counts
    cells = {
        "row": str(document.row),
        "text": document.text,
        "label": "" if counts.labels is None else _cell(counts),
        "note": document.note,
        "by": by,
        "wave": document.wave,
        "chance": document.chance,
        "time": counts.time,
        _SETTLED: "yes" if document.settled else "",
    }
    for person, said in document.said.items():
        cells |= {_BY + person: _cell(said), _AT + person: said.time}
    return cells


def _cell(said: Said) -> str:
    if said.labels is None:
        return SKIPPED
    return "; ".join(said.labels) or _NONE


def read_sheet(path: Path, classes: Iterable[str]) -> list[Document]:
    """All documents of the file, which may have been changed in a spreadsheet meanwhile.

    Parameters
    ----------
    path
        Of the file.
    classes
        All names that may be in it.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} is not UTF-8 any more; save it as CSV in UTF-8") from None
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    csv.field_size_limit(_LARGEST_CELL)
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise ValueError(f"{path.name} cannot be read: {error}") from None
    header = lines[0] if lines else []
    if missing := [name for name in _COLUMNS if name not in header]:
        raise ValueError(
            f"{path.name} has no column {missing[0]!r}: it is not what was labelled here, or was "
            "changed; give it another name, or put the column back"
        )
    allowed = frozenset(classes)
    documents: dict[int, Document] = {}
    for number, line in enumerate(lines[1:], 1):
        if not any(line):
            continue
        cells = dict(zip(header, line, strict=False))
        document = _document(cells, allowed, f"{path.name}, row {number}")
        if document.row in documents:
            raise ValueError(f"{path.name}, row {number}: row {document.row} is there twice")
        documents[document.row] = document
    return list(documents.values())


def _document(cells: Mapping[str, str], classes: frozenset[str], where: str) -> Document:
    """A line of the file."""
    own = {name: cells.get(name, "") for name in _COLUMNS}
    if not own["row"].isascii() or not own["row"].isdigit():
        raise ValueError(f"{where}: {own['row'][:20]!r} is not the number of a row")
    people = [name.removeprefix(_BY) for name in cells if name.startswith(_BY)]
    said = {}
    for by in people:
        if cells[_BY + by]:
            labels = _labels(cells[_BY + by], classes, where)
            said[by] = Said(labels, cells.get(_AT + by, own["time"]))
    counts = own["by"] or "?", Said(_labels(own["label"], classes, where), own["time"])
    settled = counts if cells.get(_SETTLED) else None
    if settled is None and (not people or own["by"] not in said):
        said[counts[0]] = counts[1]
    elif settled is None and said[own["by"]].labels != counts[1].labels:
        said[own["by"]] = counts[1]  # someone has changed in a spreadsheet what counts
    ours = {*_COLUMNS, _SETTLED, *(column + by for by in people for column in (_BY, _AT))}
    return Document(
        int(own["row"]), own["text"], own["wave"], own["chance"], own["note"], said, settled,
        {name: cell for name, cell in cells.items() if name not in ours},
    )  # fmt: skip


def _labels(cell: str, classes: frozenset[str], where: str) -> tuple[str, ...] | None:
    if not cell.strip() or cell == SKIPPED:
        return None
    names = tuple(name for part in cell.split(";") if (name := part.strip()))
    if unknown := [name for name in names if name not in classes]:
        raise ValueError(
            f"{where}: the label {unknown[0][:80]!r} is none of the classes; mend the table, and "
            "what was labelled goes on"
        )
    return names
