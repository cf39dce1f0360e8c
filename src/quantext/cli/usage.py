"""Errors of usage, which typer prints: what was typed is shown in them, and not obeyed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from typer.core import TyperGroup

from quantext.cli.commands import Commands
from quantext.wording import visible

__all__ = ["UsageGroup"]


class UsageGroup(TyperGroup):
    """All commands; an error that names what was typed has no escape sequences."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands: Any = Commands()

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """The context of the options before a command."""
        with _shown():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        """What the command returns, whose own options are read here too.

        Parameters
        ----------
        ctx
            Of the command.
        """
        with _shown():
            return super().invoke(ctx)


@contextmanager
def _shown() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        # Which class it is depends on the version of typer, some of which bring their own click.
        if hasattr(error, "format_message") and isinstance(getattr(error, "message", None), str):
            vars(error)["message"] = visible(vars(error)["message"])
        raise
