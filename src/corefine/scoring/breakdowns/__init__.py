"""Divisions: the ways in which scores are broken down. To add one, add a file that registers it."""

from __future__ import annotations

from corefine.scoring.breakdowns.breakdown import SUMMARIES, Breakdown, Parts
from corefine.scoring.breakdowns.registry import breakdowns_from, parse

__all__ = ["SUMMARIES", "Breakdown", "Parts", "breakdowns_from", "parse"]
