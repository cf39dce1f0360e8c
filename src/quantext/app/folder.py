"""The folder that one works in: ordinary files, and in ``.quantext`` what the app notes itself.

What is in ``.quantext`` can be deleted at any time: it is what was found out about files, which can
be found out again, and how far a labelling has come beyond what its labels say.
"""

import json
import os
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quantext import atomic
from quantext.app.names import check_name, file_in

__all__ = ["Folder", "Listed", "kind_of"]

STATE = ".quantext"
_TABLES = (
    ".csv",
    ".tsv",
    ".tab",
    ".txt",
    ".json",
    ".jsonl",
    ".ndjson",
    ".parquet",
    ".xlsx",
    ".ods",
)
_PACKED = (".gz", ".zip")


@dataclass(frozen=True)
class Listed:
    """A file, as the first page lists it.

    Parameters
    ----------
    name
        Of the file.
    kind
        "table", "model" or "page".
    size
        Bytes.
    changed
        When, in seconds since 1970.
    """

    name: str
    kind: str
    size: int
    changed: float


@dataclass(frozen=True)
class Folder:
    """A folder of files, and of notes about them.

    Parameters
    ----------
    path
        Where it is.
    """

    path: Path

    @property
    def state(self) -> Path:
        """Where the notes are."""
        return self.path / STATE

    def check_state(self) -> None:
        """Raise if the notes are not where they seem to be, as in a folder that somebody sent."""
        for path in (self.state, *self.state.rglob("*")):
            if path.is_symlink():
                raise ValueError(
                    f"{path} is a link, which quantext does not make; delete {self.state} if you "
                    "do not know where it comes from"
                )

    def file(self, name: str) -> Path:
        """Where the file of this name is, or would be."""
        return file_in(self.path, name)

    def files(self) -> list[Listed]:
        """Tables, models and pages, the latest first."""
        found = []
        for path in self.path.iterdir():
            kind = kind_of(path.name)
            with suppress(ValueError, OSError):  # names that we would not open, files just gone
                if kind is not None and self.file(path.name).is_file():
                    status = path.stat()
                    found.append(Listed(path.name, kind, status.st_size, status.st_mtime))
        return sorted(found, key=lambda one: (-one.changed, one.name))

    def free_name(self, name: str, taken: Collection[str] = ()) -> str:
        """The name or, if there is such a file, the name with a number.

        Parameters
        ----------
        name
            That is wanted.
        taken
            Names of files that are about to be there.
        """
        stem, dot, ending = name.partition(".")
        number = 1
        while name in taken or os.path.lexists(self.file(name)):
            number += 1
            name = f"{stem}-{number}{dot}{ending}"
        return name

    def note(self, name: str, what: str, value: Any) -> None:
        """Note something about a file, as of what the file is now.

        Parameters
        ----------
        name
            Of the file.
        what
            Is noted, as "look".
        value
            Anything that JSON can say.
        """
        noted = {"of": self._mark(name), "value": value}
        path = self._note_path(name, what)
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.write(path, [json.dumps(noted).encode()])

    def noted(self, name: str, what: str) -> Any:
        """What was noted about a file, or None if nothing was or the file has changed since."""
        try:
            noted = json.loads(self._note_path(name, what).read_bytes())
            return noted["value"] if noted["of"] == self._mark(name) else None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def _note_path(self, name: str, what: str) -> Path:
        return self.state / "notes" / f"{check_name(name)}.{what}.json"

    def _mark(self, name: str) -> list[int]:
        status = self.file(name).stat()
        return [status.st_size, status.st_mtime_ns]


def kind_of(name: str) -> str | None:
    """What a file is by its name: "table", "model", "page", or None.

    Examples
    --------
    >>> kind_of("tweets.csv.gz"), kind_of("model.qx"), kind_of("estimates.html"), kind_of("a.png")
    ('table', 'model', 'page', None)
    """
    lower = name.lower()
    for ending in _PACKED:
        lower = lower.removesuffix(ending)
    if lower.endswith(_TABLES):
        return "table"
    return {".qx": "model", ".html": "page"}.get(Path(lower).suffix)
