"""PARENT: do the expressions that refer lead to the right thing?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Kind
from corefine.corpus.expression import Expression
from corefine.errors import UsageError, choose, closest
from corefine.metrics.base import Contributions, RatioMetric, Statistics, summed
from corefine.metrics.table import LabelCounts, Labels, MentionTable

KACZMAREK = """\
@inproceedings{kaczmarek-marcinczuk-2015-parent,
  author = {Kaczmarek, Adam and Marci{\\'n}czuk, Micha{\\l}},
  title = {Evaluation of Coreference Resolution Tools for {P}olish from the Information \
Extraction Perspective},
  booktitle = {The 5th Workshop on {B}alto-{S}lavic Natural Language Processing},
  year = {2015},
}"""

Predicate = Callable[[Expression], bool]
GOLD = ("defined", "all")
SPLITS = ("key", "own")
_DEFINING, _IGNORED = len(Kind), len(Kind) + 1
_WORDS = {kind.name.lower(): kind for kind in Kind}


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
    references = (KACZMAREK,)
    symmetric = False
    counts_singletons = False
    needs_kinds = True
    perfect_is_one = False
    divides_by = frozenset({"kind"})

    accepts = (
        ("defining", ("name", "kinds such as name+nominal")),
        ("referring", ("nominal+pronoun+zero", "kinds such as pronoun")),
        ("gold", GOLD),
        ("split", SPLITS),
    )

    defining: str | Predicate = "name"
    referring: str | Predicate = "nominal+pronoun+zero"
    gold: str = "defined"
    split: str = "key"

    @property
    def needs_own_kinds(self) -> bool:
        return self.split == "own"

    def __post_init__(self) -> None:
        choose("the split of parent", self.split, SPLITS)
        if self.split == "own" and (callable(self.defining) or callable(self.referring)):
            raise UsageError("parent(split=own) goes by kinds, not by functions")
        choose("the gold of parent", self.gold, GOLD)
        for part in ("defining", "referring"):
            rule = getattr(self, part)
            if not callable(rule):
                object.__setattr__(self, part, "+".join(_kind_words(part, rule)))
        if isinstance(self.defining, str) and isinstance(self.referring, str):
            twice = set(self.defining.split("+")) & set(self.referring.split("+"))
            if twice:
                raise UsageError(
                    f"{sorted(twice)[0]} cannot be both defining and referring",
                    remedy="Give each mention kind once; other types are ignored.",
                )

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
        theirs, both = counts, _summed(counts.cells, referring)
        if self.split == "own":
            theirs, both = _own_counts(table, referring)
        defined = _summed(theirs.cells, defining) > 0
        entities = np.bincount(table.cells.response[defined], minlength=len(table.response))
        entities += _summed(theirs.response_only, defining)
        if self.gold == "all":
            # A singleton that the response lacks is taken out before anything is counted.
            wanted = (key.size > 1) | (table.key_matched > 0)
        else:
            wanted = _summed(counts.key, defining) > 0
        found = defined * both
        return summed(
            table,
            Contributions(
                found,
                found,
                entities * _summed(theirs.response, referring),
                wanted * _summed(counts.key, referring),
            ),
        )

    def _counts(self, table: MentionTable) -> tuple[LabelCounts, list[int], list[int]]:
        """Mention counts by label, the defining labels and the referring labels.

        The label of a mention is its kind. If functions decide, only referring mentions have a kind
        as label.
        """
        if isinstance(self.defining, str) and isinstance(self.referring, str):
            return table.kind_counts, _kinds(self.defining), _kinds(self.referring)
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


def _summed(counts: IntArray, labels: list[int]) -> IntArray:
    """Mentions with any of these labels."""
    total: IntArray = counts[labels[0]]
    for label in labels[1:]:
        total = total + counts[label]
    return total


def _kind_words(part: str, rule: object) -> list[str]:
    """The words of a rule such as ``nominal+pronoun``, in the order of the kinds."""
    words = rule.split("+") if isinstance(rule, str) else list(map(str, rule))  # type: ignore[call-overload]
    words = [word.strip().lower() for word in words]
    for word in words:
        if word not in _WORDS:
            raise UsageError(
                f"{part}={rule} is not a mention kind: {word!r}",
                remedy=f"Combine some of these with +: {', '.join(_WORDS)}.{closest(word, _WORDS)}",
                code="unknown-kind",
            )
    return [word for word in _WORDS if word in words]


def _kinds(rule: str) -> list[int]:
    """The kinds that a rule names."""
    return [_WORDS[word] for word in rule.split("+")]


def _as_predicate(rule: str | Predicate) -> Predicate:
    if callable(rule):
        return rule
    kinds = set(_kinds(rule))
    return lambda expression: expression.kind in kinds
