"""Tables of the documentation that come from real corpora say what the code computes."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import published
from benchmarks.page_tables import (
    PAGES,
    markdown,
    mention_types,
    resolvers,
    tables_of,
    with_tables,
)

PAGE = """
<!-- table x -->
<!-- end of table -->
between
<!-- table y -->
old
<!-- end of table -->
"""


def test_tables_are_written_into_their_places() -> None:
    table = markdown(["", "F1"], [["soon", 1], ["sieve", 2]])
    written = with_tables(PAGE, {"x": table})
    assert tables_of(written) == {"x": table, "y": "old"}
    assert with_tables(written, {"x": table}) == written
    assert table.splitlines()[1] == "| --- | ---: |"


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", mention_types.TABLES)
def test_the_page_of_mention_types_is_not_stale(data: Path, name: str) -> None:
    folders = [data / corpus for corpus in mention_types.CORPORA]
    page = (PAGES / "mention-types.md").read_text("utf-8")
    assert tables_of(page)[name] == mention_types.TABLES[name](folders[0].parent)


@pytest.mark.data
@pytest.mark.slow
def test_the_page_of_resolvers_is_not_stale(data: Path) -> None:
    """All its tables take minutes: what is fast to make again is made again."""
    pytest.importorskip("sklearn", reason="the extra resolve is not installed")
    folder = (data / "gum").parent
    for corpus in ("litbank", "ontogum", "craft"):
        assert (data / corpus).exists()
    tables = tables_of((PAGES / "resolving.md").read_text("utf-8"))
    assert set(tables) - set(published.TABLES) == set(resolvers.TABLES)
    assert tables["resolver-base-rates"] == resolvers.base_rates(folder)
    steps = {row.split(" | ")[0]: row for row in tables["resolver-steps"].splitlines()}
    found = [
        cell for name in resolvers.CORPORA for cell in resolvers.step_cells(folder, name, "`soon`")
    ]
    assert steps["| `soon`"] == f"| {' | '.join(['`soon`', *found])} |"
    cells = {row.split(" | ")[0]: row.split(" | ") for row in tables["resolvers"].splitlines()}
    for preset in ("headmatch", "sieve", *resolvers.FLOORS):
        row = cells[f"| `{preset}`"]
        for place, name in ((1, "LitBank"), (4, "GUM")):
            assert row[place].split(" [")[0] == resolvers.f1_of(folder, name, preset)


def test_every_table_of_the_pages_can_be_made() -> None:
    known = {**mention_types.TABLES, **resolvers.TABLES, **published.TABLES}
    found = [name for page in PAGES.rglob("*.md") for name in tables_of(page.read_text("utf-8"))]
    assert sorted(found) == sorted(known)
