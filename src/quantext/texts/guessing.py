"""Encodings that nobody has named: found out from the bytes, a block at a time.

A file in UTF-8 passes as it is. What is not UTF-8 is decided where the first such byte is: all
before is the same in every encoding that is considered, so that it does not matter how far into the
file that is. A few broken bytes among good ones are replaced, and in Latin encodings lines that are
UTF-8 all the same stay as they are.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl

from quantext.texts.codepages import guess
from quantext.texts.encoding import BLOCK, count_byte
from quantext.texts.notes import note
from quantext.wording import counted

__all__ = ["guessed_blocks"]

REPLACED = "\ufffd"
SAMPLE = 1 << 16  # bytes of lines that are not ASCII, which is enough to tell a language
SHOWN = 30  # characters on each side of the one that an example is about

# In whose texts a line that is UTF-8 is nothing else.
LATIN = ("cp1250", "cp1252", "cp1254", "cp1257")

_CUT = re.compile(rb"\xe2\x80(?![\x80-\xff])|(?<=[a-z])\xc3(?![\x80-\xffA-Za-z])")

MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before the next, with which it begins
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass
class _Place:
    """How many lines and bytes come before a block."""

    lines: int = 0
    offset: int = 0

    def pass_by(self, data: bytes) -> None:
        self.lines += count_byte(data, b"\n")
        self.offset += len(data)


def guessed_blocks(file: BinaryIO, source: Path, block_bytes: int = BLOCK) -> Iterator[bytes]:
    """Blocks of a text file as UTF-8, whatever its encoding is, without a byte order mark.

    Parameters
    ----------
    file
        Open, at its beginning; it is read once.
    source
        What notes call it.
    block_bytes
        How much is read at a time.
    """
    chunks = iter(partial(file.read, block_bytes), b"")
    first = b""
    while len(first) < 4 and (chunk := next(chunks, b"")):
        first += chunk
    marked = next((name for mark, name in MARKS.items() if first.startswith(mark)), None)
    marked = marked or _wide(first)
    if marked == "utf-8-sig":
        yield from _as_utf8(chain([first.removeprefix(codecs.BOM_UTF8)], chunks), source, 3)
    elif marked is not None:
        yield from _recoded(chain([first], chunks), source, marked, _Place())
    else:
        yield from _as_utf8(chain([first], chunks), source, 0)


def _wide(data: bytes) -> str | None:
    """UTF-16 without a mark: text in which every other byte is zero."""
    data = data[: 200 & ~1]
    if len(data) < 4 or b"\0" not in data:
        return None
    for name, zeros, others in (
        ("utf-16-le", data[1::2], data[::2]),
        ("utf-16-be", data[::2], data[1::2]),
    ):
        if zeros.count(0) > 0.8 * len(zeros) and not others.count(0):
            return name
    return None


def _as_utf8(chunks: Iterator[bytes], source: Path, offset: int) -> Iterator[bytes]:
    """The blocks as they are, as long as they are UTF-8; then what they are instead."""
    place, rest, certain = _Place(offset=offset), b"", False
    for chunk in chain(chunks, [b""]):
        data = rest + chunk
        if data.isascii():
            rest = b""
        else:
            end = _end_of_whole(data) if chunk else len(data)
            data, rest = data[:end], data[end:]
            if not _is_utf8(data):
                chunks = chain([data + rest], chunks)
                if certain or _mostly_utf8(data):
                    yield from _repaired(chunks, source, place)
                else:
                    encoding = _guess_or_raise(data, source, place)
                    recoded = _recoded_lines if encoding in LATIN else _recoded
                    yield from recoded(chunks, source, encoding, place)
                return
            certain = True
        if data:
            yield data
            place.pass_by(data)


def _end_of_whole(data: bytes) -> int:
    """Where the last character ends that the block has as a whole."""
    for back in range(1, min(3, len(data)) + 1):
        byte = data[-back]
        if byte >= 0xC0:  # the first of several bytes
            wanted = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(data) - back if back < wanted else len(data)
        if byte < 0x80:
            break
    return len(data)


def _is_utf8(data: bytes) -> bool:
    # By polars, in a thirtieth of the time of bytes.decode, which makes a text of it.
    try:
        pl.Series([data], dtype=pl.Binary).cast(pl.String)
    except pl.exceptions.PolarsError:
        return False
    return True


def _mostly_utf8(data: bytes) -> bool:
    r"""Whether a block is UTF-8 in which some bytes are broken, rather than in another encoding.

    What is not ASCII and yet UTF-8 is hardly ever anything else. Nor is the beginning of an emoji
    (F0 9F), of a quote or dash (E2 80) or of an accented letter (C3, which elsewhere is a capital,
    after a small letter and at the end of a word) that a program that counts bytes has cut.

    Examples
    --------
    >>> _mostly_utf8("é, è, à".encode() + b"\xe9"), _mostly_utf8(b"\xe9, \xe8, \xe0")
    (True, False)
    >>> _mostly_utf8(b"fine \xf0\x9f\x98"), _mostly_utf8(b"don\xe2\x80"), _mostly_utf8(b"caf\xc3")
    (True, True, True)
    """
    text = data.decode("utf-8", "replace")
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    broken = text.count(REPLACED) - data.count(REPLACED.encode())
    good = int(np.count_nonzero(points > 0x7F)) - broken
    emoji = int(np.count_nonzero((points >= 0x1F000) & (points <= 0x1FFFF)))
    cut = max(0, data.count(b"\xf0\x9f") - emoji) + len(_CUT.findall(data))
    return good + cut > 0 and good + cut >= broken - cut


def _repaired(chunks: Iterator[bytes], source: Path, place: _Place) -> Iterator[bytes]:
    """Blocks of UTF-8, broken bytes replaced and noted at the end."""
    broken, first, rest = 0, "", b""
    for chunk in chain(chunks, [b""]):
        data = rest + chunk
        end = _end_of_whole(data) if chunk else len(data)
        data, rest = data[:end], data[end:]
        if not data:
            continue
        if _is_utf8(data):
            yield data
        else:
            first = first or _first_broken(data, place)
            text = data.decode("utf-8", "replace")
            broken += text.count(REPLACED) - data.count(REPLACED.encode())
            yield text.encode()
        place.pass_by(data)
    verb = "is" if broken == 1 else "are"
    note(
        f"{source}: {counted(broken, 'character')} of this UTF-8 file {verb} broken and "
        f"{verb} read as {REPLACED}, the first in {first}"
    )


def _first_broken(data: bytes, place: _Place) -> str:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = place.lines + data.count(b"\n", 0, error.start) + 1
        return (
            f"line {line:,} (byte 0x{data[error.start]:02x} at offset {place.offset + error.start})"
        )
    raise AssertionError("a block is UTF-8 or is not")


def _recoded(
    chunks: Iterator[bytes], source: Path, encoding: str, place: _Place
) -> Iterator[bytes]:
    """Blocks in another encoding as UTF-8; what is not in it is replaced and noted at the end."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    broken, n_lines, first = 0, place.lines, 0
    for chunk in chain(chunks, [b""]):
        text = decoder.decode(chunk, final=not chunk)
        if REPLACED in text:
            first = first or n_lines + text.count("\n", 0, text.index(REPLACED)) + 1
            broken += text.count(REPLACED)
        n_lines += text.count("\n")
        if text:
            yield text.encode()
    _note_broken(broken, first, source, encoding)


