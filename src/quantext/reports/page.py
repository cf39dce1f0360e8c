"""Pages: a template and its data rendered as one HTML file that needs nothing beside itself."""

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

__all__ = ["column", "fact", "render_page"]


def render_page(template: str, summary: Mapping[str, Any], scripts: Sequence[str]) -> str:
    """One self-contained HTML page.

    Parameters
    ----------
    template
        Name of a template in ``web`` that extends ``base.html``.
    summary
        What the template shows; ``summary["data"]`` is what the scripts draw.
    scripts
        Names of the scripts in ``web``, in the order in which they run.
    """
    css = _file("page.css")
    code = [_file(name) for name in scripts]
    policy = (
        f"default-src 'none'; script-src {' '.join(map(_hash, code))}; "
        f"style-src {_hash(css)}; img-src data:; base-uri 'none'; form-action 'none'"
    )
    return (
        _environment()
        .get_template(template)
        .render(
            summary=summary,
            policy=policy,
            css=Markup(css),
            scripts=[Markup(text) for text in code],
            data=_json(summary["data"]),
        )
    )


def column(label: str, *, numeric: bool, theirs: bool = False) -> dict[str, Any]:
    """A column for the page's macro."""
    css = " ".join(name for name, there in (("n", numeric), ("theirs", theirs)) if there)
    return {"label": label, "theirs": theirs, "css": css}


def fact(label: str, value: Any) -> dict[str, Any]:
    """A label, and the value as people read it."""
    if isinstance(value, Mapping):
        parts = [f"{name}: {part}" for name, part in value.items()]
    else:
        parts = [str(part) for part in value] if isinstance(value, list | tuple) else []
    text = f"{value:,}" if isinstance(value, int) else str(value)
    return {"label": label, "text": "" if parts else text, "parts": parts}


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("quantext.reports", "web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    environment.filters["unbroken"] = _unbroken
    return environment


def _unbroken(text: str) -> Markup:
    """Text in which no line ends within 1.32e-03, a date or t-test: browsers break at a hyphen.

    What is longer than such things may break, or it would not fit on a phone.
    """
    whole = r'<span class="nowrap">\g<0></span>'
    short = r"(?<!\S)(?=\S{1,24}(?!\S))\S*(?:\de?-\d|t-test)\S*"
    return Markup(re.sub(short, whole, str(escape(text))))


def _file(name: str) -> str:
    """Text of a file of ``web``."""
    return files("quantext.reports").joinpath("web", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """How a content security policy names the one script or style that it allows."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _json(data: Any) -> Markup:
    """JSON that cannot end the element it stands in, whatever the names in it are."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace("&", "\\u0026").replace(">", "\\u003e"))
