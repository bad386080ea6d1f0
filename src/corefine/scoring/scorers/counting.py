"""Counting one document as other scorers do, repeated mentions and singletons included.

A document is two lists of entities, an entity a list of mention numbers, the same number on both
sides for the same mention; a mention may also be looked up on the other side by another number. A
mention may stand in several entities, which no table of disjoint entities can hold: here lists are
counted as they are. Where no mention is repeated and nothing else differs, the counts are those of
corefine's own metrics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from corefine.matching.alignment import align
from corefine.scoring.scorers.profiles import ScorerProfile

Entities = list[list[int]]
Counts = dict[str, float]


@dataclass(frozen=True, slots=True)
class Sides:
    """A document: its entities on both sides, and by which numbers the other side is asked."""

    key: Entities
    response: Entities
    key_there: Entities
    """The key's entities, every mention as the number under which it is sought in the response."""
    response_there: Entities


def count(
    key: Entities,
    response: Entities,
    conventions: ScorerProfile,
    twins: Mapping[int, int] | None = None,
) -> dict[str, Counts]:
    """The statistics of all metrics that the conventions know, for one document.

    ``twins`` gives the numbers by which mentions are sought on the other side, where not their own.
    """
    if conventions.repeats in ("once", "set"):
        key = [list(dict.fromkeys(entity)) for entity in key]
        response = [list(dict.fromkeys(entity)) for entity in response]
    links = _links_as_perl if conventions.repeats == "perl" else _links
    counters = {
        "mentions": _mentions,
        "muc": _muc_as_perl if conventions.repeats == "perl" else _muc,
        "b3": _b3_as_perl if conventions.repeats == "perl" else _b3,
        "ceafm": _ceafm,
        "ceafe": _ceafe,
        "blanc": links,
        "lea": _lea,
    }
    if conventions.cuts:
        counters["ceafe"] = _ceafe_as_perl
    if conventions.ignores_singletons:
        counters |= {"b3": _b3_without_singletons, "ceafe": _ceafe_without_singletons}
    sides = Sides(key, response, _sought(key, twins), _sought(response, twins))
    return {name: counters[name](sides) for name in counters if name in conventions.counts}


def _sought(entities: Entities, twins: Mapping[int, int] | None) -> Entities:
    if not twins:
        return entities
    return [[twins.get(mention, mention) for mention in entity] for entity in entities]


def _ratio(precision: tuple[float, float], recall: tuple[float, float]) -> Counts:
    return {
        "precision_part": precision[0],
        "precision_whole": precision[1],
        "recall_part": recall[0],
        "recall_whole": recall[1],
    }


def owners_of(entities: Entities) -> dict[int, int]:
    """The entity of each mention; of several, the last."""
    return {mention: number for number, entity in enumerate(entities) for mention in entity}


def _shares(entity: list[int], owners: Mapping[int, int]) -> Counter[int]:
    """How many of an entity's mentions each entity of the other side owns."""
    return Counter(owners[mention] for mention in entity if mention in owners)


def _mentions(sides: Sides) -> Counts:
    ours = {mention for entity in sides.key for mention in entity}
    theirs = {mention for entity in sides.response for mention in entity}
    common = len(theirs & {mention for entity in sides.key_there for mention in entity})
    return _ratio((common, len(theirs)), (common, len(ours)))


def _muc(sides: Sides) -> Counts:
    return _ratio(
        _joined(sides.response_there, sides.key), _joined(sides.key_there, sides.response)
    )


def _joined(entities: Entities, others: Entities) -> tuple[float, float]:
    owners = owners_of(others)
    kept = sum(sum(_shares(e, owners).values()) - len(_shares(e, owners)) for e in entities)
    return kept, sum(len(entity) - 1 for entity in entities)


def _muc_as_perl(sides: Sides) -> Counts:
    """The links that the response has right serve both precision and recall."""
    right, found = _joined(sides.response_there, sides.key)
    return _ratio((right, found), (right, sum(len(entity) - 1 for entity in sides.key)))


