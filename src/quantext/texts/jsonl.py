"""JSON Lines: blocks of bytes in, tables out."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Never

import polars as pl

from quantext.texts.encoding import LONGEST, RECODE, Choose, count_byte, decode

__all__ = ["parse_jsonl"]


def read_jsonl(
    chunks: Iterator[bytes], source: Path, choose: Choose, longest: int = LONGEST
) -> Iterator[pl.DataFrame]:
    """Tables with a column for each key that is wanted; the first block decides its type."""
    schema: pl.Schema | None = None
    n_lines, n_bytes = 0, 0
    for block in _whole_lines(chunks, source, longest):
        if block and not block.isspace():
            place = (n_lines, n_bytes)
            try:
                table = parse_jsonl(block, source, schema=schema, before=place)
            except pl.exceptions.PolarsError as error:
                if schema is None:
                    raise
                raise ValueError(
                    f"{source}, line {n_lines + 1} or later has a value of another type than the "
                    f"lines before: {error}"
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


def _open_type(dtype: pl.DataType) -> pl.DataType:
    """The type, but text for values of which none has been seen yet."""
    if dtype == pl.Null:
        return pl.String()
    return pl.List(pl.String()) if dtype == pl.List(pl.Null) else dtype


def _whole_lines(chunks: Iterator[bytes], source: Path, longest: int) -> Iterator[bytes]:
    """Blocks that end where a line ends."""
    waiting: list[bytes] = []
    for chunk in chunks:
        end = chunk.rfind(b"\n") + 1
        if end:
            yield b"".join([*waiting, chunk[:end]])
            waiting = []
        waiting.append(chunk[end:])
        if sum(map(len, waiting)) > longest:
            raise ValueError(f"{source} has a line of more than {longest / 2**20:g} MB")
    yield b"".join(waiting)


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
            except ValueError as error:
                raise ValueError(f"{where} is not a JSON object: {error}") from None
            if not isinstance(value, dict):
                raise ValueError(f"{where} is not a JSON object: it is {line[:40]}") from None
        raise
