"""The HTML report of 100 documents and two systems: its size, and how fast it opens and answers."""

from __future__ import annotations

from benchmarks import corpora
from benchmarks.browsing import EMPTY
from benchmarks.measuring import workload
from benchmarks.results import Bytes, Cell, Criterion, Report, Table
from benchmarks.sections.options import Options

MEGABYTES_LIMIT = 8.0
SECONDS_LIMIT = 1.0


def run(options: Options) -> Report:
    pair = corpora.conll(1)
    cost, measured = workload(
        "report", key=str(pair.key), response=str(pair.response), repeats=options.repeats
    )
    size = int(measured.pop("size"))
    rows: list[list[Cell]] = [
        ["documents", int(measured.pop("documents"))],
        ["tokens", int(measured.pop("tokens"))],
        ["size of the file", str(Bytes(size))],
        ["making it: CPU s", measured.pop("making")],
        ["the whole process: peak memory", str(Bytes(cost.peak))],
    ]
    criteria = [
        Criterion("the report of 100 documents and two systems", size / 1e6, MEGABYTES_LIMIT, " MB")
    ]
    if not measured:
        rows.append(["there is no browser to open it in", None])
    for step, seconds in measured.items():
        rows.append([f"{step}: s", seconds])
        if step == EMPTY:
            continue
        criteria.append(Criterion(f"in the browser: {step}", seconds, SECONDS_LIMIT, " s"))
    return Report([Table("The HTML report", ["", "value"], rows)], criteria)
