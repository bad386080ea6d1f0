"""Contested entities: what annotators of the same text made different entities of."""

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

    ``kind`` is ``linking`` where someone has several entities, or parts of them, in the place of
    another's one; ``missing`` where someone has nothing of an entity that the others have alike;
    ``mentions`` where all have one entity, or none, and its mentions differ.
    """

    document: str
    kind: ContestKind
    entities: Mapping[str, tuple[tuple[Mention, ...], ...]]
    """The entities of each annotator."""

    @property
    def mentions(self) -> int:
        """How many mentions they have together."""
        found = {m.id for entities in self.entities.values() for one in entities for m in one}
        return len(found)

    def to_dict(self) -> dict[str, Any]:
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
    """The groups of entities that are connected by shared mentions and not all the same."""
    entity, _ = units.numbered()
    unit, annotator = np.nonzero(entity >= 0)
    if len(unit) == 0:
        return
    owner = entity[unit, annotator]
    groups, group = _connected(owner, unit)
    # A group is agreed on if each of its mentions stands in as many cells as there are annotators,
    # and each annotator has one entity in it.
    entities = np.bincount(group[np.unique(owner, return_index=True)[1]], minlength=groups)
    units_of = np.bincount(group[np.unique(unit, return_index=True)[1]], minlength=groups)
    cells = np.bincount(group, minlength=groups)
    agreed = (cells == units_of * len(annotators)) & (entities == len(annotators))
    order = np.lexsort((np.arange(groups), -units_of))
    by_group = np.argsort(group, kind="stable")
    ends = np.cumsum(cells)
    for number in order[~agreed[order]].tolist():
        rows = by_group[ends[number] - cells[number] : ends[number]]
        yield _contested(
            unit[rows], annotator[rows], owner[rows], units, mentions, corpora, annotators
        )


def _connected(owner: IntArray, unit: IntArray) -> tuple[int, IntArray]:
    """The number of connected components of entities and mentions, and the one of each cell."""
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
