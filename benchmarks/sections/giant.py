"""One giant document, exact CEAF included: cost per metric, growth and memory."""

from __future__ import annotations

from itertools import pairwise
from math import log10

from benchmarks.measuring import workload
from benchmarks.results import Bytes, Cell, Criterion, Report, Table
from benchmarks.sections.options import Options

UNIQUE_LIMIT = 5
GROWTH_LIMIT = 13
MEMORY_LIMIT = 1e9
#: The size that the limits on time and memory speak of.
JUDGED = 1_000_000


def run(options: Options) -> Report:
    tables, criteria = [], []
    for noise in ("uniform", "proportional"):
        totals: dict[int, float] = {}
        for mentions in sorted(options.mentions):
            _, measured = workload("giant", mentions=mentions, noise=noise, repeats=options.repeats)
            peak = workload("giant_once", mentions=mentions, noise=noise)[0].peak
            totals[mentions] = measured["corpus"] + measured["all"]
            tables.append(_table(mentions, noise, measured, peak))
            if mentions == JUDGED:
                criteria += _criteria(noise, measured, peak)
        criteria += [
            Criterion(
                f"{noise} noise: CPU of {large:,} mentions, as multiple of that of {small:,}",
                totals[large] / totals[small],
                # 13 for ten times as many, the same power for any other step.
                GROWTH_LIMIT ** log10(large / small),
            )
            for small, large in pairwise(sorted(totals))
            if small >= 100_000
        ]
    return Report(tables, criteria)


def _criteria(noise: str, measured: dict[str, float], peak: int) -> list[Criterion]:
    names = [name for name in measured if name.startswith("metric ")]
    dearest = max(names, key=lambda name: measured[name])
    return [
        Criterion(
            f"{noise} noise: all {len(names)} metrics, per metric, as multiple of one np.unique",
            measured["all"] / len(names) / measured["unique"],
            UNIQUE_LIMIT,
        ),
        Criterion(
            f"{noise} noise: {dearest} alone, the dearest, as multiple of one np.unique",
            measured[dearest] / measured["unique"],
            UNIQUE_LIMIT,
        ),
        Criterion(f"{noise} noise: peak memory", peak / 1e6, MEMORY_LIMIT / 1e6, " MB"),
    ]


def _table(mentions: int, noise: str, measured: dict[str, float], peak: int) -> Table:
    unique = measured["unique"]
    named = {
        "one np.unique over the pair codes": unique,
        "Corpus.from_labels, both sides": measured["corpus"],
        "all metrics together": measured["all"],
    } | {f"{n} alone": s for n, s in measured.items() if n.startswith("metric ")}
    rows: list[list[Cell]] = [[name, cpu, cpu / unique] for name, cpu in named.items()]
    return Table(
        f"One document of {mentions:,} mentions, {noise} noise:"
        f" {int(measured['cells']):,} pairs of entities, peak {Bytes(peak)}",
        ["what", "CPU s", "/ np.unique"],
        rows,
    )
