"""Perturbations of a response as labels of rows of the table.

A perturbation assigns a label to each row: the entity of the mention in the changed response, or -1
if it is removed. A changed response is thus scored without being written or matched again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, numbered
from corefine.corpus.columns import Kind
from corefine.explaining.naming import place_in_run
from corefine.explaining.phrases import Phrases
from corefine.metrics.table import Cells, EntityColumns, MentionTable


@dataclass(frozen=True, slots=True, eq=False)
class Changed:
    """A changed response: labels of rows, added spurious mentions, and a description."""

    labels: IntArray
    what: str
    """The changes with their number, as a clause with "when"."""
    invented: IntArray | None = None
    """The document of each spurious mention; two consecutive ones form an entity."""
    better_links: bool = False
    """Correct links are added, or link F1 is higher, so that scores may rise."""

    def is_change(self, table: MentionTable) -> bool:
        """True if the response is changed."""
        return self.invents or not np.array_equal(self.labels, table.response_entity)

    @property
    def invents(self) -> bool:
        """True if there are spurious mentions."""
        return self.invented is not None and len(self.invented) > 0


Labelling = Callable[[MentionTable], Changed]


def in_text_order(table: MentionTable) -> tuple[MentionTable, IntArray]:
    """The table with rows and entities in text order, and the original rows.

    Perturbations of this table do not depend on the order of entities in a file.
    """
    phrases = Phrases.of(table.matched)
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
        matched=table.matched,
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


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _shared(table: MentionTable) -> BoolArray:
    return (table.key_entity >= 0) & (table.response_entity >= 0)


def wrongly_linked(table: MentionTable) -> BoolArray:
    """A mask of mentions of both sides that are linked in the response, but never correctly."""
    cells = table.cells
    code = cells.key * max(len(table.response), 1) + cells.response
    rows = np.flatnonzero(_shared(table))
    own = table.key_entity[rows] * max(len(table.response), 1) + table.response_entity[rows]
    shared = cells.count[np.searchsorted(code, own)]
    wrong = np.zeros(len(table.document), bool)
    wrong[rows] = (shared == 1) & (table.response.size[table.response_entity[rows]] > 1)
    return wrong


def more_precise(table: MentionTable) -> Changed:
    """Remove mentions whose links are all wrong; keep what remains alone as singletons."""
    labels = _base(table)
    wrong = wrongly_linked(table)
    labels[wrong] = -1
    number = int(wrong.sum())
    return Changed(
        labels,
        f"{_count(number, 'mention', 'mentions')} without a correct link {_was(number)} removed",
    )


def _was(number: int) -> str:
    return "was" if number == 1 else "were"


def _missing(table: MentionTable) -> IntArray:
    """Key mentions that the response lacks, by document and key entity."""
    rows = np.flatnonzero((table.key_entity >= 0) & (table.response_entity < 0))
    return rows[np.lexsort((rows, table.key_entity[rows], table.document[rows]))]


def less_precise_a(table: MentionTable) -> Changed:
    """Add as many wrong pairs of missing mentions as possible."""
    labels = _base(table)
    rows = _missing(table)
    first, second = _wrong_pairs(table, rows)
    fresh = len(table.response) + np.arange(len(first))
    labels[first], labels[second] = fresh, fresh
    number = len(first)
    return Changed(labels, f"{_count(number, 'wrong link', 'wrong links')} {_was(number)} added")


def _wrong_pairs(table: MentionTable, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Pairs of rows of one document and two key entities.

    Sorted by the size of their entity, mention i is paired with mention i + n/2: the two are of
    different entities unless one entity has more than half of all, and then its surplus stays out.
    """
    empty = rows[:0]
    if not len(rows):
        return empty, empty
    document, entity = table.document[rows], table.key_entity[rows]
    size = np.bincount(entity)[entity]
    rows = rows[np.lexsort((rows, entity, -size, document))]
    document, entity = table.document[rows], table.key_entity[rows]
    total = np.bincount(document)
    largest = np.zeros(len(total), np.int64)
    np.maximum.at(largest, document, np.bincount(entity)[entity])
    pairs = np.minimum(total // 2, total - largest)
    # The surplus of an entity with more than half of the mentions stays out.
    place = place_in_run(document)
    surplus = total - 2 * pairs
    kept = place >= surplus[document]
    rows, document = rows[kept], document[kept]
    place = place_in_run(document)
    half = pairs[document]
    return rows[place < half], rows[place >= half]


def less_precise_b(table: MentionTable) -> Changed:
    """Add missing mentions as wrong entities, with at most one mention per key entity."""
    labels = _base(table)
    rows = _missing(table)
    turn = place_in_run(table.key_entity[rows])
    width = int(turn.max(initial=0)) + 1
    _, entity = numbered(table.document[rows] * width + turn)
    several = np.bincount(entity)[entity] > 1 if len(rows) else np.zeros(0, bool)
    labels[rows[several]] = len(table.response) + entity[several]
    number = len(np.unique(entity[several]))
    return Changed(
        labels, f"{_count(number, 'wrong entity', 'wrong entities')} {_was(number)} added"
    )


def missing_mentions_alone(table: MentionTable, *, singletons: bool = True) -> Changed:
    """Add missing mentions as one wrong pair per document, else singletons (LEA, Table 1, b).

    Singletons of the key are right alone, so they are not added alone.
    """
    labels = _base(table)
    rows = _missing(table)
    fresh = len(table.response) + np.arange(len(rows))
    document, entity = table.document[rows], table.key_entity[rows]
    wrong_alone = (table.key.size[entity] > 1) & singletons
    labels[rows[wrong_alone]] = fresh[wrong_alone]
    opens = np.flatnonzero(np.diff(document, prepend=-1))
    turns = np.flatnonzero(np.diff(entity, prepend=-1))
    # The first mention of a document and the first one of the next entity in it.
    after = (
        turns[np.minimum(np.searchsorted(turns, opens, side="right"), len(turns) - 1)]
        if len(rows)
        else opens
    )
    valid = (after > opens) & (document[after] == document[opens]) if len(rows) else after > 0
    labels[rows[opens[valid]]] = fresh[opens[valid]]
    labels[rows[after[valid]]] = fresh[opens[valid]]
    pairs = int(valid.sum())
    alone = int((labels[rows] >= 0).sum()) - 2 * pairs
    added = _count(pairs, "wrong pair", "wrong pairs")
    if not singletons:
        return Changed(labels, f"{added} {_was(pairs)} added")
    return Changed(labels, f"{added} and {_count(alone, 'singleton', 'singletons')} were added")


def missing_pairs(table: MentionTable) -> Changed:
    """The same without singletons."""
    return missing_mentions_alone(table, singletons=False)


def key_as_singletons(table: MentionTable) -> Changed:
    """Make every key mention a singleton."""
    labels = np.where(table.key_entity >= 0, np.arange(len(table.document)), -1)
    return Changed(labels, "every key mention became a singleton")


def response_as_singletons(table: MentionTable) -> Changed:
    """Make every response mention a singleton (the boundary case of LEA's Table 4)."""
    labels = np.where(table.response_entity >= 0, np.arange(len(table.document)), -1)
    return Changed(labels, "every response mention became a singleton")


def response_in_one_entity(table: MentionTable) -> Changed:
    """Merge all response mentions of a document into one entity."""
    labels = np.where(table.response_entity >= 0, table.document, -1)
    what = "all response mentions were merged into one entity"
    return Changed(labels, what, better_links=_adds_correct_links(table, labels))


def _adds_correct_links(table: MentionTable, labels: IntArray) -> bool:
    """True if mentions of a key entity are linked that were not linked before."""
    shared = np.flatnonzero((labels >= 0) & (table.key_entity >= 0))
    new = np.unique(np.stack([table.key_entity[shared], labels[shared]]), axis=1)
    old = np.unique(
        np.stack([table.key_entity[shared], labels[shared], _separate(table)[shared]]), axis=1
    )
    return bool(old.shape[1] > new.shape[1])


def _separate(table: MentionTable) -> IntArray:
    """Response entities of the rows; mentions that the response lacks have one each."""
    alone = len(table.response) + np.arange(len(table.document))
    return np.where(table.response_entity >= 0, table.response_entity, alone)


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


def key_in_one_entity(table: MentionTable) -> Changed:
    """Merge all key mentions of a document into one entity."""
    labels = np.where(table.key_entity >= 0, table.document, -1)
    return Changed(labels, "all key mentions were merged into one entity")


def split_largest(table: MentionTable) -> Changed:
    """Split the largest fully correct entity of each document in half."""
    labels = _base(table)
    cells = table.cells
    large = np.flatnonzero((cells.count > 1) & (cells.count == table.response.size[cells.response]))
    order = large[np.lexsort((large, -cells.count[large], cells.document[large]))]
    leading = order[np.diff(cells.document[order], prepend=-1) != 0]
    number = 0
    if len(leading):
        width = max(len(table.response), 1)
        wanted = cells.key[leading] * width + cells.response[leading]
        own = np.where(_shared(table), table.key_entity * width + table.response_entity, -1)
        rows = np.flatnonzero(np.isin(own, wanted))
        rows = rows[np.argsort(own[rows], kind="stable")]
        place = place_in_run(own[rows])
        size = table.cells.count[np.searchsorted(cells.key * width + cells.response, own[rows])]
        moved = rows[place < size // 2]
        labels[moved] += len(table.response)
        number = len(leading)
    return Changed(
        labels,
        f"{_count(number, 'correct entity', 'correct entities')} {_was(number)} split in two",
    )


def merge_largest(table: MentionTable) -> Changed:
    """Merge the two largest response entities of each document that share no key entity."""
    labels = _base(table)
    members = _key_entities(table)
    found = np.array(sorted(members), np.int64)
    order = found[np.lexsort((found, -table.response.size[found], table.response.document[found]))]
    target = np.arange(len(table.response))
    leaders: dict[int, int] = {}
    done: set[int] = set()
    for entity in order.tolist():
        document = int(table.response.document[entity])
        leader = leaders.setdefault(document, entity)
        if document not in done and members[leader].isdisjoint(members[entity]):
            target[entity] = leader
            done.add(document)
    kept = labels >= 0
    labels[kept] = target[labels[kept]]
    number = len(done)
    return Changed(
        labels, f"{_count(number, 'pair', 'pairs')} of unrelated entities {_was(number)} merged"
    )


def _main_key_entity(table: MentionTable) -> IntArray:
    """The key entity that shares most mentions with each response entity; or -1."""
    cells = table.cells
    order = np.lexsort((cells.key, -cells.count, cells.response))
    leading = order[np.diff(cells.response[order], prepend=-1) != 0]
    main = np.full(len(table.response), -1)
    main[cells.response[leading]] = cells.key[leading]
    return main


def swap_names(table: MentionTable) -> Changed:
    """Swap the names of response entities that share no key entity.

    Only names with a correct link to a mention that is not a name are moved, so that correct links
    are lost and only wrong ones gained. If names leave an entity that mixes many others, more wrong
    links may be lost than correct ones. Links between pronouns stay as they are (PARENT's case).
    """
    labels = _base(table)
    main = _main_key_entity(table)
    own = _shared(table)
    own[own] = table.key_entity[own] == main[labels[own]]
    named = np.flatnonzero(own & (table.kinds == Kind.NAME))
    others = np.flatnonzero(own & (table.kinds != Kind.NAME))
    ready = np.zeros((2, len(table.response)), bool)
    ready[0, labels[named]] = True
    ready[1, labels[others]] = True
    members = _key_entities(table)
    target = np.arange(len(table.response))
    number = 0
    by_document: dict[int, list[int]] = {}
    for entity in np.flatnonzero(ready.all(0)).tolist():
        waiting = by_document.setdefault(int(table.response.document[entity]), [])
        apart = (one for one in waiting if members[one].isdisjoint(members[entity]))
        mate = next(apart, None)
        if mate is None:
            waiting.append(entity)
            continue
        waiting.remove(mate)
        target[entity], target[mate] = mate, entity
        number += 1
    labels[named] = target[labels[named]]
    what = f"the names of {_count(number, 'pair', 'pairs')} of entities were swapped"
    return Changed(labels, what, better_links=_better_links(table, labels))


def _key_entities(table: MentionTable) -> dict[int, set[int]]:
    """The key entities with mentions in each response entity."""
    members: dict[int, set[int]] = {}
    for key, response in zip(table.cells.key.tolist(), table.cells.response.tolist(), strict=True):
        members.setdefault(response, set()).add(key)
    return members


def drop_pronouns(table: MentionTable) -> Changed:
    """Remove every pronoun and zero from the response."""
    labels = _base(table)
    gone = _pronouns(table) & (labels >= 0)
    labels[gone] = -1
    number = int(gone.sum())
    return Changed(labels, f"{_count(number, 'pronoun', 'pronouns')} {_was(number)} removed")


def keep_pronouns(table: MentionTable) -> Changed:
    """Keep only pronouns and zeros in the response."""
    labels = _base(table)
    gone = ~_pronouns(table) & (labels >= 0)
    labels[gone] = -1
    return Changed(
        labels,
        f"all mentions but {_count(int((labels >= 0).sum()), 'pronoun', 'pronouns')} were removed",
    )


def _pronouns(table: MentionTable) -> BoolArray:
    return np.isin(table.kinds, (Kind.PRONOUN, Kind.ZERO))


def add_spurious(table: MentionTable, share: float = 0.1) -> Changed:
    """Add pairs of spurious mentions, per document 10% of the number of key mentions."""
    mentions = np.bincount(table.key.document, table.key.size, minlength=len(table.documents))
    pairs = np.ceil(mentions * share / 2).astype(np.int64)
    invented = np.repeat(np.arange(len(table.documents)), 2 * pairs)
    return Changed(
        _base(table),
        f"{_count(len(invented), 'spurious mention', 'spurious mentions')} were added",
        invented,
    )
