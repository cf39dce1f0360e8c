"""Files to tables: CSV, TSV, JSON Lines and Parquet, also gzipped, with errors that say where."""

import codecs
import difflib
import gzip
import json
import re
import shutil
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, BinaryIO, Literal, Never

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext._csv import Fields, split_fields

__all__ = [
    "DAMAGE",
    "Format",
    "MissingColumnError",
    "blocks",
    "called",
    "contents",
    "decode",
    "format_of",
    "parse_jsonl",
]

Format = Literal["csv", "tsv", "jsonl", "parquet"]

EXTENSIONS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}

BLOCK = 1 << 22  # bytes that are read at a time: what bounds the memory
ROWS = 1 << 12  # the same for Parquet, which comes in rows
LONGEST = 1 << 26  # bytes of a row: more are a quote that nobody closed, or no table at all

RECODE = "give the file's encoding, perhaps cp1252 if it comes from a spreadsheet"

# What is raised where a file is cut off or damaged, beside the errors that name the place.
DAMAGE = (pl.exceptions.PolarsError, EOFError, gzip.BadGzipFile, zlib.error)

# From the names of a file's columns to those that are wanted.
Choose = Callable[[list[str]], list[str]]


class MissingColumnError(ValueError):
    """A file does not have the column ``name``."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name


def format_of(source: Path) -> Format:
    """Format that the file's extension tells."""
    extension = Path(source.name.lower().removesuffix(".gz")).suffix
    if extension not in EXTENSIONS:
        _check_exists(source)
        raise ValueError(
            f"{source}: extension {extension!r} is unknown; give the format, or use one of "
            f"{', '.join(EXTENSIONS)} (.gz may follow)"
        )
    return EXTENSIONS[extension]


def blocks(
    source: Path, kind: Format, encoding: str, names: list[str], optional: str | None = None
) -> Iterator[pl.DataFrame]:
    """The named columns of a file, some rows at a time; in CSV and TSV all columns are text.

    Memory holds one block, however long the file is. The path ``-`` is standard input. One column
    may be optional, and is then there if the file has it.
    """

    def choose(present: list[str]) -> list[str]:
        wanted = [name for name in names if name in present or name != optional]
        for name in wanted:
            if name not in present:
                near = difflib.get_close_matches(name, present, n=1)
                hint = f" (did you mean {near[0]!r}?)" if near else ""
                listed = ", ".join(map(repr, present))
                raise MissingColumnError(
                    f"{source} has no column {name!r}{hint}; its columns are {listed}", name
                )
            if present.count(name) > 1:
                raise ValueError(f"{source} has several columns {name!r}; rename all but one")
        return wanted

    n_rows = 0
    with _unzipped(source) as file:
        source = called(source)
        match kind:
            case "csv":
                tables = _read_csv(_utf8(file, source, encoding), source, None, choose)
            case "tsv":
                tables = _read_csv(_utf8(file, source, encoding), source, b"\t", choose)
            case "jsonl":
                tables = _read_jsonl(_utf8(file, source, encoding), source, choose)
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


def called(source: Path) -> Path:
    """What messages call a file: ``-`` is standard input."""
    return Path("standard input") if str(source) == "-" else source


def _check_exists(source: Path) -> None:
    if source.is_dir():
        raise IsADirectoryError(f"{source} is a folder; name the files in it")
    if not source.exists():
        raise FileNotFoundError(f"there is no file {source}")


@contextmanager
def _unzipped(source: Path) -> Iterator[BinaryIO]:
    """The open file, or standard input, without compression."""
    standard = str(source) == "-"
    if not standard:
        _check_exists(source)
    if source.is_file() and not source.stat().st_size:
        raise ValueError(f"{source} is empty")
    opened: Any = nullcontext(sys.stdin.buffer) if standard else source.open("rb")
    with opened as file:
        if file.peek(2)[:2] == b"\x1f\x8b":
            file = gzip.GzipFile(fileobj=file)
        yield file


def _utf8(file: BinaryIO, source: Path, encoding: str) -> Iterator[bytes]:
    """Blocks of a text file, recoded to UTF-8, without a byte order mark."""
    try:
        " ".encode(encoding)
    except LookupError as error:
        raise ValueError(f"{error}; name an encoding, as utf-8 or cp1252") from None
    chunks = iter(partial(file.read, BLOCK), b"")
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


