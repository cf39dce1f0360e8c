"""Where: only a part of the rows, by what their columns say; counted as the rows are read."""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import polars as pl

from quantext.texts.labels import TEXT, stripped
from quantext.wording import listed

__all__ = ["EVERYWHERE", "Condition", "Part", "Where", "read_where", "where_of"]

_WHOLE = r"^([+-]?[0-9]+)[.]0+$"
_MOST_SEEN = 10_000  # values of a column that are remembered, to name near ones


@dataclass(frozen=True)
class Condition:
    """What a column must say, or must not.

    Parameters
    ----------
    column
        Its name.
    values
        Any of these, without surrounding blanks; nothing at all is a blank cell.
    without
        None of them, instead.
    """

    column: str
    values: tuple[str, ...]
    without: bool = False

    def __str__(self) -> str:
        told = listed((repr(own) if own else "blank" for own in self.values), "or")
        return f"{self.column!r} is {'not ' if self.without else ''}{told}"

    def holds(self, column: pl.Series) -> pl.Series:
        """Whether each row is one of those.

        Parameters
        ----------
        column
            Of the table. A list is any of its items.
        """
        found = self.found(column)
        return ~found if self.without else found

    def found(self, column: pl.Series, value: str | None = None) -> pl.Series:
        """Whether each row has one of the values, or this one of them.

        Parameters
        ----------
        column
            Of the table.
        value
            None: any.
        """
        values = self.values if value is None else (value,)
        if isinstance(column.dtype, pl.Array):
            column = column.arr.to_list()
        if isinstance(column.dtype, pl.List):
            items = column.list.eval(pl.element().cast(pl.String).str.strip_chars())
            blank = (items.list.len() == 0).fill_null(True)
            has = [blank if own == "" else items.list.contains(own) for own in values]
            return pl.select(pl.any_horizontal(*has)).to_series().fill_null(False)
        if column.dtype.is_nested():
            raise ValueError(
                f"column {column.name!r} holds {column.dtype}; --where is for texts, numbers, "
                "dates and lists"
            )
        if column.dtype in TEXT:  # where spreadsheets and others write 5 as 5.0
            return _whole(_texts(column)).is_in(
                _whole(pl.Series(values, dtype=pl.String)).implode()
            )
        return _texts(column).is_in(_as_in(column, values))


def _texts(column: pl.Series) -> pl.Series:
    """Cells to compare, nothing for blank ones."""
    if column.dtype.is_float():  # so that 5 is 5.0
        column = column.fill_nan(None)
    if column.dtype == pl.Datetime:  # the day, as it is written
        column = column.dt.date()
    return stripped(column).fill_null("")


def _whole(texts: pl.Series) -> pl.Series:
    """Texts, of whole numbers without the zeros after a point."""
    return texts.str.replace(_WHOLE, "$1")


def _as_in(column: pl.Series, values: Sequence[str]) -> list[str]:
    """Values as a column of this type writes them."""
    if column.dtype == pl.Boolean:
        return [value.lower() for value in values]
    if not column.dtype.is_numeric():
        return list(values)
    numbers = pl.Series(values, dtype=pl.String).cast(pl.Float64, strict=False)
    own = numbers.cast(column.dtype, strict=False)
    same = own.cast(pl.Float64) == numbers
    texts = zip(values, own.cast(pl.String), same.fill_null(False), strict=True)
    return [text if equal else value for value, text, equal in texts]


