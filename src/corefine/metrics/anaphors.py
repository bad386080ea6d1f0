"""Anaphors: was each mention but the first of its entity linked to the right entity?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, numbered
from corefine.corpus.columns import Kind
from corefine.errors import choose
from corefine.metrics.base import Metric, Properties, Statistics, Triple, f_measure, ratio
from corefine.metrics.chains import Chains, chains_of, zeros_of
from corefine.metrics.registry import register
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


class AnaphorMetric(Metric):
    """A metric that counts anaphors: true positives, wrong links, false negatives and positives."""

    statistic_names = ("tp", "wl", "fn", "fp")

    def score(self, totals: Mapping[str, FloatArray]) -> Triple:
        right, linked = totals["tp"], totals["tp"] + totals["wl"]
        precision = ratio(right, linked + totals["fp"])
        recall = ratio(right, linked + totals["fn"])
        return Triple(precision, recall, f_measure(precision, recall))

    @property
    def needs_text(self) -> bool:
        return True


@register
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
    """

    name = "anaphors"
    title = "Anaphors"
    summary = "Anaphors linked to the correct entity: all, zeros, pronouns, names or nominals."
    use = (
        "Use it to evaluate one type of anaphor; zero is short for anaphors(kind=zero), the "
        "CRAC shared task's score for zeros. It separates wrong links from missed anaphors. "
        "First mentions do not count, and any earlier mention of the correct entity is a "
        "correct antecedent."
    )
    example = "corefine score key.conllu response.conllu --match head --metrics zero,anaphors"
    citation = "Žabokrtský et al. 2022, CRAC shared task on multilingual coreference, CRAC"
    references = (CRAC_2022,)
    properties = Properties(symmetric=False, counts_singletons=False)
    shorthands: ClassVar[Mapping[str, str]] = {"zero": "anaphors(kind=zero)"}

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
            return zeros_of(table)
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
