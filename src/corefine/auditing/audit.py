"""The audit: does each metric reward, on this data, what it should?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from corefine.auditing.expectations import TRIALS, Expectation, Outcome, Trial, outcomes
from corefine.auditing.transformations import (
    Changed,
    has_errors,
    singletons_made_right,
    wrongly_linked,
)
from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Kind
from corefine.explaining.corrections import Pool
from corefine.formats.tagged.losses import DETAILS, loss_tables
from corefine.kinds.kind_plan import KindSpec
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec
from corefine.metrics.table import EntityColumns, MentionTable
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.scoring.count import count_table
from corefine.scoring.request import Request, RequestOptions
from corefine.scoring.score import tabulate_sides
from corefine.scoring.scores import Score, Scores
from corefine.scoring.sides import SideLike

if TYPE_CHECKING:
    from corefine.output.charts import Figure

METRICS = "muc,b3,ceafm,ceafe,blanc,lea,conll,lmuc,lb3,lceafm,lceafe,parent"
"""The metrics of coreference; mention detection is none, and pairs are parts of BLANC."""


@dataclass(frozen=True, slots=True)
class TrialResult:
    """One transformation: what was done, every metric after it, expectations and outcomes."""

    trial: Trial
    what: str
    scores: dict[str, Score]
    outcomes: tuple[Outcome, ...]
    remark: str = ""
    """What is not judged here, and why."""

    @property
    def violations(self) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if not outcome.holds)


@dataclass(frozen=True, slots=True)
class WrongMentions:
    """Key mentions that the response links, but never rightly, among those that it links."""

    kind: str
    wrong: int
    linked: int

    @property
    def share(self) -> float:
        return self.wrong / self.linked if self.linked else 0.0


@dataclass(frozen=True, slots=True, repr=False)
class Audit(Result):
    """Scores of a response and of its perturbations, and the expectations that metrics violate.

    Returned by :func:`corefine.audit`.

    >>> result = audit([["Anna", "she"], ["Rome"]], [["Anna", "she"]], metrics="muc,lea")
    >>> result.scores["muc"].f1
    1.0
    """

    scores: Scores
    trials: tuple[TrialResult, ...]
    wrong_mentions: tuple[WrongMentions, ...]
    left_out: tuple[str, ...] = ()
    """Transformations that give nothing to score, in a sentence each."""

    csv_table = "violations"

    def table_functions(self) -> Tables:
        from corefine.auditing.tables import AUDIT_TABLES

        return {**AUDIT_TABLES, **loss_tables({"response": self.scores.copies})}

    @property
    def default_tables(self) -> tuple[str, ...]:
        """All but the long list of outcomes, of which the violations are the part to read."""
        return tuple(name for name in self.table_names if name not in ("outcomes", *DETAILS))

    def figures(self) -> dict[str, Figure]:
        """One chart: how far every transformation moves every metric."""
        from corefine.auditing.figures import changes_figure

        return {"changes": changes_figure(self)}

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Every expectation and what came of it, by transformation."""
        return tuple(outcome for trial in self.trials for outcome in trial.outcomes)

    @property
    def violations(self) -> tuple[Outcome, ...]:
        """The outcomes that are wrong."""
        return tuple(outcome for outcome in self.outcomes if not outcome.holds)

    @property
    def note(self) -> str | None:
        """What was left out or not judged, and why; the table of changes shows it."""
        said = [*self.left_out]
        said += [f"{one.trial.title}: {one.remark}" for one in self.trials if one.remark]
        metrics = {str(one): one for one in self.scores.metrics.values()}
        names = [name for name, one in metrics.items() if _needs_text(one)]
        if names:
            said.append(
                f"{', '.join(names)}: not tested with spurious mentions, which have neither "
                "words nor a position"
            )
        return ". ".join(said) + "." if said else None

    def to_dict(self) -> dict[str, Any]:
        """The form in which an audit is written as JSON."""
        return {
            **self.scores.to_dict(),
            "trials": [
                {
                    "name": result.trial.name,
                    "title": result.trial.title,
                    "done": result.what,
                    "why": result.trial.why,
                    "remark": result.remark,
                    "scores": {name: score.to_dict() for name, score in result.scores.items()},
                    "outcomes": [
                        {
                            "metric": outcome.metric,
                            "expected": str(outcome.expectation),
                            "before": outcome.before,
                            "after": outcome.after,
                            "verdict": outcome.verdict,
                            "text": str(outcome),
                        }
                        for outcome in result.outcomes
                    ],
                }
                for result in self.trials
            ],
            "without_right_link": [
                {
                    "kind": row.kind,
                    "mentions": row.wrong,
                    "linked": row.linked,
                    "share": row.share,
                }
                for row in self.wrong_mentions
            ],
            "left_out": list(self.left_out),
            "note": self.note,
        }


def audit(
    key: SideLike,
    response: SideLike,
    metrics: MetricSpec = METRICS,
    *,
    kinds: KindSpec = "auto",
    key_format: str | None = None,
    response_format: str | None = None,
    progress: Progress = silent,
    **settings: Unpack[RequestOptions],
) -> Audit:
    """Perturb a response with edits known to help or hurt, and check that each metric agrees.

    With a ``preset`` and no ``metrics``, the metrics of the preset are audited. Metrics that depend
    on words or positions (``mor``, ``anaphors``, ``arcs``) are not tested with spurious mentions.

    >>> key = [["Anna", "she", "her"], ["Rome", "it"]]
    >>> result = audit(key, [["Anna", "she"], ["her", "Rome"]], metrics="muc,b3")
    >>> [str(violation) for violation in result.violations if violation.metric == "b3"][0]
    'B³ recall fell by 16.7 points when 2 mentions without a correct link were removed'
    """
    if metrics == METRICS and settings.get("preset") is not None:
        metrics = "default"  # those of the preset
    request = Request.of(metrics, kinds=kinds, shows_kinds=True, **settings)
    return audit_table(
        tabulate_sides(
            key,
            response,
            request,
            key_format=key_format,
            response_format=response_format,
            progress=progress,
        ),
        request,
        progress,
    )


