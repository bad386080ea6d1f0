"""Detection of markables: maximal noun phrases, pronouns and names.

Noun phrases come from constituents if available, otherwise from dependencies, otherwise from the
sequence of parts of speech. A phrase is maximal if no larger one has the same head word; the parts
of a coordination are phrases in addition to the whole. Names are runs of proper nouns inside a
phrase with another head. Every empty node of the text is a zero.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.columns import Entities, Mentions, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import Spans
from corefine.errors import UsageError
from corefine.kinds.part_of_speech import Tag, noun_phrases, token_tags
from corefine.resolving.words import WordCodes, heads_of, parents

_SIGNS = {
    Tag.NOUN: "N",
    Tag.PROPER: "N",
    Tag.PRONOUN: "P",
    Tag.DETERMINER: "D",
    Tag.NUMERAL: "A",
    Tag.POSSESSIVE: "S",
    Tag.OTHER: "A",
}
_CHUNK = re.compile("D*A*N(?:A*N)*(?:SA*N(?:A*N)*)*|DA*")
"""Determiners, modifiers and nouns, also after a genitive; or a determiner alone."""

_APART = frozenset(
    (
        *("conj", "cc", "punct", "case", "cop", "nsubj", "csubj", "mark", "aux", "advcl"),
        *("parataxis", "discourse", "ccomp", "vocative", "list", "orphan", "reparandum"),
        *("dislocated", "appos"),
    )
)
"""Dependents outside the phrase of their head."""

Span = tuple[IntArray, IntArray]


def detect(corpus: Corpus) -> Corpus:
    """The corpus with detected mentions as singletons instead of its own mentions."""
    tokens = corpus.tokens
    assert tokens is not None
    words = WordCodes.of(tokens.words)
    everything = Spans(np.arange(len(tokens)), np.array([0, len(tokens)]))
    tags = token_tags(tokens, everything)
    empty = np.zeros(len(tokens), bool) if tokens.empty is None else tokens.empty
    tags[empty] = Tag.OTHER
    if not tags.any():
        raise UsageError(
            "mentions cannot be detected: the documents have neither parse trees nor "
            "part-of-speech tags",
            remedy="Give documents with these columns, or use gold mentions (--markables gold).",
        )
    phrases = _phrases(corpus, tokens, words, tags)
    zeros = np.flatnonzero(empty)
    spans = [phrases, _pronouns(words, tags), _names(corpus, tokens, words, tags, phrases)]
    spans.append((zeros, zeros + 1))
    start = np.concatenate([span[0] for span in spans])
    stop = np.concatenate([span[1] for span in spans])
    bare = (stop - start == 1) & ~(_can_stand_alone(words, tags) | empty)[start]
    return _with_spans(corpus, tokens, start[~bare], stop[~bare])


def _with_spans(corpus: Corpus, tokens: Tokens, start: IntArray, stop: IntArray) -> Corpus:
    """The corpus with these spans of tokens as mentions, in text order."""
    width = len(tokens) + 1
    code = np.unique(start * width + (width - stop))
    start, stop = code // width, width - code % width
    document = np.searchsorted(tokens.offsets, start, side="right") - 1
    base = tokens.offsets[document]
    entity = np.arange(len(start))
    return replace(
        corpus,
        entities=Entities(document),
        mentions=Mentions(document, entity, start - base, stop - base),
        types=(),
        relations=(),
        warnings=(),
    )


def _phrases(corpus: Corpus, tokens: Tokens, words: WordCodes, tags: NDArray[np.uint8]) -> Span:
    constituents = noun_phrases(tokens)
    if constituents is not None:
        return _maximal(corpus, tokens, words, tags, constituents)
    parent = parents(tokens)
    if parent is not None and "deprel" in tokens.layers:
        return _subtrees(tokens, parent, tags)
    return _chunks(tokens, tags)


def _maximal(
    corpus: Corpus, tokens: Tokens, words: WordCodes, tags: NDArray[np.uint8], phrases: Span
) -> Span:
    """The largest phrase of each head, and coordinations."""
    start, stop = phrases
    coordinated = _coordinations(tags, start, stop)
    spans = _with_spans(corpus, tokens, start[~coordinated], stop[~coordinated])
    base = tokens.offsets[spans.mentions.document]
    low, high = spans.mentions.start + base, spans.mentions.stop + base
    head = heads_of(spans, tokens, words)
    # Longer phrases first: of those with one head the first is the largest.
    order = np.lexsort((low - high, head))
    largest = np.ones(len(order), bool)
    largest[1:] = head[order][1:] != head[order][:-1]
    kept = order[largest]
    return (
        np.concatenate([low[kept], start[coordinated]]),
        np.concatenate([high[kept], stop[coordinated]]),
    )


def _coordinations(tags: NDArray[np.uint8], start: IntArray, stop: IntArray) -> BoolArray:
    """True for phrases that open with another phrase and a conjunction.

    Phrases are ordered by start, then by stop: the preceding phrase, if it has the same start, is
    the largest one that opens this phrase.
    """
    opened = np.zeros(len(start), bool)
    opened[1:] = start[1:] == start[:-1]
    inner = np.zeros(len(start), np.int64)
    inner[1:] = stop[:-1]
    follows = np.minimum(inner, len(tags) - 1)
    joined: BoolArray = tags[follows] == Tag.CONJUNCTION
    return opened & (inner < stop) & joined


def _subtrees(tokens: Tokens, parent: IntArray, tags: NDArray[np.uint8]) -> Span:
    """The phrase of each noun that is not part of a name or compound."""
    low, high = phrases_of(tokens, parent)
    nouns = np.flatnonzero((tags == Tag.NOUN) | (tags == Tag.PROPER))
    # Parts of names and compounds are in the phrase of their head.
    parts = WordCodes.of(tokens.layers["deprel"]).among(
        {"flat", "fixed", "compound", "goeswith", "flat:name"}
    )
    nouns = nouns[~parts[nouns]]
    return low[nouns], high[nouns]


def phrases_of(tokens: Tokens, parent: IntArray) -> Span:
    """The phrase of each word: what depends on it, directly or not, except for clauses."""
    relation = WordCodes.of(tokens.layers["deprel"])
    apart = np.array([name.partition(":")[0] in _APART for name in relation.words], bool)
    joined = np.flatnonzero((parent >= 0) & ~apart[relation.code])
    low, high = np.arange(len(parent)), np.arange(len(parent))
    while True:
        below, above = low.copy(), high.copy()
        np.minimum.at(below, parent[joined], low[joined])
        np.maximum.at(above, parent[joined], high[joined])
        if np.array_equal(below, low) and np.array_equal(above, high):
            break
        low, high = below, above
    return low, high + 1


def _chunks(tokens: Tokens, tags: NDArray[np.uint8]) -> Span:
    """Runs of determiners, modifiers and nouns within sentences."""
    signs = np.full(len(Tag), ord("."), np.uint8)
    for tag, sign in _SIGNS.items():
        signs[tag] = ord(sign)
    # A break before each sentence, so that no chunk crosses it.
    text = np.insert(signs[tags], tokens.sentences, ord("|")).tobytes().decode("ascii")
    found = [match.span() for match in _CHUNK.finditer(text)]
    place = np.array(found, np.int64).reshape(-1, 2)
    breaks = np.searchsorted(tokens.sentences + np.arange(len(tokens.sentences)), place[:, 0])
    return place[:, 0] - breaks, place[:, 1] - breaks


def _pronouns(words: WordCodes, tags: NDArray[np.uint8]) -> Span:
    """Personal and possessive pronouns, and other words tagged as pronouns."""
    start = np.flatnonzero((tags == Tag.PRONOUN) | words.listed("personal_pronouns"))
    return start, start + 1


def _can_stand_alone(words: WordCodes, tags: NDArray[np.uint8]) -> BoolArray:
    """True for words that can be markables: not "there is", nor an article."""
    empty = words.listed("articles") | words.among({"there"}) | (tags == Tag.PUNCTUATION)
    result: BoolArray = ~empty & (tags != Tag.COMMA) & (tags != Tag.POSSESSIVE)
    return result


def _names(
    corpus: Corpus,
    tokens: Tokens,
    words: WordCodes,
    tags: NDArray[np.uint8],
    phrases: Span,
) -> Span:
    """Runs of proper nouns without the head of a phrase."""
    proper = tags == Tag.PROPER
    opens = proper.copy()
    opens[1:] &= ~proper[:-1]
    first_of_sentence = np.zeros(len(tokens) + 1, bool)
    first_of_sentence[tokens.sentences] = True
    opens |= proper & first_of_sentence[:-1]
    ends = proper.copy()
    ends[:-1] &= ~proper[1:] | first_of_sentence[1:-1]
    start, stop = np.flatnonzero(opens), np.flatnonzero(ends) + 1
    spans = _with_spans(corpus, tokens, *phrases)
    is_head = np.zeros(len(tokens) + 1, np.int64)
    is_head[heads_of(spans, tokens, words)] = 1
    counted = np.concatenate([[0], np.cumsum(is_head)])
    headless = counted[stop] == counted[start]
    return start[headless], stop[headless]
