"""A progress bar for reading, shown only where a person watches and has to wait."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

PATIENCE = 1.0
"""Seconds before a bar appears: short work should not flicker."""


class ReadingProgress:
    """Counts the bytes that were read; after a second, if standard error is a terminal, as a bar.

    It is called with the number of bytes that were read since the last call.
    """

    def __init__(self, total: int | None, title: str = "reading") -> None:
        self._total = total
        self._title = title
        self._done = 0
        self._started = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> ReadingProgress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, amount: int) -> None:
        self._done += amount
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done)
        elif sys.stderr.isatty() and time.monotonic() - self._started > PATIENCE:
            self._appear()

    def _appear(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._bar.start()
        self._task = self._bar.add_task(self._title, total=self._total, completed=self._done)
