"""Features of kind, agreement, definiteness and semantic type."""

from __future__ import annotations

import numpy as np

from corefine.resolving.features.registry import TERNARY, feature
from corefine.resolving.features.view import Column, PairView
from corefine.resolving.morphology import FIRST, SECOND


@feature()
def i_pronoun(pair: PairView) -> Column:
    """The antecedent is a pronoun or a zero."""
    return pair.left(pair.described.pronoun)


@feature()
def j_pronoun(pair: PairView) -> Column:
    """The anaphor is a pronoun or a zero."""
    return pair.right(pair.described.pronoun)


@feature()
def i_name(pair: PairView) -> Column:
    """The antecedent is a name."""
    return pair.left(pair.described.name)


@feature()
def j_name(pair: PairView) -> Column:
    """The anaphor is a name."""
    return pair.right(pair.described.name)


@feature()
def i_nominal(pair: PairView) -> Column:
    """The antecedent is neither a name nor a pronoun."""
    return pair.left(pair.described.nominal)


@feature()
def j_nominal(pair: PairView) -> Column:
    """The anaphor is neither a name nor a pronoun."""
    return pair.right(pair.described.nominal)


@feature()
def both_names(pair: PairView) -> Column:
    """Both are names."""
    return pair.names


@feature()
def both_pronouns(pair: PairView) -> Column:
    """Both are pronouns or zeros."""
    return pair.pronouns


@feature()
def j_definite(pair: PairView) -> Column:
    """The anaphor starts with the definite article."""
    return pair.right(pair.described.definite)


@feature()
def j_demonstrative(pair: PairView) -> Column:
    """The anaphor starts with a demonstrative."""
    return pair.right(pair.described.demonstrative)


@feature()
def i_indefinite(pair: PairView) -> Column:
    """The antecedent starts with an indefinite determiner."""
    return pair.left(pair.described.indefinite)


@feature()
def j_indefinite(pair: PairView) -> Column:
    """The anaphor starts with an indefinite determiner."""
    return pair.right(pair.described.indefinite)


@feature()
def j_possessed(pair: PairView) -> Column:
    """The anaphor starts with a possessive pronoun."""
    return pair.right(pair.described.possessed)


@feature()
def i_possessed(pair: PairView) -> Column:
    """The antecedent starts with a possessive pronoun."""
    return pair.left(pair.described.possessed)


@feature()
def j_reflexive(pair: PairView) -> Column:
    """The anaphor is a reflexive pronoun."""
    return pair.right(pair.described.reflexive)


@feature(*TERNARY)
def number_agreement(pair: PairView) -> Column:
    """Number: 1 agrees, -1 clashes, 0 not known."""
    return pair.number


@feature(*TERNARY)
def gender_agreement(pair: PairView) -> Column:
    """Gender: 1 agrees, -1 clashes, 0 not known."""
    return pair.gender


@feature(*TERNARY)
def person_agreement(pair: PairView) -> Column:
    """Person: 1 agrees, -1 clashes, 0 not known."""
    return pair.person


@feature(*TERNARY)
def animacy_agreement(pair: PairView) -> Column:
    """Animacy: 1 agrees, -1 clashes, 0 not known."""
    return pair.animacy


@feature()
def any_clash(pair: PairView) -> Column:
    """Number, gender, animacy or semantic type clashes."""
    return (pair.number < 0) | (pair.gender < 0) | (pair.animacy < 0) | (pair.types < 0)


@feature(*TERNARY)
def type_agreement(pair: PairView) -> Column:
    """Semantic type: 1 the same, -1 different, 0 not known."""
    return pair.types


@feature()
def both_first_person(pair: PairView) -> Column:
    """Both are of the first person and of the same number."""
    described = pair.described
    return pair.both(described.person == FIRST) & (pair.number > 0)


@feature()
def both_second_person(pair: PairView) -> Column:
    """Both are of the second person."""
    return pair.both(pair.described.person == SECOND)


@feature(0.5, 1.5, 2.5)
def i_speech_person(pair: PairView) -> Column:
    """The antecedent's person as a pronoun: 1, 2, 3, or 0 where it is none."""
    return pair.left(_pronoun_person(pair))


@feature(0.5, 1.5, 2.5)
def j_speech_person(pair: PairView) -> Column:
    """The anaphor's person as a pronoun: 1, 2, 3, or 0 where it is none."""
    return pair.right(_pronoun_person(pair))


@feature(0.5, 1.5, 2.5)
def j_gender(pair: PairView) -> Column:
    """The anaphor's gender: 1 masculine, 2 feminine, 3 neuter, 0 several or not known."""
    mask = pair.described.gender
    return pair.right(np.select([mask == 1, mask == 2, mask == 4], [1, 2, 3], 0))


@feature()
def j_plural(pair: PairView) -> Column:
    """The anaphor is plural."""
    return pair.right(pair.described.number == 2)


def _pronoun_person(pair: PairView) -> Column:
    """1, 2 or 3 for a pronoun of that person; 0 for others."""
    described = pair.described
    person = described.person
    number = np.select([person == 1, person == 2, person == 4], [1, 2, 3], 0)
    return np.where(described.pronoun, number, 0)
