"""JSON: a file with an array of objects, or an object with one such array, to tables."""

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Never

import polars as pl

from quantext.texts.encoding import LONGEST, Choose, count_byte
from quantext.texts.json_shapes import VALUES
from quantext.texts.jsonl import read_jsonl
from quantext.texts.notes import note

__all__ = []

LARGEST = 1 << 30  # bytes of an array, of which memory holds some copies


def read_json(
    chunks: Iterator[bytes], source: Path, choose: Choose, longest: int = LONGEST
) -> Iterator[pl.DataFrame]:
    """Tables with a column for each key that is wanted; JSON Lines are read block by block."""
    head = b""
    for chunk in chunks:
        head += chunk
        if b"\n" in head.lstrip() or len(head) > longest:
            break
    chunks = chain([head], chunks)
    if _is_object(head.lstrip().partition(b"\n")[0]):
        rest = head.lstrip().partition(b"\n")[2]
        if not rest.strip():
            _check_rows(_parsed(head, source), source)
        if rest.strip() or not _only_array(head):
            yield from read_jsonl(chunks, source, choose, longest)
            return
    items = _items(_joined(chunks, source), source)
    lines = b"".join(json.dumps(item).encode() + b"\n" for item in items)
    yield from read_jsonl(iter([lines]), source, choose, len(lines) + 1)


def _joined(chunks: Iterator[bytes], source: Path) -> bytes:
    """All of an array, unless that is too much."""
    parts, size, objects = [], 0, 0
    for chunk in chunks:
        parts.append(chunk)
        size += len(chunk)
        objects += count_byte(chunk, b"[") + count_byte(chunk, b"{")
        if size > LARGEST or objects > VALUES:
            raise ValueError(
                f"{source} is one JSON array, which is read whole, of more than "
                f"{LARGEST / 2**30:.0f} GB or {VALUES:,} objects; write JSON Lines, which are read "
                "a piece at a time"
            )
    return b"".join(parts)


def read_lines(
    chunks: Iterator[bytes], source: Path, choose: Choose, longest: int = LONGEST
) -> Iterator[pl.DataFrame]:
    """Tables of JSON Lines, or of an array, which is noted."""
    first = b""
    while not first.strip() and (chunk := next(chunks, b"")):
        first += chunk
    chunks = chain([first], chunks)
    if first.lstrip().startswith(b"["):
        note(f"{source} is a JSON array, not JSON Lines, and is read as such")
        yield from read_json(chunks, source, choose, longest)
    else:
        yield from read_jsonl(chunks, source, choose, longest)


def _check_rows(value: dict[str, Any], source: Path) -> None:
    """Raise if an object has a table by columns: objects that all have the same keys."""
    first, *others = value.values() or [None]
    if isinstance(first, dict) and first and others:
        if not all(isinstance(own, dict) and own.keys() == first.keys() for own in others):
            return
        raise ValueError(
            f"{source} has a table by columns, and an array of objects is needed, one a row; "
            "if pandas wrote it, write it with to_json(orient='records')"
        )


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except RecursionError:  # of which whoever reads the line will say that it is nested too deeply
        return line.lstrip().startswith(b"{")
    except ValueError:
        return False


def _only_array(head: bytes) -> bool:
    """Whether a line is an object around an array of objects, and no document."""
    try:
        return bool(_arrays(json.loads(head)))
    except (RecursionError, ValueError):
        return False


def _arrays(value: dict[str, Any]) -> list[str]:
    """Keys of an object whose values are arrays of objects."""
    return [
        key
        for key, own in value.items()
        if isinstance(own, list) and own and all(isinstance(item, dict) for item in own)
    ]


def _parsed(data: bytes, source: Path) -> Any:
    """What JSON says."""

    def refuse(constant: str) -> Never:
        raise ValueError(f"{constant} is not JSON, write null")

    try:
        return json.loads(data, parse_constant=refuse)
    except RecursionError:
        raise ValueError(f"{source} is not JSON of a table: it is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"{source} is not JSON: {error}") from None


def _items(data: bytes, source: Path) -> list[dict[str, Any]]:
    """The objects of the array."""
    if not data.strip():
        raise ValueError(f"{source} is empty")
    value = _parsed(data, source)
    if isinstance(value, dict):
        _check_rows(value, source)
        keys = _arrays(value)
        if len(keys) != 1:
            found = f"arrays {', '.join(map(repr, keys))}" if keys else "no array of objects"
            raise ValueError(
                f"{source} has {found}, where one is needed; write an array of objects, one a row, "
                "or JSON Lines"
            )
        value = value[keys[0]]
    if not isinstance(value, list):
        raise ValueError(f"{source} is no table; write an array of objects, one a row")
    for number, item in enumerate(value, start=1):
        if not isinstance(item, dict):
            shown = json.dumps(item)[:40]
            raise ValueError(f"{source}, row {number} is not a JSON object: it is {shown}")
    if not value:
        raise ValueError(f"{source} has no rows")
    return value
