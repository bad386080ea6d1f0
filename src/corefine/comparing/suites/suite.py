"""``corefine.score_suite``: a system on many data sets."""

from __future__ import annotations

from typing import Unpack

from corefine.comparing.plan import Plan
from corefine.comparing.suites.counting import count_suite
from corefine.comparing.suites.data_sets import Suite, SuiteLike
from corefine.comparing.suites.suite_scores import SuiteScores
from corefine.kinds.kind_plan import KindSpec
from corefine.metrics.registry import MetricSpec
from corefine.output.progress import Progress, silent
from corefine.scoring.request import Request, RequestOptions
from corefine.scoring.score import request_for_scorer, scorer_of


def score_suite(
    keys: SuiteLike,
    responses: SuiteLike,
    metrics: MetricSpec = "default",
    *,
    kinds: KindSpec = "auto",
    key_format: str | None = None,
    response_format: str | None = None,
    jobs: int | None = None,
    replicates: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
    scorer: str | None = None,
    tool: str | None = None,
    progress: Progress = silent,
    **settings: Unpack[RequestOptions],
) -> SuiteScores:
    """Score a system's responses to the keys of many data sets.

    Keys and responses are folders whose files have the same names, TOML files that list them, or
    dicts of sides by data set: see :mod:`corefine.comparing.suites.data_sets`. A data set without a
    response counts as missed. Data sets are scored in ``jobs`` processes, one a core by default.
    Intervals of this ``confidence`` are made from ``replicates`` bootstrap samples, which draw
    documents within data sets. ``scorer`` scores by the conventions of another scorer. All else
    is as for :func:`corefine.score`.

    >>> keys = {"en": [["a", "b", "c"]], "de": {"1": [["x", "y"]], "2": [["x", "y"]]}}
    >>> suite = score_suite(keys, {"en": [["a", "b"], ["c"]]}, "muc")
    >>> suite["muc"].recall, suite.micro["muc"].recall, suite.missing
    (0.25, 0.25, ('de',))
    """
    scorer = scorer_of(scorer, tool)
    if scorer is None:
        request = Request.of(metrics, kinds=kinds, **settings)
    else:
        request = request_for_scorer(scorer, metrics, settings)
    plan = Plan(alpha=1 - confidence, replicates=replicates, seed=seed)
    suite = Suite.of(keys, {"response": responses}, key_format, response_format)
    counts = count_suite(suite, request, jobs=jobs, progress=progress)
    missing = [one.name for one in suite.data_sets if one.responses[0] is None]
    return SuiteScores.of(
        {name: found[0] for name, found in counts.items()}, missing, plan, suite.warnings
    )
