"""The table of metrics: what each measures, and when to use it."""

from __future__ import annotations

from corefine.metrics import registered
from docs.making import markdown


def metric_table() -> str:
    """One row per metric of the package, linked to its page."""
    rows = [
        (f"[`{metric.name}`](reference/metrics/{metric.name}.rst)", metric.title, metric.use)
        for metric in registered()
        if metric.__module__.startswith("corefine.")
    ]
    return markdown(("name", "metric", "use"), rows, left=3)


REGIONS = {"metrics": metric_table}
