"""Mention kinds guessed from words: closed word lists and the shapes of other words.

A last resort for English, Polish and Dutch text without parts of speech; scores that depend on it
have ``kinds:guess`` in their signature. docs/mention-kinds.md gives the rules and their accuracy.
The rules, in the order in which they decide:

*Clause.* "you 're gon na pay it", a subject pronoun before an auxiliary verb, has no kind.
*Pronoun.* A mention of function words that contains a pronoun; a pronoun before a modifier,
"those who stayed"; an indefinite pronoun with anything after it, "something better". "US" and "WHO"
are pronouns only next to words in capitals. "Some of them" and "this one" are nominals.
*Head.* The last word of a mention before a modifier, without brackets and numbers ("July 1904");
the first word of a Polish mention that is no function word.
*Name.* A head with a capital letter, but not

- a single capital letter, "X", or a month with a number, "June 8";
- after a determiner that names do not have ("a", "every") or a quantifier ("one of the Lakes");
- at the start of a sentence or in a heading, if its document has it in lower case, or if it ends
  like a common noun and the document does not have it with a capital inside a sentence;
- in a document that capitalises common nouns, if the document also has it in lower case;
- a Dutch genitive after another noun, "het koninkrijk Gods";
- in a technical document, which has many symbols: a symbol ("ESG1", "EcoRI", "PCR"), a label
  ("Figure 2"), or a word that the document also has in lower case or in capitals, or has only at
  the start of sentences.

*Nominal.* Everything else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import Spans, wording_of

# --- word lists -----------------------------------------------------------------------------------

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Language:
    """Word lists and properties of a language; ``data/languages.toml`` explains each."""

    name: str
    head_first: bool
    usual: float
    pronouns: frozenset[str]
    openers: frozenset[str]
    function_words: frozenset[str]
    genitives: bool = False
    referring: frozenset[str] = _NONE
    indefinite: frozenset[str] = _NONE
    acronyms: frozenset[str] = _NONE
    labels: frozenset[str] = _NONE
    quantifiers: frozenset[str] = _NONE
    determiners: frozenset[str] = _NONE
    ones: frozenset[str] = _NONE
    months: frozenset[str] = _NONE
    noun_endings: frozenset[str] = frozenset({"s"})
    subjects: frozenset[str] = _NONE
    auxiliaries: frozenset[str] = _NONE


@cache
def languages() -> tuple[Language, ...]:
    """All languages with word lists."""
    import tomllib

    text = files("corefine.kinds").joinpath("data/languages.toml").read_text("utf-8")
    found = []
    for name, fields in tomllib.loads(text).items():
        lists: dict[str, Any] = {
            field: frozenset(value.split()) if isinstance(value, str) else value
            for field, value in fields.items()
        }
        lists["function_words"] |= lists["pronouns"] | lists["openers"]
        found.append(Language(name, **lists))
    return tuple(found)


def is_content_word(word: str) -> bool:
    """True if a word has a letter or a digit and is not a function word of any language.

    A language without word lists has only content words.

    >>> [word for word in "The mayor of Kraków 's 2 dogs".split() if is_content_word(word)]
    ['mayor', 'Kraków', '2', 'dogs']
    """
    if any(word.lower() in language.function_words for language in languages()):
        return False
    return any(sign.isalnum() for sign in word)


# --- rules ----------------------------------------------------------------------------------------

_OPENING, _CLOSING = frozenset("([{") | {"-lrb-"}, frozenset(")]}") | {"-rrb-"}
_JOINTS = frozenset("-/")
_TAILS = frozenset({"et", "al", "al."})
_POSSESSIVES = frozenset({"'s", "’s", "'", "’"})
_ENOUGH = 100
"""Words of a document from which its language is judged."""
_SYMBOLS = 10
"""Symbols from which a document can be technical."""
_CAPITALISED = 1 / 3
"""The share of capitalised words that a document also has in lower case, from which it is taken to
capitalise common nouns, as syllabi and contracts do."""
_TECHNICAL, _MIXED = 3 / 10, 1 / 10
"""Symbols, and symbols of mixed characters, per capitalised word inside sentences of a technical
document. This holds for all 97 articles of CRAFT, 8 of 263 texts of GUM, none of 100 of LitBank."""


ACCURACY = 0.967
"""The share of correct guesses on GUM texts that were not used to develop the rules."""
UNUSUAL_ACCURACY = 0.878
"""The share of correct guesses on GENTLE, whose genres GUM does not have."""
HEADING_ACCURACY = 0.77
"""The share of correct guesses on syllabi, which consist of headings and lists."""
DUTCH_ACCURACY = 0.97
"""The share of guesses on OpenBoek that agree with parts of speech."""
_MANY_HEADINGS = 1 / 10
_PARENT = "PARENT is unreliable with guessed kinds (docs/mention-kinds.md)"
_EXPECTED = {
    "English": f"mention kinds are guessed from words: {ACCURACY:.1%} were right on new texts of "
    f"GUM's genres, {UNUSUAL_ACCURACY:.1%} in unusual genres; {_PARENT}",
    "headings": f"mention kinds are guessed from words in text with many headings, where "
    f"{HEADING_ACCURACY:.0%} were right; give them with --kinds FILE",
    "Polish": "mention kinds are guessed from Polish words, with unknown accuracy; give them with "
    "--kinds FILE",
    "Dutch": f"mention kinds are guessed from Dutch words: {DUTCH_ACCURACY:.0%} agreed with parts "
    f"of speech in a novella; {_PARENT}",
    "foreign": "mention kinds are guessed from English, Polish and Dutch word lists, but some of "
    "the text seems to be in another language: expect most names and pronouns to be wrong, or use "
    "--kinds FILE",
}


class _Document:
    """The words of a document, as evidence for capitalised words."""

    def __init__(self, words: Sequence[str], sentences: Sequence[int]) -> None:
        self.words = words
        self.opening = [False] * len(words)
        self.heading = [False] * len(words)
        for start, stop in pairwise([*sentences, len(words)]):
            self.opening[start] = True
            if _is_heading(words[start:stop]):
                self.heading[start:stop] = [True] * (stop - start)
        self.present = set(words)
        self.inside = {word for word, opens in zip(words, self.opening, strict=True) if not opens}
        self.in_sentences = {
            word
            for word, opens, heading in zip(words, self.opening, self.heading, strict=True)
            if not opens and not heading
        }
        capitalised_words = {word for word in self.in_sentences if word[:1].isupper()}
        doubled = sum(word.lower() in self.present for word in capitalised_words)
        self.capitalises_nouns = doubled > _CAPITALISED * len(capitalised_words)
        counts = Counter(words)
        lowered: Counter[str] = Counter()
        for word, count in counts.items():
            lowered[word.lower()] += count
        function_words = {
            language: sum(lowered[word] for word in language.function_words)
            for language in languages()
        }
        self.language = max(function_words, key=function_words.__getitem__)
        letters = sum(count for word, count in counts.items() if word.isalpha())
        usual = self.language.usual * letters
        self.is_foreign = letters > _ENOUGH and function_words[self.language] < usual
        mixed = sum(count for word, count in counts.items() if mixes_signs(word))
        symbols = mixed + sum(count for word, count in counts.items() if all_capitals(word))
        capitalised = sum(
            word[:1].isupper() and not opens
            for word, opens in zip(words, self.opening, strict=True)
        )
        self.is_technical = (
            symbols >= max(_SYMBOLS, _TECHNICAL * capitalised) and mixed >= _MIXED * capitalised
        )

    @property
    def text_type(self) -> str:
        """The type of text, for the expected accuracy: a language, ``headings`` or ``foreign``."""
        if self.is_foreign:
            return "foreign"
        if self.language.name == "English" and sum(self.heading) > _MANY_HEADINGS * len(self.words):
            return "headings"
        return self.language.name

    def kind(self, places: Sequence[int]) -> Kind:
        """The kind of a mention, given the places of its words."""
        language = self.language
        words = [self.words[place] for place in places]
        lower = [word.lower() for word in words]
        first, second = lower[0], lower[1] if len(lower) > 1 else ""
        if first in language.subjects and second in language.auxiliaries:
            return Kind.UNKNOWN
        is_pronoun = [
            word in language.pronouns and not self._is_acronym(place)
            for word, place in zip(lower, places, strict=True)
        ]
        modified = is_pronoun[0] and first in language.referring and self._opens(second)
        if modified or (first in language.indefinite and second and second not in _POSSESSIVES):
            return Kind.PRONOUN
        partitive = first in language.quantifiers and second == "of"
        content = [
            word not in language.function_words or self._is_acronym(place)
            for word, place in zip(lower, places, strict=True)
        ]
        candidates = self._candidates(words, lower, content)
        if not candidates:
            found = any(is_pronoun) and not partitive
            return Kind.PRONOUN if found and not self._is_nominal_one(lower) else Kind.NOMINAL
        head = candidates[0] if language.head_first else self._head(words, lower, candidates)
        is_name = (
            words[head][:1].isupper()
            and not partitive
            and not (head > 0 and first in language.determiners)
            and not self._is_symbol(words[head])
            and not self._is_common(words[head], places[head])
        )
        if is_name and language.genitives and candidates[0] < head:
            genitive = words[head].endswith("s") and words[head][:-1] in self.present
            is_name = not genitive
        return Kind.NAME if is_name else Kind.NOMINAL

    def _is_acronym(self, place: int) -> bool:
        """True for "US" and "WHO", unless a word next to them is in capitals."""
        word = self.words[place]
        if not all_capitals(word) or word.lower() not in self.language.acronyms:
            return False
        neighbours = [*self.words[max(place - 1, 0) : place], *self.words[place + 1 : place + 2]]
        return not any(map(all_capitals, neighbours))

    def _opens(self, word: str) -> bool:
        """True if a word opens a modifier; hyphens and slashes of technical text join words."""
        return word in self.language.openers and not (self.is_technical and word in _JOINTS)

    def _is_nominal_one(self, lower: Sequence[str]) -> bool:
        """True for "this one" and "the others"."""
        return len(lower) > 1 and lower[-1] in self.language.ones

    def _candidates(
        self, words: Sequence[str], lower: Sequence[str], content: Sequence[bool]
    ) -> list[int]:
        """The content words before a modifier and outside brackets."""
        found: list[int] = []
        depth = 0
        for number, word in enumerate(lower):
            if found or any(content[:number]):
                depth += word in _OPENING
                aside = depth > 0 or word in _CLOSING
                depth -= word in _CLOSING
                if aside:
                    continue
                if self._opens(word):
                    break
            else:
                depth += (word in _OPENING) - (word in _CLOSING)
            if content[number]:
                found.append(number)
        return found

    def _head(self, words: Sequence[str], lower: Sequence[str], candidates: list[int]) -> int:
        """The last candidate that is no number ("July 1904") and no "et al"."""
        cited = any(word in _TAILS for word in lower)
        figures_count = self.is_technical and not cited
        plain = [
            number
            for number in candidates
            if lower[number] not in _TAILS and (figures_count or not words[number][:1].isdigit())
        ]
        return plain[-1] if plain else candidates[-1]

    def _is_symbol(self, word: str) -> bool:
        """True for a single capital letter, and for symbols and labels of technical text."""
        if len(word) == 1:
            return True
        return self.is_technical and (
            mixes_signs(word) or all_capitals(word) or word.lower() in self.language.labels
        )

    def _is_common(self, word: str, place: int) -> bool:
        """True if the document shows that a capitalised word is a common noun."""
        following = self.words[place + 1 : place + 2]
        if word.lower() in self.language.months and following and _is_day(following[0]):
            return True
        in_lower_case = word.lower() in self.present
        if self.is_technical:
            varied = not word.isupper() and word.upper() in self.present
            if in_lower_case or varied or word not in self.inside:
                return True
        if self.capitalises_nouns and in_lower_case:
            return True
        if not (self.heading[place] or self.opening[place]):
            return False
        if word in self.in_sentences:
            return in_lower_case and word not in self.language.months
        return in_lower_case or word.lower().endswith(tuple(self.language.noun_endings))


def _is_day(word: str) -> bool:
    return word.isdigit() and len(word) <= 2


def _is_heading(words: Sequence[str]) -> bool:
    """True for a sentence of which all longer words are capitalised, if it has no full stop."""
    if not words or words[-1] in (".", "!", "?"):
        return False
    long = [word for word in words if len(word) > 3 and word.isalpha()]
    return bool(long) and all(word[0].isupper() for word in long)


@lru_cache(maxsize=1 << 16)
def mixes_signs(word: str) -> bool:
    """True if a word mixes letters with digits, or lower case with capitals after its first letter.

    >>> [word for word in "Gata6 p53 EcoRI MEFs DNA Anna 1904".split() if mixes_signs(word)]
    ['Gata6', 'p53', 'EcoRI', 'MEFs']
    """
    letters = any(map(str.isalpha, word))
    digits = any(map(str.isdigit, word))
    inner = any(map(str.isupper, word[1:])) and any(map(str.islower, word))
    return (letters and digits) or inner


def all_capitals(word: str) -> bool:
    """True for words of two or more capital letters."""
    return len(word) > 1 and word.isupper() and word.isalpha()


def kinds_by_guess(corpus: Corpus, unknown: BoolArray) -> tuple[NDArray[np.uint8], tuple[str, ...]]:
    """Guess the kinds of the ``unknown`` mentions; also return warnings about the accuracy."""
    kind = np.zeros(len(corpus.mentions), np.uint8)
    wording = wording_of(corpus)
    if not len(wording.words):
        return kind, ()
    tokens = corpus.tokens
    if tokens is None:
        words = wording.words.tolist()
        owner = corpus.mentions.document[wording.owner]
        bounds = np.searchsorted(owner, np.arange(len(corpus.documents) + 1))
        spans, starts = np.arange(len(words)), np.zeros(0, np.int64)
    else:
        words, bounds = tokens.words.tolist(), tokens.offsets
        spans, starts = Spans.of(corpus, tokens).tokens, tokens.sentences
    found: set[str] = set()
    first = np.searchsorted(corpus.mentions.document, np.arange(len(corpus.documents) + 1)).tolist()
    for number in range(len(corpus.documents)):
        low, high = int(bounds[number]), int(bounds[number + 1])
        begins = starts[np.searchsorted(starts, low) : np.searchsorted(starts, high)] - low
        document: _Document | None = None
        for row in range(first[number], first[number + 1]):
            places = spans[wording.offsets[row] : wording.offsets[row + 1]] - low
            if len(places) and unknown[row]:
                document = document or _Document(words[low:high], begins.tolist())
                kind[row] = document.kind(places.tolist())
        if document is not None:
            found.add(document.text_type)
    return kind, tuple(warning for name, warning in _EXPECTED.items() if name in found)
