"""Kinds guessed from the words alone: closed lists of pronouns, and capital letters.

A last resort for English and Polish text without parts of speech; a score that rests on it says
``kinds:guess``. A mention of pronouns is a pronoun. The head of an English mention is taken to be
the last word before a modifier, that of a Polish one the first word that is not a pronoun; a head
with a capital letter makes a name, unless it starts a sentence and also occurs in lower case.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefine.closed_words import (
    ENGLISH_FUNCTION_WORDS,
    ENGLISH_MODIFIER_OPENERS,
    ENGLISH_PRONOUNS,
    POLISH_FUNCTION_WORDS,
    POLISH_MODIFIER_OPENERS,
    POLISH_PRONOUNS,
)
from corefine.columns import BoolArray, IntArray
from corefine.corpus import Corpus, Kind
from corefine.wording import Wording, wording_of

_SAMPLE = 20_000
"""Words by which the language is told."""
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


def kinds_by_guess(corpus: Corpus) -> tuple[NDArray[np.uint8], str | None]:
    """The kind of each mention as far as its words tell, and what there is to warn of."""
    wording = wording_of(corpus)
    kind = np.zeros(len(corpus.mentions), np.uint8)
    spoken = np.flatnonzero(wording.lengths > 0)
    if not len(spoken):
        return kind, None
    language, warning = _language(corpus, wording)
    kind[spoken] = _kinds(corpus, wording.take(spoken), spoken, language)
    return kind, warning


def _language(corpus: Corpus, wording: Wording) -> tuple[Language, str | None]:
    text = wording.words if corpus.tokens is None else corpus.tokens.words
    words = [word.lower() for word in text[:_SAMPLE].tolist() if word.isalpha()]
    count = {
        language: sum(word in language.function_words for word in words)
        for language in (ENGLISH, POLISH)
    }
    likelier = max(count, key=lambda language: count[language])
    if len(words) > 100 and count[likelier] < _USUAL * len(words):
        return likelier, (
            "kinds are guessed by lists of English or Polish words, which this text does not seem "
            "to be in; tell kinds by a file"
        )
    return likelier, None


def _kinds(
    corpus: Corpus, wording: Wording, mentions: IntArray, language: Language
) -> NDArray[np.uint8]:
    numbers, vocabulary = wording.vocabulary()
    lowered = [word.lower() for word in vocabulary]

    def of_words(judged: list[bool]) -> BoolArray:
        """A judgement of each distinct word, for each word."""
        return np.array(judged, bool)[numbers]

    pronoun = of_words([word in language.pronouns for word in lowered])
    opener = of_words([word in language.openers for word in lowered])
    empty = of_words([word in language.function_words for word in lowered])
    capital = of_words([word[0].isupper() for word in vocabulary])
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
        corpus, mentions, head, wording, starts + head
    )
    kind = np.full(len(starts), Kind.NOMINAL, np.uint8)
    kind[has_head & name] = Kind.NAME
    kind[~has_head & (last_of(pronoun) >= 0)] = Kind.PRONOUN
    return kind


def _lowered_elsewhere(
    corpus: Corpus, mentions: IntArray, head: IntArray, wording: Wording, words: IntArray
) -> BoolArray:
    """Whether a head opens a sentence, and the text has the same word in lower case."""
    doubtful = np.zeros(len(mentions), bool)
    if corpus.tokens is None:
        return doubtful
    rows = corpus.mentions
    token = corpus.tokens.offsets[rows.document[mentions]] + rows.start[mentions] + head
    doubtful[np.isin(token, corpus.tokens.sentences)] = True
    known = set(corpus.tokens.words.tolist())
    at = np.flatnonzero(doubtful)
    doubtful[at] = [word.lower() in known for word in wording.words.take(words[at]).tolist()]
    return doubtful
