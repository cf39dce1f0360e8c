"""What the command ``look`` prints: columns, labels, and what is odd."""

import json
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from quantext.cli.common import separator_named
from quantext.cli.look_next import Step, command_lines
from quantext.cli.look_odd import missing_notes, total_note
from quantext.cli.terminal import pasted, say
from quantext.wording import counted, fit_width, listed, percent

if TYPE_CHECKING:
    from quantext.texts.seen import Dates, Labels, Look, Texts
    from quantext.texts.tallies import Places

__all__ = ["column_lines", "facts", "print_json", "print_look"]

_WIDTH = 80
_SHOWN = 12  # labels
_BAR = 24
_MANY_COPIES = 0.05
_SAID = {"model": "a model's", "words": "names"}  # kinds, where one word does not explain itself


def print_look(look: "Look", called: str, steps: Sequence[Step]) -> None:
    """Print what is in a table, and what to do next."""
    columns = counted(len(look.columns), "column")
    say(f"{called}: {counted(look.rows, 'row')}, {columns}", "", *column_lines(look))
    if not all(column.exact for column in look.columns):
        say("", "~ estimated from a part of the values; all else is counted in all rows")
    for texts in look.texts:
        _print_texts(texts)
    if look.labels is not None:
        _print_labels(look.labels)
    if look.dates is not None:
        say("", *wrap(_dates(look.dates), _WIDTH))
    if notes := list(_notes(look)):
        say("", "Worth a look:")
        for note in notes:
            say(*wrap(note, _WIDTH, initial_indent="- ", subsequent_indent="  "))
    for step in steps:
        say("", *wrap(step.sentence, _WIDTH))
        if step.command:
            say("", *command_lines(step.command))


def _dates(dates: "Dates") -> str:
    """When the first and the last are, and how they are written if it is not ISO 8601."""
    said = f"Dates: {dates.name!r}, {dates.first} to {dates.last}"
    if len(dates.formats) > 1:
        ways = listed(dates.formats, "or")
        return f"{said} if written as {dates.formats[0]}. They may be {ways}: say --date-format"
    return said if dates.formats == ("iso",) else f"{said}, written as {dates.formats[0]}"


def column_lines(look: "Look", *, numbered: bool = False) -> Iterator[str]:
    """A table of the columns, with a number before each if they are to be chosen from."""
    width = min(24, max([6, *(len(column.name) for column in look.columns)]))
    left = "     " if numbered else "  "
    yield f"{left}{'column':{width}}  looks like  filled   distinct  example"
    rest = _WIDTH - len(left) - width - 33
    for number, column in enumerate(look.columns, start=1):
        start = f"{number:3}  " if numbered else "  "
        distinct = f"{'' if column.exact else '~'}{column.distinct:,}"
        kind = _SAID.get(column.kind, column.kind)
        example = fit_width(column.example or "", rest).rstrip()
        row = f"{start}{fit_width(column.name, width)}  {kind:10}  "
        yield f"{row}{_filled(column.filled, look.rows):>6} {distinct:>10}  {example}".rstrip()


def _filled(filled: int, rows: int) -> str:
    """How full a column is, 100% and 0% only where it is."""
    share = filled / max(1, rows)
    if filled < rows and share > 0.995:
        return ">99%"
    if filled and share < 0.005:
        return "<1%"
    return f"{share:.0%}"


def _print_texts(texts: "Texts") -> None:
    language = f", {texts.language.capitalize()}" if texts.language else ""
    words = f"{counted(round(texts.words), 'word')} on average"
    say("", f"Texts: {texts.name!r}, {counted(texts.documents, 'document')}, {words}{language}")


def _print_labels(labels: "Labels") -> None:
    from quantext.reports.listing import bar

    if labels.counts is None:
        say("", f"Labels: {labels.name!r}, too many different ones to count")
        return
    how = f", several in {labels.several:,} of them" if labels.several else ""
    if labels.separator is not None:
        how += f", divided by {separator_named(labels.separator)!r}"
    rows = counted(labels.rows, "row")
    say("", f"Labels: {labels.name!r}, {len(labels.counts):,} in {rows}{how}")
    most = max((n for _, n in labels.counts), default=1)
    for label, n in labels.counts[:_SHOWN]:
        share = n / labels.rows
        say(f"  {fit_width(label, 30)} {n:9,}  {share:6.1%}  {bar(n / most, _BAR)}".rstrip())
    if len(labels.counts) > _SHOWN:
        say(f"  ... and {len(labels.counts) - _SHOWN:,} more")


