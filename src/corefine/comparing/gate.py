"""The gate: fail if a response scores significantly lower than a saved baseline.

It fails only if F1 dropped by more than a bound *and* the drop is significant. The test is that of
:func:`corefine.compare`, two-sided at α, so that a change without any effect fails in at most α/2
of all cases.

A true drop Δ is caught with the smaller of two probabilities: that it is significant, and that the
observed drop exceeds the bound (:meth:`corefine.Comparison.power`). With fewer than 20 documents no
power is stated.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Unpack

import numpy as np

from corefine.comparing.comparison import Comparison, Difference
from corefine.comparing.plan import Plan
from corefine.comparing.power import POWER, STATED, effects
from corefine.comparing.suites import score_suite
from corefine.comparing.systems import CompareOptions, check_comparable, compare_scores, read_result
from corefine.comparing.tables import ENDS
from corefine.errors import UsageError
from corefine.kinds.kind_plan import KindSpec
from corefine.metrics.registry import parse
from corefine.output.grid import Column, Grid, Value, markdown_text
from corefine.output.html import element
from corefine.output.plain_text import counted
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.scoring.presets import settings_of
from corefine.scoring.request import Request
from corefine.scoring.score import score
from corefine.scoring.scores import Scores
from corefine.scoring.sides import SideLike
from corefine.scoring.stored import with_metrics

BASELINE, RESPONSE = "baseline", "response"
SUMMARY_DOCUMENTS = 10
"""Documents listed in the summary for a job page."""


def gate(
    key: SideLike,
    response: SideLike,
    against: Scores | str | os.PathLike[str],
    *,
    max_drop: float = 0.5,
    metric: str = "conll",
    require_mentions: bool = False,
    kinds: KindSpec | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    jobs: int | None = None,
    memory: int | None = None,
    progress: Progress = silent,
    **options: Unpack[CompareOptions],
) -> Gate:
    """Test if a response scores significantly lower than a baseline (scores or a saved file).

    The response is scored like the baseline: ``kinds`` and the settings default to the baseline's.
    ``max_drop`` is in F1 points, from 0 to 100. A different key or signature is an error. With
    ``require_mentions`` the gate also fails if documents of the key have no mention in the
    response. If the baseline is that of a suite, key and response are those of
    :func:`corefine.score_suite`.

    >>> key = {"a": [[1, 2, 3]], "b": [[1, 2], [3, 4]]}
    >>> baseline = score(key, key)
    >>> gate(key, {"a": [[1, 2]], "b": [[1, 2], [3, 4]]}, baseline, metric="muc").passed
    True
    """
    if not 0 <= max_drop < float("inf"):
        raise UsageError(
            f"max-drop cannot be {max_drop!r}",
            remedy="Give F1 points, at least 0, such as 0.5.",
            code="unknown-value",
        )
    settings: dict[str, Any] = {**options}
    plan = replace(Plan.taken_from(settings), baseline=BASELINE)
    if not isinstance(against, Scores):
        against = read_result(against).scores
    old = with_metrics(against, str(parse(metric)))
    metrics = list(old.metrics.values())
    asked = [*metrics, parse("mentions")] if require_mentions else metrics
    settings = _as_scored(old, kinds, settings)
    settings |= {"key_format": key_format, "response_format": response_format, "jobs": jobs}
    new: Scores
    if not old.strata:
        new = score(key, response, asked, memory=memory, progress=progress, **settings)
    elif memory is not None:
        raise UsageError("--memory does not apply to a suite")
    else:
        new = score_suite(key, response, asked, progress=progress, **settings)
    silent_documents = _without_mentions(new) if require_mentions else ()
    new = with_metrics(new, metrics)
    request = replace(new.request, preset=old.request.preset)
    new = replace(new, counts=replace(new.counts, request=request))
    scores = {RESPONSE: new, BASELINE: old}
    check_comparable(scores)
    comparison = compare_scores(scores, plan, progress=progress)
    return Gate(comparison, float(max_drop), silent_documents)


def _as_scored(
    baseline: Scores, kinds: KindSpec | None, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """The options under which a baseline was scored, except for those that are given."""
    request = baseline.request
    if request.preset and request.scorer is not None:
        name = request.preset.partition("(")[0]
        usual = asdict(Request.of("default", preset=name).settings)
        changed = {
            setting: value
            for setting, value in asdict(request.settings).items()
            if usual[setting] != value
        }
        return {"preset": name, **changed, **settings}
    if request.scorer is not None:
        # The profile of the scorer has the settings.
        align = {} if baseline.copies is None else {"align": baseline.copies.align}
        return {"scorer": request.scorer.name, **align, **settings}
    options = asdict(request.settings) | settings_of(settings)
    if kinds is not None:
        options["kinds"] = kinds
    elif request.kinds is not None:
        options["kinds"] = request.kinds.asked
    return options


def _without_mentions(scores: Scores) -> tuple[str, ...]:
    """Documents with mentions in the key and none in the response."""
    counted = scores.counts.values[str(parse("mentions"))]
    wholes = counted["recall_whole"], counted["precision_whole"]
    return tuple(
        name
        for name, key, response in zip(scores.counts.documents, *wholes, strict=True)
        if key > 0 and response == 0
    )


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Result):
    """The verdict on a response against a baseline, as returned by :func:`corefine.gate`.

    Tables: ``verdict``, and ``documents`` with the largest drops first.

    >>> key = {"a": [[1, 2, 3]], "b": [[1, 2], [3, 4]]}
    >>> gate(key, key, score(key, key)).verdict
    'passed: conll F1 is unchanged at 100.00'
    """

    comparison: Comparison
    max_drop: float
    """Largest allowed drop, in F1 points."""
    silent_documents: tuple[str, ...] = ()
    """Documents without any mention in the response, if mentions are required."""

    @property
    def metric(self) -> str:
        """Canonical name of the metric."""
        return self.comparison.metrics[0]

    @property
    def difference(self) -> Difference:
        """The response minus the baseline."""
        return self.comparison.difference(RESPONSE, BASELINE, self.metric)

    @property
    def drop(self) -> float:
        """F1 points by which the response is below the baseline; negative if above."""
        return -100 * self.difference.difference

    @property
    def exceeds(self) -> bool:
        """True if the drop is larger than allowed, by more than rounding."""
        return self.drop > self.max_drop + 1e-9

    @property
    def failed(self) -> bool:
        """True if the drop is too large and significant, or if required mentions are missing."""
        return bool(self.silent_documents) or (self.exceeds and self.difference.significant)

    @property
    def passed(self) -> bool:
        """True if the gate did not fail."""
        return not self.failed

    @property
    def detectable(self) -> float | None:
        """Smallest true drop, in points, that this gate catches with a power of 80%.

        None with fewer than 20 documents, or if no drop can be significant.
        """
        found, panel = self.difference.detectable, self.comparison.panel
        if found is None:
            return None
        from scipy.special import stdtrit

        error = effects(panel, panel.pairs(BASELINE)).standard_error[0, 0]
        reach = stdtrit(len(panel.documents) - 1, POWER) * 100 * error
        return float(max(100 * found, self.max_drop + reach))

    def power(self, drop: float) -> float | None:
        """Probability that a true drop of so many points is caught; None if unknown."""
        sides, beyond = (RESPONSE, BASELINE), self.max_drop / 100
        return self.comparison.power(*sides, self.metric, drop / 100, beyond=beyond)

    @property
    def verdict(self) -> str:
        """One sentence: passed or failed, and why."""
        status = "failed" if self.failed else "passed"
        if self.silent_documents:
            where = counted(len(self.silent_documents), "document")
            first = self.silent_documents[0]
            return f"{status}: the response has no mention in {where} of the key, such as {first!r}"
        old, new = 100 * self.f1(BASELINE), 100 * self.f1(RESPONSE)
        name = f"{self.metric} F1"
        if abs(self.drop) <= 1e-9:
            return f"{status}: {name} is unchanged at {new:.2f}"
        how = "fell" if self.drop > 0 else "rose"
        text = f"{status}: {name} {how} by {abs(self.drop):.2f} points, from {old:.2f} to {new:.2f}"
        if self.drop <= 0:
            return text
        if not self.exceeds:
            return f"{text}, within the allowed {self.max_drop:g}"
        alpha, p = self.comparison.plan.alpha, self.difference.p
        result = f"significant (p = {p:.2g} ≤ {alpha:g})"
        if not self.failed:
            result = f"but not significant (p = {p:.2g} > {alpha:g})"
        return f"{text}, more than the allowed {self.max_drop:g}, {result}"

    def f1(self, name: str) -> float:
        """F1 of ``baseline`` or ``response``."""
        return self.comparison.standing(name, self.metric).score.f1

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings of scoring and comparing."""
        return self.comparison.warnings

    @property
    def signature(self) -> str:
        """Everything that the verdict depends on."""
        return f"{self.metric}|{self.comparison.signature}|max-drop:{self.max_drop:g}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; drops and bounds are in points."""
        found, alignment = self.difference, self.comparison.alignment
        return {
            "passed": self.passed,
            "verdict": self.verdict,
            "metric": self.metric,
            "baseline": self.f1(BASELINE),
            "response": self.f1(RESPONSE),
            "drop": self.drop,
            "max_drop": self.max_drop,
            "p": found.p,
            "significant": found.significant,
            "interval": found.interval and list(found.interval),
            "detectable": self.detectable,
            "documents": len(self.comparison.documents),
            "silent_documents": list(self.silent_documents),
            "signature": self.signature,
            "warnings": list(self.warnings),
            **({"alignment": alignment} if alignment else {}),
        }

    def table_functions(self) -> Tables:
        return {"verdict": verdict_grid, "documents": documents_grid, **self.comparison.losses}

    @property
    def default_tables(self) -> tuple[str, ...]:
        """The verdict, and losses of tagged text."""
        return ("verdict", "losses") if self.comparison.losses else ("verdict",)

    def to_summary(self) -> str:
        """The verdict with its numbers and the documents with the largest drops, in Markdown."""
        parts = [f"### corefine gate {'passed' if self.passed else 'failed'}"]
        parts += [markdown_text(self.verdict), self.to_markdown("verdict")]
        if self.drop > 0:
            parts.append(self.to_markdown("documents", top=SUMMARY_DOCUMENTS))
        parts += [f"- {warning}" for warning in self.warnings]
        return "\n\n".join(parts) + "\n"

    def to_junit(self) -> str:
        """One test case in JUnit's XML, which fails if the gate does."""
        details = f"{self.verdict}\n\n{self.to_text('verdict')}"
        failure = element("failure", details, type="drop", message=self.verdict)
        case = element(
            "testcase",
            [failure] if self.failed else [],
            element("system-out", details),
            classname="corefine.gate",
            name_=self.metric,
        )
        counts = {"tests": 1, "failures": int(self.failed), "errors": 0}
        suite = element("testsuite", case, name_="corefine", skipped=0, **counts)
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{element("testsuites", suite, **counts)}\n'


