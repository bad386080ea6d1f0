"""Progress bars, shown only where a person watches and has to wait."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Self

PATIENCE = 1.0
"""Seconds before a bar appears: short work should not flicker."""


class _Bar:
    """A bar on standard error, if that is a terminal, once the work has taken a second."""

    def __init__(self, total: float | None) -> None:
        self._total = total
        self._started = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.finish()

    def finish(self) -> None:
        """Take the bar away; it may come back for other work."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        self._started = time.monotonic()

    def _show(self, title: str, done: float) -> None:
        if self._bar is not None:
            self._bar.update(self._task, completed=done, description=title)
        elif sys.stderr.isatty() and time.monotonic() - self._started > PATIENCE:
            from rich.console import Console
            from rich.progress import Progress

            columns = self._columns()
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(title, total=self._total, completed=done)

    def _columns(self) -> list[Any]:
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

        # File names in titles are text, not markup.
        text = TextColumn("{task.description}", markup=False)
        return [text, BarColumn(), TimeRemainingColumn()]


class ReadingProgress(_Bar):
    """Counts the bytes that were read.

    It is called with the number of bytes that were read since the last call.
    """

    def __init__(self, total: int | None, title: str = "reading") -> None:
        super().__init__(total)
        self._title = title
        self._done = 0

    def __call__(self, amount: int) -> None:
        self._done += amount
        self._show(self._title, self._done)

    def _columns(self) -> list[Any]:
        from rich.progress import DownloadColumn

        *others, remaining = super()._columns()
        return [*others, DownloadColumn(), remaining]


class WorkProgress(_Bar):
    """Work in steps: it is called with what is being done and the share that is done."""

    def __init__(self) -> None:
        super().__init__(1.0)

    def __call__(self, what: str, share: float) -> None:
        self._show(what, share)
