"""ProxyVectorizer: what models say of documents in, numbers out."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, Self, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from quantext.texts.answers import count_models, join_answers, split_answers
from quantext.texts.formats import check_columns
from quantext.texts.given import as_series
from quantext.vectors.answer_columns import learn_answers

__all__ = ["ProxyVectorizer"]

Array = NDArray[Any]
Out = TypeVar("Out")

_ROWS, _CELLS = 1 << 12, 1 << 22  # documents, and numbers of theirs, at a time


class ProxyVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What models say of documents as numbers: labels as columns of 0 and 1, scores as they are.

    A model may be a language model, a rule set, an old system: anything that has labelled or scored
    every document. With this in place of a `LtcVectorizer`, a `TextQuantifier` learns from a few
    documents whose true classes are known how far to believe it, and reads no texts at all.

    A column of labels gets a column for each, and one for documents without an answer; a label that
    training did not have counts as no answer. Numbers, if some are not whole, are scores: they get
    a column in standard deviations from the mean, and one that says where there is none. Those that
    lie between 0 and 1 are posteriors, whose log-odds are taken.

    Parameters
    ----------
    columns
        Names of the models. None: those of the data frame that it is fitted to.

    Attributes
    ----------
    columns_
        Names of the models.
    answers_
        What is known of each model: a `LabelAnswers` or a `NumberAnswers`.

    Examples
    --------
    >>> said = pl.DataFrame({"model": ["spam", "ham", None, "spam"]})
    >>> vectorizer = ProxyVectorizer().fit(said)
    >>> vectorizer.get_feature_names_out().tolist()
    ['model=ham', 'model=spam', 'model=']
    >>> vectorizer.transform(["ham", "", "eggs"])
    array([[1., 0., 0.],
           [0., 0., 1.],
           [0., 0., 1.]])
    """

    def __init__(self, columns: Sequence[str] | None = None) -> None:
        self.columns = columns

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fitted vectorizer.

        Parameters
        ----------
        X
            A data frame of polars or pandas, or a mapping, with a column for each model; of one
            model, its labels in a list. None, NaN or a blank is no answer.
        y
            Not used.
        """
        del y
        names, texts = self._named(X)
        if len(set(names)) < len(names):
            raise ValueError(f"a model is named twice: {', '.join(map(repr, names))}")
        columns = split_answers(texts, len(names))
        self.answers_ = tuple(map(learn_answers, names, columns))
        self.columns_ = names
        return self

    def transform(self, X: Any) -> Array:
        """Vectors of the documents, shape (n, d).

        Parameters
        ----------
        X
            As in `fit`; of a data frame, only the columns of the models are looked at.
        """
        return np.concatenate([np.empty((0, self.n_features_out)), *self.map_batches(_same, X)])

    def map_batches(self, function: Callable[[Any], Out], X: Any) -> Iterator[Out]:
        """What a function says of the vectors of the documents, some at a time.

        Parameters
        ----------
        function
            Of an array.
        X
            As in `transform`, or any iterable of labels.
        """
        return (out for out, _ in self.map_counted(function, self._blocks(X)))

    def map_counted(
        self, function: Callable[[Any], Out], columns: Iterable[pl.Series]
    ) -> Iterator[tuple[Out, NDArray[np.int64]]]:
        """The same, and of each document the numbers of its known and of all its answers.

        Parameters
        ----------
        function
            Of an array.
        columns
            Answers, a text for each document.
        """
        check_is_fitted(self)
        at_once = max(1, min(_ROWS, _CELLS // self.n_features_out))
        for texts in chain.from_iterable(_slices(column, at_once) for column in columns):
            split = split_answers(texts, len(self.columns_))
            read = [own.read(column) for own, column in zip(self.answers_, split, strict=True)]
            matrices, counts = zip(*read, strict=True)
            yield function(np.hstack(matrices)), np.sum(counts, axis=0, dtype=np.int64)

    @property
    def n_features_out(self) -> int:
        """Number of columns of the vectors."""
        check_is_fitted(self)
        return sum(own.width for own in self.answers_)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Names of the columns of the vectors."""
        check_is_fitted(self)
        return np.array(list(chain.from_iterable(own.features for own in self.answers_)), object)

    def _named(self, X: Any) -> tuple[tuple[str, ...], pl.Series]:
        """Names of the models, and their answers as texts."""
        if _is_table(X):
            names = tuple(_columns_of(X) if self.columns is None else self.columns)
            return names, _joined(X, names)
        texts = join_answers([_column(X)])
        names = tuple(self.columns or ())
        if not names:
            n = count_models(texts)
            names = ("model",) if n == 1 else tuple(f"model {i}" for i in range(1, n + 1))
        return names, texts

    def _blocks(self, X: Any) -> Iterator[pl.Series]:
        """Answers as texts, some at a time."""
        check_is_fitted(self)
        if _is_table(X):
            yield _joined(X, self.columns_)
        elif hasattr(X, "__len__"):
            yield join_answers([_column(X)])
        else:
            iterator = iter(X)
            while block := list(islice(iterator, _ROWS)):
                yield join_answers([_column(block)])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.allow_nan = True
        return tags


def _same(X: Array) -> Array:
    return X


def _is_table(X: Any) -> bool:
    return isinstance(X, dict) or hasattr(X, "columns")


def _columns_of(table: Any) -> list[str]:
    return list(table if isinstance(table, dict) else table.columns)


def _joined(table: Any, names: Sequence[str]) -> pl.Series:
    """Answers of the models of a table, as texts."""
    check_columns(names, _columns_of(table), "the data frame")
    return join_answers(as_series(name, table[name]) for name in names)


def _column(values: Any) -> pl.Series:
    """Answers of one model."""
    if isinstance(values, str | bytes):
        raise TypeError(f"answers must be a list or column, not one {type(values).__name__}")
    if getattr(values, "ndim", 1) != 1:
        raise ValueError(
            f"the answers have the shape {values.shape}; give a list of one model's, or a data "
            "frame with a column for each"
        )
    return as_series("answers", values.tolist() if isinstance(values, np.ndarray) else values)


def _slices(column: pl.Series, n_rows: int) -> Iterator[pl.Series]:
    return (column.slice(start, n_rows) for start in range(0, len(column), n_rows))
