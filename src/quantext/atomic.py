"""The one way to write: a file or a folder is there whole, or not at all."""

import hashlib
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import BinaryIO, TypeVar

__all__ = ["check_new", "new_folder", "scratch_folder", "write", "writing"]

Named = str | os.PathLike[str]
Made = TypeVar("Made")


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
    where the system can write to files without a name, but for a moment at the end; elsewhere, or
    then, a hidden file that ends in .part, which the next one to write to this path takes away.

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
    file, part = _open(target)
    try:
        with _held(file.fileno()):
            with file:
                yield file
                file.flush()
                os.fsync(file.fileno())
                if part is None:
                    part, _ = _named(target, partial(_give_name, file))
            if mode is not None:
                part.chmod(mode)
            os.replace(part, target)
    except BaseException as error:
        if part is not None:
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
    with scratch_folder(folder) as part:
        yield part
        part.rename(folder)


@contextmanager
def scratch_folder(path: Named) -> Iterator[Path]:
    """Inside, a hidden folder beside the path, for what is needed to make it; gone at the end.

    Parameters
    ----------
    path
        What is being made. If a process that made it was killed, what it left is taken away.
    """
    part, descriptor = _named(Path(path), _make_folder)
    try:
        yield part
    finally:
        if part.exists():
            shutil.rmtree(part)
        if descriptor is not None:
            os.close(descriptor)


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


def _named(target: Path, make: Callable[[Path], Made]) -> tuple[Path, Made]:
    """A free name beside the target for what is not finished yet, and what is made under it.

    The names follow from that of the target, so that who writes it after a process was killed finds
    what that one left, and takes it away. Who is at work holds a lock, and keeps the name.
    """
    # Not made of the target's name itself, which may be as long as names can be.
    digest = hashlib.blake2b(os.fsencode(target.name), digest_size=8).hexdigest()
    for number in count():
        part = target.with_name(f".quantext-{digest}-{number}.part")
        _take_away(part)
        with suppress(FileExistsError):
            return part, make(part)
    raise AssertionError("there is always another number")


def _take_away(part: Path) -> None:
    """Remove what a process that was killed has left; nothing, if it may still be at work."""
    try:
        descriptor = os.open(part, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:  # it is not there or, on some systems, a folder
        return
    try:
        if _lock(descriptor):
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                shutil.rmtree(part)
            else:
                part.unlink()
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Whether a file could be locked, until it is closed: not if another process holds it."""
    if sys.platform == "win32":
        return False  # files that are open cannot be renamed there, so none is held either
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def _held(descriptor: int) -> Iterator[None]:
    """Inside, the lock of an open file is held, also when it is closed there."""
    if sys.platform == "win32":
        yield
        return
    copy = os.dup(descriptor)
    try:
        yield
    finally:
        os.close(copy)


def _make_folder(part: Path) -> int | None:
    """Make a folder and lock it: the descriptor to hold, where a folder can be opened."""
    part.mkdir()
    if sys.platform == "win32":
        return None
    descriptor = os.open(part, os.O_RDONLY)
    _lock(descriptor)
    return descriptor


def _open(target: Path) -> tuple[BinaryIO, Path | None]:
    """A new file in the folder of the target, locked, and its name: none if that is possible."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        with suppress(OSError):  # not every file system has such files
            descriptor = os.open(target.parent, os.O_TMPFILE | os.O_RDWR, 0o666)
            _lock(descriptor)
            return os.fdopen(descriptor, "w+b"), None
    part, descriptor = _named(target, _new_file)
    return os.fdopen(descriptor, "w+b"), part


def _new_file(part: Path) -> int:
    """Make a file and lock it."""
    binary = getattr(os, "O_BINARY", 0)
    descriptor = os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR | binary, 0o666)
    _lock(descriptor)
    return descriptor


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
