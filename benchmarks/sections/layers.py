"""Classic metrics beside split antecedents and other layers: what a corpus without them pays."""

from __future__ import annotations

from benchmarks import corpora
from benchmarks.measuring import workload
from benchmarks.results import Cell, Criterion, Report, Table
from benchmarks.sections.options import Options

#: What scoring split antecedents may cost, as a multiple, where there are none.
LIMIT = 1.1


def run(options: Options) -> Report:
    return Report.joined(_at(factor, options.repeats) for factor in options.factors)


def _at(factor: int, repeats: int) -> Report:
    pair = corpora.conllu(factor)
    _, measured = workload(
        "layers", key=str(pair.key), response=str(pair.response), repeats=repeats
    )
    rows: list[list[Cell]] = [
        [name, measured[name], measured[name] / measured["classic"]]
        for name in ("classic", "with split antecedents", "with mor and zero")
    ]
    ratio = measured["with split antecedents"] / measured["classic"]
    table = Table(
        f"Matching and counting ×{factor}, a corpus without split antecedents and zeros",
        ["what", "CPU s", "/ classic"],
        rows,
    )
    claim = f"×{factor}: classic metrics with split antecedents asked for, where there are none"
    return Report([table], [Criterion(claim, ratio, LIMIT)])
