"""The audit: does each metric reward, on this data, what it should?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from corefine.auditing.expectations import TRIALS, Trial, Violation, violations
from corefine.auditing.transformations import Changed, wrongly_linked
from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Kind
from corefine.explaining.corrections import Pool
from corefine.kinds.kind_plan import KindSpec
from corefine.metrics.registry import MetricSpec
from corefine.metrics.table import EntityColumns, Table
from corefine.scoring.count import Tabulation
from corefine.scoring.request import Request
from corefine.scoring.score import tabulate_sides
from corefine.scoring.scores import Score, Scores
from corefine.scoring.sides import SideLike
from corefine.showing.progress import Progress, silent
from corefine.showing.result import Result, Tables

if TYPE_CHECKING:
    from corefine.showing.charts import Figure

METRICS = "muc,b3,ceafm,ceafe,blanc,lea,conll,lmuc,lb3,lceafm,lceafe,parent"
"""The metrics of coreference; mention detection is none, and pairs are parts of BLANC."""


@dataclass(frozen=True, slots=True)
class TrialResult:
    """One transformation: what was done, every metric after it, and what each violates."""

    trial: Trial
    what: str
    scores: dict[str, Score]
    violations: tuple[Violation, ...]


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
    """The scores of a response, of what an audit made of it, and the violated expectations."""

    scores: Scores
    trials: tuple[TrialResult, ...]
    wrong_mentions: tuple[WrongMentions, ...]

    glance: ClassVar[tuple[str, ...]] = ("changes", "violations")
    csv_table = "violations"

    def table_functions(self) -> Tables:
        from corefine.auditing.tables import AUDIT_TABLES

        return AUDIT_TABLES

    def figures(self) -> dict[str, Figure]:
        """One chart: how far every transformation moves every metric."""
        from corefine.auditing.figures import changes_figure

        return {"changes": changes_figure(self)}

    @property
    def violations(self) -> tuple[Violation, ...]:
        """All violations, by transformation."""
        return tuple(violation for trial in self.trials for violation in trial.violations)

    @property
    def note(self) -> str | None:
        """Why MUC and LEA may move where the paper says that they stay."""
        if self.scores.settings.singletons == "drop":
            return None
        return (
            "Singletons are kept: an entity that is left with one mention can then be right by "
            "itself, and LEA counts it. With --singletons drop the recall of MUC and LEA stays "
            "under all three transformations of the LEA paper."
        )

    def to_dict(self) -> dict[str, Any]:
        """The form in which an audit is written as JSON."""
        return {
            **self.scores.to_dict(),
            "trials": [
                {
                    "name": result.trial.name,
                    "done": result.what,
                    "expected": [str(expected) for expected in result.trial.expectations],
                    "why": result.trial.why,
                    "scores": {name: score.to_dict() for name, score in result.scores.items()},
                    "violations": [
                        {
                            "metric": violation.metric,
                            "expected": str(violation.expectation),
                            "before": violation.before,
                            "after": violation.after,
                            "text": str(violation),
                        }
                        for violation in result.violations
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
    **settings: Any,
) -> Audit:
    """Change a response in ways whose worth is known, and see whether each metric knows it too.

    >>> key = [["Anna", "she", "her"], ["Rome", "it"]]
    >>> result = audit(key, [["Anna", "she"], ["her", "Rome"]], metrics="muc,b3")
    >>> [str(violation) for violation in result.violations if violation.metric == "b3"][0]
    'B³ recall fell by 16.7 points when 2 mentions without a right link were removed'
    """
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
        progress,
    )


def audit_table(tabulation: Tabulation, progress: Progress = silent) -> Audit:
    """The audit of a key and a response that were matched: they are only recounted."""
    table, request = tabulation.table, tabulation.request
    base = tabulation.counts().scores()
    keep = request.settings.singletons == "keep"
    known = bool((table.kinds != Kind.UNKNOWN).any())
    results = []
    for number, trial in enumerate(TRIALS, 1):
        progress("auditing", number, len(TRIALS))
        if trial.needs_kinds and not known:
            continue
        changed = trial.labelling(table)
        if not changed.is_change(table):
            continue
        after = tabulation.counts(changed_table(table, changed, keep)).scores()
        found = [
            violation
            for name, metric in zip(base.by_name, request.metrics.values(), strict=True)
            for violation in violations(
                trial, name, metric.title, base.by_name[name], after.by_name[name], changed.what
            )
        ]
        results.append(TrialResult(trial, changed.what, dict(after.by_name), tuple(found)))
    return Audit(base, tuple(results), wrong_mentions(table))


def changed_table(table: Table, changed: Changed, keep_singletons: bool = True) -> Table:
    """The table of the key and the changed response."""
    result = Pool.of(table).table(changed.labels, keep_singletons=keep_singletons)
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
        kind=None
        if result.kind is None
        else np.concatenate([result.kind, np.zeros(count, np.uint8)]),
        matched=None,
        origin=None if result.origin is None else _joined(result.origin, changed.invented),
        type=None if result.type is None else _joined(result.type, nobody),
    )


def _joined(column: IntArray, more: IntArray) -> IntArray:
    return np.concatenate([column, more])


def wrong_mentions(table: Table) -> tuple[WrongMentions, ...]:
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
