"""Files to tables: CSV, TSV, JSON Lines, also gzipped, and Parquet, with errors that say where."""

import codecs
import difflib
import gzip
import json
import re
import zlib
from pathlib import Path
from typing import Literal, Never

import polars as pl

__all__ = ["DAMAGE", "Format", "contents", "decode", "format_of", "load", "parse_jsonl"]

Format = Literal["csv", "tsv", "jsonl", "parquet"]

EXTENSIONS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}

RECODE = "pass the file's encoding=, perhaps cp1252 if it comes from a spreadsheet"

# What is raised where a file is cut off or damaged, beside the errors that name the place.
DAMAGE = (pl.exceptions.PolarsError, EOFError, gzip.BadGzipFile, zlib.error)


def format_of(source: Path) -> Format:
    """Format that the file's extension tells."""
    extension = Path(source.name.lower().removesuffix(".gz")).suffix
    if extension not in EXTENSIONS:
        raise ValueError(
            f"{source}: extension {extension!r} is unknown; pass format=, or use one of "
            f"{', '.join(EXTENSIONS)} (.gz may follow)"
        )
    return EXTENSIONS[extension]


def load(source: Path, kind: Format, encoding: str, names: list[str]) -> pl.DataFrame:
    """The named columns of a file; in CSV and TSV all columns are text."""
    if source.is_dir():
        raise IsADirectoryError(f"{source} is a folder; name the files in it")
    if not source.exists():
        raise FileNotFoundError(f"there is no file {source}")
    if not source.stat().st_size:
        raise ValueError(f"{source} is empty")
    match kind:
        case "csv":
            data = contents(source, encoding)
            frame = _parse_csv(data, source, _delimiter(data))
        case "tsv":
            frame = _parse_csv(contents(source, encoding), source, "\t")
        case "jsonl":
            frame = parse_jsonl(contents(source, encoding), source)
        case "parquet":
            frame = pl.scan_parquet(source, glob=False)
        case _:
            raise ValueError(f"format {kind!r} is unknown; choose one of csv, tsv, jsonl, parquet")
    present = frame.collect_schema().names()
    for name in names:
        if name not in present:
            near = difflib.get_close_matches(name, present, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            listed = ", ".join(map(repr, present))
            raise ValueError(f"{source} has no column {name!r}{hint}; its columns are {listed}")
        if f"{name}_duplicated_0" in present:  # as polars renames it
            raise ValueError(f"{source} has several columns {name!r}; rename all but one")
    table = frame.select(names).collect()
    if table.is_empty():
        raise ValueError(f"{source} has columns but no rows")
    return table


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
    source: Path,
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


def _delimiter(data: bytes) -> str:
    r"""The one of , ; tab | that divides the header line; a comma if none does.

    Spreadsheets write semicolons where a comma is the decimal point.

    Examples
    --------
    >>> _delimiter(b'answer;"topic, main"\n3,5;speed\n')
    ';'
    """
    header = re.sub(rb'"[^"]*"', b"", data[:1_000_000]).partition(b"\n")[0].decode("latin-1")
    return max(",;\t|", key=header.count)  # the first of them where they tie


def _parse_csv(data: bytes, source: Path, separator: str) -> pl.LazyFrame:
    """Table with a text column for each field of the header."""
    try:
        frame = pl.read_csv(data, separator=separator, infer_schema=False)
    except pl.exceptions.PolarsError:
        decode(data, source, "utf-8")
        _check_fields(data, source, separator.encode())
        raise
    if any("\ufffd" in name for name in frame.columns):  # polars decodes the header leniently,
        decode(data, source, "utf-8")
    if frame[:, -1].null_count():  # and fills up a row that is too short
        _check_fields(data, source, separator.encode())
    return frame.lazy()


def _check_fields(data: bytes, source: Path, separator: bytes) -> None:
    """Raise if a quoted field is not closed or a row has not as many fields as the header."""
    # A quote opens a field only at the field's start. Without quoted fields, a row is a line.
    opening = rb'"(?<![^%b\n]")' % separator
    quoted = rb'%b[^"]*(?:""[^"]*)*"(?=[%b\r\n]|\Z)' % (opening, separator)
    header, *rows = re.sub(quoted, b"", data.strip(b"\r\n")).split(b"\n")
    for row, line in enumerate(rows, start=1):
        if re.search(opening, line):
            raise ValueError(f"{source}, row {row}: a field opens with a quote and does not close")
        if line.strip(b"\r") and line.count(separator) != header.count(separator):
            raise ValueError(
                f"{source}, row {row} has {line.count(separator) + 1} fields, the header "
                f"{header.count(separator) + 1}; a text with {separator.decode()!r} needs quotes"
            )


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
