"""Dependencies and head words of markables.

The head is the one that the corpus gives; with dependencies the first word of the markable whose
parent lies outside it; with parts of speech what :mod:`corefine.kinds` takes for the head; and
without any of these the last word before what opens a modifier: a preposition, a relative pronoun,
a comma.
"""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import IntArray, ranges
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import Spans
from corefine.kinds.head_words import head_tokens
from corefine.kinds.part_of_speech import has_columns, token_tags
from corefine.resolving import lexicon
from corefine.resolving.vocabulary import Vocabulary

_NEVER_HEADS = lexicon.POSSESSIVE_MARKERS | lexicon.PUNCTUATION


def covered(start: IntArray, stop: IntArray) -> tuple[IntArray, IntArray]:
    """The tokens of all spans, one span after another, and the span that each belongs to."""
    lengths = stop - start
    return ranges(start, lengths), np.repeat(np.arange(len(start)), lengths)


def heads_of(corpus: Corpus, tokens: Tokens, words: Vocabulary) -> IntArray:
    """The head word of each mention of a corpus, as a token of the corpus."""
    mentions = corpus.mentions
    if not len(mentions):
        return np.zeros(0, np.int64)
    base = tokens.offsets[mentions.document]
    start, stop = mentions.start + base, mentions.stop + base
    parent = parents(tokens)
    if parent is not None:
        head = _outermost(parent, start, stop)
    elif has_columns(tokens):
        spans = Spans.of(corpus, tokens)
        head = head_tokens(corpus, tokens, spans, token_tags(tokens, spans))
    else:
        head = last_before_modifiers(words, start, stop)
    if mentions.head is not None:
        head = np.where(mentions.head >= 0, mentions.head + base, head)
    return head


def parents(tokens: Tokens) -> IntArray | None:
    """The parent of each token, -1 at a root; None where there are no dependencies."""
    column = tokens.layers.get("head")
    if column is None:
        return None
    cells, code = column.distinct()
    number = np.array([int(cell) if cell.isdecimal() else -1 for cell in cells], np.int64)[code]
    if (number < 0).all():
        return None
    # Numbers count the words of a sentence without its empty nodes.
    word = np.ones(len(tokens), bool) if tokens.empty is None else ~tokens.empty
    rows = np.flatnonzero(word)
    sentence = tokens.sentences[tokens.sentence_of(np.arange(len(tokens)))]
    before = np.concatenate([[0], np.cumsum(word)])[sentence]
    target = before + number - 1
    found = (number > 0) & (target < len(rows))
    parent = np.full(len(tokens), -1)
    parent[found] = rows[target[found]]
    return parent


def _outermost(parent: IntArray, start: IntArray, stop: IntArray) -> IntArray:
    """The first token of each span whose parent lies outside it."""
    token, owner = covered(start, stop)
    above = parent[token]
    leaves = (above < start[owner]) | (above >= stop[owner])
    head = start.copy()
    # Written from the last to the first, so that the first stays.
    head[owner[leaves][::-1]] = token[leaves][::-1]
    return head


def last_before_modifiers(words: Vocabulary, start: IntArray, stop: IntArray) -> IntArray:
    """The last word of each span before a modifier, marks aside."""
    lengths = stop - start
    token, owner = covered(start, stop)
    candidate = ~words.among(_NEVER_HEADS)[token]
    # Nothing opens a modifier before the first word that may be a head.
    seen: IntArray = np.cumsum(candidate) - candidate
    before = np.concatenate([seen, [0]])[np.cumsum(lengths) - lengths]
    opened = words.among(lexicon.MODIFIER_OPENERS)[token] & (seen > before[owner])
    limit = stop.copy()
    limit[owner[opened][::-1]] = token[opened][::-1]
    inside = candidate & (token < limit[owner])
    head = stop - 1
    head[owner[inside]] = token[inside]
    return head
