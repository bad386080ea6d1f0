"""What is compared: the responses of systems, or scores; one run of each system, or several."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.scoring.scores import Scores
from corefine.scoring.sides import Side, named_sides, names_of
from corefine.scoring.stored import is_stored, load_scores

MIXTURE = "Give saved scores only, or a key and responses."


def named_runs(systems: tuple[Any, ...], format: str | None) -> dict[str, list[Side]]:
    """The responses of each system by name: one, or in a dict a list of several runs."""
    if len(systems) == 1 and isinstance(systems[0], Mapping):
        runs = {
            str(name): list(thing) if _is_runs(thing) else [thing]
            for name, thing in systems[0].items()
        }
        return {
            name: [Side.of(one, f"response {name!r}", format) for one in things]
            for name, things in runs.items()
        }
    return {name: [side] for name, side in named_sides(systems, format).items()}


def _is_runs(thing: object) -> bool:
    """Whether a list holds responses: lists of entities and of records are one response."""
    if not isinstance(thing, list | tuple) or not thing:
        return False
    return all(
        isinstance(one, str | os.PathLike | Corpus | Side) or hasattr(one, "read") for one in thing
    )


def scored_systems(key: Any, systems: tuple[Any, ...]) -> dict[str, list[Scores]] | None:
    """Systems that were scored already, by name, with their runs; None where they are responses.

    They are given without a key: as arguments, in a list, or in a dict.
    """
    things: Any = (key, *systems)
    if not systems and isinstance(key, Mapping | list | tuple) and not isinstance(key, Scores):
        things = key
    if isinstance(things, Mapping):
        named = {str(name): thing for name, thing in things.items()}
    else:
        named = dict(zip(names_of(list(things), "system"), things, strict=True))
    held = {name: _is_scored(thing) for name, thing in named.items()}
    if systems and not held[next(iter(held))]:
        _refuse_among_responses(systems)
        return None
    if not any(held.values()):
        return None
    if not all(held.values()):
        other = next(name for name, scored in held.items() if not scored)
        raise UsageError(
            f"{other!r} is not a file of saved scores, unlike the others", remedy=MIXTURE
        )
    return {name: _loaded(thing) for name, thing in named.items()}


def _refuse_among_responses(systems: tuple[Any, ...]) -> None:
    for system in systems:
        things = system
        if not isinstance(system, Scores) and isinstance(system, Mapping):
            things = list(system.values())
        listed = things if isinstance(things, list | tuple) else [things]
        if any(_is_scored(one) for one in listed):
            raise UsageError(
                "the first argument is not a file of saved scores, but others are",
                remedy=MIXTURE,
            )


def _is_scored(thing: object) -> bool:
    if isinstance(thing, list | tuple):
        return bool(thing) and all(map(_is_scored, thing))
    return isinstance(thing, Scores) or is_stored(thing)


def _loaded(thing: Any) -> list[Scores]:
    things = thing if isinstance(thing, list | tuple) else [thing]
    return [one if isinstance(one, Scores) else load_scores(one) for one in things]
