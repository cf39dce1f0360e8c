"""Files of plans: rows to label by hand with what they were drawn with; read again when labelled.

A row of the file is a document of the data: ``row`` is its number there, counted from 1 after the
header, ``stratum`` what it was drawn from, ``probability`` how many of the stratum were drawn.
Whoever labels some of the rows only, in the order of the file, has drawn fewer: a smaller random
sample of each stratum.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import polars as pl

from quantext.texts.cells import Table, numbers_in, truths_in
from quantext.texts.formats import check_columns
from quantext.texts.labels import stripped
from quantext.wording import counted, listed

__all__ = [
    "CHANCE",
    "COLUMNS",
    "Drawn",
    "check_same",
    "is_plan",
    "labelled",
    "plan_table",
    "read_drawn",
]

COLUMNS = ROW, STRATUM, CHANCE = ("row", "stratum", "probability")
_ROUNDED = 1e-5  # relative error of a number that a spreadsheet has shown in fewer digits


class Drawn(NamedTuple):
    """Rows of a plan: numbers counted from 0, truths, probabilities and names of strata.

    A truth is null where nobody has looked yet.
    """

    rows: pl.Series
    truth: pl.Series
    chances: pl.Series
    strata: pl.Series


def is_plan(names: Collection[str]) -> bool:
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
    rows = data.drop(truth, strict=False)[(plan[ROW] - 1).to_list()]
    return pl.concat([plan, rows, known.alias(truth).to_frame()], how="horizontal")


def read_drawn(
    table: Table, n_rows: int, truth: str, *, separator: str | None = None, data: str = "the data"
) -> Drawn:
    """All rows of a plan's file, checked.

    Parameters
    ----------
    table
        The file, all its rows.
    n_rows
        Number of documents in the data that it was drawn from.
    truth
        Column of the labels; blank where there is none yet.
    separator
        What stands between the labels of a document.
    data
        What messages call the data.
    """
    check_columns([*COLUMNS, truth], table.frame.columns, table.source)
    if not len(table):
        raise ValueError(f"{table.source} has no rows")
    numbers = numbers_in(table[ROW])
    wrong = ~(numbers.is_between(1, n_rows) & (numbers == numbers.round())).fill_null(False)
    if wrong.any():
        at = wrong.arg_true()[0]
        raise ValueError(
            f"{table.where(ROW, at)}: {table[ROW][at]!r} is no row of {data}, which has "
            f"{n_rows:,}; the plan is of another file, or was changed"
        )
    rows = numbers.cast(pl.Int64)
    if rows.is_duplicated().any():
        twice = rows.filter(rows.is_duplicated())[0]
        first, second = (rows == twice).arg_true()[:2]
        raise ValueError(
            f"{table.where(ROW, second)}: {twice} is in row {first + 1} too; leave one of the two "
            "out"
        )
    chances = numbers_in(table[CHANCE])
    wrong = ~((chances > 0) & (chances <= 1)).fill_null(False)
    if wrong.any():
        at = wrong.arg_true()[0]
        raise ValueError(
            f"{table.where(CHANCE, at)} is {table[CHANCE][at]!r}, but the probability with which a "
            "row was drawn is above 0 and at most 1; leave that column as it was written"
        )
    strata = stripped(table[STRATUM]).fill_null("")
    drawn = Drawn(rows - 1, truths_in(table, truth, separator), chances, strata)
    _check_whole(drawn, table, n_rows, data)
    return drawn


def _check_whole(drawn: Drawn, table: Table, n_rows: int, data: str) -> None:
    """Raise unless each stratum has one probability, and all rows stand for all documents."""
    frame = pl.DataFrame({"chance": drawn.chances, "stratum": drawn.strata})
    first = frame.select(pl.col("chance").first().over("stratum"))["chance"]
    other = (drawn.chances - first).abs() > _ROUNDED * first
    if other.any():
        at = other.arg_true()[0]
        raise ValueError(
            f"{table.where(CHANCE, at)}: rows of the stratum {drawn.strata[at]!r} were drawn with "
            "different probabilities, which a plan does not do; leave that column as it was written"
        )
    stands_for = float((1 / drawn.chances).sum())
    if abs(stands_for - n_rows) > _ROUNDED * n_rows + 0.5:
        raise ValueError(
            f"the {counted(len(table), 'row')} of {table.source} stand for {stands_for:,.0f} "
            f"documents, and {data} has {n_rows:,}: rows of the plan are missing, or it is of "
            "another file; keep rows that are not labelled, with a blank"
        )


def check_same(table: Table, plan: Table, rows: pl.Series, names: Sequence[str]) -> None:
    """Raise if what was drawn differs from what the data has in the same rows now.

    Parameters
    ----------
    table
        The data.
    plan
        The plan's file.
    rows
        Numbers of the rows of the data that those of the plan are, from 0.
    names
        Columns to look at, as far as the plan has them.
    """
    for name in names:
        if name not in plan.frame.columns or plan.holds_lists(name) or table.holds_lists(name):
            continue
        now, then = stripped(table[name].gather(rows)), stripped(plan[name])
        differ = now.ne_missing(then)
        near = (numbers_in(now) - numbers_in(then)).abs() <= _ROUNDED * numbers_in(now).abs()
        differ &= ~near.fill_null(False)  # spreadsheets write numbers in their own way
        if differ.any():
            at = differ.arg_true()[0]
            was, is_now = (repr(own) if own is not None else "blank" for own in (then[at], now[at]))
            raise ValueError(
                f"{plan.where(name, at)} is {was}, but {is_now} in row {rows[at] + 1} of "
                f"{table.source}; it must be the file that was drawn from, as it was then"
            )


def labelled(drawn: Drawn, called: object, truth: str) -> Drawn:
    """Rows of a plan that are labelled, with the probabilities of just these being drawn.

    If all rows of a stratum are labelled, these are those of the plan; if a part is, that part.

    Parameters
    ----------
    drawn
        All rows.
    called
        What messages call the plan.
    truth
        What they call the column of the truths.
    """
    frame = pl.DataFrame(drawn._asdict())
    known = frame["truth"].is_not_null()
    if not known.any():
        raise ValueError(f"{called}, column {truth!r} is blank; label some of its rows")
    share = frame.select(pl.col("truth").is_not_null().mean().over("strata"))["truth"]
    if (share == 0).any():
        lacking = frame.filter(share == 0)
        own = lacking.filter(pl.col("strata") == lacking["strata"][0])
        next_ones = [f"{row + 1}" for row in own["rows"][:5]]
        raise ValueError(
            f"{called}, column {truth!r}: no row of the stratum {own['strata'][0]!r} is labelled, "
            "so nothing is known of the documents in it; label some, such as row "
            f"{listed(next_ones, 'or')} of the data"
        )
    part = frame.with_columns(chances=pl.col("chances") * share).filter(known)
    return Drawn(*part.get_columns())
