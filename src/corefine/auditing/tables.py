"""An audit as grids: what each metric did, what it should not have done, and the wrong mentions."""

from __future__ import annotations

from corefine.auditing.audit import Audit
from corefine.showing.grid import Column, Grid, Value


def trials_grid(audit: Audit) -> Grid:
    """F1 before, and by how many points each transformation moves it; ! marks a violation."""
    names = list(audit.scores.by_name)
    rows: list[tuple[Value, ...]] = [
        ("the response", *(f"{100 * audit.scores.by_name[name].f1:.2f}" for name in names))
    ]
    for result in audit.trials:
        violated = {violation.metric for violation in result.violations}
        cells = []
        for name in names:
            change = 100 * (result.scores[name].f1 - audit.scores.by_name[name].f1)
            cells.append(f"{change:+.2f}{' !' if name in violated else '  '}")
        rows.append((result.trial.name, *cells))
    columns = (Column("F1"), *(Column(name, "number", name) for name in names))
    note = "! : the metric violates an expectation of this transformation (precision, recall or F1)"
    return Grid(columns, rows, notes=(note,))


def violations_grid(audit: Audit) -> Grid:
    """Every violated expectation in a sentence."""
    rows: list[tuple[Value, ...]] = [
        (
            violation.metric,
            violation.trial,
            str(violation.expectation),
            violation.before,
            violation.after,
            str(violation),
        )
        for violation in audit.violations
    ]
    columns = (
        Column("metric"),
        Column("transformation"),
        Column("expected"),
        Column("before", "percent"),
        Column("after", "percent"),
        Column("on this data", "text", "text"),
    )
    return Grid(columns, rows, "What the metrics should not have done")


def wrong_mentions_grid(audit: Audit) -> Grid:
    """Key mentions that the response links, but never rightly, by kind."""
    rows: list[tuple[Value, ...]] = [
        (row.kind, row.linked, row.wrong, row.share) for row in audit.wrong_mentions
    ]
    columns = (
        Column("kind"),
        Column("linked", "integer"),
        Column("without a right link", "integer", "wrong"),
        Column("share", "percent"),
    )
    return Grid(columns, rows, "Mentions of the key that the response links, but never rightly")
