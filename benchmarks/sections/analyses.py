"""Everything above scoring, in CPU, as multiples of one scoring of the same files."""

from __future__ import annotations

from benchmarks import corpora
from benchmarks.measuring import workload
from benchmarks.results import Cell, Criterion, Report, Table
from benchmarks.sections.options import Options

LIMITS = {"explain": 5.0, "report": 10.0, "audit": 8.0, "compare, 8 systems": 6.0}
ALL_METRICS_LIMIT = 1.4
ALL_METRICS = (
    "all metrics, mention kinds by parts of speech",
    "all metrics, mention kinds guessed",
)
#: The sizes that the limits of the analyses and of all metrics speak of.
JUDGED, JUDGED_METRICS = 1, 10


def run(options: Options) -> Report:
    return Report.joined(_at(factor, options.repeats) for factor in options.factors)


def _at(factor: int, repeats: int) -> Report:
    pair = corpora.conll(factor)
    names = [*(LIMITS if factor == JUDGED else ()), *ALL_METRICS]
    _, measured = workload(
        "analyses_workloads.analyses",
        key=str(pair.key),
        response=str(pair.response),
        names=names,
        repeats=repeats,
    )
    one = measured["score"]
    rows: list[list[Cell]] = [[name, measured[name], measured[name] / one] for name in names]
    limits = dict(LIMITS) if factor == JUDGED else {}
    if factor == JUDGED_METRICS:
        limits |= dict.fromkeys(ALL_METRICS, ALL_METRICS_LIMIT)
    return Report(
        [
            Table(
                f"Files ×{factor}, read and analysed in one process",
                ["what", "CPU s", "/ score"],
                [["score", one, 1.0], *rows],
            )
        ],
        [
            Criterion(f"×{factor}: {name}, as multiple of one scoring", measured[name] / one, limit)
            for name, limit in limits.items()
        ],
    )
