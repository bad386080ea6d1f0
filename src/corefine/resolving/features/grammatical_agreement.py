"""Features of kind, agreement, definiteness and semantic type."""

from __future__ import annotations

from operator import attrgetter

import numpy as np

from corefine.resolving.attributes import MarkableAttributes
from corefine.resolving.features.registry import FEATURES, TERNARY, Feature, feature, side_features
from corefine.resolving.features.view import Column, PairView
from corefine.resolving.morphology import (
    FEMININE,
    FIRST,
    MASCULINE,
    NEUTER,
    PLURAL,
    SECOND,
    THIRD,
    Mask,
)

for _name, _sides, _says in (
    ("pronoun", "ij", "{} is a pronoun or a zero."),
    ("name", "ij", "{} is a name."),
    ("nominal", "ij", "{} is neither a name nor a pronoun."),
    ("definite", "j", "{} starts with the definite article."),
    ("demonstrative", "j", "{} starts with a demonstrative."),
    ("indefinite", "ij", "{} starts with an indefinite determiner."),
    ("possessed", "ij", "{} starts with a possessive pronoun."),
    ("reflexive", "j", "{} is a reflexive pronoun."),
):
    side_features(_name, _sides, _says, attrgetter(_name))

for _name, _what in (
    ("number", "Number: 1 agrees, -1 clashes, 0 not known."),
    ("gender", "Gender: 1 agrees, -1 clashes, 0 not known."),
    ("person", "Person: 1 agrees, -1 clashes, 0 not known."),
    ("animacy", "Animacy: 1 agrees, -1 clashes, 0 not known."),
    ("type", "Semantic type: 1 the same, -1 different, 0 not known."),
):
    FEATURES[f"{_name}_agreement"] = Feature(
        f"{_name}_agreement", _what, attrgetter(_name), TERNARY
    )


@feature()
def both_names(pair: PairView) -> Column:
    """Both are names."""
    return pair.names


@feature()
def both_pronouns(pair: PairView) -> Column:
    """Both are pronouns or zeros."""
    return pair.pronouns


@feature()
def any_clash(pair: PairView) -> Column:
    """Number, gender, animacy or semantic type clashes."""
    return (pair.number < 0) | (pair.gender < 0) | (pair.animacy < 0) | (pair.type < 0)


@feature()
def both_first_person(pair: PairView) -> Column:
    """Both are of the first person and of the same number."""
    return pair.both(pair.attributes.person == FIRST) & (pair.number > 0)


@feature()
def both_second_person(pair: PairView) -> Column:
    """Both are of the second person."""
    return pair.both(pair.attributes.person == SECOND)


def _numbered(mask: Mask, first: int, second: int, third: int) -> Column:
    """1, 2 or 3 where a mask leaves one of these possibilities; 0 elsewhere."""
    return np.select([mask == first, mask == second, mask == third], [1, 2, 3], 0)


def _pronoun_person(attributes: MarkableAttributes) -> Column:
    return np.where(attributes.pronoun, _numbered(attributes.person, FIRST, SECOND, THIRD), 0)


side_features(
    "speech_person",
    "ij",
    "{}'s person as a pronoun: 1, 2, 3, or 0 where it is none.",
    _pronoun_person,
    *(0.5, 1.5, 2.5),
)
side_features(
    "gender",
    "j",
    "{}'s gender: 1 masculine, 2 feminine, 3 neuter, 0 several or not known.",
    lambda attributes: _numbered(attributes.gender, MASCULINE, FEMININE, NEUTER),
    *(0.5, 1.5, 2.5),
)
side_features("plural", "j", "{} is plural.", lambda attributes: attributes.number == PLURAL)
