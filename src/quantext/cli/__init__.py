"""The command line: each command calls one function of the library and shows what it returns."""

import os
import sys

import typer

from quantext._cli_experiment import experiment, report
from quantext.cli.demo import demo

__all__ = ["app", "main"]

app = typer.Typer(
    help="How many? Estimate the share of each class among unlabelled documents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for command in (demo, experiment, report):
    app.command()(command)


def main() -> None:
    """Run the command line; a user's mistake ends in one sentence and exit code 2."""
    try:
        app()
    except BrokenPipeError:  # as in `quantext ... | head`: whoever read it has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (ValueError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(2)
