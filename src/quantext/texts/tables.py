"""Whole tables of files: all rows, all columns; and columns of CSV files that hold scores."""

from pathlib import Path

import polars as pl

from quantext.texts.encoding import DAMAGE, called
from quantext.texts.formats import Format, blocks, format_of

__all__ = ["read_table", "scores_or_labels"]


def read_table(
    path: str | Path,
    *,
    format: Format | None = None,  # noqa: A002 (the natural word, and keyword-only)
    encoding: str = "utf-8",
) -> pl.DataFrame:
    """All rows and columns of a file; in CSV and TSV all are text.

    Parameters
    ----------
    path
        Of the file; ``-`` is standard input.
    format
        Of the file, where its extension does not tell.
    encoding
        Of text files.
    """
    source = Path(path)
    try:
        parts = list(blocks(source, format or format_of(source), encoding, None))
    except DAMAGE as error:
        raise ValueError(f"{called(source)} cannot be read: {error}") from error
    return pl.concat(parts, how="diagonal_relaxed")


def scores_or_labels(column: pl.Series) -> pl.Series:
    """The column, but as numbers if it is a text column of numbers that are not all whole.

    Whole numbers may be labels, and 01 is not 1 then.

    Parameters
    ----------
    column
        Of a table.

    Examples
    --------
    >>> scores_or_labels(pl.Series(["0.5", "1", ""])).to_list()
    [0.5, 1.0, None]
    >>> scores_or_labels(pl.Series(["01", "2"])).to_list()
    ['01', '2']
    """
    if column.dtype != pl.String:
        return column
    stripped = column.str.strip_chars()
    texts = stripped.set(stripped == "", None)
    numbers = texts.cast(pl.Float64, strict=False)
    if numbers.null_count() > texts.null_count() or (numbers == numbers.round()).all():
        return column
    return numbers
