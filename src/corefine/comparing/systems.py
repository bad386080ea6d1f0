"""``corefine.compare``: from a key and several responses to a comparison."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np

from corefine.comparing.comparison import (
    Comparison,
    Difference,
    Interval,
    PartDifference,
    PartStanding,
    Standing,
    flattened,
)
from corefine.comparing.plan import Plan, PlanOptions, adjust
from corefine.comparing.power import (
    STATED,
    Effects,
    detectable_effect,
    differing_documents,
    effects,
    smallest_p,
    warnings_on_reach,
)
from corefine.comparing.randomization import randomization_test
from corefine.comparing.ranking import ranks_and_letters
from corefine.corpus.arrays import FloatArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.errors import Caution, UsageError, code_of, emitting
from corefine.metrics.registry import MetricSpec
from corefine.output.plain_text import counted
from corefine.output.progress import Progress, silent
from corefine.output.result import Result
from corefine.scoring.count import count
from corefine.scoring.request import RequestOptions
from corefine.scoring.resampling import (
    QUANTITIES,
    Bootstrap,
    Panel,
    bootstrap,
    part_panel,
)
from corefine.scoring.sanity import by_importance
from corefine.scoring.score import request_for, require_tagged
from corefine.scoring.scores import Score, Scores
from corefine.scoring.sides import (
    SideLike,
    is_file,
    named_sides,
    names_of,
    read_side,
    split_metrics,
)

if TYPE_CHECKING:
    from corefine.comparing.judgements import JudgementsLike
    from corefine.comparing.suites import SuiteScores
    from corefine.kinds.kind_plan import KindSpec

NARROW = 8
"""With fewer documents, in a corpus or in a data set, confidence intervals are too narrow."""
COVERAGE = {2: 0.50, 3: 0.76, 4: 0.86, 5: 0.91, 6: 0.92, 7: 0.92}
"""Share of simulated corpora whose 95% interval contained the true value, by documents."""
OF_PAIRS = ("blanc", "pairs.")
"""Beginnings of the names of metrics that count pairs of mentions."""
OF_PAIRS_NARROW = 60
"""With fewer documents, the intervals of metrics of pairs are too narrow."""
OF_PAIRS_COVERAGE = (0.86, 0.93)
"""Least and greatest coverage of their 95% intervals on 8 to 50 texts drawn from LitBank."""
BOOTSTRAP_DOCUMENTS = 20
"""The bootstrap test is refused with fewer documents."""
BOOTSTRAP_ERRORS = {20: 0.11, 30: 0.11, 60: 0.07, 100: 0.06}
"""Type I error of the bootstrap test at α = .05 in simulated corpora, by documents."""


class CompareOptions(PlanOptions, RequestOptions, total=False):
    """Options of tests, and settings of scoring."""


@emitting
def compare(
    key: SideLike,
    *systems: SideLike,
    metrics: MetricSpec = "default",
    kinds: KindSpec = "auto",
    by: str | Sequence[str] | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    scorer: str | None = None,
    judgements: JudgementsLike | None = None,
    progress: Progress = silent,
    **options: Unpack[CompareOptions],
) -> Comparison:
    """Compare the responses of several systems to the same key.

    The systems are given as in :func:`corefine.score`: as separate arguments, in a list, or in a
    dict by name. Each system is scored once; confidence intervals and tests are computed from its
    statistics per document. ``test``, ``trials``, ``correction``, ``alpha``, ``seed``,
    ``baseline``, ``scheme`` and ``replicates`` are those of
    :class:`~corefine.comparing.plan.Plan`, and default to the values of the ``preset``.
    ``kinds``, ``by`` (with intervals and tests for each group), ``scorer`` and the settings are
    those of :func:`corefine.score`. ``judgements`` of the systems are those of
    :meth:`Comparison.correlation`.

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
    settings: dict[str, Any] = {**options}
    plan = Plan.taken_from(settings)
    systems, metrics = split_metrics(systems, metrics)
    saved = saved_results(key, systems)
    if saved is not None:
        given = {"kinds": kinds != "auto", "by": by, **settings}
        given |= {"key_format": key_format, "response_format": response_format, "scorer": scorer}
        useless = [name for name, value in given.items() if value]
        if useless:
            raise UsageError(
                f"saved scores cannot be rescored: {', '.join(useless)} does not apply",
                remedy="Leave it out, or compare the responses themselves.",
            )
        return _judged(_compare_saved(saved, metrics, plan, progress), judgements)
    request = request_for(scorer, metrics, kinds, by, settings)
    sides = named_runs(systems)
    check_systems(list(sides), plan, key)
    layers, align = request.source_layers, request.settings.align
    allow_empty = request.settings.allow_empty
    read = read_side(key, "key", key_format, layers, progress, allow_empty=allow_empty)
    scores: dict[str, list[Scores]] = {}
    for name, runs in sides.items():
        for side in runs:
            response = read_side(
                side, f"response {name!r}", response_format, layers, progress,
                against=read, align=align, allow_empty=allow_empty,
            )  # fmt: skip
            scores.setdefault(name, []).append(count(read, response, request).scores())
    require_tagged(align, [one.copies for runs in scores.values() for one in runs])
    return _judged(compare_scores(scores, plan, progress=progress), judgements)


