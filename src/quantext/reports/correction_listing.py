"""Corrections in words: lines of a terminal, and sentences on what changed and how."""

import datetime
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from quantext.models.correction import Corrected
from quantext.reports.batches import batch_name
from quantext.reports.listing import WIDTH, percent, shown_bags, wrapped
from quantext.wording import bar, counted, fit_width

__all__ = [
    "DESIGNS",
    "WAYS",
    "as_people_read",
    "change_sentence",
    "correction_lines",
    "plain_sentence",
    "reason_sentence",
]

WAYS = {
    "ppi": "prediction-powered",
    "gold": "the known truths alone",
    "misclassification": "by how classes are mistaken",
    "adaptive": "by the model's scores",
}
DESIGNS = {
    "srs": "drawn at random from these documents",
    "probabilities": "drawn from these documents with known probabilities",
    "elsewhere": "from elsewhere, not from these documents",
}


def as_people_read(corrected: Corrected, period: str | None) -> Corrected:
    """The same with batches that are months or years named so, in notes too.

    Parameters
    ----------
    corrected
        What was found.
    period
        What each batch, an ISO day, is the first day of; None if batches are no dates.
    """
    if period not in ("month", "year"):
        return corrected
    days = corrected.table["batch"].unique(maintain_order=True)
    names = {day: batch_name(datetime.date.fromisoformat(day), period) for day in days}
    notes = list(corrected.notes)
    for day, name in names.items():
        notes = [note.replace(day, name) for note in notes]
    table = corrected.table.with_columns(pl.col("batch").replace_strict(names))
    return replace(corrected, table=table, notes=tuple(notes))


def correction_lines(
    corrected: Corrected, *, top: int = 10, most_bags: int | None = None
) -> Iterator[str]:
    """The corrected shares as a table of 80 columns, with why they were found that way.

    Parameters
    ----------
    corrected
        What was found.
    top
        Classes of each bag, the largest.
    most_bags
        Bags that are shown: the first and the last ones; None for all.
    """
    table = corrected.table.with_columns(corrected.effective, corrected.why)
    head = f"  {'class':28} {'share':>6}  {f'{100 * corrected.level:g}% interval':>13}"
    head += f"  {'raw':>6}  {'gold':>6}"
    room = WIDTH - len(head) - 2
    largest = max(*table["share"].fill_null(0), 1e-9)
    yield head
    for bag in shown_bags(table.partition_by("batch", maintain_order=True), most_bags):
        if isinstance(bag, int):
            yield f"... {counted(bag, 'batch', 'batches')} more; to_frame() has all of them ..."
            continue
        ordered = _ordered(bag)
        yield f"{bag['batch'][0]} ({_counts(ordered.row(0, named=True), corrected.design)})"
        for row in ordered.head(top).iter_rows(named=True):
            share = row["share"]
            bounds = "–" if share is None else f"{100 * row['low']:.1f} – {100 * row['high']:.1f}"
            line = f"  {fit_width(row['class'], 28)} {percent(share):>6}  {bounds:>13}"
            line += f"  {percent(row['raw']):>6}  {percent(row['gold']):>6}"
            yield f"{line}  {bar((share or 0) / largest, room)}".rstrip()
        if len(bag) > top:
            rest = ordered["share"].fill_null(0)[top]
            yield f"  ... and {len(bag) - top:,} classes of up to {100 * rest:.1f}%"
        yield from wrapped(reason_sentence(ordered), "  ")
    yield from wrapped(_legend(corrected), "")


def change_sentence(bag: pl.DataFrame) -> str:
    """What the correction changed most, in a sentence.

    Parameters
    ----------
    bag
        Rows of a bag.

    Examples
    --------
    >>> change_sentence(pl.DataFrame({"class": ["no"], "raw": [0.438], "share": [0.356],
    ...                               "low": [0.319], "high": [0.394]}))
    'The model says 43.8% “no”; corrected it is 35.6%, between 31.9% and 39.4%.'
    """
    found = bag.drop_nulls("share")
    if not len(found):
        return "Too few truths are known to say anything."
    said = found.drop_nulls("raw")
    moved = said.sort((pl.col("share") - pl.col("raw")).abs(), descending=True, maintain_order=True)
    row = (moved if len(moved) else _ordered(found)).row(0, named=True)
    between = f"between {percent(row['low'])} and {percent(row['high'])}"
    if row["raw"] is None:
        return f"“{row['class']}” has a share of {percent(row['share'])}, {between}."
    said_so, is_so = percent(row["raw"]), percent(row["share"])
    if said_so == is_so:
        return f"The model says {said_so} “{row['class']}”, and so it is: {between}."
    return f"The model says {said_so} “{row['class']}”; corrected it is {is_so}, {between}."


def plain_sentence(bag: pl.DataFrame) -> str:
    """What the shares of a bag rest on, without a term that the table explains.

    Parameters
    ----------
    bag
        Rows of a bag, with columns ``why`` and ``effective``.
    """
    row = _ordered(bag).row(0, named=True)
    if row["used"] != "ppi" or row["effective"] is None or row["effective"] <= row["n_gold"]:
        return reason_sentence(bag)
    return (
        f"What the model says of all documents and {counted(row['n_gold'], 'known truth')} tell as "
        f"much of “{row['class']}” as {row['effective']:,.0f} known truths would alone."
    )


def reason_sentence(bag: pl.DataFrame) -> str:
    """Which way the shares of a bag were found, and why, of its largest class.

    Parameters
    ----------
    bag
        Rows of a bag, with a column ``why``.
    """
    row = _ordered(bag).row(0, named=True)
    if row["used"] is None:
        return f"Nothing is said: {row['why']}."
    weight = f" (λ {row['weight']:.2f})" if row["used"] == "ppi" else ""
    of = f"for “{row['class']}” " if len(set(bag["why"])) > 1 else ""
    way = f"{WAYS[row['used']]}{weight}: " if row["used"] in ("ppi", "gold") else ""
    said = f"{way}{of}{row['why']}."
    return f"{said[0].upper()}{said[1:]}"


def _ordered(bag: pl.DataFrame) -> pl.DataFrame:
    """Classes from the largest to the smallest, those of which nothing is known at the end."""
    return bag.sort("share", descending=True, nulls_last=True, maintain_order=True)


def _counts(row: dict[str, Any], design: str) -> str:
    """How many documents a bag has, and how many truths there are."""
    documents = counted(row["size"], "document")
    if design == "elsewhere":
        return f"{documents}; {counted(row['n_gold'], 'known truth')} from elsewhere"
    return f"{documents}, {row['n_gold']:,} of them with a known truth"


def _legend(corrected: Corrected) -> str:
    of = "each batch" if corrected.table["batch"].n_unique() > 1 else "these rows"
    if corrected.target == "population":
        of = "what these rows were drawn from"
    gold = "gold: from the known truths alone."
    if corrected.table["raw"].is_null().all():
        return f"Shares in {of}; {gold}"
    return f"Shares in {of}; raw: as the model says; {gold}"
