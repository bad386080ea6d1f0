"""The adjudication page, driven in a browser against the real server."""

from __future__ import annotations

import http.client
import json
import re
import signal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import corefine
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention
from tests.building.serving import Serving

pytest.importorskip("uvicorn", reason="the extra view is not installed")
pytest.importorskip("starlette", reason="the extra view is not installed")
pytestmark = pytest.mark.slow

TEXT = "Ada met Eve . She gave her the key . It was old . Ada smiled ."
STARTS = [0, 4, 10, 14]
ANNA = [[(0, 1), (4, 5), (14, 15)], [(2, 3), (6, 7)], [(7, 9), (10, 11)]]
BEN = [[(0, 1), (6, 7), (14, 15)], [(2, 3), (4, 5)], [(8, 9), (10, 11)]]


def write_corpus(path: Path, entities: list[list[tuple[int, int]]]) -> str:
    mentions = [Mention(f"e{n}", [span]) for n, spans in enumerate(entities) for span in spans]
    document = Document("story", TEXT.split(), mentions, sentences=STARTS)
    corefine.write(Corpus.from_documents([document]), path)
    return str(path)


class Desk:
    """An adjudication of two annotators, served by a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.serving = Serving(
            "adjudicate",
            write_corpus(folder / "anna.conll", ANNA), write_corpus(folder / "ben.conll", BEN),
            "--view", "--log", str(folder / "log.jsonl"), "-o", str(folder / "gold.conll"),
        )  # fmt: skip

    @property
    def address(self) -> str:
        return self.serving.address

    @property
    def decisions(self) -> list[dict[str, Any]]:
        lines = (self.folder / "log.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines[1:]]


@pytest.fixture
def desk(tmp_path):
    made = Desk(tmp_path)
    yield made
    made.serving.stop(signal.SIGKILL)


def decided(page: Any, count: int) -> None:
    page.locator("#progress", has_text=re.compile(f"^{count} of")).wait_for()


def test_two_annotators_are_adjudicated_with_the_keyboard(desk, tab, serious_violations):
    opened = tab(desk.address)
    page = opened.page
    assert page.locator("#groups li").count() == 2
    assert serious_violations(page) == []
    page.keyboard.press("2")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    decided(page, 1)
    # The key: a new span, with a reason and a name.
    page.get_by_role("button", name="the key", exact=True).click()
    page.fill("#span", "8")
    page.click("#edit")
    page.fill("#reason", "the article is not part of it")
    page.fill("#by", "Eva")
    page.click("#confirm")
    decided(page, 2)
    page.click("#write")
    page.locator("#message", has_text="3 entities").wait_for()
    assert {url for url in opened.requests if not url.startswith(desk.address)} <= {"data:,"}
    assert opened.complaints == []
    assert desk.serving.stop() == 0
    gold = corefine.read(desk.folder / "gold.conll").to_dict()["story"]
    expected = [
        {(0, 0), (4, 4), (14, 14)}, {(2, 2), (6, 6)}, {(8, 8), (10, 10)},
    ]  # fmt: skip
    assert sorted(map(sorted, gold)) == sorted(map(sorted, expected))
    first, second = desk.decisions
    assert first["action"] == "accept anna"
    assert second["action"] == "edit"
    assert (second["by"], second["reason"]) == ("Eva", "the article is not part of it")


def test_merging_splitting_and_dropping_show_what_they_entail(desk, tab):
    page = tab(desk.address).page
    page.keyboard.press("m")
    assert page.locator("#gold .entity").count() == 1
    assert "links that no annotator has" in page.inner_text("#entailed")
    page.get_by_role("button", name="Eve", exact=True).click()
    page.keyboard.press("s")
    assert page.locator("#gold .entity").count() == 2
    page.get_by_role("button", name="her", exact=True).click()
    page.keyboard.press("d")
    assert "mentions left out: her" in page.inner_text("#entailed")
    page.keyboard.press("Enter")
    decided(page, 1)
    (decision,) = desk.decisions
    assert decision["entities"] == [[[[0, 1]], [[4, 5]], [[14, 15]]], [[[2, 3]]]]


def test_a_second_tab_does_not_overwrite_the_first(desk, tab):
    first, second = tab(desk.address), tab(desk.address)
    first.page.keyboard.press("1")
    first.page.keyboard.press("Enter")
    decided(first.page, 1)
    second.page.keyboard.press("2")
    second.page.keyboard.press("Enter")
    second.page.wait_for_selector("#message.bad")
    assert "decided elsewhere" in second.page.inner_text("#message")
    assert [one["action"] for one in desk.decisions] == ["accept anna"]
    second.page.keyboard.press("2")
    second.page.keyboard.press("Enter")
    second.page.wait_for_selector("#message", state="hidden")
    assert [one["action"] for one in desk.decisions] == ["accept anna", "accept ben"]


def test_confirmed_decisions_survive_a_killed_server(desk, tab):
    page = tab(desk.address).page
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    decided(page, 1)
    desk.serving.stop(signal.SIGKILL)
    page.keyboard.press("Enter")
    page.wait_for_selector("#message.bad")
    desk.serving.start()
    again = tab(desk.address).page
    decided(again, 1)
    assert [one["action"] for one in desk.decisions] == ["accept ben"]
    assert again.locator("#groups .done").count() == 1


def test_requests_from_elsewhere_are_refused(desk):
    parts = urlsplit(desk.address)
    good = {"Host": parts.netloc}
    sent = {**good, "Content-Type": "application/json"}

    def status(path: str, headers: dict[str, str], body: bytes | None = None) -> int:
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)
        try:
            connection.request("GET" if body is None else "POST", path, body, headers)
            return connection.getresponse().status
        except (BrokenPipeError, ConnectionResetError):
            return 413  # refused before the body was sent
        finally:
            connection.close()

    assert status(parts.path, good) == 200
    assert status(parts.path, {"Host": "evil.example"}) == 421
    assert status("/", good) == 404
    assert status("/wrong/state", good) == 404
    for path in ("../gold.conll", "%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "log.jsonl"):
        assert status(parts.path + path, good) == 404
    decide = parts.path + "decide"
    assert status(decide, {**sent, "Origin": "https://evil.example"}, b"{}") == 403
    assert status(decide, good, b"{}") == 400
    assert status(decide, sent, b"{}") == 400
    assert status(decide, sent, b"x" * 10_000_000) == 413
    body = {"group": "none", "revision": 0, "entities": [], "action": "drop"}
    assert status(decide, sent, json.dumps(body).encode()) == 404
    assert not (desk.folder / "log.jsonl").exists()