def _judged(comparison: Comparison, judgements: JudgementsLike | None) -> Comparison:
    """A comparison with the agreement of its metrics with judgements, if there are any."""
    if judgements is None:
        return comparison
    return replace(comparison, judged=comparison.correlation(judgements))


def compare_scores(
    scores: Mapping[str, Scores | Sequence[Scores]],
    plan: Plan | None = None,
    *,
    progress: Progress = silent,
    result: type[Comparison] = Comparison,
) -> Comparison:
    """Compare systems that were scored against the same key; several scores of one are its runs.

    ``result`` is the class of the result.
    """
    plan = plan or Plan()
    check_systems(list(scores), plan)
    listed = {n: [one] if isinstance(one, Scores) else list(one) for n, one in scores.items()}
    if any(len(of) > 1 for of in listed.values()):
        from corefine.comparing.runs import Runs

        runs = Runs.of(listed)
        single, panel = runs.mean_scores, runs.mean_panel
        by_name: Mapping[str, Mapping[str, Score]] = runs.by_name()
    else:
        runs = None
        single = {name: of[0] for name, of in listed.items()}
        panel = Panel.of(single)
        by_name = {name: of.by_name for name, of in single.items()}
    if plan.test == "bootstrap" and len(panel.documents) < BOOTSTRAP_DOCUMENTS:
        raise UsageError(
            f"the bootstrap test needs at least {BOOTSTRAP_DOCUMENTS} documents, not "
            f"{len(panel.documents)}",
            remedy="Use the randomization test, which is the default.",
            code="too-few-documents",
        )
    pairs = panel.pairs(plan.baseline)
    if runs is not None:
        intervals, effect = runs.bootstrap(pairs, plan, progress), runs.effects(pairs)
    else:
        effect = effects(panel, pairs)
        intervals = bootstrap(panel, pairs=pairs, progress=progress, **plan.bootstrap)
    p_values, exact, shuffles = intervals.p_values, False, plan.trials
    if plan.test == "randomization":
        if runs is not None:
            tested = runs.test(pairs, plan, progress)
        else:
            tested = randomization_test(panel, pairs=pairs, progress=progress, **plan.permutations)
        p_values, exact, shuffles = tested.p_values, tested.exact, tested.shuffles
    family = panel.applicable.copy()
    if any(name in plan.tested for name in panel.names):
        family &= np.isin(panel.names, plan.tested)
    p_values = np.where(family, p_values, np.nan)
    adjusted = adjust(p_values, plan.correction)
    comparisons = int(np.count_nonzero(~np.isnan(p_values)))
    warnings = _warnings(flattened(listed), panel, pairs, plan, comparisons)
    warnings += [] if runs is None else runs.warnings()
    # Runs: more documents do not make them more alike, and few runs cost power.
    powered = len(panel.documents) >= STATED and plan.scheme == "paired" and runs is None
    detectable = _detectable(effect, plan, comparisons, panel) if powered else None
    return result(
        panel.names,
        single,
        plan,
        panel,
        tuple(_standings(by_name, panel, pairs, intervals, adjusted, plan)),
        tuple(_differences(panel, pairs, effect, intervals, p_values, adjusted, plan, detectable)),
        exact,
        shuffles,
        tuple(warnings),
        runs,
        part_standings(listed, plan),
        part_differences(listed, plan, progress),
    )


