"""A page of text with a key and two responses, whose numbers are stored in many tests."""

from __future__ import annotations

from pathlib import Path

SAMPLE = Path(__file__).parents[1] / "fixtures" / "sample"


def sample_path(name: str) -> str:
    """The path of ``key``, ``careful`` or ``eager``."""
    return str(SAMPLE / f"{name}.conll")
