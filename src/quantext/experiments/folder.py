"""A run's folder: of one run and one process only, and nothing in it is ever half-written."""

import hashlib
import io
import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any

import polars as pl

from quantext import atomic

__all__ = [
    "VECTORS",
    "DamagedFileError",
    "OtherRunError",
    "check_file",
    "claim",
    "damaged",
    "locked",
    "place_for_vectors",
    "read_frame",
    "read_json",
    "read_piece",
    "versions",
    "write_frame",
    "write_json",
    "write_piece",
]

VECTORS = ".quantext-vectors"
"""Name of the folder, in that of the run, which holds vectors while tasks are worked at.

It is the only one that is ever removed: the folder of a run may hold what is not ours.
"""

_LOCK = ".quantext-lock"
# What a run writes. Where one of these is there and no record of a run, it is somebody else's.
_OURS = (
    *("tasks", "results.parquet", "warnings.log", "failures.json"),
    *("tables", "figures", "report.html"),
)
_FILES = ("run.json", "results.parquet", "warnings.log", "failures.json")
# What the numbers of a run depend on.
_PACKAGES = ("quantext", "numpy", "scipy", "scikit-learn", "numba", "PyStemmer")
_IDENTITY = ("checksum", "configuration", "versions")
# What is always recorded.
_RECORD = {"checksum": str, "configuration": dict, "versions": dict}
_MOST = 3  # differences in one message


class OtherRunError(ValueError):
    """The folder holds another run, which this one cannot go on with."""


class DamagedFileError(ValueError):
    """A file of a run is not what a run writes."""


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
    check_file(folder / _LOCK)
    with open(folder / _LOCK, "a", encoding="utf-8") as file:
        try:
            _lock(file.fileno())
        except OSError:
            raise BlockingIOError(
                f"{folder} is in use by another process; wait for it, or choose another folder"
            ) from None
        yield


def check_file(path: Path) -> None:
    """Raise if there is something of this name that is no file, such as a pipe or a folder.

    Parameters
    ----------
    path
        To be read or written: a pipe would be waited for, and a device may never end.
    """
    if os.path.lexists(path) and not path.is_file():
        raise FileExistsError(f"{path} is no file; move it away")


def _check_folder(path: Path) -> None:
    """Raise if there is something of this name that is no folder."""
    if os.path.lexists(path) and not path.is_dir():
        raise NotADirectoryError(f"{path} is no folder; move it away")


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
        if found := [name for name in _OURS if (folder / name).exists()]:
            raise ValueError(
                f"{folder} has no run.json but {', '.join(found)}, which a run would overwrite; "
                "choose another folder"
            )
        write_json(path, run)
    for name in _FILES:
        check_file(folder / name)
    _check_folder(folder / "tasks")
    recorded = read_json(path, _RECORD)
    now = json.loads(json.dumps(run))  # as it would be read again
    if differing := list(_differences(recorded, now)):
        more = f"; and {len(differing) - _MOST} more" if len(differing) > _MOST else ""
        raise OtherRunError(
            f"{folder} holds another run, which this one cannot go on with: "
            f"{'; '.join(differing[:_MOST])}{more}. Choose another folder, or delete this one"
        )
    return recorded


def versions() -> dict[str, str]:
    """Versions of the packages that the numbers of a run depend on."""
    return {package: version(package) for package in _PACKAGES}


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
    atomic.write(path, [f"{text}\n".encode()])


def write_frame(path: Path, frame: pl.DataFrame) -> None:
    """Write a Parquet file, whole or not at all.

    Parameters
    ----------
    path
        Replaced if it is there.
    frame
        What to write.
    """
    with atomic.writing(path) as file:
        frame.write_parquet(file)


