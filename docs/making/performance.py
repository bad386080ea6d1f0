"""Tables of docs/scale.md and docs/resolving.md: results of the benchmark.

``scripts/bench --publish`` puts its results into ``benchmarks/published.json``, section by section.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from docs.making import ROOT, markdown

FILE = ROOT / "benchmarks" / "published.json"

Results = Mapping[str, Any]
"""By section: its tables and criteria as JSON, and the commit, the machine and the repeats."""


def published() -> dict[str, Any]:
    """The published results."""
    return dict(json.loads(FILE.read_text("utf-8"))) if FILE.exists() else {}


def with_run(before: Results, run: Mapping[str, Any]) -> dict[str, Any]:
    """The published results, with the sections of a run replaced."""
    about = {name: run[name] for name in ("commit", "machine", "repeats")}
    sections = {name: {**section, **about} for name, section in run["sections"].items()}
    return {**before, **sections}


def publish(run: Mapping[str, Any]) -> None:
    """Put a run into the file of published results."""
    results = with_run(published(), run)
    FILE.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", "utf-8")


def _limits(results: Results) -> str:
    """Limits and measured values of all sections."""
    rows = [
        [section, one["claim"], *_amounts(one), "" if one["holds"] else "not held"]
        for section, found in results.items()
        for one in found["criteria"]
    ]
    return markdown(["section", "what", "measured", "limit", ""], rows, left=2)


def _amounts(criterion: Mapping[str, Any]) -> list[str]:
    unit = criterion["unit"]
    numbers = criterion["value"], criterion["limit"]
    return [f"{n:.3g}{unit}" if n < 1000 else f"{n:,.0f}{unit}" for n in numbers]


def _machine(results: Results) -> str:
    """Commit, date and machine of each section; sections of one run share a row."""
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
    return markdown(columns, rows, left=5)


def _copied(section: str, title: str) -> Callable[[Results], str]:
    """A table of a section, found by the beginning of its title."""

    def make(results: Results) -> str:
        for table in results.get(section, {}).get("tables", ()):
            if table["title"].startswith(title):
                columns = list(table["rows"][0])
                rows = [[_cell(column, row[column]) for column in columns] for row in table["rows"]]
                return markdown(columns, rows)
        raise ValueError(f"{title} was not published: run scripts/bench {section} --publish")

    return make


def _cell(column: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, int) and value > 1_000_000 and ("peak" in column or "file" in column):
        return f"{value / 1e6:,.0f} MB"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


TABLES: dict[str, Callable[[Results], str]] = {
    "bench-limits": _limits,
    "bench-machine": _machine,
    "bench-startup": _copied("startup", "Whole processes"),
    "bench-analyses": _copied("analyses", "Files ×1,"),
    "bench-features": _copied("resolving", "All pairs"),
    "bench-training": _copied("resolving", "Training on more"),
    "bench-cross-validation": _copied("resolving", "Cross-validation"),
}
"""Tables by name; a section that was not published is an error."""
