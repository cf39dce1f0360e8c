"""The command ``app``."""

from pathlib import Path
from typing import Annotated

import typer

from quantext.cli.terminal import say

__all__ = ["app"]


def app(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Where all files are and go.")
    ] = Path("."),
    port: Annotated[
        int | None,
        typer.Option(
            min=1024, max=65535, help="Of this machine; by default that of the last time, or any."
        ),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only say the address, open nothing.")
    ] = False,
) -> None:
    """Open a page to work in, in the browser: label, train, estimate, correct.

    It runs on this machine only, and nothing is sent anywhere. All is kept as
    ordinary files in FOLDER, which the other commands understand.

    For example:

      quantext app

      quantext app survey-2024
    """
    try:
        from quantext.app import serve
    except ModuleNotFoundError as error:
        raise ValueError(
            f"the page needs {error.name}; install it with: pip install 'quantext[app]'"
        ) from None

    def tell(address: str) -> None:
        say(f"quantext works in {folder.resolve()}, at", "", f"  {address}", "")
        say("Only this machine can open it. Ctrl-C ends it; nothing is lost.")

    serve(folder, port, browse=not no_browser, tell=tell)
