"""A suite of the size of CorefUD's development sets, from the command line."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.measuring import run_together
from benchmarks.results import Bytes, Criterion, Report, Table
from benchmarks.sections.options import Options
from benchmarks.suites import DATA_SETS, suite

#: Seconds on two cores.
LIMIT = 10


def run(options: Options) -> Report:
    keys, responses = suite()
    command: list[str | Path] = [sys.executable, "-m", "corefine", "score", "--suite"]
    command += [keys, responses, "--preset", "crac25", "--jobs", "2", "--output", "json"]
    run_together(command, watched=False)  # fills the caches
    runs = [run_together(command, watched=False) for _ in range(options.repeats)]
    best = min(runs, key=lambda one: one.wall)
    peak = run_together(command).peak
    size = sum(file.stat().st_size for folder in (keys, responses) for file in folder.iterdir())
    words = sum(words for _, words in DATA_SETS.values())
    table = Table(
        f"{len(DATA_SETS)} data sets of {words:,} words, preset crac25 with intervals, 2 processes",
        ["size", "wall s", "CPU s", "peak", "runs"],
        [[Bytes(size), best.wall, best.cpu, Bytes(peak), len(runs)]],
    )
    claim = f"a suite of {len(DATA_SETS)} data sets, wall time"
    return Report([table], [Criterion(claim, best.wall, LIMIT, " s")])
