"""What is known of each markable by itself, in columns: the ground on which pairs are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.columns import Kind, Tokens
from corefine.resolving import lexicon
from corefine.resolving.markables import Markables
from corefine.resolving.morphology import (
    ANIMATE,
    FEMININE,
    INANIMATE,
    MASCULINE,
    NEUTER,
    PLURAL,
    SINGULAR,
    THIRD,
    Mask,
    morphology_of,
)
from corefine.resolving.syntax import covered, last_before_modifiers, parents
from corefine.resolving.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, eq=False)
class MarkableAttributes:
    """One row a markable. Codes are equal where what they stand for is equal."""

    markables: Markables
    name: BoolArray
    nominal: BoolArray
    pronoun: BoolArray
    number: Mask
    gender: Mask
    person: Mask
    animacy: Mask
    sentence: IntArray
    text: IntArray
    """Code of the words without determiners, possessive marks and punctuation."""
    head: IntArray
    """Code of the head word."""
    last: IntArray
    """Code of the last word before any modifier: the surname of most names."""
    first: IntArray
    """Code of the first word that is no determiner or title, or of the first word."""
    acronym: IntArray
    """Code of the initials of the capitalised words, -1 where there are fewer than two."""
    letters: IntArray
    """Code of a single-word name without its full stops, to be met by an acronym; else -1."""
    content: Any
    """Markables × content words (scipy's CSR matrix of ones)."""
    modifiers: Any
    """Markables × content words other than the head."""
    definite: BoolArray
    indefinite: BoolArray
    demonstrative: BoolArray
    possessed: BoolArray
    """Starts with a possessive pronoun, or is one."""
    reflexive: BoolArray
    quotation: IntArray
    """The number of the quotation that it stands in, counted over the corpus; -1 outside."""
    speaker: IntArray
    """Code of the speaker; -1 where none is given."""
    depth: IntArray
    """In how many other markables it is nested."""
    reach: IntArray
    """Where the farthest-reaching earlier markable stops: whatever covers this one and a later one
    stands before both, so it covers both if it stops behind both."""
    order: IntArray
    """How many markables of its sentence come before it."""
    subject: BoolArray
    """Is the subject of a clause, by the dependencies or, without them, the first of a sentence."""
    frequency: IntArray
    """How many markables of the document have the same head word."""
    parent: IntArray
    """The token that the head depends on; -1 where it is the root or not known."""
    appositive: BoolArray
    """Depends on its parent as an apposition."""
    predicate: BoolArray
    """Its head has a copula."""
    comma: BoolArray
    """By token, not by markable: whether it is a comma."""

    def __len__(self) -> int:
        return len(self.markables)

    @property
    def kind_number(self) -> IntArray:
        """0 for names, 1 for nominals, 2 for pronouns and zeros."""
        return np.where(self.pronoun, 2, np.where(self.name, 0, 1))


def attributes_of(markables: Markables) -> MarkableAttributes:
    """The columns of all markables."""
    words, tokens, rows = markables.words, markables.tokens, len(markables)
    start, stop, head = markables.start, markables.stop, markables.head
    token, owner = covered(start, stop)
    single = (stop - start == 1)[owner]
    pronoun = (markables.kind == Kind.PRONOUN) | (markables.kind == Kind.ZERO)
    name = markables.kind == Kind.NAME
    skipped = words.among(lexicon.DETERMINERS | lexicon.TITLES)[start].astype(np.int64)
    # A pronoun's only word is its content: two pronouns overlap if they are the same word.
    meaningful = ~words.among(lexicon.NOT_CONTENT)[token] | (pronoun[owner] & single)
    silent = lexicon.DETERMINERS | lexicon.PUNCTUATION | lexicon.POSSESSIVE_MARKERS
    spoken = ~words.among(silent)[token] | single
    modifying = meaningful & (token != head[owner]) & ~words.among(lexicon.TITLES)[token]
    sentence = tokens.sentence_of(start)
    order = np.arange(rows) - np.searchsorted(sentence, sentence, side="left")
    initials, letters = _acronyms(markables, name)
    # The same word in two documents is two columns: pairs are made within a document.
    column = markables.document[owner] * len(words.words) + words.code[token]
    heads = markables.document * len(words.words) + words.code[head]
    _, head_number, frequency = np.unique(heads, return_inverse=True, return_counts=True)
    return MarkableAttributes(
        markables=markables,
        name=name,
        nominal=~pronoun & ~name,
        pronoun=pronoun,
        **_morphology(markables, pronoun),
        sentence=sentence,
        text=sequence_codes(words.code[token[spoken]], owner[spoken], rows),
        head=words.code[head],
        last=words.code[last_before_modifiers(words, start, stop)],
        first=words.code[np.minimum(start + skipped, stop - 1)],
        acronym=initials,
        letters=letters,
        content=incidence(owner[meaningful], column[meaningful], rows),
        modifiers=incidence(owner[modifying], column[modifying], rows),
        definite=words.among(lexicon.DEFINITE)[start],
        indefinite=words.among(lexicon.INDEFINITE)[start],
        demonstrative=words.among(lexicon.DEMONSTRATIVES)[start],
        possessed=words.among(lexicon.POSSESSIVE_DETERMINERS)[start],
        reflexive=words.among(lexicon.REFLEXIVES)[head],
        quotation=_quotations(tokens, words)[start],
        speaker=_speakers(tokens)[start],
        # How many earlier markables are still open where each one starts.
        depth=np.arange(rows) - np.searchsorted(np.sort(stop), start, side="right"),
        reach=np.maximum.accumulate(np.concatenate([[0], stop]))[:-1],
        order=order,
        frequency=frequency[head_number.reshape(-1)],
        **_syntax(markables, order),
        comma=words.among({","}),
    )


def incidence(owner: IntArray, column: IntArray, count: int) -> Any:
    """The sparse matrix (scipy's CSR) with a one where an owner has a column, however often."""
    from scipy.sparse import csr_matrix

    distinct, column = np.unique(column, return_inverse=True)
    width = max(len(distinct), 1)
    rows, columns = np.divmod(np.unique(owner * width + column.reshape(-1)), width)
    ones = np.ones(len(rows), np.int32)
    return csr_matrix((ones, (rows, columns)), shape=(count, width))


def sequence_codes(code: IntArray, owner: IntArray, count: int) -> IntArray:
    """A 64-bit code for the sequence of codes of each of ``count`` owners, equal for equal ones.

    Σ h(code) · b^place modulo 2⁶⁴, h a mixing function: of a million different sequences two share
    a code with a probability of about one in ten million. ``owner`` is in ascending order. An
    owner without any code is equal to no other.
    """
    place = np.arange(len(owner)) - np.searchsorted(owner, owner, side="left")
    longest = int(place.max(initial=0)) + 1
    powers = np.cumprod(np.full(longest, 0x9E3779B97F4A7C15, np.uint64))
    total = np.zeros(count, np.uint64)
    np.add.at(total, owner, _mixed(code) * powers[place])
    empty = np.bincount(owner, minlength=count) == 0
    total[empty] = np.arange(1, count + 1, dtype=np.uint64)[empty]
    return total.view(np.int64)


def _mixed(code: IntArray) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Numbers spread over 64 bits (the finaliser of SplitMix64)."""
    value = code.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(value ^ (value >> np.uint64(31)), np.uint64)


def _acronyms(markables: Markables, name: BoolArray) -> tuple[IntArray, IntArray]:
    """Codes by which "IBM" and "I.B.M." meet "International Business Machines".

    First the code of the initials of the capitalised words of a name that has two or more of them,
    determiners aside; then that of the letters of a name of one word, without full stops. -1 for
    all others.
    """
    words, count = markables.words, len(markables)
    token, owner = covered(markables.start, markables.stop)
    capital = words.capital[token] & ~words.among(lexicon.DETERMINERS)[token]
    token, owner = token[capital], owner[capital]
    initial = np.array([ord(word[0]) if word else 0 for word in words.words], np.int64)
    initials = sequence_codes(initial[words.code[token]], owner, count)
    several = name & (np.bincount(owner, minlength=count) >= 2)

    spelled = [word.replace(".", "") for word in words.words]
    letter = np.array([ord(sign) for word in spelled for sign in word], np.int64)
    of_word = np.repeat(np.arange(len(spelled)), [len(word) for word in spelled])
    letters = sequence_codes(letter, of_word, len(spelled))[words.code[markables.start]]
    single = markables.stop - markables.start == 1
    return np.where(several, initials, -1), np.where(name & single, letters, -1)


def _morphology(markables: Markables, pronoun: BoolArray) -> dict[str, Any]:
    """Masks of the markables: the head's, corrected by what stands around the head."""
    words, start, stop, head = markables.words, markables.start, markables.stop, markables.head
    tokens = morphology_of(markables.tokens, words)
    number, gender, person, animacy = (
        tokens[name][head] for name in ("number", "gender", "person", "animacy")
    )
    plain, several = ~pronoun, stop - start > 1
    number[plain & words.among(lexicon.SINGULAR_DETERMINERS)[start]] = SINGULAR
    number[plain & words.among(lexicon.PLURAL_DETERMINERS)[start] & several] = PLURAL
    # "the man and his wife": a coordination at the level of the head is plural.
    after = np.minimum(head + 1, stop - 1)
    number[plain & (after > head) & words.among(lexicon.COORDINATORS)[after]] = PLURAL
    person[plain] = THIRD

    name = markables.kind == Kind.NAME
    first_gender = tokens["gender"][start]
    use_first = (name | (gender == 0)) & plain & several & (first_gender != 0)
    use_first &= ~words.among(lexicon.DETERMINERS)[start]
    gender[use_first] = first_gender[use_first]
    titled = plain & words.among(lexicon.TITLES)[start]
    animacy[(animacy == 0) & titled] = ANIMATE
    number[titled & (number == PLURAL) & name] = SINGULAR

    personal, impersonal = _types(markables)
    animacy[personal & plain] = ANIMATE
    animacy[impersonal & plain] = INANIMATE
    gender[impersonal & plain] = NEUTER
    gender[(animacy == ANIMATE) & (gender == 0) & (number != PLURAL)] = MASCULINE | FEMININE
    return {"number": number, "gender": gender, "person": person, "animacy": animacy}


def _types(markables: Markables) -> tuple[BoolArray, BoolArray]:
    """Which markables have a semantic type for persons, and which one for anything else."""
    names = [name.lower() for name in markables.corpus.types]
    persons = [name.startswith("per") or name in {"animal", "people"} for name in names]
    personal = np.array([*persons, False], bool)[markables.type]
    return personal, (markables.type >= 0) & ~personal


def _quotations(tokens: Tokens, words: Vocabulary) -> IntArray:
    """By token: the number of the quotation it stands in, -1 outside of one.

    A token is inside if the last quotation mark before it opens one. Straight marks open and close
    in turn within a document. Quotations end with their document.
    """
    straight = words.among(lexicon.STRAIGHT_QUOTES)
    lengths = np.diff(tokens.offsets)
    seen = np.cumsum(straight)
    before_document = np.concatenate([[0], seen])[tokens.offsets[:-1]]
    odd = (seen - np.repeat(before_document, lengths)) % 2 == 1
    opens = words.among(lexicon.OPENING_QUOTES) | (straight & odd)
    closes = words.among(lexicon.CLOSING_QUOTES) | (straight & ~odd)
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


def _syntax(markables: Markables, order: IntArray) -> dict[str, Any]:
    """What the dependencies say of each head; without them only that first comes the subject."""
    tokens, head = markables.tokens, markables.head
    above, relation = parents(tokens), tokens.layers.get("deprel")
    if above is None or relation is None:
        no = np.zeros(len(head), bool)
        unknown = np.full(len(head), -1)
        return {"subject": order == 0, "parent": unknown, "appositive": no, "predicate": no}
    relations = Vocabulary.of(relation)
    subjects = np.array([name.startswith("nsubj") for name in relations.words], bool)
    copula = relations.among({"cop"}) & (above >= 0)
    with_copula = np.zeros(len(tokens), bool)
    with_copula[above[copula]] = True
    return {
        "subject": subjects[relations.code[head]],
        "parent": above[head],
        "appositive": relations.among({"appos"})[head],
        "predicate": with_copula[head],
    }
