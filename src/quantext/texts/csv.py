"""CSV and TSV: blocks of bytes in, tables of texts out."""

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.texts.encoding import LONGEST, Choose, decode
from quantext.texts.fields import Fields, split_fields

__all__ = []


def read_csv(
    chunks: Iterator[bytes],
    source: Path,
    separator: bytes | None,
    choose: Choose,
    longest: int = LONGEST,
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
        if fields.unclosed or len(data) > longest:
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
