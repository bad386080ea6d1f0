"""One document with millions of mentions: cost per metric, growth, memory, and exact CEAF."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product
from math import log10
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.measuring import Options, cpu_medians, workload
from benchmarks.results import Bytes, Cell, Criterion, Report, Table

Ints = NDArray[np.int64]
AMOUNTS = (0.05, 0.1, 0.2, 0.4, 0.8)
NOISY_MENTIONS = 100_000
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
            asked = {"mentions": mentions, "noise": noise}
            _, measured = workload("giant.giant", **asked, repeats=options.repeats)
            peak = workload("giant.giant_once", **asked)[0].peak
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
    return Report.joined([Report(tables, criteria), _noise()])


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


def _noise() -> Report:
    rows: list[list[Cell]] = []
    for sizes, noise in product(("zipf", "even"), NOISE):
        row: list[Cell] = [f"{noise}, {sizes} sizes"]
        for amount in AMOUNTS:
            arguments = {"mentions": NOISY_MENTIONS, "noise": noise, "sizes": sizes}
            found = workload("giant.leftover", **arguments, amount=amount)[1]
            share = 100 * found["left"] / found["cells"]
            row.append(f"{share:.1f} % ({int(found['largest']):,})")
        rows.append(row)
    table = Table(
        f"What CEAFe's reduction leaves of the cells of {NOISY_MENTIONS:,} mentions, by the share "
        "that is wrong (cells of the largest component)",
        ["noise", *(f"{amount:.0%}" for amount in AMOUNTS)],
        rows,
    )
    return Report([table], [])


def giant_labels(mentions: int, noise: str) -> tuple[Ints, Ints]:
    """One document: the entity of each mention in the key and in the response.

    A fifth of the mentions is in a wrong entity: any (``uniform``), or one that is the likelier
    the larger it is (``proportional``).
    """
    rng = np.random.default_rng([20_120_801, mentions])
    entities = mentions // 4
    weights = np.cumsum(1 / np.arange(1, entities + 1))
    key = np.searchsorted(weights, rng.random(mentions) * weights[-1])
    response = key.copy()
    wrong = np.flatnonzero(rng.random(mentions) < 0.2)
    if noise == "uniform":
        response[wrong] = rng.integers(0, entities, len(wrong))
    else:
        response[wrong] = key[rng.integers(0, mentions, len(wrong))]
    return key, response


def giant(mentions: int, noise: str, repeats: int) -> dict[str, Any]:
    """All metrics of a giant document, each metric alone, and np.unique over its pair codes."""
    import corefine

    labels = giant_labels(mentions, noise)
    codes = labels[0] * (int(labels[1].max()) + 1) + labels[1]
    key, response = (corefine.Corpus.from_labels(side) for side in labels)
    names = list(corefine.score(key, response, metrics="all").to_dict()["scores"])
    tasks: dict[str, Any] = {
        f"metric {name}": lambda name=name: corefine.score(key, response, metrics=name)
        for name in names
    }
    return {
        "cells": len(np.unique(codes)),
        "metrics": names,
        **cpu_medians(
            repeats,
            unique=lambda: np.unique(codes),
            corpus=lambda: [corefine.Corpus.from_labels(side) for side in labels],
            all=lambda: corefine.score(key, response, metrics="all"),
            **tasks,
        ),
    }


def giant_once(mentions: int, noise: str) -> None:
    """All metrics of a giant document once, for the peak memory of a process that does no more."""
    import corefine

    key, response = map(corefine.Corpus.from_labels, giant_labels(mentions, noise))
    corefine.score(key, response, metrics="all")


def _moves(rng: Generator, key: Ints, amount: float) -> Ints:
    """Mentions go to any entity."""
    wrong = np.flatnonzero(rng.random(len(key)) < amount)
    response = key.copy()
    response[wrong] = rng.integers(0, int(key.max()) + 1, len(wrong))
    return response


def _splits(rng: Generator, key: Ints, amount: float) -> Ints:
    """Entities lose half of their mentions to new ones."""
    entities = int(key.max()) + 1
    torn = (rng.random(entities) < amount)[key] & (rng.random(len(key)) < 0.5)
    return key + entities * torn


def _merges(rng: Generator, key: Ints, amount: float) -> Ints:
    """Entities join others."""
    target = np.arange(int(key.max()) + 1)
    joined = np.flatnonzero(rng.random(len(target)) < amount)
    target[joined] = rng.integers(0, len(target), len(joined))
    return target[key]


def _shuffles(rng: Generator, key: Ints, amount: float) -> Ints:
    """Mentions change places among each other, so that entities keep their sizes."""
    wrong = np.flatnonzero(rng.random(len(key)) < amount)
    response = key.copy()
    response[wrong] = key[rng.permutation(wrong)]
    return response


NOISE: dict[str, Callable[[Generator, Ints, float], Ints]] = {
    "moves": _moves,
    "splits": _splits,
    "merges": _merges,
    "shuffles": _shuffles,
}


def leftover(mentions: int, sizes: str, noise: str, amount: float) -> dict[str, float]:
    """Number of cells that CEAFe's reduction leaves to the solver, and the largest component.

    Entities are of Zipf-like sizes (``zipf``), or all of about 20 mentions (``even``).
    """
    from corefine import Corpus
    from corefine.metrics.ceaf import connected_cells, reduce
    from corefine.metrics.table import MentionTable
    from corefine.scoring.count import match

    rng = np.random.default_rng([20_120_801, mentions])
    if sizes == "zipf":
        weights = np.cumsum(1 / np.arange(1, mentions // 4 + 1))
        key = np.searchsorted(weights, rng.random(mentions) * weights[-1])
    else:
        key = rng.integers(0, mentions // 20, mentions)
    response = NOISE[noise](rng, key, amount)
    table = MentionTable.of(match(Corpus.from_labels(key), Corpus.from_labels(response)))
    cells = table.cells
    summed = table.key.size[cells.key] + table.response.size[cells.response]
    columns = cells.response + len(table.key)
    count = len(table.key) + len(table.response)
    left = reduce(cells.key, columns, 2 * cells.count / summed, count).cells
    largest = max(map(len, connected_cells(cells.key[left], columns[left])), default=0)
    return {"cells": len(cells), "left": int(left.size), "largest": largest}
