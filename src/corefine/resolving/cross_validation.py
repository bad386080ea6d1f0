"""Cross-validation of resolvers: each document is resolved by a model of the other folds."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.corpus.selection import select_documents
from corefine.errors import UsageError, choose
from corefine.kinds.kind_plan import KindPlan, KindSpec, kinds_of, plan_of
from corefine.metrics.registry import MetricSpec
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.resolving.folds import Folds, KeptFolds, ResolvedFold, resolve_fold
from corefine.resolving.markables import KINDS, MARKABLES
from corefine.resolving.pair_report import PairReport
from corefine.resolving.presets import Trainer, trainer_of
from corefine.resolving.recipes import RECIPES
from corefine.resolving.type_runs import Outcome, TypeRuns, type_runs
from corefine.scoring.count import count
from corefine.scoring.drivers.processes import in_order
from corefine.scoring.request import Request
from corefine.scoring.scores import Scores
from corefine.scoring.sides import Side, SideLike


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CrossValidation(Result):
    """What presets made of documents that they were not trained on."""

    responses: dict[str, Corpus]
    """By preset: all documents of the key, each resolved by a model of the other folds."""
    scores: dict[str, Scores]
    pairs: dict[str, PairReport]
    """By preset: how well pairs were classified."""
    folds: int
    types: TypeRuns | None = None
    """Runs by semantic type beside those on all markables, if they were asked for."""

    @property
    def default_tables(self) -> tuple[str, ...]:
        """The scores, and the runs by type where they were asked for."""
        return ("scores",) if self.types is None else ("scores", "types")

    def table_functions(self) -> Tables:
        from corefine.resolving.tables import TABLES

        return {name: TABLES[name] for name in TABLES if name != "types" or self.types is not None}

    def to_dict(self) -> dict[str, Any]:
        """Scores and classification of pairs by preset, as they are written as JSON."""
        written = {
            "folds": self.folds,
            "presets": {
                name: {**scores.to_dict(), "pairs": self.pairs[name].to_dict()}
                for name, scores in self.scores.items()
            },
        }
        return written if self.types is None else {**written, "types": self.types.to_dict()}


def cross_validate(
    corpus: SideLike,
    presets: Sequence[str] = ("ng-cardie",),
    *,
    folds: int = 10,
    seed: int = 0,
    metrics: MetricSpec = "default",
    markables: str = "gold",
    kinds: KindSpec | KindPlan = KINDS,
    per_type: bool = False,
    jobs: int | None = None,
    resume: str | PathLike[str] | None = None,
    progress: Progress = silent,
    **parts: Any,
) -> CrossValidation:
    """Train presets on all folds of the documents but one and apply them to that one, in turn.

    Documents are dealt into folds at random by the seed. The responses of all folds together are
    scored once, so that every document counts as it does in any other score. Entities of one
    mention are left out where the documents have none. ``per_type`` also trains each preset on the
    markables of one semantic type at a time (:mod:`corefine.resolving.type_runs`). ``jobs``
    processes resolve folds at once, by default one per core. ``resume`` names a folder in which
    finished folds are kept, and from which a run that was interrupted goes on. ``parts`` replace
    parts of the presets that have a recipe.
    """
    # What is asked for is checked before anything is read or trained.
    if not presets or len(set(presets)) < len(presets):
        raise UsageError("give at least one preset, and each only once")
    with_recipes = set(presets) & set(RECIPES)
    trainers = {
        name: trainer_of(name, seed, **(parts if name in with_recipes or not with_recipes else {}))
        for name in presets
    }
    plan = plan_of(kinds)
    request = Request.of(metrics, kinds=plan)
    choose("markables", markables, MARKABLES)
    if per_type and markables != "gold":
        raise UsageError(
            "runs by semantic type need gold mentions; detected mentions have no type",
            remedy="Leave out --per-type or use --markables gold.",
        )
    if folds < 2:
        raise UsageError(f"folds cannot be {folds}", remedy="Use at least 2.")
    corpus = Side.of(corpus, "corpus").read(None, progress)
    documents = len(corpus.documents)
    if documents < 2:
        raise UsageError("cross-validation needs at least two documents")
    folds = min(folds, documents)
    fold_of = np.random.default_rng(seed).permutation(documents) % folds

    typed = kinds_of(corpus, plan) if per_type else corpus
    dealt = Folds(typed, fold_of, markables, plan)
    asked = (presets, sorted(parts.items()), seed, markables, str(kinds))
    kept = None if resume is None else KeptFolds.of(resume, dealt, asked)
    outcomes = _resolved(dealt, trainers, jobs, kept, progress)
    scores = {
        name: count(corpus, response, request).scores() for name, (response, _) in outcomes.items()
    }
    types = None
    if per_type:

        def run(part: Corpus) -> dict[str, Outcome]:
            return _resolved(replace(dealt, corpus=part), trainers, jobs, None, silent)

        types = type_runs(typed, outcomes, run, request)
    return CrossValidation(
        {name: response for name, (response, _) in outcomes.items()},
        scores,
        {name: report for name, (_, report) in outcomes.items()},
        folds,
        types,
    )


def _resolved(
    folds: Folds,
    trainers: Mapping[str, Trainer],
    jobs: int | None,
    kept: KeptFolds | None,
    progress: Progress,
) -> dict[str, Outcome]:
    """By preset: the documents, each resolved by a model of the other folds, and their pairs."""
    found: dict[int, ResolvedFold] = {}
    for fold in range(len(folds)):
        held = None if kept is None else kept.load(folds, fold)
        if held is not None:
            found[fold] = held
    left = [fold for fold in range(len(folds)) if fold not in found]
    progress("folds", len(found), len(folds))
    processes = min(jobs or os.cpu_count() or 1, len(left))
    tasks = [(folds, trainers, fold) for fold in left]
    for fold, resolved in zip(left, in_order(resolve_fold, tasks, processes), strict=True):
        found[fold] = resolved
        if kept is not None:
            kept.save(fold, resolved)
        progress("folds", len(found), len(folds))
    unseen = [folds.unseen(fold) for fold in range(len(folds))]
    order = np.argsort(np.argsort(folds.fold_of, kind="stable"))
    outcomes = {}
    for name in trainers:
        parts = [
            markables.with_entities(found[fold].entities[name], singletons=found[fold].singletons)
            for fold, markables in enumerate(unseen)
        ]
        report = sum((found[fold].pairs[name] for fold in range(len(folds))), PairReport())
        outcomes[name] = select_documents(concatenate(parts), order), report
    return outcomes
