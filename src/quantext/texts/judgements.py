"""Judgements: a file's columns of what models say of documents, and of what people know."""

from dataclasses import dataclass, field, replace

import polars as pl

from quantext.texts.cells import JOINED, Table, answers_in
from quantext.texts.columns import BLANK, named_batches
from quantext.texts.date_forms import ISO
from quantext.texts.dates import dates_in
from quantext.texts.dating import find_format, unasked_format
from quantext.texts.labels import label_counts, merged_labels, spelling_note, stripped, variants
from quantext.texts.periods import Period, truncate
from quantext.texts.where import EVERYWHERE, Part, Where
from quantext.wording import counted

__all__ = [
    "JudgementColumns",
    "Judgements",
    "blank_batches",
    "make_judgements",
    "meant",
    "spelled_alike",
]


@dataclass(frozen=True)
class JudgementColumns:
    """Which columns hold what.

    Parameters
    ----------
    proxy
        What models say, a column for each.
    truth
        What people know.
    by, date
        Names of batches, or dates.
    strata, cluster
        What each document was drawn from, and is alike in.
    chance
        Probability with which it was drawn.
    date_format
        How dates are written; None: to be found out.
    where
        Which rows are meant.
    """

    proxy: tuple[str, ...]
    truth: str
    by: str | None = None
    date: str | None = None
    strata: str | None = None
    cluster: str | None = None
    chance: str | None = None
    date_format: str | None = None
    where: Where = EVERYWHERE

    def names(self, *without: str | None) -> list[str]:
        """All of them, each once, but for some."""
        several = (self.truth, self.by, self.date, self.strata, self.cluster, self.chance)
        named = dict.fromkeys((*self.proxy, *several, *self.where.columns))
        return [name for name in named if name is not None and name not in without]


@dataclass(frozen=True)
class Judgements:
    """What `quantext.correct` takes, from files; a value for each document.

    Parameters
    ----------
    proxy
        Texts or numbers, a column for each model.
    truth
        Texts, null where nobody looked.
    by, strata, clusters, chances
        As far as they are known.
    separator
        What stands between the labels of a document, if it may have several.
    notes
        What one should know of the reading, a sentence each.
    part
        Which rows are meant, if not all are; until `meant` has left the others out.
    """

    proxy: dict[str, pl.Series]
    truth: pl.Series
    by: pl.Series | None = None
    strata: pl.Series | None = None
    clusters: pl.Series | None = None
    chances: pl.Series | None = None
    separator: str | None = None
    notes: list[str] = field(default_factory=list)
    part: pl.Series | None = None


def make_judgements(
    table: Table,
    columns: JudgementColumns,
    truth: pl.Series,
    *,
    period: Period | None = None,
    separator: str | None = None,
    elsewhere: bool = False,
) -> Judgements:
    """The judgements of a table's rows.

    Parameters
    ----------
    table
        With all of the columns but, perhaps, those of truth and chance.
    columns
        Which columns hold what.
    truth
        As `truths_in` gives it.
    period
        What dates are truncated to.
    separator
        What stands between the labels of a document.
    elsewhere
        Rows with a known truth are in no batch, so their batch need not be known.
    """
    proxy = {name: answers_in(table, name, separator) for name in columns.proxy}
    in_batch = truth.is_null() if elsewhere else pl.repeat(True, len(truth), eager=True)
    needed = truth.is_not_null()
    listed = separator is not None or any(table.holds_lists(name) for name in columns.proxy)
    return Judgements(
        proxy,
        truth,
        by=_batches(table, columns, in_batch, period),
        strata=_groups(table, columns.strata, in_batch, "stratum"),
        clusters=_groups(table, columns.cluster, needed, "cluster"),
        separator=JOINED if listed or _has_lists(truth) else None,
        part=_part(table, columns.where),
    )


def _part(table: Table, where: Where) -> pl.Series | None:
    """Whether each row is meant."""
    if not where:
        return None
    part = Part(where)
    kept = part.mask(table.frame)
    part.check(str(table.source))
    return kept


def meant(judgements: Judgements, where: Where) -> Judgements:
    """The judgements of the rows that are meant alone.

    Rows that were drawn at random, or with known probabilities, from all are so among these too.

    Parameters
    ----------
    judgements
        Of all rows of a file, as other files may tell of them by their numbers.
    where
        Which rows ``part`` says are meant.
    """
    part = judgements.part
    if part is None:
        return judgements

    def kept(column: pl.Series | None) -> pl.Series | None:
        return None if column is None else column.filter(part)

    note = f"{int(part.sum()):,} of {len(part):,} rows are where {where}"
    return replace(
        judgements,
        proxy={name: own.filter(part) for name, own in judgements.proxy.items()},
        truth=judgements.truth.filter(part),
        by=kept(judgements.by),
        strata=kept(judgements.strata),
        clusters=kept(judgements.clusters),
        chances=kept(judgements.chances),
        notes=[note, *judgements.notes],
        part=None,
    )


