"""ARCS: are anaphors linked to antecedents that identify their entity?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import Spans, named_spans, wording_of
from corefine.errors import choose
from corefine.metrics.anaphors import AnaphorMetric, Chains, chains_of
from corefine.metrics.base import Statistics, Triple, f_measure, ratio
from corefine.metrics.table import MentionTable, by_row

TUGGENER = """\
@inproceedings{tuggener-2014-arcs,
  author = {Tuggener, Don},
  title = {Coreference Resolution Evaluation for Higher Level Applications},
  booktitle = {Proceedings of the 14th Conference of the European Chapter of the Association \
for Computational Linguistics},
  year = {2014},
}"""


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
    references = (TUGGENER,)
    symmetric = False
    counts_singletons = False
    needs_kinds = True
    perfect_is_one = False

    accepts = (("mode", ("immediate", "inferred", "anchor")),)

    mode: str = "immediate"

    def __post_init__(self) -> None:
        choose("mode", self.mode, tuple(MODES))

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
        nominal = (_lengths(table) > 1) | np.isin(table.kinds, (Kind.NAME, Kind.NOMINAL))
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
    same = np.append(table.key_entity, -2)[theirs] == table.key_entity
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


def _lengths(table: MentionTable) -> IntArray:
    """Number of words per row: in the key or, if the key lacks the mention, in the response."""
    matching = table.matching
    return by_row(matching, _words(matching.key), _words(matching.response))


def _words(corpus: Corpus) -> IntArray:
    spans = named_spans(corpus.mentions.names)
    if spans is not None:
        return spans[:, 1] - spans[:, 0] + 1
    if corpus.has_places:
        return Spans.behind(corpus.mentions, np.zeros(len(corpus.mentions), np.int64)).lengths
    return wording_of(corpus).lengths


MODES = {"immediate": _immediate, "inferred": _inferred, "anchor": _anchored}
