"""Counters of other scorers for one document, including duplicate mentions and singletons.

A document is two lists of entities, and an entity is a list of mention numbers. A mention can be in
several entities, unlike in corefine's table. Without duplicates and other differences, the counts
are those of corefine's metrics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from corefine.matching.alignment import align
from corefine.scoring.scorers.profiles import ScorerProfile

Entities = list[list[int]]
Counts = dict[str, float]


@dataclass(frozen=True, slots=True)
class Sides:
    """The entities of both sides, and the same with the numbers by which they are looked up."""

    key: Entities
    response: Entities
    key_lookup: Entities
    """The key entities with the numbers by which their mentions are looked up in the response."""
    response_lookup: Entities


def count(
    key: Entities,
    response: Entities,
    profile: ScorerProfile,
    twins: Mapping[int, int],
) -> dict[str, Counts]:
    """The statistics of the metrics of a scorer that are counted from entity lists.

    ``twins`` has the numbers by which mentions are looked up on the other side, if not their own.
    """
    if profile.duplicates in ("once", "set"):
        key = [list(dict.fromkeys(entity)) for entity in key]
        response = [list(dict.fromkeys(entity)) for entity in response]
    counters: dict[str, Callable[[Sides], Counts]] = {
        "mentions": _mentions,
        "muc": _both(_joined),
        "b3": _both(_squares),
        "ceafm": _ceafm,
        "ceafe": _ceafe,
        "blanc": _blanc,
        "lea": _both(_resolved),
    }
    if profile.duplicates == "perl":
        counters |= {"muc": _perl_muc, "b3": _perl_b3, "blanc": _perl_blanc}
    if profile.truncates:
        counters["ceafe"] = _perl_ceafe
    if profile.ignores_singletons:
        counters |= {"b3": _both(_squares_of_several), "ceafe": _ceafe_without_singletons}
    sides = Sides(key, response, _looked_up(key, twins), _looked_up(response, twins))
    return {name: counter(sides) for name, counter in counters.items() if name in profile.metrics}


def _looked_up(entities: Entities, twins: Mapping[int, int]) -> Entities:
    return [[twins.get(mention, mention) for mention in entity] for entity in entities]


def _ratio(precision: tuple[float, float], recall: tuple[float, float]) -> Counts:
    return {
        "precision_part": precision[0],
        "precision_whole": precision[1],
        "recall_part": recall[0],
        "recall_whole": recall[1],
    }


def _both(part: Callable[[Entities, Entities], tuple[float, float]]) -> Callable[[Sides], Counts]:
    """The counter that applies a fraction to both sides, as precision and recall."""
    return lambda sides: _ratio(
        part(sides.response_lookup, sides.key), part(sides.key_lookup, sides.response)
    )


def owners_of(entities: Entities) -> dict[int, int]:
    """The entity of each mention, the last of several."""
    return {mention: number for number, entity in enumerate(entities) for mention in entity}


def _shares(entity: list[int], owners: Mapping[int, int]) -> Counter[int]:
    """The number of mentions that an entity shares with each entity of the other side."""
    return Counter(owners[mention] for mention in entity if mention in owners)


def _mentions(sides: Sides) -> Counts:
    ours = {mention for entity in sides.key for mention in entity}
    theirs = {mention for entity in sides.response for mention in entity}
    common = len(theirs & {mention for entity in sides.key_lookup for mention in entity})
    return _ratio((common, len(theirs)), (common, len(ours)))


def _joined(entities: Entities, others: Entities) -> tuple[float, float]:
    owners = owners_of(others)
    kept = sum(sum(_shares(e, owners).values()) - len(_shares(e, owners)) for e in entities)
    return kept, sum(len(entity) - 1 for entity in entities)


def _perl_muc(sides: Sides) -> Counts:
    """Both numerators are the correct links of the response."""
    right, found = _joined(sides.response_lookup, sides.key)
    return _ratio((right, found), (right, sum(len(entity) - 1 for entity in sides.key)))


def _squares(entities: Entities, others: Entities, least: int = 1) -> tuple[float, float]:
    """B³; entities of fewer mentions count neither in the sums nor as partners."""
    owners = owners_of(others)
    part = whole = 0.0
    for entity in entities:
        if len(entity) >= least:
            shares = _shares(entity, owners).items()
            part += sum(n * n for other, n in shares if len(others[other]) >= least) / len(entity)
            whole += len(entity)
    return part, whole


def _squares_of_several(entities: Entities, others: Entities) -> tuple[float, float]:
    return _squares(entities, others, 2)


def _perl_b3(sides: Sides) -> Counts:
    """Both sides are summed over the mentions of the response."""
    key, response = sides.key, sides.response_lookup
    owners = owners_of(key)
    members = [set(entity) for entity in key]
    precision = recall = 0.0
    for entity in response:
        shared = {
            owner: sum(mention in members[owner] for mention in entity)
            for owner in _shares(entity, owners)
        }
        for mention in entity:
            if mention in owners:
                owner = owners[mention]
                precision += shared[owner] / len(entity)
                recall += shared[owner] / len(key[owner])
    return _ratio((precision, sum(map(len, response))), (recall, sum(map(len, key))))


def _ceafm(sides: Sides) -> Counts:
    best = sum(_aligned(sides, by_size=False))
    return _ratio((best, sum(map(len, sides.response))), (best, sum(map(len, sides.key))))


def _ceafe(sides: Sides) -> Counts:
    best = sum(_aligned(sides, by_size=True))
    return _ratio((best, len(sides.response)), (best, len(sides.key)))


def _perl_ceafe(sides: Sides) -> Counts:
    """The scorer minimises 1 − φ, whose rounding matters if percentages are truncated."""
    best = sum(1 - (1 - similarity) for similarity in _aligned(sides, by_size=True))
    return _ratio((best, len(sides.response)), (best, len(sides.key)))


def _ceafe_without_singletons(sides: Sides) -> Counts:
    """Entities of one mention are dropped from the response and kept in the key."""
    kept = [entity for entity in sides.response if len(entity) != 1]
    return _ceafe(replace(sides, response=kept))


def _aligned(sides: Sides, *, by_size: bool) -> list[float]:
    """The similarities of the aligned entities, in the order of the key."""
    key, response = sides.key_lookup, sides.response
    holders: dict[int, set[int]] = {}
    for number, entity in enumerate(response):
        for mention in entity:
            holders.setdefault(mention, set()).add(number)
    cells = Counter(
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
            common = sum(map(pairs_of, _shares(entity, owners).values()))
            part += len(entity) * common / pairs_of(len(entity))
    return part, sum(map(len, entities))


def anaphors(
    key: Entities, response: Entities, zeros: tuple[Entities, Entities], twins: Mapping[int, int]
) -> Counts:
    """Zeros that are not the first of their entity, as tp, wl, fn and fp.

    Mentions are in text order; ``zeros`` marks zeros on both sides. A key mention is looked up at
    its own position first, then as the mention that it was matched with.
    """
    owners = owners_of(response)
    firsts = {entity[0] for entity in response}
    judged: set[int] = set()
    counts = {"tp": 0.0, "wl": 0.0, "fn": 0.0, "fp": 0.0}
    for entity, marks in zip(key, zeros[0], strict=True):
        earlier: set[int] = set()
        for place, (mention, zero) in enumerate(zip(entity, marks, strict=True)):
            other = mention if mention in owners else twins.get(mention)
            if place and zero:
                if other is None or other in firsts:
                    counts["fn"] += 1
                else:
                    counts["tp" if owners[other] in earlier else "wl"] += 1
                if other is not None:
                    judged.add(other)
            if other is not None:
                earlier.add(owners[other])
    counts["fp"] = sum(
        zero and mention not in firsts and mention not in judged
        for entity, marks in zip(response, zeros[1], strict=True)
        for mention, zero in zip(entity, marks, strict=True)
    )
    return counts


LINKS = (
    "coreferent_common",
    "coreferent_key",
    "coreferent_response",
    "separate_common",
    "separate_key",
    "separate_response",
    "unshared_mentions",
)


def _blanc(sides: Sides) -> Counts:
    return _links_of(sides.key_lookup, sides.response)


def _links_of(key: Entities, response: Entities) -> Counts:
    """Links from the sizes of lists; common links are key links between response mentions."""
    owners = owners_of(response)
    shares = [_shares(entity, owners) for entity in key]
    joined = sum(pairs_of(n) for share in shares for n in share.values())
    mapped = [sum(share.values()) for share in shares]
    totals: Counter[int] = Counter()
    for share in shares:
        totals.update(share)
    across = pairs_of(sum(mapped)) - sum(map(pairs_of, mapped))
    across -= sum(map(pairs_of, totals.values())) - joined
    ours, theirs = sum(pairs_of(len(e)) for e in key), sum(pairs_of(len(e)) for e in response)
    numbers = (
        joined,
        ours,
        theirs,
        across,
        pairs_of(sum(map(len, key))) - ours,
        pairs_of(sum(map(len, response))) - theirs,
        0.0,  # needed only for a rule of BLANC that no other scorer has
    )
    return dict(zip(LINKS, numbers, strict=True))


def _perl_blanc(sides: Sides) -> Counts:
    """Links as sets: a link counts once, and a duplicate mention has a link to itself.

    Only links of duplicate mentions can occur twice, so only these are listed; a mention in two
    entities can be both coreferent with another one and separate from it.
    """
    lists = sides.key_lookup, sides.response
    places = [_memberships(side) for side in lists]
    repeated = {m for side in places for m, entities in side.items() if len(entities) > 1}
    once = [[[m for m in e if m not in repeated] for e in side] for side in lists]
    counts = _links_of(*([e for e in side if e] for side in once))
    for name, value in _listed_links(places, repeated).items():
        counts[name] += value
    return counts


def _memberships(entities: Entities) -> dict[int, list[int]]:
    """The entities of each mention, with repetition."""
    places: dict[int, list[int]] = {}
    for number, entity in enumerate(entities):
        for mention in entity:
            places.setdefault(mention, []).append(number)
    return places


def _listed_links(sides: list[dict[int, list[int]]], repeated: set[int]) -> Counts:
    counts = dict.fromkeys(LINKS, 0.0)
    everyone = {mention for side in sides for mention in side}
    for mention in repeated:
        for other in everyone:
            if other in repeated and other < mention:
                continue  # counted from the other end
            joined, apart = zip(*(_relation(side, mention, other) for side in sides), strict=True)
            for sort, (ours, theirs) in (("coreferent", joined), ("separate", apart)):
                counts[f"{sort}_key"] += ours
                counts[f"{sort}_response"] += theirs
                counts[f"{sort}_common"] += ours and theirs
    return counts


def _relation(side: dict[int, list[int]], one: int, other: int) -> tuple[bool, bool]:
    """True if two mentions are in one entity, and if they are in two entities, of a side."""
    ours, theirs = side.get(one, []), side.get(other, [])
    if one == other:
        return len(ours) > len(set(ours)), len(set(ours)) > 1
    return (
        bool(set(ours) & set(theirs)),
        any(first != second for first in ours for second in theirs),
    )
