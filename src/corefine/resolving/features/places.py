"""Features of where the two stand: distance, nesting, apposition, quotations, speakers."""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import BoolArray
from corefine.resolving.features.registry import TERNARY, feature
from corefine.resolving.features.view import Column, PairView
from corefine.resolving.morphology import FIRST, SECOND, clash

DISTANCES = (0.5, 1.5, 2.5, 3.5, 5.5, 8.5, 13.5, 21.5, 50.5)


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
    markables = pair.described.markables
    return pair.right(markables.start) < pair.left(markables.stop)


@feature()
def common_phrase(pair: PairView) -> Column:
    """Both stand in the same sentence and inside the same or neighbouring markables."""
    described = pair.described
    depth = described.depth
    return (pair.sentences_apart == 0) & (pair.left(depth) > 0) & (pair.right(depth) > 0)


@feature()
def apposition(pair: PairView) -> Column:
    """The anaphor is an apposition, or only a comma stands between the two; neither a pronoun."""
    described = pair.described
    markables = described.markables
    after = pair.left(markables.stop)
    adjacent = pair.right(markables.start) == after + 1
    known = np.minimum(after, max(len(described.comma) - 1, 0))
    beside = adjacent & described.comma[known] & ~pair.names
    dependent = pair.right(described.appositive) & (
        pair.right(described.parent) == pair.left(markables.head)
    )
    return (beside | dependent) & pair.neither_pronoun


@feature()
def predicate_nominal(pair: PairView) -> Column:
    """The anaphor is said, with a copula, of the antecedent (needs dependencies)."""
    described = pair.described
    heads = described.markables.head
    said_of = pair.left(described.parent) == pair.right(heads)
    return said_of & pair.left(described.subject) & pair.right(described.predicate)


@feature()
def i_subject(pair: PairView) -> Column:
    """The antecedent is a subject (or the first markable of its sentence)."""
    return pair.left(pair.described.subject)


@feature()
def both_subjects(pair: PairView) -> Column:
    """Both are subjects (or the first markables of their sentences)."""
    return pair.both(pair.described.subject)


@feature()
def i_embedded(pair: PairView) -> Column:
    """The antecedent lies inside another markable."""
    return pair.left(pair.described.depth) > 0


@feature()
def j_embedded(pair: PairView) -> Column:
    """The anaphor lies inside another markable."""
    return pair.right(pair.described.depth) > 0


@feature(*TERNARY)
def same_voice(pair: PairView) -> Column:
    """1 where both stand in one quotation or outside of all, -1 in different ones, 0 mixed."""
    quotation = pair.described.quotation
    left, right = pair.left(quotation), pair.right(quotation)
    return np.where(left == right, 1, np.where((left >= 0) & (right >= 0), -1, 0))


@feature()
def i_quoted(pair: PairView) -> Column:
    """The antecedent stands in a quotation."""
    return pair.left(pair.described.quotation) >= 0


@feature()
def j_quoted(pair: PairView) -> Column:
    """The anaphor stands in a quotation."""
    return pair.right(pair.described.quotation) >= 0


@feature(*TERNARY)
def same_speaker(pair: PairView) -> Column:
    """Speakers: 1 the same, -1 different, 0 not known."""
    speaker = pair.described.speaker
    left, right = pair.left(speaker), pair.right(speaker)
    return np.where((left < 0) | (right < 0), 0, np.where(left == right, 1, -1))


@feature(*TERNARY)
def address(pair: PairView) -> Column:
    """Persons of speech in one voice: 1 the same person, -1 different ones, 0 otherwise."""
    described = pair.described
    person = described.person
    speech = described.pronoun & ((person == FIRST) | (person == SECOND))
    known = (same_voice(pair) == 1) & (same_speaker(pair) >= 0) & pair.both(speech)
    return np.where(known, np.where(pair.same(person), 1, -1), 0)


@feature(*DISTANCES)
def rivals(pair: PairView) -> Column:
    """How many markables between the two agree with the anaphor in number and gender."""
    return _agreeing_between(pair, np.ones(len(pair.described), bool))


@feature(*DISTANCES)
def rival_subjects(pair: PairView) -> Column:
    """How many of the agreeing markables between the two are names or subjects."""
    return _agreeing_between(pair, pair.described.name | pair.described.subject)


@feature(1.5, 2.5, 4.5, 8.5, 16.5)
def i_frequency(pair: PairView) -> Column:
    """How many markables of the document have the antecedent's head word."""
    return pair.left(pair.described.frequency)


@feature(1.5, 2.5, 4.5, 8.5, 16.5)
def j_frequency(pair: PairView) -> Column:
    """How many markables of the document have the anaphor's head word."""
    return pair.right(pair.described.frequency)


def _agreeing_between(pair: PairView, counted: BoolArray) -> Column:
    """How many of the counted rows between the two agree with the anaphor in number and gender.

    There are four masks of number and eight of gender: for each of the 32 combinations the rows
    that agree with it are counted up along the text, and a pair takes the difference of two counts.
    """
    if not len(pair):
        return np.zeros(0, np.int64)
    described, pairs = pair.described, pair.pairs
    first, stop = int(pairs.antecedent.min()), int(pairs.anaphor[-1]) + 1
    number, gender = described.number[first:stop], described.gender[first:stop]
    combinations = np.arange(32)[:, None]
    wanted_number, wanted_gender = combinations & 3, combinations >> 2
    agrees = ~clash(wanted_number.astype(np.uint8), number) & counted[first:stop]
    agrees &= ~clash(wanted_gender.astype(np.uint8), gender)
    upto = np.zeros((32, stop - first + 1), np.int64)
    np.cumsum(agrees, axis=1, out=upto[:, 1:])
    combination = pair.right(described.number + 4 * described.gender).astype(np.int64)
    low, high = pairs.antecedent + 1 - first, pairs.anaphor - first
    return upto[combination, high] - upto[combination, low]
