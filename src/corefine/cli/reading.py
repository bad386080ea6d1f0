"""Reading the files that a command is given, with a progress bar where it takes long."""

from __future__ import annotations

import os

from corefine.cli.progress import ReadingProgress
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.formats import read

Layers = frozenset[str]


def read_sides(
    key: str,
    response: str,
    key_format: str | None = None,
    response_format: str | None = None,
    layers: Layers | None = frozenset(),
) -> tuple[Corpus, Corpus]:
    """Both corpora; ``layers`` are the columns of the tokens that the command needs."""
    if key == "-" and response == "-":
        raise UsageError("only one of key and response can come from standard input")
    return (
        read_one(key, key_format, layers, "key"),
        read_one(response, response_format, layers, "response"),
    )


def read_one(
    path: str,
    format: str | None = None,
    layers: Layers | None = frozenset(),
    side: str | None = None,
) -> Corpus:
    """The corpus in a file, a directory, a pattern of files, or standard input (``-``)."""
    with ReadingProgress(None, f"reading {path}") as progress:
        return read(path, format, layers=layers, progress=progress, side=side)


def size_of(*paths: str) -> int | None:
    """The bytes of some files together; None where one of them is not a file."""
    if not all(os.path.isfile(path) for path in paths):
        return None
    return sum(os.path.getsize(path) for path in paths)
