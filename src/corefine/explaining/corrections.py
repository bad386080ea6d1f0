"""Corrections: the response with some types of errors corrected, as a table to be scored.

Every mention of either side has its place in one pool, from which each corrected response takes
what it has. So a corrected response is a corpus like any other, and is counted as one by every
metric, whatever it looks at.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Entities
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions, take_mentions
from corefine.explaining.diagnosis import Diagnosis, ErrorType
from corefine.matching.matched import Matched
from corefine.matching.twinless import add_singletons
from corefine.metrics.table import MentionTable


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """All mentions of a table, for responses that have some of them in other entities."""

    matched: Matched
    corpus: Corpus
    """The response with all mentions that only the key has."""
    mention: IntArray
    """By row of the table: its mention in the pool."""

    @classmethod
    def of(cls, table: MentionTable) -> Pool:
        """Put the mentions that only the key has beside those of the response."""
        matched = table.matched
        assert matched is not None, "corrections need matched corpora"
        missed = np.flatnonzero(matched.response_mention < 0)
        wanted = np.zeros(len(matched.key.mentions), bool)
        wanted[matched.key_mention[missed]] = True
        corpus, place = add_singletons(matched.response, keep_mentions(matched.key, wanted))
        added = np.cumsum(wanted) - 1
        number = matched.response_mention.copy()
        number[missed] = len(matched.response.mentions) + added[matched.key_mention[missed]]
        return cls(matched, corpus, place[number])

    def table(self, labels: IntArray, *, keep_singletons: bool = True) -> MentionTable:
        """The table of the key and of the response in which rows with the same label are one
        entity, and rows labelled -1 are not."""
        entity = np.full(len(labels), -1)
        _, inverse, size = np.unique(labels[labels >= 0], return_inverse=True, return_counts=True)
        entity[labels >= 0] = inverse.reshape(-1)
        if not keep_singletons:
            several = size > 1
            entity = np.append(np.where(several, np.cumsum(several) - 1, -1), -1)[entity]
        # The mentions of a corpus are ordered by document, and so are those of the pool.
        present = np.full(len(self.corpus.mentions), -1)
        present[self.mention[entity >= 0]] = np.flatnonzero(entity >= 0)
        present = present[present >= 0]
        mentions = take_mentions(self.corpus.mentions, self.mention[present])
        entity = entity[present]
        first_document = np.empty(int(entity.max(initial=-1)) + 1, np.int64)
        first_document[entity[::-1]] = mentions.document[::-1]
        response = replace(
            self.corpus,
            entities=Entities(first_document),
            mentions=replace(mentions, entity=entity),
        )
        response_mention = np.full(len(labels), -1)
        response_mention[present] = np.arange(len(present))
        kept = (self.matched.key_mention >= 0) | (response_mention >= 0)
        return MentionTable.of(
            replace(
                self.matched,
                response=response,
                key_mention=self.matched.key_mention[kept],
                response_mention=response_mention[kept],
            )
        )


@dataclass(frozen=True, slots=True, eq=False)
class Corrections:
    """What a diagnosis says is wrong, corrected type by type."""

    diagnosis: Diagnosis
    pool: Pool
    keep_singletons: bool = True
    """Whether entities that a correction leaves with one mention stay."""

    @classmethod
    def of(cls, diagnosis: Diagnosis, *, keep_singletons: bool = True) -> Corrections:
        return cls(diagnosis, Pool.of(diagnosis.table), keep_singletons)

    def table(self, types: Collection[ErrorType]) -> MentionTable:
        """The table of the key and the response in which these types are corrected."""
        if not types:
            return self.diagnosis.table
        labels = self.diagnosis.corrected_labels(types)
        return self.pool.table(labels, keep_singletons=self.keep_singletons)
