"""Words as numbers, English word lists, dependencies and head words.

The head of a mention is the one that the corpus gives; with dependencies, the first word whose
parent is outside the mention; with parts of speech, the head by :mod:`corefine.kinds`; otherwise
the last word before a modifier, which opens with a preposition, a relative pronoun or a comma.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray, Strings, ranges
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import Spans
from corefine.formats.io.token_rows import parent_tokens
from corefine.kinds.part_of_speech import has_columns, head_tokens, token_tags


@cache
def word_lists() -> dict[str, frozenset[str]]:
    """The lists of ``data/lexicon.toml``; ``+NAME`` in a list includes another one."""
    text = (files("corefine.resolving") / "data" / "lexicon.toml").read_text("utf-8")
    lists: dict[str, frozenset[str]] = {}
    for name, words in tomllib.loads(text).items():
        found: set[str] = set()
        for word in words.split():
            found |= lists[word[1:]] if word.startswith("+") else {word}
        lists[name] = frozenset(found)
    return lists


@dataclass(frozen=True, slots=True, eq=False)
class WordCodes:
    """A column of words in lower case: the distinct words, and the number of each row's word."""

    words: tuple[str, ...]
    code: IntArray
    capital: BoolArray
    """True for rows whose word starts with a capital letter."""

    @classmethod
    def of(cls, column: Strings) -> WordCodes:
        forms, form = column.distinct()
        number: dict[str, int] = {}
        lowered = [number.setdefault(word.lower(), len(number)) for word in forms]
        capital = np.array([word[:1].isupper() for word in forms], bool)
        return cls(tuple(number), np.array(lowered, np.int64)[form], capital[form])

    @property
    def numeric(self) -> BoolArray:
        """True for rows whose word has a digit."""
        return np.array([any(map(str.isdigit, word)) for word in self.words], bool)[self.code]

    def among(self, words: Collection[str]) -> BoolArray:
        """True for rows whose word is among ``words``."""
        return np.array([word in words for word in self.words], bool)[self.code]

    def listed(self, *lists: str) -> BoolArray:
        """True for rows whose word is in one of the named word lists."""
        return self.among(frozenset().union(*(word_lists()[name] for name in lists)))

    def flags(self, lists: Mapping[int, str]) -> NDArray[np.uint8]:
        """The union of the flags whose word lists contain each row's word."""
        result = np.zeros(len(self.words), np.uint8)
        for flag, name in lists.items():
            known = word_lists()[name]
            result |= np.array([flag if word in known else 0 for word in self.words], np.uint8)
        return result[self.code]


def covered(start: IntArray, stop: IntArray) -> tuple[IntArray, IntArray]:
    """The tokens of all spans, span by span, and the span that each token belongs to."""
    lengths = stop - start
    return ranges(start, lengths), np.repeat(np.arange(len(start)), lengths)


def _word_number(cell: str) -> int:
    """The number of a word; -1 for other cells, and for numbers that no sentence reaches."""
    return int(cell) if cell.isdecimal() and len(cell) < 10 else -1


def parents(tokens: Tokens) -> IntArray | None:
    """The parent of each token, -1 for roots; None without dependencies."""
    column = tokens.layers.get("head")
    if column is None:
        return None
    cells, code = column.distinct()
    number = np.array([_word_number(cell) for cell in cells], np.int64)[code]
    if (number < 0).all():
        return None
    return parent_tokens(number, tokens.sentences, tokens.empty)


def governor_of(tokens: Tokens, token: int, deps: str) -> int:
    """The word that an empty node depends on, by its enhanced dependencies; -1 without one."""
    number = _word_number(deps.partition("|")[0].partition(":")[0])
    index = int(tokens.sentence_of(np.array([token]))[0])
    stop = int(np.append(tokens.sentences, len(tokens))[index + 1])
    place = np.arange(int(tokens.sentences[index]), stop)
    words = place if tokens.empty is None else place[~tokens.empty[place]]
    return int(words[number - 1]) if 0 < number <= len(words) else -1


def heads_of(corpus: Corpus, tokens: Tokens, words: WordCodes) -> IntArray:
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


def _outermost(parent: IntArray, start: IntArray, stop: IntArray) -> IntArray:
    """The first token of each span whose parent is outside the span."""
    token, owner = covered(start, stop)
    above = parent[token]
    leaves = (above < start[owner]) | (above >= stop[owner])
    head = start.copy()
    # Written from the last to the first, so that the first remains.
    head[owner[leaves][::-1]] = token[leaves][::-1]
    return head


def last_before_modifiers(words: WordCodes, start: IntArray, stop: IntArray) -> IntArray:
    """The last word of each span before a modifier, ignoring punctuation."""
    lengths = stop - start
    token, owner = covered(start, stop)
    candidate = ~words.listed("possessive_markers", "punctuation")[token]
    # No modifier opens before the first word that can be a head.
    seen: IntArray = np.cumsum(candidate) - candidate
    before = np.concatenate([seen, [0]])[np.cumsum(lengths) - lengths]
    opened = words.listed("modifier_openers")[token] & (seen > before[owner])
    limit = stop.copy()
    limit[owner[opened][::-1]] = token[opened][::-1]
    inside = candidate & (token < limit[owner])
    head = stop - 1
    head[owner[inside]] = token[inside]
    return head
