"""What models say of documents: labels of any kind, or numbers; no answer is an answer too."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = ["Answers", "Numbers", "read_answers", "read_column", "read_proxy"]

Array = NDArray[Any]

_MOST_WHOLE = 50  # distinct whole numbers that are labels still, where some are missing


@dataclass(frozen=True)
class Answers:
    """Labels that one model gave, each as the number of its name.

    Parameters
    ----------
    codes
        Number of each document's label, shape (n,).
    names
        Labels in order; None, which is then the last, where the model gave none.
    column
        Where they are from.
    """

    codes: NDArray[np.int64]
    names: tuple[Any, ...]
    column: str | None = None

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def n_missing(self) -> int:
        """How many documents have no answer."""
        return int((self.codes == self.names.index(None)).sum()) if None in self.names else 0

    def __getitem__(self, rows: Any) -> "Answers":
        return Answers(self.codes[rows], self.names, self.column)


@dataclass(frozen=True)
class Numbers:
    """Scores or posteriors that one model gave; NaN where it gave none.

    Parameters
    ----------
    values
        Shape (n, c).
    column
        Where they are from.
    """

    values: NDArray[np.float64]
    column: str | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_missing(self) -> int:
        """How many documents have no number."""
        return int(np.isnan(self.values).any(axis=1).sum())

    @property
    def are_posteriors(self) -> bool:
        """Whether all lie between 0 and 1 and, if there are several a document, sum to 1."""
        known = self.values[~np.isnan(self.values).any(axis=1)]
        if not len(known) or known.min() < 0 or known.max() > 1:
            return False
        return known.shape[1] == 1 or bool(np.allclose(known.sum(axis=1), 1, atol=1e-3))

    def __getitem__(self, rows: Any) -> "Numbers":
        return Numbers(self.values[rows], self.column)


def read_proxy(proxy: Any) -> list[Answers | Numbers]:
    """What each model says of the documents.

    Parameters
    ----------
    proxy
        Labels of one model, in a list or column; numbers are scores if any of them is not whole. A
        two-dimensional array of floating-point numbers: the scores of one model, a column for each
        class. A data frame, or a mapping of columns: several models, each as one by itself.

    Examples
    --------
    >>> [model] = read_proxy(["spam", "ham", None, "spam"])
    >>> model.names, model.codes.tolist(), model.n_missing
    (('ham', 'spam', None), [1, 0, 2, 1], 1)
    """
    if hasattr(proxy, "columns") and not isinstance(proxy, np.ndarray):
        return [read_column(proxy[name], str(name)) for name in proxy.columns]
    if isinstance(proxy, dict):
        return [read_column(values, str(name)) for name, values in proxy.items()]
    shape = np.shape(proxy) if isinstance(proxy, np.ndarray) else ()
    if len(shape) == 2:
        if proxy.dtype.kind == "f":
            return [Numbers(_finite(np.asarray(proxy, dtype=np.float64)))]
        return [read_column(column, f"column {j}") for j, column in enumerate(proxy.T)]
    return [read_column(proxy)]


def read_column(values: Any, column: str | None = None) -> Answers | Numbers:
    """What one model says of the documents: labels, or one number each.

    Parameters
    ----------
    values
        One for each document; None, NaN or a blank where the model gave no answer.
    column
        Where they are from, for messages.
    """
    series = _series(values, column)
    if series.dtype.is_float() and not (_are_whole(series) and series.n_unique() <= _MOST_WHOLE):
        return Numbers(_finite(series.to_numpy().astype(np.float64))[:, None], column)
    return read_answers(series, column)


def read_answers(values: Any, column: str | None = None) -> Answers:
    """Labels of the documents as the numbers of their names, which are sorted.

    Parameters
    ----------
    values
        Labels of any type that can be sorted; None, NaN or a blank where there is none.
    column
        Where they are from, for messages.
    """
    series = _series(values, column)
    if series.dtype.is_float() and _are_whole(series):
        series = series.cast(pl.Int64)  # a column of whole numbers, some of which are missing
    if series.dtype == pl.String:
        stripped = series.str.strip_chars()
        series = stripped.set(stripped == "", None)
    names = series.drop_nulls().unique().sort()
    codes = np.full(len(series), len(names), dtype=np.int64)
    if len(names):
        numbers = pl.int_range(len(names), eager=True, dtype=pl.Int64)
        found = series.replace_strict(names, numbers, default=len(names), return_dtype=pl.Int64)
        codes = found.to_numpy().astype(np.int64)
    missing = (None,) if series.null_count() else ()
    return Answers(codes, (*names.to_list(), *missing), column)


def _series(values: Any, column: str | None) -> pl.Series:
    """The values as a column of one type: numbers, truth values or texts."""
    where = f"column {column!r}" if column else "the labels"
    if isinstance(values, pl.Series):
        series = values
    elif isinstance(values, np.ndarray) and values.dtype != object:
        series = pl.Series(values if values.dtype.kind in "biuf" else values.tolist())
    else:
        own = list(values)
        missing = values.isna() if hasattr(values, "isna") else map(_is_nan, own)
        items = [None if blank else v for v, blank in zip(own, missing, strict=True)]
        kinds = {type(v) for v in items if v is not None}
        # Numbers of NumPy are taken for numbers; texts among them make all of them texts.
        alike = len(kinds) <= 1 or not any(issubclass(kind, str) for kind in kinds)
        try:
            series = pl.Series(items if alike else [v if v is None else str(v) for v in items])
        except (TypeError, pl.exceptions.PolarsError):
            series = pl.Series([v if v is None else str(v) for v in items])
    if series.dtype == pl.Null:
        return series.cast(pl.String)
    if series.dtype.is_integer():
        return series.cast(pl.Int64)
    if series.dtype.is_float():
        return series.fill_nan(None)
    if series.dtype.is_numeric() or series.dtype in (pl.Boolean, pl.String):
        return series
    if series.dtype in (pl.Categorical, pl.Enum):
        return series.cast(pl.String)
    if series.dtype.is_nested() or series.dtype == pl.Object:
        raise ValueError(f"{where} hold a {series.dtype} a document; give one label for each")
    return series.cast(pl.String)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float | np.floating) and bool(value != value)


def _are_whole(series: pl.Series) -> bool:
    known = series.drop_nulls()
    return bool((known.is_finite() & (known == known.round())).all())


def _finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values; raise if one of them is infinite."""
    if np.isinf(values).any():
        row = int(np.argmax(np.isinf(values.reshape(len(values), -1)).any(axis=1)))
        raise ValueError(f"the score of row {row} (counting from 0) is infinite")
    return values
