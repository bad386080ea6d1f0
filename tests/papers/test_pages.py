"""Numbers of the papers in docs/ are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.papers.pages import DOCS, REGION, REGIONS, figures, made, pages, sentences

REMEDY = "stale: run python -m tests.papers.pages"


MADE = [page for page in pages() if "<!-- made:" in page.read_text("utf-8")]


@pytest.mark.parametrize("page", MADE, ids=lambda page: page.stem)
def test_the_tables_of_a_page_are_those_that_the_code_makes(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text.count("<!-- made:") == len(REGION.findall(text)) == text.count("<!-- end:")
    assert made(text) == text, REMEDY


def test_every_table_that_the_code_makes_stands_in_a_page() -> None:
    found = [
        match["name"] for page in pages() for match in REGION.finditer(page.read_text("utf-8"))
    ]
    assert set(found) == set(REGIONS)


def test_sentences_with_numbers_of_the_papers_are_as_computed() -> None:
    for page, expected in sentences().items():
        text = re.sub(r"\s+", " ", (DOCS / page).read_text("utf-8"))
        for sentence in expected:
            assert sentence in text, f"{page}: {sentence}"


@pytest.mark.parametrize("name", figures())
def test_the_charts_are_those_that_the_code_draws(name: str) -> None:
    assert (DOCS / "images" / name).read_text("utf-8") == figures()[name].to_svg(), REMEDY


def test_a_stale_table_is_seen() -> None:
    page = "<!-- made: weights -->\n\n| preset |\n\n<!-- end: weights -->\n"
    assert made(page) != page
    assert made(made(page)) == made(page)
