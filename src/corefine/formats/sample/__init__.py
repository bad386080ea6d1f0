"""The bundled sample: ten short texts with a key and the responses of three systems."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from corefine.errors import Location, UsageError
from corefine.output.saving import make_folder, write_atomically

if TYPE_CHECKING:
    from corefine.corpus.corpus import Corpus

SYSTEMS = ("careful", "eager", "balanced")
SAMPLES = ("key", *SYSTEMS)


def sample() -> tuple[Corpus, dict[str, Corpus]]:
    """Read the bundled sample: the key and the responses by system.

    The systems resolve ten short texts. ``careful`` links what is certain, ``eager`` whatever
    may be one entity, and ``balanced`` lies between them.

    >>> import corefine
    >>> key, systems = corefine.sample()
    >>> len(key), list(systems)
    (10, ['careful', 'eager', 'balanced'])
    >>> round(100 * corefine.score(key, systems["balanced"])["conll"].f1, 2)
    79.27
    """
    from corefine.formats.reading import read  # help pages need no readers

    return read(sample_path("key")), {name: read(sample_path(name)) for name in SYSTEMS}


def sample_path(name: str) -> str:
    """The path of a file of the sample: ``key``, ``careful``, ``eager`` or ``balanced``."""
    return str(Path(__file__).with_name(f"{name}.conll"))


def sample_sides(arguments: Sequence[str]) -> list[str]:
    """The files of the sample that take the place of a command's arguments, for ``--sample``."""
    sides = {"key": ("key",), "response": ("careful",)}
    names = [name for argument in arguments for name in sides.get(argument, SYSTEMS)]
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
