"""Results that the documentation shows: kept in a file of the repository, and made into its tables.

``scripts/bench --publish`` puts what it measured into this file, section by section, and writes the
tables of the pages anew. Nothing in them is copied by hand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.page_tables import PAGES, markdown, tables_of, with_tables

FILE = Path(__file__).with_name("published.json")

Results = Mapping[str, Any]
"""By section: its tables and criteria as JSON, and the commit, the machine and the repeats."""


def published() -> dict[str, Any]:
    """What was published last."""
    return dict(json.loads(FILE.read_text("utf-8"))) if FILE.exists() else {}


def with_run(before: Results, run: Mapping[str, Any]) -> dict[str, Any]:
    """The published results with the sections of a run in the place of their older ones."""
    about = {name: run[name] for name in ("commit", "machine", "repeats")}
    sections = {name: {**section, **about} for name, section in run["sections"].items()}
    return {**before, **sections}


def publish(run: Mapping[str, Any]) -> list[Path]:
    """Put a run into the file and into the pages, and give what was written."""
    results = with_run(published(), run)
    FILE.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", "utf-8")
    written = [FILE]
    made = tables(results)
    for page in sorted(PAGES.rglob("*.md")):
        text = page.read_text("utf-8")
        if made.keys() & tables_of(text).keys():
            page.write_text(with_tables(text, made), "utf-8")
            written.append(page)
    return written


def tables(results: Results) -> dict[str, str]:
    """The tables of the pages that these results can make, by name."""
    made = {}
    for name, make in TABLES.items():
        table = make(results)
        if table is not None:
            made[name] = table
    return made


def _limits(results: Results) -> str | None:
    """Every limit of every section, with what was measured."""
    rows = [
        [section, one["claim"], *_amounts(one), "" if one["holds"] else "not held"]
        for section, found in results.items()
        for one in found["criteria"]
    ]
    return markdown(["section", "what", "measured", "limit", ""], rows, left=2) if rows else None


def _amounts(criterion: Mapping[str, Any]) -> list[str]:
    unit = criterion["unit"]
    numbers = criterion["value"], criterion["limit"]
    return [f"{n:.3g}{unit}" if n < 1000 else f"{n:,.0f}{unit}" for n in numbers]


def _machine(results: Results) -> str | None:
    """Where and when each section was measured; sections of one run share a row."""
    runs: dict[tuple[str, ...], list[str]] = {}
    for section, found in results.items():
        machine = found["machine"]
        about = (
            found["commit"]["name"],
            found["commit"]["date"][:10],
            f"{machine['cores']} cores, {machine['memory GB']} GB",
            f"Python {machine['python']}, NumPy {machine['numpy']}",
            str(found["repeats"]),
        )
        runs.setdefault(about, []).append(section)
    rows = [[", ".join(sections), *about] for about, sections in runs.items()]
    columns = ["sections", "commit", "date", "machine", "versions", "runs"]
    return markdown(columns, rows, left=5) if rows else None


def _copied(section: str, title: str) -> Callable[[Results], str | None]:
    """A table of a section, found by the beginning of its title."""

    def make(results: Results) -> str | None:
        for table in results.get(section, {}).get("tables", ()):
            if table["title"].startswith(title):
                columns = list(table["rows"][0])
                rows = [[_cell(column, row[column]) for column in columns] for row in table["rows"]]
                return markdown(columns, rows)
        return None

    return make


def _cell(column: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, int) and value > 1_000_000 and ("peak" in column or "file" in column):
        return f"{value / 1e6:,.0f} MB"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


TABLES: dict[str, Callable[[Results], str | None]] = {
    "bench-limits": _limits,
    "bench-machine": _machine,
    "bench-startup": _copied("startup", "Whole processes"),
    "bench-files": _copied("scale", "corefine score"),
    "bench-workers": _copied("scale", "Dask"),
    "bench-shuffles": _copied("scale", "Randomization test"),
    "bench-analyses": _copied("analyses", "Files ×1,"),
    "bench-cross-validation": _copied("resolving", "Cross-validation"),
}
"""How each table of the pages is made; None where its section was not measured."""
