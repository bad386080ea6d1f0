"""Made-up documents with a key and a perturbed response, from a seed.

A document is words, sentences and two lists of mentions. Mentions are flat spans, some of them
inside a larger one; they never cross, so that any reader of brackets finds the same mentions.
Entities have Zipf-like sizes with many singletons. The response has the errors of real systems:
missed and invented mentions, wrong boundaries, mentions in the wrong entity, entities split and
merged.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Ints = NDArray[np.int64]

SEED = 20_120_801
VOCABULARY_SIZE = 12_000
_SYLLABLES = [a + b for a in ("b", "d", "k", "l", "m", "n", "r", "s", "t", "v") for b in "aeiou"]


@dataclass(frozen=True, slots=True)
class Shape:
    """Size of documents, and distribution of their mentions over entities."""

    tokens: int
    mentions: int
    entities: int
    """Entities that compete for the mentions that are not singletons by intent."""
    singletons: float
    """The share of mentions that are an entity of their own by intent."""
    sentence: int = 24


#: Excerpts of novels, long and rich in singletons: 100 of them are 210,000 tokens.
NOVELS = Shape(tokens=2130, mentions=300, entities=34, singletons=0.17)
#: News, conversation and web text, short and with few singletons: 348 of them are 170,000 tokens.
NEWS = Shape(tokens=490, mentions=57, entities=14, singletons=0.0)


@dataclass(frozen=True, slots=True)
class Mentions:
    """Spans of tokens, the last token included, and the entity of each."""

    first: Ints
    last: Ints
    entity: Ints

    def __len__(self) -> int:
        return len(self.first)

    def entities(self) -> list[list[tuple[int, int]]]:
        """The same as plain lists: one of spans for each entity."""
        order = np.argsort(self.entity, kind="stable")
        bounds = np.flatnonzero(np.diff(self.entity[order])) + 1
        spans = list(zip(self.first[order].tolist(), self.last[order].tolist(), strict=True))
        return [spans[a:b] for a, b in zip([0, *bounds], [*bounds, len(spans)], strict=True)]


@dataclass(frozen=True, slots=True)
class Document:
    number: int
    words: Ints
    """Numbers of words in the vocabulary."""
    sentences: Ints
    """The first token of each sentence."""
    key: Mentions
    response: Mentions


@cache
def vocabulary() -> list[str]:
    """Words of a made-up language, from the most frequent to the rarest."""
    rng = np.random.default_rng(SEED)
    marks = [",", ".", "«", "»", ";"]
    words: dict[str, None] = dict.fromkeys(marks)
    while len(words) < VOCABULARY_SIZE:
        length = int(rng.integers(1, 5))
        word = "".join(_SYLLABLES[i] for i in rng.integers(0, len(_SYLLABLES), length))
        words[word.capitalize() if rng.random() < 0.1 else word] = None
    return list(words)


@cache
def _zipf(size: int, exponent: float) -> NDArray[np.float64]:
    """The cumulative probabilities of ranks 1 to size."""
    weights = np.arange(1, size + 1, dtype=np.float64) ** -exponent
    return np.asarray(np.cumsum(weights / weights.sum()))


def _draw(rng: Generator, cumulative: NDArray[np.float64], size: int) -> Ints:
    return np.minimum(np.searchsorted(cumulative, rng.random(size)), len(cumulative) - 1)


def document(number: int, shape: Shape = NOVELS) -> Document:
    """Document ``number`` of the endless made-up corpus; it does not depend on the others."""
    rng = np.random.default_rng([SEED, number, shape.tokens])
    size = max(60, round(rng.normal(shape.tokens, shape.tokens / 8)))
    words = _draw(rng, _zipf(VOCABULARY_SIZE, 1.05), size)
    lengths = np.maximum(3, rng.gamma(3.0, shape.sentence / 3, size)).astype(np.int64)
    sentences = np.concatenate(([0], np.cumsum(lengths)))
    sentences = sentences[sentences < size]
    key, nested = _key_mentions(rng, sentences, size, round(shape.mentions * size / shape.tokens))
    entity = _entities(rng, len(key[0]), shape)
    mentions = Mentions(key[0], key[1], entity)
    return Document(
        number, words, sentences, mentions, _response(rng, mentions, nested, sentences, size)
    )


def _key_mentions(
    rng: Generator, sentences: Ints, size: int, count: int
) -> tuple[tuple[Ints, Ints], NDArray[np.bool_]]:
    """Flat spans first, then larger ones over two neighbours; and who is part of such a pair."""
    flat = round(count / 1.12)
    first = np.sort(rng.choice(size, min(flat, size // 2), replace=False))
    sentence_of = np.searchsorted(sentences, first, side="right") - 1
    sentence_last = np.append(sentences[1:], size)[sentence_of] - 1
    room = np.minimum(np.append(first[1:], size) - 1, sentence_last)
    last = np.minimum(first + rng.geometric(0.55, len(first)) - 1, room)
    left = np.arange(0, len(first) - 1, 2)
    left = left[
        (sentence_of[left] == sentence_of[left + 1])
        & (last[left + 1] - first[left] < 12)
        & (rng.random(len(left)) < 0.35)
    ]
    nested = np.zeros(len(first) + len(left), dtype=np.bool_)
    nested[left] = nested[left + 1] = nested[len(first) :] = True
    spans = np.concatenate((first, first[left])), np.concatenate((last, last[left + 1]))
    return spans, nested


def _entities(rng: Generator, count: int, shape: Shape) -> Ints:
    entity = _draw(rng, _zipf(shape.entities, 1.0), count)
    alone = rng.random(count) < shape.singletons
    entity[alone] = shape.entities + np.arange(np.count_nonzero(alone))
    return np.asarray(np.unique(entity, return_inverse=True)[1])


def _response(
    rng: Generator, key: Mentions, nested: NDArray[np.bool_], sentences: Ints, size: int
) -> Mentions:
    first, last, entity = key.first, key.last.copy(), key.entity.copy()
    fresh = int(entity.max()) + 1

    # Entities: about one in ten loses some mentions to a new one, one in ten joins another.
    split = rng.random(fresh) < 0.1
    torn = split[entity] & (rng.random(len(key)) < 0.4)
    entity[torn] += fresh
    target = np.arange(2 * fresh)
    merged = np.flatnonzero(rng.random(fresh) < 0.1)
    target[merged] = rng.integers(0, fresh, len(merged))
    entity = target[entity]

    # Mentions in the wrong entity: they take the place of others, chosen at random.
    moved = np.flatnonzero(rng.random(len(key)) < 0.08)
    entity[moved] = entity[rng.integers(0, len(key), len(moved))]

    # Boundaries: one word more where the next word is free, otherwise one word less.
    taken = np.zeros(size + 1, dtype=np.int64)
    np.add.at(taken, first, 1)
    np.subtract.at(taken, last + 1, 1)
    covered = np.cumsum(taken) > 0
    covered[sentences] = True  # keeps an extended mention within its sentence
    covered[size] = True
    wrong = (rng.random(len(key)) < 0.08) & ~nested
    longer = wrong & ~covered[last + 1]
    shorter = wrong & ~longer & (last > first)
    last[longer] += 1
    covered[last[longer]] = True
    last[shorter] -= 1

    # Mentions missed, and single words invented where no mention stands.
    found = rng.random(len(key)) >= 0.08
    free = np.flatnonzero(~covered)
    invented = np.sort(rng.choice(free, min(len(free), round(0.08 * len(key))), replace=False))
    entity = np.concatenate((entity[found], rng.integers(0, 3 * fresh, len(invented))))
    names = rng.permutation(3 * fresh)  # a system's numbers have nothing to do with the key's
    entity = np.unique(names[entity], return_inverse=True)[1]
    return Mentions(
        np.concatenate((first[found], invented)), np.concatenate((last[found], invented)), entity
    )
