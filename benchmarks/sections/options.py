"""What a person may set for a run of the benchmark."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    factors: tuple[int, ...]
    """How many times the base corpus of about 100 documents."""
    mentions: tuple[int, ...]
    """The sizes of the giant document."""
    repeats: int
