"""What MkDocs fills in when it builds the site: commands, methods, quantifiers and a notebook.

``<!-- commands -->`` in a page stands for the reference of the command line, ``<!-- methods -->``
for the table of methods, ``<!-- quantifiers -->`` for the reference of all classes of quantifiers,
``<!-- notebook -->`` for what the notebook ``weeks.ipynb`` says, does and gives.
"""

import json
import re
from itertools import groupby
from pathlib import Path
from textwrap import dedent
from typing import Any

import typer

import quantext.quantifiers
from quantext.cli import app
from quantext.models.methods import METHODS

__all__ = [
    "commands",
    "methods",
    "notebook",
    "on_page_content",
    "on_page_markdown",
    "on_post_page",
    "quantifiers",
]


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page with what it asks for."""
    for fill in (commands, methods, notebook, quantifiers):
        mark = f"<!-- {fill.__name__} -->"
        markdown = markdown.replace(mark, fill()) if mark in markdown else markdown
    return markdown


def on_page_content(html: str, **_: Any) -> str:
    """The page without the roles, such as :func:, that some docstrings have before a name.

    And with tables that scroll by themselves, also by the keyboard, if the page is too narrow. A
    cell at their head that says nothing is none that screen readers should announce.
    """
    html = re.sub(r":(?:func|class|meth|mod):(<code>)~?(?:[\w.]+\.)?", r"\1", html)
    html = re.sub(r"<th( [^>]*)?></th>", r"<td\1></td>", html)
    table = r'<div class="table" role="group" aria-label="Table" tabindex="0">\g<0></div>'
    return re.sub(r"<table>.*?</table>", table, html, flags=re.DOTALL)


def on_post_page(output: str, **_: Any) -> str:
    """The page with a name for its search, which Material leaves without one."""
    return output.replace('role="dialog"', 'role="dialog" aria-label="Search"', 1)


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
    return "\n\n".join(
        f"::: quantext.quantifiers.{name}\n    options:\n      members: false" for name in names
    )


def notebook() -> str:
    """Cells of the notebook and what they gave when it was last run; its title is the page's."""
    cells = json.loads(Path(__file__).with_name("weeks.ipynb").read_text("utf-8"))["cells"]
    parts = []
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        else:
            parts.append(f"```python\n{source}\n```")
            parts += (_output(output, cell["metadata"]) for output in cell["outputs"])
    return "\n\n".join(parts)


def _output(output: Any, metadata: Any) -> str:
    """What a cell gave: an image, a table, or else a text."""
    data = output.get("data", {})
    if "image/png" in data:
        return f"![{metadata['alt']}](data:image/png;base64,{data['image/png']})"
    if "text/html" in data:
        return "".join(data["text/html"])
    return "```text\n" + "".join(output.get("text") or data["text/plain"]).strip("\n") + "\n```"
