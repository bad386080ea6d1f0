"""Head words of mentions, from the parse or from the order of parts of speech."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.corpus.words import Spans
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
    """The token after the noun phrase that opens each mention; -1 without such a phrase."""
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
    # "His growing family": a verb ends the part with the head only after a noun.
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


_OPEN, _CLOSE = b"()"
_LABEL_ENDS = np.zeros(256, bool)
_LABEL_ENDS[list(b"(*-=|)")] = True
_NOUN_PHRASES = frozenset(("NP", "NPB", "NX", "NP-TMP", "SN", "sn", "np", "GN", "WHNP"))


def noun_phrases(tokens: Tokens) -> tuple[IntArray, IntArray] | None:
    """First token and token after the last of all noun phrases; inner ones before outer ones.

    None if there is no column of brackets. Sentences with unbalanced brackets have no phrases.
    """
    column = tokens.layers.get("parse")
    if column is None:
        return None
    data = column.block
    signs = np.flatnonzero((data == _OPEN) | (data == _CLOSE))
    if not len(signs):
        return None
    opens = data[signs] == _OPEN
    token = np.searchsorted(column.offsets - column.offsets[0], signs, side="right") - 1
    sentence = tokens.sentence_of(token)
    opening, closing = _pairs(opens, sentence, len(tokens.sentences))
    noun = _is_noun_phrase(data, signs[opening])
    start, stop = token[opening[noun]], token[closing[noun]] + 1
    order = np.lexsort((stop, start))
    return start[order], stop[order]


def _pairs(opens: BoolArray, sentence: IntArray, sentences: int) -> tuple[IntArray, IntArray]:
    """Opening and closing brackets that belong together, of the sentences where all do.

    Brackets of one depth open and close in turn, so sorting by sentence and depth pairs them.
    """
    level = np.cumsum(np.where(opens, 1, -1))
    before = np.concatenate([[0], level])
    first = np.searchsorted(sentence, np.arange(sentences + 1))
    depth = level - before[first[:-1]][sentence] + ~opens
    filled = np.flatnonzero(first[1:] > first[:-1])
    sound = np.zeros(sentences, bool)
    sound[filled] = np.minimum.reduceat(depth, first[filled]) >= 1
    sound &= before[first[1:]] == before[first[:-1]]
    rows = np.flatnonzero(sound[sentence])
    place = sentence[rows] * (int(depth.max(initial=0)) + 1) + depth[rows]
    order = rows[np.argsort(place, kind="stable")]
    return order[0::2], order[1::2]


def _is_noun_phrase(data: np.ndarray, opening: IntArray) -> BoolArray:
    """True for each bracket whose label is that of a noun phrase."""
    ends = np.flatnonzero(_LABEL_ENDS[data])
    stop = np.append(ends, len(data))[np.searchsorted(ends, opening + 1)]
    return Strings.cut(data, opening + 1, stop).looked_up(_NOUN_PHRASES.__contains__, bool)


def base_phrase_ends(
    start: IntArray, stop: IntArray, phrases: tuple[IntArray, IntArray], ends_in_genitive: BoolArray
) -> IntArray:
    """End of the innermost noun phrase that opens each mention and is contained in it, or -1.

    ``ends_in_genitive`` is True for each token that marks a genitive: in "John 's wife" the inner
    phrase "John 's" does not contain the head.
    """
    inside, after = phrases
    wanted = ~ends_in_genitive[after - 1]
    inside, after = inside[wanted], after[wanted]
    at = np.searchsorted(inside, start)
    place = np.minimum(at, max(len(inside) - 1, 0))
    if not len(inside):
        return np.full(len(start), -1)
    fits = (at < len(inside)) & (inside[place] == start) & (after[place] <= stop)
    return np.where(fits, after[place], -1)
