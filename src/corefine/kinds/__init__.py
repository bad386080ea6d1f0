"""Kinds of mentions: names, nominals, pronouns and zeros, and where that is known from."""

from __future__ import annotations

from corefine.kinds.both_sides import Origin, with_kinds
from corefine.kinds.kind_names import kind_of
from corefine.kinds.kind_plan import KindPlan, KindRule, KindSpec, kinds_of, plan_of

__all__ = [
    "KindPlan",
    "KindRule",
    "KindSpec",
    "Origin",
    "kind_of",
    "kinds_of",
    "plan_of",
    "with_kinds",
]
