"""The audit: reactions of metrics to perturbations of a response that help or hurt."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from corefine.corpus.columns import Kind
from corefine.corpus.copies import loss_tables
from corefine.errors import emitting
from corefine.explaining import transformations
from corefine.explaining.corrections import Pool
from corefine.explaining.transformations import (
    Changed,
    has_errors,
    in_text_order,
    singletons_made_right,
    wrongly_linked,
)
from corefine.kinds.kind_plan import KindSpec
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec
from corefine.metrics.table import EntityColumns, MentionTable
from corefine.output.grid import Column, Grid, Marked, Value
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.scoring.count import count_table
from corefine.scoring.request import Request, RequestOptions
from corefine.scoring.score import tabulate_sides
from corefine.scoring.scores import Score, Scores
from corefine.scoring.sides import SideLike
from corefine.scoring.tables import scores_grid

if TYPE_CHECKING:
    from corefine.output.charts import Figure

METRICS = "muc,b3,ceafm,ceafe,blanc,lea,conll,lmuc,lb3,lceafm,lceafe,parent"
"""The audited metrics: all of coreference; mention detection and pairs are left out."""


TOLERANCE = 1e-9
RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "stays": lambda before, after: abs(after - before) <= TOLERANCE,
    "must not rise": lambda before, after: after - before <= TOLERANCE,
    "must not fall": lambda before, after: after - before >= -TOLERANCE,
    "falls": lambda before, after: after - before < -TOLERANCE or before <= TOLERANCE,
    "is below 100": lambda before, after: after < 1 - TOLERANCE,
}
"""Tests of a number before and after a perturbation, by name."""
FORBID_A_RISE = ("stays", "must not rise", "falls")
"""Not expected if something became correct."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The expected reaction of one number of a metric, such as "recall stays"."""

    quantity: str
    """``precision``, ``recall`` or ``F1``."""
    relation: str
    """One of ``RELATIONS``."""

    def __str__(self) -> str:
        return f"{self.quantity} {self.relation}"


@dataclass(frozen=True, slots=True)
class Trial:
    """A perturbation with the reaction expected of every metric, the reason and its source.

    Only reactions that follow from the construction are expected. ``source`` is the place in a
    paper from which the expectation follows, ``known`` what papers say of metrics that do not meet
    it.
    """

    name: str
    title: str
    """The label of a row."""
    clause: str
    """A clause with "when" for the verdict."""
    change: str
    """A function of :mod:`~corefine.explaining.transformations`."""
    expectations: tuple[Expectation, ...]
    why: str
    source: str
    known: str = ""
    needs_kinds: bool = False
    only_singletons: bool = False
    """Only singletons are left: without singletons it is empty."""
    without_singletons: str = ""
    """The perturbation used instead if singletons are dropped."""


def _trials() -> tuple[Trial, ...]:
    text = (files("corefine.explaining") / "data" / "perturbations.toml").read_text("utf-8")
    return tuple(
        Trial(
            name,
            expectations=tuple(
                Expectation(*one.split(" ", 1)) for one in parts.pop("expectations")
            ),
            **parts,
        )
        for name, parts in tomllib.loads(text).items()
    )


