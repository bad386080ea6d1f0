"""Differences between annotators: mentions and links, and the entities that contain them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from corefine.comparing.annotators.krippendorff import Units
from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus

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
    entity, _ = units.numbered()
    unit, annotator = np.nonzero(entity >= 0)
    if len(unit) == 0:
        return
    owner = entity[unit, annotator]
    groups, group = _connected(owner, unit)
    # Annotators agree on a group if all have all of its mentions, in one entity each.
    entities = np.bincount(group[np.unique(owner, return_index=True)[1]], minlength=groups)
    units_of = np.bincount(group[np.unique(unit, return_index=True)[1]], minlength=groups)
    cells = np.bincount(group, minlength=groups)
    agreed = (cells == units_of * len(annotators)) & (entities == len(annotators))
    order = _reading_order(units, mentions, corpora)
    first = np.full(groups, len(order))
    np.minimum.at(first, group, np.argsort(order)[unit])
    order = np.lexsort((first, -units_of))
    by_group = np.argsort(group, kind="stable")
    ends = np.cumsum(cells)
    for number in order[~agreed[order]].tolist():
        rows = by_group[ends[number] - cells[number] : ends[number]]
        yield _contested(
            unit[rows], annotator[rows], owner[rows], units, mentions, corpora, annotators
        )


def _connected(owner: IntArray, unit: IntArray) -> tuple[int, IntArray]:
    """Number of connected components of entities and mentions, and the one of each cell."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    entities = int(owner.max()) + 1
    nodes = entities + int(unit.max()) + 1
    links = coo_array((np.ones(len(owner)), (owner, entities + unit)), shape=(nodes, nodes))
    component = connected_components(links, directed=False)[1][owner]
    numbers, group = np.unique(component, return_inverse=True)
    return len(numbers), group


def _contested(
    unit: IntArray,
    annotator: IntArray,
    owner: IntArray,
    units: Units,
    mentions: IntArray,
    corpora: Sequence[Corpus],
    annotators: Sequence[str],
) -> Contested:
    found: dict[str, tuple[tuple[Mention, ...], ...]] = {}
    sets: list[list[frozenset[int]]] = []
    for number, name in enumerate(annotators):
        ours = np.flatnonzero(annotator == number)
        chains: dict[int, list[int]] = {}
        for one, entity in zip(unit[ours].tolist(), owner[ours].tolist(), strict=True):
            chains.setdefault(entity, []).append(one)
        sets.append([frozenset(chain) for chain in chains.values()])
        found[name] = tuple(
            tuple(_mention(corpora[number], int(mentions[one, number])) for one in chain)
            for chain in chains.values()
        )
    return Contested(corpora[0].documents[int(units.document[unit[0]])], _kind(sets), found)


def _kind(sets: list[list[frozenset[int]]]) -> ContestKind:
    if any(len(entities) > 1 for entities in sets):
        return "linking"
    held = [entities[0] for entities in sets if entities]
    return "missing" if len(held) < len(sets) and len(set(held)) == 1 else "mentions"


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
        span = id if isinstance(id, tuple) and all(isinstance(n, int) for n in id) else ()
        return int(units.document[unit]), span, str(id)

    return np.array(sorted(range(len(units.document)), key=place), np.int64)
