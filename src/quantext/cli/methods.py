"""The command ``methods``."""

from typing import TYPE_CHECKING, Annotated

import typer

from quantext.cli.common import Json
from quantext.cli.terminal import say

if TYPE_CHECKING:
    from quantext.models.methods import Method

__all__ = ["complete_method", "methods"]


def complete_method(incomplete: str) -> list[str]:
    """Aliases that begin so, for the shell.

    Parameters
    ----------
    incomplete
        What was typed.

    Examples
    --------
    >>> complete_method("svm-k")
    ['svm-kld']
    """
    from quantext.models.methods import METHODS

    aliases = (entry.alias for entry in METHODS.values())
    return [alias for alias in aliases if alias.startswith(incomplete.lower())]


def methods(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="A method, or its alias; all by default.",
            autocompletion=complete_method,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List the methods, or explain one.

    For example:

      quantext methods

      quantext methods svm-kld
    """
    from quantext.models.methods import METHODS, find_method

    chosen = list(METHODS.values()) if name is None else [find_method(name)]
    if json:
        _print_json(chosen)
    elif name is not None:
        _explain(chosen[0])
    else:
        _list(chosen)


def _list(chosen: "list[Method]") -> None:
    from textwrap import wrap

    from quantext.models.methods import DEFAULT_METHOD

    for entry in chosen:
        default = ", the default of `quantext train`" if entry.name == DEFAULT_METHOD else ""
        others = "".join(f", {name}" for name in entry.aliases)
        say(f"{entry.name}  ({entry.alias}{others}{default})")
        told = f"{entry.summary}; {entry.reference}"
        say(*wrap(told, 76, initial_indent="    ", subsequent_indent="    "))
    say("", "`quantext methods NAME` says more of one, and when to choose it.")


def _explain(entry: "Method") -> None:
    from inspect import getdoc
    from textwrap import wrap

    from quantext.wording import listed

    say(*wrap(f"{entry.name}: {entry.summary}.", 80), "")
    say(*wrap(f"Choose it {entry.when}.", 80))
    if entry.aliases:
        say("", f"Also known as {listed(entry.aliases)}.")
    say("", entry.reference, f"On the command line: --method {entry.alias}", "")
    say(f'In Python: quantext.method("{entry.name}"), which is', *str(entry.make()).split("\n"))
    explanation = (getdoc(type(entry.make())) or "").partition("\nParameters\n")[0]
    explanation = explanation.replace("``", "").replace("`", "")  # marks for the web
    paragraphs = explanation.partition("\nExamples\n")[0].strip().split("\n\n")
    for text in paragraphs:
        say("", *wrap(text, 80, break_on_hyphens=False))


def _print_json(chosen: "list[Method]") -> None:
    import json

    rows = [
        {
            "name": entry.name,
            "alias": entry.alias,
            "aliases": entry.aliases,
            "kinds": entry.kinds,
            "summary": entry.summary,
            "when": entry.when,
            "reference": entry.reference,
        }
        for entry in chosen
    ]
    print(json.dumps(rows))
