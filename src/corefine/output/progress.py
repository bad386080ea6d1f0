"""Progress of long work: one form for readers, drivers, tests and training."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], object]
"""Called with the current task, the amount done and the total amount (0 where unknown)."""


def silent(task: str, done: int, total: int, /) -> None:
    """Report nothing."""