TRIALS = _trials()
"""All perturbations, in the order of the tables."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The expected and the observed reaction of a metric."""

    metric: str
    title: str
    """The title of the metric."""
    trial: Trial
    expectation: Expectation
    before: float
    after: float
    what: str
    """The perturbation with its number of changes."""

    @property
    def change(self) -> float:
        return self.after - self.before

    @property
    def holds(self) -> bool:
        return RELATIONS[self.expectation.relation](self.before, self.after)

    @property
    def verdict(self) -> str:
        return "right" if self.holds else "wrong"

    @property
    def is_bound(self) -> bool:
        """True if a bound was expected, not a change."""
        return self.expectation.relation == "is below 100"

    @property
    def reaction(self) -> tuple[str, str]:
        """The verb of the wrong reaction, in the singular and in the plural."""
        if self.is_bound:
            return "reaches a precision of 100", "reach a precision of 100"
        if abs(self.change) <= TOLERANCE:
            return "does not react", "do not react"
        return ("rises", "rise") if self.change > 0 else ("falls", "fall")

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain values."""
        return {
            "metric": self.metric,
            "expected": str(self.expectation),
            "before": self.before,
            "after": self.after,
            "verdict": self.verdict,
            "text": str(self),
        }

    def __str__(self) -> str:
        name = f"{self.title} {self.expectation.quantity}"
        if self.is_bound:
            return f"{name} is {100 * self.after:.1f} when {self.what}"
        if abs(self.change) <= TOLERANCE:
            return f"{name} did not change when {self.what}"
        verb = "rose" if self.change > 0 else "fell"
        points = 100 * abs(self.change)
        shown = f"{points:.1f}" if points >= 0.05 else f"{points:.2g}"
        return f"{name} {verb} by {shown} points when {self.what}"


@dataclass(frozen=True, slots=True)
class TrialResult:
    """One perturbation: its description, the scores after it, and the outcomes."""

    trial: Trial
    what: str
    scores: dict[str, Score]
    outcomes: tuple[Outcome, ...]
    remark: str = ""
    """A remark on expectations that do not apply."""

    @property
    def violations(self) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if not outcome.holds)

    @property
    def directions(self) -> dict[str, bool]:
        """True for metrics whose F1 moved the right way; only if a direction was expected."""
        return {one.metric: one.holds for one in self.outcomes if one.expectation.quantity == "F1"}

    def changes(self, before: Scores) -> dict[str, float | None]:
        """The change of F1 by metric; None for a metric that was not scored."""
        after = self.scores
        return {
            name: after[name].f1 - score.f1 if name in after else None
            for name, score in before.by_name.items()
        }


class WrongMentions(NamedTuple):
    """Linked key mentions of a kind without any correct link."""

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
    """Perturbations that were skipped, with the reason."""

    csv_table = "violations"
    default_tables = ("changes",)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings of scoring."""
        return self.scores.warnings

    def table_functions(self) -> Tables:
        return {**TABLES, **loss_tables({"response": self.scores.copies})}

    @property
    def untestable(self) -> dict[str, str]:
        """The metrics that no perturbation could test, with the reason, by canonical name."""
        tested = {one.metric for one in self.outcomes}
        reasons = {}
        for name, metric in self.scores.request.canonical.items():
            if name not in tested:
                kinds = any(part.needs_kinds for part in metric.needs())
                idle = "no mention kinds" if kinds else "nothing to count"
                reasons[name] = "nothing to perturb" if self.scores.applies(name) else idle
        return reasons

    @property
    def verdict(self) -> str:
        """The metrics without a violation, the worst violation, and the metrics not tested."""
        worst: dict[str, Outcome] = {}
        for one in sorted(self.violations, key=lambda one: (one.is_bound, -abs(one.change))):
            worst.setdefault(one.metric, one)
        titles = {one.metric: one.title for one in self.outcomes}
        if not titles:
            return "There is nothing to perturb in this response."
        sound = [title for metric, title in titles.items() if metric not in worst]
        faults: dict[tuple[tuple[str, str], str], list[str]] = {}
        for metric, title in titles.items():
            if metric in worst:
                one = worst[metric]
                faults.setdefault((one.reaction, one.trial.clause), []).append(title)
        described = [
            f"{_listed(names)} {reaction[len(names) > 1]} when {clause}"
            for (reaction, clause), names in faults.items()
        ]
        metrics = self.scores.request.canonical
        missing = [f"{metrics[name].title} ({why})" for name, why in self.untestable.items()]
        parts = [
            f"No violation found for {_listed(sound)}" if sound else "Every metric is violated"
        ]
        parts += [f"violations: {', '.join(described)}"] if described else []
        parts += [f"not testable: {', '.join(missing)}"] if missing else []
        return f"{'; '.join(parts)}."

    @property
    def footer(self) -> str:
        return str(self.scores.signature)

    def figures(self) -> dict[str, Figure]:
        """One chart: the change of every metric under every perturbation."""
        return {"changes": changes_figure(self)}

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Every expectation with its outcome, by perturbation."""
        return tuple(outcome for trial in self.trials for outcome in trial.outcomes)

    @property
    def violations(self) -> tuple[Outcome, ...]:
        """The outcomes that violate their expectation."""
        return tuple(outcome for outcome in self.outcomes if not outcome.holds)

    @property
    def note(self) -> str | None:
        """Remarks on skipped perturbations and expectations; the table of outcomes shows them."""
        remarks = [*self.left_out]
        remarks += [f"{one.trial.title}: {one.remark}" for one in self.trials if one.remark]
        names = [name for name, one in self.scores.request.canonical.items() if _needs_text(one)]
        if names:
            remarks.append(
                f"{', '.join(names)}: not tested with spurious mentions, which have neither "
                "words nor a position"
            )
        return ". ".join(remarks) + "." if remarks else None

    def to_dict(self) -> dict[str, Any]:
        """The audit as written to JSON."""
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
                    "outcomes": [outcome.to_dict() for outcome in result.outcomes],
                }
                for result in self.trials
            ],
            "without_right_link": [
                {"kind": one.kind, "mentions": one.wrong, "linked": one.linked, "share": one.share}
                for one in self.wrong_mentions
            ],
            "left_out": list(self.left_out),
            "not_testable": self.untestable,
            "note": self.note,
        }


@emitting
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
        metrics = "default"
    request = Request.of(metrics, kinds=kinds, shows_kinds=True, **settings)
    formats = key_format, response_format
    table = tabulate_sides(key, response, request, formats, frozenset(), progress)
    return audit_table(table, request, progress)


def audit_table(table: MentionTable, request: Request, progress: Progress = silent) -> Audit:
    """Audit a matched key and response: they are only recounted."""
    base, pool = count_table(table, request).scores(), Pool.of(table)
    keep = request.settings.singletons == "keep"
    known = bool((table.kinds != Kind.UNKNOWN).any())
    ordered, rows = in_text_order(table)
    results, left_out = [], []
    for number, trial in enumerate(TRIALS, 1):
        progress("auditing", number, len(TRIALS))
        if trial.needs_kinds and not known:
            continue
        if trial.only_singletons and not keep:
            left_out.append(f"{trial.title}: skipped, because singletons are dropped")
            continue
        change = trial.change if keep else trial.without_singletons or trial.change
        changed: Changed = getattr(transformations, change)(ordered)
        if not changed.is_change(ordered):
            continue
        # Spurious mentions have neither words nor a position.
        judged = {
            name: metric
            for name, metric in request.canonical.items()
            if base.applies(name) and not (changed.invents and _needs_text(metric))
        }
        if not judged:
            continue
        part = replace(request, metrics=judged, by=())
        if changed.invents:  # invented mentions are in no corpus
            part = part.with_settings(twinless="none", split_antecedents="ignore")
        labels = np.empty_like(changed.labels)
        labels[rows] = changed.labels
        changed_response = changed_table(pool, replace(changed, labels=labels), keep)
        after = count_table(changed_response, part).scores()
        asked, remark = _asked(trial, changed, ordered, keep)
        found = []
        for (name, new), metric in zip(after.by_name.items(), judged.values(), strict=True):
            for one in asked:
                quantity = one.quantity.lower()
                old, now = (getattr(score, quantity) for score in (base.by_name[name], new))
                if old is not None and now is not None:  # averages have no precision and recall
                    found.append(Outcome(name, metric.title, trial, one, old, now, changed.what))
        results.append(TrialResult(trial, changed.what, dict(after.by_name), tuple(found), remark))
    return Audit(base, tuple(results), wrong_mentions(table), tuple(left_out))


def _asked(
    trial: Trial, changed: Changed, table: MentionTable, keep_singletons: bool
) -> tuple[tuple[Expectation, ...], str]:
    """The expectations that apply to this data, and a remark on those that do not."""
    asked, remark = trial.expectations, ""
    rights = singletons_made_right(table, changed) if keep_singletons else 0
    if rights or changed.better_links:
        asked = tuple(one for one in asked if one.relation not in FORBID_A_RISE)
        many = "singleton" if rights == 1 else "singletons"
        remark = f"{rights:,} {many} of the key became correct, so scores may rise"
    if changed.better_links:
        remark = "F1 over pairs of mentions rises, so scores may rise"
    if not (changed.labels >= 0).any() and not changed.invents:
        # Without mentions, precision is 0 by convention.
        asked = tuple(one for one in asked if one.quantity != "precision")
        remark = "no mentions are left, so precision is not tested"
    bounded = any(one.relation == "is below 100" for one in asked)
    if bounded and not has_errors(table, changed):
        asked = tuple(one for one in asked if one.relation != "is below 100")
    return asked, remark


def _needs_text(metric: Metric) -> bool:
    return any(part.needs_text for part in metric.needs())


def changed_table(pool: Pool, changed: Changed, keep_singletons: bool = True) -> MentionTable:
    """The table of the key and the changed response."""
    result = pool.table(changed.labels, keep_singletons=keep_singletons)
    if not changed.invents:
        return result
    invented, owner = changed.invented, changed.invented[::2]
    response = EntityColumns(
        np.concatenate([result.response.document, owner]),
        np.concatenate([result.response.size, np.full(len(owner), 2)]),
        np.concatenate([result.response.source, np.full(len(owner), -1)]),
    )
    nobody = np.full(len(invented), -1)
    columns = {
        "document": invented,
        "key_entity": nobody,
        "response_entity": len(result.response) + np.arange(len(invented)) // 2,
        "kinds": np.zeros(len(invented), np.uint8),
        "origin": invented,
        "type": nobody,
    }
    longer: dict[str, Any] = {
        name: np.concatenate([getattr(result, name), more])
        for name, more in columns.items()
        if getattr(result, name) is not None
    }
    return replace(result, response=response, **longer)


def wrong_mentions(table: MentionTable) -> tuple[WrongMentions, ...]:
    """Linked key mentions without any correct link, by kind and in all."""
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


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


_PRIORITY = {"muc": 0, "b3": 0, "ceafe": 0, "lea": 0, "blanc": 1, "ceafm": 2, "conll": 3}
"""Metrics that a narrow terminal shows first; all others are left out before them."""


def changes_grid(audit: Audit) -> Grid:
    """The change of F1 of each metric under each perturbation; ``!``: it moved the wrong way."""
    before = audit.scores.by_name
    rows: list[tuple[Value, ...]] = []
    for result in audit.trials:
        right = result.directions
        cells = [
            None if change is None else _marked(change, right.get(name))
            for name, change in result.changes(audit.scores).items()
        ]
        rows.append((result.trial.title, *cells))
    columns = (
        Column("change of F1", name="transformation", shortest=20),
        *(Column(name, "difference", name, priority=_PRIORITY.get(name, 4)) for name in before),
    )
    note = "!: F1 moved the wrong way (precision and recall: --tables violations)"
    return Grid(columns, rows, notes=(note,))


def _marked(change: float, right: bool | None) -> Marked:
    """A change in the colour of its direction, which is None if none was expected."""
    if right is None:
        return Marked(change)
    return Marked(change, tone="good") if right else Marked(change, "!", tone="bad")


def outcomes_grid(audit: Audit) -> Grid:
    """Every expectation with its outcome."""
    notes = () if audit.note is None else (audit.note,)
    return _outcomes(audit.outcomes, "Expected and observed behaviour of the metrics", notes)


def violations_grid(audit: Audit) -> Grid:
    """The violated expectations."""
    return _outcomes(audit.violations, "Violated expectations")


def _outcomes(outcomes: Sequence[Outcome], title: str, notes: tuple[str, ...] = ()) -> Grid:
    return Grid.of(
        outcomes,
        {
            Column("metric"): "metric",
            Column("perturbation", name="transformation", priority=2): "trial.title",
            Column("expected", priority=1): lambda one: str(one.expectation),
            Column("before", "percent", priority=2): "before",
            Column("after", "percent", priority=2): "after",
            Column("verdict"): "verdict",
            Column("on this data", name="text", shortest=30): str,
        },
        title,
        notes,
    )


def wrong_mentions_grid(audit: Audit) -> Grid:
    """Linked key mentions without any correct link, by kind."""
    return Grid.of(
        audit.wrong_mentions,
        {
            Column("mention kind", name="kind"): "kind",
            Column("linked", "integer"): "linked",
            Column("without a correct link", "integer", "wrong"): "wrong",
            Column("share", "percent"): "share",
        },
        "Linked key mentions without any correct link",
    )


TABLES: Tables = {
    "changes": changes_grid,
    "scores": lambda audit: scores_grid(audit.scores),
    "outcomes": outcomes_grid,
    "violations": violations_grid,
    "wrong-mentions": wrong_mentions_grid,
}
"""The tables of an audit by name."""


def changes_figure(audit: Audit) -> Figure:
    """A chart of the change of F1 of each metric under each perturbation."""
    from corefine.output.charts import heat_map

    before = audit.scores.by_name
    notes = []
    for result in audit.trials:
        said = {outcome.metric: "as expected" for outcome in result.outcomes}
        said |= {violation.metric: str(violation) for violation in result.violations}
        notes.append([said.get(metric, "not judged") for metric in before])
    return heat_map(
        "Change of F1 under perturbations",
        [result.trial.title for result in audit.trials],
        list(before),
        [list(result.changes(audit.scores).values()) for result in audit.trials],
        unit="difference",
        width=max(640, 190 + 48 * len(before)),
        first="transformation",
        cell_notes=notes,
        right=[[one.directions.get(name) for name in before] for one in audit.trials],
        description="F1 points that a metric gains or loses when the response is perturbed; the "
        "colour says whether F1 moved the right or the wrong way.",
    )
