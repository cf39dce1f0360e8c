"""The guard before every page: who may come in, how much they may bring, what pages may do."""

import hmac
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from markupsafe import escape
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quantext.app.door import Door
from quantext.app.rendering import english

__all__ = ["LARGEST", "Guard", "TooLargeError", "too_large"]

LARGEST = 4 << 30  # bytes of a file; of anything else a megabyte
_SMALL = 1 << 20
_READING = ("GET", "HEAD")

# Scripts, styles and pictures only from here, and nothing but these; forms and frames too.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class TooLargeError(Exception):
    """More came than was announced or is allowed."""


class Guard:
    """Lets in requests that come from this machine's own browser and know the secret.

    A page of another site that has turned its name to 127.0.0.1 sends a foreign ``Host``; a form or
    script of another site a foreign ``Origin``; another user of the machine lacks the secret.

    Parameters
    ----------
    app
        What is guarded.
    door
        The address and the secret.
    """

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self.app = app
        self.door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] != "http":
            return  # there are no sockets here, and nothing happens at start or end
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, _with_headers(send))
            return
        await self.app(scope, _counted(receive, _limit(scope)), _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        """What to answer at once, if the request may not go on."""
        headers = Headers(scope=scope)
        hosts = (f"127.0.0.1:{self.door.port}", f"localhost:{self.door.port}")
        host = headers.getlist("host")
        if len(host) != 1 or host[0] not in hosts:
            return PlainTextResponse(_say("host"), 421)
        if not _announced_within(headers, _limit(scope)):
            return too_large()
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        keys = [value for name, value in query if name == "key"]
        if scope["method"] in _READING and keys:
            return self._welcome(scope, query) if self._is_secret(keys) else _stranger()
        if not self._is_secret(_cookies(headers, self.door.cookie)):
            return _stranger()
        if _from_elsewhere(headers, f"http://{host[0]}", scope["method"] in _READING):
            return PlainTextResponse(_say("elsewhere"), 403)
        return None

    def _is_secret(self, said: Iterable[str]) -> bool:
        secret = self.door.secret.encode()
        return any(hmac.compare_digest(one.encode(), secret) for one in said)

    def _welcome(self, scope: Scope, query: list[tuple[str, str]]) -> Response:
        """The same page without the secret in its address, which the browser keeps from now on."""
        rest = urlencode([(name, value) for name, value in query if name != "key"])
        path = "/" + scope["path"].lstrip("/")  # "//elsewhere" would lead to another host
        place = path + (f"?{rest}" if rest else "")
        answer: Response = RedirectResponse(place, 303)
        if Headers(scope=scope).get("sec-fetch-site") == "cross-site":
            # Come by a link or a file, the browser would keep the cookie back on the way to there.
            answer = HTMLResponse(
                '<!doctype html><html lang="en"><title>quantext</title>'
                f'<meta http-equiv="refresh" content="0; url={escape(place)}"></html>'
            )
        answer.set_cookie(
            self.door.cookie, self.door.secret, httponly=True, samesite="strict", path="/"
        )
        return answer


def _from_elsewhere(headers: Headers, own: str, reading: bool) -> bool:
    """Whether a page of another site asks, or of another port of this machine.

    Browsers send them the cookie of this one: its site is the machine, whatever the port.
    """
    origin = headers.getlist("origin")
    if origin != [own]:
        # Who follows a link is nobody's page; a script, a picture or a frame is.
        site, mode = headers.get("sec-fetch-site"), headers.get("sec-fetch-mode")
        asked_by_others = site in ("cross-site", "same-site") and mode != "navigate"
        return bool(origin) or not reading or asked_by_others
    return False


def _cookies(headers: Headers, name: str) -> list[str]:
    found = []
    for line in headers.getlist("cookie"):
        try:
            jar = SimpleCookie(line)
        except CookieError:
            continue
        if name in jar:
            found.append(jar[name].value)
    return found


def _limit(scope: Scope) -> int:
    """Bytes that a request may bring."""
    return LARGEST if scope["method"] == "PUT" and scope["path"].startswith("/files/") else _SMALL


def _announced_within(headers: Headers, limit: int) -> bool:
    announced = headers.get("content-length", "0")
    number = announced.isascii() and announced.isdigit() and len(announced) < 20
    return number and int(announced) <= limit


def _counted(receive: Receive, limit: int) -> Receive:
    """What comes, as long as it is not more than the limit."""
    left = limit

    async def counting() -> Message:
        nonlocal left
        message = await receive()
        if message["type"] == "http.request":
            left -= len(message.get("body", b""))
            if left < 0:
                raise TooLargeError
        return message

    return counting


def _with_headers(send: Send) -> Send:
    """Sending, with what browsers need to know added to each answer."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending


def too_large() -> Response:
    """The answer to who brings too much."""
    said = _say("large").format(most=LARGEST >> 30)
    return PlainTextResponse(said, 413, headers={"connection": "close"})


def _stranger() -> Response:
    return HTMLResponse(
        '<!doctype html><html lang="en"><title>quantext</title>'
        f"<h1>{escape(_say('stranger'))}</h1><p>{escape(_say('stranger_why'))}</p></html>",
        403,
    )


def _say(name: str) -> str:
    return str(english()["guard"][name])
