"""What a look at a table sees: its columns, texts, labels and dates, and what is odd, as data."""

from dataclasses import dataclass
from datetime import date

from quantext.texts.guesses import Guesses
from quantext.texts.odd_rows import TotalRow
from quantext.texts.tallies import Places

__all__ = ["Column", "Dates", "Labels", "Look", "Texts"]


@dataclass(frozen=True)
class Column:
    """A column.

    Parameters
    ----------
    name
        As in the header.
    kind
        What it seems to hold, see `guesses.Guesses`.
    filled
        Rows in which it is not blank.
    distinct
        Number of distinct values.
    exact
        Whether that is a count and no estimate.
    example
        The first value.
    """

    name: str
    kind: str
    filled: int
    distinct: int
    exact: bool
    example: str | None


@dataclass(frozen=True)
class Texts:
    """What there is to say of a column of texts.

    Parameters
    ----------
    name
        Of the column.
    documents
        How many there are.
    words
        On average.
    language
        By the name of its stemmer, if it is known.
    repeated, repeated_plainly
        Documents that repeat another one, to the letter or but for case and blanks.
    exact
        Whether these are counts and no estimates.
    wordless
        Rows whose text has no letter.
    long, usual
        How many are very long, and the usual length, in characters.
    longest
        Characters and row of the longest.
    emoji
        Whether most have one.
    """

    name: str
    documents: int
    words: float
    language: str | None
    repeated: int
    repeated_plainly: int
    exact: bool
    wordless: Places
    long: int
    usual: int
    longest: tuple[int, int]
    emoji: bool = False


@dataclass(frozen=True)
class Labels:
    """What there is to say of a column of labels.

    Parameters
    ----------
    name
        Of the column.
    counts
        Each label, and how many rows have it; the most frequent first. None if there are too many.
    rows
        Rows that have a label, or a list of them.
    several
        Rows with more than one.
    separator
        What stands between them, unless they are lists.
    variants
        Labels that are likely one, written in different ways.
    few
        Labels with fewer than `FEW` rows.
    mixed
        They are lists in one file and single ones in another.
    """

    name: str
    counts: tuple[tuple[str, int], ...] | None
    rows: int
    several: int
    separator: str | None
    variants: tuple[tuple[str, ...], ...]
    few: tuple[str, ...]
    mixed: bool


@dataclass(frozen=True)
class Dates:
    """First and last day of a column of dates, and how they are written; if in doubt, two ways."""

    name: str
    first: date
    last: date
    formats: tuple[str, ...]


@dataclass(frozen=True)
class Look:
    """What is in a table.

    Parameters
    ----------
    files
        Each file, and how many rows it has. Rows are counted on from one to the next.
    rows
        How many there are in all.
    columns
        All of them, in their order.
    guesses
        What they are for.
    texts, labels, dates
        What there is to say of those that were guessed or named.
    empty, headers
        Rows that are blank throughout, and rows that repeat the header, or are a second one, and
        are no documents.
    replaced, garbled
        By column: rows with characters that were lost (U+FFFD), and rows with those of UTF-8 that
        was read as another encoding.
    indicators
        Columns that say 0 or 1, as those do that have one label each, if there are several.
    total
        The last row, if it sums up the others.
    first
        Cells of the first rows, as texts.
    """

    files: tuple[tuple[str, int], ...]
    rows: int
    columns: tuple[Column, ...]
    guesses: Guesses
    texts: tuple[Texts, ...]
    labels: Labels | None
    dates: Dates | None
    empty: Places
    headers: Places
    replaced: dict[str, Places]
    garbled: dict[str, Places]
    indicators: tuple[str, ...]
    total: TotalRow | None = None
    first: tuple[tuple[str | None, ...], ...] = ()

    @property
    def documents(self) -> int:
        """Rows that may be documents."""
        return self.rows - self.empty.count - self.headers.count

    def place(self, row: int) -> tuple[str, int]:
        """A row's file, and its number there."""
        before = 0
        for name, rows in self.files:
            if row <= before + rows:
                return name, row - before
            before += rows
        raise IndexError(f"there are {before} rows, and no row {row}")
