"""Divisions by the size of entities, by how far they spread, and by the distance of mentions.

Recall is divided by the entities of the key, precision by those of the response. Distances are in
tokens from the start of a mention to the start of another, without empty nodes.
"""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import first_words
from corefine.matching.places import require_text
from corefine.metrics.base import Metric, RowLabels
from corefine.metrics.table import EntityColumns, Labels, MentionTable
from corefine.scoring.breakdowns.breakdown import BoundedDivision, by_row
from corefine.scoring.breakdowns.registry import register

FIRST, SCATTERED = "first", "several documents"


class EntityDivision(BoundedDivision):
    """A division by a number that an entity has; CEAFe can be divided so, and CoNLL's average."""

    def can_divide(self, metric: Metric) -> bool:
        return all(part.divides_by_entity for part in metric.needs())


@register
class EntitySize(EntityDivision):
    """By the number of mentions of the entity: ``singleton``, ``short``, ``long``.

    ``size(2,5)``, the usual one, calls entities of 2 to 4 mentions short, and those of 5 and more
    long. Other numbers of bounds, or another first one, name the groups by their sizes.
    """

    name = "size"
    usual = (2, 5)
    least = 1

    def groups(self) -> tuple[str, ...]:
        if len(self.bounds) == 2 and self.bounds[0] == 2:
            return ("singleton", "short", "long")
        return self.ranges()

    def labels(self, table: MentionTable) -> RowLabels:
        def of_rows(side: EntityColumns, entity: IntArray) -> Labels:
            return np.append(self.group(side.size), 0)[entity].astype(np.uint8)

        ours = of_rows(table.key, table.key_entity)
        theirs = of_rows(table.response, table.response_entity)
        return RowLabels(self.groups(), ours, theirs, of_entities=True)


@register
class EntitySpread(EntityDivision):
    """By the tokens between the first and the last mention of the entity.

    An entity that is mentioned in several documents has no spread: these are a group of their own.
    """

    name = "spread"
    needs_text = True
    usual = (100, 1000)

    def groups(self) -> tuple[str, ...]:
        return (*self.ranges(), SCATTERED)

    def labels(self, table: MentionTable) -> RowLabels:
        key, response = table.matched.key, table.matched.response
        require_text(key, response, "scores by spread")
        ours, theirs = by_row(table, self._of_mentions(key), self._of_mentions(response))
        labels = ours.astype(np.uint8), theirs.astype(np.uint8)
        return RowLabels(self.groups(), *labels, of_entities=True)

    def _of_mentions(self, corpus: Corpus) -> IntArray:
        entity, document = corpus.mentions.entity, corpus.mentions.document
        spread = _range(entity, first_words(corpus), len(corpus.entities))
        scattered = _range(entity, document, len(corpus.entities)) > 0
        group: IntArray = np.where(scattered, len(self.bounds) + 1, self.group(spread))
        return np.take(group, entity)


def _range(owner: IntArray, values: IntArray, owners: int) -> IntArray:
    """The greatest minus the least value of each owner."""
    greatest: IntArray = np.zeros(owners, np.int64)
    least: IntArray = np.full(owners, np.iinfo(np.int64).max)
    np.maximum.at(greatest, owner, values)
    np.minimum.at(least, owner, values)
    difference: IntArray = greatest - least
    return difference


@register
class MentionDistance(BoundedDivision):
    """By the tokens from the nearest earlier mention of the same entity in the document.

    Mentions that have none are ``first``. In MUC each mention has the link to what stands before
    it, so ``first`` has links only where entities reach beyond a document.
    """

    name = "distance"
    needs_text = True
    usual = (20, 100, 500)

    def groups(self) -> tuple[str, ...]:
        return (FIRST, *self.ranges())

    def labels(self, table: MentionTable) -> RowLabels:
        key, response = table.matched.key, table.matched.response
        require_text(key, response, "scores by distance")
        (ours, our_order), (theirs, their_order) = map(self._of_mentions, (key, response))
        our_labels, their_labels = by_row(table, ours, theirs)
        return RowLabels(
            self.groups(),
            our_labels.astype(np.uint8),
            their_labels.astype(np.uint8),
            False,
            *by_row(table, our_order, their_order),
        )

    def _of_mentions(self, corpus: Corpus) -> tuple[IntArray, IntArray]:
        """The group of each mention, and its place in the order of the text."""
        mentions, first = corpus.mentions, first_words(corpus)
        count = len(mentions)
        place, group = np.empty(count, np.int64), np.zeros(count, np.int64)
        place[np.lexsort((mentions.stop, mentions.start, mentions.document))] = np.arange(count)
        order = np.lexsort((place, mentions.entity))
        before, after = order[:-1], order[1:]
        follows = (mentions.entity[before] == mentions.entity[after]) & (
            mentions.document[before] == mentions.document[after]
        )
        before, after = before[follows], after[follows]
        group[after] = 1 + self.group(first[after] - first[before])
        return group, place
