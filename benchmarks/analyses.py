"""Analyses and suites: the cost in multiples of one scoring of the same files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest.mock import patch

from benchmarks import corpora
from benchmarks.measuring import Options, cpu_medians, run_together, workload
from benchmarks.results import Bytes, Cell, Criterion, Report, Table
from benchmarks.suites import DATA_SETS, suite

LIMITS = {"explain": 5.0, "report": 10.0, "audit": 8.0, "compare, 8 systems": 6.0}
ALL_METRICS_LIMIT = 1.4
ALL_METRICS = (
    "all metrics, mention kinds by parts of speech",
    "all metrics, mention kinds guessed",
)
UNCHECKED = "score without the checks before the number"
CHECKS_LIMIT = 1.05
#: The sizes that the limits of the analyses and of all metrics speak of.
JUDGED, JUDGED_METRICS = 1, 10


def analyses_and_metrics(options: Options) -> Report:
    return Report.joined(_at(factor, options.repeats) for factor in options.factors)


def _at(factor: int, repeats: int) -> Report:
    pair = corpora.conll(factor)
    names = [UNCHECKED, *(LIMITS if factor == JUDGED else ()), *ALL_METRICS]
    _, measured = workload(
        "analyses.analyses",
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
        ]
        + [
            Criterion(
                f"×{factor}: score with the checks, as multiple of one without",
                one / measured[UNCHECKED],
                CHECKS_LIMIT,
            )
        ],
    )


#: Seconds on two cores.
SUITE_LIMIT = 10


def suite_of_data_sets(options: Options) -> Report:
    keys, responses = suite()
    command: list[str | Path] = [sys.executable, "-m", "corefine", "suite"]
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
    return Report([table], [Criterion(claim, best.wall, SUITE_LIMIT, " s")])


SYSTEMS = 8


def _score_unchecked(key: str, response: str) -> object:
    """One scoring without gathering evidence and without judging it."""
    import corefine
    from corefine.matching.matching import Evidence

    with (
        patch("corefine.scoring.count.gather", lambda table, key, response: Evidence()),
        patch("corefine.scoring.count.findings", lambda counts, others: ()),
    ):
        return corefine.score(key, response)


def analyses(key: str, response: str, names: Sequence[str], repeats: int) -> dict[str, float]:
    """Each analysis from two paths to its result, and one scoring, in turns."""
    import corefine

    systems = {f"system {number}": response for number in range(1, SYSTEMS + 1)}
    tasks: dict[str, Callable[[], object]] = {
        "score": lambda: corefine.score(key, response),
        UNCHECKED: lambda: _score_unchecked(key, response),
        "explain": lambda: corefine.explain(key, response),
        "report": lambda: corefine.report(key, response),
        "audit": lambda: corefine.audit(key, response),
        "compare, 8 systems": lambda: corefine.compare(key, systems),
        "all metrics, mention kinds by parts of speech": lambda: corefine.score(
            key, response, metrics="all"
        ),
        "all metrics, mention kinds guessed": lambda: corefine.score(
            key, response, metrics="all", kinds="guess"
        ),
    }
    return cpu_medians(repeats, **{name: tasks[name] for name in ("score", *names)})
