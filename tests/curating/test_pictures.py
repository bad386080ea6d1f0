"""The pictures of docs/adjudicating.md: a session on docs/examples/letter.

With the variable COREFINE_PICTURES set to a folder they are written there; without it they are
only taken, and those of the documentation must be there in the same size.
"""

from __future__ import annotations

import os
import re
import signal
import struct
from pathlib import Path
from typing import Any

import pytest

from tests.building.serving import Serving

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
LETTER = ROOT / "docs" / "examples" / "letter"


def size_of(picture: bytes) -> tuple[int, int]:
    """Width and height of a PNG."""
    assert picture.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


def keep(page: Any, name: str) -> None:
    page.mouse.move(1, 1)
    picture = page.screenshot()
    folder = os.environ.get("COREFINE_PICTURES")
    if folder is not None:
        (ROOT / folder / f"{name}.png").write_bytes(picture)
    shown = (ROOT / "docs" / "images" / f"{name}.png").read_bytes()
    assert size_of(shown) == size_of(picture)


@pytest.fixture
def served(tmp_path, tab):
    """Serve a command on the three annotations and open its page."""
    started = []

    def serve(command: str) -> Any:
        files = (str(LETTER / f"{name}.conll") for name in ("anna", "ben", "eva"))
        serving = Serving(command, *files, "--view", "--log", str(tmp_path / "log.jsonl"))
        started.append(serving)
        page = tab(serving.address).page
        page.set_viewport_size({"width": 1200, "height": 900})
        page.fill("#by", "Mary")
        page.locator("#question").focus()
        return page

    yield serve
    for serving in started:
        serving.stop(signal.SIGKILL)


def decided(page: Any, count: int) -> None:
    page.locator("#progress", has_text=re.compile(f"^{count} of")).wait_for()


def test_pictures_of_a_session(served):
    page = served("adjudicate")
    keep(page, "adjudicate-span")
    page.keyboard.press("e")
    page.keyboard.press("Shift+ArrowRight")
    page.locator("#editor .inside").nth(2).wait_for()
    keep(page, "adjudicate-editor")
    page.keyboard.press("Escape")
    for number in range(2):
        page.keyboard.press("Enter")
        decided(page, number + 1)
    keep(page, "adjudicate-link")
    page.locator("#text .seg.above .tag").nth(1).click()
    page.locator("#mention").wait_for()
    keep(page, "adjudicate-mention")
    page.keyboard.press("Escape")
    for number in range(2, 7):
        page.keyboard.press("1")
        decided(page, number + 1)
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    page.select_option("#show", "all")
    page.locator("#queue button").nth(2).click()
    page.locator("#options .chosen").wait_for()
    keep(page, "adjudicate-phone")


def test_a_picture_of_suspects(served):
    page = served("suspects")
    keep(page, "suspects-view")
