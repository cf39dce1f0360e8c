"""The command ``methods``."""

from typing import TYPE_CHECKING, Annotated

import typer

from quantext.cli.common import Json

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
        print(f"{entry.name}  ({entry.alias}{others}{default})")
        print("\n".join(wrap(f"{entry.summary}; {entry.reference}", 76, initial_indent="    ",
                             subsequent_indent="    ")))  # fmt: skip
    print("\n`quantext methods NAME` says more of one, and when to choose it.")


def _explain(entry: "Method") -> None:
    from inspect import getdoc
    from textwrap import fill

    from quantext.wording import listed

    print(fill(f"{entry.name}: {entry.summary}.", 80), end="\n\n")
    print(fill(f"Choose it {entry.when}.", 80))
    if entry.aliases:
        print(f"\nAlso known as {listed(entry.aliases)}.")
    print(f"\n{entry.reference}\nOn the command line: --method {entry.alias}\n")
    print(f'In Python: quantext.method("{entry.name}"), which is\n{entry.make()}\n')
    explanation = (getdoc(type(entry.make())) or "").partition("\nParameters\n")[0]
    explanation = explanation.replace("``", "").replace("`", "")  # marks for the web
    paragraphs = explanation.partition("\nExamples\n")[0].strip().split("\n\n")
    print("\n\n".join(fill(text, 80, break_on_hyphens=False) for text in paragraphs))


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
