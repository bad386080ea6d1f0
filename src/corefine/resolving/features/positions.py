"""Features of where the two stand: distance, nesting, apposition, quotations, speakers."""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import BoolArray
from corefine.resolving.features.registry import TERNARY, feature, side_features
from corefine.resolving.features.view import Column, PairView
from corefine.resolving.morphology import FIRST, SECOND, clash

DISTANCES = (0.5, 1.5, 2.5, 3.5, 5.5, 8.5, 13.5, 21.5, 50.5)

side_features(
    "subject",
    "i",
    "{} is a subject (or the first markable of its sentence).",
    lambda attributes: attributes.subject,
)
side_features(
    "embedded",
    "ij",
    "{} lies inside another markable.",
    lambda attributes: attributes.depth > 0,
)
side_features(
    "quoted", "ij", "{} stands in a quotation.", lambda attributes: attributes.quotation >= 0
)
side_features(
    "frequency",
    "ij",
    "How many markables of the document have the head word of {}.",
    lambda attributes: attributes.frequency,
    *(1.5, 2.5, 4.5, 8.5, 16.5),
)


@feature(*DISTANCES)
def sentence_distance(pair: PairView) -> Column:
    """How many sentences lie between the two."""
    return pair.sentences_apart


@feature(*DISTANCES)
def markable_distance(pair: PairView) -> Column:
    """How many markables the anaphor comes after the antecedent."""
    return pair.pairs.anaphor - pair.pairs.antecedent


@feature()
def same_sentence(pair: PairView) -> Column:
    """Both stand in the same sentence."""
    return pair.sentences_apart == 0


@feature()
def nested(pair: PairView) -> Column:
    """The anaphor lies inside the antecedent."""
    markables = pair.attributes.markables
    return pair.right(markables.start) < pair.left(markables.stop)


@feature()
def common_phrase(pair: PairView) -> Column:
    """A third markable covers both: they stand in the same phrase."""
    stop = pair.attributes.markables.stop
    return pair.left(pair.attributes.reach) >= np.maximum(pair.left(stop), pair.right(stop))


@feature()
def apposition(pair: PairView) -> Column:
    """The anaphor is an apposition, or only a comma stands between the two; neither a pronoun."""
    attributes = pair.attributes
    markables = attributes.markables
    after = pair.left(markables.stop)
    adjacent = pair.right(markables.start) == after + 1
    known = np.minimum(after, max(len(attributes.comma) - 1, 0))
    beside = adjacent & attributes.comma[known] & ~pair.names
    dependent = pair.right(attributes.appositive) & (
        pair.right(attributes.parent) == pair.left(markables.head)
    )
    return (beside | dependent) & pair.neither_pronoun


@feature()
def predicate_nominal(pair: PairView) -> Column:
    """The anaphor is said, with a copula, of the antecedent (needs dependencies)."""
    attributes = pair.attributes
    said_of = pair.left(attributes.parent) == pair.right(attributes.markables.head)
    return said_of & pair.left(attributes.subject) & pair.right(attributes.predicate)


@feature()
def both_subjects(pair: PairView) -> Column:
    """Both are subjects (or the first markables of their sentences)."""
    return pair.both(pair.attributes.subject)


@feature(*TERNARY)
def same_voice(pair: PairView) -> Column:
    """1 where both stand in one quotation or outside of all, -1 in different ones, 0 mixed."""
    quotation = pair.attributes.quotation
    left, right = pair.left(quotation), pair.right(quotation)
    return np.where(left == right, 1, np.where((left >= 0) & (right >= 0), -1, 0))


@feature(*TERNARY)
def same_speaker(pair: PairView) -> Column:
    """Speakers: 1 the same, -1 different, 0 not known."""
    return pair.equality(pair.attributes.speaker)


@feature(*TERNARY)
def address(pair: PairView) -> Column:
    """Persons of speech in one voice: 1 the same person, -1 different ones, 0 otherwise."""
    attributes = pair.attributes
    person = attributes.person
    speech = attributes.pronoun & ((person == FIRST) | (person == SECOND))
    known = (same_voice(pair) == 1) & (same_speaker(pair) >= 0) & pair.both(speech)
    return np.where(known, np.where(pair.same(person), 1, -1), 0)


@feature(*DISTANCES)
def rivals(pair: PairView) -> Column:
    """How many markables between the two agree with the anaphor in number and gender."""
    return _agreeing_between(pair, np.ones(len(pair.attributes), bool))


@feature(*DISTANCES)
def rival_subjects(pair: PairView) -> Column:
    """How many of the agreeing markables between the two are names or subjects."""
    return _agreeing_between(pair, pair.attributes.name | pair.attributes.subject)


def _agreeing_between(pair: PairView, counted: BoolArray) -> Column:
    """How many of the counted rows between the two agree with the anaphor in number and gender.

    There are four masks of number and eight of gender: for each of the 32 combinations the rows
    that agree with it are counted up along the text, and a pair takes the difference of two counts.
    """
    if not len(pair):
        return np.zeros(0, np.int64)
    attributes, pairs = pair.attributes, pair.pairs
    first, stop = int(pairs.antecedent.min()), int(pairs.anaphor[-1]) + 1
    number, gender = attributes.number[first:stop], attributes.gender[first:stop]
    combinations = np.arange(32)[:, None]
    wanted_number, wanted_gender = combinations & 3, combinations >> 2
    agrees = ~clash(wanted_number.astype(np.uint8), number) & counted[first:stop]
    agrees &= ~clash(wanted_gender.astype(np.uint8), gender)
    upto = np.zeros((32, stop - first + 1), np.int64)
    np.cumsum(agrees, axis=1, out=upto[:, 1:])
    combination = pair.right(attributes.number + 4 * attributes.gender).astype(np.int64)
    low, high = pairs.antecedent + 1 - first, pairs.anaphor - first
    return upto[combination, high] - upto[combination, low]
