"""ProxyVectorizer: what models say of documents in, numbers out."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
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
from quantext.vectors.answers import Numbers, read_column

__all__ = ["LabelAnswers", "NumberAnswers", "ProxyVectorizer"]

Array = NDArray[Any]
Out = TypeVar("Out")

_ROWS, _CELLS = 1 << 12, 1 << 22  # documents, and numbers of theirs, at a time
_FEW_NAMES, _MOST_NAMES = 20, 1000  # of labels: so many always, and at most, may be different
_LARGEST = 1e100  # of numbers, so that squares and sums of them are finite
_SUREST = 1e-3  # posteriors nearer to 0 or 1 are taken for this: a judge that is sure may err


@dataclass(frozen=True)
class LabelAnswers:
    """A column of labels as columns of 0 and 1: one for each label, and the last for none.

    Parameters
    ----------
    column
        Where they are from.
    names
        The labels of training, in order.
    had_none
        Whether there were training documents without an answer.
    """

    column: str
    names: tuple[str, ...]
    had_none: bool

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.names) + 1

    @property
    def features(self) -> list[str]:
        """What the columns are called."""
        return [f"{self.column}={name}" for name in (*self.names, "")]

    def check(self) -> None:
        """Raise ValueError unless the names are some, not too many, and different."""
        if not 0 < len(set(self.names)) == len(self.names) <= _MOST_NAMES or "" in self.names:
            raise ValueError("the labels of a model are not different names")
        "".join((self.column, *self.names)).encode()  # raises if a text could not be one of them

    def read(self, answers: pl.Series) -> tuple[Array, Array]:
        """Columns of the documents, and how many of their answers are known and how many there are.

        A label that training did not have is no answer.

        Parameters
        ----------
        answers
            Lists of labels.
        """
        n, none = len(answers), len(self.names)
        number = {name: code for code, name in enumerate(self.names)}
        lengths = answers.list.len().to_numpy().astype(np.int64)
        labels = answers.filter(answers.list.len() > 0).explode()
        found = labels.replace_strict(number, default=none, return_dtype=pl.Int64).to_numpy()
        matrix = np.zeros((n, none + 1))
        documents = np.repeat(np.arange(n), lengths)
        matrix[documents, found] = 1.0
        matrix[:, none] = ~matrix[:, :none].any(axis=1)
        unknown = np.bincount(documents[found == none], minlength=n)
        if not self.had_none:
            unknown += lengths == 0
        total = np.maximum(lengths, 1)
        return matrix, np.column_stack([total - unknown, total])


@dataclass(frozen=True)
class NumberAnswers:
    """A column of numbers as two: the number, in standard deviations, and 1 where there is none.

    Parameters
    ----------
    column
        Where they are from.
    mean, deviation
        Of training, after the log-odds.
    posteriors
        Whether the numbers lie between 0 and 1, and their log-odds are taken.
    """

    column: str
    mean: float
    deviation: float
    posteriors: bool

    @property
    def width(self) -> int:
        """Number of columns."""
        return 2

    @property
    def features(self) -> list[str]:
        """What the columns are called."""
        return [self.column, f"{self.column}="]

    def check(self) -> None:
        """Raise ValueError unless numbers can be divided by the deviation."""
        if not self.deviation >= 1 / _LARGEST:
            raise ValueError("the deviation of a model's numbers is not positive")
        self.column.encode()

    def read(self, answers: pl.Series) -> tuple[Array, Array]:
        """Columns of the documents, and how many of their answers are known and how many there are.

        Parameters
        ----------
        answers
            Lists of one number each, or of none.
        """
        numbers = _numbers(answers)
        if numbers is None:
            values = answers.explode().drop_nulls()
            odd = values.filter(values.cast(pl.Float64, strict=False).is_null())
            what = repr(odd[0]) if len(odd) else "several, or one beyond 1e100"
            raise ValueError(
                f"column {self.column!r} has {what}, and in training it had one number, or none, "
                "for each document"
            )
        return self._scaled(numbers), np.ones((len(answers), 2), np.int64)

    def _scaled(self, numbers: Array) -> Array:
        missing = np.isnan(numbers)
        if self.posteriors:
            if ((numbers < 0) | (numbers > 1)).any():
                value = numbers[(numbers < 0) | (numbers > 1)][0]
                raise ValueError(
                    f"column {self.column!r} has {value:g}, and in training all of its numbers "
                    "were between 0 and 1; are they on another scale?"
                )
            numbers = _clipped_log_odds(numbers)
        scaled = (numbers - self.mean) / self.deviation
        return np.column_stack([np.where(missing, 0.0, scaled), missing])


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
        self.answers_ = tuple(map(_learned, names, columns))
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


def _learned(column: str, answers: pl.Series) -> LabelAnswers | NumberAnswers:
    """What is known of a model, from lists of its answers."""
    names = answers.explode().drop_nulls().unique().sort()
    if not len(names):
        raise ValueError(
            f"column {column!r} has no answer for any of the {len(answers)} documents to learn from"
        )
    numbers = _numbers(answers)
    if numbers is not None and isinstance(read_column(numbers), Numbers):
        known = numbers[~np.isnan(numbers)]
        posteriors = bool(known.min() >= 0 and known.max() <= 1)
        values = _clipped_log_odds(known) if posteriors else known
        deviation = float(values.std())
        # Numbers that are all alike say nothing, and cannot be divided by how much they differ.
        deviation = deviation if deviation >= 1 / _LARGEST else 1.0
        return NumberAnswers(column, float(values.mean()), deviation, posteriors)
    if len(names) > min(_MOST_NAMES, max(_FEW_NAMES, len(answers) // 2)):
        raise ValueError(
            f"column {column!r} has {len(names):,} different answers for {len(answers):,} "
            f"documents, such as {names[0]!r}; labels would repeat. Are they texts?"
        )
    had_none = bool((answers.list.len() == 0).any())
    return LabelAnswers(column, tuple(names.to_list()), had_none)


def _numbers(answers: pl.Series) -> NDArray[np.float64] | None:
    """The answers as numbers, NaN where there is none; None if they are anything else."""
    if (answers.list.len() > 1).any():
        return None
    texts = answers.list.first()
    numbers = texts.cast(pl.Float64, strict=False)
    known = numbers.drop_nulls()
    if len(known) != len(texts.drop_nulls()) or not (known.abs() <= _LARGEST).all():
        return None
    return numbers.fill_null(np.nan).to_numpy()


def _clipped_log_odds(posteriors: Array) -> Array:
    p = np.clip(posteriors, _SUREST, 1 - _SUREST)
    return np.asarray(np.log(p) - np.log1p(-p))
