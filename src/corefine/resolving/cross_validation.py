"""Cross-validation of resolvers: each document is resolved by a model of the other folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.corpus.selection import select_documents
from corefine.errors import UsageError, choose
from corefine.kinds.kind_plan import KindPlan, KindSpec, plan_of
from corefine.metrics.registry import MetricSpec
from corefine.resolving.attributes import MarkableAttributes, attributes_of
from corefine.resolving.markables import KINDS, MARKABLES, markables_of
from corefine.resolving.pair_report import PairReport, decisions
from corefine.resolving.presets import trainer_of
from corefine.resolving.recipes import RECIPES
from corefine.scoring.count import count
from corefine.scoring.request import Request
from corefine.scoring.scores import Scores
from corefine.scoring.sides import Side, SideLike
from corefine.showing.progress import Progress, silent
from corefine.showing.result import Result, Tables


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CrossValidation(Result):
    """What presets made of documents that they were not trained on."""

    responses: dict[str, Corpus]
    """By preset: all documents of the key, each resolved by a model of the other folds."""
    scores: dict[str, Scores]
    pairs: dict[str, PairReport]
    """By preset: how well pairs were classified."""
    folds: int

    glance: ClassVar[tuple[str, ...]] = ("scores",)
    usual_tables: ClassVar[tuple[str, ...]] = glance

    def table_functions(self) -> Tables:
        from corefine.resolving.tables import TABLES

        return TABLES

    def to_dict(self) -> dict[str, Any]:
        """Scores and classification of pairs by preset, as they are written as JSON."""
        return {
            "folds": self.folds,
            "presets": {
                name: {**scores.to_dict(), "pairs": self.pairs[name].to_dict()}
                for name, scores in self.scores.items()
            },
        }


def cross_validate(
    corpus: SideLike,
    presets: Sequence[str] = ("ng-cardie",),
    *,
    folds: int = 10,
    seed: int = 0,
    metrics: MetricSpec = "default",
    markables: str = "gold",
    kinds: KindSpec | KindPlan = KINDS,
    progress: Progress = silent,
    **parts: Any,
) -> CrossValidation:
    """Train presets on all folds of the documents but one and apply them to that one, in turn.

    Documents are dealt into folds at random by the seed. The responses of all folds together are
    scored once, so that every document counts as it does in any other score. Entities of one
    mention are left out where the documents have none. ``parts`` replace parts of the presets that
    have a recipe.
    """
    # What is asked for is checked before anything is read or trained.
    if not presets or len(set(presets)) < len(presets):
        raise UsageError("presets to cross-validate must be given, each once")
    with_recipes = set(presets) & set(RECIPES)
    trainers = {
        name: trainer_of(name, seed, **(parts if name in with_recipes or not with_recipes else {}))
        for name in presets
    }
    plan = plan_of(kinds)
    request = Request.of(metrics, kinds=plan)
    choose("markables", markables, MARKABLES)
    if folds < 2:
        raise UsageError(f"there cannot be {folds} folds", remedy="Use 2 or more.")
    corpus = Side.of(corpus, "corpus").read(None, progress)
    documents = len(corpus.documents)
    if documents < 2:
        raise UsageError("cross-validation needs two documents or more")
    folds = min(folds, documents)
    fold_of = np.random.default_rng(seed).permutation(documents) % folds

    def attributes_where(wanted: Any) -> MarkableAttributes:
        chosen = select_documents(corpus, np.flatnonzero(wanted))
        return attributes_of(markables_of(chosen, markables, plan))

    found: dict[str, list[Corpus]] = {name: [] for name in presets}
    reports = {name: PairReport() for name in presets}
    for fold in range(folds):
        seen, unseen = attributes_where(fold_of != fold), attributes_where(fold_of == fold)
        for number, (name, trainer) in enumerate(trainers.items(), 1):
            resolver = trainer(seen, silent)
            entity = resolver.entities(unseen)
            kept = seen.markables.singletons
            found[name].append(unseen.markables.with_entities(entity, singletons=kept))
            reports[name] += PairReport.of(unseen, decisions(resolver, unseen))
            progress(f"fold {fold + 1}", fold * len(presets) + number, folds * len(presets))
    order = np.argsort(np.argsort(fold_of, kind="stable"))
    responses = {name: select_documents(concatenate(each), order) for name, each in found.items()}
    scores = {name: count(corpus, each, request).scores() for name, each in responses.items()}
    return CrossValidation(responses, scores, reports, folds)
