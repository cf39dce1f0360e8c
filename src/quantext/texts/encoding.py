"""Text files: bytes in, UTF-8 out, with errors that say where."""

import codecs
import gzip
import io
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import polars as pl

from quantext.texts.notes import ReadingWarning

__all__ = [
    "BLOCK",
    "DAMAGE",
    "LONGEST",
    "RECODE",
    "Choose",
    "ReadingWarning",
    "called",
    "contents",
    "count_byte",
    "decode",
]

BLOCK = 1 << 22  # bytes that are read at a time: what bounds the memory
TWICE = 2  # how often a file is unzipped: some contain themselves
LONGEST = 1 << 24  # bytes of a row: more are a quote that nobody closed, or no table at all
RECODE = "give the file's encoding, perhaps cp1252 if it comes from a spreadsheet"

# What is raised where a file is cut off or damaged, beside the errors that name the place.
DAMAGE = (pl.exceptions.PolarsError, EOFError, gzip.BadGzipFile, zlib.error, zipfile.BadZipFile)

# From the names of a file's columns to those that are wanted.
Choose = Callable[[list[str]], list[str]]


def called(source: Path) -> Path:
    """What messages call a file: ``-`` is standard input."""
    return Path("standard input") if str(source) == "-" else source


def check_exists(source: Path) -> None:
    if source.is_dir():
        raise IsADirectoryError(f"{source} is a folder; name the files in it")
    if not source.exists():
        raise FileNotFoundError(f"there is no file {source}")


@contextmanager
def unzipped(source: Path) -> Iterator[BinaryIO]:
    """The open file, or standard input, without compression."""
    standard = str(source) == "-"
    if not standard:
        check_exists(source)
    if source.is_file() and not source.stat().st_size:
        raise ValueError(f"{source} is empty")
    opened: Any = nullcontext(_Full(sys.stdin.buffer)) if standard else source.open("rb")
    with opened as file:
        yield ungzipped(io.BufferedReader(file) if standard else file)


class _Full(io.RawIOBase):
    """Standard input of which a read gives all that is asked for, however it is written.

    What is in a pipe at a time may be too little to tell what the file is.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = 0
        while size < len(buffer) and (data := self._file.read(len(buffer) - size)):
            buffer[size : size + len(data)] = data
            size += len(data)
        return size


def ungzipped(file: Any) -> Any:
    """The open file without compression, also where it was compressed twice."""
    for _ in range(TWICE):
        if file.peek(2)[:2] == b"\x1f\x8b":
            file = gzip.GzipFile(fileobj=file, mode="rb")
    return file


def utf8_blocks(
    file: BinaryIO, source: Path, encoding: str, block_bytes: int = BLOCK
) -> Iterator[bytes]:
    """Blocks of a text file, recoded to UTF-8, without a byte order mark.

    The encoding is the one that was given: bytes that are not in it are an error. Of UTF-8 that is
    found where fields are, by whoever parses it.
    """
    try:
        " ".encode(encoding)
    except LookupError as error:
        raise ValueError(f"{error}; name an encoding, as utf-8 or cp1252") from None
    chunks = iter(partial(file.read, block_bytes), b"")
    if codecs.lookup(encoding).name == "utf-8":  # it is checked as it is parsed
        yield next(chunks, b"").removeprefix(codecs.BOM_UTF8)
        yield from chunks
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    n_lines, n_bytes = 0, 0
    for chunk in chain(chunks, [b""]):
        n_bytes += len(chunk)
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            data = error.object  # it may begin with bytes that the block before has left
            decode(data, source, encoding, before=(n_lines, n_bytes - len(data)))
            raise
        n_lines += text.count("\n")
        if text:
            yield text.encode()


def count_byte(data: bytes, byte: bytes) -> int:
    """How often a byte is there."""
    # By NumPy, in a fifth of the time of bytes.count.
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == byte[0]))


def contents(source: Path, encoding: str) -> bytes:
    """Bytes of a text file, unzipped and recoded to UTF-8."""
    data = source.read_bytes()
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    if codecs.lookup(encoding).name != "utf-8":  # polars checks UTF-8 as it parses
        data = decode(data, source, encoding).encode()
    data = data.removeprefix(codecs.BOM_UTF8)
    if not data.strip():
        raise ValueError(f"{source} is empty")
    return data


def decode(
    data: bytes,
    source: Path | str,
    encoding: str,
    *,
    advice: str = RECODE,
    before: tuple[int, int] = (0, 0),
) -> str:
    """The text, or an error that says where the bytes are not in this encoding.

    ``before`` is how many lines and bytes of the file come before this block of it.
    """
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = before[0] + data.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{data[error.start]:02x} at offset {before[1] + error.start}"
        message = f"{source}, line {line}: {byte} is not {encoding}; {advice}"
        raise ValueError(message) from None
