"""Audits of metrics on given data, and validation of files."""

from __future__ import annotations

from corefine.auditing.audit import Audit, audit
from corefine.auditing.expectations import TRIALS, Expectation, Outcome, Trial
from corefine.auditing.transformations import Changed

__all__ = ["TRIALS", "Audit", "Changed", "Expectation", "Outcome", "Trial", "audit"]
