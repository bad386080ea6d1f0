"""Comparing systems: from a key and several responses to a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from corefine.comparing.breakdowns import part_standings
from corefine.comparing.comparability import check_comparable
from corefine.comparing.comparison import Comparison
from corefine.comparing.multiple_testing import Correction, adjust
from corefine.comparing.plan import Plan, Test
from corefine.comparing.power import (
    Effects,
    cautions,
    differing_documents,
    documents_needed,
    effects,
    smallest_detectable,
    smallest_p,
)
from corefine.comparing.randomization import Scheme, randomization_test
from corefine.comparing.ranking import letters, significance_matrix, significance_ranks
from corefine.comparing.responses import named_runs, scored_systems
from corefine.comparing.runs import Runs, flattened
from corefine.comparing.sensitivity import Sensitivity, SensitivityStudy
from corefine.comparing.standings import Difference, Interval, Standing
from corefine.corpus.arrays import FloatArray, IntArray
from corefine.errors import UsageError
from corefine.kinds.kind_plan import KindSpec
from corefine.metrics.registry import MetricSpec
from corefine.output.progress import Progress, silent
from corefine.scoring.count import count
from corefine.scoring.request import Request, RequestOptions
from corefine.scoring.resampling.bootstrap import Bootstrap, Intervals, bootstrap
from corefine.scoring.resampling.panel import QUANTITIES, TIE_DECIMALS, Panel
from corefine.scoring.score import require_tagged
from corefine.scoring.scores import Score, Scores
from corefine.scoring.sides import Side, SideLike, split_metrics
from corefine.scoring.stored import with_metrics

NARROW = 30
"""With fewer documents than this the intervals are clearly too narrow."""


def compare(
    key: SideLike,
    *systems: SideLike,
    metrics: MetricSpec = "default",
    test: Test | None = None,
    trials: int | None = None,
    correction: Correction | None = None,
    alpha: float | None = None,
    seed: int = 0,
    baseline: str | None = None,
    scheme: Scheme | None = None,
    replicates: int | None = None,
    sensitivity: bool = False,
    kinds: KindSpec = "auto",
    by: str | Sequence[str] | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    progress: Progress = silent,
    **settings: Unpack[RequestOptions],
) -> Comparison:
    """Compare the responses of several systems to the same key.

    The systems are given as in :func:`corefine.score`: as separate arguments, in a list, or in a
    dict by name. Each system is scored once; confidence intervals, tests and the agreement of
    metrics are computed from its statistics per document. ``test``, ``trials``, ``correction``,
    ``alpha``, ``scheme`` and ``replicates`` default to the values of the ``preset`` or of
    :class:`~corefine.comparing.plan.Plan`. ``sensitivity`` also ranks the systems under other
    settings. ``kinds``, ``by`` (with intervals for each part) and the settings are those of
    :func:`corefine.score`.

    In a dict, a list of paths, corpora or scores is several runs of one system: they are averaged,
    and resampling covers documents and runs (:mod:`corefine.comparing.runs`).

    Scores and saved scores are compared without a key: ``compare(first, second)`` or
    ``compare({"a": first, "b": second})``. They must have the same key and signature; ``metrics``
    selects among theirs.

    >>> key = {"a": [[1, 2, 3]], "b": [[1, 2], [3, 4]], "c": [[1, 2, 3, 4]]}
    >>> cautious = {"a": [[1, 2]], "b": [[1, 2]], "c": [[1, 2]]}
    >>> bold = {"a": [[1, 2, 3]], "b": [[1, 2, 3, 4]], "c": [[1, 2, 3, 4]]}
    >>> comparison = compare(key, {"cautious": cautious, "bold": bold}, "muc,lea")
    >>> comparison.difference("bold", "cautious", "muc").p
    0.25
    """
    plan = Plan.of(
        settings.get("preset"),
        test=test,
        trials=trials,
        correction=correction,
        alpha=alpha,
        seed=seed,
        baseline=baseline,
        scheme=scheme,
        replicates=replicates,
    )
    systems, metrics = split_metrics(systems, metrics)
    scored = scored_systems(key, systems)
    if scored is not None:
        # What is stored was scored: nothing can be asked that would change a number.
        given: dict[str, Any] = {"kinds": kinds != "auto", "by": by, "sensitivity": sensitivity}
        given |= {"key_format": key_format, "response_format": response_format, **settings}
        _refuse_options([name for name, value in given.items() if value])
        if metrics != "default":
            scored = {
                name: [with_metrics(one, metrics) for one in runs] for name, runs in scored.items()
            }
        check_systems(list(scored), plan)
        check_comparable(flattened(scored))
        return compare_scores(scored, plan, progress=progress)
    request = Request.of(metrics, kinds=kinds, by=by, **settings)
    sides = named_runs(systems, response_format)
    check_systems(list(sides), plan)
    study = SensitivityStudy(request) if sensitivity else None
    if study is not None and any(len(runs) > 1 for runs in sides.values()):
        raise UsageError(
            "--sensitivity needs exactly one run per system",
            remedy="Leave out --sensitivity (sensitivity=True), or give one run of each.",
        )
    layers, align = request.source_layers, request.settings.align
    read = Side.of(key, "key", key_format).read(layers, progress)
    scores: dict[str, list[Scores]] = {}
    for name, runs in sides.items():
        for side in runs:
            response = side.read(layers, progress, read, align)
            scores.setdefault(name, []).append(count(read, response, request).scores())
            if study is not None:
                study.add(name, read, response, progress)
    require_tagged(align, [one.copies for runs in scores.values() for one in runs])
    found = None if study is None else study.result()
    return compare_scores(scores, plan, sensitivity=found, progress=progress)


def _refuse_options(names: list[str]) -> None:
    if names:
        raise UsageError(
            f"saved scores cannot be rescored: {', '.join(names)} does not apply",
            remedy="Leave it out, or compare the responses themselves.",
        )


def compare_scores(
    scores: Mapping[str, Scores | Sequence[Scores]],
    plan: Plan | None = None,
    *,
    sensitivity: Sensitivity | None = None,
    panel: Panel | None = None,
    progress: Progress = silent,
) -> Comparison:
    """Compare systems that were scored already, all against the same key, as Evaluator gives.

    Several scores of one system are its runs. ``panel`` has the statistics of single runs where
    documents are not all drawn alike.
    """
    plan = plan or Plan()
    check_systems(list(scores), plan)
    listed = {n: [one] if isinstance(one, Scores) else list(one) for n, one in scores.items()}
    runs = Runs.of(listed) if any(len(of) > 1 for of in listed.values()) else None
    single = {name: of[0] for name, of in listed.items()} if runs is None else runs.mean_scores
    if runs is not None:
        panel = runs.mean_panel
    elif panel is None:
        panel = Panel.of(single)
    pairs = panel.pairs(plan.baseline)
    warnings = _warnings(flattened(listed), panel, pairs, plan)
    if runs is None:
        tested = _tested(panel, pairs, plan, progress)
        by_name: Mapping[str, Mapping[str, Score]] = {n: of.by_name for n, of in single.items()}
    else:
        tested = _tested_runs(runs, pairs, plan, progress)
        by_name = runs.by_name()
        warnings += runs.warnings()
    adjusted = adjust(tested.p_values, plan.correction)
    return Comparison(
        panel.names,
        single,
        plan,
        panel,
        tuple(_standings(by_name, pairs, tested.intervals, adjusted, plan)),
        tuple(_differences(panel, pairs, tested, adjusted, plan)),
        tested.exact,
        tested.shuffles,
        tuple(warnings),
        sensitivity,
        runs,
        part_standings(listed, plan, progress),
    )


@dataclass(frozen=True, slots=True)
class _Tested:
    """The test of F1 as (pairs, metrics), and the bootstrap that gives the intervals."""

    p_values: FloatArray
    intervals: Bootstrap
    exact: bool
    shuffles: int
    effects: Effects
    of_runs: bool = False


def _tested_runs(runs: Runs, pairs: IntArray, plan: Plan, progress: Progress) -> _Tested:
    """The test and the intervals of several runs."""
    resampled, effect = runs.bootstrap(pairs, plan, progress), runs.effects(pairs)
    if plan.test == "bootstrap":
        return _Tested(resampled.p_values, resampled, False, plan.trials, effect, True)
    result = runs.test(pairs, plan, progress)
    return _Tested(result.p_values, resampled, False, result.shuffles, effect, True)


def _tested(panel: Panel, pairs: IntArray, plan: Plan, progress: Progress) -> _Tested:
    resampled = bootstrap(
        panel,
        pairs=pairs,
        replicates=plan.resamples,
        confidence=plan.confidence,
        seed=plan.seed,
        progress=progress,
    )
    effect = effects(panel, pairs)
    if plan.test == "bootstrap":
        return _Tested(resampled.p_values, resampled, False, plan.trials, effect)
    result = randomization_test(
        panel,
        pairs=pairs,
        trials=plan.trials,
        scheme=plan.scheme,
        seed=plan.seed,
        progress=progress,
    )
    return _Tested(result.p_values, resampled, result.exact, result.shuffles, effect)


def _standings(
    scores: Mapping[str, Mapping[str, Score]],
    pairs: IntArray,
    resampled: Bootstrap,
    adjusted: FloatArray,
    plan: Plan,
) -> list[Standing]:
    found = []
    for column, metric in enumerate(next(iter(scores.values()))):
        f1 = np.array([one[metric].f1 for one in scores.values()])
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
                    one[metric],
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
    effect, p = tested.effects, tested.p_values
    level = plan.level(int(np.count_nonzero(~np.isnan(p))))
    detectable = smallest_detectable(effect.standard_error, alpha=level)
    needed = documents_needed(effect.effect_size, alpha=level)
    if tested.of_runs:
        # More documents do not make runs more alike, and few runs cost power: neither is known.
        detectable, needed = np.full(needed.shape, np.nan), np.full(needed.shape, np.inf)
    reachable = max(smallest_p(len(panel.documents), plan.scheme, plan.trials, plan.test))
    if reachable > (plan.alpha if plan.correction == "bh" else level):
        # No difference can be significant, however large it is.
        detectable = np.full(needed.shape, np.nan)
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
        found.append(
            f"{panel.systems[one]} and {panel.systems[other]} are identical on every document"
        )
    whole = min(one.key.documents for one in scores.values())
    if any(one.request.settings.window for one in scores.values()) and documents > whole:
        found.append(
            f"{documents:,} windows of {whole:,} document{'s' if whole > 1 else ''} are resampled: "
            "windows of one document are alike, so confidence intervals are probably too narrow "
            "and p-values too small."
        )
    if documents < 2:
        found.append(
            "With one document there are no confidence intervals and no variance between documents."
        )
    elif documents < NARROW:
        found.append(
            f"{few_documents(documents)} In simulations with 30 documents, 95% intervals covered "
            "the true value in 92% (percentile) and 89% (BCa) of corpora."
        )
    return found


def few_documents(documents: int, unit: str = "document") -> str:
    """What is said where documents are fewer than :data:`NARROW`."""
    return f"Only {documents} {unit}s: confidence intervals are probably too narrow."


def check_systems(systems: list[str], plan: Plan) -> None:
    """Refuse what cannot be compared before anything is read."""
    if len(systems) < 2:
        raise UsageError(
            "compare needs at least two systems",
            remedy="To score one system, use 'corefine score' (corefine.score).",
        )
    if plan.baseline is not None and plan.baseline not in systems:
        raise UsageError(
            f"the baseline {plan.baseline!r} is not one of the systems",
            remedy=f"Choose one of: {', '.join(systems)}.",
        )
