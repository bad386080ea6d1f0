"""Comparisons: all tests and intervals, compared with the bare matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.documents import NEWS, document
from benchmarks.measuring import Options, cpu_medians, workload
from benchmarks.results import Bytes, Cell, Criterion, Report, Table

MORE_TRIALS = (1_000, 10_000, 100_000)
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
        _, found = workload("compare.compare", **of_size, repeats=options.repeats)
        peak = workload("compare.compare_once", **of_size)[0].peak
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
    return Report.joined([Report([table], criteria), _trials(options)])


def _trials(options: Options) -> Report:
    measured = workload(
        "compare.shuffles", documents=348, trials=MORE_TRIALS, repeats=options.repeats
    )[1]
    rows: list[list[Cell]] = [[f"{count:,}", measured[str(count)]] for count in MORE_TRIALS]
    title = "Randomization test of two systems by all metrics, 348 documents"
    return Report([Table(title, ["shuffles", "CPU s"], rows)], [])


def compared_scores(systems: int, documents: int) -> dict[str, Any]:
    """The scores of made-up systems, each a little worse than the last, by all metrics."""
    import corefine

    keys = [document(number, NEWS).key for number in range(documents)]
    where = np.repeat(np.arange(documents), [len(key) for key in keys])
    mention = np.concatenate([np.arange(len(key)) for key in keys])
    entity = np.concatenate([key.entity for key in keys])
    key = corefine.Corpus.from_labels(entity, mention, where)
    scores = {}
    for system in range(systems):
        rng = np.random.default_rng([20_120_801, system])
        answer = entity.copy()
        wrong = np.flatnonzero(rng.random(len(entity)) < 0.1 + 0.02 * system)
        answer[wrong] = entity[rng.integers(0, len(entity), len(wrong))]
        found = rng.random(len(entity)) < 0.9
        response = corefine.Corpus.from_labels(answer[found], mention[found], where[found])
        scores[f"system {system}"] = corefine.score(key, response, metrics="all")
    return scores


def compare(systems: int, documents: int, trials: int, repeats: int) -> dict[str, float]:
    """Comparison of scored systems, and the bare matrix products.

    The products are those of each system's statistics with the shuffles and with the resamples.
    """
    from corefine.comparing.plan import Plan
    from corefine.comparing.randomization import randomization_test
    from corefine.comparing.systems import compare_scores
    from corefine.scoring.resampling import Panel

    scores = compared_scores(systems, documents)
    panel = Panel.of(scores)
    plan = Plan(trials=trials)
    statistics = panel.statistics.reshape(-1, documents)
    rng = np.random.default_rng(1)
    swaps = (rng.random((documents, trials)) < 0.5).astype(np.float64)
    draws = rng.poisson(1.0, (documents, plan.resamples)).astype(np.float64)
    return cpu_medians(
        repeats,
        swaps=lambda: statistics @ swaps,
        draws=lambda: statistics @ draws,
        test=lambda: randomization_test(panel, trials=trials),
        whole=lambda: compare_scores(scores, plan),
    ) | {"metrics": float(len(panel.names)), "statistics": float(len(statistics) / systems)}


def compare_once(systems: int, documents: int, trials: int) -> None:
    """The same without the bare products, for the peak memory of a process that does no more."""
    from corefine.comparing.plan import Plan
    from corefine.comparing.systems import compare_scores

    compare_scores(compared_scores(systems, documents), Plan(trials=trials))


def shuffles(documents: int, trials: list[int], repeats: int) -> dict[str, float]:
    """The randomization test of two systems by all metrics, with more and more trials."""
    from corefine.comparing.randomization import randomization_test
    from corefine.scoring.resampling import Panel

    panel = Panel.of(compared_scores(2, documents))
    tasks: dict[str, Any] = {
        str(count): lambda count=count: randomization_test(panel, trials=count) for count in trials
    }
    return cpu_medians(repeats, **tasks)
