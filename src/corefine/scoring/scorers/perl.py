"""The reference scorer of CoNLL-2011 and 2012, ``scorer.pl`` 8.01 (Pradhan et al. 2014).

- Words are not compared. Documents that the response lacks count as missed.
- Mentions are met in the order in which they end; an entity is found when its first mention opens.
- A response mention that is in the key counts for its first entity only; other repeated mentions
  count for each of their entities. More than ten repeated ones are an error.
- MUC and B³ take both numerators from the mentions of the response.
- BLANC counts links as sets, in which a repeated mention has a link to itself.
- Percentages are truncated to two decimals, not rounded.
- LEA is that of the branch of its authors (Moosavi & Strube 2016).
"""

from __future__ import annotations

from collections.abc import Container

from corefine.errors import UsageError
from corefine.matching.settings import Settings
from corefine.scoring.scorers.counters import (
    Counter,
    Entities,
    MetricSums,
    Sides,
    aligned,
    joined,
    links_of,
    owners_of,
    ratio,
    shares,
)
from corefine.scoring.scorers.profile import ScorerProfile

PROFILE = ScorerProfile(
    "perl-8.01",
    ("mentions", "muc", "b3", "ceafm", "ceafe", "blanc", "lea", "conll"),
    Settings(missing_documents="count", words="ignore"),
    duplicates="perl",
    truncates=True,
)
MAX_DUPLICATES = 10
"""A response that repeats more mentions of the key is rejected."""


def first_of_repeated(key: list[Entities], response: list[Entities]) -> list[Entities]:
    """The response with mentions of the key in their first entity only."""
    kept, repeated = [], 0
    for entities, known in zip(response, key, strict=True):
        remaining, removed = without_repeated(entities, {m for entity in known for m in entity})
        kept.append(remaining)
        repeated += len(removed)
    if repeated > MAX_DUPLICATES:
        raise UsageError(
            f"perl-8.01 rejects this response: it repeats {repeated:,} mentions of the key",
            remedy="Remove the duplicates ('corefine check' lists them), or score without --as.",
        )
    return kept


def without_repeated(entities: Entities, known: Container[int]) -> tuple[Entities, list[int]]:
    """The entities with known mentions in their first entity only, and the mentions removed."""
    seen: set[int] = set()
    kept, repeated = [], []
    for entity in entities:
        members = []
        for mention in entity:
            if mention in seen:
                repeated.append(mention)
            else:
                members.append(mention)
            if mention in known:
                seen.add(mention)
        if members:
            kept.append(members)
    return kept, repeated


def _muc(sides: Sides) -> MetricSums:
    """Both numerators are the correct links of the response."""
    right, found = joined(sides.response_lookup, sides.key)
    return ratio((right, found), (right, sum(len(entity) - 1 for entity in sides.key)))


def _b3(sides: Sides) -> MetricSums:
    """Both sides are summed over the mentions of the response."""
    key, response = sides.key, sides.response_lookup
    owners = owners_of(key)
    members = [set(entity) for entity in key]
    precision = recall = 0.0
    for entity in response:
        shared = {
            owner: sum(mention in members[owner] for mention in entity)
            for owner in shares(entity, owners)
        }
        for mention in entity:
            if mention in owners:
                owner = owners[mention]
                precision += shared[owner] / len(entity)
                recall += shared[owner] / len(key[owner])
    return ratio((precision, sum(map(len, response))), (recall, sum(map(len, key))))


def _ceafe(sides: Sides) -> MetricSums:
    """The scorer minimises 1 − φ, whose rounding matters if percentages are truncated."""
    best = sum(1 - (1 - similarity) for similarity in aligned(sides, by_size=True))
    return ratio((best, len(sides.response)), (best, len(sides.key)))


def _blanc(sides: Sides) -> MetricSums:
    """Links as sets: a link counts once, and a repeated mention has a link to itself.

    Only links of repeated mentions can occur twice, so only these are listed. A mention in two
    entities can be both coreferent with another one and separate from it.
    """
    lists = sides.key_lookup, sides.response
    links = [_Links(side) for side in lists]
    repeated = {m for side in links for m, owners in side.owners.items() if len(owners) > 1}
    once = [[[m for m in entity if m not in repeated] for entity in side] for side in lists]
    counts = links_of(*([entity for entity in side if entity] for side in once))
    for mention in sorted(repeated):
        for sort in ("coreferent", "separate"):
            ours, theirs = (side.of(mention, sort) for side in links)
            counts[f"{sort}_key"] += len(ours)
            counts[f"{sort}_response"] += len(theirs)
            counts[f"{sort}_common"] += len(ours & theirs)
        for side in links:
            side.forget(mention)  # its links are counted
    return counts


class _Links:
    """The links of single mentions of a side, as sets of the mentions at their other ends."""

    def __init__(self, entities: Entities) -> None:
        self.owners: dict[int, list[int]] = {}
        """The entities of each mention, with repetition."""
        for number, entity in enumerate(entities):
            for mention in entity:
                self.owners.setdefault(mention, []).append(number)
        self.members = [set(entity) for entity in entities]
        self.own = [{m for m in entity if len({*self.owners[m]}) == 1} for entity in entities]
        """The mentions of each entity that are in no other."""
        self.everyone = set(self.owners)

    def of(self, mention: int, sort: str) -> set[int]:
        """The mentions that are coreferent with a mention, or separate from it."""
        owners = self.owners.get(mention, [])
        distinct = set(owners)
        if sort == "separate":
            if len(distinct) != 1:
                return self.everyone if distinct else set()
            return self.everyone - self.own[owners[0]]
        found = set().union(*(self.members[owner] for owner in distinct)) - {mention}
        return found | {mention} if len(owners) > len(distinct) else found

    def forget(self, mention: int) -> None:
        """Leave a mention out of all further links."""
        for owner in self.owners.get(mention, []):
            self.members[owner].discard(mention)
            self.own[owner].discard(mention)
        self.everyone.discard(mention)


COUNTERS: dict[str, Counter] = {"muc": _muc, "b3": _b3, "blanc": _blanc}
"""Counters that differ from other scorers' if mentions are repeated."""
ROUNDED: dict[str, Counter] = {"ceafe": _ceafe}
"""Counters whose rounding matters if percentages are truncated."""
