"""The difference of two bags: which classes rose, which fell, and how sure that is."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from quantext.reports.listing import html_table, percent, points, signed_points
from quantext.wording import fit_width

__all__ = ["Difference"]


@dataclass(frozen=True, eq=False, repr=False)
class Difference:
    """Shares of two bags beside each other, and what they differ by.

    Parameters
    ----------
    first, second
        Names of the bags.
    table
        A row for each class: ``class``, ``first`` and ``second`` (shares), ``difference`` (second
        less first), ``low`` and ``high`` (bounds of the difference; null without intervals).
    level
        Of the intervals; None if there are none.
    called
        What people call the bags, if it is not by their names.
    """

    first: Any
    second: Any
    table: pl.DataFrame
    level: float | None
    called: tuple[str, str] | None = None

    def to_frame(self) -> pl.DataFrame:
        """The table."""
        return self.table

    @property
    def _names(self) -> tuple[str, str]:
        return self.called or (str(self.first), str(self.second))

    @property
    def sentences(self) -> list[str]:
        """What can be said of each class, the largest differences first."""
        order = self.table.sort(pl.col("difference").abs(), descending=True, maintain_order=True)
        return [self._sentence(row) for row in order.iter_rows(named=True)]

    def _sentence(self, row: dict[str, Any]) -> str:
        first, second = self._names
        shares = f"from {percent(row['first'])} in {first} to {percent(row['second'])} in {second}"
        name, difference = row["class"], row["difference"]
        rose = "rose" if difference > 0 else "fell"
        if row["low"] is None:
            if points(difference) == "0.0":
                return f"“{name}” did not change, {shares}."
            return f"“{name}” {rose} by {points(abs(difference))} points, {shares}."
        low, high = row["low"], row["high"]
        if not low <= difference <= high:
            return (
                f"“{name}”: the estimates differ by {signed_points(difference)} points, {shares}, "
                f"but this method's estimates are off; by their intervals the difference is "
                f"{signed_points(low)} to {signed_points(high)} points."
            )
        if low > 0 or high < 0:
            least, most = sorted((abs(low), abs(high)))
            return (
                f"“{name}” {'rose' if low > 0 else 'fell'} by {points(abs(difference))} points "
                f"({points(least)} to {points(most)}), {shares}."
            )
        return (
            f"“{name}” may not have changed: {signed_points(difference)} points "
            f"({signed_points(low)} to {signed_points(high)}), {shares}."
        )

    def lines(self, top: int | None = None) -> Iterator[str]:
        """The table for a terminal, the largest differences first, and a sentence on top of it.

        Parameters
        ----------
        top
            Classes that are shown; None for all.
        """
        yield self.sentences[0]
        first, second = (fit_width(name, 12).rstrip() for name in self._names)
        bounds = "" if self.level is None else f"  {f'{100 * self.level:g}% interval':>16}"
        yield f"  {'class':24} {first:>12} {second:>12}  {'points':>7}{bounds}"
        ordered = self.table.sort(pl.col("difference").abs(), descending=True, maintain_order=True)
        for row in ordered.head(top or len(ordered)).iter_rows(named=True):
            line = f"  {fit_width(row['class'], 24)} {percent(row['first']):>12} "
            line += f"{percent(row['second']):>12}  {signed_points(row['difference']):>7}"
            if row["low"] is not None:
                interval = f"{signed_points(row['low'])} to {signed_points(row['high'])}"
                line += f"  {interval:>16}"
            yield line
        if top is not None and len(ordered) > top:
            yield f"  ... and {len(ordered) - top:,} classes that differ by less"

    def __repr__(self) -> str:
        return "\n".join(self.lines(top=20))

    def _repr_html_(self) -> str:
        head = ["class", *self._names, "points"]
        head += [] if self.level is None else [f"{100 * self.level:g}% interval"]
        ordered = self.table.sort(pl.col("difference").abs(), descending=True, maintain_order=True)
        rows = []
        for row in ordered.head(20).iter_rows(named=True):
            cells = [percent(row["first"]), percent(row["second"])]
            cells.append(signed_points(row["difference"]))
            if row["low"] is not None:
                cells.append(f"{signed_points(row['low'])} to {signed_points(row['high'])}")
            rows.append([row["class"], *((cell,) for cell in cells)])
        return html_table(head, rows, self.sentences[:1])