def _b3(sides: Sides) -> Counts:
    return _ratio(
        _squares(sides.response_there, sides.key), _squares(sides.key_there, sides.response)
    )


def _squares(entities: Entities, others: Entities) -> tuple[float, float]:
    owners = owners_of(others)
    part = sum(
        sum(share * share for share in _shares(entity, owners).values()) / len(entity)
        for entity in entities
    )
    return part, sum(map(len, entities))


def _b3_without_singletons(sides: Sides) -> Counts:
    """Entities of one mention count neither in the sums nor as partners."""

    def squares(entities: Entities, others: Entities) -> tuple[float, float]:
        owners = owners_of(others)
        alone = {number for number, entity in enumerate(others) if len(entity) == 1}
        part = whole = 0.0
        for entity in entities:
            if len(entity) > 1:
                shares = _shares(entity, owners)
                right = sum(n * n for other, n in shares.items() if other not in alone)
                part += right / len(entity)
                whole += len(entity)
        return part, whole

    return _ratio(
        squares(sides.response_there, sides.key), squares(sides.key_there, sides.response)
    )


def _b3_as_perl(sides: Sides) -> Counts:
    """Both sides are summed over the mentions of the response."""
    key, response = sides.key, sides.response_there
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


def _ceafe_as_perl(sides: Sides) -> Counts:
    """1 − φ is what it minimises; what that loses in the last bit shows where numbers are cut."""
    best = sum(1 - (1 - similarity) for similarity in _aligned(sides, by_size=True))
    return _ratio((best, len(sides.response)), (best, len(sides.key)))


def _ceafe_without_singletons(sides: Sides) -> Counts:
    """Entities of one mention are dropped from the response, and kept in the key."""
    kept = [entity for entity in sides.response if len(entity) != 1]
    return _ceafe(replace(sides, response=kept))


def _aligned(sides: Sides, *, by_size: bool) -> list[float]:
    """The similarities of the aligned entities, in the order of the key's."""
    key, response = sides.key_there, sides.response
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
    return aligned(cells, key, response, by_size=by_size)


def aligned(
    cells: Mapping[tuple[int, int], float], key: Entities, response: Entities, *, by_size: bool
) -> list[float]:
    """The similarities of the entities that are aligned, given what each two share."""
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


def _lea(sides: Sides) -> Counts:
    return _ratio(
        _resolved(sides.response_there, sides.key), _resolved(sides.key_there, sides.response)
    )


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

    The mentions of an entity are in the order of the text; ``zeros`` marks them on both sides. A
    mention of the key is sought at its own place first, then as what it was matched with.
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


def _links(sides: Sides) -> Counts:
    return _links_of(sides.key_there, sides.response)


def _links_of(key: Entities, response: Entities) -> Counts:
    """Links by the sizes of lists; a common link is one of the key whose ends the response has."""
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
        0.0,  # asked for only by a rule of BLANC that no other scorer has
    )
    return dict(zip(LINKS, numbers, strict=True))


def _links_as_perl(sides: Sides) -> Counts:
    """Links as sets: a link is there once, and a repeated mention has a link to itself.

    Only links of repeated mentions can be there twice, so only these are listed; a mention in two
    entities can be both joined to another one and separate from it.
    """
    lists = sides.key_there, sides.response
    places = [_memberships(side) for side in lists]
    repeated = {m for side in places for m, entities in side.items() if len(entities) > 1}
    once = [[[m for m in e if m not in repeated] for e in side] for side in lists]
    counts = _links_of(*([e for e in side if e] for side in once))
    for name, value in _listed_links(places, repeated).items():
        counts[name] += value
    return counts


def _memberships(entities: Entities) -> dict[int, list[int]]:
    """The entities of each mention, one for each time that it stands there."""
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
    """Whether a side joins two mentions somewhere, and whether it separates them somewhere."""
    ours, theirs = side.get(one, []), side.get(other, [])
    if one == other:
        return len(ours) > len(set(ours)), len(set(ours)) > 1
    return (
        bool(set(ours) & set(theirs)),
        any(first != second for first in ours for second in theirs),
    )
