"""Training, applying and cross-validating resolvers: the functions that people call."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.corpus.selection import select_documents
from corefine.errors import UsageError, choose
from corefine.kinds import KindPlan, KindSpec, plan_of
from corefine.matching.settings import Settings
from corefine.metrics.registry import MetricSpec
from corefine.metrics.registry import resolve as metrics_named
from corefine.resolving.described import describe
from corefine.resolving.markables import KINDS, markables_of
from corefine.resolving.models import Model, Training, fingerprint, load_model
from corefine.resolving.pair_report import PairReport, decisions
from corefine.resolving.presets import RULES, Resolver, check_preset, train_preset
from corefine.resolving.progress import Progress
from corefine.resolving.recipes import RECIPES
from corefine.scoring.score import score_corpora
from corefine.scoring.scores import Scores

SINGLETONS = ("auto", "keep", "drop")


def train(
    corpus: Corpus | str | os.PathLike[str],
    preset: str = "ng-cardie",
    *,
    seed: int = 0,
    markables: str = "gold",
    kinds: KindSpec | KindPlan = KINDS,
    progress: Progress | None = None,
    **parts: Any,
) -> Model:
    """Train a resolver on documents with entities.

    ``parts`` replace parts of the preset's :class:`~corefine.resolving.recipes.Recipe`: ``pairs``,
    ``features``, ``classifier``, ``clustering``, ``threshold``, ``within_types``, ``window``. The
    same seed gives the same model.
    """
    if check_preset(preset) in RULES:
        raise UsageError(f"{preset} needs no training", remedy=f"Apply it by its name: {preset!r}.")
    corpus = _read(corpus)
    described = describe(markables_of(corpus, markables, kinds))
    resolver = train_preset(preset, described, seed, progress, **parts)
    training = Training(
        fingerprint=fingerprint(corpus),
        documents=len(corpus.documents),
        mentions=len(corpus.mentions),
        singletons=described.markables.singletons,
        markables=markables,
        seed=seed,
    )
    return Model(preset, resolver, training)


def apply(
    model: Model | str | os.PathLike[str],
    corpus: Corpus | str | os.PathLike[str],
    *,
    markables: str = "gold",
    kinds: KindSpec | KindPlan = KINDS,
    singletons: str = "auto",
    progress: Progress | None = None,
) -> Corpus:
    """The documents with the entities that a resolver finds among their markables.

    ``model`` is a model, the path of a model file, or the name of a preset that needs no training.
    ``singletons``: ``keep`` or ``drop`` entities of one mention; ``auto`` drops them where the
    documents that the model was trained on have none.
    """
    choose("singletons", singletons, SINGLETONS)
    corpus = _read(corpus)
    resolver: Resolver
    drop = singletons == "drop"
    if isinstance(model, str) and model in RULES:
        resolver = RULES[model]
    else:
        loaded = model if isinstance(model, Model) else load_model(model)
        resolver = loaded.resolver
        drop |= singletons == "auto" and not loaded.training.singletons
    described = describe(markables_of(corpus, markables, kinds))
    entity = resolver.entities(described, progress)
    return described.markables.with_entities(entity, singletons=not drop)


@dataclass(frozen=True, slots=True, eq=False)
class CrossValidation:
    """What presets made of documents that they were not trained on."""

    responses: dict[str, Corpus]
    """By preset: all documents of the key, each resolved by a model of the other folds."""
    scores: dict[str, Scores]
    pairs: dict[str, PairReport]
    """By preset: how well pairs were classified."""
    folds: int

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
    corpus: Corpus | str | os.PathLike[str],
    presets: Sequence[str] = ("ng-cardie",),
    *,
    folds: int = 10,
    seed: int = 0,
    metrics: MetricSpec = "default",
    markables: str = "gold",
    kinds: KindSpec | KindPlan = KINDS,
    progress: Progress | None = None,
    **parts: Any,
) -> CrossValidation:
    """Train presets on all folds of the documents but one and apply them to that one, in turn.

    Documents are dealt into folds at random by the seed. The responses of all folds together are
    scored once, so that every document counts as it does in any other score. Entities of one
    mention are left out where the documents have none.
    """
    names = [check_preset(name) for name in presets]
    if not names or len(set(names)) < len(names):
        raise UsageError("presets to cross-validate must be given, each once")
    if parts and not set(names) & set(RECIPES):
        raise UsageError(
            f"{next(iter(parts))} cannot be set for {names[0]}",
            remedy=f"It is a part of: {', '.join(RECIPES)}.",
        )
    corpus = _read(corpus)
    count = len(corpus.documents)
    if folds < 2:
        raise UsageError(f"there cannot be {folds} folds", remedy="Use 2 or more.")
    if count < 2:
        raise UsageError("cross-validation needs two documents or more")
    folds = min(folds, count)
    plan = plan_of(kinds)
    fold_of = np.random.default_rng(seed).permutation(count) % folds
    found: dict[str, list[Corpus]] = {name: [] for name in names}
    reports = {name: PairReport() for name in names}
    for fold in range(folds):
        held = np.flatnonzero(fold_of == fold)
        seen = describe(
            markables_of(select_documents(corpus, np.flatnonzero(fold_of != fold)), markables, plan)
        )
        unseen = describe(markables_of(select_documents(corpus, held), markables, plan))
        for number, name in enumerate(names):
            replaced = parts if name in RECIPES else {}
            resolver = train_preset(name, seen, seed, None, **replaced)
            entity = resolver.entities(unseen)
            kept = seen.markables.singletons
            found[name].append(unseen.markables.with_entities(entity, singletons=kept))
            reports[name] = reports[name] + PairReport.of(unseen, decisions(resolver, unseen))
            if progress is not None:
                progress(f"fold {fold + 1}", fold * len(names) + number + 1, folds * len(names))
    order = np.argsort(np.concatenate([np.flatnonzero(fold_of == fold) for fold in range(folds)]))
    responses = {
        name: select_documents(concatenate(parts_), order) for name, parts_ in found.items()
    }
    asked = metrics_named(metrics)
    scores = {
        name: score_corpora(corpus, response, asked, Settings(), plan)
        for name, response in responses.items()
    }
    return CrossValidation(responses, scores, reports, folds)


def _read(corpus: Corpus | str | os.PathLike[str]) -> Corpus:
    if isinstance(corpus, Corpus):
        return corpus
    from corefine.formats import read

    return read(corpus)
