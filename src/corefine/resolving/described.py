"""What is known of each markable by itself, in columns: the ground on which pairs are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, ranges
from corefine.corpus.columns import Kind, Tokens
from corefine.resolving import lexicon
from corefine.resolving.heads import last_before_modifiers, parents
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
    Morphology,
)
from corefine.resolving.texts import acronyms, incidence, sequence_codes
from corefine.resolving.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, eq=False)
class Described:
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
    length: IntArray
    """How many words it has."""
    definite: BoolArray
    indefinite: BoolArray
    demonstrative: BoolArray
    possessed: BoolArray
    """Starts with a possessive pronoun, or is one."""
    reflexive: BoolArray
    titled: BoolArray
    """Starts with a title such as Mrs."""
    quotation: IntArray
    """The number of the quotation that it stands in, counted over the corpus; -1 outside."""
    speaker: IntArray
    """Code of the speaker; -1 where none is given."""
    depth: IntArray
    """In how many other markables it is nested."""
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


def describe(markables: Markables) -> Described:
    """The columns of all markables."""
    words, tokens = markables.words, markables.tokens
    start, stop, head = markables.start, markables.stop, markables.head
    lengths = stop - start
    token = ranges(start, lengths)
    owner = np.repeat(np.arange(len(markables)), lengths)

    kind = markables.kind
    pronoun = (kind == Kind.PRONOUN) | (kind == Kind.ZERO)
    name = kind == Kind.NAME
    opens = {
        what: words.among(getattr(lexicon, what.upper()))[start]
        for what in ("definite", "indefinite", "demonstratives", "possessive_determiners", "titles")
    }
    skipped = words.among(lexicon.DETERMINERS | lexicon.TITLES)[start].astype(np.int64)
    meaningful = ~words.among(lexicon.NOT_CONTENT)[token]
    # A pronoun's only word is its content: two pronouns overlap if they are the same word.
    meaningful |= pronoun[owner] & (lengths[owner] == 1)
    spoken = ~words.among(lexicon.DETERMINERS | lexicon.PUNCTUATION | lexicon.POSSESSIVE_MARKERS)[
        token
    ]
    spoken |= lengths[owner] == 1
    modifying = meaningful & (token != head[owner]) & ~words.among(lexicon.TITLES)[token]
    sentence = tokens.sentence_of(start)
    order = np.arange(len(sentence)) - np.searchsorted(sentence, sentence, side="left")
    column_of_head = markables.document * len(words.words) + words.code[head]
    morphology = _morphology(markables, Morphology.of(tokens, words), pronoun)
    initials, letters = acronyms(markables, name)
    # The same word in two documents is two columns: pairs are made within a document.
    column = markables.document[owner] * len(words.words) + words.code[token]
    rows = len(markables)
    return Described(
        markables=markables,
        name=name,
        nominal=~pronoun & ~name,
        pronoun=pronoun,
        **morphology,
        sentence=sentence,
        text=sequence_codes(words.code[token[spoken]], owner[spoken], rows),
        head=words.code[head],
        last=words.code[last_before_modifiers(words, start, stop)],
        first=words.code[np.minimum(start + skipped, stop - 1)],
        acronym=initials,
        letters=letters,
        content=incidence(owner[meaningful], column[meaningful], rows),
        modifiers=incidence(owner[modifying], column[modifying], rows),
        length=lengths,
        definite=opens["definite"],
        indefinite=opens["indefinite"],
        demonstrative=opens["demonstratives"],
        possessed=opens["possessive_determiners"],
        reflexive=words.among(lexicon.REFLEXIVES)[head],
        titled=opens["titles"],
        quotation=_quotations(tokens, words)[start],
        speaker=_speakers(tokens)[start],
        depth=_depth(markables),
        order=order,
        frequency=_frequency(column_of_head),
        **_syntax(markables, order),
        comma=words.among({","}),
    )


def _morphology(markables: Markables, tokens: Morphology, pronoun: BoolArray) -> dict[str, Any]:
    """Masks of the markables: the head's, corrected by what stands around the head."""
    words, start, stop, head = markables.words, markables.start, markables.stop, markables.head
    number, gender = tokens.number[head], tokens.gender[head]
    animacy, person = tokens.animacy[head], tokens.person[head]

    plain = ~pronoun
    number[plain & words.among(lexicon.SINGULAR_DETERMINERS)[start]] = SINGULAR
    number[plain & words.among(lexicon.PLURAL_DETERMINERS)[start] & (stop - start > 1)] = PLURAL
    # "the man and his wife": a coordination at the level of the head is plural.
    after = np.minimum(head + 1, stop - 1)
    number[plain & (after > head) & words.among(lexicon.COORDINATORS)[after]] = PLURAL
    person[plain] = THIRD

    name = markables.kind == Kind.NAME
    first_gender = tokens.gender[start]
    use_first = (name | (gender == 0)) & plain & (stop - start > 1)
    use_first &= ~words.among(lexicon.DETERMINERS)[start]
    gender = np.where(use_first & (first_gender != 0), first_gender, gender)
    titled = plain & words.among(lexicon.TITLES)[start]
    animacy = np.where((animacy == 0) & titled, ANIMATE, animacy)
    number[titled & (number == PLURAL) & name] = SINGULAR

    personal, impersonal = _types(markables)
    animacy = np.where(personal & plain, ANIMATE, animacy)
    animacy = np.where(impersonal & plain, INANIMATE, animacy)
    gender = np.where(impersonal & plain, NEUTER, gender)
    people = (animacy == ANIMATE) & (gender == 0) & (number != PLURAL)
    gender = np.where(people, MASCULINE | FEMININE, gender)
    return {
        "number": number.astype(np.uint8),
        "gender": gender.astype(np.uint8),
        "person": person.astype(np.uint8),
        "animacy": animacy.astype(np.uint8),
    }


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
    opens = words.among(lexicon.OPENING_QUOTES)
    closes = words.among(lexicon.CLOSING_QUOTES)
    straight = words.among(lexicon.STRAIGHT_QUOTES)
    lengths = np.diff(tokens.offsets)
    seen = np.cumsum(straight)
    before_document = np.concatenate([[0], seen])[tokens.offsets[:-1]]
    turn = seen - np.repeat(before_document, lengths)
    opens = opens | (straight & (turn % 2 == 1))
    closes = closes | (straight & (turn % 2 == 0))
    first = np.zeros(len(tokens), bool)
    first[tokens.offsets[:-1][lengths > 0]] = True
    event = np.where(opens | closes | first, np.arange(len(tokens)), 0)
    last = np.maximum.accumulate(event)
    return np.where(opens[last], np.cumsum(opens), -1)


