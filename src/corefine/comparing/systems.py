"""Comparing systems: from a key and several responses to a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from corefine.comparing.bootstrap import Bootstrap, Intervals, bootstrap
from corefine.comparing.comparison import Comparison
from corefine.comparing.corrections import Correction, adjust
from corefine.comparing.gathering import panel_of
from corefine.comparing.panel import QUANTITIES, Panel
from corefine.comparing.plan import Plan, Test
from corefine.comparing.power import (
    cautions,
    differing_documents,
    documents_needed,
    effects,
    smallest_detectable,
)
from corefine.comparing.randomization import Scheme, randomization_test
from corefine.comparing.ranking import (
    competition_ranks,
    letters,
    significance_matrix,
    significance_ranks,
)
from corefine.comparing.records import Difference, Interval, Standing
from corefine.comparing.sensitivity import Sensitivity, SensitivityStudy
from corefine.corpus.arrays import FloatArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.kinds import KindPlan, KindSpec
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec
from corefine.scoring.score import Side, as_corpus, metrics_for, score_corpora, settings_from
from corefine.scoring.scores import Scores
from corefine.scoring.tabulating import kinds_needed

NARROW = 30
"""With fewer documents than this the intervals are clearly too narrow."""

F1 = QUANTITIES.index("f1")


class Progress(Protocol):
    """Is told what is being done, how much of it is done, and how much there is to do."""

    def __call__(self, task: str, done: int, total: int) -> object: ...


def _silent(task: str, done: int, total: int) -> None:
    """Nobody wants to know."""


def compare(
    key: Side,
    systems: Mapping[str, Side],
    metrics: MetricSpec = "default",
    *,
    test: Test = "randomization",
    trials: int = 20_000,
    correction: Correction = "holm",
    alpha: float = 0.05,
    seed: int = 0,
    baseline: str | None = None,
    scheme: Scheme = "paired",
    replicates: int = 10_000,
    sensitivity: bool = False,
    kinds: KindSpec = "auto",
    progress: Progress = _silent,
    **settings: Any,
) -> Comparison:
    """Compare the responses of several systems to one key.

    Every system is read and scored once; intervals, tests and the agreement of metrics are made
    from its statistics by document. How it is done is said in
    :class:`~corefine.comparing.plan.Plan`; ``sensitivity`` scores the systems again under other
    conventions. ``kinds`` and the settings are those of :func:`corefine.score`.

    >>> key = {"a": [[1, 2, 3]], "b": [[1, 2], [3, 4]], "c": [[1, 2, 3, 4]]}
    >>> cautious = {"a": [[1, 2]], "b": [[1, 2]], "c": [[1, 2]]}
    >>> bold = {"a": [[1, 2, 3]], "b": [[1, 2, 3, 4]], "c": [[1, 2, 3, 4]]}
    >>> comparison = compare(key, {"cautious": cautious, "bold": bold}, "muc,lea")
    >>> comparison.difference("bold", "cautious", "muc").p
    0.25
    """
    plan = Plan(test, trials, correction, alpha, seed, baseline, scheme, replicates)
    chosen = settings_from(settings)
    asked = metrics_for(metrics, chosen)
    check_systems(list(systems), plan)
    kind_plan = kinds_needed(kinds, asked.values())
    layers = frozenset() if kind_plan is None else kind_plan.layers
    responses = (
        (name, as_corpus(system, f"response of {name!r}", layers))
        for name, system in systems.items()
    )
    scores, study = score_systems(
        as_corpus(key, "key", layers),
        responses,
        asked,
        chosen,
        kind_plan,
        sensitivity=sensitivity,
        progress=progress,
    )
    return compare_scores(scores, plan, sensitivity=study, progress=progress)


def score_systems(
    key: Corpus,
    systems: Iterable[tuple[str, Corpus]],
    metrics: dict[str, Metric],
    settings: Settings,
    kinds: KindPlan | None = None,
    *,
    sensitivity: bool = False,
    progress: Progress = _silent,
) -> tuple[dict[str, Scores], Sensitivity | None]:
    """The scores of systems that come one after another, so that one at a time is in memory."""
    study = SensitivityStudy(metrics, settings, kinds) if sensitivity else None
    scores = {}
    for name, response in systems:
        scores[name] = score_corpora(key, response, metrics, settings, kinds)
        if study is not None:
            study.add(name, key, response, partial(progress, f"scoring {name} in other ways"))
    return scores, None if study is None else study.result()


def compare_scores(
    scores: Mapping[str, Scores],
    plan: Plan | None = None,
    *,
    sensitivity: Sensitivity | None = None,
    progress: Progress = _silent,
) -> Comparison:
    """Compare systems that were scored already, all against the same key, as Evaluator gives."""
    plan = plan or Plan()
    check_systems(list(scores), plan)
    panel = panel_of(scores)
    first = next(iter(scores.values()))
    metrics = tuple(first.by_name)
    rows = [panel.names.index(metric) for metric in metrics]
    pairs = panel.pairs(plan.baseline)
    tested = _tested(panel, pairs, plan, progress)
    # Parts of an average that nobody asked for are not comparisons made.
    p = tested.p_values[:, rows]
    adjusted = adjust(p, plan.correction)
    return Comparison(
        metrics,
        dict(scores),
        plan,
        panel,
        tuple(_standings(scores, metrics, rows, pairs, tested.intervals, adjusted, plan)),
        tuple(_differences(panel, metrics, rows, pairs, tested, p, adjusted, plan)),
        tested.exact,
        tested.shuffles,
        tuple(_warnings(scores, panel, rows, pairs, tested, plan)),
        sensitivity,
    )


@dataclass(frozen=True, slots=True)
class _Tested:
    """The test of F1 as (pairs, measures), and the bootstrap that gives the intervals."""

    p_values: FloatArray
    intervals: Bootstrap
    exact: bool
    shuffles: int


def _tested(panel: Panel, pairs: IntArray, plan: Plan, progress: Progress) -> _Tested:
    resampled = bootstrap(
        panel,
        pairs=pairs,
        replicates=plan.resamples,
        confidence=plan.confidence,
        seed=plan.seed,
        compared=("f1",),
        progress=partial(progress, "resampling"),
    )
    if plan.test == "bootstrap":
        return _Tested(resampled.p_values[:, :, F1], resampled, False, plan.trials)
    result = randomization_test(
        panel,
        pairs=pairs,
        trials=plan.trials,
        scheme=plan.scheme,
        seed=plan.seed,
        progress=partial(progress, "shuffling"),
    )
    return _Tested(result.p_values, resampled, result.exact, result.shuffles)


def _standings(
    scores: Mapping[str, Scores],
    metrics: tuple[str, ...],
    rows: list[int],
    pairs: IntArray,
    resampled: Bootstrap,
    adjusted: FloatArray,
    plan: Plan,
) -> list[Standing]:
    found = []
    for column, (metric, row) in enumerate(zip(metrics, rows, strict=True)):
        f1 = np.array([one.by_name[metric].f1 for one in scores.values()])
        marks: list[str] | list[None] = [None] * len(scores)
        if plan.baseline is None:
            different = significance_matrix(pairs, adjusted[:, column], len(scores), plan.alpha)
            ranks = significance_ranks(f1, different)
            marks = letters(f1, different)
        else:
            ranks = competition_ranks(f1)
        for number, (name, one) in enumerate(scores.items()):
            found.append(
                Standing(
                    metric,
                    name,
                    one.by_name[metric],
                    _by_quantity(resampled.scores.percentile[number, row]),
                    _by_quantity(resampled.scores.bca[number, row]),
                    int(ranks[number]),
                    marks[number],
                )
            )
    return found


def _by_quantity(bounds: FloatArray) -> dict[str, Interval]:
    return {
        name: Interval(*ends)
        for name, ends in zip(QUANTITIES, bounds.tolist(), strict=True)
        if not np.isnan(ends).any()
    }


def _differences(
    panel: Panel,
    metrics: tuple[str, ...],
    rows: list[int],
    pairs: IntArray,
    tested: _Tested,
    p: FloatArray,
    adjusted: FloatArray,
    plan: Plan,
) -> list[Difference]:
    effect = effects(panel, pairs=pairs)
    level = plan.level(int(np.count_nonzero(~np.isnan(p))))
    detectable = smallest_detectable(effect.standard_error, alpha=level)
    needed = documents_needed(effect.effect_size, alpha=level)
    differing = differing_documents(panel, pairs)
    bounds: Intervals = tested.intervals.differences
    found = []
    for column, (metric, row) in enumerate(zip(metrics, rows, strict=True)):
        for number, (one, other) in enumerate(pairs.tolist()):
            cell = number, row
            wanted = needed[cell]
            found.append(
                Difference(
                    metric,
                    panel.systems[one],
                    panel.systems[other],
                    float(effect.difference[cell]),
                    _interval(bounds.percentile[(*cell, F1)]),
                    _interval(bounds.bca[(*cell, F1)]),
                    _number(p[number, column]),
                    _number(adjusted[number, column]),
                    bool(adjusted[number, column] <= plan.alpha),
                    _number(effect.effect_size[cell]),
                    _number(detectable[cell]),
                    int(wanted) if np.isfinite(wanted) else None,
                    int(differing[cell]),
                )
            )
    return found


def _interval(bounds: FloatArray) -> Interval | None:
    return None if np.isnan(bounds).any() else Interval(*bounds.tolist())


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _warnings(
    scores: Mapping[str, Scores],
    panel: Panel,
    rows: list[int],
    pairs: IntArray,
    tested: _Tested,
    plan: Plan,
) -> list[str]:
    """What scoring had to say, each thing once, and what limits the comparison."""
    said: dict[str, list[str]] = {}
    for name, one in scores.items():
        for warning in dict.fromkeys(one.warnings):
            said.setdefault(warning, []).append(name)
    found = [
        warning if len(names) == len(scores) else f"{', '.join(names)}: {warning}"
        for warning, names in said.items()
    ]
    conventions = {one.signature.conventions: name for name, one in scores.items()}
    if len(conventions) > 1:
        listed = "; ".join(f"{name}: {text}" for text, name in conventions.items())
        found.append(f"the systems were scored under different conventions: {listed}")
    documents = len(panel.documents)
    differing = differing_documents(panel, pairs)[:, rows]
    found += cautions(
        documents=documents,
        comparisons=differing.size,
        alpha=plan.alpha,
        scheme=plan.scheme,
        trials=plan.trials,
        test=plan.test,
        corrected=plan.corrected,
        fewest_differing=int(differing[differing > 0].min(initial=documents)),
    )
    identical = np.flatnonzero((differing == 0).all(axis=1))
    for one, other in pairs[identical].tolist():
        found.append(f"{panel.systems[one]} and {panel.systems[other]} do not differ anywhere")
    if documents < 2:
        found.append("With one document there are no intervals and no spread between documents.")
    elif documents < NARROW:
        found.append(
            f"Few documents ({documents}): intervals are too narrow. In simulations with 30, "
            "those of 95% held the true value in 92% of corpora (percentile) and 89% (BCa)."
        )
    return found


def check_systems(systems: list[str], plan: Plan) -> None:
    """Refuse what cannot be compared before anything is read."""
    if len(systems) < 2:
        raise UsageError(
            "a comparison needs at least two systems",
            remedy="To score one system, use 'corefine score' (corefine.score).",
        )
    if plan.baseline is not None and plan.baseline not in systems:
        raise UsageError(
            f"baseline {plan.baseline!r} is not among the systems",
            remedy=f"Choose one of: {', '.join(systems)}.",
        )
