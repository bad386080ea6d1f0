"""Bridging: anaphors that lead to another entity ("the house … the door"), and their antecedents.

All three metrics count pairs of an anaphor and its antecedent. Spans must be equal, whatever
mentions of entities are matched by.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.metrics.base import Properties, RatioMetric, Statistics
from corefine.metrics.registry import register
from corefine.metrics.split_antecedents import set_pairs
from corefine.metrics.table import MentionTable

Span = tuple[int, int]
UA_SCORER = """\
@inproceedings{yu-etal-2022-ua,
  author = {Yu, Juntao and others},
  title = {The {U}niversal {A}naphora Scorer},
  booktitle = {Proceedings of the Thirteenth Language Resources and Evaluation Conference},
  year = {2022},
}"""
_NODES = 1 << 20
"""Upper bound for the number of empty nodes that follow one word."""


class Link(NamedTuple):
    """A bridging anaphor and its antecedent, which is None if it is unknown."""

    anaphor: Span
    antecedent: Span | None


@dataclass(frozen=True, slots=True)
class Links:
    """The links of both sides by document, and the key's entity of each span."""

    key: list[set[Link]]
    response: list[set[Link]]
    entity: list[dict[Span, int]]


def links_of(table: MentionTable) -> Links:
    """The bridging links of a table's two sides."""
    return table.shared("bridging links", lambda: _links_of(table))


def _links_of(table: MentionTable) -> Links:
    matched = table.matched
    count = len(matched.key.documents)
    entity: list[dict[Span, int]] = [{} for _ in range(count)]
    asked = {
        relation.document
        for corpus in (matched.key, matched.response)
        for relation in corpus.relations
        if relation.kind == "bridge"
    }
    mentions, place = matched.key.mentions, _places(matched.key)
    for row in np.flatnonzero(np.isin(mentions.document, list(asked))).tolist():
        document = int(mentions.document[row])
        span = place(document, (int(mentions.start[row]), int(mentions.stop[row])))
        entity[document].setdefault(span, int(mentions.entity[row]))
    joined = _joined_by_sets(table)
    if joined:
        entity = [{span: joined.get(one, one) for span, one in spans.items()} for spans in entity]
    return Links(_side(matched.key, count), _side(matched.response, count), entity)


def _joined_by_sets(table: MentionTable) -> dict[int, int]:
    """Key entities that are merged into another one if split antecedents are scored."""
    sets = set_pairs(table) if table.split_antecedents != "ignore" else None
    source = table.key.source
    joined = {} if sets is None else sets.key.joined
    return {int(source[one]): int(source[other]) for one, other in joined.items()}


def _side(corpus: Corpus, count: int) -> list[set[Link]]:
    """The links of a corpus, by document; links with an unknown anaphor are ignored."""
    links: list[set[Link]] = [set() for _ in range(count)]
    relations = [relation for relation in corpus.relations if relation.kind == "bridge"]
    if not relations:
        return links
    place = _places(corpus)
    spans = _spans_by_name(corpus, {relation.document for relation in relations})
    for relation in relations:
        document = relation.document
        anaphor = relation.anaphor or min(spans.get((document, relation.source), ()), default=None)
        if anaphor is None:
            continue
        antecedent = relation.antecedent
        if antecedent is None:
            # The source names an entity only: its closest mention before the anaphor is meant.
            named = spans.get((document, relation.target), [])
            before = [span for span in named if span < anaphor]
            antecedent = max(before) if before else min(named, default=None)
        links[document].add(
            Link(
                place(document, anaphor),
                None if antecedent is None else place(document, antecedent),
            )
        )
    return links


def _spans_by_name(corpus: Corpus, documents: set[int]) -> dict[tuple[int, str], list[Span]]:
    """The spans of the mentions of each entity of these documents, by its name."""
    names = corpus.entities.names
    spans: dict[tuple[int, str], list[Span]] = defaultdict(list)
    if names is None:
        return spans
    mentions = corpus.mentions
    for row in np.flatnonzero(np.isin(mentions.document, list(documents))).tolist():
        name = names[int(mentions.entity[row])]
        span = int(mentions.start[row]), int(mentions.stop[row])
        spans[int(mentions.document[row]), name].append(span)
    return spans


