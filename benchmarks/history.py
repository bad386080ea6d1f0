"""Results over commits: each run is kept beside those of earlier commits, and the limits drawn."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from corefine.output.charts.curves import line_chart
from corefine.output.charts.frame import Series
from corefine.output.plots import save_figures

ROOT = Path(__file__).resolve().parent.parent


def commit_now() -> tuple[str, str]:
    """The date and the short name of the commit that is measured; both empty outside Git."""
    asked = ["git", "-C", str(ROOT), "log", "-1", "--format=%cI %h"]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "", ""
    date, _, name = said.strip().partition(" ")
    return date, name


def kept(folder: Path, section: str) -> list[Mapping[str, Any]]:
    """The runs in a folder that measured a section, the oldest commit first."""
    runs = [json.loads(path.read_text("utf-8")) for path in folder.glob("*.json")]
    return sorted(
        (run for run in runs if section in run["sections"]),
        key=lambda run: (run["commit"]["date"], run["commit"]["name"]),
    )


def series_of(runs: list[Mapping[str, Any]], section: str) -> list[Series]:
    """For each claim its values as shares of the limit; a run that did not ask for it has none."""
    shares = [
        {one["claim"]: one["value"] / one["limit"] for one in run["sections"][section]["criteria"]}
        for run in runs
    ]
    claims = dict.fromkeys(claim for run in shares for claim in run)
    return [Series(claim, [run.get(claim) for run in shares]) for claim in claims]


def draw(folder: Path, section: str) -> list[Path]:
    """A chart of a section's limits over commits, beside the results; 1 is the limit."""
    runs = kept(folder, section)
    series = series_of(runs, section)
    if not series:
        return []
    names = ", ".join(run["commit"]["name"] for run in runs)
    chart = line_chart(
        f"{section}: measured, as share of the limit",
        list(range(1, len(runs) + 1)),
        series,
        unit="number",
        place_unit="integer",
        place_title="commits, the oldest first",
        value_title="share of the limit",
        description=f"Commits: {names}.",
    )
    return save_figures({section: chart}, folder)
