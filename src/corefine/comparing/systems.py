"""Comparing systems: from a key and several responses to a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corefine.comparing.bootstrap import Bootstrap, Intervals, bootstrap
from corefine.comparing.comparison import Comparison
from corefine.comparing.multiple_testing import Correction, adjust
from corefine.comparing.panel import QUANTITIES, TIE_DECIMALS, Panel
from corefine.comparing.parts import part_standings
from corefine.comparing.plan import Plan, Test
from corefine.comparing.power import (
    cautions,
    differing_documents,
    documents_needed,
    effects,
    smallest_detectable,
)
from corefine.comparing.randomization import Scheme, randomization_test
from corefine.comparing.ranking import letters, significance_matrix, significance_ranks
from corefine.comparing.sensitivity import Sensitivity, SensitivityStudy
from corefine.comparing.standings import Difference, Interval, Standing
from corefine.corpus.arrays import FloatArray, IntArray
from corefine.errors import UsageError
from corefine.kinds.kind_plan import KindSpec
from corefine.metrics.registry import MetricSpec
from corefine.scoring.count import count
from corefine.scoring.request import Request
from corefine.scoring.scores import Scores
from corefine.scoring.sides import Side, SideLike, named_sides, split_metrics
from corefine.showing.progress import Progress, silent

NARROW = 30
"""With fewer documents than this the intervals are clearly too narrow."""


def compare(
    key: SideLike,
    *systems: SideLike,
    metrics: MetricSpec = "default",
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
    by: str | Sequence[str] | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    progress: Progress = silent,
    **settings: Any,
) -> Comparison:
    """Compare the responses of several systems to one key.

    The systems are sides as in :func:`corefine.score`, one after another, in a list, or in a dict
    by name. Every system is read and scored once; intervals, tests and the agreement of metrics
    are made from its statistics by document. How it is done is said in
    :class:`~corefine.comparing.plan.Plan`; ``sensitivity`` scores the systems again under other
    conventions. ``kinds``, ``by`` (with intervals for every part) and the settings are those of
    :func:`corefine.score`.

    >>> key = {"a": [[1, 2, 3]], "b": [[1, 2], [3, 4]], "c": [[1, 2, 3, 4]]}
    >>> cautious = {"a": [[1, 2]], "b": [[1, 2]], "c": [[1, 2]]}
    >>> bold = {"a": [[1, 2, 3]], "b": [[1, 2, 3, 4]], "c": [[1, 2, 3, 4]]}
    >>> comparison = compare(key, {"cautious": cautious, "bold": bold}, "muc,lea")
    >>> comparison.difference("bold", "cautious", "muc").p
    0.25
    """
    plan = Plan(test, trials, correction, alpha, seed, baseline, scheme, replicates)
    systems, metrics = split_metrics(systems, metrics)
    request = Request.of(metrics, kinds=kinds, by=by, **settings)
    sides = named_sides(systems, response_format)
    check_systems(list(sides), plan)
    read = Side.of(key, "key", key_format).read(request.layers, progress)
    study = SensitivityStudy(request) if sensitivity else None
    scores = {}
    for name, side in sides.items():
        response = side.read(request.layers, progress, read)
        scores[name] = count(read, response, request).scores()
        if study is not None:
            study.add(name, read, response, progress)
    found = None if study is None else study.result()
    return compare_scores(scores, plan, sensitivity=found, progress=progress)


def compare_scores(
    scores: Mapping[str, Scores],
    plan: Plan | None = None,
    *,
    sensitivity: Sensitivity | None = None,
    progress: Progress = silent,
) -> Comparison:
    """Compare systems that were scored already, all against the same key, as Evaluator gives."""
    plan = plan or Plan()
    check_systems(list(scores), plan)
    panel = Panel.of(scores)
    pairs = panel.pairs(plan.baseline)
    tested = _tested(panel, pairs, plan, progress)
    adjusted = adjust(tested.p_values, plan.correction)
    return Comparison(
        panel.names,
        dict(scores),
        plan,
        panel,
        tuple(_standings(scores, pairs, tested.intervals, adjusted, plan)),
        tuple(_differences(panel, pairs, tested, adjusted, plan)),
        tested.exact,
        tested.shuffles,
        tuple(_warnings(scores, panel, pairs, plan)),
        sensitivity,
        part_standings(scores, plan, progress),
    )


@dataclass(frozen=True, slots=True)
class _Tested:
    """The test of F1 as (pairs, metrics), and the bootstrap that gives the intervals."""

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
        progress=progress,
    )
    if plan.test == "bootstrap":
        return _Tested(resampled.p_values, resampled, False, plan.trials)
    result = randomization_test(
        panel,
        pairs=pairs,
        trials=plan.trials,
        scheme=plan.scheme,
        seed=plan.seed,
        progress=progress,
    )
    return _Tested(result.p_values, resampled, result.exact, result.shuffles)


def _standings(
    scores: Mapping[str, Scores],
    pairs: IntArray,
    resampled: Bootstrap,
    adjusted: FloatArray,
    plan: Plan,
) -> list[Standing]:
    found = []
    for column, metric in enumerate(next(iter(scores.values())).by_name):
        f1 = np.array([one.by_name[metric].f1 for one in scores.values()])
        if plan.baseline is None:
            different = significance_matrix(pairs, adjusted[:, column], len(scores), plan.alpha)
            ranks = significance_ranks(f1, different)
            marks: Sequence[str | None] = letters(f1, different)
        else:
            # Not all pairs are tested: the rank is that of the score alone.
            ranks = significance_ranks(f1.round(TIE_DECIMALS), ~np.eye(len(f1), dtype=np.bool_))
            marks = [None] * len(scores)
        for number, (name, one) in enumerate(scores.items()):
            found.append(
                Standing(
                    metric,
                    name,
                    one.by_name[metric],
                    _by_quantity(resampled.scores.percentile[number, column]),
                    _by_quantity(resampled.scores.bca[number, column]),
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
    panel: Panel, pairs: IntArray, tested: _Tested, adjusted: FloatArray, plan: Plan
) -> list[Difference]:
    effect, p = effects(panel, pairs), tested.p_values
    level = plan.level(int(np.count_nonzero(~np.isnan(p))))
    detectable = smallest_detectable(effect.standard_error, alpha=level)
    needed = documents_needed(effect.effect_size, alpha=level)
    differing = differing_documents(panel, pairs)
    bounds: Intervals = tested.intervals.differences
    found = []
    for column, metric in enumerate(panel.names):
        for number, (one, other) in enumerate(pairs.tolist()):
            cell = number, column
            wanted = needed[cell]
            found.append(
                Difference(
                    metric,
                    panel.systems[one],
                    panel.systems[other],
                    float(effect.difference[cell]),
                    _interval(bounds.percentile[cell]),
                    _interval(bounds.bca[cell]),
                    _number(p[cell]),
                    _number(adjusted[cell]),
                    bool(adjusted[cell] <= plan.alpha),
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


def _warnings(scores: Mapping[str, Scores], panel: Panel, pairs: IntArray, plan: Plan) -> list[str]:
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
    differing = differing_documents(panel, pairs)
    found += cautions(
        documents=documents,
        comparisons=differing.size,
        alpha=plan.alpha,
        scheme=plan.scheme,
        trials=plan.trials,
        test=plan.test,
        correction=plan.correction,
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
