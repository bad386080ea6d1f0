"""Standard streams and signals of a run."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

ENDING = tuple(
    getattr(signal, name)
    for name in ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK")
    if hasattr(signal, name)
)
"""Signals that end the process, besides the user's interruption."""

PATIENCE = 1.5
"""Seconds for cleaning up, after which the process ends in any case."""


class Ended(BaseException):
    """A signal ends the process: temporary files and processes are removed first."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.signal = number


@contextmanager
def unwound_by_signals() -> Iterator[None]:
    """Turn signals that end the process into exceptions, so that everything is cleaned up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[int, Any] = {}
    for number in ENDING:
        # Ignored signals stay ignored, as under nohup.
        if signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, _end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, frame: object) -> None:
    signal.signal(number, signal.SIG_IGN)  # one is enough
    timer = threading.Timer(PATIENCE, os._exit, (128 + number,))
    timer.daemon = True
    timer.start()
    raise Ended(number)


@contextmanager
def whole_streams() -> Iterator[None]:
    """Replace closed standard streams, and escape characters that their encoding lacks.

    A closed stream becomes one that cannot be read or written: otherwise a file might get its
    number, and messages would be written into it.
    """
    kept = sys.stdin, sys.stdout, sys.stderr
    # Input is write-only and output read-only, so that their use fails. Messages are discarded.
    for number, flags in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_RDWR)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept


def complain(text: str) -> None:
    """Write a line to standard error; if that fails, discard it."""
    try:
        click.echo(text, err=True)
    except OSError:
        descriptor = os.open(os.devnull, os.O_WRONLY)
        os.dup2(descriptor, 2)
        os.close(descriptor)


def discard_output() -> None:
    """Discard further output, if standard output cannot be written any more."""
    descriptor = os.open(os.devnull, os.O_WRONLY)
    os.dup2(descriptor, 1)
    os.close(descriptor)
