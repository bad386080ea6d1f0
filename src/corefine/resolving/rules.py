"""Rule-based resolvers, and all resolvers by name.

``singletons``
    every markable is an entity.
``one-entity``
    all markables of a document are one entity.
``headmatch``
    markables of a document with the same head word, of any kind, are one entity.
``same-lemma``
    markables with the same head lemma are one entity, across documents: the entity has the same id
    in each document, so that ``--scope topic`` or ``corpus`` joins it (Cattan et al. 2021). If the
    corpus has no lemmas, the head word in lower case is used.
``same-lemma-within-document``
    the same within each document: no wider scope joins anything.
``ruler``, ``ruler-4``
    rules for pairs with weights, and the best-first choice of an antecedent, after Ogrodniczuk and
    Kopeć (2011): constraints on nesting and agreement exclude pairs, and each mention is linked to
    the remaining candidate with the largest sum of weights. Only the families of rules are
    published; the conditions and the weights in ``WEIGHTS`` and ``LIMITS`` are our choice. Rules
    on a wordnet are left out, since no wordnet is part of corefine.
``sieve``
    rules in passes, from the most to the least precise (after Raghunathan et al. 2010). A pass
    links each markable to the closest antecedent that its rule allows; entities are merged before
    the next pass, which uses the number, gender and animacy of the entities so far.

    1. the same words, and not pronouns; first and second persons within one voice
    2. precise constructs: apposition, predicate nominal, acronym
    3. the same head, no new modifier, not indefinite; the same surname
    4. the same head, no clash of modifiers, not indefinite
    5. pronouns: the closest sentence with an agreeing antecedent; in it, those of known gender
       first, then subjects
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray, numbered
from corefine.errors import UsageError, closest
from corefine.output.progress import Progress, silent
from corefine.resolving.attributes import MarkableAttributes, Mask
from corefine.resolving.classifiers import make_classifier
from corefine.resolving.features import (
    Compute,
    FeatureValues,
    PairView,
    acronym,
    address,
    alias,
    any_clash,
    apposition,
    head_lemma_match,
    lemma_match,
    modifier_clash,
    nested,
    new_modifier,
    person_agreement,
    predicate_nominal,
    qualifier_clash,
    same_role,
)
from corefine.resolving.mention_pairs import (
    MentionPairs,
    best_link,
    candidate_pairs,
    entities_of,
    parts,
)
from corefine.resolving.resolver import RECIPES, SUMMARIES, train_recipe

PRONOUN_REACH = 3
"""Largest distance of a pronoun's antecedent, in sentences."""

Rule = Callable[[PairView], FeatureValues]
Keys = tuple[IntArray, IntArray]
"""A key per markable as antecedent, and as anaphor; -1 for none."""


def singletons(attributes: MarkableAttributes) -> IntArray:
    """Every markable by itself."""
    return np.arange(len(attributes))


def one_entity(attributes: MarkableAttributes) -> IntArray:
    """All markables of a document together."""
    return numbered(attributes.markables.document)[1]


def headmatch(attributes: MarkableAttributes) -> IntArray:
    """Markables of a document with the same head word together."""
    words = max(len(attributes.markables.words.words), 1)
    return numbered(attributes.markables.document * words + attributes.head)[1]


def same_lemma(attributes: MarkableAttributes) -> IntArray:
    """Markables of a document with the same head lemma together."""
    lemmas = _lemmas(attributes)
    count = int(lemmas.max(initial=0)) + 1
    return numbered(attributes.markables.document * count + lemmas)[1]


def lemma_names(attributes: MarkableAttributes) -> list[str]:
    """Entity names that are the same for one lemma in all documents.

    A name is a number, since some formats cannot hold any lemma as a name.
    """
    return [f"e{number + 1}" for number in _lemmas(attributes).tolist()]


def names_by_document(attributes: MarkableAttributes) -> list[str]:
    """Entity names that differ between documents."""
    return [f"e{number + 1}" for number in same_lemma(attributes).tolist()]


def _lemmas(attributes: MarkableAttributes) -> IntArray:
    """The head lemma of each markable, numbered in text order."""
    return numbered(attributes.head_lemma)[1]


