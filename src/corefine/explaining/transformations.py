"""Perturbations of a response as labels of rows of the table.

A perturbation assigns a label to each row: the entity of the mention in the changed response, or -1
if it is removed. A changed response is thus scored without being written or matched again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, among, numbered
from corefine.corpus.columns import Kind
from corefine.explaining.phrases import Phrases
from corefine.metrics.table import Cells, EntityColumns, MentionTable


@dataclass(frozen=True, slots=True, eq=False)
class Changed:
    """A changed response: labels of rows, added spurious mentions, and a description."""

    labels: IntArray
    what: str
    """The changes with their number, as a clause with "when"."""
    invented: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    """The document of each spurious mention; two consecutive ones form an entity."""
    better_links: bool = False
    """F1 over pairs of mentions rises, so that scores may rise."""

    def is_change(self, table: MentionTable) -> bool:
        """True if the response is changed, other than by the numbers of its entities."""
        before, after = table.response_entity, self.labels
        if self.invents or ((before < 0) != (after < 0)).any():
            return True
        pairs = np.unique(np.stack([before, after]), axis=1).shape[1]
        return not pairs == len(np.unique(before)) == len(np.unique(after))

    @property
    def invents(self) -> bool:
        """True if there are spurious mentions."""
        return len(self.invented) > 0


def in_text_order(table: MentionTable) -> tuple[MentionTable, IntArray]:
    """The table with rows and entities in text order, and the original rows.

    Perturbations of this table do not depend on the order of entities in a file.
    """
    phrases = Phrases.of(table.matching)
    rows = np.argsort(phrases.turn)
    key, key_rank = _sorted_entities(table.key, table.key_entity, phrases)
    response, response_rank = _sorted_entities(table.response, table.response_entity, phrases)
    cells = table.cells
    order = np.lexsort((response_rank[cells.response], key_rank[cells.key]))
    ordered = MentionTable(
        table.documents,
        key,
        response,
        Cells(
            key_rank[cells.key[order]],
            response_rank[cells.response[order]],
            cells.count[order],
            cells.document[order],
        ),
        document=table.document[rows],
        key_entity=key_rank[table.key_entity[rows]],
        response_entity=response_rank[table.response_entity[rows]],
        matching=table.matching,
        kinds=table.kinds[rows],
    )
    return ordered, rows


def _sorted_entities(
    side: EntityColumns, entity: IntArray, phrases: Phrases
) -> tuple[EntityColumns, IntArray]:
    """Entities by first mention, and the rank of each entity, followed by -1."""
    rank = phrases.entity_order(entity, len(side))
    order = np.argsort(rank)
    sorted_side = EntityColumns(side.document[order], side.size[order], side.source[order])
    return sorted_side, np.append(rank, -1)


def singletons_made_right(table: MentionTable, changed: Changed) -> int:
    """The number of key singletons that are singletons only in the changed response.

    They are correct, so scores may rise.
    """
    single = table.key_entity >= 0
    single[single] = table.key.size[table.key_entity[single]] == 1
    return int((_alone(changed.labels) & ~_alone(table.response_entity) & single).sum())


def has_errors(table: MentionTable, changed: Changed) -> bool:
    """True if the changed response has a wrong link or a wrong singleton."""
    rows = np.flatnonzero(changed.labels >= 0)
    labels, key = changed.labels[rows], table.key_entity[rows]
    # A mention that the key lacks is never correct.
    key = np.where(key >= 0, key, len(table.key) + np.arange(len(rows)))
    first, entity = numbered(labels)
    if (key != key[first][entity]).any():
        return True
    size = np.append(table.key.size, np.full(len(rows), 2))[key]
    return bool((_alone(labels) & (size > 1)).any())


def _alone(labels: IntArray) -> BoolArray:
    """A mask of singletons."""
    alone = labels >= 0
    _, entity = numbered(labels[alone])
    alone[alone] = np.bincount(entity)[entity] == 1
    return alone


def _base(table: MentionTable) -> IntArray:
    return table.response_entity.copy()


def _were(number: int, one: str, many: str) -> str:
    """A number of things and the verb: "1 wrong link was", "2 wrong links were"."""
    return f"{number:,} {one} was" if number == 1 else f"{number:,} {many} were"


def wrongly_linked(table: MentionTable) -> BoolArray:
    """A mask of mentions of both sides that are linked in the response, but never correctly."""
    width = max(len(table.response), 1)
    cells = table.cells
    several = cells.response[table.response.size[cells.response] > 1]
    alone = (cells.count == 1) & np.isin(cells.response, several)
    own = table.key_entity * width + table.response_entity
    shared = (table.key_entity >= 0) & (table.response_entity >= 0)
    return shared & among(own, (cells.key * width + cells.response)[alone])


def more_precise(table: MentionTable) -> Changed:
    """Remove mentions whose links are all wrong; keep what remains alone as singletons."""
    labels, wrong = _base(table), wrongly_linked(table)
    labels[wrong] = -1
    mentions = ("mention without a correct link", "mentions without a correct link")
    return Changed(labels, f"{_were(int(wrong.sum()), *mentions)} removed")


def _missing(table: MentionTable) -> list[list[list[int]]]:
    """Key mentions that the response lacks, by document and key entity."""
    found: dict[int, dict[int, list[int]]] = {}
    for row in np.flatnonzero((table.key_entity >= 0) & (table.response_entity < 0)).tolist():
        entities = found.setdefault(int(table.document[row]), {})
        entities.setdefault(int(table.key_entity[row]), []).append(row)
    return [[rows for _, rows in sorted(entities.items())] for entities in found.values()]


def _with_new_entities(table: MentionTable, added: Sequence[Sequence[int]]) -> IntArray:
    """Labels of the response with these rows as further entities."""
    labels = _base(table)
    for number, rows in enumerate(added):
        labels[list(rows)] = len(table.response) + number
    return labels


def less_precise_a(table: MentionTable) -> Changed:
    """Add as many wrong pairs of missing mentions as possible.

    Sorted by the size of their entity, mention i is paired with mention i + n/2: the two are of
    different entities unless one entity has more than half of all, and then its surplus stays out.
    """
    added: list[tuple[int, int]] = []
    for entities in _missing(table):
        largest_first = sorted(entities, key=len, reverse=True)
        rows = [row for entity in largest_first for row in entity]
        pairs = min(len(rows) // 2, len(rows) - len(largest_first[0]))
        rows = rows[len(rows) - 2 * pairs :]
        added += zip(rows[:pairs], rows[pairs:], strict=True)
    what = _were(len(added), "wrong link", "wrong links")
    return Changed(_with_new_entities(table, added), f"{what} added")


def less_precise_b(table: MentionTable) -> Changed:
    """Add missing mentions as wrong entities, with at most one mention per key entity."""
    added = []
    for entities in _missing(table):
        for turn in range(max(map(len, entities))):
            rows = [entity[turn] for entity in entities if turn < len(entity)]
            if len(rows) > 1:
                added.append(rows)
    what = _were(len(added), "wrong entity", "wrong entities")
    return Changed(_with_new_entities(table, added), f"{what} added")


def missing_mentions_alone(table: MentionTable, *, singletons: bool = True) -> Changed:
    """Add missing mentions as one wrong pair per document, else singletons (LEA, Table 1, b).

    Singletons of the key are right alone, so they are not added alone.
    """
    missing = _missing(table)
    pairs = [[one[0][0], one[1][0]] for one in missing if len(one) > 1]
    paired = {row for pair in pairs for row in pair}
    rows = [row for entities in missing for entity in entities for row in entity]
    wrong = [row for row in rows if table.key.size[table.key_entity[row]] > 1]
    alone = [[row] for row in wrong if singletons and row not in paired]
    labels = _with_new_entities(table, [*pairs, *alone])
    if not singletons:
        return Changed(labels, f"{_were(len(pairs), 'wrong pair', 'wrong pairs')} added")
    many = "wrong pair" if len(pairs) == 1 else "wrong pairs"
    others = "singleton" if len(alone) == 1 else "singletons"
    return Changed(labels, f"{len(pairs):,} {many} and {len(alone):,} {others} were added")


def missing_pairs(table: MentionTable) -> Changed:
    """Add missing mentions as one wrong pair per document."""
    return missing_mentions_alone(table, singletons=False)


def key_as_singletons(table: MentionTable) -> Changed:
    """Make every key mention a singleton."""
    return _singletons(table.key_entity, "key")


def response_as_singletons(table: MentionTable) -> Changed:
    """Make every response mention a singleton (the boundary case of LEA's Table 4)."""
    return _singletons(table.response_entity, "response")


def _singletons(entity: IntArray, side: str) -> Changed:
    labels = np.where(entity >= 0, np.arange(len(entity)), -1)
    return Changed(labels, f"every {side} mention became a singleton")


def key_in_one_entity(table: MentionTable) -> Changed:
    """Merge all key mentions of a document into one entity."""
    return _in_one_entity(table, table.key_entity, "key")


def response_in_one_entity(table: MentionTable) -> Changed:
    """Merge all response mentions of a document into one entity.

    A response that links too little may be better merged, if F1 over pairs of mentions rises.
    """
    return _in_one_entity(table, table.response_entity, "response")


def _in_one_entity(table: MentionTable, entity: IntArray, side: str) -> Changed:
    labels = np.where(entity >= 0, table.document, -1)
    what = f"all {side} mentions were merged into one entity"
    return Changed(labels, what, better_links=_better_links(table, labels))


def split_largest(table: MentionTable) -> Changed:
    """Split the largest fully correct entity of each document in half."""
    labels, cells, leading = _base(table), table.cells, dict[int, int]()
    for cell in np.lexsort((np.arange(len(cells.key)), -cells.count)).tolist():
        if 1 < cells.count[cell] == table.response.size[cells.response[cell]]:
            leading.setdefault(int(cells.document[cell]), int(cells.response[cell]))
    for entity in leading.values():
        rows = np.flatnonzero(table.response_entity == entity)
        labels[rows[: len(rows) // 2]] += len(table.response)
    what = _were(len(leading), "correct entity", "correct entities")
    return Changed(labels, f"{what} split in two")


def merge_largest(table: MentionTable) -> Changed:
    """Merge the two largest response entities of each document that share no key entity."""
    members, target = _key_entities(table), np.arange(len(table.response))
    leaders: dict[int, int] = {}
    done: set[int] = set()
    for entity in sorted(members, key=lambda one: (-table.response.size[one], one)):
        document = int(table.response.document[entity])
        leader = leaders.setdefault(document, entity)
        if document not in done and members[leader].isdisjoint(members[entity]):
            target[entity] = leader
            done.add(document)
    pairs = ("pair of unrelated entities", "pairs of unrelated entities")
    return Changed(
        np.append(target, -1)[table.response_entity], f"{_were(len(done), *pairs)} merged"
    )


def swap_names(table: MentionTable) -> Changed:
    """Swap the names of response entities that share no key entity.

    Only names with a correct link to a mention that is not a name are moved, so that correct links
    are lost and only wrong ones gained. If names leave an entity that mixes many others, more wrong
    links may be lost than correct ones. Links between pronouns stay as they are (PARENT's case).
    """
    labels, members = _base(table), _key_entities(table)
    cells, main = table.cells, np.full(len(table.response) + 1, -1)
    order = np.lexsort((-cells.key, cells.count))
    main[cells.response[order]] = cells.key[order]  # the largest part is assigned last
    own = (table.key_entity >= 0) & (table.key_entity == main[labels])
    named, others = own & (table.kinds == Kind.NAME), own & (table.kinds != Kind.NAME)
    target = np.arange(len(table.response))
    number = 0
    waiting: dict[int, list[int]] = {}
    for entity in np.intersect1d(labels[named], labels[others]).tolist():
        here = waiting.setdefault(int(table.response.document[entity]), [])
        mate = next((one for one in here if members[one].isdisjoint(members[entity])), None)
        if mate is None:
            here.append(entity)
            continue
        here.remove(mate)
        target[entity], target[mate] = mate, entity
        number += 1
    labels[named] = target[labels[named]]
    pairs = "pair" if number == 1 else "pairs"
    what = f"the names of {number:,} {pairs} of entities were swapped"
    return Changed(labels, what, better_links=_better_links(table, labels))


def _better_links(table: MentionTable, labels: IntArray) -> bool:
    """True if F1 over pairs of mentions rises with these labels."""
    inside = labels >= 0
    shared = inside & (table.key_entity >= 0)
    width = int(labels.max(initial=0)) + 1
    key, before, rightly, after, right = (
        int((count * (count - 1) // 2).sum())
        for count in (
            table.key.size,
            table.response.size,
            table.cells.count,
            np.unique(labels[inside], return_counts=True)[1],
            np.unique((table.key_entity * width + labels)[shared], return_counts=True)[1],
        )
    )
    return right * (key + before) > rightly * (key + after)


def _key_entities(table: MentionTable) -> dict[int, set[int]]:
    """The key entities with mentions in each response entity."""
    members: dict[int, set[int]] = {}
    for key, response in zip(table.cells.key.tolist(), table.cells.response.tolist(), strict=True):
        members.setdefault(response, set()).add(key)
    return members


def drop_pronouns(table: MentionTable) -> Changed:
    """Remove every pronoun and zero from the response."""
    pronouns = np.isin(table.kinds, (Kind.PRONOUN, Kind.ZERO))
    number = int((pronouns & (table.response_entity >= 0)).sum())
    labels = np.where(pronouns, -1, table.response_entity)
    return Changed(labels, f"{_were(number, 'pronoun', 'pronouns')} removed")


def keep_pronouns(table: MentionTable) -> Changed:
    """Keep only pronouns and zeros in the response."""
    pronouns = np.isin(table.kinds, (Kind.PRONOUN, Kind.ZERO))
    labels = np.where(pronouns, table.response_entity, -1)
    number = int((labels >= 0).sum())
    kept = "1 pronoun" if number == 1 else f"{number:,} pronouns"
    return Changed(labels, f"all mentions but {kept} were removed")


def add_spurious(table: MentionTable) -> Changed:
    """Add pairs of spurious mentions, per document 10% of the number of key mentions."""
    mentions = np.bincount(table.key.document, table.key.size, minlength=len(table.documents))
    pairs = np.ceil(mentions * 0.1 / 2).astype(np.int64)
    invented = np.repeat(np.arange(len(table.documents)), 2 * pairs)
    return Changed(_base(table), f"{len(invented):,} spurious mentions were added", invented)
