"""Ruler: rules for pairs with weights, and the best-first choice of an antecedent.

After Ogrodniczuk and Kopeć (2011): constraints on nesting and agreement exclude pairs, and each
mention is linked to the remaining candidate with the largest sum of weights. Only the families of
rules are published; the conditions and the weights in ``WEIGHTS`` and ``LIMITS`` are our choice.
Published rules on a wordnet are left out: no wordnet is part of corefine.
"""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.resolving.attributes import MarkableAttributes
from corefine.resolving.features import (
    Compute,
    PairView,
    alias,
    head_lemma_match,
    lemma_match,
    nested,
    person_agreement,
    qualifier_clash,
    same_role,
)
from corefine.resolving.mention_pairs import MentionPairs, best_link, candidate_pairs, entities_of


def agreeing_pronoun(pair: PairView) -> BoolArray:
    """The anaphor is a pronoun or a zero; excluded pairs are those that clash."""
    found: BoolArray = pair.right(pair.attributes.pronoun)
    return found


WEIGHTS: dict[Compute, float] = {
    lemma_match: 1.0,
    alias: 0.9,
    lambda pair: head_lemma_match(pair) & ~qualifier_clash(pair): 0.8,
    agreeing_pronoun: 0.6,
    lambda pair: pair.left(pair.attributes.subject): 0.1,
    lambda pair: same_role(pair) > 0: 0.05,
}
"""Weights of the evidence for a link; the weights of all that holds are added."""
LIMITS = {"per_sentence": 0.05, "farthest": 0.3, "pronoun_sentences": 5, "least": 0.5}
"""Subtracted for each sentence between the two, but at most ``farthest``; sentences that a pronoun
looks back; the smallest sum that makes a link."""


def ruler(attributes: MarkableAttributes, *, pronouns: bool = True) -> IntArray:
    """The entities that all five rules find, or the four without the rule on pronouns."""
    links = []
    for pairs in candidate_pairs(attributes.markables.document):
        view = PairView(attributes, pairs.where(_possible(PairView(attributes, pairs), pronouns)))
        score = _score(view)
        enough = score >= LIMITS["least"]
        links.append(best_link(view.pairs.where(enough), score[enough]))
    return entities_of(len(attributes), MentionPairs.joined(links))


def four_rules(attributes: MarkableAttributes) -> IntArray:
    """The entities that the rules on nesting, agreement and lemmas find."""
    return ruler(attributes, pronouns=False)


def _possible(pair: PairView, pronouns: bool) -> BoolArray:
    """True for pairs that are not nested and agree in number, gender, person and distance."""
    anaphoric = pair.right(pair.attributes.pronoun)
    possible: BoolArray = ~nested(pair) & (pair.number >= 0) & (person_agreement(pair) >= 0)
    possible &= (pair.gender >= 0) | pair.names
    near = pair.sentences_apart <= LIMITS["pronoun_sentences"]
    return possible & np.where(anaphoric, near & pronouns, True)


def _score(pair: PairView) -> FloatArray:
    """The weights of all evidence, less the distance; exact in hundredths."""
    score: FloatArray = -np.minimum(
        LIMITS["per_sentence"] * pair.sentences_apart, LIMITS["farthest"]
    )
    for evidence, weight in WEIGHTS.items():
        score = score + weight * np.asarray(evidence(pair), bool)
    rounded: FloatArray = np.round(score, 2)
    return rounded
