"""What ``train`` asks in a terminal, where it was not told which columns to learn from."""

import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import typer

from quantext.cli.common import separator_named
from quantext.cli.look_next import command_lines, train_options
from quantext.cli.look_output import column_lines
from quantext.cli.progress import working
from quantext.cli.terminal import open_console, pasted, say

if TYPE_CHECKING:
    from rich.console import Console

    from quantext.texts.formats import Opening
    from quantext.texts.seen import Look

__all__ = ["Learned", "ask_columns", "print_again"]

LookAt = Callable[[Sequence[str] | None, str | None], "Look"]


@dataclass(frozen=True)
class Learned:
    """Columns to learn from, as options say them or as they were asked for.

    Parameters
    ----------
    text, proxy, label, separator, stemmer
        As the options of these names; there may be no label yet.
    """

    text: list[str] | None
    proxy: list[str] | None
    label: str | None
    separator: str | None
    stemmer: str

    @property
    def complete(self) -> bool:
        """Whether nothing needs to be asked."""
        return bool(self.text or self.proxy) and self.label is not None


def ask_columns(
    context: typer.Context,
    known: Learned,
    files: Sequence[str],
    opening: "Opening",
    *,
    silent: bool,
) -> tuple[Learned, list[str]]:
    """Columns to learn from, and the command that says so; an error if nobody can be asked.

    Parameters
    ----------
    context
        What was typed.
    known
        What options say.
    files
        The data.
    opening
        How they are opened.
    silent
        Nobody is there to be asked, as with --json.
    """
    if "-" in files:
        raise ValueError(_missing(known))

    def look_at(text: Sequence[str] | None, label: str | None) -> "Look":
        with working(silent, f"reading {', '.join(files)}") as progress:
            from quantext.texts.look import look

            return look(files, text=text or (), label=label, opening=opening, progress=progress)

    found = look_at(known.text, known.label)
    if silent or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ValueError(f"{_missing(known)}{_perhaps(context, known, found)}")
    known = _ask(known, found, look_at)
    return known, command_lines(_again(context, _chosen(known)))


def _missing(known: Learned) -> str:
    if known.text or known.proxy:
        return "say with --label in which column labels are"
    if known.label is None:
        return "say with --text and --label in which columns texts and labels are"
    return (
        "say with --text in which column texts are; or with --proxy in which column there is what "
        "a model says of them"
    )


def _perhaps(context: typer.Context, known: Learned, look: "Look") -> str:
    """The command that the file suggests, where it suggests one."""
    if known.proxy or not look.texts or look.labels is None:
        return "; `quantext look` shows what is in the file"
    return f"; perhaps: {pasted(_again(context, _added(known, look)))}"


def _added(known: Learned, look: "Look") -> list[str]:
    """Options that the guesses add to those that were given."""
    given = {"--text": known.text, "--label": known.label, "--separator": known.separator}
    given["--stemmer"] = None if known.stemmer == "porter" else known.stemmer
    options = train_options(look)
    pairs = zip(options[::2], options[1::2], strict=True)
    return [part for name, value in pairs if not given[name] for part in (name, value)]


def _ask(known: Learned, look: "Look", look_at: LookAt) -> Learned:
    """The same, by questions on standard error."""
    console = open_console(stderr=True, highlight=False)
    if sys.platform != "win32":
        # polars handles Ctrl-C so that a read goes on after it: a question would not hear it.
        signal.siginterrupt(signal.SIGINT, True)
    say(*column_lines(look, numbered=True), file=sys.stderr)
    try:
        if not (known.text or known.proxy):
            known = replace(known, text=[_which("Texts are", look.guesses.text, look, console)])
        if known.label is None:
            label = _which("Labels are", look.guesses.label, look, console)
            known = replace(known, label=label)
        guessed = ([look.guesses.text], look.guesses.label)
        if (known.text or guessed[0], known.label) != guessed:
            look = look_at(known.text, known.label)
        known = _ask_details(known, look, console)
    except (EOFError, KeyboardInterrupt):
        say("", "Stopped. Nothing was written.", file=sys.stderr)
        raise typer.Exit(130) from None
    return known


def _ask_details(known: Learned, look: "Look", console: "Console") -> Learned:
    """The same, with what follows from the columns if people agree: a separator, a stemmer."""
    separator = None if look.labels is None else look.labels.separator
    if known.separator is None and separator is not None:
        question = f"Several labels in a cell are divided by {separator_named(separator)!r}?"
        if _agreed(question, console):
            known = replace(known, separator=separator)
    language = look.texts[0].language if look.texts and not known.proxy else None
    if known.stemmer == "porter" and language is not None and language != "english":
        question = f"The texts seem to be {language.capitalize()}. Stem their words so?"
        if _agreed(question, console):
            known = replace(known, stemmer=language)
    return known


def _which(what: str, guess: str | None, look: "Look", console: "Console") -> str:
    """The column that is chosen, by its name or number."""
    names = [column.name for column in look.columns]
    question = f"{what} in which column? Its name or number: "
    if guess is not None:
        question = f"{what} in {guess!r}? Enter, or another's name or number: "
    while True:
        answer = console.input(question, markup=False, emoji=False).strip()
        if not answer and guess is not None:
            return guess
        if answer in names:
            return answer
        if answer.isdecimal() and 1 <= int(answer) <= len(names):
            return names[int(answer) - 1]
        say(f"There is no column {answer!r}.", file=sys.stderr)


def _agreed(question: str, console: "Console") -> bool:
    """Whether the answer is yes, as Enter is."""
    answers = {"": True, "y": True, "yes": True, "n": False, "no": False}
    while True:
        answer = console.input(f"{question} [Y/n]: ", markup=False, emoji=False).strip().lower()
        if answer in answers:
            return answers[answer]
        say("Answer y or n.", file=sys.stderr)


def _chosen(known: Learned) -> list[str]:
    """Options that say what was asked for."""
    options: list[str] = [part for name in known.text or () for part in ("--text", name)]
    options += [part for name in known.proxy or () for part in ("--proxy", name)]
    options += ["--label", str(known.label)]
    if known.separator is not None:
        options += ["--separator", separator_named(known.separator)]
    return options + (["--stemmer", known.stemmer] if known.stemmer != "porter" else [])


def _again(context: typer.Context, options: Sequence[str]) -> list[str]:
    """The command as it was typed, with these options; what they say is not said twice."""
    files: list[str] = []
    typed: list[str] = []
    for parameter in context.command.params:
        value: Any = context.params.get(str(parameter.name))
        source = context.get_parameter_source(str(parameter.name))
        if source is None or source.name != "COMMANDLINE" or parameter.opts[0] in options:
            continue
        if parameter.param_type_name == "argument":
            files += value
        elif value is True:
            typed.append(parameter.opts[0])
        else:
            values = value if isinstance(value, list | tuple) else [value]
            typed += [part for one in values for part in (parameter.opts[0], str(one))]
    return ["quantext", str(context.info_name), *files, *options, *typed]


def print_again(lines: Sequence[str]) -> None:
    """Print the command that does the same without questions."""
    say("", "The same again, without questions:", "", *lines, file=sys.stderr)
