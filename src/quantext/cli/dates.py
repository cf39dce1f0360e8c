"""Dates that could be read in several ways: the question, where somebody is there to answer it."""

import sys
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import typer

from quantext.cli.terminal import say

if TYPE_CHECKING:
    from quantext.texts.dating import AmbiguousDatesError

__all__ = ["asks_for_dates"]


def asks_for_dates(command: Callable[..., None]) -> Callable[..., None]:
    """The command, which asks for ``--date-format`` if parts of dates could change places.

    Where nobody can answer, or wants to be asked, it is an error that shows all readings.

    Parameters
    ----------
    command
        With options ``date_format``, ``quiet`` and ``json``.
    """

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
            return
        except ValueError as error:
            # Not to be loaded before there is an error: a command should start at once.
            from quantext.texts.dating import AmbiguousDatesError

            if not isinstance(error, AmbiguousDatesError):
                raise
            silent = options.get("quiet") or options.get("json")
            if silent or not (sys.stdin.isatty() and sys.stderr.isatty()):
                for note in getattr(error, "__notes__", ()):
                    say(f"Note: {note}", file=sys.stderr)
                raise ValueError(error.said("--date-format {}")) from None
            chosen = _ask(error)
        command(*arguments, **{**options, "date_format": chosen})

    return run


def _ask(error: "AmbiguousDatesError") -> str:
    """The format that somebody chooses."""
    from quantext.texts.date_forms import written_day

    formats = [name for name, _ in error.readings]
    say(f"{error.where}: what is {error.cell!r}?", file=sys.stderr)
    for number, (name, day) in enumerate(error.readings, start=1):
        say(f"  {number}  {written_day(day)}  (--date-format {name})", file=sys.stderr)
    numbers = {str(number): name for number, name in enumerate(formats, start=1)}
    while (answer := typer.prompt(" or ".join(numbers), err=True).strip()) not in numbers:
        pass
    return numbers[answer]
