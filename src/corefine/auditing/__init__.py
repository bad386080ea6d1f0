"""Auditing: can a score be trusted? Transformations whose worth is known, and what metrics say."""

from __future__ import annotations

from corefine.auditing.audit import Audit, audit
from corefine.auditing.expectations import TRIALS, Expectation, Trial, Violation
from corefine.auditing.transformations import Changed

__all__ = ["TRIALS", "Audit", "Changed", "Expectation", "Trial", "Violation", "audit"]
