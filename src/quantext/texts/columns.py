"""Columns: those of a table as texts, labels and periods; those of a corpus as arrays."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.texts.answers import join_answers
from quantext.texts.date_forms import ISO, form
from quantext.texts.dates import are_dates, dates_in
from quantext.texts.labels import TEXT, labels_in, stripped
from quantext.texts.where import EVERYWHERE, Where
from quantext.wording import listed

__all__ = [
    "BLANK",
    "Columns",
    "batch_columns",
    "batches_in",
    "check_column",
    "feed",
    "find_dates",
    "indicator",
    "label_names",
    "make_documents",
    "named_batches",
]

BLANK = "(blank)"  # name of the batch of documents in whose row it is not named


@dataclass(frozen=True)
class Columns:
    """Which columns of a table make documents of its rows.

    Parameters
    ----------
    text
        The column of the texts, or several, which are joined by line breaks.
    label
        The column of the labels, if there is one.
    separator
        What stands between the labels of a document where they are written as one text.
    date, by
        The column of dates, or the one that names periods. Several columns make a period of each
        combination; one of them may be that of the dates.
    weight
        The column that says how much a document counts.
    proxies
        The columns of what models say of a document, in place of texts.
    date_format
        How dates are written, as `form` takes it; None: as is found out, or else as ISO 8601.
    where
        Which rows are meant; all if it is empty.
    dated
        One of several columns that name periods has dates: `find_dates` says which.

    Examples
    --------
    >>> Columns(["title", "body"], label="topic").names
    ('title', 'body', 'topic')
    """

    text: str | Sequence[str]
    label: str | None = None
    separator: str | None = None
    date: str | None = None
    by: str | Sequence[str] | None = None
    weight: str | None = None
    proxies: Sequence[str] = ()
    date_format: str | None = None
    where: Where = EVERYWHERE
    dated: bool = False

    def __post_init__(self) -> None:
        if self.date_format is not None:
            form(self.date_format)  # raises if there is none
        if twice := [name for name in self.bys if self.bys.count(name) > 1]:
            raise ValueError(f"by names the column {twice[0]!r} twice; name it once")
        if self.date is not None and self.bys and (self.date not in self.bys or len(self.bys) < 2):
            raise ValueError(
                f"date={self.date!r} and by={self.by!r} both give the period; choose one"
            )
        if self.separator == "":
            raise ValueError("the separator is empty; say what stands between the labels")
        if self.label is not None and self.label in self.proxies:
            raise ValueError(
                f"column {self.label!r} cannot be both what a model says and the truth; name two"
            )

    @property
    def texts(self) -> tuple[str, ...]:
        """The columns of the texts."""
        return (self.text,) if isinstance(self.text, str) else tuple(self.text)

    @property
    def bys(self) -> tuple[str, ...]:
        """The columns that name periods."""
        if self.by is None or isinstance(self.by, str):
            return () if self.by is None else (self.by,)
        return tuple(self.by)

    @property
    def names(self) -> tuple[str, ...]:
        """All of them, each once."""
        named = (*self.texts, *self.proxies, self.label, self.date, *self.bys, self.weight)
        named = (*named, *self.where.columns)
        return tuple(dict.fromkeys(name for name in named if name is not None))


def batch_columns(by: Sequence[str], dated: bool) -> dict[str, Any]:
    """What `Columns` is told of the columns that name batches.

    Parameters
    ----------
    by
        Their names; there may be none.
    dated
        One of them has dates.

    Examples
    --------
    >>> batch_columns(["day"], dated=True), batch_columns(["wave"], dated=False)
    ({'date': 'day'}, {'by': 'wave'})
    >>> batch_columns(["day", "airline"], dated=True)
    {'by': ('day', 'airline'), 'dated': True}
    """
    if len(by) > 1:
        return {"by": tuple(by), "dated": dated}
    return {"date" if dated else "by": by[0]} if by else {}


def find_dates(columns: Columns, frame: pl.DataFrame, source: object) -> Columns:
    """The columns, with the one of dates found among several that name periods, if one has them.

    Parameters
    ----------
    columns
        With ``dated``, or they are given back as they are.
    frame
        The first rows of the table.
    source
        What a message calls it.
    """
    if not columns.dated or columns.date is not None:
        return columns
    found = [name for name in columns.bys if _may_be_dates(frame[name])]
    if len(found) == 1:
        return replace(columns, date=found[0])
    named = listed(map(repr, found or columns.bys), "and" if found else "nor")
    problem = f"{named} both hold dates" if found else f"neither {named} holds dates"
    raise ValueError(
        f"{source}: {problem}, and a period is made of the dates of one column; "
        + ("name one of them" if found else "name it, or leave the period out")
    )


def _may_be_dates(column: pl.Series) -> bool:
    """Whether all that is not blank is a date; a blank is told of with its row."""
    given = column if column.dtype not in TEXT else stripped(column)
    return are_dates(given.drop_nulls())


def make_documents(
    frame: pl.DataFrame,
    source: Path,
    columns: Columns,
    *,
    n_rows: int = 0,
    unlabelled: bool = False,
    meant: pl.Series | None = None,
) -> pl.DataFrame:
    """Columns text, label, weight and period (a date not truncated) of rows that are documents.

    ``n_rows`` is how many rows of the file come before these. Rows that are not ``meant`` are left
    out. If ``unlabelled`` says so, a row without a label is a document, and those that name no
    batch are one of their own. So is one of which models say nothing: their answers, in place of a
    text, are written as `join_answers` writes them. The period of several columns is a struct.
    """
    if columns.proxies:
        answers = (frame[name] for name in columns.proxies)
        documents = pl.DataFrame({"text": join_answers(answers, columns.separator)})
        keep = pl.repeat(True, len(documents), dtype=pl.Boolean, eager=True)
    else:
        parts = pl.DataFrame([_texts(frame[name], source, n_rows) for name in columns.texts])
        documents = parts.select(text=pl.concat_str(pl.all(), separator="\n", ignore_nulls=True))
        keep = documents["text"].str.contains(r"\S")
    if columns.label is not None and columns.label in frame.columns:
        labels = labels_in(frame[columns.label], columns.separator, source, n_rows)
        documents = documents.with_columns(label=labels)
        if not unlabelled:
            keep &= labels.is_not_null()
    if meant is not None:
        keep &= meant
    documents = documents.filter(keep)
    rows = keep.arg_true() + n_rows + 1
    if columns.weight is not None:
        weights = _weights(frame[columns.weight].filter(keep), rows, source)
        documents = documents.with_columns(weight=weights)

    def period(name: str) -> pl.Series:
        own = frame[name].filter(keep)
        if name == columns.date:
            return dates_in(own, rows, source, columns.date_format or ISO)
        return named_batches(own, source) if unlabelled else batches_in(own, rows, source)

    periods = [period(name) for name in columns.bys or (columns.date,) if name is not None]
    if len(periods) > 1:
        return documents.with_columns(period=pl.DataFrame(periods).to_struct())
    return documents.with_columns(period=periods[0]) if periods else documents


def _texts(column: pl.Series, source: Path, n_rows: int) -> pl.Series:
    """The column as text; ``n_rows`` of the file come before it."""
    where = f"{source}, column {column.name!r}"
    if column.dtype not in TEXT:
        raise ValueError(f"{where} holds {column.dtype}, not text")
    texts = column.cast(pl.String)
    found = texts.drop_nulls()
    # The first rows show what the column is for; a block at the end may be one odd row.
    if not n_rows and len(found) and not found.cast(pl.Float64, strict=False).null_count():
        raise ValueError(f"{where} holds nothing but numbers, not text")
    return texts


def batches_in(column: pl.Series, rows: pl.Series, source: Path) -> pl.Series:
    """Names of periods; ``rows`` are the numbers of the rows in the file."""
    names = _names(column, source)
    if names.null_count():
        at = names.is_null().arg_true()[0]
        raise ValueError(
            f"{source}, column {column.name!r}, row {rows[at]} is blank, so it names no "
            "batch; fill it in, or leave that row out"
        )
    return names


def named_batches(column: pl.Series, source: Path) -> pl.Series:
    """Names of batches, one of which is that of all blank cells."""
    return _names(column, source).fill_null(BLANK)


def _names(column: pl.Series, source: Path) -> pl.Series:
    if column.dtype.is_nested():
        raise ValueError(f"{source}, column {column.name!r} holds {column.dtype}, not names")
    return stripped(column)


def _weights(column: pl.Series, rows: pl.Series, source: Path) -> pl.Series:
    """Numbers that are finite and not negative; ``rows`` are the numbers of the rows."""
    where = f"{source}, column {column.name!r}"
    if column.dtype not in TEXT and not column.dtype.is_numeric():
        raise ValueError(f"{where} holds {column.dtype}, not weights")
    weights = column.cast(pl.Float64, strict=False)
    wrong = ~(weights.is_finite() & (weights >= 0)).fill_null(False)
    if wrong.any():
        at = wrong.arg_true()[0]
        raise ValueError(
            f"{where}, row {rows[at]}: {column[at]!r} is no weight; a weight is a number, 0 or more"
        )
    return weights


# Columns to arrays


def indicator(labels: pl.Series, classes: Sequence[str]) -> NDArray[np.bool_]:
    """Whether each document (row) has each of the classes (column), given its label or labels.

    One whose label is not known (null) has none.

    Examples
    --------
    >>> indicator(pl.Series([["b", "a"], []]), ["a", "b"])
    array([[ True,  True],
           [False, False]])
    """
    given = labels.is_not_null()
    documents = np.flatnonzero(given)
    if labels.dtype == pl.List:
        documents = np.repeat(documents, labels.list.len().drop_nulls().to_numpy())
    codes = label_names(labels).drop_nulls().cast(pl.Enum(classes)).to_physical().to_numpy()
    matrix = np.zeros((len(labels), len(classes)), dtype=np.bool_)
    matrix[documents, codes] = True
    return matrix


def label_names(labels: pl.Series) -> pl.Series:
    """The labels of all documents, one after the other."""
    if labels.dtype != pl.List:
        return labels
    names = labels.filter(labels.list.len() > 0).explode()
    if names.null_count():
        raise ValueError("labels has a null inside a list; leave it out of the list")
    return names


def feed(digest: "hashlib.blake2b", column: pl.Series, block: int = 65_536) -> None:
    """Add a column of texts, dates or numbers to the digest, a block at a time."""
    for start in range(0, len(column), block):
        part = column.slice(start, block)
        if part.dtype == pl.String:  # with the lengths, so that "ab", "c" is not "a", "bc"
            digest.update(part.str.join(ignore_nulls=True).item().encode())  # one string, not each
            part = part.str.len_bytes()
        if part.null_count():  # so that null is neither 0 nor ""
            digest.update(part.is_null().to_numpy().tobytes())
            part = part.fill_null(0)
        numbers = part if part.dtype == pl.Float64 else part.to_physical().cast(pl.Int64)
        digest.update(numbers.to_numpy().tobytes())
    digest.update(str(len(column)).encode())


def check_column(
    name: str, column: Any, dtypes: Sequence[pl.DataType], length: int, *, nulls: bool = False
) -> None:
    """Raise unless this is a column of one of these types, of this length and without nulls.

    Unless nulls are allowed.
    """
    if not isinstance(column, pl.Series) or column.dtype not in dtypes:
        found = column.dtype if isinstance(column, pl.Series) else type(column).__name__
        wanted = " or ".join(map(str, dtypes))
        raise TypeError(f"{name} must be a polars Series of {wanted}, not {found}")
    if len(column) != length:
        raise ValueError(f"{name} has {len(column)} entries for {length} documents")
    if column.null_count() and not nulls:
        raise ValueError(f"{name}[{column.is_null().arg_true()[0]}] is null; leave that row out")
