"""Documents of a search, and what divides them, as the caller gave them and checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import _num_samples

from quantext.scores.labels import Labels, read_labels
from quantext.texts.corpus import VectorCorpus
from quantext.vectors.sparse import check_sparse

__all__ = ["Data"]

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Data:
    """Documents and their labels.

    Parameters
    ----------
    X
        Documents: their rows can be picked.
    y
        As the caller gave it.
    labels
        The same as columns.
    periods, groups
        That divide them, if the caller gave any.
    """

    X: Any
    y: Any
    labels: Labels
    periods: pl.Series | None = None
    groups: pl.Series | None = None

    @classmethod
    def of(cls, X: Any, y: Any, periods: Any = None, groups: Any = None) -> "Data":
        """What the caller gave, checked."""
        check_sparse(X)
        if hasattr(X, "tocsr"):
            X = X.tocsr()  # the only common format whose rows can be picked
        elif not isinstance(X, pl.Series) and not hasattr(X, "shape"):
            X = list(X)
        labels = read_labels(y)
        if (n := _num_samples(X)) != len(labels.y):
            raise ValueError(f"X has {n} documents but y has labels for {len(labels.y)}")
        names = list(map(str, labels.classes))
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"y has two labels of the name {twice!r}; give them different ones")
        return cls(X, y, labels, _column("periods", periods, n), _column("groups", groups, n))

    @property
    def columns(self) -> NDArray[np.bool_]:
        """Whether each document has each class, of two classes too."""
        y = self.labels.y
        return np.column_stack([~y, y]) if self.labels.kind == "binary" else y

    @property
    def names(self) -> tuple[str, ...]:
        """Of the classes, as text."""
        return tuple(map(str, self.labels.classes))

    def part(self, rows: Indices) -> Any:
        """Labels of some documents, as a quantifier's ``fit`` takes them."""
        if self.labels.kind == "multilabel":
            return self.labels.y[rows]
        return np.asarray(self.y)[rows]

    def corpus(self) -> VectorCorpus:
        """The same to protocols, which divide documents without reading them."""
        return VectorCorpus(
            "X",
            sparse.csr_matrix((len(self.labels.y), 1)),
            self.columns,
            self.names,
            periods=self.periods,
            groups=self.groups,
            multilabel=self.labels.kind == "multilabel",
        )


def _column(name: str, values: Any, n: int) -> pl.Series | None:
    """Periods or groups: dates, if they are dates or written as 2024-12-31, else names."""
    if values is None:
        return None
    if isinstance(values, pl.Series):
        column = values
    elif isinstance(values, np.ndarray) and values.dtype != object:
        column = pl.Series(name, values)
    else:
        column = _series(name, list(values))
    if len(column) != n:
        raise ValueError(f"{name} has {len(column):,} values for {n:,} documents")
    missing = column.is_null() | column.is_nan() if column.dtype.is_float() else column.is_null()
    if missing.any():
        raise ValueError(
            f"{name} has no value for document {missing.arg_max()}, counted from 0; name one for "
            "each document, or leave such documents out"
        )
    if name == "groups":
        return column.cast(pl.String)
    if column.dtype == pl.String:
        dates = column.str.to_date("%Y-%m-%d", strict=False)
        return column if dates.null_count() else dates
    return column.cast(pl.Date if column.dtype in (pl.Date, pl.Datetime) else pl.String)


def _series(name: str, values: Sequence[Any]) -> pl.Series:
    """Values of one type as a column."""
    there = ((place, type(value)) for place, value in enumerate(values) if value is not None)
    first, kind = next(there, (0, str))
    for place, other in there:
        if other is not kind and not {kind, other} <= {int, float}:
            raise ValueError(
                f"{name} are of several types: {values[first]!r} ({kind.__name__}) for document "
                f"{first} and {values[place]!r} ({other.__name__}) for document {place}, counted "
                "from 0; make them all text"
            )
    return pl.Series(name, values, strict=False)
