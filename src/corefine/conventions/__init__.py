"""Conventions: scoring as other scorers do, and why their numbers differ."""

from __future__ import annotations

from corefine.conventions.differences import Difference, why_differs
from corefine.conventions.imitation import score_as
from corefine.conventions.tools import TOOLS, Conventions, tool_named

__all__ = ["TOOLS", "Conventions", "Difference", "score_as", "tool_named", "why_differs"]
