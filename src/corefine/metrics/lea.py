"""LEA: the importance of each entity, and the share of its links that was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError, choose
from corefine.metrics.base import (
    KINDS,
    MentionMetric,
    Statistics,
    count_cells,
    either_side,
)
from corefine.metrics.blanc import links_to_sets
from corefine.metrics.information import (
    InformationWeight,
    checked_weights,
    entity_information,
    kind_weights,
    new_words,
    weights_written,
)
from corefine.metrics.table import (
    Contributions,
    EntityColumns,
    MentionTable,
    Table,
    links_of,
    shared_links,
    sums_by,
)

if TYPE_CHECKING:
    from corefine.metrics.split_antecedents import SharedSets

Importance = Callable[[EntityColumns], FloatArray]
IMPORTANCES = ("size", "uniform", "information", "salience")


@dataclass(frozen=True)
class Lea(MentionMetric):
    r"""The link-based entity-aware metric (Moosavi & Strube 2016).

    .. math:: R = \frac{\sum_k \mathrm{importance}(k) \sum_r
              \frac{\mathrm{link}(k \cap r)}{\mathrm{link}(k)}}{\sum_k \mathrm{importance}(k)},
              \quad \mathrm{link}(n) = n(n-1)/2

    Precision swaps the roles. A singleton has one link, to itself, which only the same singleton on
    the other side resolves. ``importance`` is ``size`` (the paper's default), ``uniform``,
    ``information`` (the summed information of the mentions: by default, the number of new content
    words; ``weight`` replaces it), ``salience`` (the share of summaries that mention the entity, as
    annotated in GUM; a response entity without salience has the mean of the key entities of its
    mentions), ``kind:name=2+pronoun=0.5`` (the summed weights of the mentions' kinds, unlisted ones
    0), ``type:person=2+place=0.5`` (the weight of the semantic type that most of its mentions have,
    unlisted ones 1), or in Python a function from the entities of a side (columns ``size``,
    ``document``) to an array of weights.

    Use it when you want one number: it measures which links of each entity were found, and weights
    entities by size. More mentions raise it only if they are linked correctly. With
    importance=information, entities are weighted by how informative their mentions are, so that
    entities of pronouns do not count.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics "lea,lea(importance=information)"
    """

    name = "lea"
    title = "LEA"
    summary = "Link-based entity-aware: share of each entity's links found, weighted by importance."
    citation = "Moosavi & Strube 2016, Which coreference evaluation metric do you trust?, ACL"
    references = ("moosavi-strube-2016-lea",)

    examples = (("importance", (*IMPORTANCES, "kind:name=2+pronoun=0.5", "type:person=2")),)
    scores_sets = True

    importance: str | Importance = "size"
    weight: InformationWeight = new_words

    def __post_init__(self) -> None:
        if not callable(self.weight):
            raise UsageError(
                f"the information weight of lea cannot be {self.weight!r}",
                remedy="It is a function from a corpus to weights, available only in Python.",
            )
        if callable(self.importance):
            return
        way, colon, written = self.importance.partition(":")
        if colon and way in ("kind", "type"):
            weights_written(written, KINDS if way == "kind" else None)
        else:
            choose("the importance of lea", self.importance, IMPORTANCES)
        if way not in ("size", "uniform"):
            self._set(
                scores_sets=False,  # sets of antecedents have neither words nor kinds
                needs_kinds=way != "salience",
                needs_text=way in ("information", "salience"),
                needs_attributes=frozenset({"salience"} if way == "salience" else ()),
            )

    def contributions(self, table: Table) -> Contributions:
        cells, links = table.cells, shared_links(table)
        ours, theirs = self.weights(table, "key"), self.weights(table, "response")
        return Contributions(
            theirs[cells.response] * links / links_of(table.response.size)[cells.response],
            ours[cells.key] * links / links_of(table.key.size)[cells.key],
            theirs,
            ours,
        )

    def weights(self, table: Table, name: str) -> FloatArray:
        """The importance of the entities of the key or the response."""
        side: EntityColumns = getattr(table, name)
        if callable(self.importance):
            return checked_weights(self.importance(side), len(side), "the importance of lea")
        way, _, written = self.importance.partition(":")
        if way == "size":
            return side.size.astype(np.float64)
        if way == "uniform":
            return np.ones(len(side))
        assert isinstance(table, MentionTable)
        if way == "information":
            return entity_information(self.weight, getattr(table.matching, name))[side.source]
        if way == "salience":
            return _salience(table, name)
        entity = table.key_entity if name == "key" else table.response_entity
        if way == "kind":
            weights: FloatArray = sums_by(
                entity, kind_weights(written, 0.0)[table.kinds], len(side)
            )
            return weights
        return _by_type(table, entity, len(side), written)

    def statistics_of_shared(self, sets: SharedSets) -> Statistics:
        return either_side(self._with_shared(sets, "response"), self._with_shared(sets, "key"))

    def _with_shared(self, sets: SharedSets, name: str) -> Statistics:
        """The statistics of precision (the response) or of recall (the key)."""
        side = "recall" if name == "key" else "precision"
        table, shared = sets.table("", side)
        own: EntityColumns = getattr(table, name)
        entity: IntArray = getattr(table.cells, name)
        weight = (self.weights(table, name) / links_of(own.size))[entity]
        counted, part = count_cells(self, table), f"{side}_part"
        links = table.per_document(table.cells.document, weight * links_to_sets(shared))
        return counted | {part: counted[part] + links}


def _by_type(table: MentionTable, entity: IntArray, entities: int, written: str) -> FloatArray:
    """The importance of entities by the semantic type that most of their mentions have."""
    if table.type is None or not table.types:
        raise UsageError(
            f"lea(importance=type:{written}) needs semantic types, which no mention has",
            remedy="Give types in a 'type' column: --kinds FILE.",
        )
    counts = np.zeros((entities, len(table.types)), np.int64)
    typed = (entity >= 0) & (table.type >= 0)
    np.add.at(counts, (entity[typed], table.type[typed]), 1)
    weights = weights_written(written)
    by_type = np.array([weights.get(one, 1.0) for one in table.types])
    return np.where(counts.any(axis=1), by_type[counts.argmax(axis=1)], 1.0)


def _salience(table: MentionTable, name: str) -> FloatArray:
    """The salience of the entities of the key or the response."""
    side: EntityColumns = getattr(table, name)
    own = _annotated_salience(getattr(table.matching, name))
    if own is not None:
        return own[side.source]
    if name == "key":
        if not len(side):
            return np.zeros(0)
        raise UsageError(
            "lea(importance=salience) needs salience in the key, which has none",
            remedy="Use CoNLL-U with a field 'salience' in global.Entity, as in GUM.",
        )
    cells = table.cells
    shared = cells.count * _salience(table, "key")[cells.key]
    return np.bincount(cells.response, shared, minlength=len(side)) / side.size


def _annotated_salience(corpus: Corpus) -> FloatArray | None:
    """The largest annotated salience of the mentions of each entity, from 0 to 1."""
    column = corpus.mentions.attributes.get("salience")
    if column is None:
        return None
    salience = np.zeros(len(corpus.entities))
    np.maximum.at(salience, corpus.mentions.entity, column.looked_up(_salience_of, np.float64))
    return salience


def _salience_of(text: str) -> float:
    """The salience that GUM writes as ``ssnnn`` (one letter per summary) or ``sal``.

    One letter that is neither s nor n, a misprint in GUM, counts as a missing summary.

    >>> [_salience_of(text) for text in ("ssnnn", "sn___", "sal", "nonsal", "0.5", "")]
    [0.4, 0.5, 1.0, 0.0, 0.5, 0.0]
    >>> _salience_of("nnnnsl")
    0.2
    """
    if text in ("sal", "nonsal", ""):
        return float(text == "sal")
    known = text.count("s") + text.count("n")
    if set(text) <= {"s", "n", "_"} or (text.isalpha() and known == len(text) - 1 > 1):
        return text.count("s") / max(known, 1)
    try:
        return min(max(float(text), 0.0), 1.0)
    except ValueError:
        raise UsageError(
            f"the salience {text!r} is not known", remedy="Use letters s and n, or numbers 0 to 1."
        ) from None
