"""How well pairs are classified: precision, recall and F by semantic type and by token overlap.

As in MCORES' Tables 6 and 8 (Bodnari et al. 2012, appendix II). Every two markables of a document
are a pair. For the class *coreferent*, P is the share of pairs so classified that are coreferent,
R the share of coreferent pairs that are so classified; for *non-coreferent* likewise.

Overlap: ``exact`` where both hold the same words, ``partial`` where they share some, ``none``
otherwise. Types: pairs of two types are ``mixed``, pairs with a markable of no type ``unknown``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, ranges
from corefine.resolving.described import Described
from corefine.resolving.features import PairView
from corefine.resolving.mention_pairs import MentionPairResolver, accepted_candidates
from corefine.resolving.pairs import Pairs, candidate_pairs
from corefine.resolving.presets import Resolver
from corefine.resolving.texts import incidence
from corefine.scoring.scores import Score

CLASSES = ("coreferent", "non-coreferent")
OVERLAPS = ("none", "partial", "exact")

Decisions = Iterable[tuple[Pairs, BoolArray]]
"""Parts of pairs, with what was decided of each: coreferent or not."""


@dataclass(frozen=True, slots=True)
class PairReport:
    """Counts by group of pairs; the reports of several corpora add up."""

    counts: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)
    """By group (``all``, ``type:…``, ``overlap:…``): coreferent pairs found and missed,
    non-coreferent pairs taken for coreferent, and those left apart."""

    @classmethod
    def of(cls, described: Described, decided: Decisions) -> PairReport:
        """Count decisions against the entities that the markables have."""
        entity = described.markables.entity
        words = _words(described)
        types = described.markables.corpus.types
        report = cls()
        for pairs, found in decided:
            true = entity[pairs.antecedent] == entity[pairs.anaphor]
            outcome = np.where(true, 0, 2) + ~found
            report += cls(
                {
                    "all": _counted(outcome, np.ones(len(outcome), bool)),
                    **_by_type(described, pairs, outcome, types),
                    **_by_overlap(described, words, pairs, outcome),
                }
            )
        return report

    def __add__(self, other: PairReport) -> PairReport:
        nothing = (0, 0, 0, 0)
        total = {}
        for group in dict.fromkeys([*self.counts, *other.counts]):
            mine, theirs = self.counts.get(group, nothing), other.counts.get(group, nothing)
            total[group] = (
                mine[0] + theirs[0],
                mine[1] + theirs[1],
                mine[2] + theirs[2],
                mine[3] + theirs[3],
            )
        return PairReport(total)

    def groups(self) -> list[str]:
        """The groups: all, the types by name, the overlaps from exact to none."""
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
        """How many pairs of one class there are in a group."""
        found, missed, wrong, apart = self.counts[group]
        return found + missed if of == "coreferent" else wrong + apart

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """By group and class: precision, recall, F1 and the number of pairs."""
        return {
            group: {
                name: {**self.score(group, name).to_dict(), "pairs": self.size(group, name)}
                for name in CLASSES
            }
            for group in self.groups()
        }


def decisions(resolver: Resolver, described: Described) -> Iterator[tuple[Pairs, BoolArray]]:
    """What a resolver decides of every pair.

    That of a mention-pair resolver is its classifier's decision, before any clustering; that of
    others whether the two end in one entity.
    """
    if isinstance(resolver, MentionPairResolver):
        yield from accepted_candidates(resolver, described)
        return
    entity = resolver.entities(described)
    for pairs in candidate_pairs(described.markables.document):
        yield pairs, entity[pairs.antecedent] == entity[pairs.anaphor]


def _counted(outcome: IntArray, wanted: BoolArray) -> tuple[int, int, int, int]:
    found, missed, wrong, apart = np.bincount(outcome[wanted], minlength=4).tolist()
    return found, missed, wrong, apart


def _by_type(
    described: Described, pairs: Pairs, outcome: IntArray, types: tuple[str, ...]
) -> dict[str, tuple[int, int, int, int]]:
    type = described.markables.type
    left, right = type[pairs.antecedent], type[pairs.anaphor]
    mixed, unknown = len(types), len(types) + 1
    group = np.where(left == right, left, mixed)
    group = np.where((left < 0) | (right < 0), unknown, group)
    if not (group < unknown).any():
        return {}
    names = [*types, "mixed", "unknown"]
    counts = np.bincount(group * 4 + outcome, minlength=4 * len(names)).reshape(-1, 4)
    return {
        f"type:{name}": (int(row[0]), int(row[1]), int(row[2]), int(row[3]))
        for name, row in zip(names, counts, strict=True)
        if row.any()
    }


def _by_overlap(
    described: Described, words: Any, pairs: Pairs, outcome: IntArray
) -> dict[str, tuple[int, int, int, int]]:
    shared = PairView(described, pairs).common(words)
    size = np.diff(words.indptr)
    left, right = size[pairs.antecedent], size[pairs.anaphor]
    exact = (shared == left) & (shared == right)
    group = (shared > 0).astype(np.int64) + ((shared > 0) & exact)
    return {
        f"overlap:{name}": _counted(outcome, group == number)
        for number, name in enumerate(OVERLAPS)
        if (group == number).any()
    }


def _words(described: Described) -> Any:
    """Markables × all their words, as they are written."""
    markables = described.markables
    lengths = markables.stop - markables.start
    code = markables.tokens.words.codes()
    width = int(code.max(initial=0)) + 1
    word = code[ranges(markables.start, lengths)]
    owner = np.repeat(np.arange(len(markables)), lengths)
    return incidence(owner, markables.document[owner] * width + word, len(markables))
