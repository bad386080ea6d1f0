"""Attributes of markables, in columns: kinds, morphology, words, positions, syntax.

Number, gender, person and animacy are bit masks of what is possible, so that agreement is one
``and``; 0 means unknown, and agrees with everything. The annotation of the corpus (features of
Universal Dependencies, tags of the Penn Treebank) takes precedence over the word lists. The
grammatical gender of a noun says little about the referent, but agreement follows it if a corpus
has it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray, Strings
from corefine.corpus.columns import Kind, Tokens
from corefine.resolving.markables import Markables
from corefine.resolving.words import (
    WordCodes,
    covered,
    governor_of,
    last_before_modifiers,
    parents,
)

Mask = NDArray[np.uint8]

SINGULAR, PLURAL = 1, 2
MASCULINE, FEMININE, NEUTER = 1, 2, 4
FIRST, SECOND, THIRD = 1, 2, 4
ANIMATE, INANIMATE = 1, 2

_FEATURES: dict[str, dict[str, int]] = {
    "number": {"Number=Sing": SINGULAR, "Number=Plur": PLURAL, "Number=Dual": PLURAL},
    "gender": {
        "Gender=Masc": MASCULINE,
        "Gender=Fem": FEMININE,
        "Gender=Neut": NEUTER,
        "Gender=Com": MASCULINE | FEMININE,
    },
    "person": {"Person=1": FIRST, "Person=2": SECOND, "Person=3": THIRD},
    "animacy": {"Animacy=Hum": ANIMATE, "Animacy=Anim": ANIMATE, "Animacy=Inan": INANIMATE},
}
_NUMBER_OF_TAG = {"NN": SINGULAR, "NNP": SINGULAR, "NNS": PLURAL, "NNPS": PLURAL}

_WORDS: dict[str, dict[int, str]] = {
    "number": {
        SINGULAR: "singular_words",
        SINGULAR | PLURAL: "second_of_any_number",
        PLURAL: "plural_words",
    },
    "gender": {
        MASCULINE: "masculine_words",
        FEMININE: "feminine_words",
        NEUTER: "neuter_pronouns",
    },
    "person": {FIRST: "first", SECOND: "second", THIRD: "third"},
    "animacy": {ANIMATE: "animate_words", INANIMATE: "neuter_pronouns"},
}
"""The word list of each mask."""


def morphology_of(tokens: Tokens, words: WordCodes) -> dict[str, Mask]:
    """Masks of number, gender, person and animacy of each token."""
    masks = _given(tokens)
    for name, lists in _WORDS.items():
        masks[name] = _filled(masks[name], words.flags(lists))
    ending = np.array([_number_by_ending(word) for word in words.words], np.uint8)
    masks["number"] = _filled(masks["number"], ending[words.code])
    return masks


def agree(left: Mask, right: Mask) -> BoolArray:
    """True if both are known and have the same single possibility."""
    result: BoolArray = (left == right) & (left != 0) & ((left & (left - 1)) == 0)
    return result


def clash(left: Mask, right: Mask) -> BoolArray:
    """True if both are known and have no possibility in common."""
    result: BoolArray = ((left & right) == 0) & (left != 0) & (right != 0)
    return result


def _filled(first: Mask, second: Mask) -> Mask:
    return np.where(first != 0, first, second)


def _given(tokens: Tokens) -> dict[str, Mask]:
    """Masks by the layers ``feats`` and ``pos``; zeros without these layers."""
    masks = {name: np.zeros(len(tokens), np.uint8) for name in _FEATURES}
    if "feats" in tokens.layers:
        cells, code = tokens.layers["feats"].distinct()
        split = [cell.split("|") for cell in cells]
        for name, meanings in _FEATURES.items():
            values = [sum({meanings.get(part, 0) for part in parts}) for parts in split]
            masks[name] = np.array(values, np.uint8)[code]
    if "pos" in tokens.layers:
        cells, code = tokens.layers["pos"].distinct()
        number = np.array([_NUMBER_OF_TAG.get(cell, 0) for cell in cells], np.uint8)
        masks["number"] = _filled(masks["number"], number[code])
    return masks


def _number_by_ending(word: str) -> int:
    if not word.isalpha():
        return 0
    if word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is")):
        return PLURAL
    return SINGULAR


class MarkableAttributes:
    """Columns with one row per markable. Equal codes mean equal words."""

    def __init__(self, markables: Markables) -> None:
        words, tokens, rows = markables.words, markables.tokens, len(markables)
        start, stop, head = markables.start, markables.stop, markables.head
        token, owner = covered(start, stop)
        single = (stop - start == 1)[owner]
        self.markables = markables
        self.name: BoolArray = markables.kind == Kind.NAME
        self.pronoun: BoolArray = (markables.kind == Kind.PRONOUN) | (markables.kind == Kind.ZERO)
        self.nominal: BoolArray = ~self.pronoun & ~self.name
        self.kind_number = np.where(self.pronoun, 2, np.where(self.name, 0, 1))
        """0 for names, 1 for nominals, 2 for pronouns and zeros."""
        self.zero: BoolArray = markables.kind == Kind.ZERO
        self.number, self.gender, self.person, self.animacy = _masks(markables, self.pronoun)
        self.speech: BoolArray = self.pronoun & np.isin(self.person, (FIRST, SECOND))
        """True for pronouns of the first and second person."""

        # A pronoun's only word is its content: two pronouns overlap if they are the same word.
        meaningful = ~words.listed("not_content")[token] | (self.pronoun[owner] & single)
        modifying = meaningful & (token != head[owner]) & ~words.listed("titles")[token]
        # Each document has its own columns of words, since pairs are made within a document.
        column = markables.document[owner] * len(words.words) + words.code[token]
        self.content = incidence(owner[meaningful], column[meaningful], rows)
        """Markables × content words (SciPy CSR matrix of ones)."""
        self.modifiers = incidence(owner[modifying], column[modifying], rows)
        """Markables × content words other than the head."""
        silent = words.listed("determiners", "punctuation", "possessive_markers")[token]
        spoken = ~silent | single
        self.text = sequence_codes(words.code[token[spoken]], owner[spoken], rows)
        """Code of the words without determiners, possessive markers and punctuation."""
        lemma = lemma_codes(tokens)
        named = spoken & ~(_has(tokens, "upos", "DET")[token] & ~single)
        self.lemmas = sequence_codes(lemma[token[named]], owner[named], rows)
        """Code of the lemmas of the same words, without determiners of any language."""
        lemma_column = markables.document[owner] * (int(lemma.max(initial=0)) + 1) + lemma[token]
        self.lemma_content = incidence(owner[named], lemma_column[named], rows)
        """Markables × these lemmas."""
        self.head_lemma = lemma[head]
        """Code of the lemma of the head word."""
        qualifying = modifying & (words.capital[token] | words.numeric[token])
        self.qualifiers = incidence(owner[qualifying], column[qualifying], rows)
        """Markables × names and numbers other than the head."""
        self.head = words.code[head]
        """Code of the head word."""
        self.last = words.code[last_before_modifiers(words, start, stop)]
        """Code of the last word before any modifier: the surname of most names."""
        skipped = words.listed("determiners", "titles")[start].astype(np.int64)
        self.first = words.code[np.minimum(start + skipped, stop - 1)]
        """Code of the first word that is not a determiner or title, or of the first word."""
        self.acronym, self.letters = _acronyms(markables, self.name)
        """Code of the initials of the capitalised words, -1 if there are fewer than two; code of
        the letters of a single-word name, -1 for others."""
        self.definite = words.listed("definite")[start]
        self.indefinite = words.listed("indefinite")[start]
        self.demonstrative = words.listed("demonstratives")[start]
        self.pointing = self.demonstrative | _has(tokens, "feats", "PronType=Dem")[start]
        """True if it starts with a demonstrative of any language."""
        self.possessed = words.listed("possessive_determiners")[start]
        self.reflexive = words.listed("reflexives")[head]
        self.comma = words.among({","})
        """True for commas; a row per token, not per markable."""

        self.quotation = _quotations(tokens, words)[start]
        """Number of the quotation that contains it, over the corpus; -1 outside."""
        self.speaker = _speakers(tokens)[start]
        """Code of the speaker; -1 if unknown."""
        self.depth = np.arange(rows) - np.searchsorted(np.sort(stop), start, side="right")
        """Number of markables that contain it: earlier ones that are open at its start."""
        self.reach = np.maximum.accumulate(np.concatenate([[0], stop]))[:-1]
        """The largest stop of all earlier markables: one of them covers two markables if it stops
        after both."""
        self.sentence = tokens.sentence_of(start)
        self.order = np.arange(rows) - np.searchsorted(self.sentence, self.sentence, side="left")
        """Number of markables before it in its sentence."""
        self._add_syntax()

    def _add_syntax(self) -> None:
        """Dependencies of the heads; without them, the first of a sentence is the subject."""
        tokens, head = self.markables.tokens, self.markables.head
        above, relation = parents(tokens), tokens.layers.get("deprel")
        self.subject: BoolArray = self.order == 0
        self.role = np.full(len(head), -1)
        """Code of the head's grammatical relation; -1 without dependencies."""
        self.parent = np.full(len(head), -1)
        """The token that the head depends on; -1 if it is the root or unknown."""
        self.appositive = self.predicate = np.zeros(len(head), bool)
        """True if its head is an apposition, and if it has a copula."""
        if above is not None and relation is not None:
            relations = WordCodes.of(relation)
            subjects = np.array([name.startswith("nsubj") for name in relations.words], bool)
            with_copula = np.zeros(len(tokens), bool)
            with_copula[above[relations.among({"cop"}) & (above >= 0)]] = True
            self.role = relations.code[head]
            self.subject = subjects[self.role]
            self.parent = above[head]
            self.appositive = relations.among({"appos"})[head]
            self.predicate = with_copula[head]
        if "deps" in tokens.layers:
            self._add_governors(tokens.layers["deps"])

    def _add_governors(self, deps: Strings) -> None:
        """Enhanced dependencies of zeros: empty nodes have no others."""
        tokens, head = self.markables.tokens, self.markables.head
        for row in np.flatnonzero(self.zero).tolist():
            cell = deps[int(head[row])]
            if cell:
                self.subject[row] = ":nsubj" in cell
                self.parent[row] = governor_of(tokens, int(head[row]), cell)

    def __len__(self) -> int:
        return len(self.markables)

    @cached_property
    def weighted_content(self) -> Any:
        """Content words weighted by log(n / markables with the word), n markables of the document.

        Rows have length 1, so that the product of two rows is their cosine.
        """
        from scipy.sparse import diags_array

        rows, columns = self.content.nonzero()
        document = np.zeros(self.content.shape[1], np.int64)
        document[columns] = self.markables.document[rows]
        markables = np.bincount(self.markables.document, minlength=1)[document]
        frequency = np.maximum(np.bincount(columns, minlength=len(document)), 1)
        weighted = self.content @ diags_array(np.log(np.maximum(markables, 1) / frequency))
        length = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).reshape(-1))
        return (diags_array(1 / np.where(length > 0, length, 1)) @ weighted).tocsr()


