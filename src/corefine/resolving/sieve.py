"""A sieve: rules in passes, from the surest to the least sure (after Raghunathan et al. 2010).

A pass links each markable to the closest antecedent that its rule allows; entities are merged
before the next pass, which knows the number, gender and animacy of the entities so far.

1. the same words, and no pronoun; persons of speech within one voice
2. precise constructs: apposition, predicate nominal, acronym
3. the same head, no new modifier, not indefinite; the same surname
4. the same head, no clash of modifiers, not indefinite
5. pronouns: the closest sentence with an agreeing antecedent; in it those of known gender, subjects
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.resolving.clustering import best_link, closest_link, entities_of
from corefine.resolving.described import Described
from corefine.resolving.features import PairView, grammar, places, strings
from corefine.resolving.features.view import Column
from corefine.resolving.morphology import FIRST, SECOND, Mask
from corefine.resolving.pairs import Pairs, candidate_pairs

PRONOUN_REACH = 3
"""How many sentences back a pronoun's antecedent may stand."""

Rule = Callable[[PairView], Column]


def sieve(described: Described) -> IntArray:
    """The entity of each markable."""
    found = Pairs.joined([])
    current = described
    for rule in (_exact, _precise, _strict_head, _relaxed_head):
        found = _with_links(found, current, rule)
        current = _of_entities(described, entities_of(len(described), found))
    links = [found]
    for pairs in candidate_pairs(described.markables.document):
        view = PairView(current, pairs)
        allowed = _pronoun(view)
        # The closer sentence first; within it one that is known to agree in gender, a subject,
        # and the one that comes first.
        rank = -8.0 * view.sentences_apart + 4.0 * (view.gender > 0)
        rank += 2.0 * view.left(current.subject)
        order = view.left(current.order)
        rank = rank - order / (1.0 + order)
        links.append(best_link(pairs.where(allowed), rank[allowed], -np.inf))
    return entities_of(len(described), Pairs.joined(links))


def _with_links(found: Pairs, described: Described, rule: Rule) -> Pairs:
    """The links so far and those of one more pass."""
    parts = [found]
    for pairs in candidate_pairs(described.markables.document):
        allowed = rule(PairView(described, pairs))
        satisfactory = pairs.where(allowed)
        parts.append(closest_link(satisfactory, np.ones(len(satisfactory)), 0.5))
    return Pairs.joined(parts)


def _exact(pair: PairView) -> Column:
    same = pair.same_text & pair.neither_pronoun & ~places.nested(pair) & ~_disagree(pair)
    # "a man" after "a man" is as a rule another one.
    same &= ~grammar.j_indefinite(pair)
    return same | (places.address(pair) > 0)


def _precise(pair: PairView) -> Column:
    allowed = places.apposition(pair) | places.predicate_nominal(pair)
    return (allowed & ~_disagree(pair)) | strings.acronym(pair)


def _strict_head(pair: PairView) -> Column:
    heads = strings.nominal_head_match(pair) & ~strings.new_modifier(pair)
    surnames = strings.last_word_match(pair) & ~strings.modifier_clash(pair)
    return (heads | surnames) & _mergeable(pair)


def _relaxed_head(pair: PairView) -> Column:
    heads = strings.nominal_head_match(pair) & ~strings.modifier_clash(pair)
    return heads & _mergeable(pair)


def _mergeable(pair: PairView) -> Column:
    """Neither is nested in the other, they do not disagree, and the anaphor is not indefinite."""
    return ~places.nested(pair) & ~_disagree(pair) & ~grammar.j_indefinite(pair)


def _disagree(pair: PairView) -> Column:
    return grammar.any_clash(pair)


def _pronoun(pair: PairView) -> Column:
    described = pair.described
    person = described.person
    speech = (person == FIRST) | (person == SECOND)
    third = pair.right(described.pronoun & ~speech) & ~pair.left(described.pronoun & speech)
    fits = ~_disagree(pair) & ~places.nested(pair)
    return third & fits & (pair.sentences_apart <= PRONOUN_REACH)


def _of_entities(described: Described, entity: IntArray) -> Described:
    """Markables with the number, gender and animacy of their entities so far."""

    def merged(mask: Mask) -> Mask:
        count = int(entity.max(initial=-1)) + 1
        every = np.full(count, 255, np.uint8)
        np.bitwise_and.at(every, entity, np.where(mask == 0, 255, mask).astype(np.uint8))
        some = np.zeros(count, np.uint8)
        np.bitwise_or.at(some, entity, mask)
        # Members that contradict each other leave it open.
        return np.where((some == 0) | (every == 0), 0, every)[entity].astype(np.uint8)

    return replace(
        described,
        number=merged(described.number),
        gender=merged(described.gender),
        animacy=merged(described.animacy),
    )
