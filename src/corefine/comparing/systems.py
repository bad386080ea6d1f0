"""``corefine.compare``: from a key and several responses to a comparison."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
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
    mean_score,
    number_or_none,
)
from corefine.comparing.plan import Plan, PlanOptions, adjust
from corefine.comparing.power import (
    STATED,
    Effects,
    detectable_effect,
    differing_documents,
    effects,
    smallest_p,
    warnings_of,
)
from corefine.comparing.randomization import randomization_test
from corefine.comparing.ranking import ranks_and_letters
from corefine.corpus.arrays import FloatArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError, choose, emitting
from corefine.metrics.registry import MetricSpec
from corefine.output.progress import Progress, silent
from corefine.output.result import Result
from corefine.scoring.count import count
from corefine.scoring.request import Request, RequestOptions
from corefine.scoring.resampling import QUANTITIES, Bootstrap, Panel, bootstrap, part_panel
from corefine.scoring.score import request_for, require_tagged
from corefine.scoring.scores import Score, Scores
from corefine.scoring.sides import (
    SCORES,
    SUITE,
    SideLike,
    held_by,
    is_file,
    named_sides,
    names_of,
    read_side,
    split_metrics,
)

if TYPE_CHECKING:
    from corefine.comparing.judgements import JudgementsLike
    from corefine.kinds.kind_plan import KindSpec
    from corefine.scoring.stored import Stored

BOOTSTRAP_DOCUMENTS = 20
"""The bootstrap test is refused with fewer documents."""


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
    results = results_among(key, systems)
    if results:
        given = {"kinds": kinds != "auto", "by": by, **settings}
        given |= {"key_format": key_format, "response_format": response_format, "scorer": scorer}
        useless = [name for name, value in given.items() if value]
        if useless:
            raise UsageError(
                f"saved scores cannot be rescored: {', '.join(useless)} does not apply",
                remedy="Leave it out, or compare the responses themselves.",
            )
        comparison = _compare_results(results, metrics, plan, progress)
    else:
        request = request_for(scorer, metrics, kinds, by, settings)
        sides = named_runs(systems)
        check_systems(list(sides), plan, key)
        scores = _score_all(key, sides, request, (key_format, response_format), progress)
        comparison = compare_scores(scores, plan, progress=progress)
    if judgements is None:
        return comparison
    return replace(comparison, judged=comparison.correlation(judgements))


def _score_all(
    key: SideLike,
    sides: Mapping[str, Sequence[SideLike]],
    request: Request,
    formats: tuple[str | None, str | None],
    progress: Progress,
) -> dict[str, list[Scores]]:
    """Read and score all runs of all systems."""
    layers, settings = request.source_layers, request.settings
    empty = settings.allow_empty
    read = read_side(key, "key", formats[0], layers, progress, allow_empty=empty)
    scores: dict[str, list[Scores]] = {name: [] for name in sides}
    for name, runs in sides.items():
        for side in runs:
            response = read_side(
                side, f"response {name!r}", formats[1], layers, progress,
                against=read, align=settings.align, allow_empty=empty,
            )  # fmt: skip
            scores[name].append(count(read, response, request).scores())
    if settings.align != "tolerant":
        require_tagged(settings.align, [one.copies for runs in scores.values() for one in runs])
    return scores


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
    by_name: Mapping[str, Mapping[str, Score]]
    if all(len(of) == 1 for of in listed.values()):
        runs = None
        single = {name: of[0] for name, of in listed.items()}
        panel, by_name = Panel.of(single), {name: of.by_name for name, of in single.items()}
    else:
        from corefine.comparing.runs import Runs

        runs = Runs.of(listed)
        single, panel, by_name = runs.mean_scores, runs.mean_panel, runs.by_name()
    documents = len(panel.documents)
    if plan.test == "bootstrap" and documents < BOOTSTRAP_DOCUMENTS:
        raise UsageError(
            f"the bootstrap test needs at least {BOOTSTRAP_DOCUMENTS} documents, not {documents}",
            remedy="Use the randomization test, which is the default.",
            code="too-few-documents",
        )
    pairs = panel.pairs(plan.baseline)
    if runs is None:
        effect = effects(panel, pairs)
        intervals = bootstrap(panel, pairs=pairs, progress=progress, **plan.bootstrap)
    else:
        effect, intervals = runs.effects(pairs), runs.bootstrap(pairs, plan, progress)
    p_values, exact, shuffles = intervals.p_values, False, plan.trials
    if plan.test == "randomization":
        if runs is None:
            tested = randomization_test(panel, pairs=pairs, progress=progress, **plan.permutations)
        else:
            tested = runs.test(pairs, plan, progress)
        p_values, exact, shuffles = tested.p_values, tested.exact, tested.shuffles
    family = panel.applicable.copy()
    if any(name in plan.tested for name in panel.names):
        family &= np.isin(panel.names, plan.tested)
    p_values = np.where(family, p_values, np.nan)
    adjusted = adjust(p_values, plan.correction)
    comparisons = int(np.count_nonzero(~np.isnan(p_values)))
    warnings = warnings_of(flattened(listed), panel, pairs, plan, comparisons)
    warnings += [] if runs is None else runs.warnings()
    detectable = np.full(p_values.shape, np.nan)
    # Runs: more documents do not make them more alike, and few runs cost power.
    if documents >= STATED and plan.scheme == "paired" and runs is None:
        detectable = _detectable(effect, plan, comparisons, documents)
    numbers = effect.difference, p_values, adjusted, effect.effect_size, detectable
    divided = next(iter(single.values())).request.by
    return result(
        metrics=panel.names,
        scores=single,
        plan=plan,
        panel=panel,
        standings=_standings(by_name, panel, pairs, intervals, adjusted, plan),
        differences=_differences(panel, pairs, np.stack(numbers), intervals, plan),
        exact=exact,
        shuffles=shuffles,
        warnings=tuple(warnings),
        runs=runs,
        parts=part_standings(listed, plan) if divided else (),
        part_differences=part_differences(listed, plan, progress) if divided else (),
    )


def _detectable(effect: Effects, plan: Plan, comparisons: int, documents: int) -> FloatArray:
    """Smallest true differences that are found with a power of 80%; NaN if none can be."""
    level = plan.level(comparisons)
    if max(smallest_p(documents, plan)) > (plan.alpha if plan.correction == "bh" else level):
        return np.full(effect.difference.shape, np.nan)
    return detectable_effect(effect.freedom, level) * effect.standard_error


def _standings(
    scores: Mapping[str, Mapping[str, Score]],
    panel: Panel,
    pairs: IntArray,
    resampled: Bootstrap,
    adjusted: FloatArray,
    plan: Plan,
) -> tuple[Standing, ...]:
    f1 = np.array([[of[name].f1 for name in panel.names] for of in scores.values()])
    # With a baseline, not all pairs are tested.
    tested = adjusted if plan.baseline is None else np.full_like(adjusted, np.nan)
    marked = ranks_and_letters(f1, pairs, tested, plan.alpha)
    found = []
    for column, metric in enumerate(panel.names):
        applicable = bool(panel.applicable[column])
        for row, (name, of) in enumerate(scores.items()):
            bounds = zip(QUANTITIES, resampled.scores[row, column].tolist(), strict=True)
            intervals = {
                quantity: Interval(*ends)
                for quantity, ends in bounds
                if applicable and not np.isnan(ends).any()
            }
            rank, mark = marked[column][row]
            found.append(Standing(metric, name, of[metric], intervals, rank, mark, applicable))
    return tuple(found)


def _differences(
    panel: Panel, pairs: IntArray, numbers: FloatArray, intervals: Bootstrap, plan: Plan
) -> tuple[Difference, ...]:
    """Differences by metric and pair.

    ``numbers`` are difference, p, corrected p, effect size and detectable difference, (5, pairs,
    metrics).
    """
    differing = differing_documents(panel, pairs)
    found = []
    for column, metric in enumerate(panel.names):
        for row, (one, other) in enumerate(pairs.tolist()):
            difference, *others = numbers[:, row, column].tolist()
            p, adjusted, size, detectable = map(number_or_none, others)
            ends = intervals.differences[row, column]
            missing = np.isnan(ends).any() or not panel.applicable[column]
            found.append(
                Difference(
                    metric,
                    panel.systems[one],
                    panel.systems[other],
                    difference,
                    None if missing else Interval(*ends.tolist()),
                    p,
                    adjusted,
                    adjusted is not None and adjusted <= plan.alpha,
                    size,
                    detectable,
                    int(differing[row, column]),
                )
            )
    return tuple(found)


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
                    known = [run.breakdown[by].get(group, {}).get(metric) for run in of]
                    ends = intervals[system].get(by, {}).get(group, {}).get(metric)
                    interval = None if ends is None or np.isnan(ends[0]) else Interval(*ends)
                    # A run that has nothing in the group scores 0.
                    score = mean_score([one or Score(0.0, 0.0, 0.0) for one in known])
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
    found: list[PartDifference] = []
    for by, group, panel in _part_panels({name: of[0] for name, of in scores.items()}):
        pairs, documents = panel.pairs(plan.baseline), len(panel.documents)
        result = randomization_test(panel, pairs=pairs, progress=progress, **plan.permutations)
        for (row, column), difference in np.ndenumerate(result.observed):
            one, other = (panel.systems[number] for number in pairs[row])
            p, metric = float(result.p_values[row, column]), panel.names[column]
            found.append(
                PartDifference(
                    by, group, metric, one, other, float(difference), p, 1.0, False, documents
                )
            )
    adjusted = adjust([one.p for one in found], plan.correction).tolist()
    return tuple(
        replace(one, adjusted_p=p, significant=p <= plan.alpha)
        for one, p in zip(found, adjusted, strict=True)
    )


def _part_panels(scores: Mapping[str, Scores]) -> Iterator[tuple[str, str, Panel]]:
    """Yield breakdown, group and panel of each group that is counted for any system."""
    divided = {name: {own.by: own for own in one.breakdowns} for name, one in scores.items()}
    for breakdown in next(iter(scores.values())).breakdowns:
        by = breakdown.by
        if not all(by in own for own in divided.values()):
            continue
        known = {name: own[by] for name, own in divided.items()}
        groups = dict.fromkeys(group for own in known.values() for group in own.parts)
        for group in breakdown.division.order(groups):
            panel = part_panel(known, group)
            if panel is not None and panel.documents:
                yield by, group, panel


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
    if plan.baseline is not None:
        choose("baseline", plan.baseline, tuple(systems))


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


def results_among(key: Any, systems: tuple[Any, ...]) -> dict[str, list[Scores]]:
    """Return the runs of systems that were scored already; none if responses are given.

    A result is that of a run, or of a suite.
    """
    things: Any = (key, *systems)
    if not systems and isinstance(key, Mapping | list | tuple) and not isinstance(key, Result):
        things = key
    elif systems and isinstance(systems[0], Mapping) and not isinstance(systems[0], Result):
        things = {"the key": key, **systems[0]}
    if not isinstance(things, Mapping):
        things = dict(zip(names_of(things, "system"), things, strict=True))
    runs = {str(name): of if isinstance(of, list | tuple) else [of] for name, of in things.items()}
    held = {name: set(map(_held_by, of)) or {None} for name, of in runs.items()}
    kinds = set[str | None]().union(*held.values())
    if kinds <= {None}:
        return {}
    others = [name for name, of in held.items() if None in of]
    if others or len(kinds) > 1:
        raise UsageError(
            f"{others[-1]!r} is not a file of saved scores, unlike others"
            if others
            else "some results were saved by 'score', others by 'suite'",
            remedy="Give results of 'corefine score --save' only, results of 'corefine suite "
            "--save' only, or a key and responses.",
        )
    several = [name for name, of in runs.items() if len(of) > 1 and SUITE in kinds]
    if several:
        raise UsageError(f"{several[0]!r} has several saved suites", remedy="Give one per system.")
    return {
        name: [one if isinstance(one, Scores) else read_result(one).scores for one in of]
        for name, of in runs.items()
    }


def _held_by(thing: object) -> str | None:
    """The content of a result, in memory or saved; None for anything else."""
    if isinstance(thing, Scores):
        return SUITE if thing.strata else SCORES
    return held_by(thing)


def read_result(path: str | os.PathLike[str]) -> Stored:
    """Read the saved result of a response or of a suite."""
    if held_by(path) == SUITE:
        from corefine.comparing.suites import read_suite

        return read_suite(path)
    from corefine.scoring.stored import read_stored

    return read_stored(path)


def _compare_results(
    results: dict[str, list[Scores]], metrics: MetricSpec, plan: Plan, progress: Progress
) -> Comparison:
    """Compare results by all their metrics, or by those that are named."""
    check_systems(list(results), plan)
    if metrics != "default":
        from corefine.scoring.stored import with_metrics

        results = {name: [with_metrics(o, metrics) for o in of] for name, of in results.items()}
    single = flattened(results)
    check_comparable(single)
    if next(iter(single.values())).strata:
        from corefine.comparing.suites import SuiteScores, compare_suites

        return compare_suites(cast("dict[str, SuiteScores]", single), plan, progress=progress)
    return compare_scores(results, plan, progress=progress)


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
