"""The metrics, one file per family. To add a metric, add a file with a named class of it."""

from __future__ import annotations

from corefine.metrics.base import (
    MentionMetric,
    Metric,
    RatioMetric,
    Statistics,
    Triple,
)
from corefine.metrics.registry import GROUPS, MetricSpec, parse, register, registered, resolve
from corefine.metrics.table import Contributions, Table

__all__ = [
    "GROUPS",
    "Contributions",
    "MentionMetric",
    "Metric",
    "MetricSpec",
    "RatioMetric",
    "Statistics",
    "Table",
    "Triple",
    "parse",
    "register",
    "registered",
    "resolve",
]


def __getattr__(name: str) -> type[Metric]:
    """Load the class of a metric, such as ``corefine.metrics.Lea``, on first use."""
    for metric in registered():
        if metric.__name__ == name:
            return metric
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
