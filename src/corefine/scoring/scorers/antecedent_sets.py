"""Split antecedents as the Universal Anaphora scorer counts them: mention by mention, in its order.

An entity is a list of numbers, and a negative number is the set of its antecedents. The scorer goes
through the mentions of an entity in the order of a Python set. LEA and BLANC depend on that order:
LEA weighs all links after a set by what the set is worth, and BLANC does not look up a set at the
second end of a coreferent link. So sets are made here of what has the same hashes.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from corefine.metrics.base import f_measure, ratio
from corefine.scoring.scorers.counting import Counts, Entities, aligned, owners_of, pairs_of

Worth = Mapping[int, tuple[int, float]]
"""The set of the other side that a set is aligned with, and what it is worth."""
Ratios = tuple[float, float, float, float]
"""Parts and wholes of precision and recall."""
HALVES = ("coreferent", "separate")


@dataclass(frozen=True, slots=True, eq=False)
class Met:
    """A mention with the hash that it has in the other scorer: that of its first and last word."""

    number: int
    ends: frozenset[int]

    def __hash__(self) -> int:
        return hash(self.ends)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Met) and self.number == other.number


@dataclass(frozen=True, eq=False)
class Antecedents:
    """The set of an entity's antecedents: the entities that it is made of in the end."""

    entities: list[tuple[Met, ...]]

    @cached_property
    def members(self) -> frozenset[tuple[Met, ...]]:
        return frozenset(self.entities)

    def __hash__(self) -> int:
        return hash(self.members)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Antecedents) and self.members == other.members


@dataclass(frozen=True, slots=True)
class Numbering:
    """Numbers for the sets of a document, the same on both sides for the same set."""

    numbers: dict[Antecedents, int] = field(default_factory=dict)

    def of(self, one: Met | Antecedents) -> int:
        if isinstance(one, Met):
            return one.number
        return self.numbers.setdefault(one, -1 - len(self.numbers))

    @property
    def elements(self) -> dict[int, Entities]:
        """The entities of every set, as lists of numbers."""
        return {
            number: [[mention.number for mention in entity] for entity in one.entities]
            for one, number in self.numbers.items()
        }

    def listed(
        self, entities: Mapping[str, list[Met]], made_of: Mapping[str, list[str]]
    ) -> Entities:
        """The entities of one side with their sets; those with the same set are one."""
        merged: list[set[Met | Antecedents]] = []
        for name, mentions in entities.items():
            found = _antecedents(name, entities, made_of)
            members: list[Met | Antecedents] = [*mentions, *([] if found is None else [found])]
            same = next((one for one in merged if found is not None and found in one), None)
            if same is None:
                merged.append(set(members))
            else:
                same.update(members)
        return [[self.of(one) for one in entity] for entity in merged]


def _antecedents(
    name: str, entities: Mapping[str, list[Met]], made_of: Mapping[str, list[str]]
) -> Antecedents | None:
    """What an entity is made of; None where it is not made of others."""
    found: set[tuple[Met, ...]] = set()
    waiting, seen = deque([name]), set()
    while waiting:
        one = waiting.popleft()
        if one in seen:
            continue
        seen.add(one)
        if made_of.get(one):
            waiting.extend(made_of[one])
        elif one != name:
            found.add(tuple(entities[one]))
    return Antecedents(list(found)) if found else None


def count_with_sets(
    key: Entities,
    response: Entities,
    elements: Mapping[int, Entities],
    metrics: tuple[str, ...],
    alone: bool,
) -> dict[str, Counts]:
    """The statistics of a document: with its sets, or of its sets ``alone``."""
    result: dict[str, Counts] = {}
    for name in metrics:
        halves = HALVES if name == "blanc" else (name,)
        counted: Counts = {}
        for half in halves:
            sets, worths = _sets(key, response, elements, _METRICS[half])
            whole = _METRICS[half](key, response, worths, False)
            counted |= _named(half, sets if alone else whole, name == "blanc")
            if name == "blanc" and alone:
                counted[f"{half}_links"] = whole[1] + whole[3]
        result[name] = counted | ({"unshared_mentions": 0.0} if name == "blanc" else {})
    return result


