"""An audit as a chart."""

from __future__ import annotations

from corefine.auditing.audit import Audit
from corefine.showing.charts import Figure, heat_map


def changes_figure(audit: Audit) -> Figure:
    """By how much each metric moves when a response is changed in a way whose worth is known."""
    before = audit.scores.by_name
    notes, changes = [], []
    for result in audit.trials:
        told = {violation.metric: str(violation) for violation in result.violations}
        notes.append([told.get(metric, "as it should be") for metric in before])
        changes.append([result.scores[name].f1 - score.f1 for name, score in before.items()])
    return heat_map(
        "Change of F1 under transformations",
        [result.trial.name for result in audit.trials],
        list(before),
        changes,
        unit="difference",
        first="transformation",
        cell_notes=notes,
        description="Points of F1 that a metric gains or loses when the response is changed.",
    )