def blank_batches(judgements: Judgements, by: str, *, elsewhere: bool) -> Judgements:
    """The same with a note on rows that name no batch.

    Parameters
    ----------
    judgements
        All of them.
    by
        Column of the batches.
    elsewhere
        Rows with a known truth are in no batch.
    """
    if judgements.by is None:
        return judgements
    blank = judgements.by == BLANK
    if elsewhere:
        blank &= judgements.truth.is_null()
    if not blank.any():
        return judgements
    rows = counted(int(blank.sum()), "row")
    note = f"{rows} blank in column {by!r}: they are the batch {BLANK!r}"
    return replace(judgements, notes=[*judgements.notes, note])


def spelled_alike(judgements: Judgements, *, merge: bool) -> Judgements:
    """The same with a note on labels that differ only in how they are written, or with them merged.

    A label is then called as the truths call it most often or, if none of them does, the models.

    Parameters
    ----------
    judgements
        All of them.
    merge
        Make one of such labels.
    """
    truths = label_counts(_lists(judgements.truth))
    columns = {name: own for name, own in judgements.proxy.items() if own.dtype == pl.String}
    said: dict[str, int] = {}
    for own in columns.values():
        for label, number in label_counts(_lists(own)).items():
            said[label] = said.get(label, 0) + number
    usual: dict[str, str] = {}
    for group in variants(dict.fromkeys((*truths, *said))):
        best = max(group, key=lambda label: (truths.get(label, 0), said.get(label, 0)))
        usual |= {label: best for label in group if label != best}
    if not usual:
        return judgements
    counts = {label: truths.get(label, 0) + said.get(label, 0) for label in (*truths, *said)}
    notes = [*judgements.notes, spelling_note(counts, usual, merged=merge)]
    if not merge:
        return replace(judgements, notes=notes)

    def merged(column: pl.Series) -> pl.Series:
        own = merged_labels(_lists(column), usual)
        return own.list.join(JOINED) + JOINED if own.dtype == pl.List else own

    return replace(
        judgements,
        proxy=judgements.proxy | {name: merged(own) for name, own in columns.items()},
        truth=merged(judgements.truth),
        notes=notes,
    )


def _lists(labels: pl.Series) -> pl.Series:
    """Lists where labels were joined to one text."""
    if not _has_lists(labels):
        return labels
    texts = labels.str.strip_suffix(JOINED)
    return texts.str.split(JOINED).list.eval(pl.element().filter(pl.element() != ""))


def _batches(
    table: Table, columns: JudgementColumns, in_batch: pl.Series, period: Period | None
) -> pl.Series | None:
    """Batch of each row; those in none get the name of one that is there."""
    name = columns.date or columns.by
    if name is None or not in_batch.any():
        return None
    rows, own = in_batch.arg_true() + 1, table[name].filter(in_batch)
    if written := columns.date_format or _date_format(table, columns):
        days = dates_in(own, rows, table.source, written)
        batches = truncate(days, period or "day").cast(pl.String)
    else:
        batches = named_batches(own, table.source)
    if in_batch.all():
        return batches
    anyone = pl.repeat(batches[0], len(table), eager=True)
    return anyone.scatter(in_batch.arg_true(), batches)


def _date_format(table: Table, columns: JudgementColumns) -> str | None:
    """Format of the dates, if batches are dates."""
    if columns.date is not None:
        part = (table.source, 0, table[columns.date])
        return find_format(part, lambda: [part], asked=True) or ISO
    assert columns.by is not None
    part = (table.source, 0, table[columns.by])
    return unasked_format(part, lambda: [part])


def _groups(table: Table, name: str | None, needed: pl.Series, what: str) -> pl.Series | None:
    """Strata or clusters as texts, of which none that is needed may be blank."""
    if name is None:
        return None
    if table[name].dtype.is_nested():
        raise ValueError(f"{table.where(name)} holds {table[name].dtype}, not names")
    names = stripped(table[name])
    blank = names.is_null() & needed
    if blank.any():
        row = blank.arg_true()[0]
        raise ValueError(
            f"{table.where(name, row)} is blank, so it names no {what}; fill it in, or leave that "
            "row out"
        )
    return names


def _has_lists(truth: pl.Series) -> bool:
    return truth.dtype == pl.String and bool(truth.str.contains(JOINED, literal=True).any())
