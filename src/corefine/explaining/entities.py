"""Key entities one by one: scores of the aligned pair, category, and information kept."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Unpack, overload

import numpy as np

from corefine.comparing.ranking import ranked
from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.errors import choose, emitting
from corefine.explaining.categories import (
    CATEGORIES,
    Overlap,
    categories_of,
    found_mentions,
    information_f1,
    partial_rows,
    wrong_rows,
)
from corefine.explaining.naming import Members, Naming, entity_labels
from corefine.explaining.pairing import Pairs, kept_shares, pair_metrics
from corefine.explaining.phrases import Phrases, first_turns
from corefine.kinds.kind_plan import KindSpec
from corefine.kinds.part_of_speech import LAYERS
from corefine.matching.matching import Matching
from corefine.metrics.base import ratio
from corefine.metrics.information import InformationWeight, information_named, new_words, weights_of
from corefine.metrics.table import MentionTable
from corefine.output.grid import Column, Grid, LazyRows, Marked, Value
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables, plain_values
from corefine.scoring.count import count_table
from corefine.scoring.request import Request, RequestOptions
from corefine.scoring.score import tabulate_sides
from corefine.scoring.scores import Score, Scores
from corefine.scoring.sides import SideLike

if TYPE_CHECKING:
    from corefine.comparing.judgements import Correlation, JudgementsLike

SHOWN = 10
"""Entities that are shown by default."""
MEANINGS = {
    "1": "perfect match",
    "2a": "partial entity: mentions are missing",
    "2b": "partial mentions: words of a mention are missing",
    "3a": "merged with another entity, with wrong information",
    "3b": "merged with another entity, without wrong information",
    "4a": "failed: no response entity",
    "4b": "failed: no correct mention of weight",
    "other": "other",
}
SAME_BY_DEFINITION = {"ceafm": "b3", "ceafe": "b3", "blanc": "lea"}
"""Metrics whose F1 of a pair equals the F1 of another metric (BLANC: unless it is a singleton)."""


@dataclass(frozen=True, slots=True)
class Entity:
    """One key entity. Entities and mentions are indices of the matched corpora."""

    number: int
    """Its number among the key entities of the table."""
    document: str
    document_number: int
    name: str
    text: str
    """Its most frequent name; without one, a nominal or a pronoun."""
    size: int
    category: str
    response_name: str | None
    """The aligned response entity; or None."""
    response_size: int
    shared: int
    scores: dict[str, Score]
    mean: float
    """The mean F1 of the metrics."""
    ranks: dict[str, int | None]
    """Its rank among all key entities by the F1 of each metric; equal scores share a rank. None if
    the metric is undefined: MUC and BLANC without links, MUC without a response entity."""
    information: float
    information_kept: float | None
    """The share of its information that its response entity retains; None if it has none."""
    wrong_information: float
    """The weight of the wrong information that its response entity adds."""
    information_f1: float | None
    """The information kept, less what is wrong; None if it has none."""
    successful: bool
    """True if a correct link and a correct mention of some weight are found."""
    key_entity: int
    response_entity: int | None
    key_mentions: tuple[int, ...]
    response_mentions: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """The entity as plain values."""
        scores = {name: score.to_dict() for name, score in self.scores.items()}
        return plain_values(self) | {"scores": scores}


@dataclass(frozen=True, slots=True)
class SpuriousEntity:
    """A response entity that is aligned with no key entity."""

    number: int
    """Its number among the response entities of the table."""
    document: str
    document_number: int
    name: str
    text: str
    """Its first mention."""
    size: int
    in_key: int
    """Its number of mentions that are mentions of key entities aligned with others."""
    response_entity: int
    response_mentions: tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class EntityTable(Result, Sequence[Entity]):
    """All key entities as columns; the elements are :class:`Entity` objects, in key order."""

    pairs: Pairs
    scores: dict[str, tuple[FloatArray, FloatArray, FloatArray]]
    """Precision, recall and F1 of every entity's pair, by metric."""
    ranks: dict[str, FloatArray]
    """Competition ranks of the entities by F1, by metric; NaN where it is undefined."""
    category: IntArray
    """An index of ``CATEGORIES``."""
    information: FloatArray
    """The total weight of the entity's mentions."""
    information_found: FloatArray
    """The weight that its response entity retains: each mention's weight times the share of its
    content words that are kept (:func:`~corefine.explaining.pairing.kept_shares`)."""
    wrong_information: FloatArray
    """The weight of wrong information (:mod:`~corefine.explaining.categories`)."""
    successful: BoolArray
    """True where a correct link and a correct mention of some weight are found."""
    turn: IntArray
    """The place of each row of the table in text order."""
    weights: FloatArray
    """The information weight of each row of the table."""
    signature: str = ""
    warnings: tuple[str, ...] = ()
    request: Request | None = None
    judged: Correlation | None = None
    """Agreement with judgements, if they are given."""
    naming: Naming = field(kw_only=True)
    """The mentions that name the entities of the key."""

    @classmethod
    def of(
        cls,
        table: MentionTable,
        phrases: Phrases | None = None,
        *,
        metrics: str | Sequence[str] = "all",
        overlap: Overlap | str | None = None,
        lenient: bool = False,
        literal: bool = False,
        information: InformationWeight = new_words,
        correct: int = 1,
        scores_of: Scores | None = None,
        request: Request | None = None,
        naming: Naming | None = None,
    ) -> EntityTable:
        """Pair the entities of a table, score the pairs and sort them into categories."""
        names = pair_metrics(metrics)
        phrases = phrases or Phrases.of(table.matching)
        pairs = Pairs.of(table, phrases)
        if lenient:
            pairs = pairs.with_overlaps(phrases)
        scores = {name: pairs.scores(name) for name in names}
        rows = np.flatnonzero(table.key_entity >= 0)
        weights = np.zeros(len(table.document))
        weights[rows] = weights_of(information, table.matching.key)[
            table.matching.key_mention[rows]
        ]
        entity, entities = table.key_entity[rows], len(table.key)
        found = _sums(entity, (weights * kept_shares(pairs, phrases))[rows], entities)
        missed, parts = partial_rows(pairs, phrases)
        wrong = wrong_rows(pairs, phrases, parts)
        linked = found_mentions(pairs, missed) >= np.minimum(table.key.size, 2)
        return cls(
            pairs,
            scores,
            {name: ranked(pairs.defined_f1(name)) for name in names},
            categories_of(
                pairs,
                phrases,
                missed,
                wrong,
                overlap,
                lenient=lenient,
                literal=literal,
                correct=correct,
            ),
            _sums(entity, weights[rows], entities),
            found,
            _wrong_weights(pairs, wrong, information),
            linked & (found > 0),
            phrases.turn,
            weights,
            "" if scores_of is None else str(scores_of.signature),
            () if scores_of is None else scores_of.warnings,
            request,
            naming=naming or Naming(table.matching.key),
        )

    @property
    def table(self) -> MentionTable:
        """The table that the entities are of."""
        return self.pairs.table

    @property
    def matching(self) -> Matching:
        """The matched corpora: indices of entities and mentions count their rows."""
        return self.table.matching

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics."""
        return tuple(self.scores)

    @property
    def distinct_metrics(self) -> tuple[str, ...]:
        """The metrics without those that equal another one for every pair of entities."""
        return tuple(one for one in self.scores if SAME_BY_DEFINITION.get(one) not in self.scores)

    @property
    def counts(self) -> dict[str, int]:
        """The number of key entities of each category."""
        counts = np.bincount(self.category, minlength=len(CATEGORIES))
        return dict(zip(CATEGORIES, counts.tolist(), strict=True))

    @cached_property
    def mention_counts(self) -> dict[str, int]:
        """The number of mentions of key entities of each category."""
        counts = np.bincount(self.category, self.table.key.size, minlength=len(CATEGORIES))
        return dict(zip(CATEGORIES, counts.astype(np.int64).tolist(), strict=True))

    @cached_property
    def information_f1(self) -> FloatArray:
        """The information kept of each entity, less what is wrong; NaN if it has none."""
        f1 = information_f1(
            self.information, self.information_found, self.wrong_information, self.successful
        )
        return np.where(self.information > 0, f1, np.nan)

    @property
    def mean_f1(self) -> FloatArray:
        """The mean F1 of each entity over the metrics."""
        mean: FloatArray = np.mean([f1 for _, _, f1 in self.scores.values()], axis=0)
        return mean

    @property
    def shares(self) -> dict[str, float]:
        """The share of key entities of each category."""
        return {name: count / max(len(self), 1) for name, count in self.counts.items()}

    @property
    def information_kept(self) -> float | None:
        """The share of all information that was kept; None if there is no information."""
        total = float(self.information.sum())
        return float(self.information_found.sum()) / total if total else None

    @cached_property
    def mention_turns(self) -> IntArray:
        """The place in text order of each mention of the key."""
        turns = np.zeros(len(self.matching.key.mentions), np.int64)
        rows = np.flatnonzero(self.matching.key_mention >= 0)
        turns[self.matching.key_mention[rows]] = self.turn[rows]
        return turns

    def correlation(self, judgements: JudgementsLike, level: str = "entity") -> Correlation:
        """Agreement of the metrics with human judgements of the entities, or of documents.

        ``judgements`` is a CSV file, or its rows, with the columns document, entity (its id or its
        first mention), judge, and rank (1 is best) or score (more is better). With the level
        ``document`` there is no entity, and metrics are the scores of whole documents.

        >>> key, response = [["Anna", "she"], ["Rome", "it"]], [["Anna", "she"], ["Rome"]]
        >>> ranks = [{"entity": "Anna", "rank": 1}, {"entity": "Rome", "rank": 2}]
        >>> entities(key, response).correlation(ranks).tau("b3").tau
        1.0
        """
        from corefine.explaining.judging import correlate

        return correlate(self, judgements, level)

    def save_worksheet(
        self,
        path: str | os.PathLike[str],
        level: str = "entity",
        seed: int = 0,
        draw: str | None = None,
    ) -> None:
        """Write the sheet that judges fill in, as CSV or HTML, in random order.

        ``draw="1,5"`` takes one random text of each genre, of at most five sentences; the genre is
        the beginning of the document's id.
        """
        from corefine.explaining.judging import write_worksheet

        write_worksheet(self, path, level, seed, draw)

    def order(self, by: str = "key") -> IntArray:
        """The numbers of the entities, sorted.

        ``key``: in the order of the key; ``worst``: by size × (1 − mean F1), so that large
        entities with low scores come first; ``size``: largest first; ``category``: worst first;
        ``information``: least kept first; a metric: lowest F1 first. Ties: largest first, then in
        the order of the text.
        """
        check_sort(by, self.metrics)
        if by == "key":
            return np.arange(len(self))
        size = self.table.key.size
        values: FloatArray | IntArray = -size
        if by == "worst":
            values = -size * (1 - self.mean_f1)
        elif by == "category":
            values = -self.category
        elif by == "information":
            kept = ratio(self.information_found, self.information)
            values = np.where(self.information > 0, kept, 2.0)
        elif by != "size":
            values = self.scores[by][2]
        return np.lexsort((first_turns(self.table.key_entity, self.turn, len(self)), -size, values))

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
        """The response entities that are aligned with no key entity."""
        return tuple(map(self._spurious, np.flatnonzero(self.pairs.key_of < 0).tolist()))

    def to_dict(self, *, sort: str = "key", entities: int | None = None) -> dict[str, Any]:
        """Entities as written to JSON, sorted; ``entities`` limits their number."""
        return {
            **self.categories_dict(),
            "entities": [self[number].to_dict() for number in self.order(sort).tolist()[:entities]],
            "spurious": list(map(plain_values, self.spurious)),
            **({} if self.judged is None else {"judgements": self.judged.to_dict()}),
            "warnings": list(self.warnings),
        }

    def categories_dict(self) -> dict[str, Any]:
        """Number and share of entities of each category, and the information kept."""
        mentions, shares = self.mention_counts, self.shares
        return {
            "categories": {
                name: {"count": count, "share": shares[name], "mentions": mentions[name]}
                for name, count in self.counts.items()
            },
            "successful": int(np.count_nonzero(self.successful)),
            "information_kept": self.information_kept,
        }

    csv_table = "both-sides"

    @property
    def default_tables(self) -> tuple[str, ...]:
        """The entities, or what judgements say if there are any."""
        if self.judged is None:
            return ("entities",)
        return tuple(f"human-{name}" for name in self.judged.default_tables)

    default_rows: ClassVar[Mapping[str, int]] = {"entities": SHOWN}

    @property
    def verdict(self) -> str:
        """The shares of perfect and failed entities, and of information kept."""
        perfect, failed = (
            f"{count:,} ({100 * count / max(len(self), 1):.1f}%)"
            for count in (self.counts["1"], self.counts["4a"] + self.counts["4b"])
        )
        text = f"Of {len(self):,} key entities, {perfect} are perfect and {failed} failed; "
        text += f"{len(self.spurious):,} response entities are spurious."
        kept = self.information_kept
        text += "" if kept is None else f" Information kept: {100 * kept:.1f}%."
        return text if self.judged is None else f"{text} {self.judged.verdict}"

    @property
    def footer(self) -> str:
        return self.signature

    def table_functions(self) -> Tables:
        if self.judged is None:
            return TABLES
        from corefine.comparing.judgements import human_tables

        return {**TABLES, **human_tables(self.judged)}

    @cached_property
    def _key_members(self) -> Members:
        return Members.of(self.table.key_entity, len(self.table.key))

    @cached_property
    def _response_members(self) -> Members:
        return Members.of(self.table.response_entity, len(self.table.response))

    @cached_property
    def _key_names(self) -> list[str]:
        return entity_labels(self.matching.key)

    @cached_property
    def _response_names(self) -> list[str]:
        return entity_labels(self.matching.response)

    def _entity(self, number: int) -> Entity:
        table, matching = self.table, self.matching
        rows = self._key_members[number]
        mentions = matching.key_mention[rows]
        response = int(self.pairs.response[number])
        aligned = response >= 0
        found = self._response_members[response] if aligned else rows[:0]
        document, total = (
            int(matching.key.mentions.document[mentions[0]]),
            float(self.information[number]),
        )
        return Entity(
            number,
            matching.key.documents[document],
            document,
            self._key_names[table.key.source[number]],
            self.naming.text(int(table.key.source[number])),
            int(table.key.size[number]),
            CATEGORIES[self.category[number]],
            self._response_names[table.response.source[response]] if aligned else None,
            len(found),
            int(self.pairs.shared[number]),
            {
                name: Score(float(f1[number]), float(precision[number]), float(recall[number]))
                for name, (precision, recall, f1) in self.scores.items()
            },
            float(self.mean_f1[number]),
            {
                name: None if np.isnan(ranks[number]) else int(ranks[number])
                for name, ranks in self.ranks.items()
            },
            total,
            float(self.information_found[number]) / total if total else None,
            float(self.wrong_information[number]),
            float(self.information_f1[number]) if total else None,
            bool(self.successful[number]),
            int(table.key.source[number]),
            int(table.response.source[response]) if aligned else None,
            tuple(mentions.tolist()),
            tuple(matching.response_mention[found].tolist()),
        )

    def _spurious(self, number: int) -> SpuriousEntity:
        table, matching = self.table, self.matching
        rows = self._response_members[number]
        rows = rows[np.argsort(self.turn[rows])]
        mentions = matching.response_mention[rows].tolist()
        document = int(matching.response.mentions.document[mentions[0]])
        return SpuriousEntity(
            number,
            matching.key.documents[document],
            document,
            self._response_names[table.response.source[number]],
            matching.response.text_of(mentions[0]),
            int(table.response.size[number]),
            int(table.response_matched[number]),
            int(table.response.source[number]),
            tuple(mentions),
        )


def check_sort(by: str, metrics: Sequence[str]) -> None:
    """Raise an error if entities cannot be sorted by this."""
    choose("sort", by, ("worst", "key", "size", "category", "information", *metrics))


def _wrong_weights(pairs: Pairs, wrong: BoolArray, information: InformationWeight) -> FloatArray:
    """The weight of wrong information by key entity: the sum over its mentions, at least 1 each."""
    table, rows = pairs.table, np.flatnonzero(wrong)
    weights = weights_of(information, table.matching.response)
    costs = np.maximum(weights[table.matching.response_mention[rows]], 1.0)
    return _sums(pairs.key_of[table.response_entity[rows]], costs, len(table.key))


def _sums(entity: IntArray, weights: FloatArray, entities: int) -> FloatArray:
    return np.bincount(entity, weights, minlength=entities).astype(np.float64, copy=False)


@emitting
def entities(
    key: SideLike,
    response: SideLike,
    metrics: str | Sequence[str] = "all",
    *,
    kinds: KindSpec = "auto",
    overlap: Overlap | str | None = None,
    lenient: bool = False,
    literal: bool = False,
    correct: int = 1,
    information: InformationWeight | str = new_words,
    judgements: JudgementsLike | None = None,
    level: str = "entity",
    key_format: str | None = None,
    response_format: str | None = None,
    progress: Progress = silent,
    **settings: Unpack[RequestOptions],
) -> EntityTable:
    """Score each key entity separately, and assign it to one of Holen's (2013) categories.

    ``metrics`` are some of muc, b3, ceafe, ceafm, blanc and lea
    (:mod:`~corefine.explaining.pairing`). ``overlap`` decides whether the words of two mentions
    overlap: ``words``, ``substring(4)``, ``head`` or a function of two texts. ``lenient``,
    ``literal`` and ``correct``, the number of correct mentions that category 2b needs, change the
    categories (:mod:`~corefine.explaining.categories`). ``information`` weights the mentions of a
    corpus: ``new-words``, ``name=2,nominal=1`` or a function
    (:mod:`corefine.metrics.information`). ``judgements`` and ``level`` are those of
    :meth:`EntityTable.correlation`. ``kinds`` and the settings are those of
    :func:`corefine.score`.

    >>> table = entities([["Anna Lee", "she"], ["Rome"]], [["Anna Lee", "she", "Rome"]])
    >>> [(entity.text, entity.category, entity.ranks["muc"]) for entity in table]
    [('Anna Lee', '3a', 1), ('Rome', '4a', None)]
    >>> table.shares["3a"]
    0.5
    """
    names = pair_metrics(metrics)
    request = Request.of((), kinds=kinds, shows_kinds=True, **settings)
    formats = key_format, response_format
    table = tabulate_sides(key, response, request, formats, LAYERS, progress)
    found = EntityTable.of(
        table,
        scores_of=count_table(table, request).scores(),
        metrics=names,
        overlap=overlap,
        lenient=lenient,
        literal=literal,
        correct=correct,
        information=information_named(information),
        request=request,
    )
    if judgements is None:
        return found
    return replace(found, judged=found.correlation(judgements, level))


def ranks_grid(table: EntityTable, *, sort: str = "worst") -> Grid:
    """The entities with their rank by each metric."""
    return entities_grid(table, sort=sort, ranks=True)


def entities_grid(table: EntityTable, *, sort: str = "worst", ranks: bool = False) -> Grid:
    """One row per key entity, without metrics that are equal by definition."""
    shown = table.distinct_metrics
    equal = [
        " = ".join([name, *(one for one in table.metrics if SAME_BY_DEFINITION.get(one) == name)])
        for name in shown
    ]
    same = "; ".join(names for names in equal if "=" in names)
    notes = (
        *([f"equal for a pair of entities: {same}"] if same else []),
        (
            "category: 1 perfect, 2a some mentions, 2b parts of mentions, 3a merged with wrong "
            "information, 3b merged, 4a no response, 4b nothing of weight"
        ),
    )
    return replace(_entities_grid(table, shown, sort, ranks=ranks), notes=notes)


def _entities_grid(table: EntityTable, metrics: Sequence[str], sort: str, *, ranks: bool) -> Grid:
    fields = {
        "document": Column("document", priority=1),
        "name": Column("entity", priority=4),
        "text": Column("mention"),
        "size": Column("size", "integer"),
        "response_name": Column("response", name="response_entity", priority=4),
        "response_size": Column("response size", "integer", "response_size", priority=2),
        "shared": Column("shared", "integer", priority=1),
        "category": Column("category"),
    }
    columns = [*fields.values()]
    for name in metrics:
        columns.append(Column(name, "percent", f"{name}_f1"))
        if ranks:
            columns.append(Column("rank", "integer", f"{name}_rank", priority=2))
    columns.append(Column("mean", "percent", "mean_f1", priority=3))
    columns.append(Column("information", "percent", "information_kept", priority=1))
    columns.append(Column("information F1", "percent", "information_f1", priority=2))
    lowest = {name: np.nanmax(ranks, initial=0) for name, ranks in table.ranks.items()}

    def row(number: int) -> tuple[Value, ...]:
        entity = table[number]
        values: list[Value] = [getattr(entity, name) for name in fields]
        for name in metrics:
            values.append(entity.scores[name].f1)
            if ranks:
                rank = entity.ranks[name]
                best = rank == lowest[name]
                values.append(Marked(None, "–") if rank is None else Marked(rank, best=best))
        return (*values, entity.mean, entity.information_kept, entity.information_f1)

    return Grid(tuple(columns), LazyRows(table.order(sort).tolist(), row))


def information_grid(table: EntityTable) -> Grid:
    """One row per tenth of the documents: the information weight of the key's mentions there."""
    found = information_by_place(table)
    rows = [(f"{10 * tenth}–{10 * (tenth + 1)}%", *values) for tenth, values in enumerate(found)]
    columns = (
        Column("of the text"),
        Column("mentions", "integer"),
        Column("information", "number"),
        Column("per mention", "decimal", "per_mention"),
        Column("share", "percent"),
    )
    return Grid(columns, rows, "Information weight of mentions over the text")


