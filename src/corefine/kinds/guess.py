"""Mention kinds guessed from the words alone: closed lists of words, and the shapes of others.

A last resort for English, Polish and Dutch text without parts of speech; a score that rests on it
says ``kinds:guess``. docs/mention-kinds.md measures it. The rules, in the order in which they
decide:

*Clause.* "you 're gon na pay it", a subject pronoun before an auxiliary verb, has no type.
*Pronoun.* A mention of function words with a pronoun among them; a pronoun before a modifier,
"those who stayed"; an indefinite pronoun with anything behind it, "something better". "US" and
"WHO" are no pronouns unless their neighbours are all capitals, too. "Some of them" is a nominal.
*Head.* The last word of a mention before a modifier, brackets and numbers aside ("July 1904"); the
first word of a Polish mention that is no function word.
*Name.* A head with a capital letter, but not

- at the start of a sentence, if its document has it in lower case, or if it looks like a plural and
  its document does not have it with a capital inside a sentence;
- behind a determiner that names do not have ("a", "every") or a quantifier ("one of the Lakes");
- a Dutch genitive behind another noun, "het koninkrijk Gods";
- in a technical document, one that is full of symbols: a symbol ("ESG1", "EcoRI", "PCR"), a label
  ("Figure 2"), or a word that the document also has in lower case or in capitals, or has only at
  the start of sentences.

*Nominal.* Everything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray, offsets_of, ranges
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import Spans, Wording, wording_of
from corefine.kinds.closed_words import (
    DUTCH_FUNCTION_WORDS,
    DUTCH_MODIFIER_OPENERS,
    DUTCH_NAMELESS_DETERMINERS,
    DUTCH_PRONOUNS,
    ENGLISH_ACRONYMS,
    ENGLISH_AUXILIARIES,
    ENGLISH_FUNCTION_WORDS,
    ENGLISH_INDEFINITE_PRONOUNS,
    ENGLISH_LABELS,
    ENGLISH_MODIFIER_OPENERS,
    ENGLISH_NAMELESS_DETERMINERS,
    ENGLISH_PRONOUNS,
    ENGLISH_QUANTIFIERS,
    ENGLISH_REFERRING_PRONOUNS,
    ENGLISH_SUBJECTS,
    POLISH_FUNCTION_WORDS,
    POLISH_MODIFIER_OPENERS,
    POLISH_PRONOUNS,
)
from corefine.kinds.document_words import DocumentWords

_NONE: frozenset[str] = frozenset()
_OPENING, _CLOSING = frozenset("([{") | {"-lrb-"}, frozenset(")]}") | {"-rrb-"}
_JOINTS = frozenset("-/")
_TAILS = frozenset({"et", "al", "al."})
_POSSESSIVES = frozenset({"'s", "’s", "'", "’"})


@dataclass(frozen=True, slots=True)
class Language:
    """What the guess knows of a language."""

    name: str
    pronouns: frozenset[str]
    openers: frozenset[str]
    function_words: frozenset[str]
    head_first: bool
    """Whether modifiers follow the head without a preposition, as genitives do."""
    usual: float
    """A text has more function words than this: English 38 to 54%, Polish about 20%, Dutch 50%
    (German 22% of the Dutch list)."""
    referring: frozenset[str] = _NONE
    """Pronouns that head a mention with a modifier: "those who", "that of"."""
    quantifiers: frozenset[str] = _NONE
    """Words that make a nominal with "of" behind them: "some of them"."""
    determiners: frozenset[str] = _NONE
    """Determiners that names do not have."""
    subjects: frozenset[str] = _NONE
    auxiliaries: frozenset[str] = _NONE
    indefinite: frozenset[str] = _NONE
    """Pronouns that head whatever they open: "something better"."""
    acronyms: frozenset[str] = _NONE
    """Pronouns that are no pronouns in capital letters."""
    labels: frozenset[str] = _NONE
    """What parts of a text are called: "Figure 2"."""
    genitives: bool = False
    """Whether a name in "-s" may follow the head: "het koninkrijk Gods"."""


ENGLISH = Language(
    "English",
    ENGLISH_PRONOUNS,
    ENGLISH_MODIFIER_OPENERS,
    ENGLISH_FUNCTION_WORDS,
    False,
    1 / 8,
    ENGLISH_REFERRING_PRONOUNS,
    ENGLISH_QUANTIFIERS,
    ENGLISH_NAMELESS_DETERMINERS,
    ENGLISH_SUBJECTS,
    ENGLISH_AUXILIARIES,
    ENGLISH_INDEFINITE_PRONOUNS,
    ENGLISH_ACRONYMS,
    ENGLISH_LABELS,
)
POLISH = Language(
    "Polish", POLISH_PRONOUNS, POLISH_MODIFIER_OPENERS, POLISH_FUNCTION_WORDS, True, 1 / 8
)
DUTCH = Language(
    "Dutch",
    DUTCH_PRONOUNS,
    DUTCH_MODIFIER_OPENERS,
    DUTCH_FUNCTION_WORDS,
    False,
    1 / 3,
    determiners=DUTCH_NAMELESS_DETERMINERS,
    genitives=True,
)
LANGUAGES = (ENGLISH, POLISH, DUTCH)

RIGHT = (0.95, 0.99)
"""The lowest and the highest share of right guesses on annotated English corpora (GUM, CRAFT)."""
PARENT_MOVES, LINGUISTIC_MOVE = 4.0, 1.0
"""By how many points F1 moves at most there: PARENT; LMUC, LB³, LCEAFm and LCEAFe."""
DUTCH_RIGHT, DUTCH_MOVE = 0.97, 4.0
"""The share of guesses on OpenBoek that agree with parts of speech, and by how much F1 moves."""
_EXPECTED = {
    "English": f"mention kinds are guessed from words: accuracy {RIGHT[0]:.0%} to {RIGHT[1]:.0%} "
    f"on annotated English text, which moved PARENT by up to {PARENT_MOVES:g} points and other "
    f"metrics by up to {LINGUISTIC_MOVE:g} (docs/mention-kinds.md)",
    "Polish": "mention kinds are guessed from Polish words, and how many are wrong has not been "
    "measured; give them with --kinds FILE",
    "Dutch": f"mention kinds are guessed from Dutch words: in a novella {DUTCH_RIGHT:.0%} agreed "
    f"with parts of speech, and scores moved by up to {DUTCH_MOVE:g} points "
    "(docs/mention-kinds.md)",
}
_FOREIGN = (
    "mention kinds are guessed from English, Polish and Dutch word lists, but some of the text "
    "seems to be in another language: expect most names and pronouns to be wrong, or use --kinds "
    "FILE"
)


def kinds_by_guess(corpus: Corpus) -> tuple[NDArray[np.uint8], tuple[str, ...]]:
    """The kind of each mention as far as its words tell, and what there is to warn of."""
    wording = wording_of(corpus)
    kind = np.zeros(len(corpus.mentions), np.uint8)
    spoken = np.flatnonzero(wording.lengths > 0)
    if not len(spoken):
        return kind, ()
    text = DocumentWords.of(corpus, wording)
    spoken_in, doubtful = text.best_of(
        [language.function_words for language in LANGUAGES],
        [language.usual for language in LANGUAGES],
    )
    mentions = _Mentions.of(corpus, wording, text)
    document = corpus.mentions.document[spoken]
    for number, language in enumerate(LANGUAGES):
        rows = spoken[spoken_in[document] == number]
        if len(rows):
            kind[rows] = _kinds(mentions.take(rows), language, text)
    # What to expect goes by the language, where it is one of these at all.
    warning_of = np.where(doubtful, 0, 1 + spoken_in)[document]
    expected = (_FOREIGN, *(_EXPECTED[language.name] for language in LANGUAGES))
    return kind, tuple(expected[number] for number in np.unique(warning_of).tolist())


@dataclass(frozen=True, slots=True, eq=False)
class _Mentions:
    """The words of mentions, and for each of them what the text around it tells."""

    words: IntArray
    """The numbers of their words in the vocabulary of the text, mention by mention."""
    offsets: IntArray
    document: IntArray
    """Of each mention."""
    technical: BoolArray
    """Of each mention: whether its document is full of symbols."""
    opening: BoolArray
    """Of each word: whether it opens a sentence."""
    shouted: BoolArray
    """Of each word: whether it and a neighbour are written in capitals alone."""

    @classmethod
    def of(cls, corpus: Corpus, wording: Wording, text: DocumentWords) -> _Mentions:
        rows = np.arange(len(wording.words))
        if corpus.tokens is not None:
            rows = Spans.of(corpus, corpus.tokens).tokens
        capitals = text.capitals[text.numbers]
        beside = np.zeros(len(capitals), bool)
        beside[1:] = capitals[:-1]
        beside[:-1] |= capitals[1:]
        document = corpus.mentions.document
        return cls(
            text.numbers[rows],
            wording.offsets,
            document,
            text.technical()[document],
            text.opening[rows],
            (capitals & beside)[rows],
        )

    @property
    def lengths(self) -> IntArray:
        return np.diff(self.offsets)

    def take(self, mentions: IntArray) -> _Mentions:
        """These mentions."""
        lengths = self.lengths[mentions]
        words = ranges(self.offsets[:-1][mentions], lengths)
        return _Mentions(
            self.words[words],
            offsets_of(lengths),
            self.document[mentions],
            self.technical[mentions],
            self.opening[words],
            self.shouted[words],
        )


def _kinds(mentions: _Mentions, language: Language, text: DocumentWords) -> NDArray[np.uint8]:
    numbers, starts, lengths = mentions.words, mentions.offsets[:-1], mentions.lengths
    place = np.arange(len(numbers)) - np.repeat(starts, lengths)

    def among(words: frozenset[str]) -> BoolArray:
        return text.among(words)[numbers]

    def of_mention(column: BoolArray | IntArray) -> Any:
        """A value of each mention, for each word."""
        return np.repeat(column, lengths)

    def first_of(wanted: BoolArray) -> IntArray:
        return np.minimum.reduceat(np.where(wanted, place, len(place)), starts)

    def last_of(wanted: BoolArray) -> IntArray:
        return np.maximum.reduceat(np.where(wanted, place, -1), starts)

    # "US" is no pronoun, unless everything around it is in capitals.
    acronym = among(language.acronyms) & text.capitals[numbers] & ~mentions.shouted
    pronoun = among(language.pronouns) & ~acronym
    content = ~among(language.function_words) | acronym
    behind = place > of_mention(first_of(content))
    aside = behind & _in_brackets(among(_OPENING), among(_CLOSING), starts, lengths)
    # "wild - type mice": hyphens and slashes of technical text join what they stand between.
    opener = among(language.openers) & ~(among(_JOINTS) & of_mention(mentions.technical))
    limit = first_of(opener & behind & ~aside)
    inside = content & ~aside & (place < of_mention(limit))
    has_head = last_of(inside) >= 0
    if language.head_first:
        head = first_of(inside)
    else:
        # "July 1904", "Lee et al", but "exon 2" of a technical text is headed by nothing better.
        figure = np.array([word[:1].isdigit() for word in text.vocabulary], bool)[numbers]
        cited = among(_TAILS)
        number = figure & (~of_mention(mentions.technical) | of_mention(last_of(cited) >= 0))
        tail = number | cited
        plain = last_of(inside & ~tail)
        head = np.where(plain >= 0, plain, last_of(inside))
    head = np.where(has_head, head, 0)

    second, several = starts + np.minimum(1, lengths - 1), lengths > 1
    partitive = several & among(language.quantifiers)[starts] & among(frozenset({"of"}))[second]
    at = starts + head
    name = text.capitalised[numbers[at]]
    name &= ~among(language.determiners)[starts] | (head == 0)
    symbol = (text.symbols | text.among(language.labels))[numbers[at]]
    name &= ~partitive & ~(mentions.technical & symbol)
    for rows, judge in (
        (name & mentions.opening[at], _names_at_start),
        (name & mentions.technical, _technical_names),
        (name & (first_of(inside) < head) & language.genitives, _no_genitives),
    ):
        doubtful = np.flatnonzero(rows & name)
        heads = [text.vocabulary[number] for number in numbers[at[doubtful]].tolist()]
        name[doubtful] = judge(heads, mentions.document[doubtful], text)

    modified = several & (among(language.referring) & pronoun)[starts] & opener[second]
    clause = several & among(language.subjects)[starts] & among(language.auxiliaries)[second]
    modified |= several & among(language.indefinite)[starts] & ~among(_POSSESSIVES)[second]
    kind = np.full(len(starts), Kind.NOMINAL, np.uint8)
    kind[has_head & name] = Kind.NAME
    kind[(~has_head & (last_of(pronoun) >= 0) & ~partitive) | modified] = Kind.PRONOUN
    kind[clause] = Kind.UNKNOWN
    return kind


def _in_brackets(
    opening: BoolArray, closing: BoolArray, starts: IntArray, lengths: IntArray
) -> BoolArray:
    """Which words stand in brackets that their mention opens; the brackets too."""
    step = opening.astype(np.int64) - closing
    level = np.cumsum(step)
    level -= np.repeat((level - step)[starts], lengths)
    return np.asarray((level > 0) | closing)


def _names_at_start(words: list[str], document: IntArray, text: DocumentWords) -> BoolArray:
    """Which capitalised words at the start of a sentence are names nevertheless."""
    lowered = text.has(document, [word.lower() for word in words])
    plural = np.array([_looks_plural(word) for word in words], bool)
    return ~lowered & (~plural | text.has(document, words, inside=True))


def _technical_names(words: list[str], document: IntArray, text: DocumentWords) -> BoolArray:
    """Which capitalised words of technical documents are names, not variants of a common noun."""
    spelled = np.array([word.isupper() for word in words], bool)
    return (
        text.has(document, words, inside=True)
        & ~text.has(document, [word.lower() for word in words])
        & (spelled | ~text.has(document, [word.upper() for word in words]))
    )


def _no_genitives(words: list[str], document: IntArray, text: DocumentWords) -> BoolArray:
    """Which names are no genitives behind the head: "het koninkrijk Gods" beside "God"."""
    ends = np.array([word.endswith("s") for word in words], bool)
    return ~(ends & text.has(document, [word[:-1] for word in words]))


def _looks_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))
