"""Names for the files that a command is given: NAME=PATH, or after the file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from corefine.errors import UsageError

_COMPRESSED = frozenset((".gz", ".bz2", ".xz", ".zst"))


def named_paths(arguments: Sequence[str], what: str = "system") -> dict[str, str]:
    """A path for each name; files of the same name are told apart by their folders.

    >>> named_paths(["runs/a/out.conll", "runs/b/out.conll", "best=c.conll.gz"])
    {'a/out': 'runs/a/out.conll', 'b/out': 'runs/b/out.conll', 'best': 'c.conll.gz'}
    """
    split = [_name_and_path(argument) for argument in arguments]
    names: list[str] = []
    for name, path in split:
        if name is None:
            alike = [
                other for given, other in split if given is None and _stem(other) == _stem(path)
            ]
            name = _short(path, alike)
        names.append(name)
    for number, name in enumerate(names):
        if name in names[:number]:
            raise UsageError(
                f"two {what}s are named {name!r}",
                remedy="Give them other names: NAME=PATH.",
            )
    return {name: path for name, (_, path) in zip(names, split, strict=True)}


def _name_and_path(argument: str) -> tuple[str | None, str]:
    name, equals, path = argument.partition("=")
    # A file may have an equals sign in its own name, and a folder of the path before it.
    if not equals or os.path.exists(argument) or os.sep in name:
        return None, argument
    if not name.strip() or not path:
        raise UsageError(f"{argument!r} lacks a name or a path", remedy="Write NAME=PATH.")
    return name.strip(), path


def _short(path: str, others: Sequence[str]) -> str:
    """The file's name, after as many folders as tell it from the others."""
    for length in range(1, len(Path(path).parts) + 1):
        short = _last(path, length)
        if [_last(other, length) for other in others].count(short) == 1:
            return short
    return _last(path, 1)


def _last(path: str, parts: int) -> str:
    return "/".join([*Path(path).parts[-parts:-1], _stem(path)])


def _stem(path: str) -> str:
    """The file's name without its ending, and without that of its compression."""
    if path == "-":
        return "stdin"
    name = Path(path)
    plain = name.stem if name.suffix in _COMPRESSED else name.name
    return Path(plain).stem
