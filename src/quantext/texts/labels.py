"""Labels: a column's cells to labels or lists of labels, and those that are written in two ways."""

from collections.abc import Iterable
from pathlib import Path

import polars as pl

__all__ = ["TEXT", "labels_in", "stripped", "variants"]

TEXT = (pl.String, pl.Categorical, pl.Enum, pl.Null)  # Null: a column without any value
# How programs write that a number is missing. NA, None and the like may well be classes.
_MISSING_LABELS = ("NaN", "nan")


def stripped(column: pl.Series) -> pl.Series:
    """The column as text without surrounding blanks, null where nothing is left."""
    return column.cast(pl.String).str.strip_chars().replace("", None)


def labels_in(column: pl.Series, separator: str | None, source: Path, n_rows: int) -> pl.Series:
    """Labels, or lists of labels, without surrounding blanks; null where they are missing."""
    where = f"{source}, column {column.name!r}"
    if isinstance(column.dtype, pl.Array):
        column = column.arr.to_list()
    dtype = column.dtype.inner if isinstance(column.dtype, pl.List) else column.dtype
    if not (dtype in TEXT or dtype == pl.Boolean or dtype.is_numeric()):
        raise ValueError(f"{where} holds {column.dtype}; labels are text, numbers or booleans")
    if column.dtype == pl.List:
        return _unique_labels(column)
    labels = stripped(column).replace(_MISSING_LABELS, None)
    if separator is not None:
        return _unique_labels(labels.str.split(separator))
    # Some programs write lists into a text column, and so does polars where JSON mixes the two.
    if len(lists := labels.str.contains(r"""^\[(["'].*["'])?\]$""").arg_true()):
        raise ValueError(
            f"{where}, row {n_rows + lists[0] + 1}: {labels[lists[0]]} is a list written as text; "
            "write lists in every row of a JSON Lines or Parquet file, or pass a separator"
        )
    return labels


def _unique_labels(lists: pl.Series) -> pl.Series:
    """Each label once, without surrounding blanks."""
    label = pl.element().cast(pl.String).str.strip_chars()
    given = ~label.is_in(["", *_MISSING_LABELS])
    return lists.list.eval(label.filter(given).unique(maintain_order=True))


def variants(labels: Iterable[str]) -> list[tuple[str, ...]]:
    """Groups of labels that are likely one, written in different ways, each in the order of input.

    Parameters
    ----------
    labels
        Distinct ones.

    Examples
    --------
    >>> variants(["Negative", "positive", "negative"])
    [('Negative', 'negative')]
    """
    groups: dict[str, list[str]] = {}
    for label in labels:
        groups.setdefault(label.strip().casefold(), []).append(label)
    return [tuple(group) for group in groups.values() if len(group) > 1]
