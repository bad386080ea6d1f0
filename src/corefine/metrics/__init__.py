"""The metrics: one file a family, each ending in its registration."""

from __future__ import annotations

# The order of these imports is the order in which the metrics are listed and shown.
# isort: off
from corefine.metrics.base import Metric, Properties, Statistics, Triple
from corefine.metrics.registry import GROUPS, MetricSpec, parse, register, registered, resolve
from corefine.metrics.mentions import MentionDetection
from corefine.metrics.muc import Muc
from corefine.metrics.bcubed import BCubed
from corefine.metrics.ceaf import CeafE, CeafM
from corefine.metrics.blanc import Blanc
from corefine.metrics.lea import Lea
from corefine.metrics.averages import Conll, Mcores
# isort: on

GROUPS["default"] = ("mentions", "muc", "b3", "ceafm", "ceafe", "blanc", "lea", "conll")

__all__ = [
    "GROUPS",
    "BCubed",
    "Blanc",
    "CeafE",
    "CeafM",
    "Conll",
    "Lea",
    "Mcores",
    "MentionDetection",
    "Metric",
    "MetricSpec",
    "Muc",
    "Properties",
    "Statistics",
    "Triple",
    "parse",
    "register",
    "registered",
    "resolve",
]
