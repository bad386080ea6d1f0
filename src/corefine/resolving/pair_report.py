"""Pair classification: precision, recall and F by semantic type and by token overlap.

As in Tables 6 and 8 of MCORES (Bodnari et al. 2012, appendix II). Any two markables of a document
are a pair. For the class *coreferent*, P is the share of pairs classified as coreferent that are
coreferent, R the share of coreferent pairs classified as such; likewise for *non-coreferent*.

Overlap: ``exact`` if both have the same words, ``partial`` if they share some, ``none`` otherwise.
Types: pairs of two types are ``mixed``, pairs with a markable without type ``unknown``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.resolving.attributes import MarkableAttributes, incidence
from corefine.resolving.features import PairView
from corefine.resolving.mention_pairs import MentionPairs, candidate_pairs
from corefine.resolving.resolver import MentionPairResolver
from corefine.resolving.rules import Resolver
from corefine.resolving.words import covered
from corefine.scoring.scores import Score

CLASSES = ("coreferent", "non-coreferent")
OVERLAPS = ("none", "partial", "exact")

Decided = tuple[int, int, int, int]
"""Coreferent pairs found and missed, others classified as coreferent, and the rest."""
Decisions = Iterable[tuple[MentionPairs, BoolArray]]
"""Parts of pairs, and the decision on each pair: coreferent or not."""


@dataclass(frozen=True, slots=True)
class PairReport:
    """Counts by group of pairs; reports of several corpora are additive."""

    counts: dict[str, Decided] = field(default_factory=dict)
    """Counts by group: ``all``, ``type:…``, ``overlap:…``."""

    @classmethod
    def of(cls, attributes: MarkableAttributes, decided: Decisions) -> PairReport:
        """Count decisions against the entities of the markables."""
        entity = attributes.markables.entity
        words = _words(attributes)
        names = [*attributes.markables.corpus.types, "mixed", "unknown"]
        report = cls()
        for pairs, found in decided:
            true = entity[pairs.antecedent] == entity[pairs.anaphor]
            outcome = np.where(true, 0, 2) + ~found
            counts = _counted(["all"], np.zeros(len(pairs), np.int64), outcome)
            types = _types(attributes.markables.type, pairs, len(names) - 2)
            if (types < len(names) - 1).any():
                counts |= _counted([f"type:{name}" for name in names], types, outcome)
            overlaps = _overlaps(attributes, words, pairs)
            counts |= _counted([f"overlap:{name}" for name in OVERLAPS], overlaps, outcome)
            report += cls(counts)
        return report

    def __add__(self, other: PairReport) -> PairReport:
        total = dict(self.counts)
        for group, counts in other.counts.items():
            before = total.get(group, (0, 0, 0, 0))
            a, b, c, d = map(sum, zip(before, counts, strict=True))
            total[group] = a, b, c, d
        return PairReport(total)

    def groups(self) -> list[str]:
        """The groups: all, types by name, overlaps from exact to none."""
        types = sorted(group for group in self.counts if group.startswith("type:"))
        last = [f"type:{name}" for name in ("mixed", "unknown") if f"type:{name}" in types]
        types = [name for name in types if name not in last] + last
        overlaps = [f"overlap:{name}" for name in reversed(OVERLAPS)]
        return [group for group in ["all", *types, *overlaps] if group in self.counts]

    def score(self, group: str, of: str = "coreferent") -> Score:
        """P, R and F1 of one class in one group of pairs."""
        found, missed, wrong, apart = self.counts[group]
        right, false, lost = (
            (found, wrong, missed) if of == "coreferent" else (apart, missed, wrong)
        )
        precision = right / (right + false) if right + false else 0.0
        recall = right / (right + lost) if right + lost else 0.0
        both = precision + recall
        return Score(2 * precision * recall / both if both else 0.0, precision, recall)

    def size(self, group: str, of: str = "coreferent") -> int:
        """Number of pairs of a class in a group."""
        found, missed, wrong, apart = self.counts[group]
        return found + missed if of == "coreferent" else wrong + apart

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """Precision, recall, F1 and the number of pairs, by group and class."""
        return {
            group: {
                name: {**self.score(group, name).to_dict(), "pairs": self.size(group, name)}
                for name in CLASSES
            }
            for group in self.groups()
        }


def decisions(
    resolver: Resolver, attributes: MarkableAttributes
) -> Iterator[tuple[MentionPairs, BoolArray]]:
    """Decisions of a resolver on all pairs.

    The decisions of a mention-pair resolver are made by its classifier, before clustering; those of
    other resolvers follow from the resulting entities.
    """
    classified = (
        resolver.decisions(attributes) if isinstance(resolver, MentionPairResolver) else None
    )
    if classified is not None:
        return classified
    entity = resolver.entities(attributes)
    return (
        (pairs, entity[pairs.antecedent] == entity[pairs.anaphor])
        for pairs in candidate_pairs(attributes.markables.document)
    )


def _counted(names: Sequence[str], group: IntArray, outcome: IntArray) -> dict[str, Decided]:
    """Number of pairs by group and outcome, without empty groups."""
    counts = np.bincount(group * 4 + outcome, minlength=4 * len(names)).reshape(-1, 4)
    return {
        name: (row[0], row[1], row[2], row[3])
        for name, row in zip(names, counts.tolist(), strict=True)
        if any(row) or name == "all"
    }


def _types(type: IntArray, pairs: MentionPairs, mixed: int) -> IntArray:
    """The semantic type of each pair; ``mixed`` for two types, one more if one is unknown."""
    left, right = type[pairs.antecedent], type[pairs.anaphor]
    return np.where((left < 0) | (right < 0), mixed + 1, np.where(left == right, left, mixed))


def _overlaps(attributes: MarkableAttributes, words: Any, pairs: MentionPairs) -> IntArray:
    """The overlap of the words of each pair, as an index of ``OVERLAPS``."""
    shared, size = PairView(attributes, pairs).common(words), np.diff(words.indptr)
    exact = (shared == size[pairs.antecedent]) & (shared == size[pairs.anaphor])
    result: IntArray = (shared > 0).astype(np.int64) + ((shared > 0) & exact)
    return result


def _words(attributes: MarkableAttributes) -> Any:
    """Markables × all their words, as written."""
    markables = attributes.markables
    token, owner = covered(markables.start, markables.stop)
    code = markables.tokens.words.codes()
    width = int(code.max(initial=0)) + 1
    return incidence(owner, markables.document[owner] * width + code[token], len(markables))