def _has(tokens: Tokens, layer: str, value: str) -> BoolArray:
    """True for tokens with this value in a layer; false without the layer."""
    column = tokens.layers.get(layer)
    if column is None:
        return np.zeros(len(tokens), bool)
    cells, code = column.distinct()
    return np.array([value in cell.split("|") for cell in cells], bool)[code]


def lemma_codes(tokens: Tokens) -> IntArray:
    """The lemma of each token in lower case, as a number; the word if it has no lemma."""
    number: dict[str, int] = {}
    code = np.zeros(len(tokens), np.int64)
    for column in (tokens.words, tokens.layers.get("lemma")):
        if column is not None:
            forms, form = column.distinct()
            known = [number.setdefault(text.lower(), len(number)) for text in forms]
            given = np.array([text not in ("", "_", "-") for text in forms], bool)[form]
            # Words come first, so that a word without a lemma keeps its own form.
            given |= column is tokens.words
            code[given] = np.array(known, np.int64)[form][given]
    return code


def incidence(owner: IntArray, column: IntArray, count: int) -> Any:
    """Sparse matrix (SciPy CSR) with a one for each distinct owner and column."""
    from scipy.sparse import csr_matrix

    distinct, column = np.unique(column, return_inverse=True)
    width = max(len(distinct), 1)
    rows, columns = np.divmod(np.unique(owner * width + column.reshape(-1)), width)
    ones = np.ones(len(rows), np.int32)
    return csr_matrix((ones, (rows, columns)), shape=(count, width))


