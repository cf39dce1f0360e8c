"""A corpus: documents with their labels and periods, and the reader of its files."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.files import DAMAGE, Format, format_of, load

__all__ = ["Corpus", "read_corpus", "truncate"]

Period = Literal["day", "week", "month", "year"]

_TEXT = (pl.String, pl.Categorical, pl.Enum, pl.Null)  # Null: a column without any value
_ISO_8601 = r"^([0-9]{4}-[0-9]{2}-[0-9]{2})([T ][0-9]{2}:[0-9]{2}[0-9:.,]*(Z|[+-][0-9:]+)?)?$"


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents with their labels and periods.

    Parameters
    ----------
    name
        What tables and messages call it.
    texts
        The documents (String).
    labels
        The class of each document (String), its classes (List of String; an empty list is a
        document that has none), or None for documents without labels.
    periods
        When each document was written: the first day of its period (Date), or any name (String).
    classes
        Names beside those that occur in the labels; afterwards all of them, sorted.
    dropped
        How many rows of the files were left out for want of a text or a label.

    Examples
    --------
    >>> corpus = Corpus(
    ...     "answers",
    ...     texts=pl.Series(["too slow", "fine", "slow, dear"]),
    ...     labels=pl.Series([["speed"], [], ["speed", "price"]]),
    ... )
    >>> corpus.classes
    ('price', 'speed')
    >>> corpus.y
    array([[False,  True],
           [False, False],
           [ True,  True]])

    A part keeps the classes of the whole, so that ``y`` means the same in both:

    >>> corpus.select([True, True, False]).y
    array([[False,  True],
           [False, False]])
    """

    name: str
    texts: pl.Series
    labels: pl.Series | None = None
    periods: pl.Series | None = None
    classes: tuple[str, ...] = ()
    dropped: int = 0

    def __post_init__(self) -> None:
        text = pl.String()
        _check_column("texts", self.texts, [text], len(self.texts))
        if self.periods is not None:
            _check_column("periods", self.periods, [pl.Date(), text], len(self))
        names: set[str] = set()
        if self.labels is not None:
            _check_column("labels", self.labels, [text, pl.List(text)], len(self))
            names = set(self._names().unique())
        object.__setattr__(self, "classes", tuple(sorted(names.union(self.classes))))

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def multilabel(self) -> bool:
        """Whether a document may have several labels, or none."""
        return self.labels is not None and self.labels.dtype == pl.List

    @property
    def y(self) -> NDArray[Any]:
        """Label of each document; if it may have several, whether it has each of ``classes``."""
        codes = self._names().cast(pl.Enum(self.classes)).to_physical().to_numpy()
        if self.labels is None or not self.multilabel:
            return np.take(np.array(self.classes, dtype=np.str_), codes)
        indicator = np.zeros((len(self), len(self.classes)), dtype=np.bool_)
        indicator[np.repeat(np.arange(len(self)), self.labels.list.len().to_numpy()), codes] = True
        return indicator

    def select(self, mask: pl.Series | NDArray[np.bool_] | Sequence[bool]) -> "Corpus":
        """The documents where ``mask`` is true, with the classes of the whole."""
        keep = pl.Series(mask, dtype=pl.Boolean)
        if len(keep) != len(self):
            raise ValueError(f"the mask has {len(keep)} entries for {len(self)} documents")
        return replace(
            self,
            texts=self.texts.filter(keep),
            labels=None if self.labels is None else self.labels.filter(keep),
            periods=None if self.periods is None else self.periods.filter(keep),
        )

    def _names(self) -> pl.Series:
        """The labels of all documents, one after the other."""
        if self.labels is None:
            raise ValueError(f"corpus {self.name!r} has no labels")
        if not self.multilabel:
            return self.labels
        names = self.labels.filter(self.labels.list.len() > 0).explode()
        if names.null_count():
            raise ValueError("labels has a null inside a list; leave it out of the list")
        return names


def _check_column(name: str, column: Any, dtypes: list[pl.DataType], length: int) -> None:
    """Raise unless this is a column of one of these types, of this length and without nulls."""
    if not isinstance(column, pl.Series) or column.dtype not in dtypes:
        found = column.dtype if isinstance(column, pl.Series) else type(column).__name__
        wanted = " or ".join(map(str, dtypes))
        raise TypeError(f"{name} must be a polars Series of {wanted}, not {found}")
    if len(column) != length:
        raise ValueError(f"{name} has {len(column)} entries for {length} texts")
    if column.null_count():
        raise ValueError(f"{name}[{column.is_null().arg_true()[0]}] is null; leave that row out")


