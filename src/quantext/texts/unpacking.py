"""Unpacking: compressed files that must be whole before they can be read, and how much that may be.

Text is read as it is unpacked, a block at a time, so it needs no bound.
"""

import gzip
import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from quantext.texts.encoding import BLOCK

__all__ = ["UNPACKED", "most_unpacked", "told_limit", "whole"]

UNPACKED, GROWTH = 1 << 28, 64  # as for model files: 256 MB, or 64 times what it is packed in


def most_unpacked(packed: int) -> int:
    """Bytes that so many may unpack to.

    Parameters
    ----------
    packed
        Number of bytes.

    Examples
    --------
    >>> most_unpacked(1_000) == 2**28, most_unpacked(2**28) == 2**34
    (True, True)
    """
    return max(UNPACKED, GROWTH * packed)


def told_limit() -> str:
    """What is too much, in words that follow "more than"."""
    return f"{UNPACKED / 2**20:.0f} MB and {GROWTH} times its size"


@contextmanager
def whole(file: Any, source: Path, packed: int) -> Iterator[Any]:
    """The file, or a copy of it on the disk if it can only be read from its first byte on.

    Parameters
    ----------
    file
        Open; in an archive, perhaps.
    source
        What messages call it.
    packed
        Bytes in which it is packed, if it is; 0 if they are not known.
    """
    if isinstance(file, io.BufferedReader) and file.seekable():
        yield file
        return
    is_packed = isinstance(file, gzip.GzipFile | zipfile.ZipExtFile)
    size, most = 0, most_unpacked(packed)
    with NamedTemporaryFile() as copy:
        while chunk := file.read(BLOCK):
            size += len(chunk)
            if is_packed and size > most:
                raise ValueError(
                    f"{source} unpacks to more than {told_limit()}, and there may be no end to it; "
                    "if you trust it, unpack it first"
                )
            copy.write(chunk)
        copy.seek(0)
        yield copy
