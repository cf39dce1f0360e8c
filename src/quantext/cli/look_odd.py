"""What ``look`` says is odd in a table, and which option helps."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quantext.cli.terminal import pasted
from quantext.wording import counted, listed, percent

if TYPE_CHECKING:
    from quantext.texts.odd_rows import TotalRow
    from quantext.texts.seen import Labels, Look, Texts
    from quantext.texts.tallies import Places

__all__ = ["Odd", "odd_things"]

_MANY_COPIES = 0.05


@dataclass(frozen=True)
class Odd:
    """Something that may need a hand.

    Parameters
    ----------
    said
        What it is, in words that need no command line.
    helps
        What to do about it on the command line, if anything.
    where
        Conditions of ``--where`` that leave these rows out.
    """

    said: str
    helps: str = ""
    where: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.said}: {self.helps}" if self.helps else self.said


def odd_things(look: "Look") -> Iterator[Odd]:
    """What may need a hand.

    Parameters
    ----------
    look
        What is in the table.
    """
    for texts in look.texts:
        yield from _odd_texts(texts, look)
    if look.labels is not None:
        yield from _odd_labels(look.labels, look.documents)
    if look.empty.count:
        yield Odd(f"{counted(look.empty.count, 'row')} blank throughout{_where(look.empty, look)}")
    if look.headers.count:
        times = counted(look.headers.count, "row")
        yield Odd(f"{times} a header once more{_where(look.headers, look)}: to be deleted")
    if look.total is not None:
        yield _total(look.total)
    for name, places in look.replaced.items():
        yield Odd(
            f"characters lost (\ufffd) in {counted(places.count, 'cell')} of {name!r}"
            f"{_where(places, look)}: save the table anew, as UTF-8"
        )
    for name, places in look.garbled.items():
        yield Odd(
            f"garbled letters, as Ã© for é, in {counted(places.count, 'cell')} of {name!r}"
            f"{_where(places, look)}: UTF-8 was read as something else"
        )
    yield from _other_columns(look)


def _other_columns(look: "Look") -> Iterator[Odd]:
    """Columns that could be taken as well."""
    if look.indicators and (look.labels is None or look.labels.name in look.indicators):
        names = listed(map(repr, look.indicators), most=4)
        both = "|".join(look.indicators[:2])
        yield Odd(
            f"{names} say 0 or 1. If each is a label, join them in one column, which has the names "
            f"of those that are 1, as in {both}, and name it with --label and --separator"
        )
    elif look.guesses.labels:
        names = listed(map(repr, look.guesses.labels), "or", most=4)
        yield Odd(f"labels could also be those of {names}", "name it with --label")
    if look.guesses.texts:
        names = listed(map(repr, look.guesses.texts), most=4)
        yield Odd(f"texts are in {names} too", "--text may be given twice, to join them")


def _total(total: "TotalRow") -> Odd:
    """A last row that sums up the others."""
    where = f"{total.column}!={total.value}"
    said = (
        f"the last row looks like totals (row {total.row:,}, {total.value!r} in {total.column!r})"
    )
    return Odd(said, f"delete it, or leave it out with --where {pasted([where])}", (where,))


def _odd_texts(texts: "Texts", look: "Look") -> Iterator[Odd]:
    about = "" if texts.exact else "about "
    if blank := look.documents - texts.documents:
        yield Odd(f"{counted(blank, 'row')} without a text in {texts.name!r}", "left out by train")
    if copies := texts.repeated_plainly:
        share = copies / texts.documents
        part = f" ({percent(share)})" if share >= 0.001 else ""
        said = f"{about}{counted(copies, 'text')}{part} "
        said += f"{'repeats' if copies == 1 else 'repeat'} another one"
        if varied := copies - texts.repeated:
            said += f", {varied:,} of them in other case or with other blanks"
        many = ": a model of them looks better than it is" if share >= _MANY_COPIES else ""
        yield Odd(said + many)
    if texts.wordless.count:
        wordless = counted(texts.wordless.count, "text")
        yield Odd(f"{wordless} without a letter{_where(texts.wordless, look)}")
    if texts.long:
        size, row = texts.longest
        yield Odd(
            f"{counted(texts.long, 'text')} very long, up to {size:,} characters "
            f"(row {_rows([row], look)}) where {texts.usual:,} are usual"
        )
    if texts.language not in (None, "english"):
        yield Odd(
            f"the texts of {texts.name!r} seem to be {str(texts.language).capitalize()}",
            f"--stemmer {texts.language} takes the forms of a word for one",
        )


def _odd_labels(labels: "Labels", rows: int) -> Iterator[Odd]:
    counts = dict(labels.counts or ())
    if blank := rows - labels.rows:
        yield Odd(
            f"{counted(blank, 'row')} without a label in {labels.name!r}", "left out by train"
        )
    for group in labels.variants:
        names = listed(f"{label!r} ({counts[label]:,})" for label in group)
        yield Odd(f"{names} are likely one label", "--merge-labels makes one of them")
    yield from _missing(labels)
    if labels.few and labels.counts is not None:
        few = listed((f"{label!r} ({counts[label]})" for label in labels.few), most=4)
        yield Odd(f"few documents to learn from: {few}")


def _missing(labels: "Labels") -> Iterator[Odd]:
    """Labels that likely say that there is none, if there are any."""
    from quantext.texts.odd_rows import MISSING

    found = [(label, n) for label, n in labels.counts or () if re.match(MISSING, label)]
    if found:
        names = listed(f"{label!r} ({n:,})" for label, n in found)
        where = tuple(f"{labels.name}!={label}" for label, _ in found)
        options = " ".join(f"--where {pasted([part])}" for part in where)
        said = f"{names} may say that a label is missing"
        yield Odd(said, f"to leave these rows out, {options}", where)


def _where(places: "Places", look: "Look") -> str:
    """Which rows, the first of them."""
    more = ", ..." if places.count > len(places.first) else ""
    return f" ({'row' if places.count == 1 else 'rows'} {_rows(places.first, look)}{more})"


def _rows(rows: Sequence[int], look: "Look") -> str:
    """Numbers of rows, with their files if there are several."""
    by_file: dict[str, list[str]] = {}
    for name, row in map(look.place, rows):
        by_file.setdefault(name, []).append(f"{row:,}")
    parts = [(", ".join(own), name) for name, own in by_file.items()]
    several = len(look.files) > 1
    return ", ".join(f"{own} of {name}" if several else own for own, name in parts)
