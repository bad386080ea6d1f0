"""``corefine.report_suite``: the report on responses to many data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from corefine.comparing.data_sets import Suite, SuiteLike
from corefine.comparing.plan import Plan
from corefine.comparing.suites import (
    MACRO,
    MICRO,
    SuiteScores,
    compare_suites,
    completed,
    count_response,
)
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.errors import UsageError
from corefine.matching.settings import Settings
from corefine.output.html import Element
from corefine.output.progress import Progress, silent
from corefine.report.analysis import Analysis
from corefine.report.page import Part, block
from corefine.report.report import Report, checked_request, finished, refuse_several_keys
from corefine.report.sections import readable
from corefine.scoring.request import Request
from corefine.scoring.score import require_tagged
from corefine.scoring.sides import named_sides

if TYPE_CHECKING:
    from corefine.kinds.kind_plan import KindSpec
    from corefine.metrics.registry import MetricSpec
    from corefine.scoring.request import PartOptions

NOTE = (
    "These are the scores of all documents together (micro). The averages over data sets (macro), "
    "by which shared tasks rank, are under Data sets."
)

MEANING = (
    "Each data set counts the same in the macro average, by which shared tasks rank; in the micro "
    "average each document counts by its size. Documents are drawn within data sets."
)

Corpora = dict[str, tuple[Corpus, list[Corpus | None]]]
"""The key and the responses of each data set; None for one that is missing."""


def report_suite(
    keys: SuiteLike,
    *responses: Any,
    metrics: MetricSpec = "default",
    kinds: KindSpec = "auto",
    key_format: str | None = None,
    response_format: str | None = None,
    documents: Sequence[str] | None = None,
    worst: int | None = None,
    title: str | None = None,
    replicates: int = 10_000,
    alpha: float = 0.05,
    seed: int = 0,
    progress: Progress = silent,
    **settings: Unpack[PartOptions],
) -> Report:
    """A report on one or more systems' responses to the keys of many data sets.

    Keys and responses are as for :func:`corefine.score_suite`, responses one after another or in a
    dict by name; all else is as for :func:`corefine.report`. Documents are named after their data
    set: ``cs_pdt/ln94210-1``.

    >>> keys = {"en": [["a", "b", "c"]], "de": [["x", "y"]]}
    >>> made = report_suite(keys, {"ours": {"en": [["a", "b"], ["c"]]}}, metrics="muc,lea")
    >>> "no response to de" in made.html
    True
    """
    systems = named_sides(responses, "system")
    request = checked_request(metrics, kinds, documents, worst, dict(settings))
    refuse_several_keys(request, len(systems))
    if request.settings.scope != "document":
        raise UsageError(
            f"the report on a suite cannot be made with scope={request.settings.scope}",
            remedy="Use corefine.report on one data set.",
        )
    if request.by:
        raise UsageError("reports on suites have no breakdowns", remedy="Leave out --by.")
    plan = Plan(alpha=alpha, replicates=replicates, seed=seed)
    suite = Suite.of(keys, systems, key_format, response_format)
    if not suite.systems:
        raise UsageError("no response given", remedy="Give at least one.")
    corpora = _read(suite, request.settings, progress)
    require_tagged(
        request.settings.align,
        [one.copies for _, sides in corpora.values() for one in sides if one is not None],
    )
    suites = _scored(suite, corpora, request, plan)
    metrics_of_suite = list(next(iter(suites.values())))
    lead = "conll" if "conll" in metrics_of_suite else metrics_of_suite[0]
    ranking = sorted(suites, key=lambda name: -suites[name].macro[lead].f1)
    whole = concatenate([key for key, _ in corpora.values()])
    read = [
        (system, concatenate([completed(key, sides[at]) for key, sides in corpora.values()]))
        for at, system in enumerate(suite.systems)
    ]
    analysis = Analysis.of(whole, read, request, plan=plan, progress=progress, ranking=ranking)
    analysis = replace(
        analysis,
        comparison=compare_suites(suites, plan) if len(suites) > 1 else None,
        intervals={
            (name, metric): (ends.low, ends.high)
            for name, one in suites.items()
            for (row, metric), ends in one.row_intervals.items()
            if row == MICRO
        },
        averages={
            (name, metric): (one.macro[metric].f1, one.row_intervals.get((MACRO, metric)))
            for name, one in suites.items()
            for metric in analysis.metrics
        },
        missing={name: one.missing for name, one in suites.items() if one.missing},
        cautions={name: one.warnings for name, one in suites.items()},
    )
    paths = tuple(path for one in suite.data_sets for path in one.paths)
    return finished(
        analysis,
        documents=documents,
        worst=worst,
        title=title,
        first=[data_sets_block(suites)],
        warnings=suite.warnings,
        said=(NOTE,),
        inputs=paths,
        progress=progress,
    )


def _read(suite: Suite, settings: Settings, progress: Progress) -> Corpora:
    """By data set the key and the responses, whose documents are named after the data set."""
    found = {}
    for number, one in enumerate(suite.data_sets):
        progress("reading data sets", number, len(suite.data_sets))
        key, responses = one.read(settings)
        named = [None if side is None else _renamed(side, one.name) for side in responses]
        found[one.name] = _renamed(key, one.name), named
    return found


def _renamed(corpus: Corpus, data_set: str) -> Corpus:
    names = tuple(f"{data_set}/{name}" if name else data_set for name in corpus.documents)
    annotations = {
        layer: replace(one, documents=names) for layer, one in corpus.annotations.items()
    }
    return replace(corpus, documents=names, annotations=annotations, named=True)


def _scored(suite: Suite, corpora: Corpora, request: Request, plan: Plan) -> dict[str, SuiteScores]:
    scored = {}
    for at, system in enumerate(suite.systems):
        counted = {
            name: count_response(key, sides[at], request) for name, (key, sides) in corpora.items()
        }
        missing = [name for name, (_, is_missing) in counted.items() if is_missing]
        scores = {name: counts.scores() for name, (counts, _) in counted.items()}
        scored[system] = SuiteScores.of(scores, missing, plan)
    return scored


def data_sets_block(suites: Mapping[str, SuiteScores]) -> Element:
    """The averages over data sets, and the scores of each."""
    parts: list[Part] = [MEANING]
    for name, suite in suites.items():
        grids = [readable(grid, list(suite)) for grid in suite.tables("scores")]
        if len(suites) > 1:
            grids = [replace(grid, title=f"{grid.title} ({name})") for grid in grids]
        parts += grids
    return block("data-sets", "Data sets", parts)
