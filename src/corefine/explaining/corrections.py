"""Corrections: the response with some types of errors corrected, as a table to be scored.

Every mention of either side has its place in one pool, from which each corrected response takes
what it has. So a corrected response is a corpus like any other, and is counted as one by every
metric, whatever it looks at.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from corefine.columns import IntArray
from corefine.corpus import Corpus, Entities
from corefine.explaining.diagnosis import Diagnosis, ErrorType
from corefine.matching import Matched
from corefine.rearranging import add_singletons, keep_mentions, take_mentions
from corefine.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Corrections:
    """The pool of mentions of one diagnosis."""

    diagnosis: Diagnosis
    pool: Corpus
    """The response with all mentions that only the key has."""
    mention: IntArray
    """By row of the table: its mention in the pool."""
    keep_singletons: bool = True
    """Whether entities that a correction leaves with one mention stay."""

    @classmethod
    def of(cls, diagnosis: Diagnosis, *, keep_singletons: bool = True) -> Corrections:
        """Put the mentions that only the key has beside those of the response."""
        matched = _matched(diagnosis.table)
        missed = np.flatnonzero(matched.response_mention < 0)
        wanted = np.zeros(len(matched.key.mentions), bool)
        wanted[matched.key_mention[missed]] = True
        pool, place = add_singletons(matched.response, keep_mentions(matched.key, wanted))
        number = matched.response_mention.copy()
        number[missed] = (
            len(matched.response.mentions) + np.cumsum(wanted)[matched.key_mention[missed]] - 1
        )
        return cls(diagnosis, pool, place[number], keep_singletons)

    def table(self, types: Collection[ErrorType]) -> Table:
        """The table of the key and the response in which these types are corrected."""
        if not types:
            return self.diagnosis.table
        matched = _matched(self.diagnosis.table)
        labels = self.diagnosis.corrected_labels(types)
        entity = np.full(len(labels), -1)
        _, inverse, size = np.unique(labels[labels >= 0], return_inverse=True, return_counts=True)
        entity[labels >= 0] = inverse.reshape(-1)
        if not self.keep_singletons:
            several = size > 1
            entity = np.append(np.where(several, np.cumsum(several) - 1, -1), -1)[entity]
        present = np.flatnonzero(entity >= 0)
        # The mentions of a corpus are ordered by document, and so are those of the pool.
        present = present[np.argsort(self.mention[present])]
        mentions = take_mentions(self.pool.mentions, self.mention[present])
        first = np.unique(entity[present], return_index=True)[1]
        response = replace(
            self.pool,
            entities=Entities(mentions.document[first]),
            mentions=replace(mentions, entity=entity[present]),
        )
        response_mention = np.full(len(labels), -1)
        response_mention[present] = np.arange(len(present))
        kept = (matched.key_mention >= 0) | (response_mention >= 0)
        return Table.of(
            replace(
                matched,
                response=response,
                key_mention=matched.key_mention[kept],
                response_mention=response_mention[kept],
            )
        )


def _matched(table: Table) -> Matched:
    assert table.matched is not None, "corrections are made in matched corpora"
    return table.matched
