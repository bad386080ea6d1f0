"""The server of adjudication: its answers, and the requests that it refuses."""

from __future__ import annotations

import http.client
import json
import threading
from typing import Any
from urllib.parse import urlsplit

import pytest

import corefine
from corefine.corpus.corpus import Corpus
from corefine.curating.adjudication import adjudicate
from corefine.curating.server import Server

HOSTILE = [
    b"[]",
    b'{"do": "add", "document": "one", "spans": [[0, 1]]}',
    b'{"do": "add", "revision": 0, "document": "one", "spans": [[0, 1e999]]}',
    b'{"do": "add", "revision": 0, "document": "one", "spans": ' + b"[" * 90_000 + b"}",
]
"""Bodies that are no entry; a log with the like is refused in the same way."""
REFUSED: list[dict[str, Any]] = [
    {"do": "comment", "document": "one", "reason": "\ud800"},
    {"do": "answer", "document": "one", "question": "one:span:4"},
    {"do": "undo", "document": "one"},
]


@pytest.fixture
def server(tmp_path):
    """A server of two annotators in a thread of its own."""
    words = ["Ada", "gave", "her", "the", "key"]
    entities = {"anna": [[(0, 1), (2, 3)], [(3, 5)]], "ben": [[(0, 1)], [(2, 3)], [(4, 5)]]}
    corpora = {name: Corpus.from_spans(words, one, "one") for name, one in entities.items()}
    adjudication = adjudicate(corpora, rule=None)
    with adjudication.logging(tmp_path / "log.jsonl"):
        made = Server(adjudication, lambda one: corefine.write(one.gold, tmp_path / "gold.conll"))
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()
        made.server_close()


def answered(
    server: Server, path: str, headers: dict[str, str], body: bytes | None = None
) -> tuple[int, Any]:
    """The status of an answer and what it says."""
    parts = urlsplit(server.address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
    try:
        connection.request("GET" if body is None else "POST", path, body, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        is_json = answer.headers["content-type"] == "application/json"
        return answer.status, json.loads(text) if is_json else text
    except (BrokenPipeError, ConnectionResetError):
        return 413, None  # refused before the body was sent
    finally:
        connection.close()


def test_a_session_without_a_browser(server, tmp_path):
    parts = urlsplit(server.address)
    sent = {"Host": parts.netloc, "Content-Type": "application/json"}

    def get(path: str) -> Any:
        return answered(server, parts.path + path, sent)

    def post(path: str, **entry: Any) -> Any:
        return answered(server, parts.path + path, sent, json.dumps(entry).encode())

    assert get("")[1].startswith("<!doctype html>")
    assert get("state")[1]["documents"] == [{"name": "one", "questions": 2, "open": 2}]
    _, shown = get("document?name=one")
    span = shown["questions"][0]
    assert (span["kind"], span["proposal"], span["decision"]) == ("span", None, None)
    entry = {"document": "one", "question": span["id"], "by": "Eva"}
    choice = {"spans": [[[3, 5]]]}
    status, after = post("do", do="answer", revision=0, choice=choice, **entry)
    assert (status, after["document"]["questions"][0]["decision"]) == (200, "the key")
    assert post("do", do="answer", revision=0, choice=choice, **entry)[0] == 409
    assert post("do", do="comment", revision=1, reason="why?", **entry)[0] == 200
    assert post("do", do="undo", revision=2, document="one")[1]["summary"]["redo"]
    status, told = post("write")
    assert (status, told["mentions"], told["undecided"]) == (200, 2, 1)
    assert len(corefine.read(tmp_path / "gold.conll").mentions) == 2
    with Server(server.adjudication) as other:  # a second one is served at the same time
        assert other.server_port != server.server_port


def test_requests_from_elsewhere_are_refused(server, tmp_path):
    parts = urlsplit(server.address)
    good = {"Host": parts.netloc}
    sent = {**good, "Content-Type": "application/json"}

    def status(path: str, headers: dict[str, str], body: bytes | None = None) -> int:
        found: int = answered(server, path, headers, body)[0]
        return found

    assert status(parts.path, good) == 200
    assert status(parts.path, {"Host": "evil.example"}) == 421
    assert status("/", good) == 404
    assert status("/wrong/state", good) == 404
    for path in ("../gold.conll", "%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "log.jsonl"):
        assert status(parts.path + path, good) == 404
    do = parts.path + "do"
    assert status(do, {**sent, "Origin": "https://evil.example"}, b"{}") == 403
    assert status(do, good, b"{}") == 400
    assert status(do, sent, b"x" * 10_000_000) == 413
    for body in HOSTILE:
        assert status(do, sent, body) == 400, body[:80]
    for entry in REFUSED:
        assert status(do, sent, json.dumps({"revision": 0, **entry}).encode()) == 422, entry
    unknown = {"do": "flag", "revision": 0, "document": "none"}
    assert status(do, sent, json.dumps(unknown).encode()) == 404
    assert (tmp_path / "log.jsonl").read_bytes() == b""
    assert status(parts.path + "state", good) == 200