def sequence_codes(code: IntArray, owner: IntArray, count: int) -> IntArray:
    """A number for the sequence of codes of each of ``count`` owners, equal for equal ones.

    ``owner`` is ascending. The number of an owner without codes equals no other.
    """
    parts = np.split(code, np.searchsorted(owner, np.arange(1, count)))
    numbers: dict[bytes | int, int] = {}
    keys = (part.tobytes() or row for row, part in enumerate(parts[:count]))
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)


def _acronyms(markables: Markables, name: BoolArray) -> tuple[IntArray, IntArray]:
    """Codes by which "IBM" and "I.B.M." equal "International Business Machines".

    First, the code of the initials of names with two or more capitalised words, without
    determiners; second, the code of the letters of one-word names, without full stops. -1 for all
    others.
    """
    words = markables.words
    token, owner = covered(markables.start, markables.stop)
    capital = words.capital[token] & ~words.listed("determiners")[token] & name[owner]
    initials = [""] * len(markables)
    for row, code in zip(owner[capital].tolist(), words.code[token[capital]].tolist(), strict=True):
        initials[row] += words.words[code][:1]
    number: dict[str, int] = {}
    short, letters = np.full((2, len(markables)), -1)
    for row, text in enumerate(initials):
        if len(text) > 1:
            short[row] = number.setdefault(text, len(number))
    for row in np.flatnonzero(name & (markables.stop - markables.start == 1)).tolist():
        spelled = words.words[words.code[markables.start[row]]].replace(".", "")
        letters[row] = number.setdefault(spelled, len(number))
    return short, letters