def sieve(attributes: MarkableAttributes) -> IntArray:
    """The entities that the sieve finds."""
    found = MentionPairs.joined([])
    current = attributes
    for rules in (_exact, _precise, _strict_head, _relaxed_head):
        antecedent = np.full(len(attributes), -1)
        for keys, rule in rules(current):
            antecedent = np.maximum(antecedent, _closest_antecedents(current, keys, rule))
        linked = np.flatnonzero(antecedent >= 0)
        found = MentionPairs.joined([found, MentionPairs(antecedent[linked], linked)])
        current = _of_entities(attributes, entities_of(len(attributes), found))
    return entities_of(len(attributes), MentionPairs.joined([found, _pronouns(current)]))


def _closest_antecedents(attributes: MarkableAttributes, keys: Keys, rule: Rule) -> IntArray:
    """The closest antecedent with the same key that the rule allows; -1 without one.

    Candidates are tried from the closest to the farthest, for all anaphors at once.
    """
    count = len(attributes)
    found = np.full(count, -1)
    known, codes = np.unique(np.concatenate(keys), return_inverse=True)
    document = attributes.markables.document
    left, right = (document * len(known) + part for part in np.split(codes.reshape(-1), 2))
    rows = np.flatnonzero(keys[0] != -1)
    rows = rows[np.argsort(left[rows], kind="stable")]
    anaphor = np.flatnonzero(keys[1] != -1)
    place = np.searchsorted(left[rows] * count + rows, right[anaphor] * count + anaphor) - 1
    while len(anaphor):
        anaphor, place = anaphor[place >= 0], place[place >= 0]
        same = left[rows[place]] == right[anaphor]
        anaphor, place = anaphor[same], place[same]
        allowed = np.asarray(rule(PairView(attributes, MentionPairs(rows[place], anaphor))), bool)
        found[anaphor[allowed]] = rows[place[allowed]]
        anaphor, place = anaphor[~allowed], place[~allowed] - 1
    return found


def _same(attributes: MarkableAttributes, code: IntArray, wanted: BoolArray) -> Keys:
    """A code as key of both sides, for wanted markables; indefinite ones are no anaphors."""
    code = numbered(code)[1]
    key = np.where(wanted, code, -1)
    return key, np.where(attributes.indefinite, -1, key)


Rules = Sequence[tuple[Keys, Rule]]


def _exact(attributes: MarkableAttributes) -> Rules:
    voice = attributes.quotation * 8 + attributes.person
    voice = np.where(attributes.speech, numbered(voice)[1], -1)
    return (
        (_same(attributes, attributes.text, ~attributes.pronoun), _mergeable),
        ((voice, voice), lambda pair: address(pair) > 0),
    )


def _precise(attributes: MarkableAttributes) -> Rules:
    markables = attributes.markables

    def construct(rule: Rule) -> Rule:
        return lambda pair: rule(pair) & ~any_clash(pair)

    appositive = np.where(attributes.appositive, attributes.parent, -1)
    predicate = np.where(attributes.predicate, markables.head, -1)
    return (
        ((markables.stop + 1, markables.start), construct(apposition)),
        ((markables.head, appositive), construct(apposition)),
        ((attributes.parent, predicate), construct(predicate_nominal)),
        ((attributes.acronym, attributes.letters), acronym),
        ((attributes.letters, attributes.acronym), acronym),
    )


def _strict_head(attributes: MarkableAttributes) -> Rules:
    return (
        (
            _same(attributes, attributes.head, ~attributes.pronoun),
            lambda pair: ~new_modifier(pair) & _mergeable(pair),
        ),
        (
            _same(attributes, attributes.last, attributes.name),
            lambda pair: ~modifier_clash(pair) & _mergeable(pair),
        ),
    )


def _relaxed_head(attributes: MarkableAttributes) -> Rules:
    keys = _same(attributes, attributes.head, ~attributes.pronoun)
    return ((keys, lambda pair: ~modifier_clash(pair) & _mergeable(pair)),)


def _mergeable(pair: PairView) -> FeatureValues:
    """Neither is nested in the other, and they do not clash.

    An indefinite anaphor is excluded by :func:`_same`: a second "a man" is usually another one.
    """
    return ~nested(pair) & ~any_clash(pair)


