"""The work that is measured, each function in a process of its own.

    python -m benchmarks.workloads NAME ARGUMENTS

ARGUMENTS are JSON; the figures that the function returns are printed as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.documents import NEWS, NOVELS, document
from benchmarks.measuring import cpu_medians

Ints = NDArray[np.int64]


def count_bytes(*paths: str) -> list[int]:
    """The floor: reads the files and counts newlines and brackets, and nothing else."""
    counts = []
    for path in paths:
        data = np.fromfile(path, dtype=np.uint8)
        counts += [int(np.count_nonzero(data == ord(sign))) for sign in "\n()"]
    return counts


def read_and_score(key: str, response: str, repeats: int) -> dict[str, float]:
    """corefine from two paths to scores, and the floor, in turns and without imports."""
    import corefine

    return cpu_medians(
        repeats,
        floor=lambda: count_bytes(key, response),
        corefine=lambda: corefine.score(key, response),
    )


def written_formats() -> list[str]:
    """The names of the formats that corefine reads and writes."""
    from corefine.formats import all_formats

    return [format.name for format in all_formats() if format.write or format.write_files]


def stream_format(path: str, format: str, repeats: int) -> dict[str, float]:
    """A file or folder from its bytes to a corpus."""
    from corefine.formats import read

    return cpu_medians(repeats, corefine=lambda: read(path, format))


def floor(key: str, response: str) -> list[int]:
    return count_bytes(key, response)


def scorch(key: str, response: str, repeats: int) -> dict[str, float]:
    """scorch's five metrics on every document, in memory."""
    pairs = _scorch_documents(key, response)
    return cpu_medians(repeats, metrics=lambda: _scorch_scores(pairs))


def scorch_once(key: str, response: str) -> None:
    """scorch's own reader of CoNLL files, then its five metrics: a process that does no more."""
    _scorch_scores(_scorch_documents(key, response))


def evaluator(shape: str, documents: int, repeats: int) -> dict[str, float]:
    """Documents in memory, one after another, through Evaluator and through scorch's functions."""
    import corefine

    made = [document(i, {"novels": NOVELS, "news": NEWS}[shape]) for i in range(documents)]
    plain = [(d.key.entities(), d.response.entities()) for d in made]
    sets = [([set(e) for e in key], [set(e) for e in response]) for key, response in plain]

    def through_evaluator() -> None:
        judge = corefine.Evaluator(metrics="all")
        for key, response in plain:
            judge.update(key, response)
        judge.compute()

    return cpu_medians(repeats, corefine=through_evaluator, scorch=lambda: _scorch_scores(sets)) | {
        "mentions": float(sum(len(d.key) for d in made))
    }


Entities = list[set[Any]]


def _scorch_documents(key: str, response: str) -> list[tuple[Entities, Entities]]:
    from scorch.conll import parse_file

    def read(path: str) -> dict[str, Entities]:
        with Path(path).open(encoding="utf-8") as lines:
            return {
                name: [set(mentions) for mentions in entities.values()]
                for name, entities in parse_file(line.strip() for line in lines)
            }

    sides = read(key), read(response)
    return [(sides[0][name], sides[1][name]) for name in sides[0]]


def _scorch_scores(pairs: list[tuple[Entities, Entities]]) -> None:
    from scorch import scores

    for key, response in pairs:
        for metric in (scores.muc, scores.b_cubed, scores.ceaf_m, scores.ceaf_e, scores.blanc):
            metric(key, response)


CLASSIC = "mentions,muc,b3,ceafm,ceafe,blanc,lea"


def linguistic(key: str, response: str, kinds: str, repeats: int) -> dict[str, float]:
    """Counting the classic metrics, the linguistically aware ones, and both, from matched mentions.

    Beside it what matching them and finding out their kinds costs, on files that are read.
    """
    import corefine
    from corefine.kinds.both_sides import with_kinds
    from corefine.kinds.kind_plan import plan_of
    from corefine.metrics import resolve
    from corefine.metrics.table import MentionTable
    from corefine.scoring.count import match
    from corefine.scoring.counts import metric_statistics

    plan = plan_of(kinds)
    ours, theirs = (corefine.read(path, layers=plan.layers) for path in (key, response))
    matched, _ = with_kinds(match(ours, theirs), plan)

    def counting(names: str) -> Callable[[], object]:
        metrics = list(resolve(names).values())
        return lambda: metric_statistics(MentionTable.of(matched), metrics)

    return cpu_medians(
        repeats,
        matching=lambda: match(ours, theirs),
        kinds=lambda: with_kinds(matched, plan),
        classic=counting(CLASSIC),
        linguistic=counting("linguistic"),
        both=counting(f"{CLASSIC},linguistic"),
    ) | {"mentions": len(matched.key_mention)}


def layers(key: str, response: str, repeats: int) -> dict[str, float]:
    """Matching and counting the classic metrics of a corpus that has nothing but identity."""
    import corefine
    from corefine.scoring.count import count
    from corefine.scoring.request import Request

    ours, theirs = corefine.read(key), corefine.read(response)

    def counting(names: str, **settings: Any) -> Callable[[], object]:
        request = Request.of(names, **settings)
        return lambda: count(ours, theirs, request)

    return cpu_medians(
        repeats,
        **{
            "classic": counting(CLASSIC),
            "with split antecedents": counting(CLASSIC, split_antecedents="score"),
            "with mor and zero": counting(f"{CLASSIC},mor,zero"),
        },
    )


def report(key: str, response: str, repeats: int) -> dict[str, float]:
    """The HTML report on a response and on one like it with other errors; opened in a browser."""
    import tempfile
    from dataclasses import replace

    import corefine
    from benchmarks.browsing import browse

    sides = corefine.read(key), corefine.read(response)
    mentions = sides[1].mentions
    rng = np.random.default_rng(20_120_803)
    # A quarter of the mentions changes places with another one of its document.
    entity = mentions.entity.copy()
    for first, last in pairwise(np.searchsorted(mentions.document, np.arange(len(sides[1]) + 1))):
        moved = first + np.flatnonzero(rng.random(last - first) < 0.25)
        entity[moved] = entity[rng.permutation(moved)]
    other = replace(sides[1], mentions=replace(mentions, entity=entity))
    begin = process_time()
    made = corefine.report(*sides, other, names=["first", "second"])
    making = process_time() - begin
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        made.save(path)
        figures = {
            "documents": len(sides[0]),
            "tokens": len(sides[0].tokens or ()),
            "size": path.stat().st_size,
            "making": making,
        }
        return figures | (browse(path, repeats) or {})


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
    """Comparing systems that were scored, beside the matrix products that it cannot do without.

    The products are those of each system's statistics with the shuffles and with the resamples.
    """
    from corefine.comparing.plan import Plan
    from corefine.comparing.randomization import randomization_test
    from corefine.comparing.systems import compare_scores
    from corefine.scoring.resampling.panel import Panel

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


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](**json.loads(sys.argv[2]))))
