"""The command ``methods``."""

from re import sub
from typing import TYPE_CHECKING, Annotated

import typer

from quantext.cli.common import Json

if TYPE_CHECKING:
    from quantext.models.methods import Method

__all__ = ["complete_method", "methods"]

_ONE_CLASS = "to compare with the literature, or for one rare class among two"
_LITERATURE = "to compare with the literature; calibrated posteriors do better"
_SIBLING = "as SVM(KLD), if this is the error that counts for you"

WHEN = {
    "SVM(KLD)": "for many or rare classes, for labels that overlap, and for large data: there is "
    "no correction that could go wrong, and it estimates fastest. Far from the training prevalence "
    "its intervals miss the truth more often than they say",
    "CC": "to see what plain classification gives; it is biased as soon as shares move",
    "PCC": "if shares hardly move: then it is the most exact. It is drawn towards the training "
    "prevalence, and lags behind where they do move",
    "ACC": "if shares move and every class has some hundreds of training documents",
    "PACC": "if shares move and every class has some tens of training documents; rare classes make "
    "it unsteady",
    "T50": _ONE_CLASS,
    "X": _ONE_CLASS,
    "MAX": _ONE_CLASS,
    "MS": _ONE_CLASS,
    "MS2": _ONE_CLASS,
    "MM(KS)": _ONE_CLASS,
    "MM(PP)": _ONE_CLASS,
    "PCC(logistic)": _LITERATURE,
    "PACC(logistic)": _LITERATURE,
    "EMQ": "if shares move much, and each document has one class",
    "Training prevalence": "never as an estimate, always as a yardstick: a method that does worse "
    "has learned nothing",
    "SVM(NKLD)": _SIBLING,
    "SVM(AE)": _SIBLING,
    "SVM(RAE)": _SIBLING,
    "SVM(Q)": "as SVM(KLD), if the documents that are counted should also be the right ones",
}


def complete_method(incomplete: str) -> list[str]:
    """Aliases that begin so, for the shell; made of the names, since METHODS takes long to load.

    Parameters
    ----------
    incomplete
        What was typed.

    Examples
    --------
    >>> complete_method("svm-k")
    ['svm-kld']
    """
    aliases = [sub("[^a-z0-9]+", "-", name.lower()).strip("-") for name in WHEN]
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
    from quantext.models.methods import METHODS, method

    chosen = list(METHODS.values())
    if name is not None:
        method(name)  # it knows what is no method
        chosen = [m for m in chosen if name.lower() in (m.name.lower(), m.alias)]
    if json:
        _print_json(chosen)
    elif name is not None:
        _explain(chosen[0])
    else:
        _list(chosen)


def _list(chosen: "list[Method]") -> None:
    from textwrap import wrap

    from quantext.models.train import DEFAULT_METHOD

    for entry in chosen:
        default = ", the default of `quantext train`" if entry.name == DEFAULT_METHOD else ""
        print(f"{entry.name}  ({entry.alias}{default})")
        print("\n".join(wrap(f"{entry.summary}; {entry.reference}", 76, initial_indent="    ",
                             subsequent_indent="    ")))  # fmt: skip
    print("\n`quantext methods NAME` says more of one, and when to choose it.")


def _explain(entry: "Method") -> None:
    from inspect import getdoc
    from textwrap import fill

    print(fill(f"{entry.name}: {entry.summary}.", 80), end="\n\n")
    print(fill(f"Choose it {WHEN[entry.name]}.", 80))
    print(f"\n{entry.reference}\nOn the command line: --method {entry.alias}\n")
    print(f'In Python: quantext.method("{entry.name}"), which is\n{entry.make()}\n')
    explanation = (getdoc(type(entry.make())) or "").partition("\nParameters\n")[0]
    paragraphs = explanation.partition("\nExamples\n")[0].strip().split("\n\n")
    print("\n\n".join(fill(text, 80, break_on_hyphens=False) for text in paragraphs))


def _print_json(chosen: "list[Method]") -> None:
    import json

    rows = [
        {
            "name": entry.name,
            "alias": entry.alias,
            "summary": entry.summary,
            "when": WHEN[entry.name],
            "reference": entry.reference,
        }
        for entry in chosen
    ]
    print(json.dumps(rows))
