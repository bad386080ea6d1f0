"""The head word of every mention, from the parse or from the order of parts of speech."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import Spans
from corefine.kinds.constituents import base_phrase_ends, noun_phrases
from corefine.kinds.tags import Tag

_NONE = np.iinfo(np.int64).max


def head_tokens(corpus: Corpus, tokens: Tokens, spans: Spans, tags: NDArray[np.uint8]) -> IntArray:
    """The head of each mention as a token of the corpus; ``tags`` are the :class:`Tag` of tokens.

    It is the head that the format gives; else the last noun of the noun phrase that opens the
    mention in the parse; else the last noun before a modifier: before a preposition, a comma, a
    conjunction, a relative pronoun or a verb that follows a noun. Where there is no noun it is the
    last pronoun, numeral or word. "You 're gon na pay it", a pronoun before a verb, is a clause and
    headed by the verb.
    """
    mentions = corpus.mentions
    head = spans.tokens[spans.offsets[:-1]]
    several = np.flatnonzero(spans.lengths > 1)
    if len(several):
        part = spans.take(several)
        head[several] = _by_order(part, tags[part.tokens], _phrase_limits(tokens, part, tags))
    if mentions.head is not None:
        given = tokens.offsets[mentions.document] + mentions.head
        head = np.where(mentions.head >= 0, given, head)
    return head


def _phrase_limits(tokens: Tokens, spans: Spans, tags: NDArray[np.uint8]) -> IntArray | None:
    """The token behind the noun phrase that opens each mention; -1 where none does."""
    phrases = noun_phrases(tokens)
    if phrases is None:
        return None
    first = spans.tokens[spans.offsets[:-1]]
    last = spans.tokens[spans.offsets[1:] - 1]
    return base_phrase_ends(first, last + 1, phrases, tags == Tag.POSSESSIVE)


def _by_order(spans: Spans, tags: NDArray[np.uint8], phrase_stop: IntArray | None) -> IntArray:
    """The heads of mentions of several words; ``tags`` are those of the words of the spans."""
    lengths = spans.lengths
    starts = spans.offsets[:-1]
    place = np.arange(len(tags)) - np.repeat(starts, lengths)

    def first_of(wanted: BoolArray) -> IntArray:
        """The first place in each mention where something holds."""
        return np.minimum.reduceat(np.where(wanted, place, _NONE), starts)

    def last_of(wanted: BoolArray) -> IntArray:
        """The last place in each mention where something holds, or -1."""
        return np.maximum.reduceat(np.where(wanted, place, -1), starts)

    noun = _any_of(tags, Tag.NOUN, Tag.PROPER)
    numeral = tags == Tag.NUMERAL
    pronoun = tags == Tag.PRONOUN
    strong = np.repeat(first_of(noun | numeral), lengths)
    weak = np.repeat(first_of(noun | numeral | pronoun), lengths)
    modifies = _any_of(tags, Tag.PREPOSITION, Tag.CONJUNCTION, Tag.RELATIVE, Tag.COMMA)
    # "His growing family": a verb ends the part with the head only behind a noun.
    ends = (modifies & (place > weak)) | ((tags == Tag.VERB) & (place > strong))
    limit = first_of(ends)
    if phrase_stop is not None:
        known = phrase_stop >= 0
        inside = np.where(known, phrase_stop - spans.tokens[starts], _NONE)
        limit = np.where(known, inside, limit)
    # "Some of the money" is headed by its first word.
    partitive = (tags[starts] == Tag.DETERMINER) & (tags[starts + 1] == Tag.PREPOSITION)
    limit = np.where(partitive, 1, limit)
    within = place < np.repeat(limit, lengths)
    head = last_of(within)
    for wanted in (numeral, pronoun, noun):
        found = last_of(wanted & within)
        head = np.where(found >= 0, found, head)
    second, third = starts + 1, starts + np.minimum(2, lengths - 1)
    after_adverb = (tags[second] == Tag.OTHER) & (tags[third] == Tag.VERB)
    clause = (tags[starts] == Tag.PRONOUN) & ((tags[second] == Tag.VERB) | after_adverb)
    verb = np.where(after_adverb, third, second)
    chosen: IntArray = np.where(clause, verb, starts + np.maximum(head, 0))
    return spans.tokens[chosen]


def _any_of(tags: NDArray[np.uint8], *wanted: Tag) -> BoolArray:
    table = np.zeros(len(Tag), bool)
    table[list(wanted)] = True
    return table[tags]
