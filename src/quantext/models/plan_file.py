"""Files of plans: rows to label by hand with what they were drawn with; read again when labelled.

A row of the file is a document of the data: ``row`` is its number there, counted from 1 after the
header, ``stratum`` what it was drawn from, ``probability`` how many of the stratum were drawn.
Whoever labels some of the rows only, in the order of the file, has drawn fewer: a smaller random
sample of each stratum.
"""

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.texts.formats import check_columns
from quantext.vectors.answers import read_answers
from quantext.wording import counted, listed

__all__ = [
    "COLUMNS",
    "Drawn",
    "Labelled",
    "is_plan",
    "labels_of",
    "plan_table",
    "read_drawn",
    "read_plan",
]

COLUMNS = ("row", "stratum", "probability")
_ROUNDED = 1e-5  # relative error of a probability that a spreadsheet has shown in fewer digits


class Drawn(NamedTuple):
    """All rows of a plan: numbers counted from 0, truths (None: not labelled yet), probabilities.

    Strata are numbers, too.
    """

    rows: NDArray[np.int64]
    truth: list[str | None]
    chances: NDArray[np.float64]
    strata: NDArray[np.int64]
    names: tuple[str, ...]


class Labelled(NamedTuple):
    """The labelled rows of a plan: numbers counted from 0, truths, and probabilities as it is now.

    These are what `quantext.correct` takes, once they are spread over all documents.
    """

    rows: NDArray[np.int64]
    truth: list[str]
    chances: NDArray[np.float64]


def is_plan(names: Any) -> bool:
    """Whether a table with columns of these names was written by a plan."""
    return set(COLUMNS) <= set(names)


def plan_table(
    plan: pl.DataFrame, data: pl.DataFrame, truth: str, known: pl.Series
) -> pl.DataFrame:
    """What to label: the plan's columns, all of the data's, and the column of the truth.

    Parameters
    ----------
    plan
        Columns ``row``, ``stratum`` and ``probability``.
    data
        All documents.
    truth
        Name of the column to fill in.
    known
        What is in it already, for each row of the plan; null where there is nothing.
    """
    if taken := [name for name in COLUMNS if name in data.columns or name == truth]:
        raise ValueError(
            f"a column of the data is called {taken[0]!r}, and so is one that the plan adds; "
            "rename it"
        )
    rows = data.drop(truth, strict=False)[(plan["row"] - 1).to_list()]
    return pl.concat([plan, rows, known.alias(truth).to_frame()], how="horizontal")


def read_plan(frame: pl.DataFrame, n_rows: int, truth_column: str) -> Labelled:
    """Rows of a plan that are labelled, with the probabilities of just these being drawn.

    If all rows of a stratum are labelled, these are those of the plan; if a part is, that part.

    Parameters
    ----------
    frame
        The plan's file as a table, all its rows.
    n_rows
        Number of documents in the data that it was drawn from.
    truth_column
        Where the labels are; blank where there is none yet.

    Examples
    --------
    >>> frame = pl.DataFrame(
    ...     {"row": [7, 2, 5], "stratum": ["a", "a", "b"], "probability": [0.4, 0.4, 0.5],
    ...      "truth": ["spam", None, "ham"]}
    ... )
    >>> rows, truth, chances = read_plan(frame, 7, "truth")
    >>> rows.tolist(), truth, chances.tolist()
    ([6, 4], ['spam', 'ham'], [0.2, 0.5])
    """
    drawn = read_drawn(frame, n_rows, truth_column)
    known = np.array([label is not None for label in drawn.truth], dtype=bool)
    if not known.any():
        raise ValueError(f"column {truth_column!r} of the plan is blank; label some of its rows")
    of_each = np.bincount(drawn.strata, minlength=len(drawn.names))
    labelled = np.bincount(drawn.strata[known], minlength=len(drawn.names))
    if not labelled.all():
        s = int(np.argmin(labelled))
        next_ones = (drawn.rows[drawn.strata == s][:5] + 1).tolist()
        raise ValueError(
            f"no row of stratum {drawn.names[s]!r} is labelled, so nothing is known of the "
            f"documents in it; label some: row {listed(map(str, next_ones), 'or')}"
        )
    chances = drawn.chances * (labelled / of_each)[drawn.strata]
    truth = [label for label in drawn.truth if label is not None]
    return Labelled(drawn.rows[known], truth, chances[known])


