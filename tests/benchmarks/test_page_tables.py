"""Tables of the documentation that come from real corpora say what the code computes."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import published
from benchmarks.page_tables import (
    PAGES,
    markdown,
    mention_kinds,
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
@pytest.mark.parametrize("name", mention_kinds.TABLES)
def test_the_page_of_mention_types_is_not_stale(data: Path, name: str) -> None:
    corpora = ["gum-repository"] if name == "guess-genres" else list(mention_kinds.CORPORA)
    folders = [data / corpus for corpus in corpora]
    if not all(folder.exists() for folder in folders):
        pytest.skip(f"{', '.join(corpora)} are not all in {data}")
    page = (PAGES / "mention-kinds.md").read_text("utf-8")
    assert tables_of(page)[name] == mention_kinds.TABLES[name](folders[0].parent)


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
    steps = rows_of(tables["resolver-steps"])
    found = [
        cell for name in resolvers.CORPORA for cell in resolvers.step_cells(folder, name, "`soon`")
    ]
    assert steps["`soon`"] == [found]
    cells = rows_of(tables["resolvers"])
    for preset in ("headmatch", "sieve", *resolvers.FLOORS):
        (row,) = cells[f"`{preset}`"]
        for place, name in ((0, "LitBank"), (3, "GUM")):
            assert row[place].split(" [")[0] == resolvers.f1_of(folder, name, preset)
    for name, again in (
        ("resolvers-elsewhere", resolvers.elsewhere(folder, ("sieve", "headmatch"))),
        ("resolver-types", resolvers.types(folder, ("soon",))),
    ):
        made = rows_of(again)
        assert made.items() <= rows_of(tables[name]).items(), name


def test_tables_of_resolvers_do_not_contradict_one_another() -> None:
    """Numbers that stand in two tables of the page, or follow from two numbers of another one."""
    tables = tables_of((PAGES / "resolving.md").read_text("utf-8"))
    measured, steps = rows_of(tables["resolvers"]), rows_of(tables["resolver-steps"])
    presets = {"`soon`": "`soon`", "`ng-cardie`": "and its features: `ng-cardie`"}
    tuned = {
        preset: [float(measured[preset][0][place].split(" [")[0]) for place in (0, 3)]
        for preset in ("`resolve`", "`soon`", "`ng-cardie`", "`headmatch`")
    }
    half = {
        preset: [float(steps[step][0][place]) for place in (0, 4)]
        for preset, step in presets.items()
    }
    for pair, rows in rows_of(tables["resolver-line"]).items():
        better, worse = pair.split(" − ")
        for threshold, *cells in rows:
            scores = tuned if threshold == "tuned" else half
            if better in scores and worse in scores:
                for place, cell in enumerate(cells):
                    difference = scores[better][place] - scores[worse][place]
                    # Three rounded numbers: each is off by half a hundredth at most.
                    assert abs(float(cell.split(",")[0]) - difference) < 0.0151
    # `ng-cardie` tunes by kind in both tables.
    assert [float(steps[presets["`ng-cardie`"]][0][place]) for place in (3, 7)] == tuned[
        "`ng-cardie`"
    ]
    for preset in ("`resolve`", "`soon`", "`ng-cardie`"):
        for number, place in enumerate((1, 4)):
            difference = tuned[preset][number] - tuned["`headmatch`"][number]
            assert abs(float(measured[preset][0][place]) - difference) < 0.0151


def rows_of(table: str) -> dict[str, list[list[str]]]:
    """The cells behind the first one of each row, by the first one."""
    rows: dict[str, list[list[str]]] = {}
    for line in table.splitlines()[2:]:
        name, *cells = line.removeprefix("| ").removesuffix(" |").split(" | ")
        rows.setdefault(name, []).append(cells)
    return rows


def test_every_table_of_the_pages_can_be_made() -> None:
    known = {**mention_kinds.TABLES, **resolvers.TABLES, **published.TABLES}
    found = [name for page in PAGES.rglob("*.md") for name in tables_of(page.read_text("utf-8"))]
    assert sorted(found) == sorted(known)
