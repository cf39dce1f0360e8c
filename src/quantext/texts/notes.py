"""Notes: what readers find out of files that people should know, as warnings of Python's."""

import warnings

__all__ = ["ReadingWarning", "note"]


class ReadingWarning(UserWarning):
    """A file could be read, but its reader has found out something that people should know."""


def note(text: str) -> None:
    """Warn of what a reader has found out; the command line prints it as a note.

    Parameters
    ----------
    text
        A sentence that names the file.
    """
    warnings.warn(text, ReadingWarning, stacklevel=3)
