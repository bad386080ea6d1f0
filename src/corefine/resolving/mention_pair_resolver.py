"""Mention-pair resolvers: pairs are created, classified and clustered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.output.progress import Progress, silent
from corefine.resolving.attributes import MarkableAttributes
from corefine.resolving.classifiers import Learned, learn
from corefine.resolving.clustering import CLUSTERINGS, entities_of
from corefine.resolving.features import PairView
from corefine.resolving.mention_pairs import (
    PAIRINGS,
    Annotated,
    MentionPairs,
    candidate_pairs,
    in_parts,
    same_type,
)
from corefine.resolving.recipes import Recipe
from corefine.scoring.score import score

TUNING_FOLDS = 5
GRID = tuple(number / 10 for number in range(1, 10))


@dataclass(frozen=True, slots=True, eq=False)
class MentionPairResolver:
    """A trained recipe."""

    recipe: Recipe
    learned: Learned
    thresholds: tuple[float, float, float]
    """From which score on a name, a nominal and a pronoun is linked."""

    def entities(self, attributes: MarkableAttributes, progress: Progress = silent) -> IntArray:
        """The entity of each markable."""
        links = []
        for pairs, scores in scored_candidates(self.recipe, self.learned, attributes):
            links.append(_links(self.recipe, attributes, pairs, scores, self.thresholds))
            if len(pairs):
                progress("resolving", int(pairs.anaphor[-1]) + 1, len(attributes))
        return entities_of(len(attributes), MentionPairs.joined(links))


def train_recipe(
    recipe: Recipe,
    classifier: Any,
    seed: int,
    attributes: MarkableAttributes,
    progress: Progress = silent,
) -> MentionPairResolver:
    """Train a recipe, with copies of this classifier, on markables with entities."""
    documents = len(attributes.markables.corpus.documents)
    pairs = PAIRINGS[recipe.pairs](annotated(attributes, recipe))
    tuned = recipe.threshold in ("tuned", "by-kind")
    folds = min(TUNING_FOLDS, documents) if tuned else 0
    progress("training", 0, folds + 1)
    learned = _learn(recipe, classifier, attributes, pairs, np.ones(documents, bool))
    progress("training", 1, folds + 1)
    if folds < 2:
        value = 0.5 if isinstance(recipe.threshold, str) else float(recipe.threshold)
        return MentionPairResolver(recipe, learned, (value, value, value))
    judged: list[tuple[MentionPairs, FloatArray]] = []
    fold_of = np.random.default_rng(seed).permutation(documents) % folds
    for fold in range(folds):
        part = _learn(recipe, classifier, attributes, pairs, fold_of != fold)
        judged.extend(
            scored_candidates(recipe, part, attributes, documents=fold_of == fold, floor=GRID[0])
        )
        progress("training", fold + 2, folds + 1)
    candidates = MentionPairs.joined([part for part, _ in judged])
    scores = np.concatenate([part for _, part in judged]) if judged else np.zeros(0)
    return MentionPairResolver(recipe, learned, _tuned(recipe, attributes, candidates, scores))


def annotated(attributes: MarkableAttributes, recipe: Recipe) -> Annotated:
    """The columns that pair creation looks at; types only where the recipe keeps to them."""
    markables = attributes.markables
    types = markables.type if recipe.within_types else None
    return Annotated(markables.document, markables.entity, attributes.pronoun, types)


def scored_candidates(
    recipe: Recipe,
    learned: Learned,
    attributes: MarkableAttributes,
    *,
    documents: BoolArray | None = None,
    floor: float | None = None,
) -> Iterator[tuple[MentionPairs, FloatArray]]:
    """All pairs that may be linked, with their scores, in parts.

    ``documents`` tells which ones to look at; pairs that score below ``floor`` are left out.
    """
    markables = attributes.markables
    for pairs in candidate_pairs(markables.document, window=recipe.window):
        wanted = _eligible(recipe, attributes, pairs)
        if documents is not None:
            wanted &= documents[markables.document[pairs.anaphor]]
        pairs = pairs.where(wanted)
        scores = learned.scores(PairView(attributes, pairs))
        if floor is not None:
            high = scores >= floor
            pairs, scores = pairs.where(high), scores[high]
        yield pairs, scores


def accepted_candidates(
    resolver: MentionPairResolver, attributes: MarkableAttributes
) -> Iterator[tuple[MentionPairs, BoolArray]]:
    """Every pair of a document, and whether the classifier accepts it, in parts."""
    thresholds = np.array(resolver.thresholds)[attributes.kind_number]
    for pairs in candidate_pairs(attributes.markables.document):
        accepted = _eligible(resolver.recipe, attributes, pairs)
        judged = pairs.where(accepted)
        scores = resolver.learned.scores(PairView(attributes, judged))
        accepted[accepted] = scores >= thresholds[judged.anaphor]
        yield pairs, accepted


def _eligible(recipe: Recipe, attributes: MarkableAttributes, pairs: MentionPairs) -> BoolArray:
    """Which pairs the recipe looks at."""
    eligible = np.ones(len(pairs), bool)
    if recipe.window is not None:
        eligible &= pairs.anaphor - pairs.antecedent <= recipe.window
    if recipe.within_types:
        eligible &= same_type(pairs, attributes.markables.type)
    return eligible


def _learn(
    recipe: Recipe,
    classifier: Any,
    attributes: MarkableAttributes,
    pairs: MentionPairs,
    documents: BoolArray,
) -> Learned:
    """Train the classifier on the pairs of these documents."""
    entity = attributes.markables.entity
    pairs = pairs.where(documents[attributes.markables.document[pairs.anaphor]])
    labels = entity[pairs.antecedent] == entity[pairs.anaphor]
    views = [PairView(attributes, part) for part in in_parts(pairs)]
    return learn(classifier, recipe.features, views, labels)


def _links(
    recipe: Recipe,
    attributes: MarkableAttributes,
    pairs: MentionPairs,
    scores: FloatArray,
    thresholds: tuple[float, ...],
) -> MentionPairs:
    """The links among candidates: a score counts by how far it is above its kind's threshold."""
    above = scores - np.array(thresholds)[attributes.kind_number[pairs.anaphor]]
    return CLUSTERINGS[recipe.clustering](pairs, above, 0.0)


def _tuned(
    recipe: Recipe, attributes: MarkableAttributes, pairs: MentionPairs, scores: FloatArray
) -> tuple[float, float, float]:
    """The thresholds of the grid that give the best CoNLL average on the training documents.

    First one for all kinds; then, if asked for, each kind's in turn with the others held, twice.
    Of equally good ones the one nearest to 0.5 is taken. Entities of one mention count only where
    the training documents have some.
    """
    markables = attributes.markables
    singletons: Literal["keep", "drop"] = "keep" if markables.singletons else "drop"

    def value(thresholds: tuple[float, ...]) -> float:
        links = _links(recipe, attributes, pairs, scores, thresholds)
        response = markables.with_entities(entities_of(len(attributes), links))
        return score(markables.corpus, response, "conll", singletons=singletons)["conll"].f1

    def best(options: list[tuple[float, ...]], moved: int) -> tuple[float, ...]:
        return max(options, key=lambda option: (value(option), -abs(option[moved] - 0.5)))

    chosen = best([(level,) * 3 for level in GRID], 0)
    if recipe.threshold == "by-kind":
        for kind in (2, 1, 0) * 2:
            options = [(*chosen[:kind], level, *chosen[kind + 1 :]) for level in GRID]
            chosen = best(options, kind)
    return chosen[0], chosen[1], chosen[2]
