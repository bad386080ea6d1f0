"""A local web server with a secret address.

It listens on 127.0.0.1, answers only requests whose path begins with a random token and whose Host
header names this server, and refuses large bodies. Pages carry a content security policy.
"""

from __future__ import annotations

import hmac
import json
import secrets
import signal
import socket
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from corefine.output.plain_text import showable
from corefine.report.page import asset, content_policy, joined_scripts

SCRIPTS = ("dom", "wording", "document", "drawing", "text")
"""Scripts of the report that the page uses: elements, wording, and the text view."""
LARGEST_BODY = 1 << 20
"""Bytes of a request; a decision takes a few thousand."""
HEADERS = {
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
}


class TooLargeError(Exception):
    """A request with a body above the limit."""


class Guard:
    """Middleware that refuses requests from elsewhere and adds headers to all responses."""

    def __init__(self, app: ASGIApp, token: str, hosts: frozenset[str]) -> None:
        self.app = app
        self.token = token
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        problem = self._problem(Request(scope))
        if problem is not None:
            await problem(scope, receive, with_headers)
        else:
            await self.app(scope, receive, with_headers)

    def _problem(self, request: Request) -> PlainTextResponse | None:
        """The refusal of a request, if it must be refused."""
        if request.headers.get("host", "") not in self.hosts:
            return PlainTextResponse("wrong host", 421)
        first = request.url.path.split("/")[1]
        if not hmac.compare_digest(first.encode(), self.token.encode()):
            return PlainTextResponse("not found", 404)
        origin = request.headers.get("origin")
        if origin is not None and origin.partition("://")[2] not in self.hosts:
            return PlainTextResponse("wrong origin", 403)
        return None


async def json_body(request: Request) -> Any:
    """The body of a request as JSON; raises ValueError or TooLargeError."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise ValueError("the body must be application/json")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_BODY:
            raise TooLargeError
    return json.loads(body)


class _InterruptibleServer(uvicorn.Server):
    """A server that ends on Ctrl-C without ending the program."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        before = signal.signal(signal.SIGINT, self.handle_exit)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


class Server:
    """Routes under a secret address on this machine."""

    def __init__(self, routes: list[Route]) -> None:
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen()
        self.port = int(self.socket.getsockname()[1])
        self.token = secrets.token_urlsafe(18)
        hosts = frozenset(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost"))
        app = Starlette(routes=[Mount(f"/{self.token}", routes=routes)])
        app.add_exception_handler(TooLargeError, _refuse_large)
        self.app = Guard(app, self.token, hosts)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/{self.token}/"

    def run(self, *, say: Callable[[str], None]) -> None:
        """Open the page in the browser (the variable BROWSER names one) and serve it until
        interrupted."""
        say(f"Serving {self.address} (stop with Ctrl-C)")
        webbrowser.open(self.address)
        config = uvicorn.Config(
            self.app, log_level="critical", lifespan="on", timeout_graceful_shutdown=1
        )
        _InterruptibleServer(config).run(sockets=[self.socket])


async def _refuse_large(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"error": f"more than {LARGEST_BODY:,} bytes"}, 413)


def page(title: str) -> str:
    """The page of curation as one file, on the text view of the report; only its script runs."""
    body = asset("page/adjudication.html", __package__)
    script = joined_scripts(SCRIPTS, asset("page/adjudication.mjs", __package__))
    style = asset("palette.css") + asset("page.css") + asset("page/curation.css", __package__)
    policy = content_policy(script, style, "connect-src 'self'")
    return showable(
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{escape(title)}</title>\n<link rel="icon" href="data:,">\n'
        f"<style>{style}</style>\n</head>\n<body>\n{body}\n"
        f'<script type="module">{script}</script>\n</body>\n</html>\n'
    )


def html(text: str) -> HTMLResponse:
    """A page as a response."""
    return HTMLResponse(text.encode("utf-8", "replace"))
