"""Units: the mentions of several annotations of the same text, each one once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from corefine.comparing.annotators.krippendorff import Units
from corefine.corpus.arrays import IntArray
from corefine.errors import UsageError
from corefine.metrics.table import MentionTable

Pair = tuple[int, int]


def joint_units(tables: Mapping[Pair, MentionTable]) -> tuple[Units, IntArray]:
    """The units of all annotators, from the tables of every two of them, by their numbers.

    Also gives the mention of each annotator that each unit is, as a column of units × annotators
    with -1 for none. Mentions that match are one unit. If inexact matching would make one unit of
    two mentions of the same annotator, this is an error.
    """
    annotators = 1 + max(other for _, other in tables)
    columns = [_columns(tables, number) for number in range(annotators)]
    count = len(columns[0][0])
    unit_of = [np.arange(count)]
    for number in range(1, annotators):
        found = np.full(len(columns[number][0]), -1)
        for before in range(number):
            ours, theirs = _matched(tables[before, number])
            units = unit_of[before][ours]
            _require_one(bool(((found[theirs] >= 0) & (found[theirs] != units)).any()))
            found[theirs] = units
        known = found[found >= 0]
        _require_one(len(np.unique(known)) < len(known))
        new = np.flatnonzero(found < 0)
        found[new] = count + np.arange(len(new))
        count += len(new)
        unit_of.append(found)

    mention = np.full((count, annotators), -1)
    entity = np.full((count, annotators), -1)
    document = np.zeros(count, np.int64)
    for number, (units, (owners, documents)) in enumerate(zip(unit_of, columns, strict=True)):
        mention[units, number] = np.arange(len(units))
        entity[units, number] = owners
        document[units] = documents
    return Units(document, entity), mention


def _matched(table: MentionTable) -> tuple[IntArray, IntArray]:
    """The mentions that both sides have: their numbers on the one and on the other."""
    ours, theirs = table.matched.key_mention, table.matched.response_mention
    both = (ours >= 0) & (theirs >= 0)
    return ours[both], theirs[both]


def _columns(tables: Mapping[Pair, MentionTable], number: int) -> tuple[IntArray, IntArray]:
    """The entity and the document of every mention of an annotator."""
    table = tables[0, max(number, 1)]
    mentions, entities = (
        (table.matched.key_mention, table.key_entity)
        if number == 0
        else (table.matched.response_mention, table.response_entity)
    )
    rows = np.flatnonzero(mentions >= 0)
    owner = np.empty(len(rows), np.int64)
    document = np.empty(len(rows), np.int64)
    owner[mentions[rows]] = entities[rows]
    document[mentions[rows]] = table.document[rows]
    return owner, document


def _require_one(ambiguous: bool) -> None:
    if ambiguous:
        raise UsageError(
            "two annotations match the mentions of a third inconsistently, so identical "
            "mentions cannot be determined",
            remedy="Use --match exact and --zeros linear (match='exact', zeros='linear').",
        )
