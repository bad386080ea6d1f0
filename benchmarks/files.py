"""Two files: the cost of start-up, reading and scoring, compared with a floor and other scorers.

Checkouts of other scorers are measured if environment variables name them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.corpora import Pair, conll, conllu
from benchmarks.measuring import (
    Cost,
    MeasurementError,
    Options,
    cpu_medians,
    run,
    run_repeatedly,
    workload,
    workload_command,
)
from benchmarks.results import Bytes, Cell, Criterion, Report, Table
from corefine.formats.sample import sample_path

SCORE_LIMIT = 1.6
#: To list the commands needs no NumPy, and so costs less than importing it.
HELP_LIMIT = 1.0
FLOOR = "import numpy, click"


def startup(options: Options) -> Report:
    module = [sys.executable, "-m", "corefine"]
    pair = conll(1)
    commands = {
        FLOOR: [sys.executable, "-c", FLOOR],
        "corefine --help": [*module, "--help"],
        "corefine score --help": [*module, "score", "--help"],
        "corefine score, a page": [*module, "score", sample_path("key"), sample_path("careful")],
        "corefine score, ×1": [*module, "score", str(pair.key), str(pair.response)],
    }
    # They take turns, so that a change in the machine's speed meets them all alike.
    rounds = [
        {name: run(command)[0].cpu for name, command in commands.items()}
        for _ in range(options.repeats + 1)
    ][1:]
    cpu = {name: median(one[name] for one in rounds) for name in commands}
    rows: list[list[Cell]] = [[name, cost, cost / cpu[FLOOR]] for name, cost in cpu.items()]
    return Report(
        [Table("Whole processes", ["what", "CPU s", f"/ {FLOOR}"], rows)],
        [
            Criterion(f"{name}, as multiple of {FLOOR}", cpu[name] / cpu[FLOOR], limit)
            for name, limit in (
                ("corefine score, a page", SCORE_LIMIT),
                ("corefine score, ×1", SCORE_LIMIT),
                ("corefine --help", HELP_LIMIT),
            )
        ],
    )


FLOOR_LIMIT = 8
MEMORY_LIMIT = 3
#: At ×1 the memory is Python's and NumPy's own, whatever is scored.
MEMORY_FROM_FACTOR = 10
SCORCH_LARGEST_FACTOR = 10


def scorch_limit(factor: int) -> float:
    """The share of scorch's time that the whole process may take: imports weigh less and less."""
    return 1 / 5 if factor < 10 else 1 / 12


def scoring(options: Options) -> Report:
    return Report.joined(_scoring_at(factor, options.repeats) for factor in options.factors)


def _scoring_at(factor: int, repeats: int) -> Report:
    pair = conll(factor)
    files = {"key": str(pair.key), "response": str(pair.response)}
    notes: list[str] = []

    in_process, measured = workload("files.read_and_score", **files, repeats=repeats)
    floor_process, _ = workload("files.floor", **files)
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
        process, scorch = workload("files.scorch", **files, repeats=repeats)
        in_memory = Cost(scorch["metrics"], process.peak, scorch["runs"])
        from_files = run_repeatedly(workload_command("files.scorch_once", **files), repeats)
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


@dataclass(frozen=True, slots=True)
class Scorer:
    """A scorer that is run as a command on two files."""

    name: str
    variable: str
    largest_factor: int
    """Beyond this many times the base corpus it would run for an hour."""
    corpus: Callable[[int], Pair]
    command: Callable[[Path, Pair], Sequence[str | Path]]

    @property
    def checkout(self) -> Path | None:
        value = os.environ.get(self.variable)
        return Path(value).resolve() if value else None

    def measure(self, checkout: Path, factor: int, repeats: int) -> Cost:
        command = self.command(checkout, self.corpus(factor))
        path = os.pathsep.join(filter(None, (str(checkout), os.environ.get("PYTHONPATH"))))
        return run_repeatedly(command, repeats, {"PYTHONPATH": path})


SCORERS = (
    Scorer(
        "Perl reference scorer, all",
        "COREFINE_PERL_SCORER",
        1,
        conll,
        lambda at, pair: ["perl", at / "scorer.pl", "all", pair.key, pair.response, "none"],
    ),
    Scorer(
        "coval, all",
        "COREFINE_COVAL",
        10,
        conll,
        lambda at, pair: [sys.executable, at / "scorer.py", pair.key, pair.response, "all"],
    ),
    Scorer(
        "corefud-scorer, singletons kept",
        "COREFINE_COREFUD_SCORER",
        10,
        conllu,
        lambda at, pair: [sys.executable, at / "corefud-scorer.py", "-s", pair.key, pair.response],
    ),
)


def count_bytes(*paths: str) -> list[int]:
    """The floor: reads the files and counts newlines and brackets, and nothing else."""
    counts = []
    for path in paths:
        data = np.fromfile(path, dtype=np.uint8)
        counts += [int(np.count_nonzero(data == ord(sign))) for sign in "\n()"]
    return counts


def read_and_score(key: str, response: str, repeats: int) -> dict[str, float]:
    """corefine from two paths to scores, and the floor, in turns and without imports."""
    import corefine

    return cpu_medians(
        repeats,
        floor=lambda: count_bytes(key, response),
        corefine=lambda: corefine.score(key, response),
    )


def floor(key: str, response: str) -> list[int]:
    return count_bytes(key, response)


def scorch(key: str, response: str, repeats: int) -> dict[str, float]:
    """scorch's five metrics on every document, in memory."""
    pairs = _scorch_documents(key, response)
    return cpu_medians(repeats, metrics=lambda: scorch_scores(pairs))


def scorch_once(key: str, response: str) -> None:
    """scorch's own reader of CoNLL files, then its five metrics: a process that does no more."""
    scorch_scores(_scorch_documents(key, response))


Entities = list[set[Any]]


def _scorch_documents(key: str, response: str) -> list[tuple[Entities, Entities]]:
    from scorch.conll import parse_file

    def read(path: str) -> dict[str, Entities]:
        with Path(path).open(encoding="utf-8") as lines:
            return {
                name: [set(mentions) for mentions in entities.values()]
                for name, entities in parse_file(line.strip() for line in lines)
            }

    sides = read(key), read(response)
    return [(sides[0][name], sides[1][name]) for name in sides[0]]


def scorch_scores(pairs: list[tuple[Entities, Entities]]) -> None:
    from scorch import scores

    for key, response in pairs:
        for metric in (scores.muc, scores.b_cubed, scores.ceaf_m, scores.ceaf_e, scores.blanc):
            metric(key, response)
