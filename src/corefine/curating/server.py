"""``--view`` of ``adjudicate`` and ``suspects``: questions answered one by one in a browser.

The server listens on 127.0.0.1. It answers only requests whose path begins with a random token and
whose Host header names it, and refuses large bodies; the page has a content security policy.

An entry is in the log before it is confirmed, so that nothing is lost if the server is killed.
Every document has a revision, the number of its entries. An entry for an older revision is refused,
as from a second tab.
"""

from __future__ import annotations

import hmac
import json
import secrets
import signal
import threading
import traceback
import webbrowser
from collections.abc import Callable
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import msgspec

from corefine.curating.adjudication import Adjudication
from corefine.curating.desk import NOTES, Desk, Entry
from corefine.curating.questions import Question
from corefine.errors import CorefineError
from corefine.output.plain_text import showable
from corefine.report.document_text import text_rows
from corefine.report.page import asset, content_policy, joined_scripts, page_style

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
FIELDS = ("do", "document", "question", "choice", "mention", "spans", "to", "by", "reason")
"""Fields of an entry that the page sends; time and id are the server's."""
Answer = tuple[int, Any]
"""The status of a response and its content: a page, or values for JSON."""


class RefusedError(Exception):
    """A request that gets an error: its status, the message, and further values."""


class Server(ThreadingHTTPServer):
    """A server for an adjudication under a secret address on this machine."""

    daemon_threads = True

    def __init__(
        self, adjudication: Adjudication, write_gold: Callable[[Adjudication], None] | None = None
    ) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.adjudication = adjudication
        self.write_gold = write_gold
        self.token = secrets.token_urlsafe(18)
        self.hosts = {f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost")}
        self.lock = threading.Lock()
        first = next(iter(adjudication.documents), None)
        self.voices = [] if first is None else list(adjudication.sides(first))
        self.gets: dict[str, Callable[[Any], Any]] = {
            "": self.page, "state": self.summary, "document": self.document,
        }  # fmt: skip
        self.posts: dict[str, Callable[[Any], Any]] = {"do": self.do, "write": self.write}

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/{self.token}/"

    def run(self, *, say: Callable[[str], None]) -> None:
        """Open the page in the browser (the variable BROWSER names one) and serve it until
        interrupted."""
        say(f"Serving {self.address} (stop with Ctrl-C)")
        webbrowser.open(self.address)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler)
        try:
            self.serve_forever()
        except KeyboardInterrupt:
            self.lock.acquire()  # a decision that was sent is finished, and none is taken after it
        finally:
            self.server_close()

    def page(self, query: str) -> str:
        """The page as one file, on the text view of the report; only its script runs."""
        title = f"{self.adjudication.title} of {', '.join(self.voices)}"
        body = asset("page/adjudication.html", __package__)
        script = joined_scripts(SCRIPTS, asset("page/adjudication.mjs", __package__))
        style = page_style() + asset("page/curation.css", __package__)
        policy = content_policy(script, style, "connect-src 'self'")
        return showable(
            f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<title>{escape(title)}</title>\n<link rel="icon" href="data:,">\n'
            f"<style>{style}</style>\n</head>\n<body>\n{body}\n"
            f'<script type="module">{script}</script>\n</body>\n</html>\n'
        )

    def summary(self, query: str = "") -> dict[str, Any]:
        """Documents with the number of their questions, and what can be undone."""
        made = self.adjudication
        desks = {name: made.desk(name) for name in made.documents}
        return {
            "title": made.title,
            "voices": self.voices,
            "documents": [
                {"name": name, "questions": len(desk.questions), "open": len(desk.undecided)}
                for name, desk in desks.items()
            ],
            "undo": made.last("undo") is not None,
            "redo": made.last("redo") is not None,
            "writes": self.write_gold is not None,
        }

    def document(self, query: str) -> dict[str, Any]:
        """A document with its text, versions, questions and gold."""
        name = parse_qs(query, keep_blank_values=True).get("name", [""])[0]
        self._require_document(name)
        base = self.adjudication.documents[name].base
        tokens = base.tokens or []
        rows, sentences = text_rows(sorted({0, *base.starts}) if tokens else [], len(tokens))
        return {
            "words": tokens,
            "rows": rows,
            "sentence": sentences,
            "empty": base.empty_nodes,
            "versions": {
                side: [[one.spans for one in mentions] for mentions in document.entities.values()]
                for side, document in self.adjudication.sides(name).items()
            },
            **self.described(name),
        }

    def _require_document(self, name: str) -> None:
        if name not in self.adjudication.documents:
            raise RefusedError(404, f"there is no document {name!r}")

    def described(self, name: str) -> dict[str, Any]:
        """The parts of a document that an entry may change: revision, questions and gold."""
        desk = self.adjudication.desk(name)
        chains: dict[int, list[Any]] = {}
        for mention in sorted(desk.gold, key=lambda one: one.spans):
            chains.setdefault(mention.entity, []).append(mention.spans)
        notes: dict[str, list[Entry]] = {}
        for entry in desk.entries:
            if entry.do in NOTES:
                notes.setdefault(entry.question, []).append(entry)
        return {
            "name": name,
            "revision": self.adjudication.revision(name),
            "gold": list(chains.values()),
            "questions": [
                _described(desk, question, notes.get(question.id, []))
                for question in desk.questions.values()
            ],
        }

    def do(self, sent: Any) -> dict[str, Any]:
        """Take an entry, unless the document was changed in the meantime."""
        made = self.adjudication
        try:
            entry = msgspec.convert({name: sent[name] for name in FIELDS if name in sent}, Entry)
            revision = sent["revision"]
        except (ValueError, TypeError, KeyError):
            raise RefusedError(400, "not an entry") from None
        if entry.do == "undo" or entry.do == "redo":
            done = made.reverse(entry.do, entry.by)
            if done is None:
                raise RefusedError(422, f"there is nothing to {entry.do}")
            entry = done
        else:
            self._require_document(entry.document)
            if revision != made.revision(entry.document):
                message = "this document was changed elsewhere in the meantime"
                raise RefusedError(409, message, self._state(entry.document))
            made.do(entry)
        return {**self._state(entry.document), "question": entry.question}

    def _state(self, document: str) -> dict[str, Any]:
        return {"summary": self.summary(), "document": self.described(document)}

    def write(self, sent: Any) -> dict[str, Any]:
        """Write the gold."""
        if self.write_gold is None:
            raise RefusedError(400, "no file was named for the result")
        self.write_gold(self.adjudication)
        gold = self.adjudication.gold
        counts = {"mentions": len(gold.mentions), "entities": len(gold.entities)}
        return counts | {"undecided": len(self.adjudication.undecided)}


