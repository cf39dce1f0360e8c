"""The first page: what is in the folder, and what one can do with it."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from quantext.app.folder import Folder
from quantext.app.rendering import page

__all__ = ["ROUTES"]


async def _home(request: Request) -> Response:
    folder: Folder = request.app.state.folder
    files = folder.files()
    kinds = {
        kind: [file for file in files if file.kind == kind] for kind in ("table", "model", "page")
    }
    return page(request, "home.html", files=kinds)


ROUTES = [Route("/", _home)]
