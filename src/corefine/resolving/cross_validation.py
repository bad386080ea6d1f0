"""Cross-validation of resolvers: each document is resolved by a model of the other folds.

Folds are independent and run in several processes.

Runs by semantic type follow MCORES (Bodnari et al. 2012), whose classifier is trained and applied
to the markables of one semantic type at a time ("per-entity runs") and to all of them together
("per-corpus runs"); both are evaluated on the markables of each type. The result "across all" of
the runs by type is the unweighted mean over the types, of precision, recall and F each.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import fmean
from typing import Any

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.corpus.selection import keep_mentions, select_documents
from corefine.errors import UsageError, choose
from corefine.kinds.kind_plan import KindPlan, KindSpec, kinds_of, plan_of
from corefine.matching.settings import Zeros
from corefine.metrics.registry import MetricSpec
from corefine.output.grid import Column, Grid, Value
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.resolving.attributes import MarkableAttributes
from corefine.resolving.markables import KINDS, MARKABLES, Markables, markables_of
from corefine.resolving.pair_report import CLASSES, PairReport, decisions
from corefine.resolving.resolver import RECIPES
from corefine.resolving.rules import Trainer, trainer_of
from corefine.scoring.count import count
from corefine.scoring.drivers.processes import in_order
from corefine.scoring.request import Request
from corefine.scoring.scores import Score, Scores
from corefine.scoring.sides import SideLike, read_side

MEAN = "mean over types"
RUNS = ("by type", "together")
ZEROS: dict[str, Zeros] = {"NonZero": "drop", "All": "dependent"}
"""The settings of Kaczmarek and Marcińczuk (2015): zeros dropped from both sides, or matched."""
Outcome = tuple[Corpus, PairReport]
"""A response, and the report on its pairs."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CrossValidation(Result):
    """Responses, scores and pair classification of presets in cross-validation."""

    responses: dict[str, Corpus]
    """Responses by preset; each document is resolved by a model of the other folds."""
    scores: dict[str, Scores]
    pairs: dict[str, PairReport]
    folds: int
    types: TypeRuns | None = None
    """Runs by semantic type, if requested."""
    settings: dict[tuple[str, str, str], Scores] | None = None
    """Scores by preset, source of markables and setting of zeros, if requested."""

    @property
    def warnings(self) -> list[str]:
        """Warnings of scoring."""
        found = [warning for scores in self.scores.values() for warning in scores.warnings]
        return list(dict.fromkeys(found))

    @property
    def default_tables(self) -> tuple[str, ...]:
        """The scores, and the runs by type and settings if requested."""
        return tuple(name for name in self.table_functions() if name != "pairs")

    def table_functions(self) -> Tables:
        missing = {"types": self.types is None, "settings": self.settings is None}
        return {name: TABLES[name] for name in TABLES if not missing.get(name)}

    def to_dict(self) -> dict[str, Any]:
        """Scores and pair classification by preset, as plain values."""
        written: dict[str, Any] = {
            "folds": self.folds,
            "presets": {
                name: {**scores.to_dict(), "pairs": self.pairs[name].to_dict()}
                for name, scores in self.scores.items()
            },
        }
        if self.types is not None:
            written["types"] = self.types.to_dict()
        if self.settings is not None:
            written["settings"] = [
                {"preset": preset, "mentions": source, "zeros": zeros, **scores.to_dict()}
                for (preset, source, zeros), scores in self.settings.items()
            ]
        return written


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
    settings: bool = False,
    jobs: int | None = None,
    format: str | None = None,
    progress: Progress = silent,
    **parts: Any,
) -> CrossValidation:
    """Train presets on all folds of the documents but one and apply them to that one, in turn.

    Documents are assigned to folds at random by the seed. The responses of all folds are scored
    together. Singletons are left out if the documents have none. ``per_type`` also trains each
    preset on the markables of one semantic type at a time. ``settings`` also resolves gold and
    detected markables, and scores both with and without zeros. ``jobs`` is the number of processes,
    by default one per core. ``parts`` replace parts of the presets that have a recipe.
    """
    # Arguments are checked before anything is read or trained.
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
            remedy="Leave out --tables types, or use --markables gold.",
        )
    if folds < 2:
        raise UsageError(f"folds cannot be {folds}", remedy="Use at least 2.")
    corpus = read_side(corpus, "corpus", format, None, progress, allow_empty=True)
    documents = len(corpus.documents)
    if documents < 2:
        raise UsageError("cross-validation needs at least two documents", code="too-few-documents")
    folds = min(folds, documents)
    fold_of = np.random.default_rng(seed).permutation(documents) % folds

    typed = kinds_of(corpus, plan) if per_type else corpus
    dealt = Folds(typed, fold_of, markables, plan)
    outcomes = _resolved(dealt, trainers, jobs, progress)
    scores = {
        name: count(corpus, response, request).scores() for name, (response, _) in outcomes.items()
    }
    types = None
    if per_type:

        def run(part: Corpus) -> dict[str, Outcome]:
            return _resolved(replace(dealt, corpus=part), trainers, jobs)

        types = type_runs(typed, outcomes, run, request)
    compared = None
    if settings:
        detected = "detected" if markables == "gold" else markables
        found = {markables: outcomes}
        for source in {"gold", detected} - {markables}:
            found[source] = _resolved(replace(dealt, markables=source), trainers, jobs)
        # The order of Tables 2 and 3: NonZero before All, gold before detected mentions.
        compared = {
            (name, "gold" if source == "gold" else "detected", title): count(
                corpus, found[source][name][0], request.with_settings(zeros=zeros)
            ).scores()
            for name in sorted(trainers)
            for title, zeros in ZEROS.items()
            for source in ("gold", detected)
        }
    return CrossValidation(
        {name: response for name, (response, _) in outcomes.items()},
        scores,
        {name: report for name, (_, report) in outcomes.items()},
        folds,
        types,
        compared,
    )


