"""The one way to write: a file or a folder is there whole, or not at all."""

import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

__all__ = ["check_new", "new_folder", "write", "writing"]

Named = str | os.PathLike[str]


def write(path: Named, parts: Iterable[bytes]) -> None:
    """Write a file whole or not at all: whatever happens, the path holds the old one or the new.

    Parameters
    ----------
    path
        Where; the folder must exist. A link stays a link, and what it points to is replaced.
    parts
        Bytes of the file.
    """
    with writing(path) as file:
        file.writelines(parts)


@contextmanager
def writing(path: Named) -> Iterator[BinaryIO]:
    """Inside, an open file without a name, which gets that of the path at the end.

    Until then the path holds what it held before. If the process is killed, nothing is left behind,
    where the system can write to files without a name; elsewhere a hidden file that ends in .part.

    Parameters
    ----------
    path
        As in `write`.
    """
    target = Path(os.path.realpath(path))
    mode = None
    if target.exists():
        status = target.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ValueError(f"{path} is not a regular file; name another path")
        mode = stat.S_IMODE(status.st_mode)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} to write {target.name} in")
    part = _part_of(target)
    try:
        with _open(part) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if not part.exists():
                _give_name(file, part)
        if mode is not None:
            part.chmod(mode)
        os.replace(part, target)
    except BaseException as error:
        with suppress(FileNotFoundError):
            part.unlink()
        if isinstance(error, OSError) and error.errno is not None:
            # A full disk does not say which file, or names the part.
            error.filename, error.filename2 = str(path), None
        raise
    _sync(target.parent)


@contextmanager
def new_folder(path: Named) -> Iterator[Path]:
    """Inside, a folder to write to, which gets the name of the path at the end.

    Parameters
    ----------
    path
        Where; there must be nothing yet.
    """
    folder = Path(path)
    check_new(folder)
    part = _part_of(folder)
    part.mkdir()
    try:
        yield part
        part.rename(folder)
    except BaseException:
        shutil.rmtree(part)
        raise


def check_new(folder: Path) -> None:
    """Raise unless a folder of this name can be made.

    Parameters
    ----------
    folder
        To be made.
    """
    if folder.exists():
        raise FileExistsError(
            f"{folder} exists already; choose another name, or delete it, or read what is in it "
            "with open_vectors"
        )
    if not folder.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {folder.parent} to make {folder.name} in")


def _part_of(target: Path) -> Path:
    """Name beside the target for what is not finished yet."""
    # Not made of the target's name, which may be as long as names can be.
    return target.with_name(f".quantext-{secrets.token_hex(8)}.part")


def _open(part: Path) -> BinaryIO:
    """A new file in the folder of the part: without a name if that is possible, else with it."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        with suppress(OSError):  # not every file system has such files
            return open(os.open(part.parent, os.O_TMPFILE | os.O_RDWR, 0o666), "w+b")
    return open(part, "xb")


def _give_name(file: BinaryIO, part: Path) -> None:
    """Link a file that has no name, as open(2) of Linux explains."""
    folder = os.open(part.parent, os.O_RDONLY)
    try:
        # With a folder, Python calls linkat, which follows the link in /proc; link does not.
        link = f"/proc/self/fd/{file.fileno()}"
        os.link(link, part, src_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)


def _sync(folder: Path) -> None:
    """Bring a new name to the disk; some systems cannot do it now, and do it later."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
