"""Formats and metrics that other installed packages provide through entry points."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from corefine.errors import CorefineError, CorefineWarning, escaped

_REMEDY = "Update that package, or uninstall it."


def load(
    group: str, what: str, fits: Callable[[Any], bool], register: Callable[[Any], object]
) -> None:
    """Register what the entry points of a group provide: objects that fit, or modules.

    A module registers its objects itself when it is imported. A package that cannot be loaded
    causes a warning that names it.
    """
    if not _is_mentioned(group):
        return  # importing importlib.metadata costs more than most runs
    from importlib.metadata import entry_points

    for entry in entry_points(group=group):
        package = "another package" if entry.dist is None else f"the package {entry.dist.name}"
        try:
            found = entry.load()
            if fits(found):
                register(found)
            elif not isinstance(found, ModuleType):
                raise TypeError(f"{entry.value} is neither a {what.title()} nor a module")
        except (Exception, SystemExit) as error:
            problem = str(error) if isinstance(error, CorefineError) else _described(error)
            message = f"cannot load the {what} {entry.name!r} of {package}: {problem}. {_REMEDY}"
            warnings.warn(CorefineWarning(escaped(message), "plug-in"), stacklevel=2)


def _described(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _is_mentioned(group: str) -> bool:
    """True if the metadata of any installed package mentions the group."""
    wanted = f"[{group}]".encode()
    for folder in sys.path:
        try:
            entries = os.listdir(folder or ".")
        except OSError:
            # Not a folder, such as an archive of modules: only importlib.metadata can read it.
            if folder and os.path.exists(folder):
                return True
            continue
        for name in entries:
            if name.endswith((".dist-info", ".egg-info")):
                try:
                    with open(os.path.join(folder, name, "entry_points.txt"), "rb") as stream:
                        if wanted in stream.read():
                            return True
                except OSError:
                    continue
    return False


@contextmanager
def blaming(what: str, module: str) -> Iterator[None]:
    """Turn exceptions of a plug-in into a :class:`CorefineError` that names its package."""
    try:
        yield
    except CorefineError:
        raise
    except (Exception, SystemExit) as error:
        package = module.partition(".")[0]
        if package == "corefine":
            raise
        raise CorefineError(
            f"{what} of the package {package} failed: {_described(error)}", None, _REMEDY
        ) from error