def truncate(dates: pl.Series, period: Period) -> pl.Series:
    """First day of each date's period; weeks are counted from the earliest of the dates.

    Examples
    --------
    >>> from datetime import date
    >>> truncate(pl.Series([date(1996, 8, 29), date(1996, 8, 20)]), "week").to_list()
    [datetime.date(1996, 8, 27), datetime.date(1996, 8, 20)]
    """
    if period == "day":
        return dates
    if period == "week":
        days = dates.to_physical()
        return (days - (days - days.min()) % 7).cast(pl.Date)
    if period in ("month", "year"):
        return dates.dt.truncate({"month": "1mo", "year": "1y"}[period])
    raise ValueError(f"period {period!r} is unknown; choose one of day, week, month, year")


def read_corpus(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    text: str | Sequence[str],
    label: str | None = None,
    separator: str | None = None,
    date: str | None = None,
    period: Period = "week",
    by: str | None = None,
    format: Format | None = None,  # noqa: A002 (the natural word, and keyword-only)
    encoding: str = "utf-8",
    name: str | None = None,
) -> Corpus:
    r"""The corpus in one or more files: CSV, TSV or JSON Lines, also gzipped, or Parquet.

    Rows without a text or a label are left out, and counted in ``dropped``. Whatever else is wrong
    is an error that names the file, the column and the row, or the line if it is not a table yet.
    Rows are counted from 1, without the header.

    Parameters
    ----------
    paths
        A file, or several with the same columns.
    text
        Column of the texts. Several columns are joined by line breaks.
    label
        Column of the labels: text, numbers or booleans, or lists of these where a document has
        several. An empty list is a document that has none. Without this column, no labels.
    separator
        What stands between the labels of a document where they are written as one text.
    date
        Column of dates or datetimes. Text must be ISO 8601, as 2019-01-31 or 2019-01-31T23:59:00Z.
        The day is taken as it is written, in whatever time zone.
    period
        What dates are truncated to. Weeks are counted from the corpus's first day.
    by
        Column that names the period, instead of a date.
    format
        Format of the files, where their extension does not tell.
    encoding
        Character encoding of text files.
    name
        Name of the corpus; that of the first file by default.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "answers.csv")
    ...     _ = file.write_text("answer,topics\ntoo slow,speed\nslow and dear,speed|price\n")
    ...     corpus = read_corpus(file, text="answer", label="topics", separator="|")
    >>> corpus.name, corpus.classes, len(corpus)
    ('answers', ('price', 'speed'), 2)
    """
    sources = [Path(p) for p in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
    texts = [text] if isinstance(text, str) else list(text)
    if not sources or not texts:
        raise ValueError("there is nothing to read; name at least one file and one text column")
    if date is not None and by is not None:
        raise ValueError(f"date={date!r} and by={by!r} both give the period; choose one")
    if separator == "":
        raise ValueError("the separator is empty; say what stands between the labels")
    names = list(dict.fromkeys(n for n in (*texts, label, date, by) if n is not None))

    n_rows, tables = 0, []
    for source in sources:
        try:
            frame = load(source, format or format_of(source), encoding, names)
            table = _documents(frame, source, texts, label, separator, date, by)
        except DAMAGE as error:
            raise ValueError(f"{source} cannot be read: {error}") from error
        n_rows += len(frame)
        if not table.is_empty():
            tables.append(table)

    files = ", ".join(map(str, sources))
    if not tables:
        wanted = f"a text in {' or '.join(map(repr, texts))}"
        wanted += f" and a label in {label!r}" if label is not None else ""
        raise ValueError(f"{files}: none of the {n_rows} rows has {wanted}")
    if len({table.schema.get("label") for table in tables}) > 1:
        raise ValueError(
            f"{files}: column {label!r} holds lists in some files and single labels in others; "
            "write it in the same way in all"
        )
    documents = pl.concat(tables)
    periods = documents["period"] if "period" in documents.columns else None
    corpus = Corpus(
        name=name or Path(sources[0].name.removesuffix(".gz")).stem,
        texts=documents["text"],
        labels=documents["label"] if label is not None else None,
        periods=truncate(periods, period) if periods is not None and date is not None else periods,
        dropped=n_rows - len(documents),
    )
    # Where documents may have none, one class is still a question.
    some_have_none = corpus.multilabel and 0 in documents["label"].list.len()
    if label is not None and len(corpus.classes) + some_have_none < 2:
        found = f"one class, {corpus.classes[0]!r}," if corpus.classes else "no class at all"
        raise ValueError(
            f"{files}: column {label!r} has {found} in {len(corpus)} rows; "
            "there must be two to tell apart"
        )
    return corpus


# Tables to documents


def _documents(
    frame: pl.DataFrame,
    source: Path,
    texts: list[str],
    label: str | None,
    separator: str | None,
    date: str | None,
    by: str | None,
) -> pl.DataFrame:
    """Columns text, label and period (a date not yet truncated) of the rows that are documents."""
    parts = pl.DataFrame([_texts(frame[name], source) for name in texts])
    documents = parts.select(text=pl.concat_str(pl.all(), separator="\n", ignore_nulls=True))
    keep = documents["text"].str.contains(r"\S")
    if label is not None:
        documents = documents.with_columns(label=_labels(frame[label], separator, source))
        keep &= documents["label"].is_not_null()
    documents = documents.filter(keep)
    rows = keep.arg_true() + 1
    if date is not None:
        return documents.with_columns(period=_dates(frame[date].filter(keep), rows, source))
    if by is not None:
        return documents.with_columns(period=_periods(frame[by].filter(keep), rows, source))
    return documents


def _texts(column: pl.Series, source: Path) -> pl.Series:
    """The column as text."""
    where = f"{source}, column {column.name!r}"
    if column.dtype not in _TEXT:
        raise ValueError(f"{where} holds {column.dtype}, not text")
    texts = column.cast(pl.String)
    found = texts.drop_nulls()
    if len(found) and not found.cast(pl.Float64, strict=False).null_count():
        raise ValueError(f"{where} holds nothing but numbers, not text")
    return texts


def _labels(column: pl.Series, separator: str | None, source: Path) -> pl.Series:
    """Labels, or lists of labels, without surrounding blanks; null where they are missing."""
    where = f"{source}, column {column.name!r}"
    if isinstance(column.dtype, pl.Array):
        column = column.arr.to_list()
    dtype = column.dtype.inner if isinstance(column.dtype, pl.List) else column.dtype
    if not (dtype in _TEXT or dtype == pl.Boolean or dtype.is_numeric()):
        raise ValueError(f"{where} holds {column.dtype}; labels are text, numbers or booleans")
    if column.dtype == pl.List:
        if separator is not None:
            raise ValueError(f"{where} holds lists of labels; leave out the separator")
        return _unique_labels(column)
    if dtype.is_float():
        column = column.fill_nan(None)  # how some programs write that a number is missing
    labels = _stripped(column)
    if separator is not None:
        return _unique_labels(labels.str.split(separator))
    # Some programs write lists into a text column, and so does polars where JSON mixes the two.
    if len(lists := labels.str.contains(r"""^\[(["'].*["'])?\]$""").arg_true()):
        raise ValueError(
            f"{where}, row {lists[0] + 1}: {labels[lists[0]]} is a list written as text; "
            "write lists in every row of a JSON Lines or Parquet file, or pass a separator"
        )
    return labels


def _unique_labels(lists: pl.Series) -> pl.Series:
    """Each label once, without surrounding blanks."""
    label = pl.element().cast(pl.String).str.strip_chars()
    return lists.list.eval(label.filter(label != "").unique(maintain_order=True))


def _stripped(column: pl.Series) -> pl.Series:
    """The column as text without surrounding blanks, null where nothing is left."""
    return column.cast(pl.String).str.strip_chars().replace("", None)


def _dates(column: pl.Series, rows: pl.Series, source: Path) -> pl.Series:
    """Days as they are written; ``rows`` are the numbers of the rows in the file."""
    if column.dtype == pl.Date:
        days = column
    elif column.dtype == pl.Datetime:
        days = column.dt.date()
    elif column.dtype in _TEXT:
        iso = _stripped(column).str.extract(_ISO_8601)
        days = iso.str.to_date("%Y-%m-%d", strict=False)
    else:
        raise ValueError(
            f"{source}, column {column.name!r} holds {column.dtype}, not dates; "
            f"if it names the periods, pass by={column.name!r} instead"
        )
    if days.null_count():
        at = days.is_null().arg_true()[0]
        raise ValueError(
            f"{source}, column {column.name!r}, row {rows[at]}: {column[at]!r} is not a date; "
            "write 2019-01-31 or 2019-01-31T23:59:00"
        )
    return days


def _periods(column: pl.Series, rows: pl.Series, source: Path) -> pl.Series:
    """Names of periods; ``rows`` are the numbers of the rows in the file."""
    if column.dtype.is_nested():
        raise ValueError(f"{source}, column {column.name!r} holds {column.dtype}, not names")
    names = _stripped(column)
    if names.null_count():
        at = names.is_null().arg_true()[0]
        raise ValueError(f"{source}, column {column.name!r}, row {rows[at]}: no period is named")
    return names
