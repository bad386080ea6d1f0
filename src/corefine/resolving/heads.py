"""Head words of markables, where the corpus does not give them.

With dependencies the head is the first word of the markable whose parent lies outside it. Without,
it is the last noun (or, without parts of speech, the last word) before what opens a modifier: a
preposition, a relative pronoun, a comma.
"""

from __future__ import annotations

import numpy as np

from corefine.columns import BoolArray, IntArray, ranges
from corefine.corpus import Tokens
from corefine.resolving import lexicon
from corefine.resolving.vocabulary import Vocabulary

_NOUN_TAGS = frozenset("NN NNS NNP NNPS PRP PRP$ WP WP$ NOUN PROPN PRON".split())
_OPENING_TAGS = frozenset("IN TO WDT WP WP$ WRB VBG VBN VBD VBZ VBP , : -LRB- ADP SCONJ".split())
_NEVER_HEADS = lexicon.POSSESSIVE_MARKERS | lexicon.PUNCTUATION


def heads_of(tokens: Tokens, words: Vocabulary, start: IntArray, stop: IntArray) -> IntArray:
    """The head word of each span of tokens of the corpus, as a token of the corpus."""
    parent = parents(tokens)
    if parent is not None:
        return _outermost(parent, start, stop)
    return last_before_modifiers(tokens, words, start, stop)


def parents(tokens: Tokens) -> IntArray | None:
    """The parent of each token as a token of the corpus, -1 at a root; None without dependencies."""
    column = tokens.layers.get("head")
    if column is None:
        return None
    _, first, inverse = np.unique(column.codes(), return_index=True, return_inverse=True)
    cells = column.take(first).tolist()
    values = np.array([int(cell) if cell.isdecimal() else -1 for cell in cells], np.int64)
    number = values[inverse.reshape(-1)]
    if (number < 0).all():
        return None
    own = np.arange(len(tokens))
    sentence = tokens.sentences[tokens.sentence_of(own)]
    if tokens.empty is not None and tokens.empty.any():
        # Numbers count the words alone: the n-th word of a sentence is found among the words.
        place = np.cumsum(~tokens.empty)
        real = np.flatnonzero(~tokens.empty)
        before = place[sentence] - (~tokens.empty[sentence])
        target = before + number - 1
        found = (number > 0) & (target < len(real))
        return np.where(found, real[np.where(found, target, 0)], -1)
    return np.where(number > 0, np.minimum(sentence + number - 1, len(own) - 1), -1)


def _outermost(parent: IntArray, start: IntArray, stop: IntArray) -> IntArray:
    """The first token of each span whose parent lies outside it."""
    lengths = stop - start
    token = ranges(start, lengths)
    owner = np.repeat(np.arange(len(start)), lengths)
    above = parent[token]
    leaves = (above < start[owner]) | (above >= stop[owner])
    head = start.copy()
    # Written from the last to the first, so that the first stays.
    head[owner[leaves][::-1]] = token[leaves][::-1]
    return head


def last_before_modifiers(
    tokens: Tokens, words: Vocabulary, start: IntArray, stop: IntArray
) -> IntArray:
    lengths = stop - start
    token = ranges(start, lengths)
    owner = np.repeat(np.arange(len(start)), lengths)
    opening = words.among(lexicon.MODIFIER_OPENERS)
    ignored = words.among(_NEVER_HEADS)
    noun: BoolArray = ~ignored
    tagged = tag_layer(tokens)
    if tagged is not None:
        tags = Vocabulary.of(tokens.layers[tagged])
        exact = np.array([tag.upper() in _OPENING_TAGS for tag in tags.words], bool)[tags.code]
        nouns = np.array([tag.upper() in _NOUN_TAGS for tag in tags.words], bool)[tags.code]
        # A word such as "like" or "that" opens a modifier only where its tag says so.
        opening = exact | (opening & words.among(lexicon.PUNCTUATION))
        noun = nouns
    # Nothing opens a modifier before the first candidate for a head.
    candidate = noun[token]
    seen = np.cumsum(candidate)
    before = np.concatenate([[0], seen])[np.concatenate([[0], np.cumsum(lengths)])[:-1]]
    opened = opening[token] & (seen - candidate - before[owner] > 0)
    first_open = stop.copy()
    first_open[owner[opened][::-1]] = token[opened][::-1]
    inside = candidate & (token < first_open[owner])
    head = stop - 1
    head[owner[inside]] = token[inside]
    return head


def tag_layer(tokens: Tokens) -> str | None:
    """The layer of parts of speech that says something, ``upos`` before ``pos``; None without."""
    for layer in ("upos", "pos", "xpos"):
        column = tokens.layers.get(layer)
        if column is not None and len(column) and len(np.unique(column.codes())) > 1:
            return layer
    return None
