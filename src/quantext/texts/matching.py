"""Rows of one file that those of another are about, by an id that both have."""

import polars as pl

from quantext.texts.cells import Table
from quantext.texts.labels import stripped
from quantext.wording import counted

__all__ = ["rows_by_id"]


def rows_by_id(table: Table, truths: Table, name: str, given: pl.Series) -> pl.Series:
    """Number of the row of the documents' file that each known truth is of, by its id."""
    ids, own = _ids(table, name), _ids(truths, name)
    numbered = pl.DataFrame({"id": own, "at": pl.int_range(len(own), eager=True)}).filter(given)
    blank = numbered.filter(pl.col("id").is_null())
    if len(blank):
        raise ValueError(
            f"{truths.where(name, blank['at'][0])} is blank, so nobody knows whose truth it has"
        )
    if (twice := numbered.filter(pl.col("id").is_duplicated())).height:
        first, second = twice.filter(pl.col("id") == twice["id"][0])["at"][:2]
        raise ValueError(
            f"{truths.where(name, second)}: {twice['id'][0]!r} is in row {first + 1} too; a "
            "document has one truth, so name it once"
        )
    documents = pl.DataFrame({"id": ids, "row": pl.int_range(len(ids), eager=True)})
    found = numbered.join(documents, on="id", how="left", maintain_order="left_right")
    lacking = found.filter(pl.col("row").is_null())
    if len(lacking):
        row, more = lacking["at"][0], len(lacking) - 1
        rest = f", nor those of {counted(more, 'more row')}" if more else ""
        raise ValueError(
            f"{truths.where(name, row)}: {lacking['id'][0]!r} is not in {table.source}{rest}; name "
            "documents that it has, or if these are others, say --design elsewhere"
        )
    if len(found) > len(numbered):
        several = found.filter(pl.col("id").is_duplicated())
        first, second = several.filter(pl.col("id") == several["id"][0])["row"][:2]
        raise ValueError(
            f"{table.where(name, second)}: {several['id'][0]!r} is in row {first + 1} too, so that "
            f"{truths.source} may mean either; give each document an id of its own"
        )
    return found["row"]


def _ids(table: Table, name: str) -> pl.Series:
    column = table[name]
    if column.dtype.is_nested():
        raise ValueError(f"{table.where(name)} holds {column.dtype}, not ids")
    if column.dtype.is_float() and (column == column.round()).fill_null(True).all():
        column = column.cast(pl.Int64)  # pandas writes 1.0 where an id is missing elsewhere
    return stripped(column)
