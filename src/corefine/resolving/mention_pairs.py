"""Mention-pair resolvers: pairs are created, described, classified and clustered."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.matching.settings import Settings
from corefine.metrics.registry import resolve as metrics_named
from corefine.resolving.clustering import CLUSTERINGS, entities_of
from corefine.resolving.described import Described
from corefine.resolving.features import PairView
from corefine.resolving.learning import Learned, learn, make_classifier
from corefine.resolving.pairs import (
    PAIRINGS,
    Annotated,
    Pairs,
    candidate_pairs,
    in_parts,
    same_type,
)
from corefine.resolving.progress import Progress
from corefine.resolving.recipes import Recipe
from corefine.scoring.score import score_corpora

KINDS = ("name", "nominal", "pronoun")
TUNING_FOLDS = 5
GRID = tuple(number / 10 for number in range(1, 10))


@dataclass(frozen=True, slots=True, eq=False)
class MentionPairResolver:
    """A trained recipe."""

    recipe: Recipe
    learned: Learned
    thresholds: tuple[float, float, float]
    """From which score on a name, a nominal and a pronoun is linked."""

    def entities(self, described: Described, progress: Progress | None = None) -> IntArray:
        """The entity of each markable."""
        links = []
        for pairs, scores in scored_candidates(self.recipe, self.learned, described):
            links.append(_links(self.recipe, described, pairs, scores, self.thresholds))
            if progress is not None and len(pairs):
                progress("resolving", int(pairs.anaphor[-1]) + 1, len(described))
        return entities_of(len(described), Pairs.joined(links))


def train_recipe(
    recipe: Recipe, described: Described, seed: int = 0, progress: Progress | None = None
) -> MentionPairResolver:
    """Train a recipe on markables with entities."""
    report = progress or _silent
    markables = described.markables
    documents = len(markables.corpus.documents)
    pairs = PAIRINGS[recipe.pairs](annotated(described))
    everything = np.ones(documents, bool)
    tuned = isinstance(recipe.threshold, str) and recipe.threshold != "half"
    folds = min(TUNING_FOLDS, documents) if tuned else 0
    steps = folds + 1
    report("training", 0, steps)
    learned = _learn(recipe, described, pairs, everything, seed)
    report("training", 1, steps)
    if not tuned:
        value = 0.5 if recipe.threshold == "half" else float(recipe.threshold)
        return MentionPairResolver(recipe, learned, (value, value, value))
    if folds < 2:
        return MentionPairResolver(recipe, learned, (0.5, 0.5, 0.5))
    judged: list[tuple[Pairs, FloatArray]] = []
    fold_of = np.random.default_rng(seed).permutation(documents) % folds
    for fold in range(folds):
        part = _learn(recipe, described, pairs, fold_of != fold, seed)
        judged.extend(
            scored_candidates(recipe, part, described, documents=fold_of == fold, floor=GRID[0])
        )
        report("training", fold + 2, steps)
    candidates = Pairs.joined([part for part, _ in judged])
    scores = np.concatenate([part for _, part in judged]) if judged else np.zeros(0)
    return MentionPairResolver(recipe, learned, _tuned(recipe, described, candidates, scores))


def annotated(described: Described) -> Annotated:
    """The columns that pair creation looks at."""
    markables = described.markables
    return Annotated(markables.document, markables.entity, described.pronoun, markables.type)


def scored_candidates(
    recipe: Recipe,
    learned: Learned,
    described: Described,
    *,
    documents: BoolArray | None = None,
    floor: float | None = None,
) -> Iterator[tuple[Pairs, FloatArray]]:
    """All pairs that may be linked, with their scores, in parts.

    ``documents`` tells which ones to look at; pairs that score below ``floor`` are left out.
    """
    markables = described.markables
    for pairs in candidate_pairs(markables.document, window=recipe.window):
        wanted = _eligible(recipe, described, pairs)
        if documents is not None:
            wanted &= documents[markables.document[pairs.anaphor]]
        pairs = pairs.where(wanted)
        scores = learned.scores(PairView(described, pairs))
        if floor is not None:
            high = scores >= floor
            pairs, scores = pairs.where(high), scores[high]
        yield pairs, scores


def accepted_candidates(
    resolver: MentionPairResolver, described: Described
) -> Iterator[tuple[Pairs, BoolArray]]:
    """Every pair of a document, and whether the classifier accepts it, in parts."""
    thresholds = np.array(resolver.thresholds)[_kinds(described)]
    for pairs in candidate_pairs(described.markables.document):
        accepted = _eligible(resolver.recipe, described, pairs)
        judged = pairs.where(accepted)
        scores = resolver.learned.scores(PairView(described, judged))
        accepted[accepted] = scores >= thresholds[judged.anaphor]
        yield pairs, accepted


def _eligible(recipe: Recipe, described: Described, pairs: Pairs) -> BoolArray:
    """Which pairs the recipe looks at."""
    eligible = np.ones(len(pairs), bool)
    if recipe.window is not None:
        eligible &= pairs.anaphor - pairs.antecedent <= recipe.window
    if recipe.within_types:
        eligible &= same_type(pairs, described.markables.type)
    return eligible


def _learn(
    recipe: Recipe, described: Described, pairs: Pairs, documents: BoolArray, seed: int
) -> Learned:
    """Train the classifier on the pairs of these documents."""
    entity = described.markables.entity
    pairs = pairs.where(documents[described.markables.document[pairs.anaphor]])
    labels = entity[pairs.antecedent] == entity[pairs.anaphor]
    views = [PairView(described, part) for part in in_parts(pairs)]
    return learn(_classifier(recipe.classifier, seed), recipe.features, views, labels)


def _classifier(given: Any, seed: int) -> Any:
    return make_classifier(given, seed) if isinstance(given, str) else deepcopy(given)


def _links(
    recipe: Recipe,
    described: Described,
    pairs: Pairs,
    scores: FloatArray,
    thresholds: tuple[float, ...],
) -> Pairs:
    """The links among candidates: a score counts by how far it is above its kind's threshold."""
    above = scores - np.array(thresholds)[_kinds(described)[pairs.anaphor]]
    return CLUSTERINGS[recipe.clustering](pairs, above, 0.0)


