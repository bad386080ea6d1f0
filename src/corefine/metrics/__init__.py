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
from corefine.metrics.linguistic import LBCubed, LCeafE, LCeafM, Lmuc
from corefine.metrics.link_weights import Weights
from corefine.metrics.parent import Parent
from corefine.metrics.pairs import CoreferentPairs, NonCoreferentPairs
# isort: on

GROUPS["linguistic"] = ("lmuc", "lb3", "lceafm", "lceafe", "parent")
GROUPS["default"] = ("mentions", "muc", "b3", "ceafm", "ceafe", "blanc", "lea", "conll")

__all__ = [
    "GROUPS",
    "BCubed",
    "Blanc",
    "CeafE",
    "CeafM",
    "Conll",
    "CoreferentPairs",
    "LBCubed",
    "LCeafE",
    "LCeafM",
    "Lea",
    "Lmuc",
    "Mcores",
    "MentionDetection",
    "Metric",
    "MetricSpec",
    "Muc",
    "NonCoreferentPairs",
    "Parent",
    "Properties",
    "Statistics",
    "Triple",
    "Weights",
    "parse",
    "register",
    "registered",
    "resolve",
]
