"""Files to write, checked before any work: none that is read, no two the same, nobody else's."""

import os
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from quantext.cli.contents import columns_of, is_model, is_page

__all__ = [
    "MODEL",
    "PAGE",
    "SHARES",
    "Force",
    "Kind",
    "Output",
    "Raw",
    "check_folder",
    "check_outputs",
    "check_raw",
    "table_with",
]

Force = Annotated[
    bool, typer.Option("--force", help="Replace a file that is there, whatever it holds.")
]

Raw = Annotated[
    bool,
    typer.Option(
        "--raw",
        help="For programs: a .csv file has names that begin with =, +, - or @ as they are, which "
        "a spreadsheet takes for formulas.",
    ),
]


@dataclass(frozen=True)
class Kind:
    """What is written to a file.

    Parameters
    ----------
    called
        What messages call it.
    holds
        Whether a file holds such a thing, so that another may take its place.
    """

    called: str
    holds: Callable[[Path], bool]


def table_with(columns: Collection[str], called: str) -> Kind:
    """A table that has these columns, and maybe others."""

    def holds(path: Path) -> bool:
        return set(columns) <= set(columns_of(path))

    return Kind(called, holds)


MODEL = Kind("model of quantext's", is_model)
PAGE = Kind("page of quantext's", is_page)
SHARES = table_with(("batch", "class", "share"), "table of shares by quantext")


@dataclass(frozen=True)
class Output:
    """A file to write.

    Parameters
    ----------
    path
        Where; None if it was not asked for.
    kind
        What.
    option
        That names it, if one does.
    extensions
        Of which it must have one; none for any.
    """

    path: Path | None
    kind: Kind
    option: str = ""
    extensions: Sequence[str] = ()


def check_outputs(
    outputs: Iterable[Output], inputs: Iterable[str | Path | None], *, force: bool
) -> None:
    """Raise if a file cannot be written, or if what is in it would be missed.

    Parameters
    ----------
    outputs
        What is to be written.
    inputs
        Files that are read, by whatever name; ``-`` is standard input.
    force
        Replace what is there even if it is of another kind. What is read is never replaced.
    """
    reads = [read for read in inputs if read is not None]
    earlier: list[tuple[Output, Path]] = []
    for output in outputs:
        if (path := output.path) is None:
            continue
        called = f"{output.option} {path}".strip()
        if output.extensions and path.suffix.lower() not in output.extensions:
            endings = ", ".join(output.extensions)
            several = "one of " if len(output.extensions) > 1 else ""
            raise ValueError(f"{called}: the extension must be {several}{endings}")
        _check_writable(path)
        if any(_is_read(path, read) for read in reads):
            raise ValueError(f"{called} would be overwritten, and it is read; name another file")
        for other, place in earlier:
            if _same(path, place):
                raise ValueError(
                    f"{other.option} {place} and {called} are one file; name another for one of "
                    "the two"
                )
        if not force and path.exists() and path.stat().st_size and not output.kind.holds(path):
            raise FileExistsError(
                f"{called} is there already and is no {output.kind.called}; name another, or say "
                "--force to replace it"
            )
        earlier.append((output, path))


def check_raw(raw: bool, *tables: Path | None) -> None:
    """Raise if it is said how a table is written that is not."""
    if raw and not any(tables):
        raise ValueError("--raw is for the file of --out; name one")


def check_folder(
    folder: Path,
    names: Iterable[str],
    inputs: Iterable[str | Path | None],
    *,
    option: str = "--out",
) -> None:
    """Raise if a folder cannot be made, or what is written to it would replace what is read.

    Parameters
    ----------
    folder
        That is written to.
    names
        Of files and folders in it that are written.
    inputs
        Files that are read.
    option
        That names the folder.
    """
    existing = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not existing.is_dir():
        raise NotADirectoryError(f"{option} {folder}: {existing} is a file; name a folder")
    if not os.access(existing, os.W_OK):
        raise PermissionError(f"the folder {existing} cannot be written to; name another")
    written = [folder / name for name in names]
    for read in (read for read in inputs if read is not None):
        real = Path(os.path.realpath(read))
        for place in written:
            inside = Path(os.path.realpath(place)) in real.parents
            if inside or _is_read(place, read):
                raise ValueError(
                    f"{option} {folder}: {read} would be overwritten, and it is read; name another "
                    "folder"
                )


def _check_writable(path: Path) -> None:
    """Raise at once, and not after an hour's work, if a file cannot be written."""
    real = Path(os.path.realpath(path))
    folder = real.parent
    if real.is_symlink():
        raise ValueError(f"{path} is a link that leads to itself; name another path")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is not a regular file; name another path")
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder} to write {path.name} in")
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"the folder {folder} cannot be written to; name a file elsewhere")


def _is_read(path: Path, read: str | Path) -> bool:
    """Whether a path is of what is read, also where the shell has opened that: ``< a.csv``."""
    if str(read) != "-":
        return _same(path, Path(read))
    try:
        return path.exists() and os.path.samestat(path.stat(), os.fstat(sys.stdin.fileno()))
    except (AttributeError, OSError, ValueError):  # closed, or no file of the system's
        return False


def _same(path: Path, other: Path) -> bool:
    """Whether two paths lead to one file, by links or another spelling too."""
    if path.exists() and other.exists():
        return path.samefile(other)
    first, second = (os.path.normcase(os.path.realpath(own)) for own in (path, other))
    return first == second
