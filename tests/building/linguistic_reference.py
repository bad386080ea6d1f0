"""The linguistically aware metrics and PARENT by their definitions, mention by mention."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any

Entities = Sequence[Sequence[Hashable]]
Link = Callable[[Hashable, Hashable], float]
Numbers = tuple[float, float]


def link_by_kind(kinds: Mapping[Any, str], weights: Mapping[str, float]) -> Link:
    """The first rule of the paper that applies: a name, a nominal, anything else."""

    def link(first: Hashable, second: Hashable) -> float:
        both = {kinds.get(first), kinds.get(second)}
        if "name" in both:
            return weights["name"]
        return weights["nominal"] if "nominal" in both else weights["pronoun"]

    return link


def maximum_tree(blocks: Sequence[Sequence[Hashable]], link: Link) -> float:
    """Kruskal's algorithm over the links between mentions of different blocks."""
    owner = {mention: number for number, block in enumerate(blocks) for mention in block}
    links = sorted(
        (
            (link(first, second), place, owner[first], owner[second])
            for place, (first, second) in enumerate(combinations(owner, 2))
            if owner[first] != owner[second]
        ),
        reverse=True,
    )
    root = list(range(len(blocks)))

    def find(block: int) -> int:
        while root[block] != block:
            block = root[block]
        return block

    total = 0.0
    for weight, _, first, second in links:
        if find(first) != find(second):
            root[find(first)] = find(second)
            total += weight
    return total


class Chains:
    """The weights w_c, w_k and w_s of equations 8, 9 and 11."""

    def __init__(self, key: Entities, response: Entities, link: Link, singleton: float) -> None:
        self.key = [list(entity) for entity in key]
        self.response = [list(entity) for entity in response]
        self.link, self.singleton = link, singleton

    def common(self, k: Sequence[Hashable], r: Sequence[Hashable]) -> float:
        shared = [mention for mention in k if mention in r]
        if len(shared) == len(k) == len(r) == 1:
            return self.singleton
        return maximum_tree([[mention] for mention in shared], self.link)

    def of_key(self, k: Sequence[Hashable]) -> float:
        if len(k) == 1:
            return self.singleton
        return maximum_tree([[mention] for mention in k], self.link)

    def of_response(self, r: Sequence[Hashable]) -> float:
        if len(r) == 1:
            return self.singleton
        known = [mention for k in self.key for mention in k]
        blocks = [[mention for mention in r if mention in k] for k in self.key]
        blocks = [block for block in blocks if block]
        inside = sum(maximum_tree([[m] for m in block], self.link) for block in blocks)
        blocks += [[mention] for mention in r if mention not in known]
        return inside + maximum_tree(blocks, self.link)

    def lmuc(self) -> Numbers:
        part = sum(self.common(k, r) for k in self.key for r in self.response)
        return (
            _over(part, sum(map(self.of_response, self.response))),
            _over(part, sum(map(self.of_key, self.key))),
        )

    def lb3(self) -> Numbers:
        values: list[list[float]] = []
        for ours, theirs, weight in (
            (self.response, self.key, self.of_response),
            (self.key, self.response, self.of_key),
        ):
            values.append([])
            for entity in ours:
                if weight(entity) == 0:
                    continue
                for mention in entity:
                    other = next((o for o in theirs if mention in o), [])
                    pair = (entity, other) if ours is self.key else (other, entity)
                    earned = self.common(*pair) / weight(entity) if other else 0.0
                    values[-1].append(earned)
        return _over(sum(values[0]), len(values[0])), _over(sum(values[1]), len(values[1]))

    def lceafm(self) -> Numbers:
        best = self._aligned(self.common)
        return (
            _over(best, sum(map(self.of_response, self.response))),
            _over(best, sum(map(self.of_key, self.key))),
        )

    def lceafe(self) -> Numbers:
        def similarity(k: Sequence[Hashable], r: Sequence[Hashable]) -> float:
            return _over(2 * self.common(k, r), self.of_key(k) + self.of_response(r))

        best = self._aligned(similarity)
        return (
            _over(best, sum(self.of_response(r) > 0 for r in self.response)),
            _over(best, sum(self.of_key(k) > 0 for k in self.key)),
        )

    def _aligned(
        self, similarity: Callable[[Sequence[Hashable], Sequence[Hashable]], float]
    ) -> float:
        table = [[similarity(k, r) for r in self.response] for k in self.key]
        if len(table) > len(self.response):
            table = [list(column) for column in zip(*table, strict=True)]
        if not table:
            return 0.0
        return max(
            sum(row[place] for row, place in zip(table, order, strict=False))
            for order in permutations(range(len(table[0])), len(table))
        )


def parent(
    key: Entities,
    response: Entities,
    defining: Callable[[Hashable], bool],
    referring: Callable[[Hashable], bool],
    gold_all: bool = False,
) -> Numbers:
    """PARENT by its sets of pairs."""
    ours = {mention: number for number, k in enumerate(key) for mention in k}
    theirs = {mention for r in response for mention in r}
    gold = set()
    for number, k in enumerate(key):
        if len(k) == 1 and k[0] not in theirs:
            continue
        if gold_all or any(map(defining, k)):
            gold |= {(mention, number) for mention in k if referring(mention)}
    system = {
        (mention, ours.get(defined, ("alone", defined)))
        for r in response
        for mention in r
        if referring(mention)
        for defined in r
        if defining(defined)
    }
    return _over(len(gold & system), len(system)), _over(len(gold & system), len(gold))


def _over(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
