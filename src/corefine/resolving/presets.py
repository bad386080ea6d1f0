"""Presets: the resolvers by name, those that are trained and those that are rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from corefine.corpus.arrays import IntArray
from corefine.errors import UsageError, closest
from corefine.output.progress import Progress, silent
from corefine.resolving.attributes import MarkableAttributes
from corefine.resolving.classifiers import make_classifier
from corefine.resolving.ikar import train_ikar
from corefine.resolving.mention_pair_resolver import train_recipe
from corefine.resolving.recipes import RECIPES
from corefine.resolving.rules import (
    headmatch,
    lemma_names,
    names_by_document,
    one_entity,
    same_lemma,
    sieve,
    singletons,
)


class Resolver(Protocol):
    """Whatever puts markables into entities."""

    def entities(self, attributes: MarkableAttributes, progress: Progress = silent) -> IntArray:
        """The entity of each markable, numbered in the order of the text."""


Trainer = Callable[[MarkableAttributes, Progress], Resolver]
"""Makes a resolver of markables with entities."""


@dataclass(frozen=True, slots=True)
class RuleResolver:
    """A resolver that needs no training."""

    rule: Callable[[MarkableAttributes], IntArray]
    names: Callable[[MarkableAttributes], Sequence[str]] | None = None
    """The name of each markable's entity; entities of one name may be joined across documents."""

    def entities(self, attributes: MarkableAttributes, progress: Progress = silent) -> IntArray:
        """The entity of each markable, numbered in the order of the text."""
        return self.rule(attributes)


RULES: dict[str, RuleResolver] = {
    "sieve": RuleResolver(sieve),
    "headmatch": RuleResolver(headmatch),
    "same-lemma": RuleResolver(same_lemma, lemma_names),
    "same-lemma-within-document": RuleResolver(same_lemma, names_by_document),
    "singletons": RuleResolver(singletons),
    "one-entity": RuleResolver(one_entity),
}

SUMMARIES: dict[str, str] = {
    "resolve": "All pairs, decision tree, aggressive merge (McCarthy and Lehnert 1995).",
    "soon": "Closest antecedents, twelve features, closest link (Soon et al. 2001).",
    "ng-cardie": (
        "Non-pronominal antecedents, features by mention kind, best link (Ng and Cardie 2002)."
    ),
    "reconcile": "Averaged perceptron, single link (Stoyanov et al. 2009).",
    "ikar": "Links every mention to a preceding name (Broda et al. 2012).",
    "sieve": "Rules in order of precision; rule-based.",
    "headmatch": "Same head word; rule-based.",
    "same-lemma": "Same head lemma, across documents; rule-based (Cattan et al. 2021).",
    "same-lemma-within-document": "Same head lemma, within documents; rule-based.",
    "singletons": "Every mention a singleton; rule-based.",
    "one-entity": "All mentions of a document in one entity; rule-based.",
}
"""All presets, in the order in which they are shown."""


def trainer_of(preset: str, seed: int = 0, **parts: Any) -> Trainer:
    """What trains a preset; ``parts`` replace parts of its recipe.

    Names and parts are checked here, before any document is looked at.
    """
    if preset not in SUMMARIES:
        raise UsageError(
            f"there is no preset {preset!r}",
            remedy=f"Use one of: {', '.join(SUMMARIES)}.{closest(preset, SUMMARIES)}",
        )
    if preset in RECIPES:
        recipe = RECIPES[preset].changed(**parts)
        return partial(train_recipe, recipe, make_classifier(recipe.classifier, seed), seed)
    if parts:
        raise UsageError(
            f"{next(iter(parts))} cannot be set for {preset}",
            remedy=f"It applies to: {', '.join(RECIPES)}.",
        )
    if preset in RULES:
        return partial(_untrained, preset)
    return partial(train_ikar, make_classifier("tree", seed))


def _untrained(preset: str, attributes: MarkableAttributes, progress: Progress) -> Resolver:
    """A rule learns nothing from the documents."""
    return RULES[preset]
