"""Annotation other than identity: bridging anaphors, and expressions that refer to nothing.

A bridging anaphor leads to another entity ("the house … the door"), its antecedent. All bridging
metrics count pairs of an anaphor and its antecedent. Spans must be equal, whatever mentions of
entities are matched by.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from corefine.matching.places import Places
from corefine.metrics.base import RatioMetric, Statistics
from corefine.metrics.classic import MentionDetection
from corefine.metrics.split_antecedents import with_joined_sets
from corefine.metrics.table import MentionTable

Span = tuple[int, int]


class BridgingLink(NamedTuple):
    """A bridging anaphor and its antecedent, which is None if it is unknown."""

    anaphor: Span
    antecedent: Span | None


class Links(NamedTuple):
    """The links of both sides by document, and the key's entity of each span."""

    key: list[set[BridgingLink]]
    response: list[set[BridgingLink]]
    entity: list[dict[Span, int]]


def links_of(table: MentionTable) -> Links:
    """The bridging links of a table's two sides."""

    def compute() -> Links:
        key, response = table.matching.places
        entity: list[dict[Span, int]] = [{} for _ in key.corpus.documents]
        # The first rows of a table are the mentions of the key, in order.
        documents = key.corpus.mentions.document.tolist()
        entities = table.key_entity[: len(documents)].tolist()
        for document, span, one in zip(documents, _spans(key), entities, strict=True):
            entity[document].setdefault(span, one)
        return Links(_side(key), _side(response), entity)

    return table.shared("bridging links", compute)


def _spans(side: Places) -> Iterator[Span]:
    """The first and the last place of each mention."""
    return zip(side.first.tolist(), side.last.tolist(), strict=True)


def _side(side: Places) -> list[set[BridgingLink]]:
    """The links of a side, by document; links with an unknown anaphor are ignored."""
    corpus = side.corpus
    links: list[set[BridgingLink]] = [set() for _ in corpus.documents]
    spans = _spans_by_name(side)

    def placed(document: int, span: Span | None) -> Span | None:
        if span is None:
            return None
        first, last = side.at(np.array(document), np.array((span[0], span[1] - 1))).tolist()
        return first, last

    for relation in corpus.relations:
        if relation.kind != "bridge":
            continue
        document = relation.document
        named = spans[document, relation.source]
        anaphor = placed(document, relation.anaphor) or min(named, default=None)
        if anaphor is None:
            continue
        antecedent = placed(document, relation.antecedent)
        if antecedent is None:
            # The source names an entity only: its closest mention before the anaphor is meant.
            named = spans[document, relation.target]
            before = [span for span in named if span < anaphor]
            antecedent = max(before) if before else min(named, default=None)
        links[document].add(BridgingLink(anaphor, antecedent))
    return links


def _spans_by_name(side: Places) -> dict[tuple[int, str], list[Span]]:
    """The spans of the mentions of each entity, by its document and name."""
    mentions, names = side.corpus.mentions, side.corpus.entities.names
    spans: dict[tuple[int, str], list[Span]] = defaultdict(list)
    if names is not None:
        columns = _spans(side), mentions.document.tolist(), mentions.entity.tolist()
        for span, document, entity in zip(*columns, strict=True):
            spans[document, names[entity]].append(span)
    return spans


@dataclass(frozen=True)
class BridgingMetric(RatioMetric):
    """Pairs of anaphor and antecedent that the other side has, by one way to compare them."""

    citation = "Yu et al. 2022, The Universal Anaphora Scorer, LREC"
    references = ("yu-etal-2022-ua",)
    perfect_is_one = False
    needs_text = True

    layer: str = field(default="bridging", kw_only=True)

    @abstractmethod
    def found(self, link: BridgingLink, others: set[BridgingLink], entity: dict[Span, int]) -> bool:
        """True if the other side has the link."""

    def statistics_with_sets(self, table: MentionTable, only: bool) -> Statistics:
        return self.statistics(table.shared("joined sets", lambda: with_joined_sets(table)))

    def statistics(self, table: MentionTable) -> Statistics:
        links = links_of(table)
        counts = np.zeros((len(links.entity), 4))
        for row, (key, response, entity) in enumerate(zip(*links, strict=True)):
            in_key = sum(self.found(link, key, entity) for link in response)
            in_response = sum(self.found(link, response, entity) for link in key)
            counts[row] = in_key, len(response), in_response, len(key)
        grouping = table.matching.grouping
        owner = np.arange(len(counts)) if grouping is None else grouping.of_document
        return {
            name: table.per_document(owner, column)
            for name, column in zip(self.statistic_names, counts.T, strict=True)
        }


class BridgingRecognition(BridgingMetric):
    """Bridging anaphors that are anaphors on the other side too, whatever their antecedents.

    Use it to evaluate the detection of bridging anaphors. A span counts if it is a bridging anaphor
    on both sides. Antecedents are ignored.

    .. code-block:: console

        $ corefine score key.ua response.ua --metrics bridging.recognition
    """

    name = "bridging.recognition"
    title = "Bridging recognition"
    summary = "Bridging anaphors recognised."

    def found(self, link: BridgingLink, others: set[BridgingLink], entity: dict[Span, int]) -> bool:
        return any(link.anaphor == other.anaphor for other in others)


class BridgingMention(BridgingMetric):
    """Bridging anaphors with the same antecedent mention on both sides.

    Use it to compare with work that resolves bridging to mentions. It requires the same anaphor
    with the same antecedent. Another mention of the correct entity is an error.

    .. code-block:: console

        $ corefine score key.ua response.ua --metrics bridging.mention
    """

    name = "bridging.mention"
    title = "Bridging, mentions"
    summary = "Bridging anaphors with the correct antecedent mention."

    def found(self, link: BridgingLink, others: set[BridgingLink], entity: dict[Span, int]) -> bool:
        return link in others


class BridgingEntity(BridgingMetric):
    """Bridging anaphors whose antecedents are the same mention, or of the same key entity.

    Use it to evaluate bridging resolution. It requires the same anaphor with an antecedent from the
    correct entity. Any mention of that entity will do.

    .. code-block:: console

        $ corefine score key.ua response.ua --metrics bridging.entity
    """

    name = "bridging.entity"
    title = "Bridging, entities"
    summary = "Bridging anaphors with an antecedent from the correct entity."

    def found(self, link: BridgingLink, others: set[BridgingLink], entity: dict[Span, int]) -> bool:
        if link in others:
            return True
        own = None if link.antecedent is None else entity.get(link.antecedent)
        return own is not None and any(
            link.anaphor == other.anaphor
            and other.antecedent is not None
            and entity.get(other.antecedent) == own
            for other in others
        )


@dataclass(frozen=True)
class NonReferring(MentionDetection):
    """Expressions that refer to nothing, as spans that both sides have.

    Use it when key and response annotate non-referring expressions, such as expletives and
    predicates. Spans must be equal. Non-referring expressions belong to no entity and do not affect
    other metrics.

    .. code-block:: console

        $ corefine score key.ua response.ua --metrics nonreferring
    """

    name = "nonreferring"
    title = "Non-referring"
    summary = "Spans of non-referring expressions."
    citation = "Yu et al. 2022, The Universal Anaphora Scorer, LREC"
    references = ("yu-etal-2022-ua",)
    aliases = ("non-referring",)
    perfect_is_one = False
    needs_text = True
    divides_by = frozenset()

    layer: str = field(default="nonreferring", kw_only=True)