def information_by_place(table: EntityTable) -> list[tuple[int, float, float | None, float]]:
    """Per tenth of the documents: mentions, their weight, the mean weight, the share of all."""
    rows = np.flatnonzero(table.table.key_entity >= 0)
    mentions, weights = table.matching.key_mention[rows], table.weights[rows]
    corpus = table.matching.key
    document = corpus.mentions.document[mentions]
    if corpus.tokens is not None and corpus.has_places:
        at, length = corpus.mentions.start[mentions], np.diff(corpus.tokens.offsets)[document]
    else:
        # Without a text, mentions are placed by their order.
        at, length = (
            mentions - np.searchsorted(corpus.mentions.document, document),
            np.bincount(corpus.mentions.document, minlength=len(corpus.documents))[document],
        )
    tenth = np.minimum(10 * at // np.maximum(length, 1), 9)
    counts = np.bincount(tenth, minlength=10)
    sums = np.bincount(tenth, weights, minlength=10)
    total = max(float(sums.sum()), 1e-300)
    return [
        (count, weight, weight / count if count else None, weight / total)
        for count, weight in zip(counts.tolist(), sums.tolist(), strict=True)
    ]


def categories_grid(table: EntityTable) -> Grid:
    """The number of key entities of each category."""
    mentions, shares = table.mention_counts, table.shares
    total = max(sum(mentions.values()), 1)
    rows: list[tuple[Value, ...]] = [
        (name, MEANINGS[name], count, shares[name], mentions[name], mentions[name] / total)
        for name, count in table.counts.items()
    ]
    kept = table.information_kept
    notes: tuple[str, ...] = () if kept is None else (f"information kept: {100 * kept:.2f}%",)
    successful = int(np.count_nonzero(table.successful))
    notes += (f"a correct link and a mention of weight: {successful:,} of {len(table):,} entities",)
    columns = (
        Column("category"),
        Column("meaning"),
        Column("entities", "integer"),
        Column("share", "percent"),
        Column("mentions", "integer"),
        Column("share of mentions", "percent", "mention_share"),
    )
    return Grid(columns, rows, "Categories", notes)


def spurious_grid(table: EntityTable) -> Grid:
    """Response entities that are aligned with no key entity."""
    return Grid.of(
        table.spurious,
        {
            Column("document"): "document",
            Column("response", name="response_entity"): "name",
            Column("mention"): "text",
            Column("size", "integer"): "size",
            Column("mentions in key", "integer", "mentions_in_key"): "in_key",
        },
        "Spurious response entities",
    )


def both_sides_grid(table: EntityTable, *, sort: str = "key", entities: int | None = None) -> Grid:
    """Key entities with all metrics and ranks, then response entities of category ``spurious``.

    ``entities`` limits the number of key entities.
    """
    grid = _entities_grid(table, table.metrics, sort, ranks=True)
    rows = list(grid.rows[:entities])
    for entity in table.spurious:
        values: dict[str, Value] = {
            "document": entity.document,
            "mention": entity.text,
            "response_entity": entity.name,
            "response_size": entity.size,
            "category": "spurious",
        }
        rows.append(tuple(values.get(column.field) for column in grid.columns))
    return replace(grid, rows=rows)


TABLES: Tables = {
    "entities": entities_grid,
    "ranks": ranks_grid,
    "categories": categories_grid,
    "spurious": spurious_grid,
    "information": information_grid,
    "both-sides": both_sides_grid,
}
"""The tables by name."""
