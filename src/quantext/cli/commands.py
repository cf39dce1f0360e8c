"""All commands: a command's module is imported when it is asked for, and not for another."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from importlib import import_module
from typing import Any

import typer

from quantext.cli.once import OnceCommand

__all__ = ["Commands", "explain_damage"]

_MODULES = {  # in the order in which help lists them
    "app": "app_command",  # not to be mistaken for what typer calls the app
    "demo": "demo",
    "look": "look",
    "train": "train",
    "estimate": "estimate",
    "correct": "correct",
    "plan": "plan",
    "compare": "compare",
    "methods": "methods",
    "experiment": "experiment",
    "report": "experiment",
}


def explain_damage(command: Callable[..., None]) -> Callable[..., None]:
    """The command, but with an error that says what to do if a compiled file is cut short.

    Whoever does not want quiet is told when something is compiled.
    """

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        from pickle import UnpicklingError

        from quantext.cli.compiling import told_of_compiling

        try:
            with told_of_compiling(quiet=options.get("quiet", False)):
                command(*arguments, **options)
        except (EOFError, UnpicklingError) as error:  # the first of which typer calls "Aborted."
            raise OSError(
                f"a compiled file is damaged, as when a disk was full ({error}); delete the "
                f"folders __pycache__ in {sys.prefix} and in {os.path.dirname(__file__)}/.., and "
                "try again"
            ) from error

    return run


class Commands(Mapping[str, Any]):
    """What typer knows of each command, by name."""

    def __getitem__(self, name: str) -> Any:
        function = getattr(import_module(f"quantext.cli.{_MODULES[name]}"), name)
        alone = typer.Typer(add_completion=False)
        alone.command(name, cls=OnceCommand)(explain_damage(function))
        return typer.main.get_command(alone)

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)
