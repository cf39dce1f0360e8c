"""Cells that a spreadsheet program would take for formulas: guarded in CSV, and read back.

A text that begins with =, +, -, @, a tab or an end of line gets an apostrophe before it, which the
programs take for the mark of a text. One that has such apostrophes already gets one more, so what
was written can be told from what was read. Numbers are numbers, and stay what they are.
"""

import polars as pl

__all__ = ["guarded_cells", "guarded_names", "unguarded", "unguarded_name"]

# Also as East Asian keyboards write them, in full width, which some programs take for the same.
_FIRST = r"[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]"
_FORMULA = f"^'*{_FIRST}"
_GUARDED = f"^'+{_FIRST}"
_NUMBER = r"^[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?$"


def guarded_names(table: pl.DataFrame) -> pl.DataFrame:
    """The table for CSV, in which every text is one, also -1, which is the name of a class.

    Parameters
    ----------
    table
        Of numbers, and of names.

    Examples
    --------
    >>> guarded_names(pl.DataFrame({"class": ["=1+1", "-1", "a"], "@n": [-1, 2, 3]})).rows()
    [("'=1+1", -1), ("'-1", 2), ('a', 3)]
    """
    return _guarded(table, pl.col(pl.String).str.contains(_FORMULA))


def guarded_cells(table: pl.DataFrame) -> pl.DataFrame:
    """The table for CSV, in which texts are texts, but for those that are numbers.

    Parameters
    ----------
    table
        With columns of somebody's file, which are texts even where they hold numbers.

    Examples
    --------
    >>> guarded_cells(pl.DataFrame({"cell": ["=1+1", "-1", "-1+1", "@you"]}))["cell"].to_list()
    ["'=1+1", '-1', "'-1+1", "'@you"]
    """
    texts = pl.col(pl.String)
    return _guarded(table, texts.str.contains(_FORMULA) & ~texts.str.contains(_NUMBER))


def unguarded(table: pl.DataFrame) -> pl.DataFrame:
    """The table as it was before its cells and columns were guarded.

    Parameters
    ----------
    table
        As it was read from CSV; what was not guarded stays as it is.
    """
    texts = pl.col(pl.String)
    cells = pl.when(texts.str.contains(_GUARDED)).then(texts.str.slice(1)).otherwise(texts)
    return table.with_columns(cells).rename(unguarded_name)


def unguarded_name(name: str) -> str:
    """The name of a column as it was before it was guarded.

    Parameters
    ----------
    name
        As it was read.

    Examples
    --------
    >>> unguarded_name("'@handle"), unguarded_name("'tis")
    ('@handle', "'tis")
    """
    return name[1:] if pl.Series([name]).str.contains(_GUARDED)[0] else name


def _guarded(table: pl.DataFrame, risky: pl.Expr) -> pl.DataFrame:
    """The table with an apostrophe before cells that are risky, and before columns' names."""
    texts = pl.col(pl.String)
    table = table.with_columns(pl.when(risky).then(texts.str.replace("^", "'")).otherwise(texts))
    names = pl.Series(table.columns, dtype=pl.String)
    return table.rename(dict(zip(names, names.str.replace(f"({_FORMULA})", "'$1"), strict=True)))
