"""Labels of records in Parquet: scores, next to the join and group-by of Polars on one thread."""

from __future__ import annotations

from itertools import pairwise
from math import log10
from pathlib import Path
from statistics import median

from benchmarks.corpora import CACHE
from benchmarks.giant import giant_labels
from benchmarks.measuring import Cost, Options, workload
from benchmarks.results import Bytes, Cell, Criterion, Report, Table

SIZES = (100_000, 1_000_000, 10_000_000)
CPU, MEMORY, METRICS, GROWTH = 2, 1.5, 8, 1.2
"""Multiples of Polars, seconds for the default metrics at ten million, excess over linear."""
TASKS = ("join", "score")


def run(options: Options) -> Report:
    rows: list[list[Cell]] = []
    criteria: list[Criterion] = []
    totals: dict[int, float] = {}
    for size in SIZES:
        costs = {task: _cost(task, size, options.repeats) for task in TASKS}
        join, score = costs["join"], costs["score"]
        totals[size] = score.cpu
        rows.append([size, join.cpu, Bytes(join.peak), score.cpu, Bytes(score.peak)])
        if size == SIZES[-1]:
            allowed = CPU * join.cpu + METRICS
            criteria += [
                Criterion(f"{size:,} labels: CPU", score.cpu, allowed, " s"),
                Criterion(f"{size:,} labels: memory, of Polars", score.peak / join.peak, MEMORY),
            ]
    criteria += [
        Criterion(
            f"CPU of {large:,} labels, as multiple of that of {small:,}",
            totals[large] / totals[small],
            large / small * GROWTH ** log10(large / small),
        )
        for small, large in pairwise(SIZES)
    ]
    columns = ["labels", "Polars CPU s", "Polars peak", "corefine CPU s", "corefine peak"]
    return Report([Table("Two Parquet files of labels", columns, rows)], criteria)


def _cost(task: str, size: int, repeats: int) -> Cost:
    """The median cost of a process; the files are made first."""
    workload("labels.make", labels=size)
    costs = [
        workload(f"labels.{task}", labels=size)[0]
        for _ in range(1 if size == SIZES[-1] else repeats)
    ]
    return Cost(median(one.cpu for one in costs), max(one.peak for one in costs), len(costs))


def _paths(labels: int) -> list[Path]:
    return [CACHE / f"labels-{labels}-{side}.parquet" for side in ("key", "response")]


def make(labels: int) -> None:
    """Write the files: ids of records in two orders, a fifth of them in a wrong entity."""
    import numpy as np
    import pyarrow as arrow
    from pyarrow import parquet

    CACHE.mkdir(parents=True, exist_ok=True)
    paths = _paths(labels)
    if all(path.exists() for path in paths):
        return
    rng = np.random.default_rng(labels)
    for path, entity in zip(paths, giant_labels(labels, "uniform"), strict=True):
        order = rng.permutation(labels)
        table = arrow.table({
            "mention": arrow.array([f"record-{number}" for number in order.tolist()]),
            "entity": arrow.array([f"e{number}" for number in entity[order].tolist()]),
        })  # fmt: skip
        parquet.write_table(table, path)


def score(labels: int) -> dict[str, float]:
    """Score the files with the default metrics."""
    import corefine

    key, response = _paths(labels)
    return {name: one.f1 for name, one in corefine.score(key, response).items()}


def join(labels: int) -> int:
    """Make the contingency table alone."""
    import os

    os.environ["POLARS_MAX_THREADS"] = "1"
    import polars

    key, response = (polars.scan_parquet(path) for path in _paths(labels))
    joined = key.join(response, on="mention").group_by("entity", "entity_right").len()
    return len(joined.collect())
