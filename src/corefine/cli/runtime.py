"""Standard streams, signals and output files of a run.

Outputs are declared by their type. Every other argument may name an input; an output that would
replace one is an error before the command begins.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from glob import glob, has_magic
from typing import Any

import click

from corefine.errors import Location, UsageError
from corefine.output.saving import protecting, refuse_inputs

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


class OutputType(click.ParamType):  # type: ignore[type-arg] # generic only in new versions
    """A file or folder that a command writes; ``-`` is standard output."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return os.fsdecode(value)


OUTPUT = OutputType()


def guarded(context: click.Context) -> AbstractContextManager[None]:
    """Raise an error if an output of the command is an input, and protect its inputs."""
    outputs: list[str] = []
    inputs: list[str] = []
    for param in context.command.params:
        value = context.params.get(str(param.name))
        if isinstance(param.type, OutputType):
            outputs += [value] if isinstance(value, str) else []
        elif not isinstance(param.type, click.Choice):
            inputs += _paths(value)
    if context.params.get("suite") or context.command.name == "suite":
        from corefine.comparing.data_sets import listed_files

        inputs += [path for listing in inputs for path in listed_files(listing)]
    if outputs:
        inputs += [part for path in inputs for part in _companions(path)]
    places = [os.path.realpath(path) for path in outputs if _is_file(path)]
    for output in outputs:
        refuse_inputs(output, inputs)
        if places.count(os.path.realpath(output)) > 1:
            raise UsageError(
                "two outputs are written here", Location(output), "Choose another for one."
            )
    return protecting(inputs if outputs else ())


def _is_file(path: str) -> bool:
    """True for a file, an existing one or not; a device may be given twice."""
    return path != "-" and (os.path.isfile(path) or not os.path.exists(path))


def _paths(value: object) -> Iterator[str]:
    """The paths that an argument may name: PATH, NAME=PATH, a pattern, or several with commas."""
    if isinstance(value, tuple | list):
        for one in value:
            yield from _paths(one)
    elif isinstance(value, str):
        yield value
        if "=" in value:
            yield value.partition("=")[2]
        if has_magic(value):
            yield from glob(value.partition("=")[2] or value)
        if "," in value:
            yield from value.split(",")


def _companions(path: str) -> Iterator[str]:
    """Files that belong to an input, as a text does to annotations."""
    from corefine.formats.registry import all_formats

    folder, name = os.path.split(path)
    stem = os.path.join(folder, name.partition(".")[0])
    for format in all_formats() if os.path.isfile(path) else ():
        if path.endswith(format.suffixes):
            yield from (stem + suffix for suffix in format.companions)