@dataclass(frozen=True)
class Where:
    """Conditions that must hold all together; of none, all rows are meant.

    Parameters
    ----------
    conditions
        One for each column that must say something, and each that must not.

    Examples
    --------
    >>> where = read_where(["mood=bad", "mood=sad", "lang!=de"])
    >>> str(where)
    "'mood' is 'bad' or 'sad' and 'lang' is not 'de'"
    >>> where.options
    ['mood=bad', 'mood=sad', 'lang!=de']
    """

    conditions: tuple[Condition, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.conditions)

    def __str__(self) -> str:
        return listed(map(str, self.conditions)) if self.conditions else ""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, each once."""
        return tuple(dict.fromkeys(own.column for own in self.conditions))

    @property
    def options(self) -> list[str]:
        """The same as they are written on the command line."""
        return [
            f"{own.column}{'!=' if own.without else '='}{value}"
            for own in self.conditions
            for value in own.values
        ]


def read_where(options: Sequence[str]) -> Where:
    """Conditions as they are written on the command line: column=value, column!=value.

    Several of one column with = mean any of the values. Nothing after the sign is a blank cell.

    Parameters
    ----------
    options
        As they were given.
    """
    values: dict[tuple[str, bool], list[str]] = {}
    for option in options:
        column, equals, value = option.partition("=")
        name = column.removesuffix("!")
        if not equals or not name.strip():
            raise ValueError(
                f"--where {option}: write column=value, column!=value, or column= for blank cells"
            )
        values.setdefault((name.strip(), column != name), []).append(value.strip())
    return _where(values)


def where_of(given: Mapping[str, Any] | Where | None) -> Where:
    """The same of a mapping: column to the value, or list of values, that it must have.

    Parameters
    ----------
    given
        None as a value is a blank cell, as is NaN.

    Examples
    --------
    >>> str(where_of({"mood": ["bad", "sad"], "rating": 1}))
    "'mood' is 'bad' or 'sad' and 'rating' is '1'"
    """
    if given is None or isinstance(given, Where):
        return given or Where()
    if not isinstance(given, Mapping):
        raise TypeError(f"where is a {type(given).__name__}; give a mapping of columns to values")
    values = {}
    for column, own in given.items():
        several = own if isinstance(own, list | tuple | set | frozenset) else [own]
        texts = [_written(value) for value in several]
        if not texts:
            raise ValueError(f"where names no value for column {column!r}; give at least one")
        values[(column, False)] = texts
    return _where(values)


def _written(value: Any) -> str:
    """A value as it is compared; nothing for what Python, NumPy and pandas have for none."""
    if value is None or (str(value) in ("nan", "NaT", "<NA>") and not isinstance(value, str)):
        return ""
    text = str(value).strip()
    return re.sub(_WHOLE, r"\1", text) if isinstance(value, Real) else text


def _where(values: Mapping[tuple[str, bool], Sequence[str]]) -> Where:
    return Where(
        tuple(
            Condition(column, tuple(dict.fromkeys(own)), without)
            for (column, without), own in values.items()
        )
    )


EVERYWHERE = Where()
"""All rows are meant."""


@dataclass
class Part:
    """The rows that are meant, counted as they are read.

    Parameters
    ----------
    where
        Which they are.
    n_rows, n_kept
        How many were read, and meant.
    """

    where: Where
    n_rows: int = 0
    n_kept: int = 0
    _met: dict[tuple[Condition, str], bool] = field(default_factory=dict)
    _seen: dict[str, dict[str, None]] = field(default_factory=dict)

    def mask(self, frame: pl.DataFrame) -> pl.Series:
        """Whether each row of a block is meant.

        Parameters
        ----------
        frame
            With the columns of all conditions.
        """
        kept = pl.repeat(True, len(frame), dtype=pl.Boolean, eager=True)
        for condition in self.where.conditions:
            column = frame[condition.column]
            kept &= condition.holds(column)
            self._remember(condition, column)
        self.n_rows, self.n_kept = self.n_rows + len(frame), self.n_kept + int(kept.sum())
        return kept

    def _remember(self, condition: Condition, column: pl.Series) -> None:
        for value in condition.values:
            place = condition, value
            if not self._met.get(place):
                self._met[place] = bool(condition.found(column, value).any())
        seen = self._seen.setdefault(condition.column, {})
        if len(seen) < _MOST_SEEN and not all(self._met.values()):
            items = column.explode() if column.dtype in (pl.List, pl.Array) else column
            seen.update(dict.fromkeys(_texts(items).unique(maintain_order=True)))

    def check(self, data: str) -> None:
        """Raise if a value that is asked for was never met, or no row is meant.

        Parameters
        ----------
        data
            What a message calls what was read.
        """
        for (condition, value), met in self._met.items():
            if not met and not condition.without:
                raise ValueError(f"{data}: {self._never(condition.column, value)}")
        if self.n_rows and not self.n_kept:
            raise ValueError(f"{data}: none of the {self.n_rows:,} rows is one where {self.where}")

    def _never(self, column: str, value: str) -> str:
        """What there is in place of a value that never was."""
        seen = [own for own in self._seen[column] if own]
        if not value:
            return f"column {column!r} is never blank; leave out --where {column}="
        same = [own for own in seen if own.casefold() == value.casefold()]
        near = same or difflib.get_close_matches(value, seen, n=3)
        if not seen:
            return f"column {column!r} is never {value!r}; all its cells are blank"
        if near:
            means = listed(map(repr, near), "or")
            return f"column {column!r} is never {value!r}; did you mean {means}?"
        return f"column {column!r} is never {value!r} but {listed(map(repr, seen), 'or', most=5)}"

    @property
    def note(self) -> str:
        """How many rows are meant, a sentence; and what there was not to leave out."""
        idle = [
            f"; column {own.column!r} is never blank"
            if not value
            else f"; {self._never(own.column, value)}"
            for (own, value), met in self._met.items()
            if own.without and not met
        ]
        said = f"{self.n_kept:,} of {self.n_rows:,} rows are where {self.where}"
        return said + "".join(idle)
