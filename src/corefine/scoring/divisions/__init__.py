"""Divisions: the ways in which scores are broken down. To add one, add a file that registers it."""

from __future__ import annotations

from corefine.scoring.divisions.division import Division, Parts
from corefine.scoring.divisions.registry import division_names, divisions_asked, parse

__all__ = ["Division", "Parts", "division_names", "divisions_asked", "parse"]
