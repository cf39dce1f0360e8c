"""Paths: the names and patterns that people write, as files."""

import os
from collections.abc import Sequence
from glob import glob, has_magic

__all__ = ["Source", "find_files"]

Source = str | os.PathLike[str]


def find_files(paths: Source | Sequence[Source]) -> list[str]:
    """The files that are named, patterns replaced by what they match.

    Parameters
    ----------
    paths
        One or more. What is there is never taken for a pattern, whatever its name.

    Examples
    --------
    >>> find_files("*.nothing")
    Traceback (most recent call last):
    FileNotFoundError: no file matches *.nothing
    """
    files: list[str] = []
    for path in [paths] if isinstance(paths, str | os.PathLike) else paths:
        if not isinstance(path, str | os.PathLike):
            raise TypeError(f"the list of files has a {type(path).__name__} in it: {path!r}")
        name = os.fspath(path)
        found = [name] if os.path.exists(name) else sorted(glob(name, recursive=True))
        if not found:
            missing = "no file matches" if has_magic(name) else "there is no file"
            raise FileNotFoundError(f"{missing} {name}")
        files += found
    return files