def _recoded_lines(
    chunks: Iterator[bytes], source: Path, encoding: str, place: _Place
) -> Iterator[bytes]:
    """The same of a Latin encoding, but lines that are UTF-8 stay so, and are noted.

    A file that was put together of several may have both.
    """
    broken, first, mixed, first_mixed, rest = 0, 0, 0, 0, b""
    for chunk in chain(chunks, [b""]):
        data = rest + chunk
        end = data.rfind(b"\n") + 1 if chunk and len(data) < 2 * BLOCK else len(data)
        lines, rest = data[:end].split(b"\n"), data[end:]
        for i, line in enumerate(lines):
            if line.isascii():
                continue
            if _utf8_line(line):
                mixed, first_mixed = mixed + 1, first_mixed or place.lines + i + 1
                continue
            text = line.decode(encoding, "replace")
            if REPLACED in text:
                broken, first = broken + text.count(REPLACED), first or place.lines + i + 1
            lines[i] = text.encode()
        place.pass_by(data[:end])
        if end:
            yield b"\n".join(lines)
    _note_broken(broken, first, source, encoding)
    if mixed:
        said = f"{counted(mixed, 'line')} in UTF-8 among others in {encoding} read as such"
        note(f"{source}: {said}, the first is line {first_mixed:,}")


def _note_broken(broken: int, first: int, source: Path, encoding: str) -> None:
    if broken:
        said = f"{counted(broken, 'character')} {'is' if broken == 1 else 'are'}"
        note(f"{source}: {said} not {encoding}, read as {REPLACED}, the first in line {first:,}")


def _utf8_line(line: bytes) -> bool:
    r"""Whether a line that is not ASCII is UTF-8 of Western Europe: accents, quotes and emojis.

    Of other characters a line in cp1252 might be one by chance.

    Examples
    --------
    >>> _utf8_line("déjà vu – 👍".encode()), _utf8_line("NESTLÉ’S".encode("cp1252"))
    (True, False)
    """
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return False
    return all(c <= "\xff" or "\u2000" <= c <= "\u2fff" or c > "\uffff" for c in text)


def _guess_or_raise(data: bytes, source: Path, place: _Place) -> str:
    """The encoding of a block that is not UTF-8, with a note that shows a line of it."""
    at, sample = _telling_lines(data)
    encoding = guess(sample)
    line = place.lines + data.count(b"\n", 0, at) + 1
    if encoding is None:
        raise ValueError(
            f"{source}, line {line}: byte 0x{data[at]:02x} at offset {place.offset + at} is not "
            "utf-8, nor does another encoding fit; give the file's encoding, or save it as UTF-8"
        )
    # Whole lines, lest a character is cut in two.
    start = data.rfind(b"\n", 0, at) + 1
    end = data.find(b"\n", at)
    around = data[start : end if end >= 0 else len(data)][: 1 << 14].decode(encoding, "replace")
    column = next((i for i, c in enumerate(around) if c > "\x7f"), 0)
    shown = around[max(0, column - SHOWN) : column + SHOWN].strip()
    note(
        f"{source} is not UTF-8 and is read as {encoding}, so line {line:,} has “{shown}”; if that "
        "is wrong, give the file's encoding (--encoding NAME, in Python encoding=)"
    )
    return encoding


def _telling_lines(data: bytes) -> tuple[int, bytes]:
    """Where the first byte is that is not ASCII in lines that are not UTF-8, and such lines."""
    size, kept, first, place = 0, [], -1, 0
    for line in re.split(rb"(?<=[\r\n])", data):
        if not line.isascii() and not _utf8_line(line):
            if first < 0:
                first = place + next(i for i, byte in enumerate(line) if byte >= 0x80)
            kept.append(line.rstrip(b"\r\n")[:SAMPLE])
            size += len(kept[-1]) + 1
            if size > SAMPLE:
                break
        place += len(line)
    return first, b"\n".join(kept)