def verdict_grid(gate: Gate) -> Grid:
    """The numbers of the verdict in one row."""
    found = gate.difference
    cells: dict[Column, Value] = {
        Column("metric"): gate.metric,
        Column("baseline", "percent"): gate.f1(BASELINE),
        Column("response", "percent"): gate.f1(RESPONSE),
        Column("difference", "difference"): found.difference,
        **dict(zip(ENDS["difference"], found.interval or (None, None), strict=True)),
        Column("p", "p"): found.p,
        Column("max drop", "decimal", "max_drop", priority=1): gate.max_drop,
        Column("detectable", "decimal", priority=2): gate.detectable,
    }
    interval = f"low, high: {gate.comparison.plan.percent} confidence interval of the difference."
    detectable = "detectable: smallest true drop detected with 80% power."
    if gate.detectable is None:
        count = len(gate.comparison.documents)
        detectable = "detectable: unknown."
        if count < STATED:
            few = f"Too few documents ({count}, fewer than {STATED})"
            detectable = f"{few} to say what drop would be noticed."
    notes = (interval, detectable, gate.signature)
    return Grid(tuple(cells), [tuple(cells.values())], notes=notes)


def documents_grid(gate: Gate) -> Grid:
    """One row per document, the largest drop first."""
    new, old = gate.comparison.document_scores(gate.metric)
    rows = [
        (gate.comparison.documents[n], float(old[n]), float(new[n]), float(new[n] - old[n]))
        for n in np.argsort(new - old, kind="stable").tolist()
    ]
    numbers = (Column("baseline", "percent"), Column("response", "percent"))
    columns = (Column("document"), *numbers, Column("difference", "difference"))
    return Grid(columns, rows, f"{gate.metric} F1 by document, largest drop first")
