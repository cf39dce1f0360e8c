"""Names of files: what a browser may call a file of the folder, and where that file is."""

import os
import unicodedata
from pathlib import Path

__all__ = ["check_name", "file_in"]

LONGEST = 200  # bytes; systems allow 255, and names of ours are made of a name and an ending
_RESERVED = frozenset({"con", "prn", "aux", "nul"})  # of Windows, whatever comes after a dot


def check_name(name: str) -> str:
    """The name, if it is that of a plain file: no folders, no hidden files, nothing invisible.

    Parameters
    ----------
    name
        As it came.

    Examples
    --------
    >>> check_name("Umfrage (März).xlsx")
    'Umfrage (März).xlsx'
    >>> check_name("../secret.csv")
    Traceback (most recent call last):
    ...
    ValueError: '../secret.csv' is not the name of a file here: it has a / in it
    """
    reason = _reason_against(name)
    if reason is not None:
        raise ValueError(f"{name[:80]!r} is not the name of a file here: {reason}")
    return name


def file_in(folder: Path, name: str) -> Path:
    """Where the file of this name is, or would be; never outside of the folder.

    Parameters
    ----------
    folder
        Of the work.
    name
        As it came.
    """
    path = folder / check_name(name)
    if path.is_symlink() and os.path.realpath(path.parent) != os.path.dirname(
        os.path.realpath(path)
    ):
        raise ValueError(f"{name!r} is a link to a file outside of this folder")
    return path


def _reason_against(name: str) -> str | None:
    if not name or len(name.encode(errors="replace")) > LONGEST:
        return "it is empty" if not name else "it is too long"
    for sign in ("/", "\\", ":"):
        if sign in name:
            return f"it has a {sign} in it"
    # Control characters, what is not a character, and marks that turn the direction of writing.
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") for letter in name):
        return "it has characters in it that cannot be seen"
    if name.startswith(".") or name != name.strip() or name.endswith("."):
        return "it begins or ends with a dot or a blank"
    if name.split(".")[0].lower() in _RESERVED:
        return "some systems use it for something else"
    return None
