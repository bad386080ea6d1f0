"""Anaphors: was each mention but the first of its entity linked to the right entity?

``anaphors`` is the score of CRAC's shared tasks; ``arcs`` asks for antecedents that identify the
entity. Chains are the mentions of each entity in the order of the text. Each side is ordered by its
own text: key and response may have different empty nodes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray, numbered
from corefine.corpus.columns import Kind
from corefine.corpus.words import named_spans, wording_of
from corefine.matching.places import Places
from corefine.metrics.base import Metric, Statistics, Triple, f_measure, ratio
from corefine.metrics.table import MentionTable


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """One side of a table: the position of each row in its entity, and the rows before it."""

    position: IntArray
    """Position of each row in its entity, from 0; -1 if this side lacks the row."""
    order: IntArray
    """The rows that this side has, by entity and then by position."""
    rank: IntArray
    """Rank of each row in the order of the text, if this side has it."""

    @property
    def anaphor(self) -> BoolArray:
        """True for each row that this side has and that is not the first of its entity."""
        later: BoolArray = self.position > 0
        return later

    @property
    def predecessor(self) -> IntArray:
        """The preceding row of the entity of each row; -1 for first mentions and absent rows."""
        before = np.full(len(self.position), -1)
        before[self.order[1:]] = self.order[:-1]
        return np.where(self.anaphor, before, -1)

    def latest(self, marked: BoolArray) -> IntArray:
        """For each row, find the closest earlier marked row of its entity; -1 without one."""
        found = np.full(len(self.position), -1)
        rank = np.arange(len(self.order))
        first = rank - self.position[self.order]
        last = np.maximum.accumulate(np.where(marked[self.order], rank, -1))
        before = np.append(-1, last[:-1])[: len(rank)]
        has = before >= first
        found[self.order[has]] = self.order[before[has]]
        return found


def chains_of(table: MentionTable) -> tuple[Chains, Chains]:
    """The chains of key and response.

    The mentions of an entity are ordered by document, first word, last word and number of words.
    Mentions that are only names keep their input order; a name that is a pair of numbers is a span.
    """

    def compute() -> tuple[Chains, Chains]:
        matching = table.matching
        key, response = matching.places
        return (
            _chains(key, table.key_entity, matching.key_mention),
            _chains(response, table.response_entity, matching.response_mention),
        )

    return table.shared("chains", compute)


def spans_of(side: Places) -> tuple[IntArray, IntArray, IntArray]:
    """The number of words, the last place and the first place of each mention of a side."""
    mentions = side.corpus.mentions
    spans = named_spans(mentions.names)
    if spans is not None:
        return spans[:, 1] - spans[:, 0] + 1, spans[:, 1], spans[:, 0]
    owner, _ = side.words(np.arange(len(mentions)))
    return np.bincount(owner, minlength=len(mentions)), side.last, side.first


def _chains(side: Places, entity: IntArray, mention: IntArray) -> Chains:
    rows = np.flatnonzero(entity >= 0)
    own = mention[rows]
    places = (column[own] for column in (*spans_of(side), side.corpus.mentions.document))
    in_text = rows[np.lexsort((own, *places))]
    rank = np.full(len(entity), -1)
    rank[in_text] = np.arange(len(rows))
    order = in_text[np.argsort(entity[in_text], kind="stable")]
    number = np.arange(len(order))
    opens = np.ones(len(order), bool)
    opens[1:] = entity[order[1:]] != entity[order[:-1]]
    position = np.full(len(entity), -1)
    position[order] = number - np.maximum.accumulate(np.where(opens, number, 0))
    return Chains(position, order, rank)


class AnaphorMetric(Metric):
    """A metric that counts anaphors: true positives, wrong links, false negatives and positives."""

    statistic_names = ("tp", "wl", "fn", "fp")
    needs_text = True

    def score(self, totals: Mapping[str, FloatArray]) -> Triple:
        right, linked = totals["tp"], totals["tp"] + totals["wl"]
        precision = ratio(right, linked + totals["fp"])
        recall = ratio(right, linked + totals["fn"])
        return Triple(precision, recall, f_measure(precision, recall))


@dataclass(frozen=True)
class Anaphors(AnaphorMetric):
    r"""Anaphor-decomposable score of CRAC's shared tasks (Žabokrtský et al. 2022).

    Each key mention that is not the first of its entity, and is of the kind asked for, is a false
    negative (fn) if the response lacks it or has it as the first of its entity; a true positive
    (tp) if its response entity also holds an earlier mention of its key entity; else a wrong link
    (wl). A false positive (fp) is a response mention of that kind, not the first of its entity,
    that is matched with none of those.

    .. math:: R = \frac{tp}{tp + wl + fn}, \quad P = \frac{tp}{tp + wl + fp}

    ``kind`` is ``all``, ``zero`` (the mention's head is an empty node, on its own side),
    ``pronoun``, ``name`` or ``nominal`` (by mention kind, the key's where both sides have it).

    Use it to evaluate one type of anaphor; zero is short for anaphors(kind=zero), the CRAC shared
    task's score for zeros. It separates wrong links from missed anaphors. First mentions do not
    count, and any earlier mention of the correct entity is a correct antecedent.

    .. code-block:: console

        $ corefine score key.conllu response.conllu --match head --metrics zero,anaphors
    """

    name = "anaphors"
    title = "Anaphors"
    summary = "Anaphors linked to the correct entity: all, zeros, pronouns, names or nominals."
    citation = "Žabokrtský et al. 2022, CRAC shared task on multilingual coreference, CRAC"
    references = ("zabokrtsky-etal-2022-crac",)
    symmetric = False
    counts_singletons = False
    divides_by = frozenset({"kind"})
    shorthands: ClassVar[Mapping[str, str]] = {"zero": "anaphors(kind=zero)"}

    choices = (("kind", ("all", "zero", "pronoun", "name", "nominal")),)

    kind: str = "all"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(needs_kinds=self.kind not in ("all", "zero"))

    def statistics(self, table: MentionTable) -> Statistics:
        return _counted(table, *self._asked(table))

    def by_kind(self, table: MentionTable) -> dict[str, Statistics]:
        ours, theirs = self._asked(table)
        return {
            kind.name.lower(): _counted(
                table, ours & (table.kinds == kind), theirs & (table.kinds == kind)
            )
            for kind in Kind
        }

    def _asked(self, table: MentionTable) -> tuple[BoolArray, BoolArray]:
        """Mark the rows whose key mention, and whose response mention, has the requested kind."""
        if self.kind == "all":
            every = np.ones(len(table.document), bool)
            return every, every
        if self.kind == "zero":
            matching = table.matching
            key, response = matching.places
            ours = np.append(key.zero, False)[matching.key_mention]
            return ours, np.append(response.zero, False)[matching.response_mention]
        asked = table.kinds == Kind[self.kind.upper()]
        return asked, asked


def _counted(table: MentionTable, ours: BoolArray, theirs: BoolArray) -> Statistics:
    key, response = chains_of(table)
    opens = table.shared("first of cells", lambda: _first_of_cells(table, key))
    judged = key.anaphor & ours
    linked = judged & response.anaphor
    counted = {
        "tp": linked & ~opens,
        "wl": linked & opens,
        "fn": judged & ~response.anaphor,
        "fp": response.anaphor & theirs & ~judged,
    }
    return {name: table.per_document(table.document, rows) for name, rows in counted.items()}


def _first_of_cells(table: MentionTable, key: Chains) -> BoolArray:
    """Mark shared rows if no earlier mention of their key entity has their response entity."""
    rows = key.order[table.response_entity[key.order] >= 0]
    cells = table.key_entity[rows] * max(len(table.response), 1) + table.response_entity[rows]
    opens = np.zeros(len(table.document), bool)
    opens[rows[numbered(cells)[0]]] = True
    return opens


# --- ARCS -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Arcs(AnaphorMetric):
    r"""Application-related coreference scores (Tuggener 2014), as version 1.2 computes them.

    Singletons are left out. A mention is *nominal* if it has several words or is a name or a
    nominal. Key entities without a nominal are skipped, and pronouns and zeros with no nominal
    before them in their entity. Every other key mention that is not the first of its entity is fn
    if the response lacks it or has it first. Else, with ``mode``

    ``immediate``
        it is tp if the mention before it in its response entity is the one before it in its key
        entity, else wl. fp: response mentions, not first in their entity, that are in no key entity
        or first in theirs.
    ``inferred``
        its closest earlier nominal in the response entity decides: tp if the key entity holds it,
        else wl; without one it is fn if the key entity has an earlier nominal, else skipped.
        fp, in response entities with a nominal: mentions, not first, that are in no key entity, or
        have an earlier nominal in the response entity and none in the key entity.

    .. math:: R = \frac{tp}{tp + wl + fn}, \quad P = \frac{tp}{tp + wl + fp}

    ``anchor`` counts entities and mentions. The first nominal of a key entity is its anchor. In the
    order of the text, each key entity takes the response entity that holds its anchor (tp, else
    fn); a key entity without a nominal takes the first one that it shares a mention with, and
    neither counts. Response entities that are left are fp. Of the entities taken, mentions are tp
    if both have them, else fn or fp. The score is the harmonic mean of both F1.

    Use it when an application must know who a pronoun refers to: arcs(mode=inferred) requires the
    correct nominal antecedent, arcs(mode=anchor) the correct entity, and arcs the correct preceding
    mention. It needs mention kinds. Entities of pronouns only do not count.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics 'arcs,arcs(mode=inferred)'
    """

    name = "arcs"
    title = "ARCS"
    summary = "Anaphors by antecedent: immediate, inferred nominal, or anchor (Tuggener 2014)."
    citation = (
        "Tuggener 2014, Coreference resolution evaluation for higher level applications, EACL"
    )
    references = ("tuggener-2014-arcs",)
    symmetric = False
    counts_singletons = False
    needs_kinds = True
    perfect_is_one = False

    choices = (("mode", ("immediate", "inferred", "anchor")),)

    mode: str = "immediate"

    def statistics(self, table: MentionTable) -> Statistics:
        return MODES[self.mode](_Sides.of(table))

    def score(self, totals: Mapping[str, FloatArray]) -> Triple:
        if self.mode != "anchor":
            return super().score(totals)
        entities, mentions = (
            f_measure(
                ratio(totals[f"{of}_tp"], totals[f"{of}_tp"] + totals[f"{of}_fp"]),
                ratio(totals[f"{of}_tp"], totals[f"{of}_tp"] + totals[f"{of}_fn"]),
            )
            for of in ("entities", "mentions")
        )
        return Triple(None, None, f_measure(entities, mentions))


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """A table without its singletons, and which of its rows are nominal or pronouns."""

    table: MentionTable
    key: Chains
    response: Chains
    nominal: BoolArray
    pronoun: BoolArray

    @classmethod
    def of(cls, table: MentionTable) -> _Sides:
        key, response = (
            _several(chains, entity, side.size)
            for chains, entity, side in zip(
                chains_of(table),
                (table.key_entity, table.response_entity),
                (table.key, table.response),
                strict=True,
            )
        )
        lengths = table.matching.by_row(*map(_lengths, table.matching.places))
        nominal = (lengths > 1) | np.isin(table.kinds, (Kind.NAME, Kind.NOMINAL))
        pronoun = ~nominal & np.isin(table.kinds, (Kind.PRONOUN, Kind.ZERO))
        return cls(table, key, response, nominal, pronoun)

    @property
    def judged(self) -> BoolArray:
        """Key mentions that are counted as tp, wl or fn."""
        told = _holding(self.table.key_entity, self.nominal, len(self.table.key))
        without = self.pronoun & (self.key.latest(self.nominal) < 0)
        return self.key.anaphor & told[self.table.key_entity] & ~without

    def counted(self, **rows: BoolArray) -> Statistics:
        document = self.table.document
        return {name: self.table.per_document(document, flag) for name, flag in rows.items()}


def _immediate(sides: _Sides) -> Statistics:
    key, response = sides.key, sides.response
    linked = sides.judged & response.anaphor
    right = linked & (key.predecessor == response.predecessor)
    return sides.counted(
        tp=right,
        wl=linked & ~right,
        fn=sides.judged & ~response.anaphor,
        fp=response.anaphor & ~key.anaphor,
    )


def _inferred(sides: _Sides) -> Statistics:
    table, key, response = sides.table, sides.key, sides.response
    linked = sides.judged & response.anaphor
    theirs, ours = response.latest(sides.nominal), key.latest(sides.nominal)
    told = linked & (theirs >= 0)
    same = table.key_entity[theirs] == table.key_entity
    right = told & same & (key.position[theirs] >= 0)
    nominal = _holding(table.response_entity, sides.nominal, len(table.response))
    anaphor = response.anaphor & nominal[table.response_entity]
    return sides.counted(
        tp=right,
        wl=told & ~right,
        fn=sides.judged & (~response.anaphor | ((theirs < 0) & (ours >= 0))),
        fp=anaphor & ((key.position < 0) | ((ours < 0) & (theirs >= 0))),
    )


def _anchored(sides: _Sides) -> Statistics:
    table, key, response = sides.table, sides.key, sides.response
    taken, found = _takes(sides)
    document, entities = table.key.document, np.flatnonzero(found >= 0)
    several = np.zeros(len(table.response), bool)
    several[table.response_entity[response.order]] = True
    counts = {
        "entities_tp": table.per_document(document, found >= 0),
        "entities_fn": table.per_document(document, found == -1),
        "entities_fp": table.per_document(table.response.document, several & ~taken),
    }
    partner = np.append(found, -3)[table.key_entity]
    owner = np.full(len(table.response), -3)
    owner[found[entities]] = entities
    holder = np.append(owner, -3)[table.response_entity]
    ours = (key.position >= 0) & (partner >= 0)
    theirs = (response.position >= 0) & (holder >= 0)
    both = ours & theirs & (partner == table.response_entity)
    return counts | sides.counted(
        mentions_tp=both, mentions_fn=ours & ~both, mentions_fp=theirs & ~both
    )


def _takes(sides: _Sides) -> tuple[BoolArray, IntArray]:
    """Assign response entities to key entities, each at most once.

    Returns a mask of the assigned response entities and, per key entity, the response entity
    assigned to its anchor: -1 if that is missing or already assigned, -2 if it has no anchor. Key
    entities are processed in text order and each assignment restricts the next, hence the loop.
    """
    table, key, response = sides.table, sides.key, sides.response
    held = np.where(response.position >= 0, table.response_entity, -1).tolist()
    place = np.full(len(table.response), len(table.document))
    np.minimum.at(place, table.response_entity[response.order], response.rank[response.order])
    chains: dict[int, list[int]] = defaultdict(list)
    for row in key.order.tolist():
        chains[int(table.key_entity[row])].append(row)
    taken = np.zeros(len(table.response), bool)
    found = np.full(len(table.key), -2)
    for entity, rows in sorted(chains.items(), key=lambda chain: int(key.rank[chain[1][0]])):
        anchor = next((row for row in rows if sides.nominal[row]), None)
        if anchor is None:
            free = {held[row] for row in rows if held[row] >= 0 and not taken[held[row]]}
            wanted = min(free, key=place.__getitem__, default=-1)
        else:
            wanted = held[anchor]
            found[entity] = wanted if wanted >= 0 and not taken[wanted] else -1
        if wanted >= 0:
            taken[wanted] = True
    return taken, found


def _several(chains: Chains, entity: IntArray, size: IntArray) -> Chains:
    """The chains without singletons, whose mentions count as absent."""
    alone = np.append(size == 1, False)[entity]
    position = np.where(alone, -1, chains.position)
    return Chains(position, chains.order[~alone[chains.order]], chains.rank)


def _holding(entity: IntArray, marked: BoolArray, count: int) -> BoolArray:
    """True for each entity with a marked row; the last entry represents "no entity"."""
    held = np.zeros(count + 1, bool)
    held[entity[marked & (entity >= 0)]] = True
    return held


def _lengths(side: Places) -> IntArray:
    """The number of words of each mention of a side."""
    corpus = side.corpus
    if not corpus.has_places and named_spans(corpus.mentions.names) is None:
        return wording_of(corpus).lengths
    return spans_of(side)[0]


MODES = {"immediate": _immediate, "inferred": _inferred, "anchor": _anchored}
