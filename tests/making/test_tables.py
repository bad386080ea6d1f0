"""Generated parts of the documentation are those that the code generates."""

from __future__ import annotations

import re

import pytest

from docs.making import (
    DOCS,
    REGION,
    items,
    markdown,
    mention_kinds,
    metric_table,
    pages,
    papers,
    performance,
    regions_of,
    resolvers,
    rules,
    suspects,
    with_regions,
)

REMEDY = "stale: run scripts/tables"
PAGE = """
<!-- made: x -->
<!-- end: x -->
between
<!-- made: y -->

old

<!-- end: y -->
"""


def test_parts_are_written_into_their_places():
    table = markdown(["", "F1"], [["soon", 1], ["sieve", 2]])
    written = with_regions(PAGE, {"x": table})
    assert regions_of(written) == {"x": table, "y": "old"}
    assert with_regions(written, {"x": table}) == written
    assert table.splitlines()[1] == "| --- | ---: |"


def test_every_generated_part_is_in_a_page_and_none_is_empty():
    known = {**papers.REGIONS, **performance.TABLES, **mention_kinds.TABLES, **resolvers.TABLES}
    known |= {**rules.REGIONS, **items.REGIONS, **metric_table.REGIONS, **suspects.TABLES}
    found: list[str] = []
    for page in pages():
        text = page.read_text("utf-8")
        assert text.count("<!-- made:") == len(REGION.findall(text)) == text.count("<!-- end:")
        parts = regions_of(text)
        assert all(parts.values()), f"{page.name} has an empty table"
        found += parts
    assert set(found) == set(known)


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_tables_of_papers_and_benchmarks_are_not_stale(page):
    made = papers.REGIONS | rules.REGIONS | metric_table.REGIONS
    for name, part in regions_of(page.read_text("utf-8")).items():
        if name in made:
            assert part == made[name](), REMEDY
        elif name in performance.TABLES:
            assert part == performance.TABLES[name](performance.published()), REMEDY


def test_sentences_with_numbers_of_the_papers_are_as_computed():
    for page, expected in papers.sentences().items():
        text = re.sub(r"\s+", " ", (DOCS / page).read_text("utf-8"))
        for sentence in expected:
            assert sentence in text, f"{page}: {sentence}"


@pytest.mark.parametrize("name", papers.figures())
def test_charts_of_papers_are_not_stale(name):
    assert (DOCS / "images" / name).read_text("utf-8") == papers.figures()[name].to_svg(), REMEDY


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", mention_kinds.TABLES)
def test_the_page_of_mention_types_is_not_stale(data, name):
    corpora = ["gum-repository"] if name == "guess-genres" else list(mention_kinds.CORPORA)
    folders = [data / corpus for corpus in corpora]
    page = (DOCS / "mention-kinds.md").read_text("utf-8")
    assert regions_of(page)[name] == mention_kinds.TABLES[name](folders[0].parent)


@pytest.mark.data
@pytest.mark.slow
def test_the_page_of_resolvers_is_not_stale(data):
    """All its tables take minutes: what is fast to make again is made again."""
    pytest.importorskip("sklearn", reason="the extra resolve is not installed")
    folder = (data / "gum").parent
    assert (data / "litbank").exists()
    tables = regions_of((DOCS / "resolving.md").read_text("utf-8"))
    assert set(tables) - set(performance.TABLES) == set(resolvers.TABLES)
    assert tables["resolver-base-rates"] == resolvers.base_rates(folder)
    cells = rows_of(tables["resolvers"])
    for preset in ("headmatch", "sieve", *resolvers.FLOORS):
        (row,) = cells[f"`{preset}`"]
        assert row[3].split(" [")[0] == resolvers.f1_of(folder, "GUM", preset)


def rows_of(table: str) -> dict[str, list[list[str]]]:
    """The cells behind the first one of each row, by the first one."""
    rows: dict[str, list[list[str]]] = {}
    for line in table.splitlines()[2:]:
        name, *cells = line.removeprefix("| ").removesuffix(" |").split(" | ")
        rows.setdefault(name, []).append(cells)
    return rows
