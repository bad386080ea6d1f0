"""Information weights of mentions (required by Holen 2013, who does not define them).

The default weight of a mention is 0 for a pronoun or zero, otherwise the number of its content
words that do not occur in an earlier mention of the same entity, and at least 1 for a name. Any
function from a corpus to one weight per mention can replace it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import FloatArray
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError, closest
from corefine.metrics.base import KINDS

InformationWeight = Callable[[Corpus], FloatArray]
"""From a corpus, whose mentions have their kinds, to the weight of each of its mentions."""
_SILENT = (Kind.PRONOUN, Kind.ZERO)
"""Kinds of mentions without information."""


def new_words(corpus: Corpus) -> FloatArray:
    """The default weight of each mention of a corpus.

    Mentions are processed in text order (by start, then by end). Without a text, they keep their
    input order and their words are those of their names. Words are compared case-insensitively.

    >>> from corefine.kinds.kind_plan import kinds_of
    >>> entity = ["Marta Reyes", "she", "the mayor of Lund", "Mayor Reyes", "the mayor"]
    >>> new_words(kinds_of(Corpus.from_entities([entity]), "guess")).tolist()
    [2.0, 0.0, 2.0, 1.0, 0.0]
    """
    from corefine.corpus.words import wording_of
    from corefine.kinds.guess import is_content_word

    mentions, wording, kind = corpus.mentions, wording_of(corpus), _kinds(corpus)
    numbers: dict[str, int] = {}
    words = wording.words.looked_up(
        lambda word: numbers.setdefault(word.lower(), len(numbers)), np.int64
    )
    is_content = wording.words.looked_up(is_content_word, bool)
    heard = np.flatnonzero(is_content & ~np.isin(kind, _SILENT)[wording.owner])
    owner, word = wording.owner[heard], words[heard]
    rank = np.empty(len(mentions), np.int64)
    rank[np.lexsort((mentions.stop, mentions.start, mentions.document))] = np.arange(len(mentions))
    order = np.lexsort((rank[owner], word, mentions.entity[owner]))
    owner, word = owner[order], word[order]
    entity = mentions.entity[owner]
    first = np.ones(len(owner), bool)
    first[1:] = (entity[1:] != entity[:-1]) | (word[1:] != word[:-1])
    weight = np.bincount(owner[first], minlength=len(mentions)).astype(np.float64)
    return np.where(kind == Kind.NAME, np.maximum(weight, 1), weight)


def _kinds(corpus: Corpus) -> NDArray[np.uint8]:
    """The kind of each mention; all are unknown in a corpus without kinds."""
    kind = corpus.mentions.kind
    return np.zeros(len(corpus.mentions), np.uint8) if kind is None else kind


def weights_written(text: str, known: Sequence[str] | None = None) -> dict[str, float]:
    """Weights written as ``name=2+pronoun=0.5``, each 0 or more; names may be restricted.

    >>> weights_written("name=2+pronoun=0.5")
    {'name': 2.0, 'pronoun': 0.5}
    """
    found: dict[str, float] = {}
    for part in text.split("+"):
        name, _, number = (piece.strip() for piece in part.partition("="))
        try:
            weight = float(number)
        except ValueError:
            weight = float("nan")
        if not name or name in found or not np.isfinite(weight) or weight < 0:
            raise UsageError(
                f"{part.strip()!r} is not a weight", remedy="Write them as name=2+pronoun=0.5."
            )
        if known is not None and name not in known:
            raise UsageError(
                f"there is no {name!r} to weigh",
                remedy=f"Use some of: {', '.join(known)}.{closest(name, known)}",
            )
        found[name] = weight
    return found


def kind_weights(text: str, otherwise: float = 1.0) -> FloatArray:
    """The weight of each :class:`~corefine.corpus.columns.Kind`; unlisted ones have the same."""
    weights = np.full(len(Kind), otherwise)
    for name, weight in weights_written(text, KINDS).items():
        weights[KINDS.index(name)] = weight
    return weights


def information_named(weight: InformationWeight | str) -> InformationWeight:
    """A function, ``new-words``, or a weight by kinds: ``name=2,nominal=1``; others weigh 0.

    >>> from corefine.kinds.kind_plan import kinds_of
    >>> corpus = kinds_of(Corpus.from_entities([["Marta Reyes", "she"]]), "guess")
    >>> information_named("name=2,pronoun=0.5")(corpus).tolist()
    [2.0, 0.5]
    """
    if not isinstance(weight, str):
        return weight
    if weight == "new-words":
        return new_words
    if "=" not in weight:
        raise UsageError(
            f"unknown information weight {weight!r}",
            remedy="Use new-words, or kinds such as name=2,nominal=1,pronoun=0.",
        )
    weights = kind_weights(weight.replace(",", "+"), 0.0)
    return lambda corpus: weights[_kinds(corpus)]


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