def _notes(look: "Look") -> Iterator[str]:
    """What may need a hand, a sentence each."""
    for texts in look.texts:
        yield from _text_notes(texts, look)
    if look.labels is not None:
        yield from _label_notes(look.labels, look.documents)
    if look.empty.count:
        yield f"{counted(look.empty.count, 'row')} blank throughout{_where(look.empty, look)}"
    if look.headers.count:
        times = counted(look.headers.count, "row")
        yield f"{times} a header once more{_where(look.headers, look)}: to be deleted"
    if look.total is not None:
        yield total_note(look.total)
    for name, places in look.replaced.items():
        yield (
            f"characters lost (\ufffd) in {counted(places.count, 'cell')} of {name!r}"
            f"{_where(places, look)}: save the table anew, as UTF-8"
        )
    for name, places in look.garbled.items():
        yield (
            f"garbled letters, as Ã© for é, in {counted(places.count, 'cell')} of {name!r}"
            f"{_where(places, look)}: UTF-8 was read as something else"
        )
    if look.indicators and (look.labels is None or look.labels.name in look.indicators):
        names = listed(map(repr, look.indicators), most=4)
        both = "|".join(look.indicators[:2])
        yield (
            f"{names} say 0 or 1. If each is a label, join them in one column, which has the names "
            f"of those that are 1, as in {both}, and name it with --label and --separator"
        )
    elif look.guesses.labels:
        names = listed(map(repr, look.guesses.labels), "or", most=4)
        yield f"labels could also be those of {names}: name it with --label"
    if look.guesses.texts:
        names = listed(map(repr, look.guesses.texts), most=4)
        yield f"texts are in {names} too: --text may be given twice, to join them"


def _text_notes(texts: "Texts", look: "Look") -> Iterator[str]:
    about = "" if texts.exact else "about "
    if blank := look.documents - texts.documents:
        yield f"{counted(blank, 'row')} without a text in {texts.name!r}: left out by train"
    if copies := texts.repeated_plainly:
        share = copies / texts.documents
        part = f" ({percent(share)})" if share >= 0.001 else ""
        said = f"{about}{counted(copies, 'text')}{part} "
        said += f"{'repeats' if copies == 1 else 'repeat'} another one"
        if varied := copies - texts.repeated:
            said += f", {varied:,} of them in other case or with other blanks"
        many = ": a model of them looks better than it is" if share >= _MANY_COPIES else ""
        yield said + many
    if texts.wordless.count:
        wordless = counted(texts.wordless.count, "text")
        yield f"{wordless} without a letter{_where(texts.wordless, look)}"
    if texts.long:
        size, row = texts.longest
        yield (
            f"{counted(texts.long, 'text')} very long, up to {size:,} characters "
            f"(row {_rows([row], look)}) where {texts.usual:,} are usual"
        )
    if texts.language not in (None, "english"):
        yield (
            f"the texts of {texts.name!r} seem to be {str(texts.language).capitalize()}: "
            f"--stemmer {texts.language} takes the forms of a word for one"
        )


def _label_notes(labels: "Labels", rows: int) -> Iterator[str]:
    counts = dict(labels.counts or ())
    if blank := rows - labels.rows:
        yield f"{counted(blank, 'row')} without a label in {labels.name!r}: left out by train"
    for group in labels.variants:
        names = listed(f"{label!r} ({counts[label]:,})" for label in group)
        yield f"{names} are likely one label: --merge-labels makes one of them"
    yield from missing_notes(labels)
    if labels.few and labels.counts is not None:
        few = listed((f"{label!r} ({counts[label]})" for label in labels.few), most=4)
        yield f"few documents to learn from: {few}"


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


def facts(look: "Look") -> dict[str, Any]:
    """What was found, for other programs."""
    from dataclasses import asdict

    found = asdict(look)
    found["guesses"].pop("kinds")
    for column in found["columns"]:
        column["example"] = None if column["example"] is None else column["example"][:200]
    return found


def print_json(look: "Look", steps: Sequence[Step], warnings: Sequence[str]) -> None:
    """Print what was found, and the command to go on with, for other programs."""
    commands = [pasted(step.command) for step in steps if step.command]
    found = {**facts(look), "next": commands[0] if commands else None}
    found["warnings"] = list(warnings)
    print(json.dumps(found, default=str))
