"""Documents in memory, given to Evaluator one after another as a training loop would."""

from __future__ import annotations

from benchmarks.measuring import workload
from benchmarks.results import Cell, Criterion, Report, Table
from benchmarks.sections.options import Options

DOCUMENTS = 348
LIMIT = 1 / 10


def run(options: Options) -> Report:
    rows: list[list[Cell]] = []
    criteria = []
    for shape in ("news", "novels"):
        _, measured = workload(
            "evaluator", shape=shape, documents=DOCUMENTS, repeats=options.repeats
        )
        share = measured["corefine"] / measured["scorch"]
        rows.append(
            [shape, int(measured["mentions"]), measured["corefine"], measured["scorch"], share]
        )
        criteria.append(
            Criterion(
                f"{DOCUMENTS} documents ({shape}): Evaluator with all metrics,"
                " as share of scorch's five functions",
                share,
                LIMIT,
            )
        )
    table = Table(
        f"{DOCUMENTS} documents in memory",
        ["shape", "mentions", "Evaluator, all metrics: CPU s", "scorch: CPU s", "share"],
        rows,
    )
    return Report([table], criteria)
