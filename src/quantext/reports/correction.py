"""What qx.correct gives: corrected shares to hold in the hand."""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from quantext.models.correction import Corrected
from quantext.reports.listing import percent

__all__ = ["Correction"]


@dataclass(frozen=True, eq=False, repr=False)
class Correction:
    """Shares of each class in every batch, by each way to find them, and the one to use.

    `correct` makes it.

    Parameters
    ----------
    corrected
        What was found.
    data
        Where the documents are from.
    """

    corrected: Corrected
    data: str = ""

    def to_frame(self) -> pl.DataFrame:
        """A row for each batch and class; what ``quantext correct --out`` writes.

        Columns: ``batch``, ``class``, ``raw``, ``gold``, ``ppi``, ``misclassification``, ``share``
        (the one to use), ``low``, ``high``, ``used``, ``weight``, ``correlation``, ``n_gold`` and
        ``size``.
        """
        return self.corrected.table

    @property
    def notes(self) -> list[str]:
        """What one should know, a sentence each."""
        return list(self.corrected.notes)

    def lines(self) -> Iterator[str]:
        """The table for a terminal."""
        for row in self.to_frame().iter_rows(named=True):
            bounds = f"{percent(row['low'])} to {percent(row['high'])}"
            yield f"{row['batch']}  {row['class']}  {percent(row['share'])}  {bounds}"

    def __repr__(self) -> str:
        return "\n".join(self.lines())
