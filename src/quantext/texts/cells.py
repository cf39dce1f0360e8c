"""Cells: columns of a file as answers, truths and probabilities; errors say which cell is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from quantext.texts.encoding import DAMAGE, called
from quantext.texts.formats import USUAL, Opening, blocks
from quantext.texts.labels import labels_in, stripped
from quantext.texts.paths import Source

__all__ = [
    "JOINED",
    "Table",
    "answers_in",
    "chances_in",
    "numbers_in",
    "read_table",
    "rejoined",
    "truths_in",
]

JOINED = "\x1f"  # what stands between labels that were a list, or had a separator of their own

_MOST = 1000  # labels that a model may give, and classes that the truth may have
_MOST_NUMBERS = 50  # of which the truth may consist
_NUMBER_OF_A_LABEL = r"^[+-]?0[0-9]"  # 007 is a name; 7 may be a number


@dataclass(frozen=True)
class Table:
    """Columns of a file, and what messages call it.

    Parameters
    ----------
    frame
        The columns.
    source
        The file.
    """

    frame: pl.DataFrame
    source: Path

    def __getitem__(self, name: str) -> pl.Series:
        return self.frame[name]

    def __len__(self) -> int:
        return len(self.frame)

    def holds_lists(self, name: str) -> bool:
        """Whether a column has several labels a document, as lists."""
        return self.frame[name].dtype in (pl.List, pl.Array)

    def where(self, name: str, row: int | None = None) -> str:
        """A column, or a cell of it, as people find it; rows are counted from 1."""
        place = f"{self.source}, column {name!r}"
        return place if row is None else f"{place}, row {row + 1}"


def read_table(
    path: Source,
    names: Sequence[str] | None,
    *,
    opening: Opening = USUAL,
    optional: str | None = None,
) -> Table:
    """Columns of a file, whole; in CSV and TSV all are text.

    Parameters
    ----------
    path
        Of the file; ``-`` is standard input.
    names
        Of the columns; None: all.
    opening
        How it is opened.
    optional
        One of the columns that need not be there.
    """
    source = Path(path)
    try:
        frame = pl.concat(blocks(source, opening, names, optional), rechunk=True)
    except DAMAGE as error:
        raise ValueError(f"{called(source)} cannot be read: {error}") from error
    return Table(frame, called(source))


def answers_in(table: Table, name: str, separator: str | None = None) -> pl.Series:
    """What a model says: numbers if all of its answers are, else texts; null for no answer.

    Parameters
    ----------
    table, name
        The column.
    separator
        What stands between the labels of a document; numbers are labels then.

    Examples
    --------
    >>> table = Table(pl.DataFrame({"a": ["0.5", " ", "2"], "b": ["1", "007", "x"]}), Path("a.csv"))
    >>> answers_in(table, "a").to_list(), answers_in(table, "b").to_list()
    ([0.5, None, 2.0], ['1', '007', 'x'])
    """
    column = table[name]
    if separator is not None or table.holds_lists(name):
        _refuse_scores(table, name)
        return _join(labels_in(column, separator, table.source, 0))
    numbers = _numbers(column)
    if numbers is not None:
        if numbers.is_infinite().any():
            row = numbers.is_infinite().fill_null(False).arg_true()[0]
            raise ValueError(f"{table.where(name, row)}: {column[row]} is no score; it is infinite")
        return numbers
    labels = labels_in(column, None, table.source, 0)
    if (different := labels.n_unique()) > _MOST:
        example = str(labels.drop_nulls()[0])[:40]
        raise ValueError(
            f"{table.where(name)} holds {different:,} different answers, such as {example!r}; a "
            f"model gives at most {_MOST:,} labels, or numbers, which are written as 0.25"
        )
    return labels


def truths_in(table: Table, name: str, separator: str | None = None) -> pl.Series:
    """What people know, as texts; null where nobody looked.

    Parameters
    ----------
    table, name
        The column.
    separator
        What stands between the labels of a document.
    """
    column = table[name]
    if separator is not None or table.holds_lists(name):
        return _join(labels_in(column, separator, table.source, 0))
    numbers = _numbers(column)
    if numbers is not None:
        if (different := numbers.drop_nulls().n_unique()) > _MOST_NUMBERS:
            raise ValueError(
                f"{table.where(name)} holds {different:,} different numbers; the truth is a class, "
                "of which there are few. Scores of a model are named with --proxy"
            )
        return _whole_texts(numbers)
    labels = labels_in(column, None, table.source, 0)
    known = labels.drop_nulls()
    if (different := known.n_unique()) > max(_MOST_NUMBERS, len(known) // 2) or different > _MOST:
        raise ValueError(
            f"{table.where(name)} holds {different:,} different values in {len(known):,} rows, "
            f"such as {known[0][:40]!r}; the truth is a class, of which there are few"
        )
    return labels


def chances_in(table: Table, name: str, known: pl.Series) -> pl.Series:
    """Probabilities with which rows were drawn.

    Parameters
    ----------
    table, name
        The column.
    known
        Whether a row's truth is known; of others nothing is asked.
    """
    column, chances = table[name], numbers_in(table[name])
    wrong = known & ~((chances > 0) & (chances <= 1)).fill_null(False)
    if wrong.any():
        row = wrong.arg_true()[0]
        said = "blank" if column[row] is None else f"{column[row]!r}"
        raise ValueError(
            f"{table.where(name, row)} is {said}, but the row has a truth, and the probability "
            "with which it was drawn is above 0 and at most 1"
        )
    return chances


def numbers_in(column: pl.Series) -> pl.Series:
    """Numbers of a column, also as some spreadsheets write them, with a comma; null for others.

    Parameters
    ----------
    column
        Of a table.

    Examples
    --------
    >>> numbers_in(pl.Series(["0.5", "0,25", "a half", None])).to_list()
    [0.5, 0.25, None, None]
    """
    if column.dtype == pl.String:
        column = column.str.strip_chars().str.replace(",", ".", literal=True)
    elif not column.dtype.is_numeric():
        return pl.Series(column.name, [None] * len(column), dtype=pl.Float64)
    return column.cast(pl.Float64, strict=False).fill_nan(None)


def _numbers(column: pl.Series) -> pl.Series | None:
    """The column as numbers, null where there is none; None if they are not all numbers."""
    if column.dtype.is_numeric():
        return column.cast(pl.Float64).fill_nan(None)
    if column.dtype != pl.String:
        return None
    texts = stripped(column).replace(["NaN", "nan"], None)
    numbers = texts.cast(pl.Float64, strict=False)
    if numbers.null_count() == len(numbers) or numbers.null_count() > texts.null_count():
        return None
    return None if texts.str.contains(_NUMBER_OF_A_LABEL).any() else numbers


def _whole_texts(numbers: pl.Series) -> pl.Series:
    """Numbers as texts: 1, where a spreadsheet or pandas writes 1.0."""
    whole = (numbers == numbers.round()).fill_null(True).all()
    return (numbers.cast(pl.Int64) if whole else numbers).cast(pl.String)


def _refuse_scores(table: Table, name: str) -> None:
    numbers = None if table.holds_lists(name) else _numbers(table[name])
    if numbers is not None and (numbers != numbers.round()).any():
        raise ValueError(
            f"{table.where(name)} holds numbers; where documents have several labels, a model must "
            "give labels"
        )


def rejoined(labels: pl.Series, separator: str) -> pl.Series:
    """Labels that `answers_in` or `truths_in` has joined, with a separator to be read again by.

    Parameters
    ----------
    labels
        Texts.
    separator
        What is to stand between labels; it stands alone where a document has none.

    Examples
    --------
    >>> rejoined(pl.Series([f"a{JOINED}b{JOINED}", JOINED, None]), "|").to_list()
    ['a|b', '|', None]
    """
    texts = labels.str.strip_suffix(JOINED).str.replace_all(JOINED, separator, literal=True)
    return texts.replace("", separator)


def _join(labels: pl.Series) -> pl.Series:
    """Several labels as one text; of none it is not blank, which would mean that nobody looked."""
    if labels.dtype != pl.List:
        return labels
    return labels.list.join(JOINED) + JOINED
