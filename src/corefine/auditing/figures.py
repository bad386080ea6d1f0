"""An audit as a chart."""

from __future__ import annotations

from corefine.auditing.audit import Audit
from corefine.output.charts import Figure, heat_map


def changes_figure(audit: Audit) -> Figure:
    """By how much each metric moves when a response is changed in a way whose worth is known."""
    before = audit.scores.by_name
    notes: list[list[str]] = []
    changes: list[list[float | None]] = []
    for result in audit.trials:
        told = {violation.metric: str(violation) for violation in result.violations}
        asked = {outcome.metric for outcome in result.outcomes}
        notes.append(
            [
                told.get(metric, "as expected" if metric in asked else "not judged")
                for metric in before
            ]
        )
        after = result.scores
        changes.append(
            [after[name].f1 - score.f1 if name in after else None for name, score in before.items()]
        )
    return heat_map(
        "Change of F1 under perturbations",
        [result.trial.title for result in audit.trials],
        list(before),
        changes,
        unit="difference",
        width=max(640, 190 + 48 * len(before)),
        first="transformation",
        cell_notes=notes,
        description="F1 points that a metric gains or loses when the response is perturbed.",
    )
