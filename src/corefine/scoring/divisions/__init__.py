"""Divisions: the ways in which scores are broken down. To add one, add a file that registers it."""

from __future__ import annotations

from corefine.scoring.divisions.division import SUMMARIES, Division, Parts
from corefine.scoring.divisions.registry import divisions_asked, parse

__all__ = ["SUMMARIES", "Division", "Parts", "divisions_asked", "parse"]