def _detectable(effect: Effects, plan: Plan, comparisons: int, panel: Panel) -> FloatArray | None:
    """Smallest true differences that are found with a power of 80%; None if none can be."""
    level = plan.level(comparisons)
    reachable = max(smallest_p(len(panel.documents), plan))
    if reachable > (plan.alpha if plan.correction == "bh" else level):
        return None
    return detectable_effect(effect.freedom, level) * effect.standard_error


def _standings(
    scores: Mapping[str, Mapping[str, Score]],
    panel: Panel,
    pairs: IntArray,
    resampled: Bootstrap,
    adjusted: FloatArray,
    plan: Plan,
) -> list[Standing]:
    by_metric = {name: [one[name] for one in scores.values()] for name in panel.names}
    f1 = np.array([[one.f1 for one in of] for of in by_metric.values()]).T
    # With a baseline, not all pairs are tested.
    tested = adjusted if plan.baseline is None else np.full_like(adjusted, np.nan)
    marked = ranks_and_letters(f1, pairs, tested, plan.alpha)
    found = []
    for column, (metric, of) in enumerate(by_metric.items()):
        applicable = bool(panel.applicable[column])
        for number, (name, score) in enumerate(zip(scores, of, strict=True)):
            bounds = resampled.scores[number, column].tolist()
            intervals = {
                quantity: Interval(*ends)
                for quantity, ends in zip(QUANTITIES, bounds, strict=True)
                if applicable and not np.isnan(ends).any()
            }
            rank, mark = marked[column][number]
            found.append(Standing(metric, name, score, intervals, rank, mark, applicable))
    return found


def _differences(
    panel: Panel,
    pairs: IntArray,
    effect: Effects,
    intervals: Bootstrap,
    p_values: FloatArray,
    adjusted: FloatArray,
    plan: Plan,
    detectable: FloatArray | None,
) -> list[Difference]:
    differing = differing_documents(panel, pairs)
    found = []
    for column, metric in enumerate(panel.names):
        for number, (one, other) in enumerate(pairs.tolist()):
            cell = number, column
            ends = intervals.differences[cell].tolist()
            missing = np.isnan(ends).any() or not panel.applicable[column]
            found.append(
                Difference(
                    metric,
                    panel.systems[one],
                    panel.systems[other],
                    float(effect.difference[cell]),
                    None if missing else Interval(*ends),
                    _number(p_values[cell]),
                    _number(adjusted[cell]),
                    bool(adjusted[cell] <= plan.alpha),
                    _number(effect.effect_size[cell]),
                    None if detectable is None else _number(detectable[cell]),
                    int(differing[cell]),
                )
            )
    return found


def part_standings(scores: Mapping[str, Sequence[Scores]], plan: Plan) -> tuple[PartStanding, ...]:
    """Standings of all systems in all groups of the breakdowns that their scores share.

    Only documents with mentions of the group are resampled. Several runs of a system are averaged,
    and have no interval.
    """
    runs = [one for of in scores.values() for one in of]
    shared = [one for one in runs[0].breakdowns if all(one.by in run.breakdown for run in runs)]
    intervals = {
        name: of[0].part_intervals(**plan.bootstrap) if shared and len(of) == 1 else {}
        for name, of in scores.items()
    }
    found = []
    for breakdown in shared:
        by = breakdown.by
        groups = dict.fromkeys(group for run in runs for group in run.breakdown[by])
        for group in breakdown.division.order(groups):
            counted = [run.breakdown[by].get(group, {}) for run in runs]
            for metric in dict.fromkeys(name for one in counted for name in one):
                for system, of in scores.items():
                    score = _mean([run.breakdown[by].get(group, {}).get(metric) for run in of])
                    ends = intervals[system].get(by, {}).get(group, {}).get(metric)
                    known = ends is not None and ends[0] == ends[0]
                    interval = Interval(*ends) if known and ends is not None else None
                    found.append(PartStanding(by, group, metric, system, score, interval))
    return tuple(found)


