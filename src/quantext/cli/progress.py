"""Progress on the terminal: a line that says what is being done, or a bar for each stage.

Where the environment has ``QUANTEXT_PROGRESS=json`` it is a line of JSON instead, for programs.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from quantext.cli.terminal import open_console, plain
from quantext.progress import Progress, silent
from quantext.wording import visible

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["describe", "for_programs", "progress_bars", "working"]

# Stages whose names in the library are not those that people use.
_SAID = {
    "bags": "batches estimated",
    "documents": "documents read",
    "search": "settings tried",
}


def describe(stage: str, done: int, total: int | None) -> str:
    """What is being done, in a line.

    Examples
    --------
    >>> describe("documents", 12_000, None)
    'Documents read (12,000)...'
    >>> describe("bags", 3, 32)
    'Batches estimated (3 of 32)...'
    """
    said = _SAID.get(stage, stage)
    counted = f"{done:,}" if total is None else f"{done:,} of {total:,}"
    return f"{said[:1].upper()}{said[1:]}{f' ({counted})' if done else ''}..."


def for_programs() -> Progress | None:
    """Progress as lines of JSON on standard error, if the environment asks for it."""
    if os.environ.get("QUANTEXT_PROGRESS") != "json":
        return None
    last = ("", 0.0)

    def progress(stage: str, done: int, total: int | None) -> None:
        nonlocal last
        now = time.monotonic()
        if stage == last[0] and done != total and now < last[1] + 0.1:
            return  # nobody reads faster
        last = (stage, now)
        told = {"stage": _SAID.get(stage, stage), "done": done, "total": total}
        print(json.dumps(told), file=sys.stderr, flush=True)

    return progress


@contextmanager
def working(quiet: bool, text: str) -> Iterator[Progress]:
    """A line on standard error that says what is being done; Ctrl-C leaves a clean one."""
    if quiet:
        yield silent
        return
    programs = for_programs()
    if programs is not None:
        programs(text, 0, None)
        yield programs
        return
    console = open_console(stderr=True)
    try:
        with console.status(plain(describe(text, 0, None))) as status:
            yield lambda *progress: status.update(plain(describe(*progress)))
    except KeyboardInterrupt:
        console.print("Stopped. Nothing was written.")
        raise


@contextmanager
def progress_bars(console: "Console", *, transient: bool = False) -> Iterator[Progress]:
    """What an experiment calls to show a bar for each stage and the time left.

    Ctrl-C leaves a line that says how to go on, and exit code 130.

    Parameters
    ----------
    console
        Where the bars are drawn.
    transient
        Take them away at the end.
    """
    programs = for_programs()
    if programs is not None:
        yield programs
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("time left"),
        TimeRemainingColumn(),
    )
    bar = Bars(*columns, console=console, transient=transient)
    bars: dict[str, Any] = {}

    def progress(stage: str, done: int, total: int | None) -> None:
        if stage not in bars:
            bars[stage] = bar.add_task(visible(stage.capitalize()), total=total, completed=done)
        bar.update(bars[stage], completed=done)

    try:
        if transient and not console.is_terminal:
            yield silent  # what is to be taken away again is nothing for a file
        else:
            with bar:
                yield progress
    except KeyboardInterrupt:
        console.print("Stopped. The same command goes on from here.")
        raise typer.Exit(130) from None
