"""A run's folder: of one run and one process only, and nothing in it is ever half-written."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

__all__ = ["OtherRunError", "claim", "locked", "write_frame", "write_json"]

_IDENTITY = ("checksum", "configuration", "versions")
_MOST = 3  # differences in one message


class OtherRunError(ValueError):
    """The folder holds another run, which this one cannot go on with."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Inside, no other process can lock the folder; the lock ends with the process at the latest.

    Parameters
    ----------
    folder
        Made if it is not there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(f"{folder} is a file; name a folder for the run") from None
    with open(folder / "lock", "w", encoding="utf-8") as file:
        try:
            _lock(file.fileno())
        except OSError:
            raise BlockingIOError(
                f"{folder} is in use by another process; wait for it, or choose another folder"
            ) from None
        yield


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def claim(folder: Path, run: Mapping[str, Any]) -> dict[str, Any]:
    """What is recorded of the run in this folder: of this one, from now on, if there was none.

    Parameters
    ----------
    folder
        Of the run.
    run
        Facts of the run; those under ``checksum``, ``configuration`` and ``versions`` must be
        the recorded ones.
    """
    path = folder / "run.json"
    if not path.exists():
        if (folder / "tasks").exists():
            raise ValueError(f"{folder} has tasks but no run.json; choose another folder")
        write_json(path, run)
    recorded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    now = json.loads(json.dumps(run))  # as it would be read again
    if differing := list(_differences(recorded, now)):
        more = f"; and {len(differing) - _MOST} more" if len(differing) > _MOST else ""
        raise OtherRunError(
            f"{folder} holds another run, which this one cannot go on with: "
            f"{'; '.join(differing[:_MOST])}{more}. Choose another folder, or delete this one"
        )
    return recorded


def _differences(recorded: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Sentences on what is not the same."""
    before, after = ({part: facts.get(part) for part in _IDENTITY} for facts in (recorded, now))
    old, new = dict(_flat(before)), dict(_flat(after))
    for name in dict.fromkeys([*old, *new]):
        if old.get(name, "absent") != new.get(name, "absent"):
            yield f"{name} is {old.get(name, 'absent')} there and {new.get(name, 'absent')} now"


def _flat(facts: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in facts.items():
        if isinstance(value, dict):
            yield from _flat(value)
        else:
            yield name, value


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file, whole or not at all.

    Parameters
    ----------
    path
        Replaced if it is there.
    value
        What to write.
    """
    text = json.dumps(value, indent=2, ensure_ascii=False)
    write_whole(path, lambda part: part.write_text(text + "\n", encoding="utf-8"))


def write_frame(path: Path, frame: pl.DataFrame) -> None:
    """Write a Parquet file, whole or not at all.

    Parameters
    ----------
    path
        Replaced if it is there.
    frame
        What to write.
    """
    write_whole(path, frame.write_parquet)


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file under another name, see it to the disk, and only then give it its name.

    Parameters
    ----------
    path
        Replaced if it is there; its folder is made if it is not.
    write
        Writes to a path.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    write(part)
    with open(part, "rb+") as file:
        os.fsync(file.fileno())
    os.replace(part, path)
