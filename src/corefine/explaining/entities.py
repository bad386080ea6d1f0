"""Entities: how each key entity fared, by every metric, by category and by information kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Unpack, overload

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.errors import choose
from corefine.explaining.categories import CATEGORIES, Conditions, Overlap
from corefine.explaining.kept_words import kept_shares
from corefine.explaining.members import Members, entity_labels
from corefine.explaining.naming import naming_mentions
from corefine.explaining.pairing import Pairs, competition_ranks, pair_metrics
from corefine.explaining.phrases import Phrases
from corefine.kinds.kind_plan import KindSpec
from corefine.kinds.part_of_speech import LAYERS
from corefine.matching.matched import Matched
from corefine.metrics.base import ratio
from corefine.metrics.information import InformationWeight, new_words, weights_of
from corefine.metrics.table import MentionTable
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.scoring.request import Request, RequestOptions
from corefine.scoring.score import tabulate_sides
from corefine.scoring.scores import Score
from corefine.scoring.sides import SideLike

SHOWN = 20
"""How many entities are shown where none was asked for."""


@dataclass(frozen=True, slots=True)
class Entity:
    """One key entity. Entities and mentions are indices of the matched corpora."""

    number: int
    """Its place among the key entities of the table."""
    document: str
    document_number: int
    name: str
    text: str
    """What it is called: its most frequent name or, without one, nominal, or pronoun."""
    size: int
    category: str
    response_name: str | None
    """The response entity that it is aligned with; None where there is none."""
    response_size: int
    shared: int
    scores: dict[str, Score]
    ranks: dict[str, int]
    """Its place among all key entities by the F1 of each metric; equal scores share a place."""
    information: float
    information_kept: float | None
    """The share of its information that its response entity still has; None where it has none."""
    key_entity: int
    response_entity: int | None
    key_mentions: tuple[int, ...]
    response_mentions: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """The entity as plain values."""
        return {name: _plain(getattr(self, name)) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class SpuriousEntity:
    """A response entity that no key entity is aligned with."""

    number: int
    """Its place among the response entities of the table."""
    document: str
    document_number: int
    name: str
    text: str
    """Its first mention."""
    size: int
    in_key: int
    """How many of its mentions are mentions of the key, of entities aligned with others."""
    response_entity: int
    response_mentions: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """The entity as plain values."""
        return {name: _plain(getattr(self, name)) for name in self.__slots__}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value.to_dict() if isinstance(value, Score) else value


@dataclass(frozen=True, eq=False, repr=False)
class EntityTable(Result, Sequence[Entity]):
    """All key entities as columns, in the order of the key; an element is an :class:`Entity`."""

    pairs: Pairs
    scores: dict[str, tuple[FloatArray, FloatArray, FloatArray]]
    """By metric: precision, recall and F1 of every entity's pair."""
    ranks: dict[str, IntArray]
    """By metric: the entity's place by F1; equal scores share a place, and the next is left out."""
    category: IntArray
    """An index of ``CATEGORIES``."""
    information: FloatArray
    """What all mentions of the entity weigh."""
    information_found: FloatArray
    """What its response entity keeps of that: each mention's weight by the share of its content
    words that are kept (:mod:`~corefine.explaining.kept_words`)."""
    weights: FloatArray
    """By row of the table: what the mention weighs; 0 for one that the key lacks."""
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        table: MentionTable,
        phrases: Phrases | None = None,
        *,
        metrics: str | Sequence[str] = "all",
        overlap: Overlap | None = None,
        lenient: bool = False,
        literal: bool = False,
        information: InformationWeight = new_words,
        warnings: tuple[str, ...] = (),
    ) -> EntityTable:
        """Pair the entities of a table, score the pairs and sort them into categories."""
        names = pair_metrics(metrics)
        phrases = phrases or Phrases.of(table.matched)
        pairs = Pairs.of(table)
        if lenient:
            pairs = pairs.with_overlaps(phrases)
        scores = {name: pairs.scores(name) for name in names}
        rows = np.flatnonzero(table.key_entity >= 0)
        weights = np.zeros(len(table.document))
        weights[rows] = weights_of(information, table.matched.key)[table.matched.key_mention[rows]]
        entity, entities = table.key_entity[rows], len(table.key)
        return cls(
            pairs,
            scores,
            {name: competition_ranks(f1) for name, (_, _, f1) in scores.items()},
            Conditions.of(pairs, phrases, overlap).categories(lenient=lenient, literal=literal),
            _sums(entity, weights[rows], entities),
            _sums(entity, (weights * kept_shares(pairs, phrases))[rows], entities),
            weights,
            warnings,
        )

    @property
    def table(self) -> MentionTable:
        """The table that the entities are of."""
        return self.pairs.table

    @property
    def matched(self) -> Matched:
        """The corpora that indices of entities and mentions lead to."""
        return self.table.matched

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics."""
        return tuple(self.scores)

    @property
    def counts(self) -> dict[str, int]:
        """How many key entities each category has."""
        counts = np.bincount(self.category, minlength=len(CATEGORIES))
        return dict(zip(CATEGORIES, counts.tolist(), strict=True))

    @property
    def shares(self) -> dict[str, float]:
        """The share of the key entities that each category has."""
        return {name: count / max(len(self), 1) for name, count in self.counts.items()}

    @property
    def information_kept(self) -> float | None:
        """The share of all information that was kept; None where there is no information."""
        total = float(self.information.sum())
        return float(self.information_found.sum()) / total if total else None

    def order(self, by: str = "key") -> IntArray:
        """The numbers of the entities, sorted.

        ``key``: in the order of the key; ``worst``: by size × (1 − mean F1), so that large
        entities with low scores come first; ``size``: largest first; ``category``: worst first;
        ``information``: least kept first; a metric: lowest F1 first. Ties: largest first.
        """
        check_order(by, self.metrics)
        largest = -self.table.key.size
        if by == "key":
            return np.arange(len(self))
        if by == "worst":
            lost = 1 - np.mean([f1 for _, _, f1 in self.scores.values()], axis=0)
            return np.lexsort((largest, largest * lost))
        if by == "size":
            return np.argsort(largest, kind="stable")
        if by == "category":
            return np.lexsort((largest, -self.category))
        if by == "information":
            share = ratio(self.information_found, self.information)
            return np.lexsort((largest, np.where(self.information > 0, share, 2.0)))
        return np.lexsort((largest, self.scores[by][2]))

    def __len__(self) -> int:
        return len(self.category)

    @overload
    def __getitem__(self, index: int) -> Entity: ...
    @overload
    def __getitem__(self, index: slice) -> list[Entity]: ...
    def __getitem__(self, index: int | slice) -> Entity | list[Entity]:
        if isinstance(index, slice):
            return [self._entity(number) for number in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self._entity(index % len(self))

    def __iter__(self) -> Iterator[Entity]:
        return map(self._entity, range(len(self)))

    @cached_property
    def spurious(self) -> tuple[SpuriousEntity, ...]:
        """The response entities that no key entity is aligned with, in the response's order."""
        return tuple(map(self._spurious, np.flatnonzero(self.pairs.key_of < 0).tolist()))

    def to_dict(self, *, sort: str = "key", entities: int | None = None) -> dict[str, Any]:
        """The form in which entities are written as JSON, sorted, the first so many of them."""
        return {
            "categories": {
                name: {"count": count, "share": self.shares[name]}
                for name, count in self.counts.items()
            },
            "information_kept": self.information_kept,
            "entities": [self[number].to_dict() for number in self.order(sort).tolist()[:entities]],
            "spurious": [entity.to_dict() for entity in self.spurious],
            "warnings": list(self.warnings),
        }

    csv_table = "both-sides"

    def table_functions(self) -> Tables:
        from corefine.explaining.entity_tables import TABLES

        return TABLES

    @property
    def default_tables(self) -> tuple[str, ...]:
        return ("entities", "categories", *(("spurious",) if self.spurious else ()))

    @cached_property
    def _key_members(self) -> Members:
        return Members.of(self.table.key_entity, len(self.table.key))

    @cached_property
    def _response_members(self) -> Members:
        return Members.of(self.table.response_entity, len(self.table.response))

    @cached_property
    def naming(self) -> IntArray:
        """By entity of the key: the mention that names it best."""
        return naming_mentions(self.matched.key)

    @cached_property
    def _key_names(self) -> list[str]:
        return entity_labels(self.matched.key)

    @cached_property
    def _response_names(self) -> list[str]:
        return entity_labels(self.matched.response)

    def _entity(self, number: int) -> Entity:
        table, matched = self.table, self.matched
        rows = self._key_members[number]
        mentions = matched.key_mention[rows]
        response = int(self.pairs.response[number])
        aligned = response >= 0
        found = self._response_members[response] if aligned else rows[:0]
        document, total = (
            int(matched.key.mentions.document[mentions[0]]),
            float(self.information[number]),
        )
        return Entity(
            number,
            matched.key.documents[document],
            document,
            self._key_names[table.key.source[number]],
            matched.key.text_of(int(self.naming[table.key.source[number]])),
            int(table.key.size[number]),
            CATEGORIES[self.category[number]],
            self._response_names[table.response.source[response]] if aligned else None,
            len(found),
            int(self.pairs.shared[number]),
            {
                name: Score(float(f1[number]), float(precision[number]), float(recall[number]))
                for name, (precision, recall, f1) in self.scores.items()
            },
            {name: int(ranks[number]) for name, ranks in self.ranks.items()},
            total,
            float(self.information_found[number]) / total if total else None,
            int(table.key.source[number]),
            int(table.response.source[response]) if aligned else None,
            tuple(mentions.tolist()),
            tuple(matched.response_mention[found].tolist()),
        )

    def _spurious(self, number: int) -> SpuriousEntity:
        table, matched = self.table, self.matched
        mentions = sorted(matched.response_mention[self._response_members[number]].tolist())
        document = int(matched.response.mentions.document[mentions[0]])
        return SpuriousEntity(
            number,
            matched.key.documents[document],
            document,
            self._response_names[table.response.source[number]],
            matched.response.text_of(mentions[0]),
            int(table.response.size[number]),
            int(table.response_matched[number]),
            int(table.response.source[number]),
            tuple(mentions),
        )


