"""Challenge sets: narrow questions that a resolver answers, and whether it answers them fairly."""

from __future__ import annotations

from corefine.auditing.challenges.challenge import CHALLENGES, challenge

__all__ = ["CHALLENGES", "challenge"]
