"""Corpora with split antecedents, made from lists, and their scores by definition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

from hypothesis import strategies as st

from corefine.corpus.columns import Entities, Relation
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from tests.building.partitions import entity_lists

Mention = Any
Described = Sequence[Mapping[str, Any]]
"""Entities as the cases have them: ``mentions``, and ``split``, a mention of each antecedent."""


def split_corpus(documents: Mapping[str, Described]) -> Corpus:
    """The corpus of documents whose entities may have split antecedents."""
    corpus = Corpus.from_documents(
        {name: [entity["mentions"] for entity in found] for name, found in documents.items()}
    )
    names, relations = [], []
    for number, entities in enumerate(documents.values()):
        owner = {m: f"e{place}" for place, e in enumerate(entities) for m in e["mentions"]}
        for place, entity in enumerate(entities):
            names.append(f"e{place}")
            relations += [
                Relation("split", number, f"e{place}", owner[mention])
                for mention in entity["split"] or ()
            ]
    columns = Entities(corpus.entities.document, Strings.from_list(names))
    return replace(corpus, entities=columns, relations=tuple(relations))


@st.composite
def described(draw: st.DrawFn, mentions: int = 6) -> list[dict[str, Any]]:
    """Entities of which some are made of earlier ones."""
    entities: list[dict[str, Any]] = []
    for found in draw(entity_lists(mentions)):
        earlier = [mention for entity in entities for mention in entity["mentions"]]
        parts = st.lists(st.sampled_from(earlier), min_size=1, max_size=3) if earlier else st.none()
        split = draw(st.one_of(st.none(), parts))
        entities.append({"mentions": found, "split": split})
    return entities


Entity = frozenset[Mention]
Partition = list[Entity]
Half = tuple[Fraction, Fraction]
"""What was found, and of how much."""
Metric = Callable[["Side", "Side", dict[int, tuple[int, Fraction]], bool], Half]


class Side:
    """One side by definition: merged entities, and the set that each has, if any."""

    def __init__(self, entities: Described) -> None:
        owner = {m: place for place, e in enumerate(entities) for m in e["mentions"]}
        made_of = {
            place: [owner[m] for m in e["split"]] for place, e in enumerate(entities) if e["split"]
        }

        def atoms(place: int) -> set[int]:
            if place not in made_of:
                return {place}
            return set().union(*(atoms(part) for part in made_of[place]))

        self.entities: Partition = []
        self.sets: list[frozenset[Entity] | None] = []
        for place, entity in enumerate(entities):
            found = None
            if place in made_of:
                found = frozenset(frozenset(entities[a]["mentions"]) for a in atoms(place))
            mentions = frozenset(entity["mentions"])
            if found is not None and found in self.sets:
                at = self.sets.index(found)
                self.entities[at] |= mentions
            else:
                self.entities.append(mentions)
                self.sets.append(found)

    @classmethod
    def plain(cls, entities: Iterable[Entity]) -> Side:
        found = sorted(map(sorted, entities))
        return cls([{"mentions": entity, "split": None} for entity in found])

    def size(self, place: int) -> int:
        return len(self.entities[place]) + (self.sets[place] is not None)

    def holder(self, mention: Mention) -> int | None:
        for place, entity in enumerate(self.entities):
            if mention in entity:
                return place
        return None


Aligned = dict[int, tuple[int, Fraction]]
"""For each entity whose set is aligned, its partner's entity and what it is worth."""


def _shares(own: Side, other: Side, place: int) -> dict[int, int]:
    shares: dict[int, int] = {}
    for mention in own.entities[place]:
        holder = other.holder(mention)
        if holder is not None:
            shares[holder] = shares.get(holder, 0) + 1
    return shares


def muc(own: Side, other: Side, aligned: Aligned, inside: bool) -> Half:
    found, whole = Fraction(0), Fraction(0)
    for place in range(len(own.entities)):
        shares = _shares(own, other, place)
        if own.size(place) == 1 and inside:
            whole += 1
            found += any(other.size(there) == 1 for there in shares)
            continue
        whole += own.size(place) - 1
        found += sum(shares.values()) - len(shares)
        if place in aligned and aligned[place][0] in shares:
            found += aligned[place][1]
    return found, whole


def b3(own: Side, other: Side, aligned: Aligned, inside: bool) -> Half:
    found, whole = Fraction(0), Fraction(0)
    for place in range(len(own.entities)):
        shares: dict[int, Fraction] = {
            there: Fraction(count) for there, count in _shares(own, other, place).items()
        }
        if place in aligned:
            there, worth = aligned[place]
            shares[there] = shares.get(there, Fraction(0)) + worth
        found += sum((s * s for s in shares.values()), Fraction(0)) / own.size(place)
        whole += own.size(place)
    return found, whole


def lea(own: Side, other: Side, aligned: Aligned, inside: bool) -> Half:
    found, whole = Fraction(0), Fraction(0)
    for place in range(len(own.entities)):
        size = own.size(place)
        whole += size
        shares = _shares(own, other, place)
        if size == 1:
            found += any(other.size(there) == 1 for there in shares)
            continue
        # Each member with the entity that holds it on the other side, and what it is worth.
        members = [(other.holder(m), Fraction(1)) for m in own.entities[place]]
        if place in aligned:
            members.append(aligned[place])
        links = sum(
            (a[1] * b[1] for a, b in combinations(members, 2) if a[0] is not None and a[0] == b[0]),
            Fraction(0),
        )
        found += size * links / Fraction(size * (size - 1), 2)
    return found, whole