def _places(corpus: Corpus) -> Callable[[int, Span], Span]:
    """Return a function that maps spans to word positions, which empty nodes do not shift."""
    tokens = corpus.tokens
    if tokens is None or tokens.empty is None or not tokens.has_empty:
        return lambda document, span: (span[0] * _NODES, (span[1] - 1) * _NODES)
    words: IntArray = np.cumsum(~tokens.empty) - 1
    last_word = np.maximum.accumulate(np.where(~tokens.empty, np.arange(len(words)), -1))
    codes = words * _NODES + np.where(tokens.empty, np.arange(len(words)) - last_word, 0)
    first = np.append(words, 0)[tokens.offsets[:-1]] * _NODES
    offsets = tokens.offsets

    def place(document: int, span: Span) -> Span:
        base = int(offsets[document])
        start, last = int(codes[base + span[0]]), int(codes[base + span[1] - 1])
        return start - int(first[document]), last - int(first[document])

    return place


class BridgingMetric(RatioMetric):
    """Pairs of anaphor and antecedent that the other side has, by one way to compare them."""

    citation = "Yu et al. 2022, The Universal Anaphora Scorer, LREC"
    references = (UA_SCORER,)
    properties = Properties(layer="bridging", identity=False)

    @abstractmethod
    def found(self, link: Link, others: set[Link], entity: dict[Span, int]) -> bool:
        """True if a link is among those of the other side."""

    @property
    def needs_text(self) -> bool:
        return True

    def statistics(self, table: MentionTable) -> Statistics:
        links = links_of(table)
        counts = np.array(
            [
                (
                    sum(self.found(link, key, entity) for link in response),
                    len(response),
                    sum(self.found(link, response, entity) for link in key),
                    len(key),
                )
                for key, response, entity in zip(
                    links.key, links.response, links.entity, strict=True
                )
            ],
            np.float64,
        ).reshape(-1, 4)
        grouping = table.matched.grouping
        if grouping is not None:
            grouped = np.zeros((len(grouping.names), 4))
            np.add.at(grouped, grouping.of_document, counts)
            counts = grouped
        return dict(zip(self.statistic_names, counts.T, strict=True))


@register
class BridgingRecognition(BridgingMetric):
    """Bridging anaphors that are anaphors on the other side too, whatever their antecedents."""

    name = "bridging.recognition"
    title = "Bridging recognition"
    summary = "Bridging anaphors recognised."
    use = (
        "Use it to evaluate the detection of bridging anaphors. A span counts if it is a "
        "bridging anaphor on both sides. Antecedents are ignored."
    )
    example = "corefine score key.ua response.ua --metrics bridging.recognition"

    def found(self, link: Link, others: set[Link], entity: dict[Span, int]) -> bool:
        return any(link.anaphor == other.anaphor for other in others)


@register
class BridgingMention(BridgingMetric):
    """Bridging anaphors with the same antecedent mention on both sides."""

    name = "bridging.mention"
    title = "Bridging, mentions"
    summary = "Bridging anaphors with the correct antecedent mention."
    use = (
        "Use it to compare with work that resolves bridging to mentions. It requires the same "
        "anaphor with the same antecedent. Another mention of the correct entity is an error."
    )
    example = "corefine score key.ua response.ua --metrics bridging.mention"

    def found(self, link: Link, others: set[Link], entity: dict[Span, int]) -> bool:
        return link in others


@register
class BridgingEntity(BridgingMetric):
    """Bridging anaphors whose antecedents are the same mention, or of the same key entity."""

    name = "bridging.entity"
    title = "Bridging, entities"
    summary = "Bridging anaphors with an antecedent from the correct entity."
    use = (
        "Use it to evaluate bridging resolution. It requires the same anaphor with an "
        "antecedent from the correct entity. Any mention of that entity will do."
    )
    example = "corefine score key.ua response.ua --metrics bridging.entity"

    def found(self, link: Link, others: set[Link], entity: dict[Span, int]) -> bool:
        if link in others:
            return True
        own = None if link.antecedent is None else entity.get(link.antecedent)
        return own is not None and any(
            link.anaphor == other.anaphor
            and other.antecedent is not None
            and entity.get(other.antecedent) == own
            for other in others
        )
