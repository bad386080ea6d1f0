"""The work of the resolvers that is measured, each function in a process of its own."""

from __future__ import annotations

import json
import sys
from time import process_time
from typing import Any

import numpy as np

from benchmarks.measuring import cpu_medians


def features(key: str, sets: list[str], repeats: int) -> dict[str, float]:
    """Every pair of every document, attributes by the features of some presets."""
    import corefine
    from corefine.resolving import RECIPES
    from corefine.resolving.attributes import attributes_of
    from corefine.resolving.features import PairView, matrix
    from corefine.resolving.markables import markables_of
    from corefine.resolving.mention_pairs import candidate_pairs

    corpus = corefine.read(key)
    markables = markables_of(corpus)
    attributes = attributes_of(markables)

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
        describing=lambda: attributes_of(markables),
        **tasks,
    ) | {"pairs": compute(("same_sentence",)), "mentions": len(markables)}


def training(key: str, presets: list[str], kinds: str, step: int) -> dict[str, Any]:
    """What training each preset costs on every step-th document."""
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
    from corefine.resolving.attributes import attributes_of
    from corefine.resolving.markables import markables_of
    from corefine.resolving.recipes import RECIPES
    from corefine.resolving.resolver import training_pairs

    attributes = attributes_of(markables_of(corpus, kinds=kinds))
    return {name: len(training_pairs(recipe, attributes)) for name, recipe in RECIPES.items()}


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](**json.loads(sys.argv[2]))))