def _described(desk: Desk, question: Question, notes: list[Entry]) -> dict[str, Any]:
    answer = desk.answers.get(question.id)
    values: dict[str, Any] = msgspec.to_builtins(question)
    return values | {
        "proposal": question.proposal,
        "decision": desk.in_words(question) if answer else None,
        "how": answer.do if answer else None,
        "by": answer.by if answer else None,
        "flagged": any(note.do == "flag" for note in notes),
        "skipped": any(note.do == "skip" for note in notes),
        "comments": [note.reason for note in notes if note.reason],
    }


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of one page."""

    timeout = 60
    """Seconds to wait for the rest of a request."""

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, *_: Any) -> None:
        """Requests are not logged: their path is a secret."""

    def _answer(self) -> None:
        status = 200
        try:
            content = self._content(cast("Server", self.server))
        except RefusedError as error:
            status, message, *more = error.args
            content = {"error": message, **(more[0] if more else {})}
        except CorefineError as error:
            status, content = 422, {"error": str(error)}
        except Exception as error:  # an error of the program, which the page and the log shall name
            traceback.print_exc()
            status, content = 500, {"error": f"{type(error).__name__}: {error}"}
        is_page = isinstance(content, str)
        text = content if is_page else json.dumps(content, allow_nan=False)
        body = text.encode("utf-8", "replace")
        self.send_response_only(status)
        kind = "text/html; charset=utf-8" if is_page else "application/json"
        more_headers = {"content-type": kind, "content-length": str(len(body))}
        for name, value in (HEADERS | more_headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _route(self, server: Server) -> tuple[str, str]:
        """The path after the token, and the query; raises an error for a request from elsewhere."""
        if self.headers.get("host", "") not in server.hosts:
            raise RefusedError(421, "wrong host")
        token, _, path = self.path.removeprefix("/").partition("/")
        if not hmac.compare_digest(token.encode(), server.token.encode()):
            raise RefusedError(404, "not found")
        origin = self.headers.get("origin")
        if origin is not None and origin.partition("://")[2] not in server.hosts:
            raise RefusedError(403, "wrong origin")
        found = urlsplit(path)
        return found.path, found.query

    def _content(self, server: Server) -> Any:
        path, query = self._route(server)
        known = server.posts if self.command == "POST" else server.gets
        if path not in known:
            raise RefusedError(404, "not found")
        # The body is read without the lock: its sender may be slow.
        sent = self._body() if self.command == "POST" else query
        with server.lock:
            return known[path](sent)

    def _body(self) -> Any:
        """The values that a request sends."""
        if self.headers.get("content-type", "").partition(";")[0] != "application/json":
            raise RefusedError(400, "the body must be application/json")
        length = self.headers.get("content-length", "")
        if not (length.isascii() and length.isdigit() and len(length) < 19):
            raise RefusedError(411, "the length of the body is missing")
        if int(length) > LARGEST_BODY:
            raise RefusedError(413, f"more than {LARGEST_BODY:,} bytes")
        try:
            return json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise RefusedError(400, "the body is not JSON") from None
