"""The divisions by name: registration, and names with parameters that parse and print back.

>>> str(parse("size(2,10)")), str(parse("size(2,5)"))
('size(2,10)', 'size')
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeVar

from corefine.errors import UsageError, closest
from corefine.scoring.breakdowns.breakdown import SUMMARIES, Breakdown

AnyDivision = TypeVar("AnyDivision", bound=type[Breakdown])

_DIVISIONS: dict[str, type[Breakdown]] = {}
_loaded = False


def register(division: AnyDivision) -> AnyDivision:
    """Make a division known by its name; used as a decorator."""
    _DIVISIONS[division.name] = division
    return division


def registered() -> dict[str, type[Breakdown]]:
    """All divisions by name, in the order of their listing."""
    global _loaded
    if not _loaded:
        for module in iter_modules([os.path.dirname(__file__)]):
            import_module(f"{__package__}.{module.name}")
        _loaded = True
    return {name: _DIVISIONS[name] for name in sorted(_DIVISIONS, key=[*SUMMARIES].index)}


def parse(written: str) -> Breakdown:
    """The division that a name stands for, with bounds or other parameters in brackets."""
    match = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", written, re.DOTALL)
    known = registered()
    if match is None or match.group(1) not in known:
        raise UsageError(
            f"by cannot be {written!r}",
            remedy=f"Use one of: {', '.join(known)}.{closest(written, known)}",
        )
    return known[match.group(1)].from_parameters((match.group(2) or "").strip())


def breakdowns_from(
    by: str | Breakdown | Sequence[str | Breakdown] | None,
    genres: str | os.PathLike[str] | Mapping[str, str] | None = None,
) -> tuple[Breakdown, ...]:
    """The divisions that are asked for: one, several, or several with commas between them."""
    found: list[Breakdown] = []
    for one in [by] if isinstance(by, str | Breakdown) else by or ():
        words = [one] if isinstance(one, Breakdown) else _split(one)
        found += [word if isinstance(word, Breakdown) else parse(word) for word in words]
    divisions = list(dict.fromkeys(found))
    names = [division.name for division in divisions]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"scores by {name} are requested twice", remedy="Choose one.")
    if genres is not None:
        if "genre" not in names:
            raise UsageError(
                "genres are given, but scores by genre are not requested", remedy="Add --by genre."
            )
        from corefine.scoring.breakdowns.genre import Genre

        divisions[names.index("genre")] = Genre.of(genres)
    return tuple(divisions)


def _split(written: str) -> list[Any]:
    """Names at the commas between them, and not at those within brackets."""
    return re.split(r",(?![^()]*\))", written)
