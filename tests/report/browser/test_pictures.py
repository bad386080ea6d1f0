"""The pictures of the documentation, taken from the examples.

With the variable COREFINE_PICTURES set to a folder they are written there; without it they are
only taken, and those of the documentation must be there in the same size.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Any

import pytest

import corefine
from tests.report.browser.polling import until

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[3]
STORIES = ROOT / "docs" / "examples" / "stories"
NOVELS = ROOT / "docs" / "examples" / "novels"


@pytest.fixture(scope="module")
def stories():
    paths = [STORIES / f"{name}.conllu" for name in ("key", "careful", "eager")]
    return corefine.report(*paths, title="Four stories")


@pytest.fixture(scope="module")
def novels():
    paths = [NOVELS / f"{name}.conll" for name in ("key", "sieve", "soon", "headmatch")]
    return corefine.report(*paths, metrics="conll,lea", title="Ten novels")


def overview(page: Any) -> None:
    page.wait_for_selector("#overview .estimates:visible")


def text(page: Any) -> None:
    page.wait_for_selector("#entity h4")


def beside(page: Any) -> None:
    page.select_option("#beside", "1")
    page.locator("#row-1 .tag[data-side='key']").first.click()
    until(page, "document.querySelector('#entity h4')")


def contrast(page: Any) -> None:
    page.wait_for_selector("#contrast-table tbody a")


def flow(page: Any) -> None:
    page.select_option("#flow-entities", "6")
    page.locator("#flow-systems").get_by_label("headmatch").check()
    page.wait_for_selector(".flow circle")


PICTURES: dict[str, tuple[Any, str, str, dict[str, Any]]] = {
    "report-overview": (overview, "novels", "", {"color_scheme": "light"}),
    "report-contrast": (contrast, "novels", "#contrast?level=links&cell=second",
                        {"color_scheme": "light"}),
    "report-flow-light": (flow, "novels", "#alice/", {"color_scheme": "light"}),
    "report-flow-dark": (flow, "novels", "#alice/", {"color_scheme": "dark"}),
    "report-text": (text, "stories", "#the-lighthouse/2/careful", {"color_scheme": "light"}),
    "report-beside": (beside, "stories", "#the-quartet/", {"color_scheme": "dark"}),
}  # fmt: skip


def size_of(picture: bytes) -> tuple[int, int]:
    """Width and height of a PNG."""
    assert picture.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_of_the_documentation(open_report, stories, novels, name):
    show, made, link, options = PICTURES[name]
    report = {"stories": stories, "novels": novels}[made]
    page = open_report(report, link, viewport={"width": 1200, "height": 930}, **options)
    show(page)
    page.evaluate("document.activeElement.blur()")
    page.mouse.move(1, 1)
    if "flow" in name:
        page.evaluate("document.querySelector('#flow .card-tools').remove()")
        picture = page.locator("#flow").screenshot()
    else:
        picture = page.screenshot()
        assert size_of(picture) == (1200, 930)
    folder = os.environ.get("COREFINE_PICTURES")
    if folder is not None:
        (ROOT / folder / f"{name}.png").write_bytes(picture)
    shown = (ROOT / "docs" / "images" / f"{name}.png").read_bytes()
    assert size_of(shown)[0] == size_of(picture)[0]
