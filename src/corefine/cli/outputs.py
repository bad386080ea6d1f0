"""Outputs of commands, which must not be inputs.

Outputs are declared by their type. Every other argument may name an input; an output that would
replace one is an error before the command begins.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import click

from corefine.errors import Location, UsageError
from corefine.output.saving import protecting, refuse_inputs


class OutputType(click.ParamType):  # type: ignore[type-arg] # generic only in new versions
    """A file or folder that a command writes; ``-`` is standard output."""

    name = "file"

    def __init__(self, endings: tuple[str, ...] = ()) -> None:
        self.endings = endings
        """Only files with these endings are written to the folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return os.fsdecode(value)


OUTPUT = OutputType()
CHARTS = OutputType((".svg", ".png"))
"""A folder for charts."""


_GUARDED = "guards_outputs"
"""Marks callbacks that check their outputs."""


def guarded(command: click.Command) -> click.Command:
    """Check the outputs of a command, or of all commands of a group."""
    if isinstance(command, click.Group):
        for part in command.commands.values():
            guarded(part)
    elif command.callback is not None and not hasattr(command.callback, _GUARDED):
        command.callback = _guarded(command.callback)
    return command


def _guarded(callback: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(callback)
    def checked(*arguments: Any, **options: Any) -> Any:
        context = click.get_current_context()
        outputs = {
            param.name: param.type
            for param in context.command.params
            if isinstance(param.type, OutputType)
        }
        others = [
            context.params[param.name]
            for param in context.command.params
            if param.name in context.params
            and param.name not in outputs
            and not isinstance(param.type, click.Choice)
        ]
        inputs = [path for value in others for path in _paths(value)]
        if context.params.get("suite") or context.command.name == "suite":
            from corefine.comparing.suites.data_sets import listed_files

            inputs += [path for listing in inputs for path in listed_files(listing)]
        _refuse_one_for_two([context.params.get(str(name)) for name in outputs])
        for name, kind in outputs.items():
            given = context.params.get(str(name))
            if isinstance(given, str):
                refuse_inputs_of_command(given, inputs, kind.endings)
        with protecting(inputs if outputs else ()):
            return callback(*arguments, **options)

    setattr(checked, _GUARDED, True)
    return checked


def _refuse_one_for_two(outputs: list[object]) -> None:
    """Raise an error if two outputs are the same file."""
    seen: set[str] = set()
    for output in outputs:
        if isinstance(output, str) and output != "-" and not _is_device(output):
            place = os.path.realpath(output)
            if place in seen:
                raise UsageError(
                    "two outputs are written here", Location(output), "Choose another for one."
                )
            seen.add(place)


def _is_device(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def refuse_inputs_of_command(output: str, inputs: list[str], endings: tuple[str, ...] = ()) -> None:
    """Raise an error if an output is an input, belongs to one, or contains one."""
    if endings:
        inside = os.path.abspath(output)
        inputs = [
            path
            for path in inputs
            if path.endswith(endings) or not os.path.abspath(path).startswith(inside)
        ]
    refuse_inputs(output, inputs)
    if output != "-" and os.path.isfile(output):
        _refuse_companions(output, inputs)


def _paths(value: object) -> Iterator[str]:
    """The paths that an argument may name: PATH, NAME=PATH, a pattern, or several with commas."""
    if isinstance(value, tuple | list):
        for one in value:
            yield from _paths(one)
    elif isinstance(value, str):
        from glob import glob, has_magic

        yield value
        if "=" in value:
            yield value.partition("=")[2]
        if has_magic(value):
            yield from glob(value.partition("=")[2] or value)
        if "," in value:
            yield from value.split(",")


def _refuse_companions(output: str, inputs: list[str]) -> None:
    """Raise an error for a file that belongs to an input, as a text does to annotations."""
    from corefine.formats.registry import all_formats

    place, stem = os.path.realpath(output), os.path.basename(output).partition(".")[0]
    for path in inputs:
        if not os.path.isfile(path) or os.path.basename(path).partition(".")[0] != stem:
            continue
        if os.path.dirname(os.path.realpath(path)) != os.path.dirname(place):
            continue
        for format in all_formats():
            if path.endswith(format.suffixes) and place.endswith(format.companions or ("\0",)):
                raise UsageError(
                    f"this file is part of the input {path}",
                    Location(output),
                    "Choose another output.",
                )
