"""Presets: the resolvers by name, those that are trained and those that are rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from corefine.corpus.arrays import IntArray
from corefine.errors import UsageError, closest
from corefine.resolving.described import Described
from corefine.resolving.ikar import train_ikar
from corefine.resolving.mention_pairs import train_recipe
from corefine.resolving.progress import Progress
from corefine.resolving.recipes import RECIPES
from corefine.resolving.rules import headmatch, one_entity, singletons
from corefine.resolving.sieve import sieve


class Resolver(Protocol):
    """Whatever puts described markables into entities."""

    def entities(self, described: Described, progress: Progress | None = None) -> IntArray:
        """The entity of each markable, numbered in the order of the text."""


@dataclass(frozen=True, slots=True)
class Rules:
    """A resolver that needs no training."""

    rule: Callable[[Described], IntArray]

    def entities(self, described: Described, progress: Progress | None = None) -> IntArray:
        """The entity of each markable, numbered in the order of the text."""
        return self.rule(described)


RULES: dict[str, Rules] = {
    "sieve": Rules(sieve),
    "headmatch": Rules(headmatch),
    "singletons": Rules(singletons),
    "one-entity": Rules(one_entity),
}

SUMMARIES: dict[str, str] = {
    "resolve": "All pairs, decision tree, aggressive merge (McCarthy and Lehnert 1995).",
    "soon": "Closest antecedents, twelve features, closest link (Soon et al. 2001).",
    "ng-cardie": "Non-pronominal antecedents, features by kind, best link (Ng and Cardie 2002).",
    "reconcile": "Averaged perceptron, single link (Stoyanov et al. 2009).",
    "ikar": "Every markable to a name before it (Broda et al. 2012).",
    "sieve": "Rules from the surest to the least sure; no training.",
    "headmatch": "The same head word; no training.",
    "singletons": "Every markable by itself; no training.",
    "one-entity": "All markables of a document together; no training.",
}
"""All presets, in the order in which they are shown."""


def check_preset(name: str) -> str:
    """The name itself if there is such a preset."""
    if name not in SUMMARIES:
        raise UsageError(
            f"there is no preset {name!r}",
            remedy=f"Use one of: {', '.join(SUMMARIES)}.{closest(name, SUMMARIES)}",
        )
    return name


def train_preset(
    name: str,
    described: Described,
    seed: int = 0,
    progress: Progress | None = None,
    **parts: Any,
) -> Resolver:
    """Train a preset on markables with entities; ``parts`` replace parts of its recipe."""
    check_preset(name)
    if name in RECIPES:
        return train_recipe(RECIPES[name].changed(**parts), described, seed, progress)
    if parts:
        raise UsageError(
            f"{next(iter(parts))} cannot be set for {name}",
            remedy=f"It is a part of: {', '.join(RECIPES)}.",
        )
    return RULES[name] if name in RULES else train_ikar(described, seed, progress)