def read_drawn(frame: pl.DataFrame, n_rows: int, truth_column: str) -> Drawn:
    """All rows of a plan's file, checked.

    Parameters
    ----------
    frame, n_rows, truth_column
        As in `read_plan`.
    """
    check_columns([*COLUMNS, truth_column], frame.columns, "the plan")
    if frame.is_empty():
        raise ValueError("the plan has no rows")
    rows = _numbers(frame["row"])
    fine = (rows >= 1) & (rows <= n_rows) & (rows == np.round(rows))
    if not fine.all():
        at = int(np.argmin(fine))
        raise ValueError(
            f"line {at + 1} of the plan is about row {frame['row'][at]!r} of the data, which has "
            f"rows 1 to {n_rows:,}; the plan is of another file, or was changed"
        )
    values, counts = np.unique(rows, return_counts=True)
    if (counts > 1).any():
        twice = int(values[np.argmax(counts > 1)])
        raise ValueError(f"the plan has row {twice:,} of the data twice; leave one of the two out")
    chances = _numbers(frame["probability"])
    if not (fine := (chances > 0) & (chances <= 1)).all():
        at = int(np.argmin(fine))
        raise ValueError(
            f"line {at + 1} of the plan has {frame['probability'][at]!r} for the probability of "
            "being drawn, which is above 0 and at most 1; leave that column as it was written"
        )
    answers = read_answers(frame["stratum"].cast(pl.String).fill_null(""), "stratum")
    names = tuple("" if name is None else str(name) for name in answers.names)
    drawn = Drawn(
        rows.astype(np.int64) - 1, labels_of(frame[truth_column]), chances, answers.codes, names
    )
    _check_whole(drawn, n_rows)
    return drawn


def _check_whole(drawn: Drawn, n_rows: int) -> None:
    """Raise unless each stratum has one probability, and all rows stand for all documents."""
    first = np.array([drawn.chances[np.argmax(drawn.strata == s)] for s in range(len(drawn.names))])
    other = ~np.isclose(drawn.chances, first[drawn.strata], rtol=_ROUNDED)
    if other.any():
        name = drawn.names[drawn.strata[np.argmax(other)]]
        raise ValueError(
            f"rows of stratum {name!r} were drawn with different probabilities, which a plan does "
            "not do; leave that column as it was written"
        )
    stands_for = float((1 / drawn.chances).sum())
    if abs(stands_for - n_rows) > _ROUNDED * n_rows + 0.5:
        raise ValueError(
            f"the {counted(len(drawn.rows), 'row')} of the plan stand for {stands_for:,.0f} "
            f"documents, and the data has {n_rows:,}: rows of the plan are missing, or it is of "
            "another file; keep rows that are not labelled, with a blank"
        )


def labels_of(column: pl.Series) -> list[str | None]:
    """Labels of a column without surrounding blanks; None where there is none.

    Parameters
    ----------
    column
        Of a table.

    Examples
    --------
    >>> labels_of(pl.Series(["spam ", " ", None])), labels_of(pl.Series([1, None]))
    (['spam', None, None], ['1', None])
    """
    answers = read_answers(column, column.name)
    names = [None if name is None else str(name) for name in answers.names]
    return [names[code] for code in answers.codes]


def _numbers(column: pl.Series) -> NDArray[np.float64]:
    """Numbers, also as some spreadsheets write them, with a comma; NaN where there is none."""
    if column.dtype == pl.String:
        column = column.str.strip_chars().str.replace(",", ".", literal=True)
    found = column.cast(pl.Float64, strict=False).fill_null(np.nan)
    return found.to_numpy().astype(np.float64)
