"""What a command costs before it begins, beside the bare imports of its libraries."""

from __future__ import annotations

import sys
from statistics import median

from benchmarks import corpora, measuring
from benchmarks.results import Cell, Criterion, Report, Table
from benchmarks.sections.options import Options
from corefine.cli.samples import sample_path

SCORE_LIMIT = 1.6
#: To list the commands needs no NumPy, and so costs less than importing it.
HELP_LIMIT = 1.0
FLOOR = "import numpy, click"


def run(options: Options) -> Report:
    module = [sys.executable, "-m", "corefine"]
    pair = corpora.conll(1)
    commands = {
        FLOOR: [sys.executable, "-c", FLOOR],
        "corefine --help": [*module, "--help"],
        "corefine score --help": [*module, "score", "--help"],
        "corefine score, a page": [*module, "score", sample_path("key"), sample_path("careful")],
        "corefine score, ×1": [*module, "score", str(pair.key), str(pair.response)],
    }
    # They take turns, so that a change in the machine's speed meets them all alike.
    rounds = [
        {name: measuring.run(command)[0].cpu for name, command in commands.items()}
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
