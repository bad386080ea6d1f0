"""PARENT: do referring expressions refer to the right thing?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Kind
from corefine.corpus.expression import Expression
from corefine.errors import UsageError, closest
from corefine.metrics.base import KINDS, RatioMetric, Statistics
from corefine.metrics.table import Contributions, LabelCounts, Labels, MentionTable

Predicate = Callable[[Expression], bool]
_DEFINING, _IGNORED = len(Kind), len(Kind) + 1
"""Labels of mentions in addition to their kinds, if functions decide."""


@dataclass(frozen=True)
class Parent(RatioMetric):
    r"""PARENT, Performance of Anaphora Resolution to ENTities (Kaczmarek & Marcińczuk 2015).

    Mentions are *defining* (names, by default), *referring* (nominals, pronouns, zeros) or ignored.
    G holds a pair (m, key entity of m) for each referring mention m of the key, S a pair (m, key
    entity of d) for each referring mention m and each defining mention d in one response entity.

    .. math:: P = |G \cap S| / |S|, \quad R = |G \cap S| / |G|

    Several defining mentions of one key entity make one pair. A defining mention that the key lacks
    is an entity of its own, and a referring one has no pair in G: both make false positives. A
    singleton that one side lacks makes nothing. Links between referring mentions do not count.

    G has only pairs of key entities with a defining mention, since no response could find the
    others, as the authors' own evaluator does; ``gold=all`` is the printed formula and keeps them.
    With either, PARENT is 0 or "–" if no key entity has a defining mention, or none refers. For a
    mention on both sides the key's kind decides; with ``split=own``, each side's own kinds decide
    what it defines and refers to, so that the split does not depend on the key. ``defining`` and
    ``referring`` are kinds joined by ``+`` or, in Python, functions of an :class:`Expression`; what
    is both is defining. A mention of unknown kind is ignored, unless ``unknown`` is named.

    Use it for information extraction: it asks whether a referring mention leads to a name of the
    correct entity. Links among pronouns do not count, and one correct name suffices. Report it with
    another metric, since it ignores how names are linked with each other.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics "parent(referring=pronoun)"
    """

    name = "parent"
    title = "PARENT"
    summary = "Pronouns and nominals resolved to a name of the correct entity."
    citation = (
        "Kaczmarek & Marcińczuk 2015, Evaluation of coreference resolution tools for Polish from "
        "the information extraction perspective, BSNLP"
    )
    references = ("kaczmarek-marcinczuk-2015-parent",)
    symmetric = False
    counts_singletons = False
    needs_kinds = True
    perfect_is_one = False
    divides_by = frozenset({"kind"})

    choices = (("gold", ("defined", "all")), ("split", ("key", "own")))
    examples = (
        ("defining", ("name", "kinds such as name+nominal")),
        ("referring", ("nominal+pronoun+zero", "kinds such as pronoun")),
    )

    defining: str | Predicate = "name"
    referring: str | Predicate = "nominal+pronoun+zero"
    gold: str = "defined"
    split: str = "key"

    def __post_init__(self) -> None:
        super().__post_init__()
        for part, rule in (("defining", self.defining), ("referring", self.referring)):
            if not callable(rule):
                self._set(**{part: "+".join(_kind_words(part, rule))})
        if isinstance(self.defining, str) and isinstance(self.referring, str):
            twice = set(self.defining.split("+")) & set(self.referring.split("+"))
            if twice:
                raise UsageError(
                    f"{sorted(twice)[0]} cannot be both defining and referring",
                    remedy="Give each mention kind once; other types are ignored.",
                )
        elif self.split == "own":
            raise UsageError("parent(split=own) goes by kinds, not by functions")
        self._set(needs_own_kinds=self.split == "own")

    def statistics(self, table: MentionTable) -> Statistics:
        return self._pairs(table, *self._counts(table))

    def by_kind(self, table: MentionTable) -> dict[str, Statistics]:
        """The pairs by kind of the referring mention."""
        counts, defining, referring = self._counts(table)
        return {
            kind.name.lower(): self._pairs(table, counts, defining, [kind])
            for kind in Kind
            if kind in referring
        }

    def _pairs(
        self, table: MentionTable, counts: LabelCounts, defining: list[int], referring: list[int]
    ) -> Statistics:
        """|S|, |G| and what they share, for referring mentions with these labels."""
        key = table.key
        theirs, both = counts, counts.cells[referring].sum(axis=0)
        if self.split == "own":
            theirs, both = _own_counts(table, referring)
        defined = theirs.cells[defining].sum(axis=0) > 0
        entities = np.bincount(table.cells.response[defined], minlength=len(table.response))
        entities += theirs.response_only[defining].sum(axis=0)
        if self.gold == "all":
            # A singleton that the response lacks is taken out before anything is counted.
            wanted = (key.size > 1) | (table.key_matched > 0)
        else:
            wanted = counts.key[defining].sum(axis=0) > 0
        found = defined * both
        return table.summed(
            Contributions(
                found,
                found,
                entities * theirs.response[referring].sum(axis=0),
                wanted * counts.key[referring].sum(axis=0),
            ),
        )

    def _counts(self, table: MentionTable) -> tuple[LabelCounts, list[int], list[int]]:
        """Mention counts by label, the defining labels and the referring labels.

        The label of a mention is its kind. If functions decide, only referring mentions have a kind
        as label.
        """
        if isinstance(self.defining, str) and isinstance(self.referring, str):
            counts = table.count_labels(table.kinds, len(Kind))
            return counts, _kinds(self.defining), _kinds(self.referring)
        counts = table.shared(
            ("parent", self.defining, self.referring),
            lambda: table.count_labels(self._labels(table), len(Kind) + 2),
        )
        return counts, [_DEFINING], list(Kind)

    def _labels(self, table: MentionTable) -> Labels:
        """For each row: its kind if it is referring, else a number that no kind has."""
        defines, refers = _as_predicate(self.defining), _as_predicate(self.referring)
        labels = np.full(len(table.document), _IGNORED, np.uint8)
        for row in range(len(labels)):
            expression = table.expression(row)
            if defines(expression):
                labels[row] = _DEFINING
            elif refers(expression):
                labels[row] = expression.kind
        return labels


def _own_counts(table: MentionTable, referring: list[int]) -> tuple[LabelCounts, IntArray]:
    """Counts by the response's own kinds, and mentions of each cell that both sides let refer."""
    matching = table.matching
    labels = table.kinds.copy()
    own = matching.response.mentions.kind
    rows = np.flatnonzero(matching.response_mention >= 0)
    labels[rows] = Kind.UNKNOWN if own is None else own[matching.response_mention[rows]]
    agreed = np.isin(labels, referring) & np.isin(table.kinds, referring)
    cells = table.count_labels(agreed.astype(labels.dtype), 2).cells
    return table.count_labels(labels, len(Kind)), cells[1]


def _kind_words(part: str, rule: object) -> list[str]:
    """The words of a rule such as ``nominal+pronoun``, in the order of the kinds."""
    words = rule.split("+") if isinstance(rule, str) else list(map(str, rule))  # type: ignore[call-overload]
    words = [word.strip().lower() for word in words]
    for word in words:
        if word not in KINDS:
            raise UsageError(
                f"{part}={rule} is not a mention kind: {word!r}",
                remedy=f"Combine some of these with +: {', '.join(KINDS)}.{closest(word, KINDS)}",
                code="unknown-kind",
            )
    return [word for word in KINDS if word in words]


def _kinds(rule: str) -> list[int]:
    """The kinds that a rule names."""
    return [KINDS.index(word) for word in rule.split("+")]


def _as_predicate(rule: str | Predicate) -> Predicate:
    if callable(rule):
        return rule
    kinds = set(_kinds(rule))
    return lambda expression: expression.kind in kinds
