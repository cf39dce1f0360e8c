"""Shapes: what a column may hold, by its values alone, whatever it is called."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import polars as pl

from quantext.texts.dates import DOUBTFUL
from quantext.texts.tallies import Tally

__all__ = ["Shape", "part_counts", "shape_of"]

Kind = Literal[
    "blank",
    "constant",
    "date",
    "link",
    "number",
    "category",
    "group",
    "id",
    "text",
    "short",
    "nested",
]

_SEPARATORS = ("\n", ";", "|", ",", "/")
_MOST_LABELS = 1000
_FEW_NUMBERS = 11  # values of a scale: 0 to 10
_LONGEST_LABEL = 60  # characters, on average
_REPEATED = 0.8  # share of rows whose value comes again in others: what makes it a category
_RECOMBINED = 0.7  # share of several labels in a cell that are also found in other company
_SEVERAL = 0.01  # share of rows with several labels, at least


@dataclass(frozen=True)
class Shape:
    """What a column looks like.

    Parameters
    ----------
    tally
        What was counted.
    kind
        What it may hold; ``short`` are texts of a word or two, or names, and a ``group`` has values
        that come again and again but are too long for labels.
    distinct
        Number of distinct values.
    labels
        If it may hold labels: each, and how many rows have it.
    separator
        What stands between several labels of a cell; None if there is one, or if they are lists.
    several
        Rows with more than one label.
    """

    tally: Tally
    kind: Kind
    distinct: int
    labels: pl.DataFrame | None = None
    separator: str | None = None
    several: int = 0

    @property
    def name(self) -> str:
        """Of the column."""
        return self.tally.name

    @property
    def numeric(self) -> bool:
        """Whether nearly all values are numbers."""
        return self.tally.numbers >= 0.95 * self.tally.filled > 0

    @property
    def mean_words(self) -> float:
        """Of the cells that are not blank."""
        return self.tally.words / max(1, self.tally.filled)

    @property
    def in_runs(self) -> bool:
        """Whether equal values follow each other much more often than by chance."""
        table = self.tally.values.table()
        if table is None or self.tally.filled < 20:
            return False
        by_chance = 1 - float(((table["n"] / self.tally.filled) ** 2).sum())
        return self.tally.changes < 0.5 * by_chance * self.tally.filled


def shape_of(tally: Tally) -> Shape:
    """What a column looks like."""
    n = tally.distinct.estimate(tally.filled)
    if tally.nested:
        return Shape(tally, "nested", n)
    if not tally.filled:
        return Shape(tally, "blank", 0)
    values = tally.values.table()
    if tally.lists:
        many = values is None or not 0 < len(values) <= _MOST_LABELS
        return Shape(tally, "nested" if many else "category", n, values, None, tally.several)
    if n == 1:
        return Shape(tally, "constant", n, values)
    if tally.links >= 0.9 * tally.filled:
        return Shape(tally, "link", n)
    if set(tally.days or ()) - DOUBTFUL and tally.numbers < tally.filled:
        return Shape(tally, "date", n)
    if tally.numbers >= 0.95 * tally.filled:
        return _numbers(tally, n, values)
    if values is not None:
        if (found := _separated(values, tally.filled)) is not None:
            separator, labels, several = found
            return Shape(tally, "category", n, labels, separator, several)
        if _are_labels(values, tally.filled):
            short = tally.characters <= _LONGEST_LABEL * tally.filled
            return Shape(tally, "category" if short else "group", n, values)
    return Shape(tally, _words(tally, n), n)


def _numbers(tally: Tally, n: int, values: pl.DataFrame | None) -> Shape:
    """Numbers: a scale, classes that have numbers for names, identities or quantities."""
    whole = tally.halves == tally.numbers
    if whole and values is not None and n <= _MOST_LABELS and _are_labels(values, tally.filled):
        scale = n <= _FEW_NUMBERS and -_FEW_NUMBERS < tally.low <= tally.high <= _FEW_NUMBERS
        return Shape(tally, "category" if scale else "number", n, values)
    is_id = whole and n == tally.filled == tally.numbers > 2 and tally.low >= 0
    return Shape(tally, "id" if is_id else "number", n)


def _words(tally: Tally, n: int) -> Kind:
    """Texts, names and identities."""
    words, characters = tally.words / tally.filled, tally.characters / tally.filled
    # Some scripts have no blanks between words.
    unspaced = characters > 12 * words and _share(tally.sample, _unspaced) > 0.5
    if words >= 3 or unspaced:
        return "text"
    identities = _share(tally.sample, lambda text: any(map(str.isdecimal, text)))
    if n > 0.95 * tally.filled and words < 1.2 and identities > 0.8:
        return "id"
    return "short"


def _unspaced(text: str) -> bool:
    return any("\u0e00" <= letter <= "\u0eff" or "\u3040" <= letter <= "\u9fff" for letter in text)


def _share(sample: list[str], holds: Callable[[str], bool]) -> float:
    return sum(map(holds, sample)) / max(1, len(sample))


def _are_labels(values: pl.DataFrame, n_rows: int) -> bool:
    """Whether there are few values, and nearly every row has one that others have too."""
    n = len(values)
    often = 3 if n_rows >= 30 else 2
    repeated = int(values.filter(pl.col("n") >= often)["n"].sum())
    return 2 <= n <= min(_MOST_LABELS, n_rows / 2) and repeated >= _REPEATED * n_rows


def part_counts(values: pl.DataFrame, separator: str) -> pl.DataFrame:
    """Each label once a cell: how many rows have it, and how many distinct cells.

    Parameters
    ----------
    values
        Cells, ``value``, and how many rows have each, ``n``.
    separator
        What stands between labels.

    Examples
    --------
    >>> part_counts(pl.DataFrame({"value": ["a; b", "a"], "n": [2, 5]}), ";").rows()
    [('a', 7, 2), ('b', 2, 1)]
    """
    part = pl.element().str.strip_chars()
    parts = pl.col("value").str.split(separator).list.eval(part.filter(part != "").unique())
    counts = values.with_columns(parts).explode("value").drop_nulls().group_by("value")
    table = counts.agg(pl.col("n").sum(), pl.len().alias("cells"))
    return table.sort(["n", "value"], descending=[True, False])


def _separated(values: pl.DataFrame, n_rows: int) -> tuple[str, pl.DataFrame, int] | None:
    """Separator of several labels, the labels and in how many rows there are several."""
    for separator in _SEPARATORS:
        several = values.filter(pl.col("value").str.contains(separator, literal=True))
        n_several = int(several["n"].sum())
        if n_several < max(2, _SEVERAL * n_rows):
            continue
        parts = part_counts(values, separator)
        characters = int((parts["value"].str.len_chars() * parts["n"]).sum())
        too_long = characters > _LONGEST_LABEL / 2 * int(parts["n"].sum())
        if len(parts) > _MOST_LABELS or too_long:
            continue
        # "Food, drink" is one label: its parts are always found together.
        within = part_counts(several, separator).join(parts, on="value", suffix="_all")
        free = within.filter(pl.col("cells_all") > 1)
        recombined = int(free["n"].sum()) >= _RECOMBINED * int(within["n"].sum())
        if recombined and _are_labels(parts.select("value", "n"), int(parts["n"].sum())):
            return separator, parts.select("value", "n"), n_several
    return None
