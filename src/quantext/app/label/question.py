"""The question of a folder: of which table's documents, and which classes there are."""

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from quantext import atomic
from quantext.app.commands import READING

__all__ = ["KEYS", "Question", "check_class", "check_person", "read_question", "write_question"]

# One for each class; s, u and n mean skip, undo and note.
KEYS = tuple("123456789abcdefghijklmopqrtvwxyz")
SKIPPED = "(skipped)"
_LONGEST_CLASS, _LONGEST_PERSON = 100, 60
_FILE = "question.json"
# Readers of tables take this for no label.
_BLANK = "nan"


@dataclass(frozen=True)
class Question:
    """What people are asked, of which documents.

    Parameters
    ----------
    table
        Name of the file that the documents are in.
    text
        Columns of the texts.
    classes
        Names.
    several
        Whether a document may have several classes, or none.
    target
        Half width of the intervals at which there are labels enough.
    reading
        How the table is read: values of the options of the command line.
    proxy
        Column of what a model says of the documents; None: there is none.
    separator
        Of the labels in that column.
    of
        Size and time of the table, when the question was asked.
    added
        When classes were added that were not there from the beginning, by name.
    """

    table: str
    text: tuple[str, ...]
    classes: tuple[str, ...]
    several: bool = False
    target: float = 0.03
    reading: Mapping[str, Any] = field(default_factory=dict)
    proxy: str | None = None
    separator: str | None = None
    of: tuple[int, int] = (0, 0)
    added: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        least = 1 if self.several else 2
        if not least <= len(self.classes) <= len(KEYS):
            raise ValueError(
                f"name {least} to {len(KEYS)} classes; these are {len(self.classes)}"
                + ("" if self.several else " (or let a document have several)")
            )
        alike = [name.casefold() for name in map(check_class, self.classes)]
        if twice := [name for name in self.classes if alike.count(name.casefold()) > 1]:
            raise ValueError(f"the class {twice[0]!r} is named twice; name each once")
        if not self.text or not all(isinstance(name, str) and name for name in self.text):
            raise ValueError("choose the column of the texts")
        if not 0.005 <= self.target <= 0.2:
            raise ValueError("choose from ±0.5 to ±20 points")
        if unknown := sorted(set(self.reading) - set(READING)):
            raise ValueError(f"tables are not read by {unknown[0]}")


def check_class(name: str) -> str:
    """The name, if it can be that of a class in a cell of a table.

    Parameters
    ----------
    name
        As it came.

    Examples
    --------
    >>> check_class("too slow")
    'too slow'
    >>> check_class("slow; dear")
    Traceback (most recent call last):
    ...
    ValueError: 'slow; dear' cannot be the name of a class: it has a semicolon in it
    """
    reason = None
    if not name.strip() or name != name.strip() or name.casefold() == _BLANK:
        reason = "tables would take it for a blank"
    elif len(name) > _LONGEST_CLASS:
        reason = f"it has more than {_LONGEST_CLASS} letters"
    elif ";" in name:
        reason = "it has a semicolon in it"
    elif name == SKIPPED or name.startswith("["):
        reason = "tables use it for something else"
    elif not _is_plain(name):
        reason = "it has characters in it that cannot be seen"
    if reason is not None:
        raise ValueError(f"{name[:80]!r} cannot be the name of a class: {reason}")
    return name


def check_person(name: Any) -> str:
    """The name of who labels, without blanks around it.

    Parameters
    ----------
    name
        As it came.
    """
    if not isinstance(name, str) or not name.strip():
        raise ValueError("say who labels")
    person = str(name).strip()
    if len(person) > _LONGEST_PERSON or not _is_plain(person):
        raise ValueError(f"the name of who labels is a line of up to {_LONGEST_PERSON} letters")
    return person


def _is_plain(text: str) -> bool:
    """Whether all is to be seen: no control characters, nothing that turns the direction."""
    return not any(unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp") for one in text)


def read_question(state: Path) -> Question | None:
    """The question of the folder, or None if there is none yet.

    Parameters
    ----------
    state
        Folder of what is noted of the labelling.
    """
    try:
        noted = json.loads((state / _FILE).read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        noted = None
    try:
        known = {one.name for one in fields(Question)}
        parts = {name: value for name, value in noted.items() if name in known}
        lists = {name: tuple(parts[name]) for name in ("text", "classes", "of")}
        return Question(**(parts | lists))
    except (TypeError, KeyError, AttributeError):
        raise ValueError(f"{state / _FILE} is damaged; delete it, and begin again") from None


def write_question(state: Path, question: Question) -> None:
    """Bring the question to the disk.

    Parameters
    ----------
    state
        Folder of what is noted of the labelling; it is made.
    question
        Of the folder.
    """
    state.mkdir(parents=True, exist_ok=True)
    atomic.write(state / _FILE, [json.dumps(asdict(question), indent=1).encode()])
