"""Answers of language models: a book, written again with damage, is aligned with its source."""

from __future__ import annotations

from benchmarks import measuring
from benchmarks.results import Bytes, Cell, Criterion, Report, Table
from benchmarks.sections.options import Options

#: Words of the texts: a long chapter, and a book.
SIZES = (15_000, 150_000)
DIALECTS = ("markdown", "crac-text")
#: CPU seconds and bytes for the book, and how much more it may cost than the chapter.
SECONDS, MEMORY, GROWTH = 3, 1e9, 12


def run(options: Options) -> Report:
    rows: list[list[Cell]] = []
    criteria = []
    for dialect in DIALECTS:
        costs = []
        for words in SIZES:
            arguments = {"words": words, "dialect": dialect}
            name = "tagged_workloads.align"
            _, measured = measuring.workload(name, **arguments, repeats=options.repeats)
            command = measuring.workload_command(f"{name}_once", **arguments)
            peak = measuring.run(command)[0].peak
            costs.append(measured["corefine"])
            rows.append(
                [
                    dialect,
                    measured["words"],
                    measured["mentions"],
                    100 * measured["coverage"],
                    measured["lost"],
                    measured["corefine"],
                    Bytes(peak),
                ]
            )
        size = SIZES[-1]
        criteria += [
            Criterion(f"{dialect}: {size:,} words aligned, CPU", costs[-1], SECONDS, " s"),
            Criterion(f"{dialect}: {size:,} words aligned, peak", peak / 1e9, MEMORY / 1e9, " GB"),
            Criterion(f"{dialect}: growth with ten times the words", costs[-1] / costs[0], GROWTH),
        ]
    table = Table(
        "Text tagged by a language model, 5% of its words changed, dropped or made up",
        ["dialect", "words", "mentions", "copied %", "lost", "CPU s", "peak"],
        rows,
    )
    return Report([table], criteria)
