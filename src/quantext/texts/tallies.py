"""Tallies: what is counted of a column, block by block, in bounded memory."""

from dataclasses import dataclass, field
from datetime import date

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.texts.date_forms import FORMS
from quantext.texts.dates import date_formats, days_in, likely_formats
from quantext.texts.labels import stripped

__all__ = ["MOJIBAKE", "Distinct", "Places", "Tally", "Values", "plain"]

MOST_VALUES = 50_000  # of a column whose occurrences are counted, value by value
_HALVES = 8  # bins of lengths for each doubling
_BINS = 8 * 31
_SAMPLE = 2_000  # texts that are kept to tell their language
_SAMPLE_OF_BLOCK = 200
_CUT = 400  # characters of them
_VARIED = 0.2  # share of distinct values from which on a column may be one of texts

# The two or three characters that UTF-8 makes of one where it is read as cp1252 or Latin-1.
_TRAIL = "\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
MOJIBAKE = f"[Ã-Å][{_TRAIL}]|Â[\u0080-\u00bf]|â[€‚„\u0080-\u0084][{_TRAIL}]"
_LINK = r"(?i)^(https?://|www\.)\S+$"
_NESTED = (pl.Struct, pl.Object, pl.Binary)


class Distinct:
    """How many values are distinct, exact up to a bound and estimated beyond it.

    Beyond it only values whose hash is small are followed: their share of all values is known, and
    they are a fair sample of them (adaptive sampling; Flajolet 1990).

    Parameters
    ----------
    most
        Values that are followed.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._highest = 2**64 - 1
        self._n_waiting = 0
        self._tables: list[pl.DataFrame] = []

    def add(self, values: pl.Series) -> None:
        """Count values, none of which is null."""
        hashes = values.hash().alias("hash")
        if not self.exact:
            hashes = hashes.filter(hashes <= self._highest)
        counts = hashes.value_counts(name="n")
        self._tables.append(counts.cast({"n": pl.UInt64}))
        self._n_waiting += len(counts)
        if self._n_waiting > 2 * self.most:
            self._settle()

    @property
    def exact(self) -> bool:
        """Whether all values were followed."""
        return self._highest == 2**64 - 1

    def estimate(self, rows: int) -> int:
        """Number of distinct values among so many that were added."""
        table = self._settle()
        followed = int(table["n"].sum())
        if self.exact or not followed:
            return len(table)
        # By rows and not by hashes: it is exact where no value comes twice.
        return round(rows * len(table) / followed)

    def _settle(self) -> pl.DataFrame:
        if not self._tables:
            return pl.DataFrame(schema={"hash": pl.UInt64, "n": pl.UInt64})
        table = self._tables[0]
        if len(self._tables) > 1:
            table = pl.concat(self._tables).group_by("hash").agg(pl.col("n").sum())
        while len(table) > self.most:
            self._highest >>= 1
            table = table.filter(pl.col("hash") <= self._highest)
        self._tables, self._n_waiting = [table], len(table)
        return table


class Values:
    """How often each value occurs, as long as there are not too many of them."""

    def __init__(self, most: int = MOST_VALUES) -> None:
        self.most = most
        self._tables: list[pl.DataFrame] | None = []
        self._sorted: pl.DataFrame | None = None

    def add(self, values: pl.Series) -> None:
        """Count values, none of which is null."""
        if self._tables is None:
            return
        self._sorted = None
        counts = values.alias("value").value_counts(name="n").cast({"n": pl.UInt64})
        self._tables.append(counts)
        if sum(map(len, self._tables)) > self.most:
            self._settle()

    def table(self) -> pl.DataFrame | None:
        """Columns ``value`` and ``n``, the most frequent first; None if there are too many."""
        if self._sorted is None:
            self._settle()
            if self._tables is not None:
                self._sorted = self._tables[0].sort(["n", "value"], descending=[True, False])
        return self._sorted

    def _settle(self) -> None:
        if self._tables is None:
            return
        empty = pl.DataFrame(schema={"value": pl.String, "n": pl.UInt64})
        whole = pl.concat([empty, *self._tables]).group_by("value").agg(pl.col("n").sum())
        self._tables = None if len(whole) > self.most else [whole]


@dataclass
class Places:
    """Rows in which something was found: how many, and the first of them, counted from 1."""

    count: int = 0
    first: list[int] = field(default_factory=list)

    def add(self, found: pl.Series, before: int) -> None:
        """Count rows of a block that has so many before it."""
        if n := int(found.sum()):
            self.count += n
            more = found.arg_true().head(3 - len(self.first))
            self.first += [before + int(row) + 1 for row in more]


def plain(texts: pl.Series) -> pl.Series:
    """Texts without what differs between copies of the same: case and blanks."""
    return texts.str.to_lowercase().str.replace_all(r"\s+", " ")


class Tally:
    """What is counted of one column.

    Parameters
    ----------
    name
        Of the column.
    followed
        Distinct values that are followed, at most.
    is_text
        Whether its texts are compared and sampled, whatever they look like.
    """

    def __init__(self, name: str, followed: int, is_text: bool) -> None:
        self.name, self.is_text = name, is_text
        self.rows = self.filled = 0
        self.lists = self.single = self.nested = False  # single: values that are no lists
        self.several = 0  # lists with more than one item
        self.distinct, self.plain_distinct = Distinct(followed), Distinct(followed)
        self.values = Values()
        self.example: str | None = None
        self.characters = self.words = self.changes = 0
        self.longest = (0, 0)  # characters, row
        self.lengths: NDArray[np.int64] = np.zeros(_BINS, np.int64)
        self.numbers = self.halves = self.links = 0
        self.low, self.high = np.inf, -np.inf
        self.days: dict[str, tuple[date, date]] | None = None  # first and last, by format
        self.replaced, self.garbled, self.wordless = Places(), Places(), Places()
        self.sample: list[str] = []
        self._last: str | None = None

    def add(self, column: pl.Series) -> pl.Series:
        """Count a block; whether each of its cells is blank comes back."""
        before, self.rows = self.rows, self.rows + len(column)
        if isinstance(column.dtype, pl.Array):
            column = column.arr.to_list()
        inner = column.dtype.inner if isinstance(column.dtype, pl.List) else column.dtype
        if inner in _NESTED or inner in (pl.List, pl.Array):
            self.nested = True
            self.filled += len(column) - column.null_count()
            return column.is_null()
        if column.dtype == pl.List:
            return self._add_lists(column)
        cells = stripped(column)
        given = cells.drop_nulls()
        self.single |= len(given) > 0
        if not self.filled and len(given):
            self.is_text |= _may_be_texts(given)
        self._add_dates(column.filter(cells.is_not_null()))
        self._add_numbers(given)
        self._add_cells(given)
        self._add_texts(cells, given, before)
        return cells.is_null()

    def _add_lists(self, column: pl.Series) -> pl.Series:
        """Lists of labels: an empty one says that there is none, and is no blank."""
        self.lists = True
        texts = column.drop_nulls().cast(pl.List(pl.String))
        sizes = texts.list.len()
        self.filled += len(texts)
        self.several += int((sizes > 1).sum())
        joined = texts.list.join(", ", ignore_nulls=True)
        self.distinct.add(joined)
        self.values.add(texts.filter(sizes > 0).explode().drop_nulls().str.strip_chars())
        if self.example is None and len(examples := joined.filter(sizes > 0)):
            self.example = str(examples[0])
        return column.is_null()

    def _add_cells(self, given: pl.Series) -> None:
        if not len(given):
            return
        if self.example is None:
            self.example = str(given[0])
        self.changes += int((given != given.shift(fill_value=self._last)).sum())
        self._last = str(given[-1])
        self.distinct.add(given)
        self.values.add(given)
        if self.links >= 0.5 * self.filled:
            self.links += int(given.str.contains(_LINK).sum())
        self.filled += len(given)

    def _add_dates(self, given: pl.Series) -> None:
        """Dates, as long as all are."""
        if not len(given) or self.days == {}:
            return
        before = self.days or {}
        self.days = {}
        for name in date_formats(given, tuple(before) or FORMS):
            days = days_in(given, name)
            assert days is not None
            ends = [*before.get(name, ()), days.min(), days.max()]
            whole = [day for day in ends if isinstance(day, date)]
            self.days[name] = (min(whole), max(whole))
        self.days = {name: self.days[name] for name in likely_formats(self.days)}

    def _add_numbers(self, given: pl.Series) -> None:
        """Numbers, as long as most are."""
        if self.numbers < 0.5 * self.filled:
            return
        # A decimal comma is one too, and so are percentages.
        plain = given.str.replace(r"\s?%$", "").str.replace(",", ".", literal=True)
        numbers = plain.cast(pl.Float64, strict=False)
        finite = numbers.filter(numbers.is_finite().fill_null(False))
        if len(finite):
            self.numbers += len(finite)
            self.halves += int((finite * 2 == (finite * 2).round()).sum())
            values = finite.to_numpy()
            self.low, self.high = min(self.low, values.min()), max(self.high, values.max())

    def _add_texts(self, cells: pl.Series, given: pl.Series, before: int) -> None:
        sizes = given.str.len_chars()
        self.characters += int(sizes.sum())
        self.words += int(given.str.count_matches(" ", literal=True).sum()) + len(given)
        self.replaced.add(cells.str.contains("\ufffd", literal=True).fill_null(False), before)
        self.garbled.add(cells.str.contains(MOJIBAKE).fill_null(False), before)
        if not self.is_text or not len(given):
            return
        bins = np.minimum(_HALVES * np.log2(sizes.to_numpy()), _BINS - 1).astype(np.int64)
        self.lengths += np.bincount(bins, minlength=_BINS)
        whole = cells.str.len_chars()
        row = whole.arg_max()
        if row is not None and whole[row] > self.longest[0]:
            self.longest = (int(whole[row]), before + row + 1)
        self.wordless.add(~cells.str.contains(r"\p{L}").fill_null(True), before)
        self.plain_distinct.add(plain(given))
        if len(self.sample) < _SAMPLE:
            chosen = given.gather_every(max(1, len(given) // _SAMPLE_OF_BLOCK))
            room = min(_SAMPLE_OF_BLOCK, _SAMPLE - len(self.sample))
            self.sample += chosen.head(room).str.slice(0, _CUT).to_list()

    def longer_than(self, characters: float) -> int:
        """About how many texts have more characters, to some 9% of their length."""
        return int(self.lengths[int(np.ceil(_HALVES * np.log2(characters))) :].sum())

    def median_length(self) -> float:
        """About how many characters half of the texts have at most."""
        total = np.cumsum(self.lengths)
        return float(2 ** ((np.searchsorted(total, total[-1] / 2) + 0.5) / _HALVES))


def _may_be_texts(given: pl.Series) -> bool:
    """Whether cells differ as texts do, and are not all made of digits."""
    varied = given.n_unique() > _VARIED * len(given)
    return varied and int(given.str.contains(r"\p{L}").sum()) > 0.2 * len(given)
