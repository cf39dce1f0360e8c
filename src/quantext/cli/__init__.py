"""The command line: options in, what the library returns shown; nothing is computed here."""

import gc
import io
import os
import sys
import warnings
from typing import Annotated, Any

try:
    import typer

    from quantext.cli.commands import explain_damage
    from quantext.cli.terminal import say
    from quantext.cli.usage import UsageGroup
except KeyboardInterrupt:  # it takes a moment, and nobody wants to know what was being loaded
    sys.exit(130)

__all__ = ["app", "explain_damage", "main"]

app = typer.Typer(
    cls=UsageGroup,
    epilog="Exit codes: 0 fine, 1 some part failed, 2 the input is at fault, 130 Ctrl-C.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"quantext {version('quantext')}")
        raise typer.Exit


@app.callback()
def _all_commands(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """How many? Estimate the share of each class among unlabelled documents."""


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning of Python's as a sentence: where in the code it arose is not for people."""
    say(f"Warning: {message}", file=sys.stderr)


def main() -> None:
    """Run the command line; a user's mistake ends in one sentence and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # names of classes may be beyond the terminal
    warnings.showwarning = _show_warning
    try:
        try:
            app()
        finally:
            gc.freeze()  # or the interpreter looks at every object before it ends, for 0.3 s
            sys.stdout.flush()  # here, where a closed pipe can be caught
    except BrokenPipeError:  # as in `quantext ... | head`: whoever read it has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (ValueError, OSError) as error:
        said = str(error)
        if isinstance(error, OSError) and error.filename:  # without "[Errno 2]"
            said = f"{error.filename}: {error.strerror}"
        say(f"Error: {said}", file=sys.stderr)
        sys.exit(2)
