"""Shapes of JSON: how deep objects are nested and how many keys they have, before tables are made.

The engine makes a column of every key that any line has, at every depth, so that lines with keys of
their own are as many columns as lines. Only the lines from which it infers types are looked at: of
others it takes what is wanted.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quantext.texts.encoding import Choose, count_byte

__all__ = ["bounded", "too_deep"]

DEEPEST = 64  # arrays and objects in each other; the engine takes seconds for some hundreds
CELLS = 1 << 25  # of all columns, of eight bytes or more each
SPARSE = 16  # cells for each that is filled: so many are no bomb, only a table with gaps
VALUES = 1 << 22  # in lines that are looked at, each some hundred bytes in memory

_SCAN = json.JSONDecoder().raw_decode


def too_deep(source: Path, number: int) -> ValueError:
    """The error that a line is nested too deeply."""
    return ValueError(
        f"{source}, line {number} has more than {DEEPEST} arrays or objects in each other, which "
        "is no table; write values as numbers, texts or lists of texts"
    )


def bounded(data: bytes, source: Path, choose: Choose, before: int = 0) -> bytes:
    """The lines, with the keys that are wanted alone where all keys would be too many columns.

    Lines that are no JSON are left to whoever reads them.

    Parameters
    ----------
    data
        Lines of which types will be inferred.
    source
        What messages call the file.
    choose
        From the names of its columns to those that are wanted.
    before
        Number of lines before these.
    """
    if count_byte(data, b"[") + count_byte(data, b"{") > VALUES:
        raise ValueError(
            f"{source} has more than {VALUES:,} arrays or objects in one piece, which is no table; "
            "write JSON Lines, a line for each document"
        )
    shape = _Shape(source, data.count(b"\n") + 1)
    for number, _, line in _objects(data, source, before):
        if line is not None:
            shape.add(line, number)
    if not shape.sparse:
        return data
    wanted = choose(list(shape.paths))
    shape = _Shape(source, shape.n_lines)
    kept = []
    for number, written, line in _objects(data, source, before):
        if line is None:
            kept.append(written.encode(errors="surrogateescape") + b"\n")
            continue
        own = {name: line[name] for name in wanted if name in line}
        shape.add(own, number)
        if shape.sparse:
            raise ValueError(
                f"{source}, line {number}: with it, lines have {shape.n_paths:,} different keys, "
                "too many for columns of a table; write the same keys in every line, and names "
                "that differ as values"
            )
        kept.append(json.dumps(own).encode() + b"\n")
    return b"".join(kept)


def _objects(
    data: bytes, source: Path, before: int
) -> Iterator[tuple[int, str, dict[str, Any] | None]]:
    """Number of each line, the line, and its object; None if it is anything else."""
    # Text that is decoded once; json.loads would look for the encoding of every line.
    text = data.decode("utf-8-sig", errors="surrogateescape")
    last, value = "", None  # a line again and again is read once: a file may have millions of them
    for number, line in enumerate(text.split("\n"), start=before + 1):
        if line != last:
            try:
                last, value = line, _object(line)
            except RecursionError:
                raise too_deep(source, number) from None
        yield number, line, value


def _object(line: str) -> dict[str, Any] | None:
    """The object that a line is, if it is one, and of UTF-8."""
    bare = line.strip()
    try:
        value, end = _SCAN(bare)
        if not bare.isascii():
            bare.encode()  # an error, if bytes were none of UTF-8
    except ValueError:
        return None
    return value if isinstance(value, dict) and end == len(bare) else None


class _Shape:
    """The keys of objects, and of objects in them, as a tree.

    Parameters
    ----------
    source
        What messages call the file.
    n_lines
        Of the file that are looked at.
    """

    def __init__(self, source: Path, n_lines: int) -> None:
        self.source = source
        self.n_lines = n_lines
        self.paths: dict[str, Any] = {}
        self.n_paths = 0
        self.n_values = 0

    @property
    def sparse(self) -> bool:
        """Whether there would be too many cells, of which few are filled."""
        return self.n_paths * self.n_lines > max(CELLS, SPARSE * self.n_values)

    def add(self, line: dict[str, Any], number: int) -> None:
        """Add the keys of a line."""
        if not line:
            return
        waiting: list[tuple[Any, dict[str, Any], int]] = [(line, self.paths, 1)]
        while waiting:
            value, paths, depth = waiting.pop()
            if depth > DEEPEST:
                raise too_deep(self.source, number)
            if isinstance(value, dict):
                self.n_values += len(value)
                for key, own in value.items():
                    if key not in paths:
                        paths[key] = {}
                        self.n_paths += 1
                    if isinstance(own, dict | list):
                        waiting.append((own, paths[key], depth + 1))
            else:
                self.n_values += len(value)
                waiting += [
                    (own, paths, depth + 1) for own in value if isinstance(own, dict | list)
                ]