def _resolved(
    folds: Folds,
    trainers: Mapping[str, Trainer],
    jobs: int | None,
    progress: Progress = silent,
) -> dict[str, Outcome]:
    """All documents, each resolved by a model of the other folds, and their pairs, by preset."""
    found: list[dict[str, Outcome]] = []
    progress("folds", 0, len(folds))
    processes = min(jobs or os.cpu_count() or 1, len(folds))
    tasks = [(folds, trainers, fold) for fold in range(len(folds))]
    for resolved in in_order(resolve_fold, tasks, processes):
        found.append(resolved)
        progress("folds", len(found), len(folds))
    order = np.argsort(np.argsort(folds.fold_of, kind="stable"))
    outcomes = {}
    for name in trainers:
        responses, reports = zip(*(resolved[name] for resolved in found), strict=True)
        response = select_documents(concatenate(responses), order)
        outcomes[name] = response, sum(reports, PairReport())
    return outcomes


@dataclass(frozen=True, slots=True, eq=False)
class Folds:
    """Documents assigned to folds, and the source of their markables."""

    corpus: Corpus
    fold_of: IntArray
    """The fold of each document."""
    markables: str
    kinds: KindPlan

    def __len__(self) -> int:
        return int(self.fold_of.max()) + 1

    def of(self, fold: int, *, others: bool = False) -> Markables:
        """The markables of a fold, or those of all other folds, for training."""
        wanted = (self.fold_of == fold) != others
        chosen = select_documents(self.corpus, np.flatnonzero(wanted))
        return markables_of(chosen, self.markables, self.kinds)


def resolve_fold(folds: Folds, trainers: Mapping[str, Trainer], fold: int) -> dict[str, Outcome]:
    """Train each preset on the other folds, and apply it to this one."""
    seen, unseen = (MarkableAttributes(folds.of(fold, others=others)) for others in (True, False))
    outcomes = {}
    for name, trainer in trainers.items():
        resolver = trainer(seen, silent)
        entity, singletons = resolver.entities(unseen), seen.markables.singletons
        response = unseen.markables.with_entities(entity, singletons=singletons)
        outcomes[name] = response, PairReport.of(unseen, decisions(resolver, unseen))
    return outcomes


@dataclass(frozen=True, slots=True)
class TypeScore:
    """Scores of a preset on the markables of one type."""

    preset: str
    runs: str
    """``by type`` if trained on this type alone, ``together`` if trained on all types."""
    type: str
    pairs: Score
    """Classification of coreferent pairs of two markables of the type."""
    f1: Mapping[str, float]
    """F1 by metric, of the entities restricted to mentions of the type."""


@dataclass(frozen=True, slots=True)
class TypeRuns:
    """Scores of presets on each semantic type."""

    scores: list[TypeScore]
    """By preset and runs; the mean over the types follows the scores of the types."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Types without results, and the reason."""

    def to_dict(self) -> dict[str, Any]:
        """Scores as plain values."""
        rows = [{**asdict(row), "pairs": row.pairs.to_dict()} for row in self.scores]
        return {"scores": rows, "left_out": self.left_out}


def mean_over_types(rows: Sequence[TypeScore]) -> TypeScore:
    """The unweighted mean over the types, of precision, recall and F1 each."""
    pairs = Score(
        f1=fmean(row.pairs.f1 for row in rows),
        precision=fmean(row.pairs.precision or 0.0 for row in rows),
        recall=fmean(row.pairs.recall or 0.0 for row in rows),
    )
    f1 = {name: fmean(row.f1[name] for row in rows) for name in rows[0].f1}
    return TypeScore(rows[0].preset, rows[0].runs, MEAN, pairs, f1)