def _pronouns(attributes: MarkableAttributes) -> MentionPairs:
    """Links of pronouns of the third person to the best antecedent in the last sentences."""
    speech = attributes.speech
    anaphor = np.flatnonzero(attributes.pronoun & ~speech)
    document, sentence = attributes.markables.document, attributes.sentence
    first = np.maximum(
        np.searchsorted(sentence, sentence[anaphor] - PRONOUN_REACH),
        np.searchsorted(document, document[anaphor]),
    )
    links = []
    for part in parts(anaphor - first):
        pairs = MentionPairs.back_to(first[part], anaphor[part])
        view = PairView(attributes, pairs)
        allowed = ~any_clash(view) & ~nested(view) & ~view.left(speech)
        # The closest sentence first; in it, known agreement in gender, subjects, the first one.
        rank = -8.0 * view.sentences_apart + 4.0 * (view.gender > 0)
        rank += 2.0 * view.left(attributes.subject)
        order = view.left(attributes.order)
        rank = rank - order / (1.0 + order)
        links.append(best_link(pairs.where(allowed), rank[allowed]))
    return MentionPairs.joined(links)


def _of_entities(attributes: MarkableAttributes, entity: IntArray) -> MarkableAttributes:
    """Markables with the number, gender and animacy of their entities so far."""

    def merged(mask: Mask) -> Mask:
        count = int(entity.max(initial=-1)) + 1
        every = np.full(count, 255, np.uint8)
        np.bitwise_and.at(every, entity, np.where(mask == 0, 255, mask).astype(np.uint8))
        some = np.zeros(count, np.uint8)
        np.bitwise_or.at(some, entity, mask)
        # Contradicting members leave it open.
        return np.where((some == 0) | (every == 0), 0, every)[entity].astype(np.uint8)

    result = copy(attributes)
    result.number = merged(attributes.number)
    result.gender = merged(attributes.gender)
    result.animacy = merged(attributes.animacy)
    return result


# --- Ruler ----------------------------------------------------------------------------------------


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


# --- all resolvers --------------------------------------------------------------------------------


class Resolver(Protocol):
    """Groups markables into entities."""

    def entities(self, attributes: MarkableAttributes, progress: Progress = silent) -> IntArray:
        """The entity of each markable, numbered in text order."""


Trainer = Callable[[MarkableAttributes, Progress], Resolver]
"""Trains a resolver on markables with entities."""


@dataclass(frozen=True, slots=True)
class RuleResolver:
    """A resolver without training."""

    summary: str
    rule: Callable[[MarkableAttributes], IntArray]
    names: Callable[[MarkableAttributes], Sequence[str]] | None = None
    """Entity name of each markable; entities of the same name may be joined across documents."""

    def entities(self, attributes: MarkableAttributes, progress: Progress = silent) -> IntArray:
        """The entity of each markable, numbered in text order."""
        return self.rule(attributes)


RULES: dict[str, RuleResolver] = {
    "sieve": RuleResolver("Rules in order of precision; rule-based.", sieve),
    "ruler": RuleResolver("Five rules with weights, best first, after Ruler; rule-based.", ruler),
    "ruler-4": RuleResolver("As ruler, without the rule on pronouns; rule-based.", four_rules),
    "headmatch": RuleResolver("Same head word; rule-based.", headmatch),
    "same-lemma": RuleResolver(
        "Same head lemma, across documents; rule-based (Cattan et al. 2021).",
        same_lemma,
        lemma_names,
    ),
    "same-lemma-within-document": RuleResolver(
        "Same head lemma, within documents; rule-based.", same_lemma, names_by_document
    ),
    "singletons": RuleResolver("Every mention a singleton; rule-based.", singletons),
    "one-entity": RuleResolver("All mentions of a document in one entity; rule-based.", one_entity),
}

PRESETS = SUMMARIES | {name: resolver.summary for name, resolver in RULES.items()}
"""Summaries of all resolvers by name."""


def trainer_of(preset: str, seed: int = 0, **parts: Any) -> Trainer:
    """The trainer of a preset, whose recipe is changed by ``parts``.

    Names and parts are checked here, before any document is read.
    """
    if preset not in PRESETS:
        raise UsageError(
            f"there is no preset {preset!r}",
            remedy=f"Use one of: {', '.join(PRESETS)}.{closest(preset, PRESETS)}",
        )
    if preset in RECIPES:
        recipe = RECIPES[preset].changed(**parts)
        make_classifier(recipe.classifier, seed)
        return partial(train_recipe, recipe, seed)
    if parts:
        raise UsageError(
            f"{next(iter(parts))} cannot be set for {preset}",
            remedy=f"It applies to: {', '.join(RECIPES)}.",
        )
    return partial(_untrained, preset)


def _untrained(preset: str, attributes: MarkableAttributes, progress: Progress) -> Resolver:
    return RULES[preset]
