"""Counters of other scorers for one document, including duplicate mentions and singletons.

A document is two lists of entities, and an entity is a list of mention numbers. A mention can be in
several entities, unlike in corefine's table. Without duplicates and other differences, the counts
are those of corefine's metrics.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from corefine.metrics.base import RatioMetric
from corefine.metrics.blanc import Blanc
from corefine.metrics.ceaf import align
from corefine.scoring.scorers.profile import ScorerProfile

Entities = list[list[int]]
MetricSums = dict[str, float]


@dataclass(frozen=True, slots=True)
class Sides:
    """The entities of both sides, and the same with the numbers by which they are looked up."""

    key: Entities
    response: Entities
    key_lookup: Entities
    """The key entities with the numbers by which their mentions are looked up in the response."""
    response_lookup: Entities


Counter = Callable[[Sides], MetricSums]
"""From the entities of a document to the statistics of a metric."""


def count(
    key: Entities,
    response: Entities,
    profile: ScorerProfile,
    twins: Mapping[int, int],
) -> dict[str, MetricSums]:
    """The statistics of the metrics of a scorer that are counted from entity lists.

    ``twins`` has the numbers by which mentions are looked up on the other side, if not their own.
    """
    if profile.duplicates in ("once", "set"):
        key = [list(dict.fromkeys(entity)) for entity in key]
        response = [list(dict.fromkeys(entity)) for entity in response]
    counters: dict[str, Counter] = {
        "mentions": _mentions,
        "muc": both(joined),
        "b3": both(squares),
        "ceafm": _ceafm,
        "ceafe": ceafe,
        "blanc": _blanc,
        "lea": both(_resolved),
    }
    if profile.duplicates == "perl" or profile.truncates:
        from corefine.scoring.scorers import perl

        counters |= perl.COUNTERS if profile.duplicates == "perl" else {}
        counters |= perl.ROUNDED if profile.truncates else {}
    if profile.ignores_singletons:
        from corefine.scoring.scorers import e2e

        counters |= e2e.COUNTERS
    sides = Sides(key, response, _looked_up(key, twins), _looked_up(response, twins))
    return {name: counter(sides) for name, counter in counters.items() if name in profile.metrics}


def _looked_up(entities: Entities, twins: Mapping[int, int]) -> Entities:
    return [[twins.get(mention, mention) for mention in entity] for entity in entities]


def ratio(precision: tuple[float, float], recall: tuple[float, float]) -> MetricSums:
    return dict(zip(RatioMetric.statistic_names, (*precision, *recall), strict=True))


def both(part: Callable[[Entities, Entities], tuple[float, float]]) -> Counter:
    """The counter that applies a fraction to both sides, as precision and recall."""
    return lambda sides: ratio(
        part(sides.response_lookup, sides.key), part(sides.key_lookup, sides.response)
    )


def owners_of(entities: Entities) -> dict[int, int]:
    """The entity of each mention, the last of several."""
    return {mention: number for number, entity in enumerate(entities) for mention in entity}


def shares(entity: list[int], owners: Mapping[int, int]) -> Tally[int]:
    """The number of mentions that an entity shares with each entity of the other side."""
    return Tally(owners[mention] for mention in entity if mention in owners)


def _mentions(sides: Sides) -> MetricSums:
    ours = {mention for entity in sides.key for mention in entity}
    theirs = {mention for entity in sides.response for mention in entity}
    common = len(theirs & {mention for entity in sides.key_lookup for mention in entity})
    return ratio((common, len(theirs)), (common, len(ours)))


def joined(entities: Entities, others: Entities) -> tuple[float, float]:
    owners = owners_of(others)
    kept = sum(sum(shares(e, owners).values()) - len(shares(e, owners)) for e in entities)
    return kept, sum(len(entity) - 1 for entity in entities)


def squares(entities: Entities, others: Entities, least: int = 1) -> tuple[float, float]:
    """B³; entities of fewer mentions count neither in the sums nor as partners."""
    owners = owners_of(others)
    part = whole = 0.0
    for entity in entities:
        if len(entity) >= least:
            common = shares(entity, owners).items()
            part += sum(n * n for other, n in common if len(others[other]) >= least) / len(entity)
            whole += len(entity)
    return part, whole


def _ceafm(sides: Sides) -> MetricSums:
    best = sum(aligned(sides, by_size=False))
    return ratio((best, sum(map(len, sides.response))), (best, sum(map(len, sides.key))))


def ceafe(sides: Sides) -> MetricSums:
    best = sum(aligned(sides, by_size=True))
    return ratio((best, len(sides.response)), (best, len(sides.key)))


def aligned(sides: Sides, *, by_size: bool) -> list[float]:
    """The similarities of the aligned entities, in the order of the key."""
    key, response = sides.key_lookup, sides.response
    holders: dict[int, set[int]] = {}
    for number, entity in enumerate(response):
        for mention in entity:
            holders.setdefault(mention, set()).add(number)
    cells = Tally(
        (row, column)
        for row, entity in enumerate(key)
        for mention in entity
        for column in holders.get(mention, ())
    )
    if not cells:
        return []
    places = np.array(sorted(cells), np.int64)
    weight = np.array([cells[row, column] for row, column in places.tolist()], np.float64)
    if by_size:
        sizes = np.array([len(e) for e in key])[places[:, 0]]
        weight = 2 * weight / (sizes + np.array([len(e) for e in response])[places[:, 1]])
    chosen: list[float] = weight[align(places[:, 0], places[:, 1], weight)].tolist()
    return chosen


def pairs_of(number: int) -> float:
    return number * (number - 1) / 2


def _resolved(entities: Entities, others: Entities) -> tuple[float, float]:
    owners = owners_of(others)
    part = 0.0
    for entity in entities:
        if len(entity) == 1:
            owner = owners.get(entity[0])
            part += float(owner is not None and len(others[owner]) == 1)
        else:
            common = sum(map(pairs_of, shares(entity, owners).values()))
            part += len(entity) * common / pairs_of(len(entity))
    return part, sum(map(len, entities))


def _blanc(sides: Sides) -> MetricSums:
    return links_of(sides.key_lookup, sides.response)


def links_of(key: Entities, response: Entities) -> MetricSums:
    """Links from the sizes of lists; common links are key links between response mentions."""
    owners = owners_of(response)
    parts = [shares(entity, owners) for entity in key]
    common = sum(pairs_of(n) for part in parts for n in part.values())
    mapped = [sum(part.values()) for part in parts]
    totals: Tally[int] = Tally()
    for part in parts:
        totals.update(part)
    across = pairs_of(sum(mapped)) - sum(map(pairs_of, mapped))
    across -= sum(map(pairs_of, totals.values())) - common
    ours, theirs = sum(pairs_of(len(e)) for e in key), sum(pairs_of(len(e)) for e in response)
    numbers = (
        common,
        ours,
        theirs,
        across,
        pairs_of(sum(map(len, key))) - ours,
        pairs_of(sum(map(len, response))) - theirs,
        0.0,  # needed only for a rule of BLANC that no other scorer has
    )
    return dict(zip(Blanc.statistic_names, numbers, strict=True))
