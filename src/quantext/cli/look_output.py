"""What the command ``look`` prints: columns, labels, and what is odd."""

import json
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from quantext.cli.common import separator_named
from quantext.cli.look_next import Step, command_lines, no_labels
from quantext.cli.look_odd import odd_things
from quantext.cli.terminal import pasted, say
from quantext.wording import bar, counted, fit_width, listed

if TYPE_CHECKING:
    from quantext.texts.seen import Dates, Labels, Look, Texts

__all__ = ["column_lines", "facts", "print_json", "print_look"]

_WIDTH = 80
_SHOWN = 12  # labels
_BAR = 24
_LONGEST_CELL = 200  # characters, for other programs
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
    if odd := list(odd_things(look)):
        say("", "Worth a look:")
        for thing in odd:
            say(*wrap(str(thing), _WIDTH, initial_indent="- ", subsequent_indent="  "))
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


def facts(look: "Look") -> dict[str, Any]:
    """What was found, for other programs."""
    from dataclasses import asdict

    found = asdict(look)
    found["guesses"].pop("kinds")
    for column in found["columns"]:
        column["example"] = _shortened(column["example"])
    if look.labels is not None:
        found["labels"]["fault"] = no_labels(look.labels)
    found["first"] = [[_shortened(cell) for cell in row] for row in look.first]
    found["odd"] = [asdict(thing) for thing in odd_things(look)]
    return found


def _shortened(cell: str | None) -> str | None:
    return None if cell is None else cell[:_LONGEST_CELL]


def print_json(look: "Look", steps: Sequence[Step], warnings: Sequence[str]) -> None:
    """Print what was found, and the command to go on with, for other programs."""
    commands = [pasted(step.command) for step in steps if step.command]
    found = {**facts(look), "next": commands[0] if commands else None}
    found["steps"] = [
        {"said": step.sentence, "command": pasted(step.command) or None} for step in steps
    ]
    found["warnings"] = list(warnings)
    print(json.dumps(found, default=str))