def part_differences(
    scores: Mapping[str, Sequence[Scores]], plan: Plan, progress: Progress = silent
) -> tuple[PartDifference, ...]:
    """Test all pairs of systems under all metrics in all groups, with one correction over all.

    The test is that of the whole corpus, restricted to the statistics of the group, over the
    documents that have any. Several runs are not tested.
    """
    if plan.test != "randomization" or any(len(of) > 1 for of in scores.values()):
        return ()
    single = {name: of[0] for name, of in scores.items()}
    first = next(iter(single.values()))
    found: list[PartDifference] = []
    for breakdown in first.breakdowns:
        divided = {
            name: next((own for own in one.breakdowns if own.by == breakdown.by), None)
            for name, one in single.items()
        }
        known = {name: own for name, own in divided.items() if own is not None}
        if len(known) < len(divided):
            continue
        groups = dict.fromkeys(group for own in known.values() for group in own.parts)
        for group in breakdown.division.order(groups):
            panel = part_panel(known, group)
            if panel is None or not panel.documents:
                continue
            pairs = panel.pairs(plan.baseline)
            result = randomization_test(panel, pairs=pairs, progress=progress, **plan.permutations)
            for row, (one, other) in enumerate(pairs.tolist()):
                for column, metric in enumerate(panel.names):
                    found.append(
                        PartDifference(
                            breakdown.by,
                            group,
                            metric,
                            panel.systems[one],
                            panel.systems[other],
                            float(result.observed[row, column]),
                            float(result.p_values[row, column]),
                            1.0,
                            False,
                            len(panel.documents),
                        )
                    )
    adjusted = adjust([one.p for one in found], plan.correction).tolist()
    return tuple(
        replace(one, adjusted_p=p, significant=p <= plan.alpha)
        for one, p in zip(found, adjusted, strict=True)
    )


def _mean(runs: Sequence[Score | None]) -> Score:
    """The mean score of several runs; a run that has nothing in the group scores 0."""
    if len(runs) == 1 and runs[0] is not None:
        return runs[0]
    values = [one or Score(0.0, 0.0, 0.0) for one in runs]
    halves = [[getattr(one, name) for one in values] for name in ("precision", "recall")]
    precision, recall = (None if None in half else fmean(half) for half in halves)
    signature = next((one.signature for one in runs if one is not None), None)
    return Score(fmean(one.f1 for one in values), precision, recall, signature)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _warnings(
    scores: Mapping[str, Scores], panel: Panel, pairs: IntArray, plan: Plan, comparisons: int
) -> list[str]:
    """Warnings of scoring, each once, and the limits of the comparison."""
    found = distinct_warnings(scores)

    def caution(text: str, code: str, **data: Any) -> None:
        found.append(Caution(text, code, **data))

    conventions = {one.signature.conventions: name for name, one in scores.items()}
    if len(conventions) > 1:
        listed = "; ".join(f"{name}: {text}" for text, name in conventions.items())
        text = f"the systems were scored under different conventions: {listed}"
        caution(text, "different-conventions")
    documents = len(panel.documents)
    differing = differing_documents(panel, pairs)
    fewest = int(differing[differing > 0].min(initial=documents))
    found += warnings_on_reach(documents, comparisons, plan, fewest)
    idle = [name for name, one in zip(panel.names, panel.applicable, strict=True) if not one]
    if idle:
        found = [one for one in found if code_of(one) != "not-applicable"]
        text = f"Not applicable to this corpus, and not tested: {', '.join(idle)}."
        caution(text, "not-applicable", metrics=idle)
    for one, other in pairs[(differing == 0).all(axis=1)].tolist():
        pair = panel.systems[one], panel.systems[other]
        text = f"{pair[0]} and {pair[1]} are identical on every document"
        caution(text, "identical-systems", systems=pair)
    whole = min(one.key.documents for one in scores.values())
    if any(one.request.settings.window for one in scores.values()) and documents > whole:
        text = (
            f"{documents:,} windows of {counted(whole, 'document')} are resampled: windows of one "
            "document are alike, so confidence intervals are probably too narrow and p-values too "
            "small."
        )
        caution(text, "resampled-windows", windows=documents, documents=whole)
    if plan.test == "bootstrap" and documents < max(BOOTSTRAP_ERRORS):
        size = max(size for size in BOOTSTRAP_ERRORS if size <= documents)
        text = (
            f"The bootstrap test finds too many differences: in simulations with {size} documents "
            f"its type I error at .05 was {BOOTSTRAP_ERRORS[size]:.2f}."
        )
        caution(text, "liberal-test", documents=documents)
    if documents < 2:
        text = "With one document there are no confidence intervals and no variance between them."
        caution(text, "one-document")
    elif not panel.strata and documents < NARROW:
        found.append(few_documents(documents))
    of_pairs = [name for name in panel.names if name.startswith(OF_PAIRS)]
    if of_pairs and NARROW <= documents < OF_PAIRS_NARROW:
        low, high = (f"{100 * share:.0f}%" for share in OF_PAIRS_COVERAGE)
        text = (
            f"Confidence intervals of {', '.join(of_pairs)} are too narrow: a few long documents "
            f"have most of the pairs of mentions. On 8 to 50 texts drawn from LitBank, 95% "
            f"intervals contained the true value in {low} to {high} of samples."
        )
        caution(text, "intervals-of-pairs", metrics=of_pairs)
    return found