def type_runs(
    corpus: Corpus,
    together: Mapping[str, Outcome],
    run: Callable[[Corpus], Mapping[str, Outcome]],
    request: Request,
) -> TypeRuns:
    """Evaluate presets on each semantic type of a corpus with types.

    ``together`` has the outcomes on the whole corpus by preset; ``run`` resolves a corpus of one
    type. Types without enough training data are left out of both.
    """
    column = corpus.mentions.type
    present = [] if column is None else np.unique(column[column >= 0]).tolist()
    if column is None or len(present) < 2:
        raise UsageError(
            "runs by semantic type need mentions of two types or more",
            remedy="Use a format with semantic types, or give a file with a 'type' column in "
            "--kinds.",
        )
    found: dict[tuple[str, str], list[TypeScore]] = {
        (preset, runs): [] for preset in together for runs in RUNS
    }
    left_out: dict[str, str] = {}
    for number in present:
        name = corpus.types[number]
        part = keep_mentions(corpus, column == number)
        try:
            alone = run(part)
        except UsageError as error:
            left_out[name] = error.message
            continue
        for preset, (response, report) in together.items():
            types = response.mentions.type
            assert types is not None, "a response keeps the types of its markables"
            of_type = keep_mentions(response, types == number)
            for runs, answer, pairs in (
                (RUNS[0], alone[preset][0], alone[preset][1].score("all")),
                (RUNS[1], of_type, report.score(f"type:{name}")),
            ):
                scores = count(part, answer, request).scores().by_name
                f1 = {metric: score.f1 for metric, score in scores.items()}
                found[preset, runs].append(TypeScore(preset, runs, name, pairs, f1))
    if len(left_out) == len(present):
        raise UsageError(
            f"no semantic type has enough training data: {next(iter(left_out.values()))}",
            remedy="Train on documents with several entities of more than one mention per type.",
        )
    listed = [row for rows in found.values() for row in (*rows, mean_over_types(rows))]
    return TypeRuns(listed, left_out)


def _percentages(of: str = "") -> list[Column]:
    """The columns of P, R and F1, of pairs or of a metric."""
    return [
        Column(f"{of} {title}".strip(), "percent", f"{of}_{name}".strip("_"))
        for title, name in (("P", "precision"), ("R", "recall"), ("F1", "f1"))
    ]


def scores_grid(result: CrossValidation) -> Grid:
    """F1 of each metric, per preset."""
    first = next(iter(result.scores.values()))
    columns = (Column("preset"), *(Column(name, "percent", name) for name in first.by_name))
    rows: list[tuple[Value, ...]] = [
        (preset, *(score.f1 for score in scores.by_name.values()))
        for preset, scores in result.scores.items()
    ]
    title = (
        "F1 in cross-validation: each document is resolved by a model trained on the other "
        f"folds ({result.folds})"
    )
    return Grid(columns, rows, title, notes=(str(first.signature),))


def pairs_grid(result: CrossValidation) -> Grid:
    """Precision, recall and F1 of pairs, per preset, group of pairs and class."""
    columns = (
        Column("preset"),
        Column("pairs", name="group"),
        Column("class"),
        Column("number", "integer", "number"),
        *_percentages(),
    )
    rows: list[tuple[Value, ...]] = []
    for preset, report in result.pairs.items():
        for group in report.groups():
            for name in CLASSES:
                score, number = report.score(group, name), report.size(group, name)
                rows.append((preset, group, name, number, score.precision, score.recall, score.f1))
    return Grid(columns, rows, "Pair classification")


def types_grid(result: CrossValidation) -> Grid:
    """Pair classification and F1 by metric, per preset, runs and semantic type."""
    assert result.types is not None, "the table requires runs by type"
    rows = result.types.scores
    columns = (
        Column("preset"),
        Column("runs"),
        Column("type"),
        *_percentages("pairs"),
        *(Column(name, "percent", name) for name in rows[0].f1),
    )
    values: list[tuple[Value, ...]] = [
        (row.preset, row.runs, row.type, *row.pairs, *row.f1.values()) for row in rows
    ]
    notes = [f"{name} not applicable: {why}" for name, why in result.types.left_out.items()]
    return Grid(columns, values, "Results by semantic type and overall", notes=tuple(notes))


def settings_grid(result: CrossValidation) -> Grid:
    """P, R and F1 per preset, with and without zeros, of gold and detected mentions."""
    assert result.settings is not None, "the table requires runs of both settings"
    metrics = list(next(iter(result.settings.values())).by_name)
    columns = (
        *(Column("preset"), Column("zeros"), Column("mentions")),
        *(column for metric in metrics for column in _percentages(metric)),
    )
    rows: list[tuple[Value, ...]] = [
        (preset, zeros, source, *(value for metric in metrics for value in scores.by_name[metric]))
        for (preset, source, zeros), scores in result.settings.items()
    ]
    signatures = {zeros: scores.signature for (_, _, zeros), scores in result.settings.items()}
    notes = tuple(f"{zeros}: {signature}" for zeros, signature in signatures.items())
    return Grid(columns, rows, "With and without zeros, gold and detected mentions", notes=notes)


TABLES: Tables = {
    "scores": scores_grid,
    "pairs": pairs_grid,
    "types": types_grid,
    "settings": settings_grid,
}
"""Tables by name; ``types`` and ``settings`` require runs of their own."""