def _named(half: str, ratios: Ratios, links: bool) -> Counts:
    if links:
        names = (f"{half}_common", f"{half}_response", f"{half}_common", f"{half}_key")
    else:
        names = ("precision_part", "precision_whole", "recall_part", "recall_whole")
    return dict(zip(names, ratios, strict=True))


@dataclass(frozen=True, slots=True)
class Worths:
    """What aligned sets are worth in precision, in recall and in F1; none inside a set."""

    precision: Worth = field(default_factory=dict)
    recall: Worth = field(default_factory=dict)
    f1: Worth = field(default_factory=dict)


def _sets(
    key: Entities, response: Entities, elements: Mapping[int, Entities], metric: Metric
) -> tuple[Ratios, Worths]:
    """The counts of all sets of a document, aligned one to one, and what the aligned are worth."""
    from scipy.optimize import linear_sum_assignment

    ours, theirs = ([m for entity in side for m in entity if m < 0] for side in (key, response))
    if not ours and not theirs:
        return (0.0, 0.0, 0.0, 0.0), Worths()
    table = np.array(
        [
            [
                metric(elements.get(i, []), elements.get(j, []), Worths(), True)
                for j in theirs or [0]
            ]
            for i in ours or [0]
        ],
        np.float64,
    )
    precision, recall = (
        ratio(table[..., 0], table[..., 1]),
        ratio(table[..., 2], table[..., 3]),
    )
    f1 = f_measure(precision, recall)
    rows, columns = linear_sum_assignment(-f1)
    worths = []
    for value, turned in ((precision, True), (recall, False), (f1, False)):
        worth = {}
        for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
            if value[i, j] > 0:
                one, other = (theirs[j], ours[i]) if turned else (ours[i], theirs[j])
                worth[one] = other, float(value[i, j])
        worths.append(worth)
    found = table[rows, columns].sum(axis=0)
    sums = (found[0], table[0, :, 1].sum(), found[2], table[:, 0, 3].sum())
    return sums, Worths(*worths)


Metric = Callable[[Entities, Entities, Worths, bool], Ratios]
Side = Callable[[Entities, Entities, Worth, bool], tuple[float, float]]


def _by_side(side: Side) -> Metric:
    def metric(key: Entities, response: Entities, worths: Worths, inside: bool) -> Ratios:
        return (
            *side(response, key, worths.precision, inside),
            *side(key, response, worths.recall, inside),
        )

    return metric


def _muc(entities: Entities, others: Entities, worth: Worth, inside: bool) -> tuple[float, float]:
    """Inside a set a singleton counts as one link."""
    owners = owners_of(others)
    part = whole = 0.0
    for entity in entities:
        if len(entity) == 1 and inside:
            whole += 1
            part += _alone(entity[0], owners, others)
            continue
        whole += len(entity) - 1
        linked = [owners[m] for m in entity if m >= 0 and m in owners]
        part += len(linked) - len(set(linked))
        for m in entity:
            if m in worth and owners[worth[m][0]] in linked:
                part += worth[m][1]
    return part, whole


def _b3(entities: Entities, others: Entities, worth: Worth, inside: bool) -> tuple[float, float]:
    owners = owners_of(others)
    part = 0.0
    for entity in entities:
        shares: Counter[int] = Counter()
        for m in entity:
            if m in worth:
                shares[owners[worth[m][0]]] += worth[m][1]  # type: ignore[assignment]
            elif m >= 0 and m in owners:
                shares[owners[m]] += 1
        part += sum(share * share for share in shares.values()) / len(entity)
    return part, sum(map(len, entities))


