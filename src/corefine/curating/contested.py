"""Differences between annotators: mentions and links, and the entities that contain them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import connected_components
from corefine.curating.krippendorff import Units

ContestKind = Literal["missing", "mentions", "linking"]


class Mention(NamedTuple):
    """A mention as its corpus names it (its first and last token, or a name), and its words."""

    id: Hashable
    text: str


@dataclass(frozen=True, slots=True)
class Contested:
    """Entities of several annotators that share mentions and are not all the same.

    ``kind`` is ``linking`` if an annotator has several entities, or parts of them, for one entity
    of another; ``missing`` if an annotator has none of an entity on which the others agree;
    ``mentions`` if all have one entity, or none, with different mentions.
    """

    document: str
    kind: ContestKind
    entities: Mapping[str, tuple[tuple[Mention, ...], ...]]
    """Entities of each annotator."""

    @property
    def mentions(self) -> int:
        """Number of different mentions."""
        found = {m.id for entities in self.entities.values() for one in entities for m in one}
        return len(found)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "document": self.document,
            "kind": self.kind,
            "entities": {
                name: [[{"mention": m.id, "text": m.text} for m in one] for one in entities]
                for name, entities in self.entities.items()
            },
        }


def contested_entities(
    units: Units, mentions: IntArray, corpora: Sequence[Corpus], annotators: Sequence[str]
) -> Iterable[Contested]:
    """Groups of entities that share mentions and are not all the same, the largest first."""
    owners = units.numbered()[0].tolist()
    first: dict[int, int] = {}
    links = [
        (first.setdefault(entity, unit), unit)
        for unit, row in enumerate(owners)
        for entity in row
        if entity >= 0
    ]
    groups: dict[int, list[int]] = defaultdict(list)
    roots = connected_components(len(owners), links)
    for unit in _reading_order(units, mentions, corpora).tolist():
        groups[roots[unit]].append(unit)
    for members in sorted(groups.values(), key=len, reverse=True):
        entities = []
        for annotator in range(len(annotators)):
            chains: dict[int, list[int]] = defaultdict(list)
            for unit in members:
                chains[owners[unit][annotator]].append(unit)
            entities.append([chain for entity, chain in chains.items() if entity >= 0])
        if all(chains == [members] for chains in entities):
            continue  # all annotators agree
        named = {
            name: tuple(
                tuple(_mention(corpora[number], int(mentions[unit, number])) for unit in chain)
                for chain in entities[number]
            )
            for number, name in enumerate(annotators)
        }
        document = corpora[0].documents[int(units.document[members[0]])]
        yield Contested(document, _kind(entities), named)


def _kind(entities: list[list[list[int]]]) -> ContestKind:
    if any(len(chains) > 1 for chains in entities):
        return "linking"
    held = [tuple(chains[0]) for chains in entities if chains]
    return "missing" if len(held) < len(entities) and len(set(held)) == 1 else "mentions"


def _mention(corpus: Corpus, number: int) -> Mention:
    return Mention(corpus.mention_id(number), corpus.text_of(number))


@dataclass(frozen=True, slots=True)
class Dispute:
    """A mention, or a link to an earlier mention, that not all annotators have.

    ``by`` has True for annotators who have it and False for those who do not; None for a link of
    which an annotator lacks a mention.
    """

    document: str
    mention: Mention
    antecedent: Mention | None
    by: Mapping[str, bool | None]

    @property
    def kind(self) -> Literal["mention", "link"]:
        """``mention`` or ``link``."""
        return "mention" if self.antecedent is None else "link"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "document": self.document,
            "kind": self.kind,
            "mention": self.mention._asdict(),
            "antecedent": None if self.antecedent is None else self.antecedent._asdict(),
            "by": dict(self.by),
        }


def disputes(
    units: Units, mentions: IntArray, corpora: Sequence[Corpus], annotators: Sequence[str]
) -> Iterable[Dispute]:
    """Mentions that not all annotators have, and links on which those who have both ends differ.

    Every mention is linked to the nearest earlier one of its entity, of any annotator.
    """
    order = _reading_order(units, mentions, corpora).tolist()
    antecedents: dict[int, set[int]] = {}
    for column in units.entity.T.tolist():
        last: dict[int, int] = {}
        for unit in order:
            if column[unit] >= 0:
                if column[unit] in last:
                    antecedents.setdefault(unit, set()).add(last[column[unit]])
                last[column[unit]] = unit
    rank = {unit: number for number, unit in enumerate(order)}

    def named(unit: int) -> Mention:
        annotator = int(np.argmax(mentions[unit] >= 0))
        return _mention(corpora[annotator], int(mentions[unit, annotator]))

    for unit in order:
        document = corpora[0].documents[int(units.document[unit])]
        own = units.entity[unit].tolist()
        if min(own) < 0:
            by = {name: entity >= 0 for name, entity in zip(annotators, own, strict=True)}
            yield Dispute(document, named(unit), None, by)
        for earlier in sorted(antecedents.get(unit, ()), key=rank.__getitem__):
            others = units.entity[earlier].tolist()
            pairs = zip(own, others, strict=True)
            linked = [None if min(pair) < 0 else pair[0] == pair[1] for pair in pairs]
            if True in linked and False in linked:
                by_name = dict(zip(annotators, linked, strict=True))
                yield Dispute(document, named(unit), named(earlier), by_name)


def _reading_order(units: Units, mentions: IntArray, corpora: Sequence[Corpus]) -> IntArray:
    """Units by document and position in the text, or by name."""

    def place(unit: int) -> tuple[int, tuple[Any, ...], str]:
        annotator = int(np.argmax(mentions[unit] >= 0))
        id = corpora[annotator].mention_id(int(mentions[unit, annotator]))
        numbers = id if isinstance(id, tuple) else (id,)
        span = numbers if all(isinstance(number, int) for number in numbers) else ()
        return int(units.document[unit]), span, str(id)

    return np.array(sorted(range(len(units.document)), key=place), np.int64)
