"""Kinds guessed from the words alone: closed lists of pronouns, and capital letters.

A last resort for English and Polish text without parts of speech; a score that rests on it says
``kinds:guess``. A mention of pronouns is a pronoun. The head of an English mention is taken to be
the last word before a modifier, that of a Polish one the first word that is not a pronoun; a head
with a capital letter makes a name, unless it starts a sentence and its document also has it in
lower case. Each document is judged by itself, its language too, so that it does not matter which
others are read with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.corpus.words import Wording, wording_of
from corefine.kinds.closed_words import (
    ENGLISH_FUNCTION_WORDS,
    ENGLISH_MODIFIER_OPENERS,
    ENGLISH_PRONOUNS,
    POLISH_FUNCTION_WORDS,
    POLISH_MODIFIER_OPENERS,
    POLISH_PRONOUNS,
)

_ENOUGH = 100
"""Words of a document that must be there before anything is said against it."""
_USUAL = 1 / 8
"""A text has more function words than this: English 38 to 54%, Polish about 20%, Dutch 6% of the
English list."""


@dataclass(frozen=True, slots=True)
class Language:
    """What the guess knows of a language."""

    name: str
    pronouns: frozenset[str]
    openers: frozenset[str]
    function_words: frozenset[str]
    head_first: bool
    """Whether modifiers follow the head without a preposition, as genitives do."""


ENGLISH = Language(
    "English", ENGLISH_PRONOUNS, ENGLISH_MODIFIER_OPENERS, ENGLISH_FUNCTION_WORDS, False
)
POLISH = Language("Polish", POLISH_PRONOUNS, POLISH_MODIFIER_OPENERS, POLISH_FUNCTION_WORDS, True)
LANGUAGES = (ENGLISH, POLISH)

_WARNING = (
    "kinds are guessed by lists of English or Polish words, which not all of the text seems to be "
    "in; tell kinds by a file"
)


def kinds_by_guess(corpus: Corpus) -> tuple[NDArray[np.uint8], str | None]:
    """The kind of each mention as far as its words tell, and what there is to warn of."""
    wording = wording_of(corpus)
    kind = np.zeros(len(corpus.mentions), np.uint8)
    spoken = np.flatnonzero(wording.lengths > 0)
    if not len(spoken):
        return kind, None
    words = _Words.of(corpus, wording)
    spoken_in, doubtful = words.languages()
    language_of = spoken_in[corpus.mentions.document[spoken]]
    for number, language in enumerate(LANGUAGES):
        rows = spoken[language_of == number]
        if len(rows):
            kind[rows] = _kinds(corpus, wording.take(rows), rows, language, words)
    return kind, _WARNING if doubtful else None


@dataclass(frozen=True, slots=True, eq=False)
class _Words:
    """All words of the documents: those of the text, or of the mentions where there is none."""

    document: IntArray
    documents: int
    vocabulary: list[str]
    numbers: IntArray

    @classmethod
    def of(cls, corpus: Corpus, wording: Wording) -> _Words:
        count = len(corpus.documents)
        if corpus.tokens is None:
            document = corpus.mentions.document[wording.owner]
            return cls(document, count, *wording.words.distinct())
        return cls(corpus.tokens.document_of_token, count, *corpus.tokens.words.distinct())

    def languages(self) -> tuple[IntArray, bool]:
        """The likeliest language of each document, and whether one is in neither."""
        lowered = [word.lower() for word in self.vocabulary]
        counts = np.array(
            [self._count([word in one.function_words for word in lowered]) for one in LANGUAGES]
        )
        # A word of letters: figures and signs say nothing of a language.
        total = self._count([word.isalpha() for word in self.vocabulary])
        doubtful = (total > _ENOUGH) & (counts.max(axis=0) < _USUAL * total)
        return counts.argmax(axis=0), bool(doubtful.any())

    def _count(self, judged: list[bool]) -> IntArray:
        """How many words of each document are judged so."""
        chosen = self.document[np.array(judged, bool)[self.numbers]]
        return np.bincount(chosen, minlength=self.documents)

    def has(self, document: IntArray, words: list[str]) -> BoolArray:
        """Whether documents have these words."""
        number = {word: place for place, word in enumerate(self.vocabulary)}
        wanted = np.array([number.get(word, -1) for word in words], np.int64)
        size = len(self.vocabulary)
        found = np.isin(document * size + wanted, self.document * size + self.numbers)
        return found & (wanted >= 0)


def _kinds(
    corpus: Corpus, wording: Wording, mentions: IntArray, language: Language, text: _Words
) -> NDArray[np.uint8]:
    vocabulary, numbers = wording.words.distinct()
    lowered = [word.lower() for word in vocabulary]

    def of_words(judged: list[bool]) -> BoolArray:
        """A judgement of each distinct word, for each word."""
        return np.array(judged, bool)[numbers]

    pronoun = of_words([word in language.pronouns for word in lowered])
    opener = of_words([word in language.openers for word in lowered])
    empty = of_words([word in language.function_words for word in lowered])
    capital = of_words([word[:1].isupper() for word in vocabulary])
    starts, lengths = wording.offsets[:-1], wording.lengths
    place = np.arange(len(numbers)) - np.repeat(starts, lengths)

    def first_of(wanted: BoolArray) -> IntArray:
        return np.minimum.reduceat(np.where(wanted, place, len(place)), starts)

    def last_of(wanted: BoolArray) -> IntArray:
        return np.maximum.reduceat(np.where(wanted, place, -1), starts)

    content = ~empty
    limit = first_of(opener & (place > np.repeat(first_of(content), lengths)))
    inside = content & (place < np.repeat(limit, lengths))
    first, last = first_of(inside), last_of(inside)
    has_head = last >= 0
    head = np.where(has_head, first if language.head_first else last, 0)
    name = capital[starts + head] & ~_lowered_elsewhere(
        corpus, mentions, head, wording.words.take(starts + head), text
    )
    kind = np.full(len(starts), Kind.NOMINAL, np.uint8)
    kind[has_head & name] = Kind.NAME
    kind[~has_head & (last_of(pronoun) >= 0)] = Kind.PRONOUN
    return kind


def _lowered_elsewhere(
    corpus: Corpus, mentions: IntArray, head: IntArray, words: Strings, text: _Words
) -> BoolArray:
    """Whether a head opens a sentence, and its document has the same word in lower case."""
    doubtful = np.zeros(len(mentions), bool)
    if corpus.tokens is None:
        return doubtful
    rows = corpus.mentions
    document = rows.document[mentions]
    token = corpus.tokens.offsets[document] + rows.start[mentions] + head
    doubtful[np.isin(token, corpus.tokens.sentences)] = True
    at = np.flatnonzero(doubtful)
    doubtful[at] = text.has(document[at], [word.lower() for word in words.take(at).tolist()])
    return doubtful
