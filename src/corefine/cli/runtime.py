"""What surrounds a run: the standard streams that a shell gives, and the signals that end it."""

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
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)
"""The signals that ask a process to end, beside the user's interruption."""

PATIENCE = 1.5
"""Seconds for clearing away; then the process ends whatever it is doing."""


class Ended(BaseException):
    """The process was asked to end: temporary files and processes go, then it ends."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.signal = number


@contextmanager
def unwound_by_signals() -> Iterator[None]:
    """Let signals that end the process unwind it, so that everything is cleared away."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[int, Any] = {}
    for number in ENDING:
        # What the caller ignores stays ignored: nohup.
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
    """Standard streams that exist and that can hold every character.

    A stream that the shell closed becomes one that refuses to be read or written: its number must
    not go to a file, into which a message would be written. What an encoding lacks is escaped.
    """
    kept = sys.stdin, sys.stdout, sys.stderr
    # A stream for reading refuses to be written, and one for writing to be read. Messages are
    # the exception: there is nowhere to say that they are lost.
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
    """Write a line to standard error; where that takes no more, there is nowhere to say so."""
    try:
        click.echo(text, err=True)
    except OSError:
        descriptor = os.open(os.devnull, os.O_WRONLY)
        os.dup2(descriptor, 2)
        os.close(descriptor)


def discard_output() -> None:
    """Let what is still to be written vanish, where standard output takes no more."""
    descriptor = os.open(os.devnull, os.O_WRONLY)
    os.dup2(descriptor, 1)
    os.close(descriptor)
