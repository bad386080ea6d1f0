"""Anaphors: was each mention but the first of its entity linked to the right entity?

Chains are the mentions of each entity in the order of the text. Each side is ordered by its own
text: key and response may have different empty nodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray, numbered
from corefine.corpus.columns import Kind
from corefine.corpus.words import named_spans
from corefine.errors import choose
from corefine.matching.matching import Places
from corefine.metrics.base import Metric, Statistics, Triple, f_measure, ratio
from corefine.metrics.table import MentionTable

CRAC_2022 = """\
@inproceedings{zabokrtsky-etal-2022-crac,
  author = {{\\v{Z}}abokrtsk{\\'y}, Zden{\\v{e}}k and others},
  title = {Findings of the Shared Task on Multilingual Coreference Resolution},
  booktitle = {Proceedings of the {CRAC} 2022 Shared Task on Multilingual Coreference \
Resolution},
  year = {2022},
}"""

KINDS = ("all", "zero", "pronoun", "name", "nominal")


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """One side of a table: the position of each row in its entity, and the rows before it."""

    position: IntArray
    """By row: position in its entity, 0 for the first mention, -1 if this side lacks the row."""
    order: IntArray
    """The rows that this side has, by entity and then by position."""
    rank: IntArray
    """By row: its rank in the order of the text, if this side has it."""

    @property
    def anaphor(self) -> BoolArray:
        """True for each row that this side has and that is not the first of its entity."""
        later: BoolArray = self.position > 0
        return later

    @property
    def predecessor(self) -> IntArray:
        """By row: the row before it in its entity; -1 for first mentions and absent ones."""
        before = np.full(len(self.position), -1)
        before[self.order[1:]] = self.order[:-1]
        return np.where(self.anaphor, before, -1)

    def latest(self, marked: BoolArray) -> IntArray:
        """For each row, find the closest earlier marked row of its entity; -1 without one."""
        found = np.full(len(self.position), -1)
        rank = np.arange(len(self.order))
        first = rank - self.position[self.order]
        last = np.maximum.accumulate(np.where(marked[self.order], rank, -1))
        before = np.append(-1, last[:-1])[: len(rank)]
        has = before >= first
        found[self.order[has]] = self.order[before[has]]
        return found


def chains_of(table: MentionTable) -> tuple[Chains, Chains]:
    """The chains of key and response.

    The mentions of an entity are ordered by document, first word, last word and number of words.
    Mentions that are only names keep their input order; a name that is a pair of numbers is a span.
    """
    return table.shared("chains", lambda: _both(table))


def spans_of(side: Places) -> tuple[IntArray, IntArray, IntArray]:
    """Of each mention of a side how many words it has, its last and its first place."""
    mentions = side.corpus.mentions
    spans = named_spans(mentions.names)
    if spans is not None:
        return spans[:, 1] - spans[:, 0] + 1, spans[:, 1], spans[:, 0]
    owner, _ = side.words(np.arange(len(mentions)))
    return np.bincount(owner, minlength=len(mentions)), side.last, side.first


def _both(table: MentionTable) -> tuple[Chains, Chains]:
    matching = table.matching
    key, response = matching.places
    return (
        _chains(key, table.key_entity, matching.key_mention),
        _chains(response, table.response_entity, matching.response_mention),
    )


def _chains(side: Places, entity: IntArray, mention: IntArray) -> Chains:
    rows = np.flatnonzero(entity >= 0)
    own = mention[rows]
    places = (column[own] for column in (*spans_of(side), side.corpus.mentions.document))
    in_text = rows[np.lexsort((own, *places))]
    rank = np.full(len(entity), -1)
    rank[in_text] = np.arange(len(rows))
    order = in_text[np.argsort(entity[in_text], kind="stable")]
    number = np.arange(len(order))
    opens = np.ones(len(order), bool)
    opens[1:] = entity[order[1:]] != entity[order[:-1]]
    position = np.full(len(entity), -1)
    position[order] = number - np.maximum.accumulate(np.where(opens, number, 0))
    return Chains(position, order, rank)


class AnaphorMetric(Metric):
    """A metric that counts anaphors: true positives, wrong links, false negatives and positives."""

    statistic_names = ("tp", "wl", "fn", "fp")
    needs_text = True

    def score(self, totals: Mapping[str, FloatArray]) -> Triple:
        right, linked = totals["tp"], totals["tp"] + totals["wl"]
        precision = ratio(right, linked + totals["fp"])
        recall = ratio(right, linked + totals["fn"])
        return Triple(precision, recall, f_measure(precision, recall))


@dataclass(frozen=True)
class Anaphors(AnaphorMetric):
    r"""Anaphor-decomposable score of CRAC's shared tasks (Žabokrtský et al. 2022).

    Each key mention that is not the first of its entity, and is of the kind asked for, is a false
    negative (fn) if the response lacks it or has it as the first of its entity; a true positive
    (tp) if its response entity also holds an earlier mention of its key entity; else a wrong link
    (wl). A false positive (fp) is a response mention of that kind, not the first of its entity,
    that is matched with none of those.

    .. math:: R = \frac{tp}{tp + wl + fn}, \quad P = \frac{tp}{tp + wl + fp}

    ``kind`` is ``all``, ``zero`` (the mention's head is an empty node, on its own side),
    ``pronoun``, ``name`` or ``nominal`` (by mention kind, the key's where both sides have it).

    Use it to evaluate one type of anaphor; zero is short for anaphors(kind=zero), the CRAC shared
    task's score for zeros. It separates wrong links from missed anaphors. First mentions do not
    count, and any earlier mention of the correct entity is a correct antecedent.

    .. code-block:: console

        $ corefine score key.conllu response.conllu --match head --metrics zero,anaphors
    """

    name = "anaphors"
    title = "Anaphors"
    summary = "Anaphors linked to the correct entity: all, zeros, pronouns, names or nominals."
    citation = "Žabokrtský et al. 2022, CRAC shared task on multilingual coreference, CRAC"
    references = (CRAC_2022,)
    symmetric = False
    counts_singletons = False
    divides_by = frozenset({"kind"})
    shorthands: ClassVar[Mapping[str, str]] = {"zero": "anaphors(kind=zero)"}

    accepts = (("kind", KINDS),)

    kind: str = "all"

    def __post_init__(self) -> None:
        choose("the kind of anaphors", self.kind, KINDS)

    @property
    def needs_kinds(self) -> bool:
        return self.kind not in ("all", "zero")

    def statistics(self, table: MentionTable) -> Statistics:
        return _counted(table, *self._asked(table))

    def by_kind(self, table: MentionTable) -> dict[str, Statistics]:
        ours, theirs = self._asked(table)
        return {
            kind.name.lower(): _counted(
                table, ours & (table.kinds == kind), theirs & (table.kinds == kind)
            )
            for kind in Kind
        }

    def _asked(self, table: MentionTable) -> tuple[BoolArray, BoolArray]:
        """By row, whether the key's mention and the response's are of the kind asked for."""
        if self.kind == "all":
            every = np.ones(len(table.document), bool)
            return every, every
        if self.kind == "zero":
            matching = table.matching
            key, response = matching.places
            ours = np.append(key.zero, False)[matching.key_mention]
            return ours, np.append(response.zero, False)[matching.response_mention]
        asked = table.kinds == Kind[self.kind.upper()]
        return asked, asked


def _counted(table: MentionTable, ours: BoolArray, theirs: BoolArray) -> Statistics:
    key, response = chains_of(table)
    opens = table.shared("first of cells", lambda: _first_of_cells(table, key))
    judged = key.anaphor & ours
    linked = judged & response.anaphor
    counted = {
        "tp": linked & ~opens,
        "wl": linked & opens,
        "fn": judged & ~response.anaphor,
        "fp": response.anaphor & theirs & ~judged,
    }
    return {name: table.per_document(table.document, rows) for name, rows in counted.items()}


def _first_of_cells(table: MentionTable, key: Chains) -> BoolArray:
    """By row that both sides have: whether no earlier mention of its key entity shares its
    response entity."""
    rows = key.order[table.response_entity[key.order] >= 0]
    cells = table.key_entity[rows] * max(len(table.response), 1) + table.response_entity[rows]
    opens = np.zeros(len(table.document), bool)
    opens[rows[numbered(cells)[0]]] = True
    return opens