def _masks(markables: Markables, pronoun: BoolArray) -> tuple[Mask, Mask, Mask, Mask]:
    """Masks of the markables: the masks of their heads, corrected by the words around them."""
    words, start, stop, head = markables.words, markables.start, markables.stop, markables.head
    tokens = morphology_of(markables.tokens, words)
    number, gender, person, animacy = (
        tokens[name][head] for name in ("number", "gender", "person", "animacy")
    )
    plain, several = ~pronoun, stop - start > 1
    number[plain & words.listed("singular_determiners")[start]] = SINGULAR
    number[plain & words.listed("plural_determiners")[start] & several] = PLURAL
    # "the man and his wife": a coordination at the level of the head is plural.
    after = np.minimum(head + 1, stop - 1)
    number[plain & (after > head) & words.listed("coordinators")[after]] = PLURAL
    person[plain] = THIRD

    name = markables.kind == Kind.NAME
    first_gender = tokens["gender"][start]
    use_first = (name | (gender == 0)) & plain & several & (first_gender != 0)
    use_first &= ~words.listed("determiners")[start]
    gender[use_first] = first_gender[use_first]
    titled = plain & words.listed("titles")[start]
    animacy[(animacy == 0) & titled] = ANIMATE
    number[titled & (number == PLURAL) & name] = SINGULAR

    personal, impersonal = _types(markables)
    animacy[personal & plain] = ANIMATE
    animacy[impersonal & plain] = INANIMATE
    gender[impersonal & plain] = NEUTER
    gender[(animacy == ANIMATE) & (gender == 0) & (number != PLURAL)] = MASCULINE | FEMININE
    return number, gender, person, animacy


def _types(markables: Markables) -> tuple[BoolArray, BoolArray]:
    """Markables with a semantic type of persons, and those with another semantic type."""
    names = [name.lower() for name in markables.corpus.types]
    persons = [name.startswith("per") or name in {"animal", "people"} for name in names]
    personal = np.array([*persons, False], bool)[markables.type]
    return personal, (markables.type >= 0) & ~personal


def _quotations(tokens: Tokens, words: WordCodes) -> IntArray:
    """Number of the quotation that contains each token, -1 outside of quotations.

    A token is inside if the last quotation mark before it opens a quotation. Straight marks open
    and close alternately within a document. Quotations end with their document.
    """
    straight = words.listed("straight_quotes")
    lengths = np.diff(tokens.offsets)
    seen = np.cumsum(straight)
    before_document = np.concatenate([[0], seen])[tokens.offsets[:-1]]
    odd = (seen - np.repeat(before_document, lengths)) % 2 == 1
    opens = words.listed("opening_quotes") | (straight & odd)
    closes = words.listed("closing_quotes") | (straight & ~odd)
    first = np.zeros(len(tokens), bool)
    first[tokens.offsets[:-1][lengths > 0]] = True
    last = np.maximum.accumulate(np.where(opens | closes | first, np.arange(len(tokens)), 0))
    return np.where(opens[last], np.cumsum(opens), -1)


def _speakers(tokens: Tokens) -> IntArray:
    column = tokens.layers.get("speaker")
    if column is None:
        return np.full(len(tokens), -1)
    names, code = column.distinct()
    nobody = np.array([name in {"", "-", "_", "*"} for name in names], bool)
    return np.where(nobody[code], -1, code)
