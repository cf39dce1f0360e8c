"""What is known of the answers of one model, and how new ones become numbers by it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.vectors.answers import Numbers, read_column

__all__ = ["LabelAnswers", "NumberAnswers", "learn_answers"]

Array = NDArray[Any]

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


def learn_answers(column: str, answers: pl.Series) -> LabelAnswers | NumberAnswers:
    """What is known of a model after training.

    Parameters
    ----------
    column
        Where its answers are from.
    answers
        Of training: lists, which are empty where it gave none.
    """
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
