"""Outputs of commands, which must not be inputs.

Outputs are declared by their type. Every other argument may name an input; an output that would
replace one is an error before the command begins.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from glob import glob, has_magic
from typing import Any

import click

from corefine.errors import Location, UsageError
from corefine.output.saving import protecting, refuse_inputs


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