def _speakers(tokens: Tokens) -> IntArray:
    column = tokens.layers.get("speaker")
    if column is None:
        return np.full(len(tokens), -1)
    code = column.codes()
    distinct, first = np.unique(code, return_index=True)
    nobody = [cell in {"", "-", "_", "*"} for cell in column.take(first).tolist()]
    return np.where(np.isin(code, distinct[np.array(nobody, bool)]), -1, code)


def _depth(markables: Markables) -> IntArray:
    """How many earlier markables are still open where each one starts."""
    closed = np.searchsorted(np.sort(markables.stop), markables.start, side="right")
    return np.arange(len(markables)) - closed


def _syntax(markables: Markables, order: IntArray) -> dict[str, Any]:
    """What the dependencies say of each head; without them only that first comes the subject."""
    tokens, head = markables.tokens, markables.head
    above, relation = parents(tokens), tokens.layers.get("deprel")
    nothing = np.zeros(len(markables), bool)
    if above is None or relation is None:
        unknown = np.full(len(markables), -1)
        return {
            "subject": order == 0,
            "parent": unknown,
            "appositive": nothing,
            "predicate": nothing,
        }
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


def _frequency(code: IntArray) -> IntArray:
    _, inverse, counts = np.unique(code, return_inverse=True, return_counts=True)
    return counts[inverse.reshape(-1)]
