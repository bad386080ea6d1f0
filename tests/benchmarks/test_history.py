"""Results over commits: runs in the order of their commits, values as shares of their limits."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.history import draw, kept, series_of


def write(folder: Path, name: str, date: str, **values: float) -> None:
    criteria = [{"claim": claim, "value": value, "limit": 2} for claim, value in values.items()]
    run = {"commit": {"date": date, "name": name}, "sections": {"startup": {"criteria": criteria}}}
    (folder / f"{name}.json").write_text(json.dumps(run), "utf-8")


def test_runs_are_drawn_in_the_order_of_their_commits(tmp_path: Path) -> None:
    write(tmp_path, "aaa", "2026-02-01", score=3, help=1)
    write(tmp_path, "bbb", "2026-01-01", score=4)
    runs = kept(tmp_path, "startup")
    assert [run["commit"]["name"] for run in runs] == ["bbb", "aaa"]
    lines = {one.name: list(one.values) for one in series_of(runs, "startup")}
    assert lines == {"score": [4 / 2, 3 / 2], "help": [None, 1 / 2]}
    (path,) = draw(tmp_path, "startup")
    assert path.suffix == ".svg"
    assert "bbb, aaa" in path.read_text("utf-8")


def test_a_section_that_was_never_measured_is_not_drawn(tmp_path: Path) -> None:
    write(tmp_path, "aaa", "2026-02-01", score=3)
    assert draw(tmp_path, "analyses") == []
