"""Resolvers: the cost of features, training and cross-validation."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from benchmarks import corpora
from benchmarks.measuring import Options, cpu_medians, run_together, workload
from benchmarks.results import Bytes, Cell, Criterion, Report, Table

MICROSECONDS_LIMIT = 5.0
"""Of CPU for a pair: 200,000 pairs in a second."""
TRAINING_LIMIT = 60.0
LINEAR_LIMIT = 1.5
"""Largest growth of the cost of a pair with eight times as many documents."""
FOLDS = 5
CROSS_VALIDATION_SECONDS, CROSS_VALIDATION_MEMORY = 90.0, 1e9
PRESETS = ("resolve", "soon", "ng-cardie", "reconcile", "ikar")


def run(options: Options) -> Report:
    return Report.joined([_features(options), _training(), _growth(), _cross_validation()])


def _features(options: Options) -> Report:
    pair = corpora.conll(1)
    sets = ["resolve", "soon", "ng-cardie"]
    _, measured = workload(
        "resolving.features", key=str(pair.key), sets=sets, repeats=options.repeats
    )
    pairs, describing = int(measured["pairs"]), measured["describing"]
    rows: list[list[Cell]] = [
        [f"features of {name}", pairs, measured[name], 1e6 * (measured[name] + describing) / pairs]
        for name in sets
    ]
    rows.append(["describing the markables", int(measured["mentions"]), describing, None])
    rows.append(["finding the markables", int(measured["mentions"]), measured["markables"], None])
    cost = 1e6 * (measured["soon"] + describing) / pairs
    return Report(
        [Table("All pairs of 100 documents", ["", "number", "CPU s", "µs a pair"], rows)],
        [Criterion("a pair with the features of soon", cost, MICROSECONDS_LIMIT, " µs")],
    )


def _training() -> Report:
    rows: list[list[Cell]] = []
    criteria = []
    for name, key, kinds in _halves():
        _, measured = workload(
            "resolving.training", key=str(key), presets=PRESETS, kinds=kinds, step=2
        )
        for preset, cost in measured["costs"].items():
            pairs = measured["pairs"].get(preset)
            rows.append([f"{name}: {preset}", measured["mentions"], pairs, cost])
            criteria.append(Criterion(f"{name}: training {preset}", cost, TRAINING_LIMIT, " s"))
    if not rows:
        return Report([], [], ["Training is measured where COREFINE_DATA names real corpora."])
    columns = ["every other document", "mentions", "training pairs", "CPU s"]
    return Report([Table("Training", columns, rows)], criteria)


def _halves() -> Iterator[tuple[str, Path, str]]:
    data = os.environ.get("COREFINE_DATA")
    for name, file in (("litbank", "key.conll"), ("gum", "key.conllu")):
        if data and (Path(data) / name / file).exists():
            yield name, Path(data) / name / file, str(Path(data) / name / "types.tsv")


def _growth() -> Report:
    """Training pairs grow eightfold in four steps; a pair should cost the same."""
    key = str(corpora.conll(1).key)
    presets = ["soon", "resolve"]
    rows: dict[str, list[list[Cell]]] = {name: [] for name in presets}
    costs: dict[str, list[float]] = {name: [] for name in presets}
    for step in (8, 4, 2, 1):
        _, measured = workload(
            "resolving.training", key=key, presets=presets, kinds="auto,guess", step=step
        )
        for name in presets:
            pairs, seconds = measured["pairs"][name], measured["costs"][name]
            costs[name].append(seconds / pairs)
            rows[name].append([name, measured["documents"], pairs, seconds, 1e6 * seconds / pairs])
    columns = ["preset", "documents", "training pairs", "CPU s", "µs a pair"]
    criteria = [
        Criterion(
            f"{name}: a pair, of the most pairs beside the fewest", cost[-1] / cost[0], LINEAR_LIMIT
        )
        for name, cost in costs.items()
    ]
    table = Table(
        "Training on more documents", columns, [row for name in presets for row in rows[name]]
    )
    return Report([table], criteria)


def _cross_validation() -> Report:
    """Training and judging in five folds, all processes together."""
    key = str(corpora.conll(1).key)
    command = [sys.executable, "-m", "corefine", "resolve", "cross-validate", key]
    found = run_together([*command, "--preset", "ng-cardie", "--folds", str(FOLDS)])
    row: list[Cell] = ["ng-cardie", FOLDS, found.cpu, found.wall, Bytes(found.peak)]
    return Report(
        [
            Table(
                "Cross-validation, 100 documents",
                ["preset", "folds", "CPU s", "wall s", "peak"],
                [row],
            )
        ],
        [
            Criterion("cross-validation of ng-cardie", found.cpu, CROSS_VALIDATION_SECONDS, " s"),
            Criterion(
                "cross-validation of ng-cardie: memory of all processes",
                found.peak / 1e6,
                CROSS_VALIDATION_MEMORY / 1e6,
                " MB",
            ),
        ],
    )


def features(key: str, sets: list[str], repeats: int) -> dict[str, float]:
    """Every pair of every document, attributes by the features of some presets."""
    import corefine
    from corefine.resolving import RECIPES
    from corefine.resolving.attributes import MarkableAttributes
    from corefine.resolving.features import PairView, matrix
    from corefine.resolving.markables import markables_of
    from corefine.resolving.mention_pairs import candidate_pairs

    corpus = corefine.read(key)
    markables = markables_of(corpus)
    attributes = MarkableAttributes(markables)

    def compute(names: tuple[str, ...]) -> int:
        pairs = 0
        for part in candidate_pairs(markables.document):
            pairs += len(matrix(PairView(attributes, part), names))
        return pairs

    tasks: dict[str, Any] = {
        name: lambda name=name: compute(RECIPES[name].feature_sets["pairs"]) for name in sets
    }
    return cpu_medians(
        repeats,
        markables=lambda: markables_of(corpus),
        describing=lambda: MarkableAttributes(markables),
        **tasks,
    ) | {"pairs": compute(("same_sentence",)), "mentions": len(markables)}


def training(key: str, presets: list[str], kinds: str, step: int) -> dict[str, Any]:
    """CPU of training each preset on every step-th document."""
    # Loading scikit-learn takes as long as training on a small corpus.
    import sklearn.linear_model
    import sklearn.tree  # noqa: F401

    import corefine
    from corefine.corpus.selection import select_documents
    from corefine.resolving import train

    corpus = corefine.read(key)
    part = select_documents(corpus, np.arange(0, len(corpus.documents), step))
    costs = {}
    for preset in presets:
        start = process_time()
        train(part, preset, kinds=kinds)
        costs[preset] = process_time() - start
    return {
        "documents": len(part.documents),
        "mentions": len(part.mentions),
        "pairs": _training_pairs(part, kinds),
        "costs": costs,
    }


def _training_pairs(corpus: Any, kinds: str) -> dict[str, int]:
    from corefine.resolving.attributes import MarkableAttributes
    from corefine.resolving.markables import markables_of
    from corefine.resolving.resolver import RECIPES, training_pairs

    attributes = MarkableAttributes(markables_of(corpus, kinds=kinds))
    return {name: len(training_pairs(recipe, attributes)) for name, recipe in RECIPES.items()}