def _read_csv(
    chunks: Iterator[bytes], source: Path, separator: bytes | None, choose: Choose
) -> Iterator[pl.DataFrame]:
    """Tables with a text column for each field that is wanted; no separator: find it."""
    header: list[str] = []
    wanted: dict[str, int] = {}
    data, enough = b"", 0
    n_rows, n_lines, n_bytes = 0, 0, 0
    for chunk in chain(chunks, [b""]):
        data += chunk
        if chunk and len(data) < enough:  # so that a long row is not scanned again and again
            continue
        separator = separator or _delimiter(data).encode()
        fields = split_fields(data, separator, last=not chunk)
        starts = np.append(0, fields.records)  # of each record, in fields
        if not header and len(starts) > 1:
            header = _header(data, fields, source)
            wanted = {name: header.index(name) for name in choose(header)}
            starts = starts[1:]
        _check_lengths(np.diff(starts), len(header), separator, source, n_rows)
        if len(starts) > 1:
            before = (n_rows, n_lines, n_bytes)
            yield pl.DataFrame(
                {
                    name: _texts(data, fields, starts[:-1] + column, source, before)
                    for name, column in wanted.items()
                },
                schema=dict.fromkeys(wanted, pl.String),
            )
        n_rows += len(starts) - 1
        n_lines += data.count(b"\n", 0, fields.length)
        n_bytes += fields.length
        data = data[fields.length :]
        enough = 2 * len(data)
        if fields.unclosed or len(data) > LONGEST:
            where = f"row {n_rows + 1}" if header else "header"
            raise ValueError(f"{source}, {where}: a field opens with a quote and does not close")
    if not header:
        raise ValueError(f"{source} is empty")


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


def _header(data: bytes, fields: Fields, source: Path) -> list[str]:
    """Names of the columns."""
    names = fields.values(data, np.arange(fields.records[0]))
    if not b"".join(names).strip():
        raise ValueError(f"{source} is empty, or its first line is")
    decode(data[: fields.end(fields.records[0] - 1)], source, "utf-8")
    return [name.decode() for name in names]


def _check_lengths(
    lengths: NDArray[np.int64], expected: int, separator: bytes, source: Path, n_rows: int
) -> None:
    """Raise if a row has not as many fields as the header."""
    if (lengths != expected).any():
        at = int(np.argmax(lengths != expected))
        raise ValueError(
            f"{source}, row {n_rows + at + 1} has {lengths[at]} fields, the header {expected}; "
            f"a text with {separator.decode()!r} needs quotes"
        )


def _texts(
    data: bytes,
    fields: Fields,
    chosen: NDArray[np.int64],
    source: Path,
    before: tuple[int, int, int],
) -> list[str | None]:
    """Texts of the chosen fields, one of each row; ``before`` them are rows, lines and bytes."""
    try:
        return [value.decode() or None for value in fields.values(data, chosen)]
    except UnicodeDecodeError:
        for row, field in enumerate(chosen.tolist(), start=before[0] + 1):
            start = int(fields.starts[field])
            place = (before[1] + data.count(b"\n", 0, start), before[2] + start)
            decode(data[start : fields.end(field)], f"{source}, row {row}", "utf-8", before=place)
        raise


def _read_jsonl(chunks: Iterator[bytes], source: Path, choose: Choose) -> Iterator[pl.DataFrame]:
    """Tables with a column for each key that is wanted; the first block decides its type."""
    schema: pl.Schema | None = None
    n_lines, n_bytes = 0, 0
    for block in _whole_lines(chunks, source):
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
        # By NumPy, in a fifth of the time of bytes.count.
        n_lines += int(np.count_nonzero(np.frombuffer(block, np.uint8) == ord("\n")))
        n_bytes += len(block)
    if schema is None:
        raise ValueError(f"{source} is empty")


def _open_type(dtype: pl.DataType) -> pl.DataType:
    """The type, but text for values of which none has been seen yet."""
    if dtype == pl.Null:
        return pl.String()
    return pl.List(pl.String()) if dtype == pl.List(pl.Null) else dtype


def _whole_lines(chunks: Iterator[bytes], source: Path) -> Iterator[bytes]:
    """Blocks that end where a line ends."""
    waiting: list[bytes] = []
    for chunk in chunks:
        end = chunk.rfind(b"\n") + 1
        if end:
            yield b"".join([*waiting, chunk[:end]])
            waiting = []
        waiting.append(chunk[end:])
        if sum(map(len, waiting)) > LONGEST:
            raise ValueError(f"{source} has a line of more than {LONGEST >> 20} MB")
    yield b"".join(waiting)


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
