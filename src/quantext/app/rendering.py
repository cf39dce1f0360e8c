"""Pages from templates, and the files that they need; all English sentences are in one place."""

import json
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

__all__ = [
    "compile_templates",
    "english",
    "explain",
    "failure",
    "page",
    "plainly",
    "sent",
    "static_files",
]

_TYPES = {".css": "text/css", ".js": "text/javascript"}


@cache
def english() -> Mapping[str, Any]:
    """Every sentence of the app, by page and name."""
    return tomllib.loads(files("quantext.app").joinpath("web", "english.toml").read_text("utf-8"))


def page(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """A page of the app.

    Parameters
    ----------
    request
        That asked for it.
    template
        Name of a template in ``web``.
    status
        Of HTTP.
    values
        What the template shows; ``data``, if it is given, is what its script reads.
    """
    folder = request.app.state.folder
    rendered = (
        _environment()
        .get_template(template)
        .render({"folder": folder.path.name, "say": english(), "data": None} | values)
    )
    return HTMLResponse(rendered, status)


def plainly(said: str) -> str:
    """What a command says, without the options that are named in parentheses.

    Parameters
    ----------
    said
        In a terminal, where they can be typed; a page has fields for them.

    Examples
    --------
    >>> plainly("if that is wrong, say which row it is (--header-row N, in Python header_row=)")
    'if that is wrong, say which row it is'
    """
    return re.sub(r"\s*\((?:[^()]*\s)?--[a-z][^()]*\)", "", said)


def compile_templates() -> None:
    """Make all pages ready, so that the first who asks for one does not wait for it."""
    environment = _environment()
    for name in environment.list_templates(["html"]):
        environment.get_template(name)


async def sent(request: Request) -> dict[str, Any]:
    """What a script has sent: values by name.

    Parameters
    ----------
    request
        Of the script.
    """
    try:
        values = await request.json()
    except RecursionError:
        raise ValueError("what was sent is nested too deeply") from None
    if not isinstance(values, dict):
        raise ValueError("what was sent is not an object of JSON")
    return values


def failure(said: str, status: int = 400) -> Response:
    """An answer to a script that something cannot be done, and why."""
    return JSONResponse({"error": said}, status)


async def explain(request: Request, error: Exception) -> Response:
    """What went wrong, as a page or for a script: bad input, a file that is not there, a full disk.

    Parameters
    ----------
    request
        That went wrong.
    error
        What was raised.
    """
    said, status = str(error), 400
    if isinstance(error, HTTPException):
        said, status = error.detail, error.status_code
    elif isinstance(error, FileNotFoundError):
        said, status = f"there is no {Path(error.filename or said).name} here", 404
    elif isinstance(error, OSError):
        said, status = f"{Path(error.filename or '').name}: {error.strerror or said}", 507
    if "text/html" in request.headers.get("accept", ""):
        return page(request, "failure.html", status, said=said)
    return failure(said, status)


def static_files() -> Route:
    """Where scripts and styles are."""
    return Route("/static/{name}", _static)


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    source = _statics().get(name)
    if source is None:
        return PlainTextResponse("There is no such file.", 404)
    return Response(source.read_bytes(), media_type=_TYPES[name[name.rindex(".") :]])


@cache
def _statics() -> Mapping[str, Traversable]:
    """Files that may be asked for: those of the app, and the look that all pages share."""
    own = {
        path.name: path
        for path in files("quantext.app").joinpath("web").iterdir()
        if path.name.endswith(tuple(_TYPES))
    }
    return own | {"page.css": files("quantext.reports").joinpath("web", "page.css")}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("quantext.app", "web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["for_script"] = _for_script
    environment.filters["plainly"] = plainly
    return environment


def _for_script(data: Any) -> Markup:
    """JSON that cannot end the element it stands in, whatever the names in it are."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace("&", "\\u0026").replace(">", "\\u003e"))