def _kinds(described: Described) -> NDArray[np.int64]:
    """The number of each markable's kind in ``KINDS``."""
    return np.where(described.pronoun, 2, np.where(described.name, 0, 1))


def _tuned(
    recipe: Recipe, described: Described, pairs: Pairs, scores: FloatArray
) -> tuple[float, float, float]:
    """The thresholds of the grid that give the best CoNLL average on the training documents.

    First one for all kinds; then, if asked for, each kind's in turn with the others held, twice.
    Of equally good ones the one nearest to 0.5 is taken. Entities of one mention count only where
    the training documents have some.
    """
    markables = described.markables
    corpus = markables.corpus
    metrics = metrics_named("conll")
    settings = Settings(singletons="keep" if markables.singletons else "drop")

    def value(thresholds: tuple[float, ...]) -> float:
        links = _links(recipe, described, pairs, scores, thresholds)
        response = markables.with_entities(entities_of(len(described), links))
        return score_corpora(corpus, response, metrics, settings)["conll"].f1

    def best(options: list[tuple[float, ...]], moved: int) -> tuple[float, ...]:
        return max(options, key=lambda option: (value(option), -abs(option[moved] - 0.5)))

    chosen = best([(level,) * 3 for level in GRID], 0)
    if recipe.threshold == "by-kind":
        for kind in (2, 1, 0) * 2:
            options = [(*chosen[:kind], level, *chosen[kind + 1 :]) for level in GRID]
            chosen = best(options, kind)
    return chosen[0], chosen[1], chosen[2]


def _silent(stage: str, done: int, total: int) -> None:
    """Tells nobody."""
