"""Number, gender, person and animacy of words, as sets of what is possible.

Each is a bit mask, so that agreement is one ``and``: 0 stands for "not known", and agrees with
everything. What the corpus says (Universal Dependencies' features, Penn Treebank's tags) comes
first, the word lists fill in what it leaves open.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.columns import Tokens
from corefine.resolving import lexicon
from corefine.resolving.vocabulary import Vocabulary

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
_TAGS = {
    "number": {"NN": SINGULAR, "NNP": SINGULAR, "NNS": PLURAL, "NNPS": PLURAL},
}


@dataclass(frozen=True, slots=True, eq=False)
class Morphology:
    """Masks by token of the corpus."""

    number: Mask
    gender: Mask
    person: Mask
    animacy: Mask

    @classmethod
    def of(cls, tokens: Tokens, words: Vocabulary) -> Morphology:
        """What the corpus's layers and the word lists tell of each token."""
        given = _given(tokens)
        gender = words.lookup(_gender_of_words(words))
        animacy = words.lookup(_animacy_of_words(words))
        # A grammatical gender other than a pronoun's says little of the referent, but where a
        # corpus has it, agreement follows it.
        return cls(
            number=_filled(given["number"], words.lookup(_number_of_words(words))),
            gender=_filled(given["gender"], gender),
            person=_filled(given["person"], words.lookup(_person_of_words(words))),
            animacy=_filled(given["animacy"], animacy),
        )


def agree(left: Mask, right: Mask) -> BoolArray:
    """Whether both are known, leave one possibility, and it is the same."""
    result: BoolArray = (left == right) & (left != 0) & ((left & (left - 1)) == 0)
    return result


def clash(left: Mask, right: Mask) -> BoolArray:
    """Whether both are known and have nothing in common."""
    result: BoolArray = ((left & right) == 0) & (left != 0) & (right != 0)
    return result


def _filled(first: Mask, second: Mask) -> Mask:
    return np.where(first != 0, first, second)


def _given(tokens: Tokens) -> dict[str, Mask]:
    """What the layers ``feats`` and ``pos`` say; zeros where there are none."""
    masks = {name: np.zeros(len(tokens), np.uint8) for name in _FEATURES}
    if "feats" in tokens.layers:
        code, cells = _distinct(tokens, "feats")
        split = [cell.split("|") for cell in cells]
        for name, meanings in _FEATURES.items():
            values = [sum({meanings.get(part, 0) for part in parts}) for parts in split]
            masks[name] = np.array(values, np.uint8)[code]
    for layer in ("pos", "xpos"):
        if layer in tokens.layers:
            code, cells = _distinct(tokens, layer)
            for name, tags in _TAGS.items():
                values = [tags.get(cell, 0) for cell in cells]
                masks[name] = _filled(masks[name], np.array(values, np.uint8)[code])
    return masks


def _distinct(tokens: Tokens, layer: str) -> tuple[IntArray, list[str]]:
    column = tokens.layers[layer]
    _, first, inverse = np.unique(column.codes(), return_index=True, return_inverse=True)
    return inverse.reshape(-1), column.take(first).tolist()


def _number_of_words(words: Vocabulary) -> Mask:
    known = words.flags(
        (
            SINGULAR,
            lexicon.FIRST_SINGULAR
            | lexicon.MASCULINE_PRONOUNS
            | lexicon.FEMININE_PRONOUNS
            | lexicon.NEUTER_PRONOUNS
            | lexicon.MASCULINE_NAMES
            | lexicon.FEMININE_NAMES
            | lexicon.TITLES
            | lexicon.NOT_PLURAL
            | {"this", "that", "yourself", "one"},
        ),
        (SINGULAR | PLURAL, lexicon.SECOND - {"yourself"}),
        (
            PLURAL,
            lexicon.FIRST_PLURAL
            | lexicon.THIRD_PLURAL
            | lexicon.IRREGULAR_PLURALS
            | {"these", "those", "both"},
        ),
    )
    shape = np.array([_number_by_ending(word) for word in words.words], np.uint8)
    return _filled(known, shape)


def _number_by_ending(word: str) -> int:
    if not word.isalpha():
        return 0
    if word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is")):
        return PLURAL
    return SINGULAR


def _gender_of_words(words: Vocabulary) -> Mask:
    masculine = lexicon.MASCULINE_PRONOUNS | lexicon.MASCULINE_NOUNS | lexicon.MASCULINE_NAMES
    feminine = lexicon.FEMININE_PRONOUNS | lexicon.FEMININE_NOUNS | lexicon.FEMININE_NAMES
    return words.flags(
        (MASCULINE, masculine), (FEMININE, feminine), (NEUTER, lexicon.NEUTER_PRONOUNS)
    )


def _person_of_words(words: Vocabulary) -> Mask:
    third = (
        lexicon.MASCULINE_PRONOUNS
        | lexicon.FEMININE_PRONOUNS
        | lexicon.NEUTER_PRONOUNS
        | lexicon.THIRD_PLURAL
    )
    first = lexicon.FIRST_SINGULAR | lexicon.FIRST_PLURAL
    return words.flags((FIRST, first), (SECOND, lexicon.SECOND), (THIRD, third))


def _animacy_of_words(words: Vocabulary) -> Mask:
    animate = (
        lexicon.FIRST_SINGULAR
        | lexicon.FIRST_PLURAL
        | lexicon.SECOND
        | lexicon.MASCULINE_PRONOUNS
        | lexicon.FEMININE_PRONOUNS
        | lexicon.PERSON_PRONOUNS
        | lexicon.MASCULINE_NOUNS
        | lexicon.FEMININE_NOUNS
        | lexicon.MASCULINE_NAMES
        | lexicon.FEMININE_NAMES
        | lexicon.PERSON_NOUNS
        | lexicon.TITLES
    )
    return words.flags((ANIMATE, animate), (INANIMATE, lexicon.NEUTER_PRONOUNS))