def distinct_warnings(scores: Mapping[str, Scores]) -> list[str]:
    """Warnings of scoring, each with its systems unless it applies to all of them."""
    said: dict[str, list[str]] = {}
    for name, one in scores.items():
        for warning in dict.fromkeys(one.warnings):
            said.setdefault(warning, []).append(name)
    return by_importance(
        warning
        if len(names) == len(scores)
        else reworded(warning, f"{', '.join(names)}: {warning}")
        for warning, names in said.items()
    )


def reworded(warning: str, text: str) -> str:
    """A warning in other words, with the same code and data."""
    return warning.replaced(text) if isinstance(warning, Caution) else text


def few_documents(documents: int, unit: str = "document") -> Caution:
    """Warning about fewer documents than :data:`NARROW`, with the measured coverage."""
    text = (
        f"Only {documents} {unit}s: confidence intervals are too narrow. In simulations, 95% "
        f"intervals contained the true value in {100 * COVERAGE[documents]:.0f}% of corpora of "
        "this size."
    )
    return Caution(text, "few-documents", documents=documents, coverage=COVERAGE[documents])


def check_systems(systems: list[str], plan: Plan, key: object = None) -> None:
    """Refuse fewer than two systems, or an unknown baseline, before reading any file."""
    if len(systems) < 2:
        text = "compare needs at least two systems"
        if key is not None:
            first = "argument"
            if isinstance(key, str | os.PathLike):
                first = f"file, {os.fspath(key)},"
            text = f"the first {first} was read as the key; give the key, then two responses"
        raise UsageError(text, remedy="To score one system, use score.", code="too-few-inputs")
    if plan.baseline is not None and plan.baseline not in systems:
        raise UsageError(
            f"the baseline {plan.baseline!r} is not one of the systems",
            remedy=f"Choose one of: {', '.join(systems)}.",
            code="unknown-system",
        )


def named_runs(systems: tuple[Any, ...]) -> dict[str, list[SideLike]]:
    """Responses of each system by name; in a dict, a list has several runs."""
    if len(systems) == 1 and isinstance(systems[0], Mapping):
        return {
            str(name): list(thing) if _is_runs(thing) else [thing]
            for name, thing in systems[0].items()
        }
    return {name: [side] for name, side in named_sides(systems).items()}


def _is_runs(thing: object) -> bool:
    """True for a list of responses; lists of entities and of records are one response."""
    if not isinstance(thing, list | tuple) or not thing:
        return False
    return all(is_file(one) or isinstance(one, Corpus) for one in thing)


