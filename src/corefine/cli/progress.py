"""The progress bar, shown only in a terminal and for long tasks."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Self

PATIENCE = 1.0
"""Seconds before a bar appears: short work should not flicker."""


class ProgressBar:
    """A bar on standard error, if that is a terminal, once a task has taken a second.

    It is called with the task, the amount done and the total amount, 0 where that is unknown.
    """

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._bar: Any = None
        self._tasks: dict[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, task: str, done: int, total: int) -> None:
        if self._bar is None:
            watched = sys.stderr is not None and sys.stderr.isatty()
            if not watched or time.monotonic() - self._started < PATIENCE:
                return
            self._bar = _bar()
            self._bar.start()
        if task not in self._tasks:
            # One bar at a time: the task before this one has ended.
            for other in self._tasks.values():
                self._bar.remove_task(other)
            self._tasks = {task: self._bar.add_task(task)}
        self._bar.update(self._tasks[task], completed=done, total=total or None)


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    # File names in titles are text, not markup.
    text = TextColumn("{task.description}", markup=False)
    columns = (text, BarColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
