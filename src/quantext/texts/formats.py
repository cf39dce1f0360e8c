"""Formats: CSV, TSV, JSON Lines and Parquet, also gzipped, to tables, a block at a time."""

import difflib
import gzip
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO, Literal

import polars as pl

from quantext.texts.csv import read_csv
from quantext.texts.encoding import (
    BLOCK,
    LONGEST,
    Choose,
    called,
    check_exists,
    unzipped,
    utf8_blocks,
)
from quantext.texts.jsonl import read_jsonl

__all__ = [
    "USUAL",
    "Format",
    "MissingColumnError",
    "Opening",
    "blocks",
    "check_columns",
    "format_of",
]

Format = Literal["csv", "tsv", "jsonl", "parquet"]
EXTENSIONS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
ROWS = 1 << 12  # the same for Parquet, which comes in rows


@dataclass(frozen=True)
class Opening:
    """How files are opened; what is not given is found out from the file.

    Parameters
    ----------
    format
        Of the table, where the extension does not tell.
    encoding
        Of text files.
    """

    format: Format | None = None
    encoding: str | None = None

    def format_of(self, source: Path) -> Format:
        """Format of a file: the one that is given, or else what its extension tells."""
        return self.format or format_of(source)


USUAL = Opening()
"""Everything is found out."""


class MissingColumnError(ValueError):
    """A file does not have the column ``name``."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name


def format_of(source: Path) -> Format:
    """Format that the file's extension tells."""
    extension = Path(source.name.lower().removesuffix(".gz")).suffix
    if extension not in EXTENSIONS:
        check_exists(source)
        raise ValueError(
            f"{source}: extension {extension!r} is unknown; give the format, or use one of "
            f"{', '.join(EXTENSIONS)} (.gz may follow)"
        )
    return EXTENSIONS[extension]


def check_columns(names: Sequence[str], present: Sequence[str], where: object) -> None:
    """Raise unless a table has each of the named columns, and has it once.

    Parameters
    ----------
    names
        Columns that are wanted.
    present
        Columns that the table has.
    where
        What a message calls the table.

    Examples
    --------
    >>> check_columns(["topics"], ["text", "topic"], "a.csv")
    Traceback (most recent call last):
    quantext.texts.formats.MissingColumnError: a.csv has no column 'topics' (did you mean 'topic'?);
    its columns are 'text', 'topic'
    """
    for name in names:
        if name not in present:
            near = difflib.get_close_matches(name, map(str, present), n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            listed = ", ".join(map(repr, present))
            raise MissingColumnError(
                f"{where} has no column {name!r}{hint}; its columns are {listed}", name
            )
        if present.count(name) > 1:
            raise ValueError(f"{where} has several columns {name!r}; rename all but one")


def blocks(
    source: Path,
    opening: Opening,
    names: Sequence[str] | None,
    optional: str | None = None,
    *,
    block_bytes: int = BLOCK,
    longest: int = LONGEST,
) -> Iterator[pl.DataFrame]:
    """The named columns of a file, or all, some rows at a time; in CSV and TSV all are text.

    Memory holds one block, however long the file is. The path ``-`` is standard input. One column
    may be optional, and is then there if the file has it. Of text files ``block_bytes`` are read at
    a time; a row of more than ``longest`` bytes is an error.
    """

    def choose(present: list[str]) -> list[str]:
        if names is None:
            return [name for name in present if present.count(name) == 1]
        wanted = [name for name in names if name in present or name != optional]
        check_columns(wanted, present, source)
        return wanted

    n_rows, kind = 0, opening.format_of(source)
    with unzipped(source) as file:
        source = called(source)
        chunks = utf8_blocks(file, source, opening.encoding or "utf-8", block_bytes)
        match kind:
            case "csv":
                tables = read_csv(chunks, source, None, choose, longest)
            case "tsv":
                tables = read_csv(chunks, source, b"\t", choose, longest)
            case "jsonl":
                tables = read_jsonl(chunks, source, choose, longest)
            case "parquet":
                tables = _read_parquet(file, source, choose)
            case _:
                choices = "csv, tsv, jsonl, parquet"
                raise ValueError(f"format {kind!r} is unknown; choose one of {choices}")
        for table in tables:
            n_rows += len(table)
            yield table
    if not n_rows:
        raise ValueError(f"{source} has columns but no rows")


def _read_parquet(file: BinaryIO, source: Path, choose: Choose) -> Iterator[pl.DataFrame]:
    """Tables with the columns that are wanted."""
    if source.is_file() and not isinstance(file, gzip.GzipFile):
        yield from _scan_parquet(source, choose)
        return
    with NamedTemporaryFile() as copy:  # the format begins at its end, so there must be a file
        shutil.copyfileobj(file, copy)
        copy.flush()
        yield from _scan_parquet(Path(copy.name), choose)


def _scan_parquet(path: Path, choose: Choose) -> Iterator[pl.DataFrame]:
    # Absolute, for polars would look for ~ in the path.
    table = pl.scan_parquet(path.absolute(), glob=False)
    wanted = table.select(choose(table.collect_schema().names()))
    yield from wanted.collect_batches(chunk_size=ROWS, maintain_order=True)
