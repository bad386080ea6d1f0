"""Number, gender, person and animacy of words, as sets of what is possible.

Each is a bit mask, so that agreement is one ``and``: 0 stands for "not known", and agrees with
everything. What the corpus says (Universal Dependencies' features, Penn Treebank's tags) comes
first, the word lists fill in what it leaves open. A grammatical gender other than a pronoun's says
little of the referent, but where a corpus has it, agreement follows it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray
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
_NUMBER_OF_TAG = {"NN": SINGULAR, "NNP": SINGULAR, "NNS": PLURAL, "NNPS": PLURAL}

_MASCULINE = lexicon.MASCULINE_PRONOUNS | lexicon.MASCULINE_NOUNS | lexicon.MASCULINE_NAMES
_FEMININE = lexicon.FEMININE_PRONOUNS | lexicon.FEMININE_NOUNS | lexicon.FEMININE_NAMES
_SINGULAR = (
    lexicon.FIRST_SINGULAR
    | lexicon.THIRD_SINGULAR
    | lexicon.MASCULINE_NAMES
    | lexicon.FEMININE_NAMES
    | lexicon.TITLES
    | lexicon.NOT_PLURAL
    | {"this", "that", "yourself", "one"}
)
_PLURAL = (
    lexicon.FIRST_PLURAL
    | lexicon.THIRD_PLURAL
    | lexicon.IRREGULAR_PLURALS
    | {"these", "those", "both"}
)
_FIRST = lexicon.FIRST_SINGULAR | lexicon.FIRST_PLURAL
_PERSONS = lexicon.PERSON_PRONOUNS | lexicon.PERSON_NOUNS | lexicon.TITLES
_WORDS: dict[str, tuple[tuple[int, frozenset[str]], ...]] = {
    "number": (
        (SINGULAR, _SINGULAR),
        (SINGULAR | PLURAL, lexicon.SECOND - {"yourself"}),
        (PLURAL, _PLURAL),
    ),
    "gender": (
        (MASCULINE, _MASCULINE),
        (FEMININE, _FEMININE),
        (NEUTER, lexicon.NEUTER_PRONOUNS),
    ),
    "person": (
        (FIRST, _FIRST),
        (SECOND, lexicon.SECOND),
        (THIRD, lexicon.THIRD_SINGULAR | lexicon.THIRD_PLURAL),
    ),
    "animacy": (
        (ANIMATE, _FIRST | lexicon.SECOND | _MASCULINE | _FEMININE | _PERSONS),
        (INANIMATE, lexicon.NEUTER_PRONOUNS),
    ),
}


def morphology_of(tokens: Tokens, words: Vocabulary) -> dict[str, Mask]:
    """By token: masks of number, gender, person and animacy."""
    masks = _given(tokens)
    for name, lists in _WORDS.items():
        masks[name] = _filled(masks[name], words.flags(*lists))
    ending = np.array([_number_by_ending(word) for word in words.words], np.uint8)
    masks["number"] = _filled(masks["number"], ending[words.code])
    return masks


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
    """What the layers ``feats``, ``pos`` and ``xpos`` say; zeros where there are none."""
    masks = {name: np.zeros(len(tokens), np.uint8) for name in _FEATURES}
    if "feats" in tokens.layers:
        cells, code = tokens.layers["feats"].distinct()
        split = [cell.split("|") for cell in cells]
        for name, meanings in _FEATURES.items():
            values = [sum({meanings.get(part, 0) for part in parts}) for parts in split]
            masks[name] = np.array(values, np.uint8)[code]
    for layer in ("pos", "xpos"):
        if layer in tokens.layers:
            cells, code = tokens.layers[layer].distinct()
            number = np.array([_NUMBER_OF_TAG.get(cell, 0) for cell in cells], np.uint8)
            masks["number"] = _filled(masks["number"], number[code])
    return masks


def _number_by_ending(word: str) -> int:
    if not word.isalpha():
        return 0
    if word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is")):
        return PLURAL
    return SINGULAR
