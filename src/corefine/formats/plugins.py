"""What other installed packages offer by entry points."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from corefine.errors import CorefineError, UsageError


def offered(group: str, what: str, fits: Callable[[Any], bool]) -> Iterator[Any]:
    """What the entry points of a group lead to: a module, which registers by itself, or what fits.

    ``what`` it is called in messages.
    """
    if not _any_mentions(group):
        return  # importing importlib.metadata costs more than most runs
    from importlib.metadata import entry_points

    for entry in entry_points(group=group):
        problem = f"{entry.value} is neither a {what.title()} nor a module"
        try:
            found = entry.load()
            if fits(found):
                yield found
            if fits(found) or isinstance(found, ModuleType):
                continue
        except CorefineError:
            raise  # whoever registers it says what is wrong
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        package = "another package" if entry.dist is None else f"the package {entry.dist.name}"
        raise UsageError(
            f"cannot load the {what} {entry.name!r} of {package}: {problem}",
            remedy="Update that package, or uninstall it.",
        )


def _any_mentions(group: str) -> bool:
    """Whether the metadata of any installed package speaks of the group."""
    wanted = f"[{group}]".encode()
    for folder in sys.path:
        try:
            entries = os.listdir(folder or ".")
        except OSError:
            # No folder, such as an archive of modules: only a real look can tell.
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
