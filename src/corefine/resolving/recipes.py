"""Recipes: published mention-pair systems as combinations of replaceable parts."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields, replace
from importlib.resources import files
from math import isfinite
from typing import Any

from corefine.errors import UsageError, choose
from corefine.resolving.features import check_features
from corefine.resolving.mention_pairs import PAIRINGS

TUNINGS = ("half", "tuned", "by-kind")
CLUSTERING_RULES = ("aggressive-merge", "closest-link", "best-link", "name-entities")


@dataclass(frozen=True, slots=True)
class Recipe:
    """Parts of a mention-pair resolver.

    ``pairs``
        rule for training pairs; ``names`` also restricts the candidates to names.
    ``features``
        names of features, or a mapping from the mention kind of the anaphor (``name``,
        ``nominal``, ``pronoun``) to names of features, for one classifier per kind.
    ``threshold``
        lowest score of an accepted pair: a number; ``half`` for 0.5; ``tuned`` for the one with the
        best CoNLL average on the training documents, each classified by a model of other
        documents; ``by-kind`` for one each for names, nominals and pronouns, tuned in the same way.
    ``within_types``
        True to exclude pairs of different semantic types.
    ``window``
        largest distance of an antecedent, in markables; None for any distance.
    """

    pairs: str
    features: tuple[str, ...] | dict[str, tuple[str, ...]]
    classifier: Any
    clustering: str
    threshold: str | float = "tuned"
    within_types: bool = False
    window: int | None = None

    def __post_init__(self) -> None:
        choose("pairs", self.pairs, tuple(PAIRINGS))
        choose("clustering", self.clustering, CLUSTERING_RULES)
        for kind, features in self.feature_sets.items():
            choose("mention kind", kind, (ALL_PAIRS, *KIND_NAMES))
            check_features(features)
            if not features:
                raise UsageError("a resolver needs at least one feature")
        if isinstance(self.threshold, str):
            choose("threshold", self.threshold, TUNINGS)
        elif not isfinite(self.threshold):
            raise UsageError(f"threshold cannot be {self.threshold}", remedy="Use 0 to 1.")
        if self.window is not None and self.window < 1:
            raise UsageError(f"window cannot be {self.window}", remedy="Use at least 1.")

    @property
    def feature_sets(self) -> dict[str, tuple[str, ...]]:
        """Features by mention kind, or under one name for all pairs."""
        return self.features if isinstance(self.features, dict) else {ALL_PAIRS: self.features}

    def changed(self, **parts: Any) -> Recipe:
        """The recipe with some parts replaced."""
        known = [field.name for field in fields(self)]
        for name in parts:
            if name not in known:
                raise UsageError(
                    f"a resolver has no option {name!r}",
                    remedy=f"The options are: {', '.join(known)}.",
                )
        return replace(self, **parts)


ALL_PAIRS = "pairs"
KIND_NAMES = ("name", "nominal", "pronoun")


def _load() -> tuple[dict[str, Recipe], dict[str, str]]:
    """Read ``data/recipes.toml``: the recipes and their summaries."""
    text = (files("corefine.resolving") / "data" / "recipes.toml").read_text("utf-8")
    recipes: dict[str, Recipe] = {}
    summaries = {}

    def expanded(names: str) -> tuple[str, ...]:
        found: list[str] = []
        for name in names.split():
            included = recipes[name[1:]].features if name.startswith("+") else (name,)
            found.extend(included)
        return tuple(found)

    for name, parts in tomllib.loads(text).items():
        summaries[name] = parts.pop("summary")
        features = parts.pop("features")
        sets = (
            expanded(features)
            if isinstance(features, str)
            else {kind: expanded(names) for kind, names in features.items()}
        )
        recipes[name] = Recipe(features=sets, **parts)
    return recipes, summaries


RECIPES, SUMMARIES = _load()
"""Recipes and their summaries by name."""