Saved = dict[str, list[Scores]] | dict[str, "SuiteScores"]
"""Results by system: those of its runs, or of a suite."""


def saved_results(key: Any, systems: tuple[Any, ...]) -> Saved | None:
    """Return the results of systems that were scored already; None if responses are given."""
    things: Any = (key, *systems)
    if not systems and isinstance(key, Mapping | list | tuple) and not isinstance(key, Result):
        things = key
    elif (
        len(systems) == 1 and isinstance(systems[0], Mapping) and not isinstance(systems[0], Result)
    ):
        things = {"the key": key, **systems[0]}
    if not isinstance(things, Mapping):
        things = dict(zip(names_of(list(things), "system"), things, strict=True))
    listed = {
        str(name): list(of) if isinstance(of, list | tuple) else [of] for name, of in things.items()
    }
    held = {name: [_held_by(one) for one in of] or [None] for name, of in listed.items()}
    kinds = {kind for of in held.values() for kind in of}
    if kinds == {None}:
        return None
    if len(kinds) > 1:
        other = next((name for name, of in held.items() if None in of), None)
        raise UsageError(
            "some results were saved by 'score', others by 'suite'"
            if other is None
            else f"{other!r} is not a file of saved scores, unlike others",
            remedy="Give results of 'corefine score --save' only, results of 'corefine suite "
            "--save' only, or a key and responses.",
        )
    if kinds == {SCORES}:
        from corefine.scoring.stored import load_scores

        return {
            name: [one if isinstance(one, Scores) else load_scores(one) for one in of]
            for name, of in listed.items()
        }
    from corefine.comparing.suites import SuiteScores, read_suite

    several = next((name for name, of in listed.items() if len(of) > 1), None)
    if several is not None:
        raise UsageError(f"{several!r} has several saved suites", remedy="Give one per system.")
    return {
        name: one if isinstance(one, SuiteScores) else read_suite(one).suite
        for name, (one,) in listed.items()
    }


SCORES, SUITE = "corefine scores", "corefine suite"
"""Kinds of saved results: those of ``score`` and those of ``suite``."""


def _held_by(thing: object) -> str | None:
    if isinstance(thing, Result):
        return SCORES if isinstance(thing, Scores) else SUITE if hasattr(thing, "macro") else None
    from corefine.scoring.stored import held_by

    return held_by(thing)


def _compare_saved(saved: Saved, metrics: MetricSpec, plan: Plan, progress: Progress) -> Comparison:
    """Compare results by all their metrics, or by those that are named."""
    check_systems(list(saved), plan)
    if not isinstance(next(iter(saved.values())), list):
        from corefine.comparing.suites import compare_suites

        suites = cast("dict[str, SuiteScores]", saved)
        if metrics != "default":
            suites = {name: one.with_metrics(metrics) for name, one in suites.items()}
        check_comparable({name: one.macro for name, one in suites.items()})
        return compare_suites(suites, plan, progress=progress)
    from corefine.scoring.stored import with_metrics

    scored = cast("dict[str, list[Scores]]", saved)
    if metrics != "default":
        scored = {name: [with_metrics(o, metrics) for o in of] for name, of in scored.items()}
    check_comparable(flattened(scored))
    return compare_scores(scored, plan, progress=progress)


def check_comparable(scores: Mapping[str, Scores], *, versions: bool = False) -> None:
    """Refuse scores with different keys or signatures; ``versions`` of corefine may differ."""
    (first, one), *others = scores.items()
    for name, other in others:
        if other.key != one.key:
            raise UsageError(
                f"{first!r} and {name!r} were scored against different keys: {one.key} and "
                f"{other.key}",
                remedy="Only scores on the same key can be compared.",
                code="different-keys",
            )
        for metric in one.by_name:
            if metric not in other.by_name:
                continue
            mine, theirs = one.signature_of(metric), other.signature_of(metric)
            if versions:
                theirs = replace(theirs, version=mine.version)
            if mine.conventions != theirs.conventions:
                raise UsageError(
                    f"{first!r} and {name!r} have different signatures: {mine} and {theirs}",
                    remedy="Score both with the same settings and the same version of corefine.",
                    code="different-settings",
                )
