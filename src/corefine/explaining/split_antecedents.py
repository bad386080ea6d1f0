"""Split antecedents of key and response side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.metrics.bcubed import BCubed
from corefine.metrics.split_antecedents import AntecedentSet, SetPairs, score_sets, set_pairs
from corefine.metrics.table import EntityColumns, MentionTable
from corefine.output.result import plain_values


@dataclass(frozen=True, slots=True)
class SplitAntecedent:
    """A set of the key, the set of the response that it is aligned with, and how alike they are.

    Sets are aligned, and their elements compared, by B³.
    """

    document: str
    answer: str
    """``right``, ``partial``, ``missing`` (in the response) or ``extra`` (not in the key)."""
    anaphor: str
    """The first mention of the entity that is made of the others."""
    key: tuple[str, ...] = ()
    """The first mention of each element; none where the side has no such set."""
    response: tuple[str, ...] = ()
    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """The row as plain values."""
        return plain_values(self)


def split_antecedents(table: MentionTable) -> tuple[SplitAntecedent, ...]:
    """All sets of both sides, by document, in the order of the key, then those it lacks.

    Windows have none: the entities that sets are made of are cut there.
    """
    sets = set_pairs(table) if table.matching.windows is None else None
    if sets is None:
        return ()
    rows = sorted(_rows(table, sets), key=lambda row: row[0])
    return tuple(row for _, row in rows)


def _rows(table: MentionTable, sets: SetPairs) -> Iterator[tuple[int, SplitAntecedent]]:
    """The number of a document and a set of it, for each set."""
    (scores,) = score_sets(BCubed(), sets).values()
    aligned = {sets.pairs[place][0]: place for place in scores.aligned.tolist()}
    found = {sets.pairs[place][1] for place in aligned.values()}
    ours = _texts(table.matching.key, table.key)
    theirs = _texts(table.matching.response, table.response)
    for number, one in enumerate(sets.key.sets):
        document, anaphor, elements = table.documents[one.document], ours[one.owner], _of(ours, one)
        if number in aligned:
            place = aligned[number]
            other = _of(theirs, sets.response.sets[sets.pairs[place][1]])
            columns = (scores.precision, scores.recall, scores.f1)
            values = [float(column[place]) for column in columns]
            answer = "right" if values[2] == 1 else "partial"
            row = SplitAntecedent(document, answer, anaphor, elements, other, *values)
        else:
            row = SplitAntecedent(document, "missing", anaphor, elements)
        yield one.document, row
    for number, one in enumerate(sets.response.sets):
        if number not in found:
            document, anaphor = table.documents[one.document], theirs[one.owner]
            yield (
                one.document,
                SplitAntecedent(document, "extra", anaphor, response=_of(theirs, one)),
            )


def _of(texts: list[str], one: AntecedentSet) -> tuple[str, ...]:
    return tuple(texts[element] for element in one.elements)


def _texts(corpus: Corpus, side: EntityColumns) -> list[str]:
    """The words of the first mention of each entity."""
    first = np.full(len(corpus.entities), -1)
    entity = corpus.mentions.entity
    first[entity[::-1]] = np.arange(len(entity))[::-1]
    return [corpus.text_of(int(first[source])) for source in side.source.tolist()]
