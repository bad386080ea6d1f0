"""Simulations: keys and responses in which one sort of error grows, and nothing else.

They are the experiments of Moosavi & Strube (2016), section 7, for any sizes of entities. Each
gives a key and a response as lists of entities; a mention is written ``e3.1``: the second mention
of the fourth entity, and ``x0`` is one that the key does not have.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import chain, pairwise, zip_longest

from corefine.errors import UsageError

Chains = list[list[str]]
SIZES = (20, 10, 10, 5, 5, 5, 4, *(2,) * 10)
"""The key of the paper's experiments: 79 mentions in 17 entities."""


def key_of(sizes: Sequence[int] = SIZES) -> Chains:
    """Entities of these sizes."""
    return [[f"e{entity}.{number}" for number in range(size)] for entity, size in enumerate(sizes)]


def correct_links(
    share: float,
    sizes: Sequence[int] = SIZES,
    *,
    wrong_links: bool = False,
    seed: int | None = None,
) -> tuple[Chains, Chains]:
    """A response with about this share of the key's links (Figure 2), and with ``wrong_links`` all
    other mentions in entities in which no link is right (Figure 3).

    Entities are resolved one after another, the last one as far as the share needs; with a seed in
    a random order, else the largest first.
    """
    key = key_of(sizes)
    order = list(range(len(key)))
    if seed is None:
        order.sort(key=lambda entity: -len(key[entity]))
    else:
        random.Random(seed).shuffle(order)
    missing = share * sum(_links(len(entity)) for entity in key)
    response: Chains = []
    taken = [0] * len(key)
    for entity in order:
        if missing <= 0:
            break
        size = len(key[entity])
        needed = next((n for n in range(2, size + 1) if _links(n) >= missing), size)
        taken[entity] = needed
        response.append(key[entity][:needed])
        missing -= _links(needed)
    if wrong_links:
        response += _across([entity[count:] for entity, count in zip(key, taken, strict=True)])
    return key, response


def _links(size: int) -> int:
    return size * (size - 1) // 2


def _across(rests: Chains) -> Chains:
    """Entities of at most one mention of each rest; one that is left alone joins another."""
    rounds = [[m for m in turn if m is not None] for turn in zip_longest(*rests)]
    alone = [turn for turn in rounds if len(turn) == 1]
    several = [turn for turn in rounds if len(turn) > 1]
    for turn in alone:
        owner = turn[0].partition(".")[0]
        host = next(
            (one for one in several if all(m.partition(".")[0] != owner for m in one)), None
        )
        if host is not None:
            host.append(turn[0])
    return several


def whole_entities(
    share: float, sizes: Sequence[int] = SIZES, *, decreasing: bool = True
) -> tuple[Chains, Chains]:
    """A response with this share of the entities, whole, the largest (Figure 4) or the smallest
    (Figure 5) first."""
    key = key_of(sizes)
    count = round(share * len(key))
    by_size = sorted(key, key=len, reverse=decreasing)
    return key, by_size[:count]


def split_entity(parts: Sequence[int], sizes: Sequence[int] = SIZES) -> tuple[Chains, Chains]:
    """A response in which one entity is split into parts of these sizes (Figure 6)."""
    key = key_of(sizes)
    whole = _of_size(key, sum(parts))
    bounds = [sum(parts[:number]) for number in range(len(parts) + 1)]
    pieces = [whole[first:last] for first, last in pairwise(bounds)]
    return key, [*pieces, *(entity for entity in key if entity is not whole)]


def extra_mentions(count: int, size: int, sizes: Sequence[int] = SIZES) -> tuple[Chains, Chains]:
    """A response with extra mentions in an entity of this size, or (0) of their own (Figure 7)."""
    key = key_of(sizes)
    extra = [f"x{number}" for number in range(count)]
    if size == 0:
        return key, [*key, extra]
    host = _of_size(key, size)
    return key, [entity + extra if entity is host else entity for entity in key]


def _of_size(key: Chains, size: int) -> list[str]:
    for entity in key:
        if len(entity) == size:
            return entity
    raise UsageError(f"the key has no entity of {size} mentions")


def mention_identification(
    share: float, sizes: Sequence[int] = SIZES, *, seed: int | None = None
) -> tuple[Chains, Chains]:
    """A response with this share of the key's mentions and not one right link (Figure 8)."""
    key = key_of(sizes)
    turns = [m for m in chain.from_iterable(zip_longest(*key)) if m is not None]
    if seed is not None:
        random.Random(seed).shuffle(turns)
    kept = set(turns[: round(share * len(turns))])
    return key, _across([[m for m in entity if m in kept] for entity in key])
