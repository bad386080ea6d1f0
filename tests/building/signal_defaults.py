"""Signals as a shell gives them to a command that it waits for."""

from __future__ import annotations

import signal


def default_signals() -> None:
    """Set up a process that a test starts: under nohup or in the background of a shell, the tests
    themselves may run with signals ignored, and their children would inherit that."""
    for kind in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(kind, signal.SIG_DFL)
