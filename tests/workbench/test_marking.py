"""Marks of suspects: the log, the requests of the page, and the page in a browser."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest

import corefine
from corefine.cli import main
from corefine.cli.samples import sample_path
from corefine.errors import CorefineError
from corefine.explaining.suspects import MARKS, Suspects
from corefine.workbench.log import Mark, append_marks, read_marks, with_marks

pytest.importorskip("uvicorn", reason="the extra view is not installed")
testclient = pytest.importorskip("starlette.testclient", reason="httpx is not installed")

SIDES = [sample_path("careful"), f"one={sample_path('key')}", f"two={sample_path('eager')}"]


@pytest.fixture
def found() -> Suspects:
    key, one, two = (path.partition("=")[2] or path for path in SIDES)
    return corefine.suspects(key, {"one": one, "two": two})


def client(found: Suspects, log: Path) -> Any:
    from corefine.workbench.marking import marking_server

    server = marking_server(found, log)
    server.socket.close()
    return testclient.TestClient(server.app, base_url=server.address)


def test_the_last_mark_counts_and_decides_on_the_correction(found, tmp_path):
    log = tmp_path / "marks.jsonl"
    first, second = found[0], found[1]
    append_marks(log, [Mark(one.id, MARKS[0], "Eva") for one in (first, second)])
    append_marks(log, [Mark(first.id, MARKS[1], reason="idiom")])
    with open(log, "a") as file:
        file.write('{"suspect": "cut off')
    marked = with_marks(found, read_marks(log))
    assert [marked.marks[one.id] for one in (first, second)] == ["systems wrong", "key wrong"]
    assert "key wrong 1, systems wrong 1" in marked.verdict
    assert marked.to_dict()["suspects"][0]["mark"] == "systems wrong"
    missing = first.mentions[0]
    assert missing in [tuple(m.spans) for d in found.corrected(1) for m in d.mentions]
    assert missing not in [tuple(m.spans) for d in marked.corrected(1) for m in d.mentions]


@pytest.mark.parametrize(
    "line", ['{"adjudication": 1}', '{"suspects": 1}\n{"mark": "perhaps"}', "?"]
)
def test_another_log_is_refused(line: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(f"{line}\n")
    with pytest.raises(CorefineError) as error:
        read_marks(tmp_path / "log")
    assert error.value.where is not None


def test_requests_of_the_page(found, tmp_path):
    log = tmp_path / "marks.jsonl"
    asked = client(found, log)
    assert "Who is wrong?" in asked.get("").text
    suspect = asked.get("state").json()[0]
    sent = {"suspect": suspect["id"], "mark": "debatable", "revision": 0, "by": "Eva"}
    assert asked.post("mark", json=sent).json()["suspect"]["revision"] == 1
    assert asked.post("mark", json=sent).status_code == 409
    assert asked.post("mark", json={**sent, "mark": "perhaps"}).status_code == 400
    assert asked.post("mark", json={**sent, "suspect": "x"}).status_code == 404
    assert asked.post("mark", json=[]).status_code == 400
    assert asked.post("mark", content=b"x" * (2 << 20)).status_code in (400, 413)
    assert asked.get("state", headers={"host": "example.org"}).status_code == 421
    assert [(one.mark, one.by) for one in read_marks(log)] == [("debatable", "Eva")]
    assert client(found, log).get("state").json()[0]["mark"]["mark"] == "debatable"
    log.unlink()
    log.mkdir()
    assert asked.post("mark", json={**sent, "revision": 1}).status_code == 500


def test_the_command_shows_marks_and_needs_a_log_for_the_page(found, tmp_path, capsys):
    log = tmp_path / "marks.jsonl"
    append_marks(log, [Mark(found[0].id, MARKS[2])])
    assert main(["suspects", *SIDES, "--log", str(log), "--output", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["suspects"][0]["mark"] == "debatable"
    assert main(["suspects", *SIDES, "--view"]) == 2


@pytest.mark.slow
def test_suspects_are_marked_with_the_keyboard_and_survive_a_killed_server(
    tmp_path, tab, serious_violations
):
    from tests.building.serving import Serving

    log = tmp_path / "marks.jsonl"
    serving = Serving("suspects", *SIDES, "--view", "--log", str(log))
    try:
        opened = tab(serving.address)
        page = opened.page
        assert page.locator("#list li").count() == 4
        assert serious_violations(page) == []
        page.fill("#by", "Eva")
        page.fill("#reason", "an idiom")
        page.click("#title")
        page.keyboard.press("2")
        page.locator("#progress", has_text=re.compile("^1 of 4")).wait_for()
        page.keyboard.press("1")
        page.locator("#progress", has_text=re.compile("^2 of 4")).wait_for()
        serving.stop(signal.SIGKILL)
        page.keyboard.press("3")
        page.locator("#message", has_text="does not answer").wait_for()
        serving.start()
        again = tab(serving.address).page
        assert again.inner_text("#progress").startswith("2 of 4")
        assert {url for url in opened.requests if "127.0.0.1" not in url} <= {"data:,"}
    finally:
        serving.stop(signal.SIGKILL)
    marks = read_marks(log)
    assert [one.mark for one in marks] == ["systems wrong", "key wrong"]
    assert (marks[0].by, marks[0].reason) == ("Eva", "an idiom")
