"""The metrics that see names, nominals and pronouns, beside the classic ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from benchmarks import corpora
from benchmarks.measuring import workload
from benchmarks.results import Cell, Criterion, Report, Table
from benchmarks.sections.options import Options

LIMIT = 1
ROUNDS = 8
"""What is measured takes milliseconds: so many times the usual repeats."""


def run(options: Options) -> Report:
    rows: list[list[Cell]] = []
    criteria = []
    pair = corpora.conll(1)
    share = _measure("×1", pair.key, pair.response, "pos", options, rows)[0]
    claim = "LMUC, LB³, LCEAFm, LCEAFe and PARENT, as share of the seven classic metrics"
    criteria.append(Criterion(f"×1: {claim}", share, LIMIT))
    notes = []
    costs = [
        _measure(name, key, response, kinds, options, rows)
        for name, key, response, kinds in _real_pairs()
    ]
    if costs:
        total = sum(cost[1] for cost in costs) / sum(cost[2] for cost in costs)
        criteria.append(Criterion(f"{len(costs)} pairs of real files: {claim}", total, LIMIT))
    else:
        notes.append("Real corpora are measured too where COREFINE_DATA names them.")
    columns = ["files", "mentions", "classic: CPU ms", "linguistic", "both", "share"]
    table = Table(
        "Counting from matched mentions", [*columns, "matching", "kinds of mentions"], rows
    )
    return Report([table], criteria, notes)


def _measure(
    name: str, key: Path, response: Path, kinds: str, options: Options, rows: list[list[Cell]]
) -> tuple[float, float, float]:
    """The share, and what the two sorts of metrics cost."""
    files = {"key": str(key), "response": str(response)}
    _, measured = workload("linguistic", **files, kinds=kinds, repeats=ROUNDS * options.repeats)
    share = measured["linguistic"] / measured["classic"]
    milliseconds = [
        1000 * measured[what] for what in ("classic", "linguistic", "both", "matching", "kinds")
    ]
    rows.append([name, int(measured["mentions"]), *milliseconds[:3], share, *milliseconds[3:]])
    return share, measured["linguistic"], measured["classic"]


def _real_pairs() -> Iterator[tuple[str, Path, Path, str]]:
    """Keys and responses of the real corpora, with the files of kinds beside them."""
    data = os.environ.get("COREFINE_DATA")
    for kinds in sorted(Path(data).glob("*/types.tsv")) if data else ():
        key = kinds.with_name("key.conll")
        for response in sorted(key.parent.glob("*.conll")):
            if response != key:
                name = f"{key.parent.name}/{response.stem}"
                yield name, key, response, f"{kinds},pos"
