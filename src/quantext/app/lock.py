"""The lock of a folder: one server works in it at a time, and one that was killed holds none."""

import sys
from pathlib import Path
from typing import BinaryIO

__all__ = ["lock"]


def lock(path: Path) -> BinaryIO | None:
    """The file, locked for as long as it is open; None if another process has locked it.

    The system lets go of the lock when a process ends, however it ends.

    Parameters
    ----------
    path
        Of the file; it is made.
    """
    file = open(path, "ab")  # noqa: SIM115 (it stays open with the lock)
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file
