"""CSV and TSV: blocks of bytes in, tables of texts out."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.texts.encoding import LONGEST, Choose, count_byte, decode
from quantext.texts.fields import Fields, split_fields
from quantext.texts.headers import HEAD, Start, find_start, first_rows, title_shown, titles_shown
from quantext.texts.notes import note
from quantext.texts.odd_rows import note_first_rows
from quantext.texts.separators import QUOTED
from quantext.wording import counted

__all__ = []

FIELDS = 1 << 22  # of a row, each some twenty bytes in memory; no program has more columns


def read_csv(
    chunks: Iterator[bytes],
    source: Path,
    separator: bytes | None,
    choose: Choose,
    longest: int = LONGEST,
    *,
    header_row: int | None = None,
    plain: bool = False,
) -> Iterator[pl.DataFrame]:
    """Tables with a text column for each field that is wanted; no separator: find it.

    Nothing is known of ``plain`` text: it is a table only if its lines are divided alike.
    """
    chunks, start = _begin(chunks, source, separator, header_row, plain)
    separator = start.separator
    header: list[str] = []
    wanted: dict[str, int] = {}
    data, enough = b"", 0
    n_rows, n_lines, n_bytes, gaps = 0, 0, 0, _Gaps()
    skipped = start.skipped
    for chunk in chain(chunks, [b""]):
        data += chunk
        if skipped:  # the first chunk has it all
            n_lines, n_bytes = data.count(b"\n", 0, skipped), skipped
            data, skipped = data[skipped:], 0
        if chunk and len(data) < enough:  # so that a long row is not scanned again and again
            continue
        if len(data) > FIELDS and count_byte(data.partition(b"\n")[0], separator) > FIELDS:
            where = f"row {n_rows + 1}" if header else "header"
            raise ValueError(f"{source}, {where} has more than {FIELDS:,} fields; is it a table?")
        fields = split_fields(data, separator, last=not chunk)
        starts = np.append(0, fields.records).astype(np.int64)  # of each record, in fields
        lengths = np.diff(starts)
        if not header and len(lengths):
            header = _header(data, fields, source)
            starts, lengths = starts[1:], lengths[1:]
            whole = starts[:-1][lengths == len(header)]
            used = _without_margins(header, fields, whole)
            present = [header[column] for column in used]
            wanted = {name: used[present.index(name)] for name in choose(present)}
        rows = starts[:-1]
        blank = _blank_rows(fields, rows, lengths)
        gaps.add(blank)
        if blank.any():
            rows, lengths = rows[~blank], lengths[~blank]
        _check_lengths(lengths, len(header), separator, source, n_rows)
        if len(rows):
            before = (n_rows, n_lines, n_bytes)
            yield pl.DataFrame(
                {
                    name: _texts(data, fields, rows + column, source, before)
                    for name, column in wanted.items()
                },
                schema=dict.fromkeys(wanted, pl.String),
            )
        n_rows += len(rows)
        data, passed = data[fields.length :], data[: fields.length]
        n_lines += count_byte(passed, b"\n")
        n_bytes += fields.length
        enough = 2 * len(data)
        if fields.unclosed or len(data) > longest:
            where = f"row {n_rows + 1}" if header else "header"
            why = "a field opens with a quote and does not close"
            if b'"' not in data:
                why = f"a row of more than {longest / 2**20:g} MB without a line break is not read"
            raise ValueError(f"{source}, {where}: {why}")
    if not header:
        raise ValueError(f"{source} is empty")
    if gaps.number:
        note(f"{source}: {counted(gaps.number, 'blank row')} among the others left out")


def _begin(
    chunks: Iterator[bytes],
    source: Path,
    separator: bytes | None,
    header_row: int | None,
    plain: bool,
) -> tuple[Iterator[bytes], Start]:
    """The chunks with line feeds, the first as long as a look takes, and where the table begins."""
    head, last = b"", True
    for chunk in chunks:
        head += chunk
        if len(head) >= HEAD:
            last = False
            break
    bare = QUOTED.sub(b"", head[:HEAD])
    if last:
        bare = bare.rstrip(b"\r\n")  # some add a line feed to a file of carriage returns
    if b"\r" in bare and b"\n" not in bare:  # as programs for old Macs write
        head = head.replace(b"\r", b"\n")
        chunks = (chunk.replace(b"\r", b"\n") for chunk in chunks)
    start = find_start(head, separator, header_row, last)
    if plain and not start.steady and head.strip():
        raise ValueError(
            f"{source} has no columns: neither tabs nor ; , | divide its lines alike. If each line "
            "is a text, write the name of the column above them and give the format csv"
        )
    if header_row is not None and not head[start.skipped :].partition(b"\n")[0].strip():
        but = "it is blank"
        if start.skipped == len(head):
            n_rows = counted(start.passed, "row")
            but = (
                f"the file has {n_rows}" if last else f"it is looked for in the first {n_rows} only"
            )
        raise ValueError(f"{source}: row {header_row} is to be the header, and {but}")
    if start.titles:
        note(f"{source}: the header is taken to be below {titles_shown(start.titles)}")
    if start.doubtful:
        note(f"{source}: {title_shown(start.doubtful)}")
    elif rows := first_rows(head[start.skipped :], start.separator, whole=last):
        note_first_rows(rows[0], rows[1:], source, given=header_row is not None)
    return chain([head], chunks), start


class _Gaps:
    """How many rows have nothing in them, without those below the last that has."""

    def __init__(self) -> None:
        self.number = 0
        self._last = 0

    def add(self, blank: NDArray[np.bool_]) -> None:
        filled = np.flatnonzero(~blank)
        if len(filled):
            last = int(filled[-1])
            self.number += self._last + int(blank[:last].sum())
            self._last = len(blank) - last - 1
        else:
            self._last += len(blank)


def _blank_rows(
    fields: Fields, rows: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which rows, of two fields or more, have none that is filled."""
    # Of empty fields there is at most a separator and two quotes.
    size = np.abs(fields.ends[rows + lengths - 1]) - fields.starts[rows]
    blank: NDArray[np.bool_] = (lengths > 1) & (size <= 3 * lengths)
    if blank.any():
        filled = np.append(0, np.cumsum(fields.ends != fields.starts))
        blank &= filled[rows + lengths] == filled[rows]
    return blank


