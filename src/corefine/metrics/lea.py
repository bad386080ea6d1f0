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
    Contributions,
    MentionMetric,
    SetMetric,
    Statistics,
    count_cells,
    either_side,
    kind_weights,
    weights_written,
)
from corefine.metrics.blanc import links_to_sets, pairs
from corefine.metrics.information import (
    InformationWeight,
    checked_weights,
    entity_information,
    new_words,
)
from corefine.metrics.table import EntityColumns, MentionTable, Table

if TYPE_CHECKING:
    from corefine.metrics.split_antecedents import SharedSets

MOOSAVI_STRUBE = """\
@inproceedings{moosavi-strube-2016-lea,
  author = {Moosavi, Nafise Sadat and Strube, Michael},
  title = {Which Coreference Evaluation Metric Do You Trust? A Proposal for a Link-based Entity \
Aware Metric},
  booktitle = {Proceedings of the 54th Annual Meeting of the Association for Computational \
Linguistics (Volume 1: Long Papers)},
  year = {2016},
}"""

Importance = Callable[[EntityColumns], FloatArray]
IMPORTANCES = ("size", "uniform", "information", "salience")


@dataclass(frozen=True)
class Lea(MentionMetric, SetMetric):
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
    references = (MOOSAVI_STRUBE,)

    accepts = (("importance", (*IMPORTANCES, "kind:name=2+pronoun=0.5", "type:person=2")),)

    importance: str | Importance = "size"
    weight: InformationWeight = new_words

    def __post_init__(self) -> None:
        if callable(self.importance):
            return
        way, colon, written = self.importance.partition(":")
        if colon and way in ("kind", "type"):
            weights_written(written, KINDS if way == "kind" else None)
        else:
            choose("the importance of lea", self.importance, IMPORTANCES)
        if not callable(self.weight):
            raise UsageError(
                f"the information weight of lea cannot be {self.weight!r}",
                remedy="It is a function from a corpus to weights, available only in Python.",
            )

    @property
    def _way(self) -> str:
        """The importance without its weights."""
        return "" if callable(self.importance) else self.importance.partition(":")[0]

    @property
    def needs_kinds(self) -> bool:
        return self._way in ("information", "kind", "type")

    @property
    def scores_sets(self) -> bool:  # type: ignore[override]
        return self._way not in ("information", "salience", "kind", "type")  # sets have none

    @property
    def needs_mentions(self) -> bool:
        return self.importance not in ("size", "uniform")

    @property
    def needs_attributes(self) -> frozenset[str]:
        return frozenset({"salience"} if self.importance == "salience" else ())

    @property
    def needs_text(self) -> bool:
        return self.importance in ("information", "salience")

    def contributions(self, table: Table) -> Contributions:
        cells, key, response = table.cells, table.key, table.response
        alone = (key.size[cells.key] == 1) & (response.size[cells.response] == 1)
        links = pairs(cells.count) + alone
        key_weight, response_weight = self.weights(table, "key"), self.weights(table, "response")
        return Contributions(
            response_weight[cells.response] * links / _links(response.size)[cells.response],
            key_weight[cells.key] * links / _links(key.size)[cells.key],
            response_weight,
            key_weight,
        )

    def weights(self, table: Table, name: str) -> FloatArray:
        """The importance of the entities of the key or the response."""
        side: EntityColumns = getattr(table, name)
        if self.importance == "size":
            return side.size.astype(np.float64)
        if self.importance == "uniform":
            return np.ones(len(side))
        if self.importance == "information":
            assert isinstance(table, MentionTable)
            corpus = getattr(table.matching, name)
            return entity_information(self.weight, corpus)[side.source]
        if self.importance == "salience":
            assert isinstance(table, MentionTable)
            return _salience(table, name)
        if isinstance(self.importance, str):
            assert isinstance(table, MentionTable)
            return _by_label(table, name, *self.importance.split(":", 1))
        return checked_weights(self.importance(side), len(side), "the importance of lea")

    def statistics_of_shared(self, sets: SharedSets) -> Statistics:
        return either_side(self._with_shared(sets, "response"), self._with_shared(sets, "key"))

    def _with_shared(self, sets: SharedSets, name: str) -> Statistics:
        """The statistics of precision (the response) or of recall (the key)."""
        side = "recall" if name == "key" else "precision"
        table, shared = sets.table("", side)
        own: EntityColumns = getattr(table, name)
        entity: IntArray = getattr(table.cells, name)
        weight = (self.weights(table, name) / _links(own.size))[entity]
        counted, part = count_cells(self, table), f"{side}_part"
        links = table.per_document(table.cells.document, weight * links_to_sets(shared))
        return counted | {part: counted[part] + links}


def _links(size: IntArray) -> FloatArray:
    """Number of links of each entity; a singleton has one link, to itself."""
    return np.maximum(pairs(size), 1)


def _by_label(table: MentionTable, name: str, way: str, written: str) -> FloatArray:
    """The importance of entities by the kinds of their mentions, or by their semantic type."""
    entity: IntArray = table.key_entity if name == "key" else table.response_entity
    rows, count = entity >= 0, len(getattr(table, name))
    if way == "kind":
        weight = kind_weights(written, 0.0)[table.kinds]
        return np.bincount(entity[rows], weight[rows], minlength=count).astype(np.float64)
    if table.type is None or not table.types:
        raise UsageError(
            f"lea(importance={way}:{written}) needs semantic types, which no mention has",
            remedy="Give types in a 'type' column: --kinds FILE.",
        )
    counts = np.zeros((count, len(table.types)), np.int64)
    typed = rows & (table.type >= 0)
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
    values = np.array([_salience_of(text) for text in column.tolist()], np.float64)
    np.maximum.at(salience, corpus.mentions.entity, values)
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