def audit_table(table: MentionTable, request: Request, progress: Progress = silent) -> Audit:
    """The audit of a key and a response that were matched: they are only recounted."""
    base, pool = count_table(table, request).scores(), Pool.of(table)
    keep = request.settings.singletons == "keep"
    known = bool((table.kinds != Kind.UNKNOWN).any())
    results, left_out = [], []
    for number, trial in enumerate(TRIALS, 1):
        progress("auditing", number, len(TRIALS))
        if trial.needs_kinds and not known:
            continue
        if trial.only_singletons and not keep:
            left_out.append(f"{trial.title}: skipped, because singletons are dropped")
            continue
        labelling = trial.labelling if keep else trial.without_singletons or trial.labelling
        changed = labelling(table)
        if not changed.is_change(table):
            continue
        judged = _judged(request, changed)
        if not judged:
            continue
        part = replace(request, metrics=judged, by=())
        after = count_table(changed_table(pool, changed, keep), part).scores()
        asked, remark = _asked(trial, changed, table, keep)
        found = [
            outcome
            for name, metric in zip(after.by_name, judged.values(), strict=True)
            for outcome in outcomes(
                trial,
                asked,
                name,
                metric.title,
                base.by_name[name],
                after.by_name[name],
                changed,
            )
        ]
        results.append(TrialResult(trial, changed.what, dict(after.by_name), tuple(found), remark))
    return Audit(base, tuple(results), wrong_mentions(table), tuple(left_out))


def _asked(
    trial: Trial, changed: Changed, table: MentionTable, keep_singletons: bool
) -> tuple[tuple[Expectation, ...], str]:
    """What can be expected of every metric on this data, and what cannot and why."""
    asked, remark = trial.expectations, ""
    rights = singletons_made_right(table, changed) if keep_singletons else 0
    if rights:
        asked = tuple(one for one in asked if not one.forbids_a_rise)
        many = "singleton" if rights == 1 else "singletons"
        remark = f"{rights:,} {many} of the key became correct, so scores may rise"
    if changed.better_links:
        asked = tuple(one for one in asked if not one.forbids_a_rise)
        remark = "its link F1 is higher, so scores may rise"
    if not (changed.labels >= 0).any() and not changed.invents:
        # The precision of nothing is 0 by convention.
        asked = tuple(one for one in asked if one.quantity != "precision")
        remark = "no mentions are left, so precision is not tested"
    bounded = any(one.relation == "is below 100" for one in asked)
    if bounded and not has_errors(table, changed):
        asked = tuple(one for one in asked if one.relation != "is below 100")
    return asked, remark


def _judged(request: Request, changed: Changed) -> dict[str, Metric]:
    """The metrics that can be counted in a changed response, each once.

    Invented mentions have neither words nor a place in the text: metrics that look at these are
    not judged by them.
    """
    metrics = {str(metric): metric for metric in request.metrics.values()}
    if not changed.invents:
        return metrics
    return {name: metric for name, metric in metrics.items() if not _needs_text(metric)}


def _needs_text(metric: Metric) -> bool:
    return any(part.needs_text for part in metric.needs())


def changed_table(pool: Pool, changed: Changed, keep_singletons: bool = True) -> MentionTable:
    """The table of the key and the changed response."""
    result = pool.table(changed.labels, keep_singletons=keep_singletons)
    if changed.invented is None or not len(changed.invented):
        return result
    count = len(changed.invented)
    owner = changed.invented[::2]
    response = EntityColumns(
        np.concatenate([result.response.document, owner]),
        np.concatenate([result.response.size, np.full(len(owner), 2)]),
        np.concatenate([result.response.source, np.full(len(owner), -1)]),
    )
    fresh = len(result.response) + np.arange(count) // 2
    nobody = np.full(count, -1)
    return replace(
        result,
        response=response,
        document=_joined(result.document, changed.invented),
        key_entity=_joined(result.key_entity, nobody),
        response_entity=_joined(result.response_entity, fresh),
        kinds=np.concatenate([result.kinds, np.zeros(count, np.uint8)]),
        matched=replace(
            result.matched,
            settings=replace(result.matched.settings, twinless="none", split_antecedents="ignore"),
        ),
        origin=None if result.origin is None else _joined(result.origin, changed.invented),
        type=None if result.type is None else _joined(result.type, nobody),
    )


def _joined(column: IntArray, more: IntArray) -> IntArray:
    return np.concatenate([column, more])


def wrong_mentions(table: MentionTable) -> tuple[WrongMentions, ...]:
    """By kind and in all: key mentions that the response links, but never rightly."""
    wrong = wrongly_linked(table)
    linked = (table.key_entity >= 0) & (table.response_entity >= 0)
    rows = np.flatnonzero(linked)
    linked[rows] = table.response.size[table.response_entity[rows]] > 1
    counted = [
        WrongMentions(
            kind.name.lower(),
            int((wrong & (table.kinds == kind)).sum()),
            int((linked & (table.kinds == kind)).sum()),
        )
        for kind in Kind
    ]
    whole = WrongMentions("all", int(wrong.sum()), int(linked.sum()))
    return (*(row for row in counted if row.linked), whole)
