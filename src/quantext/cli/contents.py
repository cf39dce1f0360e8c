"""What a file holds, by as little of it as tells: a model, a page, the columns of a table."""

import csv
import json
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

__all__ = ["columns_of", "is_model", "is_page"]

_START = 1 << 20  # bytes that tell the columns of a table
_LONGEST_LINE = 1 << 26
_MOST = 1 << 23  # bytes of a manifest, as they are of a model that can be read
_BAD_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
_GENERATOR = b'<meta name="generator" content="quantext">'  # as web/base.html has it


def is_model(path: Path) -> bool:
    """Whether a file is a model's, of whatever version."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open("manifest.json") as file:
            manifest = json.loads(file.read(_MOST))
    except (*_BAD_ZIP, KeyError, ValueError):
        return False
    return isinstance(manifest, dict) and {"quantext", "model", "format"} <= manifest.keys()


def is_page(path: Path) -> bool:
    """Whether a file is a page that quantext wrote."""
    return _GENERATOR in _start(path)[:512]


def columns_of(path: Path) -> list[str]:
    """Names of the columns of a table, by the extension of its file; none if it holds no table."""
    try:
        return _READERS[path.suffix.lower()](path)
    except (ValueError, csv.Error, RecursionError):
        return []


def _csv_columns(path: Path) -> list[str]:
    lines = _start(path).decode("utf-8-sig", errors="replace").splitlines(keepends=True)
    # Spreadsheet programs of some countries write a semicolon.
    found = [next(csv.reader(lines, delimiter=mark), []) for mark in ",;\t"]
    return max(found, key=len)


def _json_columns(path: Path) -> list[str]:
    """Names in the first object of an array."""
    text = _start(path).decode(errors="replace").lstrip().removeprefix("[").lstrip()
    first, _ = json.JSONDecoder().raw_decode(text)
    return list(first) if isinstance(first, dict) else []


def _line_columns(path: Path) -> list[str]:
    """Names in the object of the first line, which has a whole text in it."""
    with open(path, "rb") as file:
        first = json.loads(file.readline(_LONGEST_LINE))
    return list(first) if isinstance(first, dict) else []


def _parquet_columns(path: Path) -> list[str]:
    import polars as pl

    try:
        with open(path, "rb") as file:  # given the path, polars would take it for a pattern
            return list(pl.read_parquet_schema(file))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return []


def _sheet_columns(path: Path) -> list[str]:
    """Header of the only sheet; a workbook to which somebody has added another is theirs."""
    import warnings

    from quantext.texts.formats import USUAL, blocks

    try:
        with zipfile.ZipFile(path) as archive:
            sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/sheet")]
    except _BAD_ZIP:
        return []
    if len(sheets) != 1:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # notes on a file that is not read
        return next(blocks(path, USUAL, None)).columns


_READERS: dict[str, Callable[[Path], list[str]]] = {
    ".csv": _csv_columns,
    ".json": _json_columns,
    ".jsonl": _line_columns,
    ".parquet": _parquet_columns,
    ".xlsx": _sheet_columns,
}


def _start(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read(_START)
