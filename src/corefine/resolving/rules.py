"""Resolvers that need no training: the floors of a comparison, head match and a sieve.

``singletons``
    every markable is an entity of its own.
``one-entity``
    all markables of a document are one entity.
``headmatch``
    markables of a document with the same head word, whatever their kind, are one entity.
``same-lemma``
    markables whose heads have the same lemma are one entity, in all documents: it has the same id
    in each, so that ``--scope topic`` or ``corpus`` joins it (Cattan et al. 2021). Where the corpus
    has no lemmas, the head word in lower case stands for one.
``same-lemma-within-document``
    the same within each document: no wider scope joins anything.
``sieve``
    rules in passes, from the surest to the least sure (after Raghunathan et al. 2010). A pass links
    each markable to the closest antecedent that its rule allows; entities are merged before the
    next pass, which knows the number, gender and animacy of the entities so far.

    1. the same words, and no pronoun; persons of speech within one voice
    2. precise constructs: apposition, predicate nominal, acronym
    3. the same head, no new modifier, not indefinite; the same surname
    4. the same head, no clash of modifiers, not indefinite
    5. pronouns: the closest sentence with an agreeing antecedent; in it those of known gender,
       subjects
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from corefine.corpus.arrays import IntArray, by_first_appearance
from corefine.corpus.strings import Strings
from corefine.resolving.attributes import MarkableAttributes
from corefine.resolving.clustering import best_link, closest_link, entities_of
from corefine.resolving.features import PairView
from corefine.resolving.features.grammatical_agreement import any_clash
from corefine.resolving.features.positions import address, apposition, nested, predicate_nominal
from corefine.resolving.features.string_match import (
    acronym,
    last_word_match,
    modifier_clash,
    new_modifier,
    nominal_head_match,
)
from corefine.resolving.features.view import Column
from corefine.resolving.mention_pairs import MentionPairs, candidate_pairs
from corefine.resolving.morphology import FIRST, SECOND, Mask

PRONOUN_REACH = 3
"""How many sentences back a pronoun's antecedent may stand."""

Rule = Callable[[PairView], Column]


def singletons(attributes: MarkableAttributes) -> IntArray:
    """Every markable by itself."""
    return np.arange(len(attributes))


def one_entity(attributes: MarkableAttributes) -> IntArray:
    """All markables of a document together."""
    return by_first_appearance(attributes.markables.document)[0]


def headmatch(attributes: MarkableAttributes) -> IntArray:
    """Markables of a document with the same head word together."""
    words = max(len(attributes.markables.words.words), 1)
    return by_first_appearance(attributes.markables.document * words + attributes.head)[0]


def same_lemma(attributes: MarkableAttributes) -> IntArray:
    """Markables of a document whose heads have the same lemma together."""
    lemmas = _lemmas(attributes)
    count = int(lemmas.max(initial=0)) + 1
    return by_first_appearance(attributes.markables.document * count + lemmas)[0]


def lemma_names(attributes: MarkableAttributes) -> list[str]:
    """The name of each markable's entity: the same for one lemma in all documents.

    It is a number, not the lemma, which not every format could hold.
    """
    return [f"e{number + 1}" for number in _lemmas(attributes).tolist()]


def names_by_document(attributes: MarkableAttributes) -> list[str]:
    """The name of each markable's entity: no two documents have one of the same name."""
    return [f"e{number + 1}" for number in same_lemma(attributes).tolist()]


def _lemmas(attributes: MarkableAttributes) -> IntArray:
    """The lemma of each markable's head, in lower case, by number; without one its word."""
    markables = attributes.markables
    words, lemmas = markables.tokens.words, markables.tokens.layers.get("lemma")
    found = []
    for token in markables.head.tolist():
        lemma = "" if lemmas is None else lemmas[token]
        found.append((lemma if lemma not in ("", "_", "-") else words[token]).lower())
    return by_first_appearance(Strings.from_list(found).codes())[0]


def sieve(attributes: MarkableAttributes) -> IntArray:
    """The entity of each markable."""
    found = MentionPairs.joined([])
    current = attributes
    for rule in (_exact, _precise, _strict_head, _relaxed_head):
        found = _with_links(found, current, rule)
        current = _of_entities(attributes, entities_of(len(attributes), found))
    links = [found]
    for pairs in candidate_pairs(attributes.markables.document):
        view = PairView(current, pairs)
        allowed = _pronoun(view)
        # The closer sentence first; within it one that is known to agree in gender, a subject,
        # and the one that comes first.
        rank = -8.0 * view.sentences_apart + 4.0 * (view.gender > 0)
        rank += 2.0 * view.left(current.subject)
        order = view.left(current.order)
        rank = rank - order / (1.0 + order)
        links.append(best_link(pairs.where(allowed), rank[allowed], -np.inf))
    return entities_of(len(attributes), MentionPairs.joined(links))


def _with_links(found: MentionPairs, attributes: MarkableAttributes, rule: Rule) -> MentionPairs:
    """The links so far and those of one more pass."""
    parts = [found]
    for pairs in candidate_pairs(attributes.markables.document):
        allowed = rule(PairView(attributes, pairs))
        satisfactory = pairs.where(allowed)
        parts.append(closest_link(satisfactory, np.ones(len(satisfactory)), 0.5))
    return MentionPairs.joined(parts)


def _exact(pair: PairView) -> Column:
    return (pair.same_text & pair.neither_pronoun & _mergeable(pair)) | (address(pair) > 0)


def _precise(pair: PairView) -> Column:
    allowed = apposition(pair) | predicate_nominal(pair)
    return (allowed & ~any_clash(pair)) | acronym(pair)


def _strict_head(pair: PairView) -> Column:
    heads = nominal_head_match(pair) & ~new_modifier(pair)
    surnames = last_word_match(pair) & ~modifier_clash(pair)
    return (heads | surnames) & _mergeable(pair)


def _relaxed_head(pair: PairView) -> Column:
    return nominal_head_match(pair) & ~modifier_clash(pair) & _mergeable(pair)


def _mergeable(pair: PairView) -> Column:
    """Neither is nested in the other, they do not disagree, and the anaphor is not indefinite.

    "a man" after "a man" is as a rule another one.
    """
    return ~nested(pair) & ~any_clash(pair) & ~pair.right(pair.attributes.indefinite)


def _pronoun(pair: PairView) -> Column:
    attributes = pair.attributes
    speech = (attributes.person == FIRST) | (attributes.person == SECOND)
    third = pair.right(attributes.pronoun & ~speech) & ~pair.left(attributes.pronoun & speech)
    fits = ~any_clash(pair) & ~nested(pair)
    return third & fits & (pair.sentences_apart <= PRONOUN_REACH)


def _of_entities(attributes: MarkableAttributes, entity: IntArray) -> MarkableAttributes:
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
        attributes,
        number=merged(attributes.number),
        gender=merged(attributes.gender),
        animacy=merged(attributes.animacy),
    )
