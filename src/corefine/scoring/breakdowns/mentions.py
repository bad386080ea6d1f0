"""Breakdowns by mentions: kind, type, size, spread, distance, and for pairs overlap and level.

Recall is broken down by the entities of the key, precision by those of the response. Distances are
in tokens from the start of a mention to the start of another, without empty nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import first_words
from corefine.errors import UsageError
from corefine.matching.places import require_text
from corefine.matching.settings import Settings
from corefine.matching.units import levels_of
from corefine.metrics.base import Metric, RowLabels, Statistics
from corefine.metrics.pairs import PairMetric
from corefine.metrics.table import EntityColumns, Labels, MentionTable
from corefine.scoring.breakdowns.breakdown import (
    BinnedBreakdown,
    Breakdown,
    MentionBreakdown,
    Parts,
    counts_anything,
)

MIXED, UNTYPED = "mixed", "untyped"


class MentionKind(MentionBreakdown):
    """By the kind of the mention (name, nominal, pronoun).

    In MUC each mention except the first of an entity has one link, to the mention before it; in
    PARENT the referring mention of a pair counts; pairs have the kinds of both mentions
    (``name-pronoun``).
    """

    name = "kind"
    needs_kinds = True

    def can_divide(self, metric: Metric) -> bool:
        return all(part.divides_by_kind for part in metric.needs())

    def labels(self, table: MentionTable) -> RowLabels:
        names = tuple(kind.name.lower() for kind in Kind)
        return RowLabels(names, table.kinds, table.kinds)

    def divided(self, metric: Metric, table: MentionTable) -> dict[str, Statistics]:
        return metric.by_kind(table)

    def order(self, groups: Iterable[str]) -> list[str]:
        # Single kinds before pairs of kinds, and unknown kinds last.
        return sorted(groups, key=lambda group: ("-" in group, "unknown" in group))


class SemanticType(Breakdown):
    """By semantic type: each type is scored alone, as in MCORES, for every metric of identity.

    Pairs across types are ``mixed``.
    """

    name = "type"
    needs_kinds = True

    def can_divide(self, metric: Metric) -> bool:
        return all(part.properties.layer == "identity" for part in metric.needs())

    def parts(self, table: MentionTable, metrics: Mapping[str, Metric]) -> Parts:
        types = np.full(len(table.document), -1) if table.type is None else table.type
        parts: Parts = {}
        for number, group in [*enumerate(table.types), (-1, UNTYPED)]:
            rows = types == number
            if rows.any():
                part = table.restricted(rows)
                parts[group] = {name: metric.count(part) for name, metric in metrics.items()}
        mixed = {
            name: _rest(metric.count(table), [part[name] for part in parts.values()])
            for name, metric in metrics.items()
            if isinstance(metric, PairMetric)
        }
        mixed = {name: counts for name, counts in mixed.items() if counts_anything(counts)}
        return parts | ({MIXED: mixed} if mixed else {})

    def order(self, groups: Iterable[str]) -> list[str]:
        return sorted(groups, key=lambda group: (group == MIXED, group == UNTYPED))

    def error_without_groups(self, groups: Sequence[str]) -> UsageError | None:
        if list(groups) != [UNTYPED]:
            return None
        return UsageError(
            "scores by type need semantic types, which neither side has",
            remedy="Give them in a 'type' column: --kinds FILE (kinds=…).",
        )


def _rest(whole: Statistics, parts: Sequence[Statistics]) -> Statistics:
    """The statistics of the whole without those of the parts."""
    return {
        name: column - sum((part[name] for part in parts), np.zeros(len(column)))
        for name, column in whole.items()
    }


class WordOverlap(Breakdown):
    """Pairs by the words of the two mentions: ``exact``, ``partial`` or ``none``."""

    name = "overlap"
    usual_metrics = "pairs"

    def can_divide(self, metric: Metric) -> bool:
        return isinstance(metric, PairMetric)

    def parts(self, table: MentionTable, metrics: Mapping[str, Metric]) -> Parts:
        parts: Parts = {}
        for name, metric in metrics.items():
            if isinstance(metric, PairMetric):
                for group, statistics in metric.by_overlap(table).items():
                    parts.setdefault(group, {})[name] = statistics
        return parts


FIRST, SCATTERED = "first", "several documents"


class EntityBreakdown(BinnedBreakdown, MentionBreakdown):
    """A breakdown by a number of the entity, which CEAFe and the CoNLL score have too."""

    def can_divide(self, metric: Metric) -> bool:
        return all(part.divides_by_entity for part in metric.needs())


class EntitySize(EntityBreakdown):
    """By the number of mentions of the entity: ``singleton``, ``short``, ``long``.

    By default, ``size(2,5)``, entities of 2 to 4 mentions are short and larger ones long. With
    other bounds, the groups are named by their sizes.
    """

    name = "size"
    default_bounds = (2, 5)
    smallest = 1

    def groups(self) -> tuple[str, ...]:
        if len(self.bounds) == 2 and self.bounds[0] == 2:
            return ("singleton", "short", "long")
        return self.bins()

    def labels(self, table: MentionTable) -> RowLabels:
        def of_rows(side: EntityColumns, entity: IntArray) -> Labels:
            return np.append(self.bin_of(side.size), 0)[entity].astype(np.uint8)

        ours = of_rows(table.key, table.key_entity)
        theirs = of_rows(table.response, table.response_entity)
        return RowLabels(self.groups(), ours, theirs, of_entities=True)


class EntitySpread(EntityBreakdown):
    """By the tokens between the first and the last mention of the entity.

    Entities of several documents have no spread and are a group of their own.
    """

    name = "spread"
    needs_text = True
    default_bounds = (100, 1000)

    def groups(self) -> tuple[str, ...]:
        return (*self.bins(), SCATTERED)

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
        group: IntArray = np.where(scattered, len(self.bounds) + 1, self.bin_of(spread))
        return np.take(group, entity)


def _range(owner: IntArray, values: IntArray, owners: int) -> IntArray:
    """The largest minus the smallest value of each owner."""
    greatest: IntArray = np.zeros(owners, np.int64)
    least: IntArray = np.full(owners, np.iinfo(np.int64).max)
    np.maximum.at(greatest, owner, values)
    np.minimum.at(least, owner, values)
    difference: IntArray = greatest - least
    return difference


class MentionDistance(BinnedBreakdown, MentionBreakdown):
    """By the tokens from the nearest earlier mention of the same entity in the document.

    Mentions without one are ``first``. In MUC each mention has the link to the one before it, so
    ``first`` has links only if entities cross documents.
    """

    name = "distance"
    needs_text = True
    default_bounds = (20, 100, 500)

    def groups(self) -> tuple[str, ...]:
        return (FIRST, *self.bins())

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
        """The group of each mention, and its position in text order."""
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
        group[after] = 1 + self.bin_of(first[after] - first[before])
        return group, place


LEVELS = ("document", "subtopic", "topic", "corpus")


class Level(Breakdown):
    """Pairs by the smallest unit that contains both mentions (ECB+; Cattan et al. 2021).

    ``document``: one document; ``subtopic``: two documents of one subtopic; ``topic``: two
    subtopics of one topic; ``corpus``: two topics. Where documents have no subtopics, links across
    the documents of a topic are at the level ``topic``.
    """

    name = "level"
    usual_metrics = "pairs.coreferent"

    def can_divide(self, metric: Metric) -> bool:
        return isinstance(metric, PairMetric)

    def refusal(self, settings: Settings) -> UsageError | None:
        if settings.scope != "document":
            return None
        return UsageError(
            "scores by level need entities across documents",
            remedy="Use --scope topic or --scope corpus.",
        )

    def parts(self, table: MentionTable, metrics: Mapping[str, Metric]) -> Parts:
        assert table.origin is not None
        levels = levels_of(table.matched.key)
        units = {
            "document": table.origin,
            "subtopic": levels.subtopic[table.origin],
            "topic": levels.topic[table.origin],
            "corpus": np.zeros_like(table.origin),
        }
        parts: Parts = {}
        for name, metric in metrics.items():
            if isinstance(metric, PairMetric):
                for level, statistics in metric.by_unit(table, units).items():
                    if counts_anything(statistics):
                        parts.setdefault(level, {})[name] = statistics
        return parts

    def order(self, groups: Iterable[str]) -> list[str]:
        present = set(groups)
        return [level for level in LEVELS if level in present]


def by_row(table: MentionTable, key: IntArray, response: IntArray) -> tuple[IntArray, IntArray]:
    """Values of the mentions of both corpora by row; 0 for rows that are not on a side."""
    if table.matched is None:
        raise ValueError("this table does not know its mentions")
    ours, theirs = table.matched.key_mention, table.matched.response_mention
    return np.append(key, 0)[ours], np.append(response, 0)[theirs]


BREAKDOWNS: tuple[type[Breakdown], ...] = (
    MentionKind,
    SemanticType,
    WordOverlap,
    EntitySize,
    EntitySpread,
    MentionDistance,
    Level,
)
