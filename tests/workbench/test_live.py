"""The live report, served from a folder of runs that changes."""

from __future__ import annotations

import os
import random
import re
import threading

import pytest

import corefine
from corefine.cli import main
from corefine.corpus.corpus import Corpus
from tests.building.report_corpora import harbour_key, harbour_split, harbour_wrong
from tests.building.serving import Serving

pytest.importorskip("uvicorn", reason="the extra view is not installed")
pytest.importorskip("starlette", reason="the extra view is not installed")
pytestmark = pytest.mark.slow

HOSTILE = "<img src=x onerror=alert(1)>.conll"


@pytest.fixture
def runs(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    corefine.write(harbour_key(), folder / "key.conll")
    corefine.write(harbour_wrong(), folder / "a.conll")
    return folder


@pytest.fixture
def serving(runs):
    made = Serving("view", str(runs))
    yield made
    made.stop()


def shown_runs(page) -> list[str]:
    return page.locator("#runs tbody th").all_inner_texts()


def test_new_and_changed_runs_appear_without_a_reload(serving, runs, tab, tmp_path):
    opened = tab(serving.address)
    page = opened.page
    assert shown_runs(page) == ["a.conll"]
    page.evaluate("() => { document.body.dataset.same = 'page'; }")
    corefine.write(harbour_split(), runs / "b.conll")
    page.locator("#runs", has_text="b.conll").wait_for()
    score = corefine.score(runs / "key.conll", runs / "b.conll", metrics="conll")["conll"]
    assert f"{100 * score.f1:.2f}" in page.inner_text("#runs")
    (runs / "b.conll").write_text("#begin document (x); part 000\nx 0 0 word - - (0\n")
    page.locator("#runs", has_text="b.conll: ").wait_for()
    corefine.write(harbour_key(), runs / "b.conll")
    page.locator("#runs", has_text="100.00").wait_for()
    assert page.get_attribute("body", "data-same") == "page"
    assert opened.complaints == []
    assert serving.stop() == 0


def test_two_runs_are_compared_with_links_to_the_text(runs, tab):
    corefine.write(harbour_key(), runs / "b.conll")
    serving = Serving("view", str(runs / "key.conll"), str(runs / "a.conll"), str(runs / "b.conll"))
    try:
        page = tab(serving.address).page
        wrong = _wrong(harbour_key(), harbour_wrong())
        page.locator("#difference", has_text=f"fixed {wrong} errors, introduced 0").wait_for()
        page.click("#items summary")
        assert page.locator("#lists li").count() == wrong
        page.locator("#lists a").first.click()
        frame = page.frame_locator("#report")
        frame.locator("#reading:not([hidden])").wait_for()
        page.select_option("#first", "b")
        page.select_option("#second", "a")
        page.locator("#difference", has_text=f"fixed 0 errors, introduced {wrong}").wait_for()
    finally:
        serving.stop()


def _wrong(key: Corpus, response: Corpus) -> int:
    """Missing mentions, and mentions without an earlier one of their entity in their cluster."""
    count = 0
    ours, theirs = key.to_dict(), response.to_dict()
    for name, entities in ours.items():
        owner = {m: n for n, entity in enumerate(theirs[name]) for m in entity}
        for entity in entities:
            for at, mention in enumerate(entity):
                found = owner.get(mention)
                count += found is None
                earlier = [owner.get(other) for other in entity[:at]]
                count += bool(at) and (found is None or found not in earlier)
    return count


def test_a_hostile_folder_shows_only_its_own_files(runs, tab, tmp_path):
    outside = tmp_path / "secret.conll"
    corefine.write(harbour_split(), outside)
    os.symlink(outside, runs / "link.conll")
    (runs / HOSTILE).write_bytes((runs / "a.conll").read_bytes())
    (runs / ".hidden.conll").write_bytes((runs / "a.conll").read_bytes())
    for number in range(10_000):
        (runs / f"junk{number}.bin").write_bytes(b"\0\1")
        os.utime(runs / f"junk{number}.bin", (1, 1))
    whole = (runs / "a.conll").read_bytes()
    stopped = threading.Event()

    def rewrite() -> None:
        while not stopped.wait(0.01):
            (runs / "changing.conll").write_bytes(whole[: random.randrange(len(whole))])

    writer = threading.Thread(target=rewrite)
    writer.start()
    serving = Serving("view", str(runs))
    try:
        opened = tab(serving.address)
        names = shown_runs(opened.page)
        assert HOSTILE in names
        assert len(names) == 30
        assert not {"link.conll", ".hidden.conll"} & set(names)
        assert "newest 30 of 10,003" in opened.page.inner_text("#message")
        assert opened.complaints == []
    finally:
        stopped.set()
        writer.join()
        serving.stop()


def test_an_exported_site_needs_no_server(runs, tab, tmp_path):
    corefine.write(harbour_split(), runs / "b.conll")
    assert main(["view", str(runs), "--export", str(tmp_path / "site")]) == 0
    opened = tab((tmp_path / "site" / "index.html").as_uri())
    assert shown_runs(opened.page) == ["a.conll", "b.conll"]
    assert re.search(r"fixed \d+ errors", opened.page.inner_text("#difference"))
    opened.page.frame_locator("#report").locator("html[data-started]").wait_for()
    assert all(url.startswith(("file:", "data:")) for url in opened.requests)


def test_a_folder_without_a_key_is_refused(tmp_path):
    assert main(["view", str(tmp_path)]) == 2
    assert main(["view", str(tmp_path / "nothing")]) == 2
