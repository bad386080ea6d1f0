"""The bundled sample: a short text with a key and two responses, careful and eager."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from corefine.errors import Location, UsageError
from corefine.output.saving import make_folder, write_atomically

SAMPLES = ("key", "careful", "eager")


def sample_path(name: str) -> str:
    """The path of a bundled sample: ``key``, ``careful`` or ``eager``."""
    return str(Path(__file__).with_name(f"{name}.conll"))


def sample_sides(arguments: Sequence[str]) -> list[str]:
    """The samples that take the place of a command's arguments, for ``--sample``."""
    sides = {"key": ("key",), "response": ("careful",), "responses": ("careful", "eager")}
    names = [name for argument in arguments for name in sides.get(argument, ("careful", "eager"))]
    return [sample_path(name) for name in names]


def write_samples(folder: str | PathLike[str]) -> list[Path]:
    """Copy the samples to a folder; a file of the same name with other content is refused."""
    copies = {Path(folder) / f"{name}.conll": Path(sample_path(name)) for name in SAMPLES}
    for target, source in copies.items():
        if target.exists() and target.read_bytes() != source.read_bytes():
            raise UsageError(
                "this file exists and is not the bundled sample",
                Location(str(target)),
                "Choose another directory.",
            )
    make_folder(folder)
    for target, source in copies.items():
        write_atomically(target, source.read_text("utf-8"))
    return list(copies)