def read_json(
    path: Path,
    wanted: Mapping[str, type] = MappingProxyType({}),
    known: Mapping[str, type] = MappingProxyType({}),
) -> dict[str, Any]:
    """Facts in a JSON file.

    Parameters
    ----------
    path
        Of the file.
    wanted
        Facts that must be there, and of which type.
    known
        Facts that may be there, or null, and of which type then.
    """
    try:
        facts = json.loads(_content(path))
    except (ValueError, RecursionError) as error:
        raise damaged(path, error) from None
    if not isinstance(facts, dict):
        raise damaged(path, "it holds no facts")
    for name, kind in wanted.items():
        if not isinstance(facts.get(name), kind):
            raise damaged(path, f"it has no {name}")
    for name, kind in known.items():
        if facts.get(name) is not None and not isinstance(facts[name], kind):
            raise damaged(path, f"its {name} is of another type")
    return facts


def read_frame(path: Path, wanted: Mapping[str, Any] = MappingProxyType({})) -> pl.DataFrame:
    """Table in a Parquet file, this one and no other.

    Parameters
    ----------
    path
        Of the file, in which [1], * and ~ mean themselves.
    wanted
        Columns that it must have, and their types; None for any.
    """
    # Given the path, polars would take it for a pattern.
    content, known = _content(path), _sum_of(path)
    # Whoever copies the table alone may do so.
    if known.is_file() and _content(known) != _checksum(content):
        raise damaged(path, "its checksum is another")
    return _frame(path, content, wanted)


def write_piece(path: Path, frame: pl.DataFrame) -> None:
    """Write a Parquet file that `read_piece` can tell from a damaged one, whole or not at all.

    Parameters
    ----------
    path
        Replaced if it is there. Its checksum is in a file beside it, which is written first: a
        process that is killed between the two leaves a piece that is not there yet.
    frame
        What to write.
    """
    file = io.BytesIO()
    frame.write_parquet(file)
    atomic.write(_sum_of(path), [_checksum(file.getvalue())])
    atomic.write(path, [file.getvalue()])


def read_piece(path: Path, wanted: Mapping[str, Any] = MappingProxyType({})) -> pl.DataFrame:
    """Table in a Parquet file of `write_piece`; any change of the file is noticed.

    Parameters
    ----------
    path, wanted
        As in `read_frame`.
    """
    # polars would read other numbers where a bit was flipped, or end the process.
    content, known = _content(path), _sum_of(path)
    if not known.is_file() or _content(known) != _checksum(content):
        raise damaged(path, "its checksum is another, or missing")
    return _frame(path, content, wanted)


def _content(path: Path) -> bytes:
    check_file(path)
    return path.read_bytes()


def _sum_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.sum")


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).hexdigest().encode()


def _frame(path: Path, content: bytes, wanted: Mapping[str, Any]) -> pl.DataFrame:
    """Table in the content of a Parquet file."""
    try:
        frame = pl.read_parquet(io.BytesIO(content))
    # A panic, which is no Exception, is how polars ends at some damaged files.
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise damaged(path, str(error).partition("\n")[0]) from None
    for name, kind in wanted.items():
        if name not in frame.columns or kind not in (None, frame.schema[name]):
            raise damaged(path, f"it has no column {name}" + (f" of {kind}" if kind else ""))
    return frame


def damaged(path: Path, why: object) -> DamagedFileError:
    """Error that names the file and says what to do.

    Parameters
    ----------
    path
        Of a file of a run.
    why
        What is wrong with it.
    """
    if path.name == "run.json":
        way = "nobody can tell which run this is: choose another folder, or delete this one"
    else:
        way = "delete it and give the same command again: what is missing is computed again"
    return DamagedFileError(f"{path} is damaged ({why}); {way}")


@contextmanager
def place_for_vectors(folder: Path) -> Iterator[Path]:
    """Inside, an empty folder in that of the run, which is taken away at the end.

    Parameters
    ----------
    folder
        Of the run. If a run was killed here, what it left behind is taken away first.
    """
    place = folder.absolute() / VECTORS
    if os.path.lexists(place):
        if place.is_symlink() or not place.is_dir():
            raise NotADirectoryError(f"{place} is no folder; move it away")
        shutil.rmtree(place)
    place.mkdir()
    try:
        yield place
    finally:
        shutil.rmtree(place)
