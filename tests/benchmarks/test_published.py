"""The tables of the documentation that the benchmark makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import published
from benchmarks.page_tables import PAGES, tables_of
from benchmarks.results import Bytes, Criterion, Report, Table

ABOUT = {
    "commit": {"name": "abc", "date": "2026-11-17T02:00:00+00:00"},
    "machine": {"cores": 2, "memory GB": 24, "python": "3.11.7", "numpy": "2.4.6"},
    "repeats": 5,
}


def run(**sections: Report) -> dict[str, Any]:
    return {**ABOUT, "sections": {name: one.to_dict() for name, one in sections.items()}}


def test_a_section_takes_the_place_of_its_older_one() -> None:
    first = run(startup=Report([], [Criterion("help", 2, 1)]), scale=Report([], []))
    second = run(startup=Report([], [Criterion("help", 0.5, 1)]))
    results = published.with_run(published.with_run({}, first), second)
    assert [*results] == ["startup", "scale"]
    assert published.tables(results)["bench-limits"].splitlines()[2:] == [
        "| startup | help | 0.5× | 1× |  |"
    ]
    held = published.tables(published.with_run({}, first))["bench-limits"]
    assert held.splitlines()[2:] == ["| startup | help | 2× | 1× | not held |"]


def test_tables_are_those_of_their_sections() -> None:
    table = Table(
        "corefine score, all", ["size", "CPU s", "peak"], [["×1", 0.25, Bytes(9_500_000)]]
    )
    made = published.tables(published.with_run({}, run(scale=Report([table], []))))
    assert made["bench-files"].splitlines()[2:] == ["| ×1 | 0.25 | 10 MB |"]
    assert "| scale | abc | 2026-11-17 | 2 cores, 24 GB |" in made["bench-machine"]
    assert "bench-startup" not in made


def test_results_go_into_the_file_and_into_the_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published, "FILE", tmp_path / "published.json")
    monkeypatch.setattr(published, "PAGES", tmp_path)
    page, other = tmp_path / "page.md", tmp_path / "other.md"
    page.write_text("<!-- table bench-limits -->\n<!-- end of table -->\n", "utf-8")
    other.write_text("nothing\n", "utf-8")
    found = run(startup=Report([], [Criterion("help", 0.5, 1)]))
    assert published.publish(found) == [tmp_path / "published.json", page]
    made = published.tables(published.published())
    assert tables_of(page.read_text("utf-8")) == {"bench-limits": made["bench-limits"]}


def test_the_pages_show_what_was_published() -> None:
    made = published.tables(published.published())
    for page in PAGES.rglob("*.md"):
        for name, table in tables_of(page.read_text("utf-8")).items():
            if name in published.TABLES:
                assert table == made.get(name, ""), (
                    f"{name} of {page.name}: scripts/bench --publish"
                )
