"""Information weights of mentions (required by Holen 2013, who does not define them).

The default weight of a mention is 0 for a pronoun or zero, otherwise the number of its content
words that do not occur in an earlier mention of the same entity, and at least 1 for a name. Any
function from a corpus to one weight per mention can replace it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from corefine.corpus.arrays import FloatArray
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError

InformationWeight = Callable[[Corpus], FloatArray]
"""From a corpus, whose mentions have their kinds, to the weight of each of its mentions."""


def new_words(corpus: Corpus, is_content: Callable[[str], bool] | None = None) -> FloatArray:
    """The default weight of each mention of a corpus.

    Mentions are processed in text order (by start, then by end). Without a text, they keep their
    input order and their words are those of their names. Words are compared case-insensitively.
    ``is_content`` returns True for content words; by default those outside closed classes.

    >>> from corefine.kinds.kind_plan import kinds_of
    >>> entity = ["Marta Reyes", "she", "the mayor of Lund", "Mayor Reyes", "the mayor"]
    >>> new_words(kinds_of(Corpus.from_entities([entity]), "guess")).tolist()
    [2.0, 0.0, 2.0, 1.0, 0.0]
    """
    from corefine.corpus.words import wording_of
    from corefine.kinds.languages import is_content_word

    mentions = corpus.mentions
    is_content = is_content or is_content_word
    wording = wording_of(corpus)
    numbers, vocabulary = wording.vocabulary()
    lowered = {word: place for place, word in enumerate({word.lower() for word in vocabulary})}
    same = np.array([lowered[word.lower()] for word in vocabulary], np.int64)
    tells = np.array([is_content(word) for word in vocabulary], bool)
    kind = np.zeros(len(mentions), np.uint8) if mentions.kind is None else mentions.kind
    silent = (kind == Kind.PRONOUN) | (kind == Kind.ZERO)
    owner = wording.owner
    heard = np.flatnonzero(tells[numbers] & ~silent[owner]) if len(numbers) else owner
    rank = np.empty(len(mentions), np.int64)
    rank[np.lexsort((mentions.stop, mentions.start, mentions.document))] = np.arange(len(mentions))
    owner, word = owner[heard], same[numbers[heard]] if len(numbers) else heard
    order = np.lexsort((rank[owner], word, mentions.entity[owner]))
    owner, word = owner[order], word[order]
    entity = mentions.entity[owner]
    first = np.ones(len(owner), bool)
    first[1:] = (entity[1:] != entity[:-1]) | (word[1:] != word[:-1])
    weight = np.bincount(owner[first], minlength=len(mentions)).astype(np.float64)
    return np.where(kind == Kind.NAME, np.maximum(weight, 1), weight)


def all_words(corpus: Corpus) -> FloatArray:
    """The number of content words of each mention, repeated or not; 0 for pronouns and zeros."""
    from corefine.corpus.words import wording_of
    from corefine.kinds.languages import is_content_word

    wording, mentions = wording_of(corpus), corpus.mentions
    forms, form = wording.words.distinct()
    tells = np.array([is_content_word(word) for word in forms], bool)[form]
    count = np.bincount(wording.owner[tells], minlength=len(mentions)).astype(np.float64)
    kind = np.zeros(len(mentions), np.uint8) if mentions.kind is None else mentions.kind
    return np.where((kind == Kind.PRONOUN) | (kind == Kind.ZERO), 0.0, count)


NAMED: dict[str, InformationWeight] = {"new-words": new_words, "words": all_words}
"""Information weights by name."""


def information_named(weight: InformationWeight | str) -> InformationWeight:
    """The information weight by name, or by kinds: ``name=2,nominal=1``; others weigh 0.

    >>> from corefine.kinds.kind_plan import kinds_of
    >>> corpus = kinds_of(Corpus.from_entities([["Marta Reyes", "she"]]), "guess")
    >>> information_named("name=2,pronoun=0.5")(corpus).tolist()
    [2.0, 0.5]
    """
    if not isinstance(weight, str):
        return weight
    if weight in NAMED:
        return NAMED[weight]
    weights = np.zeros(max(Kind) + 1)
    for part in weight.split(","):
        name, _, number = part.strip().partition("=")
        known = {kind.name.lower(): kind for kind in Kind}
        try:
            weights[known[name]] = float(number)
        except (KeyError, ValueError):
            raise UsageError(
                f"unknown information weight {part.strip()!r}",
                remedy=f"Use {', '.join(NAMED)}, or kinds such as name=2,nominal=1,pronoun=0.",
            ) from None

    def by_kind(corpus: Corpus) -> FloatArray:
        kind = corpus.mentions.kind
        return weights[np.zeros(len(corpus.mentions), np.int64) if kind is None else kind]

    return by_kind


def weights_of(weight: InformationWeight, corpus: Corpus) -> FloatArray:
    """The weights that a function gives to the mentions of a corpus, checked."""
    name = getattr(weight, "__name__", weight)
    return checked_weights(weight(corpus), len(corpus.mentions), f"the weight {name!r}")


def checked_weights(weights: object, count: int, what: str) -> FloatArray:
    """The weights that a function of the user returned: one per mention or entity."""
    checked = np.asarray(weights, np.float64)
    if checked.shape != (count,) or not np.isfinite(checked).all() or (checked < 0).any():
        raise UsageError(
            f"{what} returned an array of shape {checked.shape}",
            remedy=f"It must return {count:,} finite numbers of 0 or more.",
        )
    return checked


def entity_information(weight: InformationWeight, corpus: Corpus) -> FloatArray:
    """The summed weight of the mentions of each entity."""
    weights = weights_of(weight, corpus)
    sums = np.bincount(corpus.mentions.entity, weights, minlength=len(corpus.entities))
    return sums.astype(np.float64, copy=False)