def _header(data: bytes, fields: Fields, source: Path) -> list[str]:
    """Names of the columns."""
    names = fields.values(data, np.arange(fields.records[0]))
    if not b"".join(names).strip():
        raise ValueError(f"{source} is empty, or its first line is")
    decode(data[: fields.end(fields.records[0] - 1)], source, "utf-8")
    return [name.decode() for name in names]


def _without_margins(header: list[str], fields: Fields, rows: NDArray[np.int64]) -> list[int]:
    """Places of the columns but of several that have no name, nor a cell in the first block.

    Spreadsheets write such columns beside a table, and nobody should hear of them.
    """
    if header.count("") < 2:
        return [*range(len(header))]
    cells = fields.ends != fields.starts
    return [at for at, name in enumerate(header) if name or cells[rows + at].any()]


def _check_lengths(
    lengths: NDArray[np.int64], expected: int, separator: bytes, source: Path, n_rows: int
) -> None:
    """Raise if a row has not as many fields as the header."""
    if (lengths != expected).any():
        at = int(np.argmax(lengths != expected))
        title = ""
        if n_rows + at == 0 and lengths[at] > expected:
            title = (
                ", and if the first row is a title, say in which row the header is (--header-row "
                "N, in Python header_row=)"
            )
        raise ValueError(
            f"{source}, row {n_rows + at + 1} has {lengths[at]} fields, the header {expected}; "
            f"a text with {separator.decode()!r} needs quotes{title}"
        )


def _texts(
    data: bytes,
    fields: Fields,
    chosen: NDArray[np.int64],
    source: Path,
    before: tuple[int, int, int],
) -> pl.Series:
    """Texts of the chosen fields, one of each row; ``before`` them are rows, lines and bytes."""
    try:
        return fields.texts(data, chosen)
    except pl.exceptions.PolarsError:
        for row, field in enumerate(chosen.tolist(), start=before[0] + 1):
            start = int(fields.starts[field])
            place = (before[1] + data.count(b"\n", 0, start), before[2] + start)
            decode(data[start : fields.end(field)], f"{source}, row {row}", "utf-8", before=place)
        raise
