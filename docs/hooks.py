"""What MkDocs fills in when it builds the site: commands, methods and quantifiers, from the code.

``<!-- commands -->`` in a page stands for the reference of the command line, ``<!-- methods -->``
for the table of methods, ``<!-- quantifiers -->`` for the reference of all classes of quantifiers.
"""

import re
from itertools import groupby
from textwrap import dedent
from typing import Any

import typer

import quantext.quantifiers
from quantext.cli import app
from quantext.models.methods import METHODS

__all__ = ["commands", "methods", "on_page_content", "on_page_markdown", "quantifiers"]


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page with what it asks for."""
    for fill in (commands, methods, quantifiers):
        mark = f"<!-- {fill.__name__} -->"
        markdown = markdown.replace(mark, fill()) if mark in markdown else markdown
    return markdown


def on_page_content(html: str, **_: Any) -> str:
    """The page without the roles, such as :func:, that some docstrings have before a name."""
    return re.sub(r":(?:func|class|meth|mod):(<code>)~?(?:[\w.]+\.)?", r"\1", html)


def commands() -> str:
    """Every command with its arguments and options, in Markdown."""
    group: Any = typer.main.get_command(app)
    context = typer.Context(group, info_name="quantext")
    return "\n\n".join(
        _command(group.get_command(context, name), typer.Context(group, context, info_name=name))
        for name in group.list_commands(context)
    )


def _command(command: Any, context: Any) -> str:
    usage = " ".join(["quantext", context.info_name, *command.collect_usage_pieces(context)])
    parts = [f"## quantext {context.info_name}", f"```text\n{usage}\n```", _prose(command.help)]
    for kind in ("argument", "option"):
        records = [
            parameter.get_help_record(context)
            for parameter in command.get_params(context)
            if parameter.param_type_name == kind and parameter.name != "help"
        ]
        rows = [f"| `{name.replace('|', '/')}` | {text} |" for name, text in filter(None, records)]
        if rows:
            parts.append("\n".join([f"| {kind} | |", "|---|---|", *rows]))
    return "\n\n".join(parts)


def _prose(text: str) -> str:
    """Help of a command; indented paragraphs are examples, as one types them."""
    parts = []
    for typed, group in groupby(text.split("\n\n"), lambda part: part.startswith(" ")):
        if typed:
            parts.append("```text\n" + dedent("\n".join(group)).strip() + "\n```")
        else:
            parts += group
    return "\n\n".join(parts)


def methods() -> str:
    """Every method: what it does, when to choose it, who published it."""
    rows = ["| method | what it does | choose it | reference |", "|---|---|---|---|"]
    for entry in METHODS.values():
        names = f"**{entry.name}** `{entry.alias}`" + "".join(f", {own}" for own in entry.aliases)
        rows.append(f"| {names} | {entry.summary} | {entry.when} | {entry.reference} |")
    return "\n".join(rows)


def quantifiers() -> str:
    """Every quantifier: what it is and its parameters, for `Quantifier` has its methods."""
    names = [name for name in quantext.quantifiers.__all__ if name != "Quantifier"]
    return "\n\n".join(f"::: quantext.{name}\n    options:\n      members: false" for name in names)
