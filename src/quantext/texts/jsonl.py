"""JSON Lines: blocks of bytes in, tables out."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Never

import polars as pl

from quantext.texts.encoding import LONGEST, RECODE, Choose, count_byte, decode
from quantext.texts.json_shapes import bounded, too_deep
from quantext.texts.notes import note
from quantext.wording import counted

__all__ = ["parse_jsonl"]

REPLACED = "\ufffd"

# An escape of JSON: a character in two halves, one half alone, or any other.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)


def read_jsonl(
    chunks: Iterator[bytes], source: Path, choose: Choose, longest: int = LONGEST
) -> Iterator[pl.DataFrame]:
    """Tables with a column for each key that is wanted; the first block decides its type."""
    schema: pl.Schema | None = None
    n_lines, n_bytes, n_halves = 0, 0, 0
    for block in _whole_lines(chunks, source, longest):
        block, halves = _without_halves(block)
        n_halves += halves
        if block and not block.isspace():
            place = (n_lines, n_bytes)
            lines = block if schema is not None else bounded(block, source, choose, n_lines)
            try:
                table = parse_jsonl(lines, source, schema=schema, before=place)
            except pl.exceptions.PolarsError as error:
                if schema is None:
                    raise
                way = "; write all numbers of that column as 1.0 is" if "f64" in str(error) else ""
                raise ValueError(
                    f"{source}, line {n_lines + 1} or later has a value of another type than the "
                    f"lines before: {error}{way}"
                ) from error
            if schema is None:
                types = table.collect_schema()
                names = choose(types.names())
                schema = pl.Schema({name: _open_type(types[name]) for name in names})
            yield table.select(schema.names()).cast(schema).collect()
        n_lines += count_byte(block, b"\n")
        n_bytes += len(block)
    if schema is None:
        raise ValueError(f"{source} is empty")
    if n_halves:
        note(
            f"{source}: {counted(n_halves, 'character')} cut in half (as \\ud83d without what "
            f"follows it) read as {REPLACED}"
        )


def _without_halves(data: bytes) -> tuple[bytes, int]:
    r"""The lines with halves of characters replaced, of which the engine would make NUL; how many.

    Examples
    --------
    >>> _without_halves(rb'{"whole": "\ud83d\ude00", "half": "\ud83d", "text": "\\ud83d"}')
    (b'{"whole": "\\ud83d\\ude00", "half": "\\ufffd", "text": "\\\\ud83d"}', 1)
    """
    if not re.search(rb"\\u[dD][89a-fA-F]", data):
        return data, 0
    count = 0

    def mend(escape: re.Match[bytes]) -> bytes:
        nonlocal count
        if escape["half"] is None:
            return escape[0]
        count += 1
        return rb"\ufffd"

    return _ESCAPE.sub(mend, data), count


def _open_type(dtype: pl.DataType) -> pl.DataType:
    """The type, but text for values of which none has been seen yet."""
    if dtype == pl.Null:
        return pl.String()
    return pl.List(pl.String()) if dtype == pl.List(pl.Null) else dtype


def _whole_lines(chunks: Iterator[bytes], source: Path, longest: int) -> Iterator[bytes]:
    """Blocks that end where a line ends; a last line without an end belongs to the block before.

    Alone, it would have to be of the types of the others, and could not decide them.
    """
    whole = b""
    waiting: list[bytes] = []
    for chunk in chunks:
        end = chunk.rfind(b"\n") + 1
        if end:
            yield whole
            whole = b"".join([*waiting, chunk[:end]])
            waiting = []
        waiting.append(chunk[end:])
        if sum(map(len, waiting)) > longest:
            raise ValueError(f"{source} has a line of more than {longest / 2**20:g} MB")
    yield b"".join([whole, *waiting])


def parse_jsonl(
    data: bytes,
    source: Path,
    *,
    schema: dict[str, pl.DataType] | None = None,
    advice: str = RECODE,
    before: tuple[int, int] = (0, 0),
) -> pl.LazyFrame:
    """Table with a column for each key of the objects, or of the schema, one object a line.

    ``before`` is how many lines and bytes of the file come before this block of it.
    """

    def refuse(constant: str) -> Never:
        raise ValueError(f"{constant} is not JSON, write null")

    try:
        return pl.read_ndjson(data, schema=schema, infer_schema_length=None).lazy()
    except pl.exceptions.PolarsError:
        lines = decode(data, source, "utf-8", advice=advice, before=before).split("\n")
        for number, line in enumerate(lines, start=before[0] + 1):
            where = f"{source}, line {number}"
            try:
                value = json.loads(line, parse_constant=refuse) if line.strip() else {}
            except RecursionError:
                raise too_deep(source, number) from None
            except ValueError as error:
                raise ValueError(f"{where} is not a JSON object: {error}") from None
            if not isinstance(value, dict):
                raise ValueError(f"{where} is not a JSON object: it is {line[:40]}") from None
        raise