def coreferent(own: Side, other: Side, aligned: Aligned, inside: bool) -> Half:
    return _links(own, other, aligned, True)


def separate(own: Side, other: Side, aligned: Aligned, inside: bool) -> Half:
    return _links(own, other, aligned, False)


def _links(own: Side, other: Side, aligned: Aligned, joined: bool) -> Half:
    members = []
    for place, entity in enumerate(own.entities):
        members += [(place, other.holder(mention), Fraction(1)) for mention in entity]
        if own.sets[place] is not None:
            there, worth = aligned.get(place, (None, Fraction(0)))
            members.append((place, there, worth))
    found, whole = Fraction(0), Fraction(0)
    for (place, there, worth), (place2, there2, worth2) in combinations(members, 2):
        if (place == place2) is joined:
            whole += 1
            if there is not None and there2 is not None and (there == there2) is joined:
                found += worth * worth2
    return found, whole


def ceaf(by_entity: bool) -> Metric:
    def found(own: Side, other: Side, aligned: Aligned, inside: bool) -> Half:
        def alike(place: int, there: int) -> Fraction:
            shared = Fraction(len(own.entities[place] & other.entities[there]))
            if aligned.get(place, (None,))[0] == there:
                shared += aligned[place][1]
            return 2 * shared / (own.size(place) + other.size(there)) if by_entity else shared

        ours, theirs = range(len(own.entities)), range(len(other.entities))
        few, many = (ours, theirs) if len(ours) <= len(theirs) else (theirs, ours)
        best = max(
            sum(
                (
                    alike(a, b) if few is ours else alike(b, a)
                    for a, b in zip(few, chosen, strict=True)
                ),
                Fraction(0),
            )
            for chosen in permutations(many, len(few))
        )
        whole = len(own.entities) if by_entity else sum(map(own.size, ours))
        return best, Fraction(whole)

    return found


def divided(half: Half) -> Fraction:
    return half[0] / half[1] if half[1] else Fraction(0)


def harmonic(one: Fraction, other: Fraction) -> Fraction:
    return 2 * one * other / (one + other) if one + other else Fraction(0)


class Brute:
    """Scores by definition, of one document."""

    def __init__(self, metric: Metric, key: Described, response: Described) -> None:
        self.metric, self.key, self.response = metric, Side(key), Side(response)
        self.pairs: dict[tuple[int, int], tuple[Fraction, Fraction, Fraction]] = {}
        self.halves: dict[tuple[int, int], tuple[Half, Half]] = {}
        for i, ours in enumerate(self.key.sets):
            for j, theirs in enumerate(self.response.sets):
                if ours is not None and theirs is not None:
                    sides = (
                        Side.plain(sorted(ours, key=sorted)),
                        Side.plain(sorted(theirs, key=sorted)),
                    )
                    recall, precision = metric(*sides, {}, True), metric(*sides[::-1], {}, True)
                    self.halves[i, j] = recall, precision
                    if ours == theirs:
                        self.pairs[i, j] = Fraction(1), Fraction(1), Fraction(1)
                        continue
                    r, p = divided(recall), divided(precision)
                    self.pairs[i, j] = r, p, harmonic(r, p)

    def alignments(self) -> list[list[tuple[int, int]]]:
        """All alignments whose sum of F1 is greatest; pairs that are worth nothing are left out."""
        ours = sorted({i for i, _ in self.pairs})
        theirs = sorted({j for _, j in self.pairs})
        if len(ours) <= len(theirs):
            every = [
                list(zip(ours, chosen, strict=True)) for chosen in permutations(theirs, len(ours))
            ]
        else:
            every = [
                list(zip(chosen, theirs, strict=True)) for chosen in permutations(ours, len(theirs))
            ]
        sums = [sum((self.pairs[pair][2] for pair in found), Fraction(0)) for found in every]
        return [
            [pair for pair in found if self.pairs[pair][2] > 0]
            for found, total in zip(every, sums, strict=True)
            if total == max(sums)
        ]

    def score(self, alignment: list[tuple[int, int]], symmetric: bool) -> tuple[Half, Half]:
        """Recall and precision; ``symmetric`` metrics take F1 as the worth of a set."""
        recall = {i: (j, self.pairs[i, j][2 if symmetric else 0]) for i, j in alignment}
        precision = {j: (i, self.pairs[i, j][2 if symmetric else 1]) for i, j in alignment}
        return (
            self.metric(self.key, self.response, recall, False),
            self.metric(self.response, self.key, precision, False),
        )

    def only(self, alignment: list[tuple[int, int]]) -> tuple[Half, Half]:
        """Recall and precision of the sets alone."""
        halves = []
        for side, number in ((self.key, 0), (self.response, 1)):
            found = sum((self.halves[pair][number][0] for pair in alignment), Fraction(0))
            whole = Fraction(0)
            for one in side.sets:
                if one is not None:
                    alone = Side.plain(one)
                    whole += self.metric(alone, Side.plain([]), {}, True)[1]
            halves.append((found, whole))
        return halves[0], halves[1]


METRICS: dict[str, tuple[Metric, bool]] = {
    "muc": (muc, False),
    "b3": (b3, False),
    "lea": (lea, False),
    "ceafm": (ceaf(False), True),
    "ceafe": (ceaf(True), True),
}
