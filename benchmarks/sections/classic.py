"""Two CoNLL-2012 files: what reading and scoring them costs."""

from __future__ import annotations

import sys

from benchmarks import corpora
from benchmarks.measuring import Cost, MeasurementError, run_repeatedly, workload, workload_command
from benchmarks.results import Bytes, Cell, Criterion, Report, Table
from benchmarks.scorers import SCORERS
from benchmarks.sections.options import Options

FLOOR_LIMIT = 8
MEMORY_LIMIT = 3
#: At ×1 the memory is Python's and NumPy's own, whatever is scored.
MEMORY_FROM_FACTOR = 10
SCORCH_LARGEST_FACTOR = 10


def scorch_limit(factor: int) -> float:
    """The share of scorch's time that the whole process may take: imports weigh less and less."""
    return 1 / 5 if factor < 10 else 1 / 12


def run(options: Options) -> Report:
    return Report.joined(_at(factor, options.repeats) for factor in options.factors)


def _at(factor: int, repeats: int) -> Report:
    pair = corpora.conll(factor)
    files = {"key": str(pair.key), "response": str(pair.response)}
    notes: list[str] = []

    in_process, measured = workload("read_and_score", **files, repeats=repeats)
    floor_process, _ = workload("floor", **files)
    whole = run_repeatedly(
        [sys.executable, "-m", "corefine", "score", pair.key, pair.response], repeats
    )
    costs: dict[str, Cost] = {
        "floor: NumPy reads both files, counts newlines and brackets": Cost(
            measured["floor"], floor_process.peak, measured["runs"]
        ),
        "corefine: read and score, without imports": Cost(
            measured["corefine"], in_process.peak, measured["runs"]
        ),
        "corefine: whole process": whole,
    }
    criteria = [
        Criterion(
            f"×{factor}: read and score, as multiple of the floor",
            measured["corefine"] / measured["floor"],
            FLOOR_LIMIT,
        )
    ]
    if factor >= MEMORY_FROM_FACTOR:
        criteria.append(
            Criterion(
                f"×{factor}: peak memory, as multiple of the two files",
                whole.peak / pair.size,
                MEMORY_LIMIT,
            )
        )

    if factor <= SCORCH_LARGEST_FACTOR:
        process, scorch = workload("scorch", **files, repeats=repeats)
        in_memory = Cost(scorch["metrics"], process.peak, scorch["runs"])
        from_files = run_repeatedly(workload_command("scorch_once", **files), repeats)
        costs["scorch: its five metrics, in memory"] = in_memory
        costs["scorch: whole process, its reader and its five metrics"] = from_files
        criteria += [
            Criterion(
                f"×{factor}: whole process, as share of scorch's {what}",
                whole.cpu / cost.cpu,
                scorch_limit(factor),
            )
            for what, cost in (
                ("five metrics in memory", in_memory),
                ("whole process", from_files),
            )
        ]
    for scorer in SCORERS:
        if scorer.checkout is None or factor > scorer.largest_factor:
            continue
        try:
            costs[scorer.name] = scorer.measure(scorer.checkout, factor, repeats)
        except MeasurementError as problem:
            notes.append(f"{scorer.name} could not be measured: {problem}")

    floor = measured["floor"]
    rows: list[list[Cell]] = [
        [name, cost.cpu, cost.cpu / floor, cost.cpu / whole.cpu, Bytes(cost.peak), cost.runs]
        for name, cost in costs.items()
    ]
    table = Table(
        f"Two CoNLL-2012 files, ×{factor}: {Bytes(pair.size)} together",
        ["what", "CPU s", "/ floor", "/ corefine", "peak", "runs"],
        rows,
    )
    return Report([table], criteria, notes)
