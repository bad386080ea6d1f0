"""Systems compared: the cost of all tests and intervals beside the bare matrix products."""

from __future__ import annotations

from benchmarks.measuring import workload
from benchmarks.results import Bytes, Cell, Criterion, Report, Table
from benchmarks.sections.options import Options

SYSTEMS, DOCUMENTS, TRIALS = 8, 348, 20_000
PRODUCT_LIMIT = 5
MEMORY_LIMIT = 1.5e9
#: For ten times as many trials or documents: linear, with room for what leaves the cache.
GROWTH_LIMIT = 13


def run(options: Options) -> Report:
    sizes = [(DOCUMENTS, TRIALS), (DOCUMENTS, 10 * TRIALS), (10 * DOCUMENTS, TRIALS)]
    rows: list[list[Cell]] = []
    measured = []
    for documents, trials in sizes:
        of_size = {"systems": SYSTEMS, "documents": documents, "trials": trials}
        _, found = workload("compare", **of_size, repeats=options.repeats)
        peak = workload("compare_once", **of_size)[0].peak
        bare = found["swaps"] + found["draws"]
        rows.append(
            [
                f"{documents:,} documents, {trials:,} shuffles",
                found["swaps"],
                found["test"],
                found["test"] / found["swaps"],
                bare,
                found["whole"],
                found["whole"] / bare,
                Bytes(peak),
            ]
        )
        measured.append({**found, "bare": bare, "peak": peak})
    base, more_trials, more_documents = measured
    criteria = [
        Criterion(
            "test of all pairs and metrics, as multiple of the bare products",
            base["test"] / base["swaps"],
            PRODUCT_LIMIT,
        ),
        Criterion(
            "whole comparison with its intervals, as multiple of the bare products",
            base["whole"] / base["bare"],
            PRODUCT_LIMIT,
        ),
        Criterion("peak memory", base["peak"] / 1e6, MEMORY_LIMIT / 1e6, " MB"),
        Criterion(
            "test of ten times as many shuffles, as multiple",
            more_trials["test"] / base["test"],
            GROWTH_LIMIT,
        ),
        Criterion(
            "whole comparison of ten times as many documents, as multiple",
            more_documents["whole"] / base["whole"],
            GROWTH_LIMIT,
        ),
    ]
    table = Table(
        f"{SYSTEMS} systems, {int(base['metrics'])} metrics,"
        f" {int(base['statistics'])} statistics a document, in CPU s",
        ["what", "products", "test", "/", "all products", "whole", "/", "peak"],
        rows,
    )
    return Report([table], criteria)
