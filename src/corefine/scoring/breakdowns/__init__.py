"""Breakdowns of scores by groups of documents or mentions."""

from __future__ import annotations

from corefine.scoring.breakdowns.breakdown import SUMMARIES, Breakdown, breakdowns_from, parse

__all__ = ["SUMMARIES", "Breakdown", "breakdowns_from", "parse"]
