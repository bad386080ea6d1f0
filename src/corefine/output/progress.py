"""Progress of long work: one form for readers, drivers, tests and training."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called with the current task, the amount done and the total amount (0 where unknown)."""

    def __call__(self, task: str, done: int, total: int, /) -> object: ...


def silent(task: str, done: int, total: int, /) -> None:
    """Report nothing."""