def _lea(entities: Entities, others: Entities, worth: Worth, inside: bool) -> tuple[float, float]:
    owners = owners_of(others)
    part = 0.0
    for entity in entities:
        if len(entity) == 1:
            part += _alone(entity[0], owners, others)
            continue
        found = 0.0
        for place, m in enumerate(entity):
            m, value = worth.get(m, (m, 1.0))
            for other in entity[place + 1 :] if m in owners else ():
                other, more = worth.get(other, (other, 1.0))
                value *= more  # for the links that come after it, too
                if owners.get(other) == owners[m]:
                    found += value
        part += len(entity) * found / pairs_of(len(entity))
    return part, sum(map(len, entities))


def _alone(mention: int, owners: Mapping[int, int], others: Entities) -> bool:
    return mention in owners and len(others[owners[mention]]) == 1


def _ceaf(by_size: bool) -> Metric:
    def metric(key: Entities, response: Entities, worths: Worths, inside: bool) -> Ratios:
        cells = _overlaps(key, response, worths.f1)
        best = sum(aligned(cells, key, response, by_size=by_size))
        if by_size:
            return best, len(response), best, len(key)
        return best, sum(map(len, response)), best, sum(map(len, key))

    return metric


def _overlaps(key: Entities, response: Entities, worth: Worth) -> dict[tuple[int, int], float]:
    holders: dict[int, set[int]] = {}
    for number, entity in enumerate(response):
        for m in entity:
            holders.setdefault(m, set()).add(number)
    cells: dict[tuple[int, int], float] = {}
    for row, entity in enumerate(key):
        for m in entity:
            other, value = worth.get(m, (m, float(m >= 0)))
            for column in holders.get(other, ()) if value else ():
                cells[row, column] = cells.get((row, column), 0.0) + value
    return cells


def _coreferent(key: Entities, response: Entities, worths: Worths, inside: bool) -> Ratios:
    owners = owners_of(response)
    common = 0.0
    for entity in key:
        for place, m in enumerate(entity):
            m, value = worths.f1.get(m, (m, 1.0))
            if m in owners:
                after = entity[place + 1 :]
                common += value * sum(owners.get(other) == owners[m] for other in after)
    ours, theirs = (sum(pairs_of(len(e)) for e in side) for side in (key, response))
    return common, theirs, common, ours


def _separate(key: Entities, response: Entities, worths: Worths, inside: bool) -> Ratios:
    owners = owners_of(response)
    # By entity of the key, what its mentions are worth in each entity of the response.
    shares: list[Counter[int]] = []
    for entity in key:
        share: Counter[int] = Counter()
        for m in entity:
            m, value = worths.f1.get(m, (m, 1.0))
            if m in owners:
                share[owners[m]] += value  # type: ignore[assignment]
        shares.append(share)
    total: Counter[int] = Counter()
    common = 0.0
    for share in shares:
        everything = sum(total.values())
        common += sum(value * (everything - total[one]) for one, value in share.items())
        total.update(share)
    ours, theirs = (_apart(side) for side in (key, response))
    return common, theirs, common, ours


def _apart(entities: Entities) -> float:
    return pairs_of(sum(map(len, entities))) - sum(pairs_of(len(e)) for e in entities)


_METRICS: dict[str, Metric] = {
    "muc": _by_side(_muc),
    "b3": _by_side(_b3),
    "lea": _by_side(_lea),
    "ceafm": _ceaf(False),
    "ceafe": _ceaf(True),
    "coreferent": _coreferent,
    "separate": _separate,
}


def relations_by_document(
    relations: Iterator[tuple[int, str, str]], count: int
) -> list[dict[str, list[str]]]:
    """By document, the names of the entities that each entity is made of."""
    made_of: list[dict[str, list[str]]] = [{} for _ in range(count)]
    for document, whole, element in relations:
        made_of[document].setdefault(whole, []).append(element)
    return made_of
