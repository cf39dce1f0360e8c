"""What qx.correct gives: corrected shares to hold in the hand."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from quantext import atomic
from quantext.models.correction import Corrected
from quantext.reports.correction_listing import as_people_read, correction_lines
from quantext.reports.listing import html_table, percent
from quantext.texts.paths import Source

__all__ = ["Correction"]

SHOWN = 20  # bags that are shown in a terminal or a notebook


@dataclass(frozen=True, eq=False, repr=False)
class Correction:
    """Shares of each class in every batch, by each way to find them, and the one to use.

    `correct` makes it.

    Parameters
    ----------
    corrected
        What was found.
    facts
        What else the page says at its end, such as where the documents are from: a name and a text
        each.
    period
        What dates that name batches are the first days of.
    together
        The same of all batches together, if there are several.
    """

    corrected: Corrected
    facts: Mapping[str, str] = field(default_factory=dict)
    period: str | None = None
    together: Corrected | None = None

    @property
    def shown(self) -> Corrected:
        """What was found, with batches named as people read them."""
        return as_people_read(self.corrected, self.period)

    def to_frame(self) -> pl.DataFrame:
        """A row for each batch and class; what ``quantext correct --out`` writes.

        Columns: ``batch``, ``class``, ``raw``, ``gold``, ``ppi``, ``misclassification``, ``share``
        (the one to use), ``low``, ``high``, ``used``, ``weight``, ``correlation``, ``n_gold`` and
        ``size``.
        """
        return self.corrected.table

    @property
    def why(self) -> pl.DataFrame:
        """A row for each batch and class: why that way was used, and what the truths are worth.

        Columns: ``batch``, ``class``, ``used``, ``why`` and ``effective``, how many known truths
        would tell as much without the model.
        """
        table = self.corrected.table.select("batch", "class", "used")
        return table.with_columns(
            self.corrected.why.alias("why"), self.corrected.effective.alias("effective")
        )

    @property
    def notes(self) -> list[str]:
        """What one should know, a sentence each."""
        return list(self.corrected.notes)

    def report(self, path: Source) -> None:
        """Write the page that ``quantext correct --report`` writes, in one HTML file.

        Parameters
        ----------
        path
            Of the file; what is there is replaced.
        """
        from quantext.reports.correction_page import correction_page  # jinja2 takes its time

        page = correction_page(
            self.corrected, self.facts, period=self.period, together=self.together
        )
        atomic.write(path, [page.encode()])

    def lines(self, top: int = 10, most_bags: int | None = None) -> Iterator[str]:
        """The table for a terminal.

        Parameters
        ----------
        top
            Classes of each batch, the largest.
        most_bags
            Batches that are shown: the first and the last ones; None for all.
        """
        return correction_lines(self.shown, top=top, most_bags=most_bags)

    def __repr__(self) -> str:
        return "\n".join(self.lines(most_bags=SHOWN))

    def _repr_html_(self) -> str:
        head = ["batch", "documents", "known truths", "class", "share"]
        head += [f"{100 * self.corrected.level:g}% interval", "raw", "gold", "used"]
        bags = self.shown.table.partition_by("batch", maintain_order=True)
        rows = []
        for bag in bags[-SHOWN:]:
            ordered = bag.sort("share", descending=True, nulls_last=True, maintain_order=True)
            for i, row in enumerate(ordered.head(10).iter_rows(named=True)):
                counts = [(f"{row['size']:,}",), (f"{row['n_gold']:,}",)]
                cells: list[Any] = ["", "", ""] if i else [row["batch"], *counts]
                cells += [row["class"], (percent(row["share"]),)]
                cells.append((f"{percent(row['low'])} – {percent(row['high'])}",))
                cells += [(percent(row["raw"]),), (percent(row["gold"]),), row["used"] or "–"]
                rows.append(cells)
        notes = self.notes
        if len(bags) > SHOWN:
            notes.append(f"The last {SHOWN} of {len(bags):,} batches; to_frame() has all.")
        return html_table(head, rows, notes)
