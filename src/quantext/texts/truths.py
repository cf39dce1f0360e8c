"""Truths of documents: beside them in their file, or in one of their own, joined or not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from quantext.texts.cells import Table, answers_in, chances_in, read_table, truths_in
from quantext.texts.formats import EXTENSIONS, USUAL, Opening, blocks
from quantext.texts.judgements import JudgementColumns, Judgements, make_judgements
from quantext.texts.matching import rows_by_id
from quantext.texts.periods import Period
from quantext.texts.plans import COLUMNS, check_same, labelled, read_drawn
from quantext.wording import counted

__all__ = ["Reading", "read_beside", "read_by_id", "read_elsewhere", "read_planned"]


@dataclass(frozen=True)
class Reading:
    """How files are read.

    Parameters
    ----------
    opening
        Of the file of documents; its format is that of other files too if they do not tell theirs.
    period
        What dates are truncated to.
    separator
        What stands between the labels of a document.
    """

    opening: Opening = USUAL
    period: Period | None = None
    separator: str | None = None

    def table(self, path: str, names: Sequence[str]) -> Table:
        """Columns of the file of documents."""
        return read_table(path, names, opening=self.opening)

    def truths(self, path: str, names: Sequence[str]) -> Table:
        """Columns of a file of truths."""
        return read_table(path, names, opening=self._opening_of(path))

    def columns(self, path: str) -> list[str]:
        """Names of all columns of a file of truths."""
        return next(blocks(Path(path), self._opening_of(path), None)).columns

    def _opening_of(self, path: str) -> Opening:
        # The extension tells more than what is said of another file.
        known = Path(path.lower().removesuffix(".gz")).suffix in EXTENSIONS
        other = self.opening.for_another()
        return other if known else replace(other, format=self.opening.format)


def read_beside(
    path: str, columns: JudgementColumns, reading: Reading, *, elsewhere: bool = False
) -> Judgements:
    """Judgements of a file that has the truths too.

    Parameters
    ----------
    path, columns, reading
        The file.
    elsewhere
        Rows with a known truth are in no batch.
    """
    table = reading.table(path, columns.names())
    truth = truths_in(table, columns.truth, reading.separator)
    made = _make(table, columns, truth, reading, elsewhere)
    if columns.chance is not None:
        chances = chances_in(table, columns.chance, truth.is_not_null())
        made = replace(made, chances=chances)
    return made


def read_by_id(
    path: str, gold: str, columns: JudgementColumns, reading: Reading, by_id: str
) -> Judgements:
    """Judgements of a file, with truths from another that names rows of it.

    Parameters
    ----------
    path
        File of all documents.
    gold
        File with the truths of some.
    columns, reading
        Of both; the column of probabilities is that of ``gold``, if it has one.
    by_id
        Column that both have, and whose values are there once.
    """
    there = columns.chance is not None and columns.chance in reading.columns(gold)
    wanted = [columns.truth, by_id, *([columns.chance] if columns.chance and there else [])]
    truths = reading.truths(gold, list(dict.fromkeys(wanted)))
    truth = truths_in(truths, columns.truth, reading.separator)
    here = columns.names(columns.truth, columns.chance if there else None)
    table = reading.table(path, list(dict.fromkeys([*here, by_id])))
    given = truth.is_not_null()
    rows = rows_by_id(table, truths, by_id, given)
    spread = _over(len(table), rows, truth.filter(given))
    made = _make(table, columns, spread, reading, False)
    if columns.chance is None:
        return made
    if not there:
        return replace(made, chances=chances_in(table, columns.chance, spread.is_not_null()))
    chances = chances_in(truths, columns.chance, given).filter(given)
    return replace(made, chances=_over(len(table), rows, chances))


def read_planned(path: str, plan: str, columns: JudgementColumns, reading: Reading) -> Judgements:
    """Judgements of a file, with truths from one of `quantext plan`, which says how it drew them.

    Parameters
    ----------
    path
        File of all documents.
    plan
        What `quantext plan` has written, with truths in some rows of each stratum or in all.
    columns, reading
        Of both.
    """
    kept = [name for name in columns.proxy if name in reading.columns(plan)]
    truths = reading.truths(plan, list(dict.fromkeys([*COLUMNS, *kept, columns.truth])))
    table = reading.table(path, columns.names(columns.truth))
    drawn = read_drawn(
        truths, len(table), columns.truth, separator=reading.separator, data=str(table.source)
    )
    check_same(table, truths, drawn.rows, columns.proxy)
    known = labelled(drawn, truths.source, columns.truth)
    truth, chances = (_over(len(table), known.rows, own) for own in (known.truth, known.chances))
    notes = []
    if left := len(drawn.rows) - len(known.rows):
        notes = [
            f"{counted(left, 'row')} of {truths.source} without a truth: the others of the same "
            "stratum stand for them, which is right if those were left out by chance"
        ]
    made = _make(table, columns, truth, reading, False)
    return replace(made, chances=chances, notes=notes)


def read_elsewhere(path: str, gold: str, columns: JudgementColumns, reading: Reading) -> Judgements:
    """Judgements of a file without truths, then those of one with truths, which is of no batch.

    Parameters
    ----------
    path
        File of the documents in question.
    gold
        File of others, with what the same models say of them, in columns of the same names.
    columns, reading
        Of both.
    """
    table = reading.table(path, columns.names(columns.truth))
    nothing = pl.Series("truth", [None] * len(table), dtype=pl.String)
    made = _make(table, columns, nothing, reading, True)
    truths = reading.truths(gold, [*columns.proxy, columns.truth])
    truth = truths_in(truths, columns.truth, reading.separator)
    known = truth.is_not_null()
    proxy = {}
    for name, here in made.proxy.items():
        there = answers_in(truths, name, reading.separator).filter(known)
        if here.dtype != there.dtype and here.null_count() < len(here) and len(there.drop_nulls()):
            numbers, labels = (table, truths) if here.dtype.is_numeric() else (truths, table)
            raise ValueError(
                f"{numbers.where(name)} holds numbers, and labels in {labels.source}; the same "
                "model must have written both"
            )
        kind = here.dtype if here.null_count() < len(here) else there.dtype
        proxy[name] = pl.concat([here.cast(kind), there.cast(kind)])
    by = None
    if made.by is not None:
        # A name that is there already, for no batch is made of them.
        by = pl.concat([made.by, pl.repeat(made.by[0], int(known.sum()), eager=True)])
    left_out = len(truths) - int(known.sum())
    notes = []
    if left_out:
        rows = counted(left_out, "row")
        notes.append(f"{rows} of {truths.source} without a truth were left out")
    joined = pl.concat([nothing, truth.filter(known).alias("truth")])
    again = made.separator or (_separator(joined, truths, columns, reading))
    return replace(made, proxy=proxy, truth=joined, by=by, separator=again, notes=notes)


def _separator(
    truth: pl.Series, truths: Table, columns: JudgementColumns, reading: Reading
) -> str | None:
    """Of labels that are lists in the file of truths alone."""
    plain = JudgementColumns(columns.proxy, columns.truth)
    return _make(truths, plain, truth, reading, False).separator


def _make(
    table: Table, columns: JudgementColumns, truth: pl.Series, reading: Reading, elsewhere: bool
) -> Judgements:
    return make_judgements(
        table,
        columns,
        truth,
        period=reading.period,
        separator=reading.separator,
        elsewhere=elsewhere,
    )


def _over(number: int, rows: pl.Series, values: pl.Series) -> pl.Series:
    """The values in a column of so many rows, null in all others."""
    column = pl.repeat(None, number, dtype=values.dtype, eager=True)
    return column.scatter(rows, values) if len(rows) else column
