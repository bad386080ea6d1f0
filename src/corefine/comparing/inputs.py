"""Inputs of a comparison: responses of systems, or scores, with one run or several of each."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.scoring.count import Counts, count
from corefine.scoring.request import Request
from corefine.scoring.scores import Scores
from corefine.scoring.sides import Side, named_sides, names_of
from corefine.scoring.stored import is_stored, load_scores

MIXTURE = "Give saved scores only, or a key and responses."


def named_runs(systems: tuple[Any, ...], format: str | None) -> dict[str, list[Side]]:
    """Responses of each system by name; in a dict, a list has several runs."""
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
    """True for a list of responses; lists of entities and of records are one response."""
    if not isinstance(thing, list | tuple) or not thing:
        return False
    return all(
        isinstance(one, str | os.PathLike | Corpus | Side) or hasattr(one, "read") for one in thing
    )


def scored_systems(key: Any, systems: tuple[Any, ...]) -> dict[str, list[Scores]] | None:
    """Runs of systems that were scored already, by name; None if the arguments are responses.

    Scores are given without a key: as arguments, in a list, or in a dict.
    """
    things: Any = (key, *systems)
    if not systems and isinstance(key, Mapping | list | tuple) and not isinstance(key, Scores):
        things = key
    if isinstance(things, Mapping):
        named = {str(name): thing for name, thing in things.items()}
    else:
        named = dict(zip(names_of(list(things), "system"), things, strict=True))
    scored = {name: _is_scored(thing) for name, thing in named.items()}
    if systems and not scored[next(iter(scored))]:
        _refuse_among_responses(systems)
        return None
    if not any(scored.values()):
        return None
    if not all(scored.values()):
        other = next(name for name, is_scored in scored.items() if not is_scored)
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


def check_comparable(scores: Mapping[str, Scores], *, versions: bool = False) -> None:
    """Refuse scores with different keys or signatures; ``versions`` of corefine may differ."""
    (first, one), *others = scores.items()
    for name, other in others:
        if other.key != one.key:
            raise UsageError(
                f"{first!r} and {name!r} were scored against different keys: {one.key} and "
                f"{other.key}",
                remedy="Only scores on the same key can be compared.",
            )
        for metric in one.by_name:
            if metric not in other.by_name:
                continue
            mine, theirs = one.signature_of(metric), other.signature_of(metric)
            if versions:
                theirs = replace(theirs, version=mine.version)
            if mine.conventions != theirs.conventions:
                raise UsageError(
                    f"{first!r} and {name!r} have different signatures: {mine} and {theirs}",
                    remedy="Score both with the same settings and the same version of corefine.",
                )


def count_pair(key: Corpus, response: Corpus, request: Request) -> Counts:
    """Counts of a response, by the conventions of another scorer if the request names one."""
    if request.scorer is None:
        return count(key, response, request)
    from corefine.scoring.scorers.emulation import count_as

    return count_as(key, response, request)
