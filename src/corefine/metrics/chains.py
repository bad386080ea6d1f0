"""Chains: the mentions of each entity in the order of the text, for metrics of anaphors.

Each side is ordered by its own text: key and response may have different empty nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.words import named_spans
from corefine.matching.places import Places
from corefine.metrics.table import MentionTable


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """One side of a table: the position of each row in its entity, and the rows before it."""

    position: IntArray
    """By row: position in its entity, 0 for the first mention, -1 if this side lacks the row."""
    order: IntArray
    """The rows that this side has, by entity and then by position."""

    @property
    def anaphor(self) -> BoolArray:
        """True for each row that this side has and that is not the first of its entity."""
        later: BoolArray = self.position > 0
        return later

    @property
    def predecessor(self) -> IntArray:
        """By row: the row before it in its entity; -1 for first mentions and absent ones."""
        before = np.full(len(self.position), -1)
        before[self.order[1:]] = self.order[:-1]
        return np.where(self.anaphor, before, -1)

    def latest(self, marked: BoolArray) -> IntArray:
        """By row: the closest earlier marked row of its entity, or -1."""
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
    return table.shared("chains", lambda: _both(table))


def zeros_of(table: MentionTable) -> tuple[BoolArray, BoolArray]:
    """By row, whether the mention of the key, and that of the response, is a zero."""
    matched = table.matched
    sides = Places.of(matched.key, matched.response)
    mentions = (matched.key_mention, matched.response_mention)
    ours, theirs = (
        _by_row(side.zero, mention) for side, mention in zip(sides, mentions, strict=True)
    )
    return ours, theirs


def spans_of(side: Places) -> tuple[IntArray, IntArray, IntArray]:
    """Of each mention of a side how many words it has, its last and its first place."""
    mentions = side.corpus.mentions
    spans = named_spans(mentions.names)
    if spans is not None:
        return spans[:, 1] - spans[:, 0] + 1, spans[:, 1], spans[:, 0]
    owner, _ = side.words(np.arange(len(mentions)))
    return np.bincount(owner, minlength=len(mentions)), side.last, side.first


def _by_row(flag: BoolArray, mention: IntArray) -> BoolArray:
    return np.append(flag, False)[mention]


def _both(table: MentionTable) -> tuple[Chains, Chains]:
    matched = table.matched
    key, response = Places.of(matched.key, matched.response)
    return (
        _chains(key, table.key_entity, matched.key_mention),
        _chains(response, table.response_entity, matched.response_mention),
    )


def _chains(side: Places, entity: IntArray, mention: IntArray) -> Chains:
    rows = np.flatnonzero(entity >= 0)
    own = mention[rows]
    places = (column[own] for column in (*spans_of(side), side.corpus.mentions.document))
    order = rows[np.lexsort((own, *places, entity[rows]))]
    rank = np.arange(len(order))
    opens = np.ones(len(order), bool)
    opens[1:] = entity[order[1:]] != entity[order[:-1]]
    position = np.full(len(entity), -1)
    position[order] = rank - np.maximum.accumulate(np.where(opens, rank, 0))
    return Chains(position, order)
