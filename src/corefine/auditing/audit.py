"""The audit: does each metric reward, on this data, what it should?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corefine.auditing.expectations import TRIALS, Trial, Violation, violations
from corefine.auditing.labels import Changed, wrongly_linked
from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.explaining.corrections import Pool
from corefine.kinds import KindPlan, KindSpec, plan_of
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec
from corefine.metrics.table import Side as Entities
from corefine.metrics.table import Table
from corefine.scoring.score import Side, as_corpus, metrics_for, settings_from
from corefine.scoring.scores import Score, Scores
from corefine.scoring.statistics import CorpusStatistics
from corefine.scoring.tabulating import Tally, tabulate

Progress = Callable[[int], None]
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


@dataclass(frozen=True, slots=True)
class Audit:
    """The scores of a response, of what an audit made of it, and the violated expectations."""

    scores: Scores
    trials: tuple[TrialResult, ...]
    wrong_mentions: tuple[WrongMentions, ...]

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
    key: Side,
    response: Side,
    metrics: MetricSpec = METRICS,
    *,
    kinds: KindSpec = "auto",
    progress: Progress | None = None,
    **settings: Any,
) -> Audit:
    """Change a response in ways whose worth is known, and see whether each metric knows it too.

    >>> key = [["Anna", "she", "her"], ["Rome", "it"]]
    >>> result = audit(key, [["Anna", "she"], ["her", "Rome"]], metrics="muc,b3")
    >>> [str(violation) for violation in result.violations if violation.metric == "b3"][0]
    'B³ recall fell by 16.7 points when 2 mentions without a right link were removed'
    """
    chosen = settings_from(settings)
    plan = plan_of(kinds)
    return audit_corpora(
        as_corpus(key, "key", plan.layers),
        as_corpus(response, "response", plan.layers),
        metrics_for(metrics, chosen),
        chosen,
        kinds,
        progress,
    )


def audit_corpora(
    key: Corpus,
    response: Corpus,
    metrics: dict[str, Metric],
    settings: Settings,
    kinds: KindSpec | KindPlan = "auto",
    progress: Progress | None = None,
) -> Audit:
    """The audit of two corpora. A response is never written or matched again, only recounted."""
    table, tally, warnings = tabulate(key, response, settings, plan_of(kinds))
    base = _scores(table, metrics, settings, tally, warnings)
    keep = settings.singletons == "keep"
    known = bool((table.kinds != Kind.UNKNOWN).any())
    results = []
    for trial in TRIALS:
        if trial.needs_kinds and not known:
            continue
        changed = trial.labelling(table)
        if not changed.is_change(table):
            continue
        after = _scores(changed_table(table, changed, keep), metrics, settings, tally, ())
        found = [
            violation
            for name, metric in zip(base.by_name, metrics.values(), strict=True)
            for violation in violations(
                trial, name, metric.title, base.by_name[name], after.by_name[name], changed.what
            )
        ]
        results.append(TrialResult(trial, changed.what, dict(after.by_name), tuple(found)))
        if progress is not None:
            progress(1)
    return Audit(base, tuple(results), wrong_mentions(table))


def _scores(
    table: Table,
    metrics: dict[str, Metric],
    settings: Settings,
    tally: Tally,
    warnings: tuple[str, ...],
) -> Scores:
    statistics = CorpusStatistics.of(table, metrics.values())
    return Scores(metrics, statistics, settings, tally.notes, (*warnings, *tally.warnings))


def changed_table(table: Table, changed: Changed, keep_singletons: bool = True) -> Table:
    """The table of the key and the changed response."""
    result = Pool.of(table).table(changed.labels, keep_singletons=keep_singletons)
    if changed.invented is None or not len(changed.invented):
        return result
    count = len(changed.invented)
    owner = changed.invented[::2]
    response = Entities(
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
