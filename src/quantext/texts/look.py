"""A look at a table: files in, what their columns are for and what is odd in them out."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from quantext.progress import Progress, silent
from quantext.texts.encoding import DAMAGE, called
from quantext.texts.formats import USUAL, Opening, blocks, check_columns
from quantext.texts.guesses import Guesses, guess
from quantext.texts.labels import variants
from quantext.texts.language import language_of, most_have_emoji
from quantext.texts.odd_rows import Total, block_has_second_header
from quantext.texts.paths import Source, find_files
from quantext.texts.seen import Column, Dates, Labels, Look, Texts
from quantext.texts.shapes import Shape, shape_of
from quantext.texts.tallies import Places, Tally

__all__ = ["FEW", "look"]

FEW = 10  # documents of a label that are too few to learn from
_FOLLOWED = 1 << 22  # distinct values that are followed, in all columns together
_LEAST_FOLLOWED = 1 << 12
_LONG = 20  # times the usual length, and at least so many characters:
_LEAST_LONG = 2_000
_ZERO_AND_ONE = ({"0", "1"}, {"0.0", "1.0"}, {"false", "true"})
_FEWEST_INDICATORS = 3
_SHOWN = 5  # first rows
_WIDEST = 1000  # columns, each of which takes some milliseconds


def look(
    paths: Source | Sequence[Source],
    *,
    text: Sequence[str] = (),
    label: str | None = None,
    opening: Opening = USUAL,
    progress: Progress = silent,
) -> Look:
    """What is in one or more files of the same columns, read once and block by block.

    Counts of distinct values are exact up to some millions in all, and estimates beyond; everything
    else is counted in all rows.

    Parameters
    ----------
    paths
        As in `read_corpus`; ``-`` is standard input.
    text, label
        Columns that are known to hold texts and labels; without, they are guessed.
    opening
        How files are opened.
    progress
        Is told how many rows have been read.
    """
    tallies: dict[str, Tally] = {}
    empty, headers, total = Places(), Places(), Total()
    rows = 0
    first: tuple[tuple[str | None, ...], ...] = ()
    sizes: list[tuple[str, int]] = []
    for source in map(Path, _files(paths)):
        before = rows
        file_begins = True
        try:
            for block in blocks(source, opening, [*tallies] or None):
                if not tallies:
                    if block.width > _WIDEST:
                        raise ValueError(
                            f"{called(source)} has {block.width:,} columns, and {_WIDEST:,} are "
                            "the most that can be looked at; leave some out, or train with the "
                            "names of those that hold the texts and the labels"
                        )
                    asked = [*text, *([label] if label else [])]
                    check_columns(asked, block.columns, called(source))
                    followed = max(_LEAST_FOLLOWED, _FOLLOWED // max(1, block.width))
                    tallies = {n: Tally(n, followed, n in text) for n in block.columns}
                second = file_begins and block_has_second_header(block)
                _add(block, tallies, empty, headers, rows, second)
                total.add(block, rows)
                first = first or _first_rows(block)
                file_begins = False
                rows += len(block)
                progress("rows read", rows, None)
        except DAMAGE as error:
            raise ValueError(f"{called(source)} cannot be read: {error}") from error
        sizes.append((str(called(source)), rows - before))
    shapes = {name: shape_of(tally) for name, tally in tallies.items()}
    guesses = guess([*shapes.values()], text=text, label=label)
    names = text or ([guesses.text] if guesses.text else [])
    return Look(
        tuple(sizes),
        rows,
        tuple(_column(shape, guesses) for shape in shapes.values()),
        guesses,
        tuple(_texts(shapes[name]) for name in names),
        None if guesses.label is None else _labels(shapes[guesses.label]),
        None if guesses.date is None else _dates(tallies[guesses.date]),
        empty,
        headers,
        {name: tally.replaced for name, tally in tallies.items() if tally.replaced.count},
        {name: tally.garbled for name, tally in tallies.items() if tally.garbled.count},
        _indicators([*tallies.values()]),
        total.row,
        first,
    )


def _first_rows(block: pl.DataFrame) -> tuple[tuple[str | None, ...], ...]:
    rows = block.head(_SHOWN).rows()
    return tuple(tuple(None if cell is None else str(cell) for cell in row) for row in rows)


def _files(paths: Source | Sequence[Source]) -> list[str]:
    given = [paths] if isinstance(paths, str) or not isinstance(paths, Sequence) else paths
    return [file for path in given for file in (["-"] if str(path) == "-" else find_files(path))]


def _add(
    block: pl.DataFrame,
    tallies: dict[str, Tally],
    empty: Places,
    headers: Places,
    before: int,
    second: bool,
) -> None:
    """Count a block in all columns, and its rows that are no documents, as a second header."""
    texts = [name for name, dtype in block.schema.items() if dtype == pl.String]
    header = pl.repeat(False, len(block), eager=True)
    if texts:
        same = [pl.col(name).str.strip_chars() == name.strip() for name in texts]
        header = block.select(pl.all_horizontal(same).fill_null(False)).to_series()
        header |= (pl.int_range(len(block), eager=True) == 0) & second
        headers.add(header, before)
    if header.any():  # lest a column of dates should have a word in it
        block = block.with_columns(pl.when(~header).then(pl.all()))
    blank = [tallies[column.name].add(column) for column in block]
    everywhere = pl.DataFrame(blank).select(pl.all_horizontal(pl.all())).to_series()
    empty.add(everywhere & ~header, before)


def _column(shape: Shape, guesses: Guesses) -> Column:
    tally, kind = shape.tally, guesses.kinds[shape.name]
    exact = tally.distinct.exact
    return Column(shape.name, kind, tally.filled, shape.distinct, exact, tally.example)


def _texts(shape: Shape) -> Texts:
    tally, n = shape.tally, shape.tally.filled
    usual = tally.median_length()
    at_least = max(_LONG * usual, _LEAST_LONG)
    return Texts(
        shape.name,
        n,
        shape.mean_words,
        language_of(tally.sample),
        n - shape.distinct,
        n - tally.plain_distinct.estimate(n),
        tally.distinct.exact and tally.plain_distinct.exact,
        tally.wordless,
        tally.longer_than(at_least),
        round(usual),
        tally.longest,
        most_have_emoji(tally.sample),
    )


def _labels(shape: Shape) -> Labels:
    table = shape.labels
    if table is None:
        table = shape.tally.values.table()
    counts = None if table is None else tuple((str(label), int(n)) for label, n in table.rows())
    found = counts or ()
    return Labels(
        shape.name,
        counts,
        shape.tally.filled,
        shape.several,
        shape.separator,
        tuple(variants(label for label, _ in found)),
        tuple(label for label, n in found if n < FEW),
        shape.tally.lists and shape.tally.single,
    )


def _indicators(tallies: Sequence[Tally]) -> tuple[str, ...]:
    """Columns that say 0 or 1, if there are enough to be labels rather than this and that."""
    found = []
    for tally in tallies:
        table = tally.values.table()
        if table is not None and set(table["value"].str.to_lowercase()) in _ZERO_AND_ONE:
            found.append(tally.name)
    return tuple(found) if len(found) >= _FEWEST_INDICATORS else ()


def _dates(tally: Tally) -> Dates:
    assert tally.days  # since the column was taken for one of dates
    first, last = next(iter(tally.days.values()))
    return Dates(tally.name, first, last, tuple(tally.days))
