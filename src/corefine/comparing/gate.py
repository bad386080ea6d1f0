"""The gate: may this response take the place of a stored baseline?

It fails only if F1 has dropped by more than a bound *and* the drop is significant: a drop that
other documents could have undone does not stop anybody's work, nor does one that nobody minds. The
test is that of :func:`corefine.compare`, two-sided at α, so that a change without any effect fails
in at most α/2 of all cases.

With the standard error SE of the difference, a true drop Δ is caught with the probability
Φ((Δ − max(bound, z_{1−α/2}·SE)) / SE), corrected for SE being an estimate; see
:mod:`corefine.comparing.power`. Where the bound is below z_{1−α/2}·SE this is the power that a
comparison states.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import Any, Unpack

import numpy as np

from corefine.comparing.comparability import check_comparable
from corefine.comparing.comparison import Comparison
from corefine.comparing.plan import Plan
from corefine.comparing.power import effects
from corefine.comparing.standings import Difference
from corefine.comparing.systems import compare_scores
from corefine.errors import UsageError
from corefine.formats.tagged.losses import loss_tables
from corefine.kinds.kind_plan import KindSpec
from corefine.metrics.registry import parse
from corefine.output.grid import Column, Grid, Value, markdown_text
from corefine.output.markup import element
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.scoring.presets import settings_of
from corefine.scoring.request import RequestOptions
from corefine.scoring.score import score
from corefine.scoring.scores import Scores
from corefine.scoring.sides import SideLike
from corefine.scoring.stored import load_scores, with_metrics

BASELINE, RESPONSE = "baseline", "response"
POWER = 0.8
"""The power with which the smallest drop that the gate catches is given."""
SUMMARY_DOCUMENTS = 10
"""Documents that the summary for a job page lists."""


def gate(
    key: SideLike,
    response: SideLike,
    against: Scores | str | os.PathLike[str],
    *,
    max_drop: float = 0.5,
    metric: str = "conll",
    alpha: float = 0.05,
    trials: int = 20_000,
    seed: int = 0,
    kinds: KindSpec | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    jobs: int | None = None,
    memory: int | None = None,
    progress: Progress = silent,
    **settings: Unpack[RequestOptions],
) -> Gate:
    """Test whether a response scores significantly lower than a baseline (saved scores or scores).

    The response is scored like the baseline: ``kinds`` and the settings default to the baseline's.
    ``max_drop`` is in F1 points, from 0 to 100. A different key or signature is an error.

    >>> key = {"a": [[1, 2, 3]], "b": [[1, 2], [3, 4]]}
    >>> baseline = score(key, key)
    >>> gate(key, {"a": [[1, 2]], "b": [[1, 2], [3, 4]]}, baseline, metric="muc").passed
    True
    """
    if not 0 <= max_drop < float("inf"):
        raise UsageError(
            f"max-drop cannot be {max_drop!r}", remedy="Give F1 points, at least 0, such as 0.5."
        )
    plan = Plan(trials=trials, alpha=alpha, seed=seed, baseline=BASELINE)
    old = against if isinstance(against, Scores) else load_scores(against)
    old = with_metrics(old, str(parse(metric)))
    new = score(
        key,
        response,
        list(old.metrics.values()),
        key_format=key_format,
        response_format=response_format,
        jobs=jobs,
        memory=memory,
        progress=progress,
        **_as_scored(old, kinds, settings),
    )
    new = with_metrics(new, list(old.metrics.values()))
    request = replace(new.request, preset=old.request.preset)
    new = replace(new, counts=replace(new.counts, request=request))
    scores = {RESPONSE: new, BASELINE: old}
    check_comparable(scores)
    return Gate(compare_scores(scores, plan, progress=progress), float(max_drop))


def _as_scored(
    baseline: Scores, kinds: KindSpec | None, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """The options under which a baseline was scored, but for those that are given."""
    request = baseline.request
    if request.scorer is not None:
        # The conventions of the tool stand for the settings.
        align = {} if baseline.copies is None else {"align": baseline.copies.align}
        return {"scorer": request.scorer.name, **align, **settings}
    options = asdict(request.settings) | settings_of(settings)
    if kinds is not None:
        options["kinds"] = kinds
    elif request.kinds is not None:
        options["kinds"] = request.kinds.asked
    return options


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
    """In points of F1."""

    @property
    def metric(self) -> str:
        """The canonical name of the metric."""
        return self.comparison.metrics[0]

    @property
    def difference(self) -> Difference:
        """The response minus the baseline."""
        return self.comparison.difference(RESPONSE, BASELINE, self.metric)

    @property
    def drop(self) -> float:
        """By how many points of F1 the response is below the baseline; negative where above."""
        return -100 * self.difference.difference

    @property
    def exceeds(self) -> bool:
        """Whether the drop is larger than the bound, and by more than rounding."""
        return self.drop > self.max_drop + 1e-9

    @property
    def failed(self) -> bool:
        """Whether the drop exceeds the bound and is significant."""
        return self.exceeds and self.difference.significant

    @property
    def passed(self) -> bool:
        return not self.failed

    @cached_property
    def standard_error(self) -> float | None:
        """Of the difference, in points; None where there is no spread between documents."""
        panel = self.comparison.panel
        error = float(effects(panel, panel.pairs(BASELINE)).standard_error[0, 0])
        return None if np.isnan(error) else 100 * error

    @property
    def detectable(self) -> float | None:
        """The smallest true drop, in points, that this gate catches with a power of 80%.

        None where no drop can be significant, as with five documents.
        """
        if self.standard_error is None or self.difference.detectable is None:
            return None
        reach = NormalDist().inv_cdf(1 - self.comparison.plan.alpha / 2) * self.standard_error
        return max(self.max_drop, reach) + NormalDist().inv_cdf(POWER) * self.standard_error

    def power(self, drop: float) -> float | None:
        """The probability with which a true drop of so many points is caught."""
        return self.comparison.power(
            RESPONSE, BASELINE, self.metric, drop / 100, beyond=self.max_drop / 100
        )

    @property
    def verdict(self) -> str:
        """One sentence: passed or failed, and why."""
        old, new = (
            100 * self.comparison.standing(name, self.metric).score.f1
            for name in (BASELINE, RESPONSE)
        )
        name = f"{self.metric} F1"
        if abs(self.drop) <= 1e-9:
            return f"passed: {name} is unchanged at {new:.2f}"
        how = "fell" if self.drop > 0 else "rose"
        moved = f"{name} {how} by {abs(self.drop):.2f} points, from {old:.2f} to {new:.2f}"
        if self.drop <= 0:
            return f"passed: {moved}"
        if not self.exceeds:
            return f"passed: {moved}, within the allowed {self.max_drop:g}"
        alpha, p = self.comparison.plan.alpha, self.difference.p
        assert p is not None
        if self.failed:
            return (
                f"failed: {moved}, more than the allowed {self.max_drop:g}, significant (p = "
                f"{p:.2g} ≤ {alpha:g})"
            )
        return (
            f"passed: {moved}, more than the allowed {self.max_drop:g}, but not significant (p "
            f"= {p:.2g} > {alpha:g})"
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """What scoring and comparing had to say."""
        return self.comparison.warnings

    @property
    def signature(self) -> str:
        """What the verdict depends on."""
        return f"{self.metric}|{self.comparison.signature}|max-drop:{self.max_drop:g}"

    def to_dict(self) -> dict[str, Any]:
        """The form in which it is written as JSON; drops and bounds are in points."""
        found = self.difference
        return {
            "passed": self.passed,
            "verdict": self.verdict,
            "metric": self.metric,
            "baseline": self.comparison.standing(BASELINE, self.metric).score.f1,
            "response": self.comparison.standing(RESPONSE, self.metric).score.f1,
            "drop": self.drop,
            "max_drop": self.max_drop,
            "p": found.p,
            "significant": found.significant,
            "interval": None if found.percentile is None else list(found.percentile),
            "detectable": self.detectable,
            "documents": len(self.comparison.documents),
            "signature": self.signature,
            "warnings": list(self.warnings),
            **({"alignment": self.comparison.to_dict()["alignment"]} if self._losses else {}),
        }

    @property
    def _losses(self) -> Tables:
        """The tables of what got lost, where a language model wrote a response."""
        return loss_tables({name: one.copies for name, one in self.comparison.scores.items()})

    def table_functions(self) -> Tables:
        return {"verdict": verdict_grid, "documents": documents_grid, **self._losses}

    @property
    def default_tables(self) -> tuple[str, ...]:
        return ("verdict", "losses") if self._losses else ("verdict",)

    def to_summary(self) -> str:
        """The verdict with its numbers and the documents that fell most, in Markdown."""
        parts = [f"### corefine gate {'passed' if self.passed else 'failed'}"]
        parts += [markdown_text(self.verdict), self.to_markdown("verdict")]
        if self.drop > 0:
            parts.append(self.to_markdown("documents", top=SUMMARY_DOCUMENTS))
        parts += [f"- {warning}" for warning in self.warnings]
        return "\n\n".join(parts) + "\n"

    def to_junit(self) -> str:
        """One test case in JUnit's XML, which fails where the gate does."""
        details = f"{self.verdict}\n\n{self.to_text('verdict')}"
        failure = []
        if self.failed:
            failure = [element("failure", details, type="drop", message=self.verdict)]
        case = element(
            "testcase",
            failure,
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
    interval = found.percentile or (None, None)
    columns = (
        Column("metric"),
        Column("baseline", "percent"),
        Column("response", "percent"),
        Column("difference", "difference"),
        Column("low", "difference"),
        Column("high", "difference"),
        Column("p", "number"),
        Column("max drop", "decimal", "max_drop"),
        Column("detectable", "decimal"),
    )
    row: tuple[Value, ...] = (
        gate.metric,
        *(gate.comparison.standing(one, gate.metric).score.f1 for one in (BASELINE, RESPONSE)),
        found.difference,
        *interval,
        found.p,
        gate.max_drop,
        gate.detectable,
    )
    notes = (
        (
            f"low, high: {100 * gate.comparison.plan.confidence:g}% confidence interval of the "
            "difference."
        ),
        "detectable: smallest true drop detected with 80% power.",
        gate.signature,
    )
    return Grid(columns, [row], notes=notes)


def documents_grid(gate: Gate) -> Grid:
    """One row a document, what fell most first."""
    new, old = gate.comparison.document_scores(gate.metric)
    order = np.argsort(new - old, kind="stable").tolist()
    rows: list[tuple[Value, ...]] = [
        (gate.comparison.documents[n], float(old[n]), float(new[n]), float(new[n] - old[n]))
        for n in order
    ]
    columns = (
        Column("document"),
        Column("baseline", "percent"),
        Column("response", "percent"),
        Column("difference", "difference"),
    )
    return Grid(columns, rows, f"{gate.metric} F1 by document, largest drop first")
