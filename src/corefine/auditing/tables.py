"""Audits and checks as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

from corefine.auditing.audit import Audit
from corefine.auditing.checking import Checks
from corefine.auditing.expectations import Outcome
from corefine.corpus.copying import Copies
from corefine.formats.tagged.losses import LOSS_TABLES, Losses
from corefine.output.grid import Column, Grid, Marked, Value
from corefine.output.result import Tables
from corefine.scoring.tables import scores_grid


def changes_grid(audit: Audit) -> Grid:
    """By how many points of F1 each transformation moves each metric; ! marks a violation."""
    before = audit.scores.by_name
    rows: list[tuple[Value, ...]] = []
    for result in audit.trials:
        violated = {violation.metric for violation in result.violations}
        cells = (
            Marked(result.scores[name].f1 - score.f1, "!" if name in violated else "")
            if name in result.scores
            else None
            for name, score in before.items()
        )
        rows.append((result.trial.title, *cells))
    columns = (
        Column("perturbation", name="transformation"),
        *(Column(name, "difference", name) for name in before),
    )
    note = "!: violates an expectation for this perturbation (precision, recall or F1)"
    notes = (note,) if audit.note is None else (note, audit.note)
    return Grid(columns, rows, "Change of F1 under perturbations of the response", notes)


def outcomes_grid(audit: Audit) -> Grid:
    """Every expectation beside its outcome, right or wrong."""
    return _outcomes(audit.outcomes, "Expected and observed behaviour of the metrics")


def violations_grid(audit: Audit) -> Grid:
    """Every violated expectation in a sentence."""
    return _outcomes(audit.violations, "Violated expectations")


def _outcomes(outcomes: Sequence[Outcome], title: str) -> Grid:
    return Grid.of(
        outcomes,
        {
            Column("metric"): "metric",
            Column("perturbation", name="transformation"): "done",
            Column("expected"): lambda one: str(one.expectation),
            Column("before", "percent"): "before",
            Column("after", "percent"): "after",
            Column("verdict"): "verdict",
            Column("on this data", name="text"): str,
        },
        title,
    )


def wrong_mentions_grid(audit: Audit) -> Grid:
    """Key mentions that the response links, but never rightly, by kind."""
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


AUDIT_TABLES: Tables = {
    "scores": lambda audit: scores_grid(audit.scores),
    "changes": changes_grid,
    "outcomes": outcomes_grid,
    "violations": violations_grid,
    "wrong-mentions": wrong_mentions_grid,
}
"""The tables of an audit by name."""


def summary_grid(checks: Checks) -> Grid:
    """One row a file: how much of everything is in it."""
    names = ("documents", "tokens", "mentions", "entities", "singletons", "longest")
    rows: list[tuple[Value, ...]] = []
    for checked in checks:
        summary = {} if checked.summary is None else asdict(checked.summary)
        counts = summary.get("kinds", {}).items()
        told = ", ".join(f"{count:,} {kind}" for kind, count in counts if count)
        numbers = (summary.get(name) for name in names)
        rows.append((checked.source, checked.format, *numbers, told, len(checked.problems)))
    columns = (
        Column("file"),
        Column("format"),
        *(Column(name, "integer") for name in names[:-1]),
        Column("longest entity", "integer", "longest"),
        Column("mention kinds", name="kinds"),
        Column("problems", "integer"),
    )
    return Grid(columns, rows)


def problems_grid(checks: Checks) -> Grid:
    """One row a problem, with its place and remedy."""
    rows: list[tuple[Value, ...]] = [
        (
            checked.source,
            None if problem.where is None else problem.where.line,
            problem.message,
            problem.remedy,
        )
        for checked in checks
        for problem in checked.problems
    ]
    columns = (Column("file"), Column("line", "integer"), Column("problem"), Column("remedy"))
    return Grid(columns, rows, "Problems")


def _losses_grid(checks: Checks, name: str) -> Grid:
    """A table of how a language model's answers were aligned with their sources."""
    copies = Copies.sum(checked.copies for checked in checks) or Copies("none", ())
    (grid,) = Losses({"": copies}).tables(name)
    return grid


CHECK_TABLES: Tables = {
    "summary": summary_grid,
    "problems": problems_grid,
    **{name: partial(_losses_grid, name=name) for name in LOSS_TABLES},
}
"""The tables of a check by name."""
