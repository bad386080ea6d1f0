"""The adjudication page, driven in a browser against the real server."""

from __future__ import annotations

import json
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest

import corefine
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention
from tests.building.serving import Serving
from tests.building.sessions import (
    answer_all,
    clicked,
    counts,
    digest,
    gold_of,
    pressed,
    put_versions,
)

pytestmark = pytest.mark.slow

TEXT = "Ada met Eve . She gave her the key . It was old . Ada smiled ."
STARTS = [0, 4, 10, 14]
VERSIONS = {
    "anna": [[(0, 1), (4, 5), (14, 15)], [(2, 3), (6, 7)], [(7, 9), (10, 11)]],
    "ben": [[(0, 1), (6, 7), (14, 15)], [(2, 3), (4, 5)], [(8, 9), (10, 11)]],
    "eva": [[(0, 1), (4, 5), (14, 15)], [(2, 3), (6, 7)], [(8, 9), (10, 11)]],
}


def document(name: str, entities: list[list[tuple[int, int]]]) -> Document:
    mentions = [Mention(f"e{n}", [span]) for n, spans in enumerate(entities) for span in spans]
    return Document(name, TEXT.split(), mentions, starts=STARTS)


class Desk:
    """An adjudication of three annotators and two documents, served by a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        paths = []
        for name, entities in VERSIONS.items():
            corpus = Corpus.from_documents(document(story, entities) for story in ("one", "two"))
            corefine.write(corpus, folder / f"{name}.conll")
            paths.append(str(folder / f"{name}.conll"))
        self.serving = Serving(
            "adjudicate", *paths,
            "--view", "--log", str(folder / "log.jsonl"), "-o", str(folder / "gold.conll"),
        )  # fmt: skip

    @property
    def address(self) -> str:
        return self.serving.address

    @property
    def entries(self) -> list[dict[str, Any]]:
        lines = (self.folder / "log.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines[1:]]

    def gold(self) -> dict[str, set[frozenset[Any]]]:
        found = corefine.read(self.folder / "gold.conll").to_dict()
        return {name: set(map(frozenset, entities)) for name, entities in found.items()}


@pytest.fixture
def desk(tmp_path):
    made = Desk(tmp_path)
    yield made
    made.serving.stop(signal.SIGKILL)


def decided(page: Any, count: int) -> None:
    page.locator("#progress", has_text=re.compile(f"^{count} of")).wait_for()


MAJORITY = {
    frozenset(one) for one in ([(0, 1), (4, 5), (14, 15)], [(2, 3), (6, 7)], [(8, 9), (10, 11)])
}


def test_a_session_by_keyboard(desk, tab):
    opened = tab(desk.address)
    page = opened.page
    total = int(page.inner_text("#progress").split(" of ")[1].split()[0])
    page.fill("#by", "Eva")
    page.locator("#question").focus()
    for number in range(total):
        page.locator("#options .option").first.wait_for()
        page.keyboard.press("Enter" if number < total // 2 else "1")
        decided(page, number + 1)
    page.locator("#message", has_text="All questions are decided").wait_for()
    assert {one["do"] for one in desk.entries} == {"accept", "answer"}
    assert {one["document"] for one in desk.entries} == {"one", "two"}
    page.click("#write")
    page.locator("#message", has_text="6 entities").wait_for()
    assert desk.gold() == {"one": MAJORITY, "two": MAJORITY}
    page.locator("#question").focus()
    for key, count in (("u", total - 1), ("u", total - 2), ("r", total - 1)):
        page.keyboard.press(key)
        decided(page, count)
    assert {url for url in opened.requests if not url.startswith(desk.address)} <= {"data:,"}
    assert opened.complaints == []
    assert desk.serving.stop() == 0


SEEDED_GOLD = "d6cff138949795aa"
"""The gold of the seeded session, in which answers depend on the number of the question alone."""


@pytest.mark.parametrize("act", [pressed, clicked])
def test_a_seeded_session_gives_the_stored_gold(tmp_path, tab, act):
    """Three annotators of two documents, by keyboard alone or by mouse; then all is undone."""
    log = tmp_path / "log.jsonl"
    files = put_versions(tmp_path, sentences=6)
    serving = Serving("adjudicate", *files, "--view", "--log", str(log))
    try:
        page = tab(serving.address).page
        start = gold_of(page)
        answers = answer_all(page, act)
        gold = gold_of(page)
        assert digest(gold) == SEEDED_GOLD
        (tmp_path / "copy.jsonl").write_bytes(log.read_bytes())
        replayed = corefine.adjudicate(*reversed(files), rule=None, log=tmp_path / "copy.jsonl")
        assert replayed.undecided == []
        for number in range(answers):
            page.keyboard.press("u") if act is pressed else page.click("#undo")
            wait_for_lines(log, answers + number + 2)
        page.locator("#undo:disabled").wait_for()
        assert counts(page)[0] == 0
        assert gold_of(page) == start
    finally:
        serving.stop(signal.SIGKILL)


def wait_for_lines(log: Path, count: int) -> None:
    """Wait until a log has so many lines."""
    while log.read_bytes().count(b"\n") < count:
        time.sleep(0.01)


def test_spans_mentions_and_notes_by_mouse(desk, tab):
    page = tab(desk.address).page
    assert "proposed" in page.locator(".option.proposed").inner_text()
    page.get_by_role("button", name="e Another span").click()
    page.locator("#editor button", has_text="gave").click()
    page.keyboard.press("Shift+ArrowRight")
    page.locator("#editor").get_by_role("button", name="Take").click()
    decided(page, 1)
    assert desk.entries[-1]["choice"] == {"spans": [[[5, 7]]]}
    page.keyboard.press("u")
    decided(page, 0)
    page.keyboard.press("b")
    page.locator("#progress", has_text=re.compile("^1 of")).wait_for()
    assert desk.entries[-1]["choice"] == {"spans": [[[8, 9]], [[7, 9]]]}
    page.fill("#reason", "articles?")
    page.click("#flag")
    page.locator("#queue .flagged").wait_for()
    assert desk.entries[-1]["reason"] == "articles?"
    # Ada and the Ada at the end are agreed on: one of them is taken apart again.
    page.locator("#text .seg.above .tag").first.click()
    page.get_by_role("button", name="Entity of its own", exact=True).click()
    page.wait_for_selector("#mention", state="hidden")
    assert desk.entries[-1]["do"] == "move"
    assert desk.entries[-1]["mention"] == [[0, 1]]


def test_a_second_tab_does_not_overwrite_the_first(desk, tab):
    first, second = tab(desk.address), tab(desk.address)
    first.page.keyboard.press("1")
    decided(first.page, 1)
    second.page.keyboard.press("2")
    second.page.locator("#message", has_text="changed elsewhere").wait_for()
    assert len(desk.entries) == 1
    decided(second.page, 1)
    second.page.keyboard.press("2")  # the same question, now on purpose
    second.page.wait_for_selector("#message", state="hidden")
    assert len(desk.entries) == 2


def test_confirmed_entries_survive_a_killed_server(desk, tab):
    page = tab(desk.address).page
    page.keyboard.press("2")
    decided(page, 1)
    desk.serving.stop(signal.SIGKILL)
    page.keyboard.press("1")
    page.locator("#message", has_text="does not answer").wait_for()
    desk.serving.start()
    again = tab(desk.address).page
    decided(again, 1)
    assert len(desk.entries) == 1


@pytest.mark.parametrize("width", [1400, 1000, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_width_and_scheme_is_accessible(desk, tab, serious_violations, width, scheme):
    page = tab(desk.address).page
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    assert serious_violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("document.querySelector('#text').scrollTo(0, 0)")
    head, row = (page.locator(f"#text {one}").first.bounding_box() for one in (".head", ".row"))
    assert head["y"] + head["height"] <= row["y"] + 1


def test_suspects_are_judged_on_the_same_page(tmp_path, tab):
    paths = []
    for name, version in {"key": "ben", "a": "eva", "b": "eva"}.items():
        corpus = Corpus.from_documents([document("one", VERSIONS[version])])
        corefine.write(corpus, tmp_path / f"{name}.conll")
        paths.append(str(tmp_path / f"{name}.conll"))
    log, out = tmp_path / "log.jsonl", tmp_path / "new.conll"
    serving = Serving("suspects", *paths, "--view", "--log", str(log), "--save", str(out))
    try:
        page = tab(serving.address).page
        page.keyboard.press("1")
        decided(page, 1)
        page.keyboard.press("2")
        decided(page, 2)
    finally:
        assert serving.stop() == 0
    marks = [json.loads(line)["choice"]["mark"] for line in log.read_text().splitlines()[1:]]
    assert marks == ["key wrong", "systems wrong"]
    assert corefine.read(out).to_dict() != corefine.read(paths[0]).to_dict()