def check_order(by: str, metrics: Sequence[str]) -> None:
    """Refuse what entities cannot be sorted by."""
    choose("sort", by, ("worst", "key", "size", "category", "information", *metrics))


def _sums(entity: IntArray, weights: FloatArray, entities: int) -> FloatArray:
    return np.bincount(entity, weights, minlength=entities).astype(np.float64, copy=False)


def entities(
    key: SideLike,
    response: SideLike,
    metrics: str | Sequence[str] = "all",
    *,
    kinds: KindSpec = "auto",
    overlap: Overlap | None = None,
    lenient: bool = False,
    literal: bool = False,
    information: InformationWeight = new_words,
    key_format: str | None = None,
    response_format: str | None = None,
    progress: Progress = silent,
    **settings: Unpack[RequestOptions],
) -> EntityTable:
    """Score each key entity separately, and assign it to one of Holen's (2013) categories.

    ``metrics`` are some of muc, b3, ceafe, ceafm, blanc and lea
    (:mod:`~corefine.explaining.pairing`). ``overlap`` decides whether the words of two mentions
    overlap; ``lenient`` and ``literal`` change the categories
    (:mod:`~corefine.explaining.categories`). ``information`` weights the mentions of a corpus
    (:mod:`corefine.metrics.information`). ``kinds`` and the settings are those of
    :func:`corefine.score`.

    >>> table = entities([["Anna Lee", "she"], ["Rome"]], [["Anna Lee", "she", "Rome"]])
    >>> [(entity.text, entity.category, entity.ranks["muc"]) for entity in table]
    [('Anna Lee', '3', 1), ('Rome', '4', 2)]
    >>> table.shares["3"]
    0.5
    """
    names = pair_metrics(metrics)
    request = Request.of((), kinds=kinds, shows_kinds=True, **settings)
    table = tabulate_sides(
        key,
        response,
        request,
        layers=LAYERS,
        key_format=key_format,
        response_format=response_format,
        progress=progress,
    )
    return EntityTable.of(
        table,
        warnings=(*table.matched.warnings, *table.matched.tally.warnings(depends_on_kinds=False)),
        metrics=names,
        overlap=overlap,
        lenient=lenient,
        literal=literal,
        information=information,
    )
