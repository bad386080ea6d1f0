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
from typing import Any

import uvicorn
from markupsafe import escape
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from corefine.errors import UsageError
from corefine.output.plain_text import showable
from corefine.report.page import asset, content_policy

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

    def __init__(self, routes: list[Route], port: int = 0, **lifespan: Any) -> None:
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self.socket.bind(("127.0.0.1", port))
        except OSError as error:
            self.socket.close()
            message = f"port {port} cannot be used: {error.strerror}"
            raise UsageError(message, remedy="Choose another one with --port.") from None
        self.socket.listen()
        self.port = int(self.socket.getsockname()[1])
        self.token = secrets.token_urlsafe(18)
        hosts = frozenset(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost"))
        app = Starlette(routes=[Mount(f"/{self.token}", routes=routes)], **lifespan)
        app.add_exception_handler(TooLargeError, _refuse_large)
        self.app = Guard(app, self.token, hosts)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/{self.token}/"

    def run(self, *, browser: bool, say: Callable[[str], None]) -> None:
        """Serve until interrupted."""
        say(f"Serving {self.address} (stop with Ctrl-C)")
        if browser:
            webbrowser.open(self.address)
        config = uvicorn.Config(
            self.app, log_level="critical", lifespan="on", timeout_graceful_shutdown=1
        )
        _InterruptibleServer(config).run(sockets=[self.socket])


async def _refuse_large(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"error": f"more than {LARGEST_BODY:,} bytes"}, 413)


def page(name: str, title: str, data: Any = None) -> str:
    """A page from its body ``NAME.html`` and script ``NAME.mjs``, as one file.

    ``data`` is available to the script as JSON. Only the page's own script and style run.
    """
    body = asset(f"{name}.html", __package__)
    script = asset("elements.mjs", __package__) + asset(f"{name}.mjs", __package__)
    style = asset("palette.css") + asset("workbench.css", __package__)
    policy = content_policy(script, style, "connect-src 'self'", "frame-src 'self' file:")
    embedded = json.dumps(data).replace("<", "\\u003c")
    return showable(
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{escape(title)}</title>\n<link rel="icon" href="data:,">\n'
        f"<style>{style}</style>\n</head>\n<body>\n{body}\n"
        f'<script type="application/json" id="data">{embedded}</script>\n'
        f'<script type="module">{script}</script>\n</body>\n</html>\n'
    )


def html(text: str) -> HTMLResponse:
    """A page as a response."""
    return HTMLResponse(text.encode("utf-8", "replace"))
