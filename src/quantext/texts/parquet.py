"""Parquet: files in, tables of a few megabytes out, whatever the file says of itself.

A text that is met a million times is in such a file once, so that some hundred bytes may hold many
gigabytes. Tables are therefore cut by the bytes of their texts, not by rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.texts.encoding import BLOCK, LONGEST, Choose
from quantext.texts.pages import VIEW, Footer, column_pieces, damaged, list_pieces, read_footer
from quantext.texts.unpacking import UNPACKED

__all__ = ["read_parquet"]

ROWS = 1 << 12  # that a table has at most
PIECES = 1 << 24  # bytes of all columns that are unpacked at a time, if pages are so small
REPEATED = 1_000  # times the size of a file that its texts may have, of which most are then equal


def read_parquet(
    file: BinaryIO, path: Path, source: Path, choose: Choose
) -> Iterator[pl.DataFrame]:
    """Tables with the columns that are wanted.

    Parameters
    ----------
    file, path
        The file, open, and where it is.
    source
        What messages call it.
    choose
        From the names of its columns to those that are wanted.
    """
    try:
        yield from _tables(file, path, source, choose)
    except pl.exceptions.PanicException as error:  # no Exception, at some that are damaged
        reason = str(error).partition("\n")[0][:100]
        raise damaged(source, f"the engine gives up ({reason})") from None


def _tables(file: BinaryIO, path: Path, source: Path, choose: Choose) -> Iterator[pl.DataFrame]:
    footer = read_footer(file, source)
    # Absolute, for polars would look for ~ in the path.
    table = pl.scan_parquet(path.absolute(), glob=False)
    schema = table.collect_schema()
    names = choose(schema.names())
    if not names:
        return
    if odd := [name for name in names if name not in footer.columns]:
        raise damaged(source, f"it has no column {odd[0]!r}")
    weight = _Weight(source, max(UNPACKED, REPEATED * file.seek(0, 2)))
    n_rows = 0
    for number, (rows, _) in enumerate(footer.groups):
        columns = [
            _column(file, source, footer, number, table.select(name), n_rows, len(names))
            for name in names
        ]
        for frame in _side_by_side(columns, names, rows, source):
            for start in range(0, len(frame), ROWS):
                yield from weight.pieces(frame.slice(start, ROWS), n_rows + start)
            n_rows += len(frame)


def _column(
    file: BinaryIO,
    source: Path,
    footer: Footer,
    number: int,
    column: pl.LazyFrame,
    before: int,
    n_columns: int,
) -> Iterator[pl.Series]:
    """Values of a column in a row group, before which there are so many rows."""
    ((name, dtype),) = column.collect_schema().items()
    rows, chunks = footer.groups[number]
    piece = PIECES // n_columns
    own = footer.columns[name]
    if own.single:
        # As text, of which equal ones share their bytes until somebody looks at them: what other
        # programs call a dictionary says nothing of its size, and becomes text all at once.
        dtype = pl.String() if isinstance(dtype, pl.Categorical | pl.Enum) else dtype
        yield from column_pieces(file, source, own, chunks, dtype, piece)
    else:
        yield from list_pieces(file, source, own, chunks, column.slice(before, rows), rows)


def _side_by_side(
    columns: Sequence[Iterator[pl.Series]], names: Sequence[str], rows: int, source: Path
) -> Iterator[pl.DataFrame]:
    """Tables of columns that come in pieces of different lengths."""
    current = [pl.Series()] * len(columns)
    while rows > 0:
        for i, column in enumerate(columns):
            while not len(current[i]):
                if (piece := next(column, None)) is None:
                    raise damaged(source, f"column {names[i]!r} has fewer rows than it says")
                current[i] = piece
        n = min(rows, *map(len, current))
        yield pl.DataFrame({name: own.head(n) for name, own in zip(names, current, strict=True)})
        current = [own.slice(n) for own in current]
        rows -= n


@dataclass
class _Weight:
    """How many bytes the cells of a file have had so far, and may have.

    Parameters
    ----------
    source
        What messages call the file.
    most
        Bytes of all of its cells.
    """

    source: Path
    most: int
    passed: int = 0

    def pieces(self, frame: pl.DataFrame, n_rows: int) -> Iterator[pl.DataFrame]:
        """The table in pieces of a few megabytes; before it there are so many rows."""
        sizes = np.zeros(len(frame), np.int64)
        for column in frame:
            own = _cell_bytes(column)
            if len(own) and own.max() > LONGEST:
                row = int(own.argmax())
                raise ValueError(
                    f"{self.source}, row {n_rows + row + 1}, column {column.name!r} holds "
                    f"{own[row] / 2**20:,.0f} MB, and a cell of more than {LONGEST / 2**20:g} MB "
                    "is not read"
                )
            sizes += own
        ends = np.cumsum(sizes)
        self.passed += int(ends[-1]) if len(ends) else 0
        if self.passed > self.most:
            raise ValueError(
                f"{self.source} holds the same texts so often that it unpacks to more than "
                f"{self.most / 2**20:,.0f} MB ({UNPACKED / 2**20:,.0f} MB, or {REPEATED:,} times "
                "its size, is the most that is read); count equal rows, or leave them out"
            )
        start = 0
        while start < len(frame):
            before = ends[start - 1] if start else 0
            end = max(start + 1, int(np.searchsorted(ends, before + BLOCK, side="right")))
            yield frame.slice(start, end - start)
            start = end


def _cell_bytes(column: pl.Series) -> NDArray[np.int64]:
    """Bytes of each cell as the engine has it, for which nothing is something too."""
    if column.dtype == pl.String:
        sizes = column.str.len_bytes()
    elif column.dtype == pl.Binary:
        sizes = column.bin.size()
    elif column.dtype == pl.List(pl.String):
        sizes = column.list.eval(pl.element().str.len_bytes() + VIEW).list.sum()
    elif isinstance(column.dtype, pl.List) and isinstance(
        column.dtype.inner, pl.Categorical | pl.Enum
    ):
        sizes = column.list.eval(pl.element().cat.len_bytes() + VIEW).list.sum()
    else:
        each = column.estimated_size() // max(1, len(column))
        return np.full(len(column), each + VIEW, np.int64)
    return sizes.fill_null(0).to_numpy().astype(np.int64) + VIEW
