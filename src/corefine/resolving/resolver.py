"""Recipes of mention-pair resolvers, their training and application.

A recipe is a published system as a combination of replaceable parts: rules by which pairs are
created, classified and clustered.

IKAR (Broda et al. 2012; Kaczmarek and Marcińczuk 2015, section 3) links markables to preceding
names in four passes, one classifier each: names, nominals, pronouns, zeros. A markable accepted by
several entities is given to the one with the most markables so far, of equal ones to the closest.
What no name takes remains alone: PARENT, the metric of its authors, evaluates only links to names.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from importlib.resources import files
from typing import Any

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.errors import UsageError, choose
from corefine.output.progress import Progress, silent
from corefine.resolving.attributes import MarkableAttributes
from corefine.resolving.classifiers import (
    Learned,
    encoded,
    learn,
    make_classifier,
    prune,
    stacked,
)
from corefine.resolving.features import FEATURES, PairView, check_features, nested
from corefine.resolving.mention_pairs import (
    PAIRINGS,
    MentionPairs,
    PairColumns,
    best_link,
    candidate_pairs,
    closest_link,
    entities_of,
    in_parts,
    same_type,
)
from corefine.scoring.count import count
from corefine.scoring.request import Request

TUNINGS = ("half", "tuned", "by-kind")
ALL_PAIRS = "pairs"
KIND_NAMES = ("name", "nominal", "pronoun", "zero")
TUNING_FOLDS = 5
GRID = tuple(number / 10 for number in range(1, 10))
"""The thresholds that are tried in tuning."""

Scored = tuple[MentionPairs, FloatArray]
"""Pairs with their scores."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Parts of a mention-pair resolver.

    ``pairs``
        rule for training pairs; ``names`` also restricts the candidates to names.
    ``features``
        names of features, or a mapping from the mention kind of the anaphor (``name``,
        ``nominal``, ``pronoun``, ``zero``) to names of features, for one classifier per kind; zeros
        without features of their own are pronouns.
    ``threshold``
        lowest score of an accepted pair: a number; ``half`` for 0.5; ``tuned`` for the one with the
        best CoNLL average on the training documents, each classified by a model of other
        documents; ``by-kind`` for one each for names, nominals and pronouns, tuned in the same way.
    ``within_types``
        True to exclude pairs of different semantic types.
    ``sure``
        features that decide without the classifier: a pair that has one is accepted.
    ``overlapping``
        False to exclude pairs of markables that overlap.
    ``balanced``
        True to repeat coreferent training pairs until they are as many as the others.
    """

    pairs: str
    features: tuple[str, ...] | dict[str, tuple[str, ...]]
    classifier: Any
    clustering: str
    threshold: str | float = "tuned"
    within_types: bool = False
    sure: tuple[str, ...] = ()
    overlapping: bool = True
    balanced: bool = False

    def __post_init__(self) -> None:
        choose("pairs", self.pairs, tuple(PAIRINGS))
        choose("clustering", self.clustering, tuple(CLUSTERINGS))
        check_features(self.sure)
        for kind, features in self.feature_sets.items():
            choose("mention kind", kind, (ALL_PAIRS, *KIND_NAMES))
            check_features(features)
            if not features:
                raise UsageError("a resolver needs at least one feature", code="too-few-inputs")
        if isinstance(self.threshold, str):
            choose("threshold", self.threshold, TUNINGS)
        elif not 0 <= self.threshold <= 1:
            raise UsageError(f"threshold cannot be {self.threshold}", remedy="Use 0 to 1.")

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


@dataclass(frozen=True, slots=True, eq=False)
class MentionPairResolver:
    """A trained recipe."""

    recipe: Recipe
    learned: dict[str, Learned]
    """Classifiers by feature set; a set without training pairs has none."""
    thresholds: tuple[float, float, float]
    """Lowest score of an accepted pair with a name, a nominal and a pronoun as anaphor."""

    def entities(self, attributes: MarkableAttributes, progress: Progress = silent) -> IntArray:
        """The entity of each markable."""
        parts = []
        for scored in scored_candidates(self.recipe, self.learned, attributes):
            parts.append(_accepted(attributes, scored, self.thresholds))
            if len(scored[0]):
                progress("resolving", int(scored[0].anaphor[-1]) + 1, len(attributes))
        links = CLUSTERINGS[self.recipe.clustering](attributes, *_joined(parts))
        return entities_of(len(attributes), links)

    def decisions(
        self, attributes: MarkableAttributes
    ) -> Iterator[tuple[MentionPairs, BoolArray]] | None:
        """All pairs and the decisions of the classifier, in parts.

        None if pairs without a classifier are decided by clustering alone.
        """
        if self.recipe.pairs == "names":
            return None
        return (
            (scored[0], _margins(attributes, scored, self.thresholds) >= 0)
            for scored in scored_candidates(self.recipe, self.learned, attributes)
        )


def train_recipe(
    recipe: Recipe, seed: int, attributes: MarkableAttributes, progress: Progress = silent
) -> MentionPairResolver:
    """Train a recipe on markables with entities."""
    markables = attributes.markables
    classifier = make_classifier(recipe.classifier, seed)
    documents = len(markables.corpus.documents)
    folds = min(TUNING_FOLDS, documents) if recipe.threshold in ("tuned", "by-kind") else 0
    progress("training", 0, folds + 1)
    sets = _training_sets(recipe, classifier, attributes)
    learned = _learn(recipe, classifier, sets, np.ones(documents, bool))
    progress("training", 1, folds + 1)
    if folds < 2:
        value = 0.5 if isinstance(recipe.threshold, str) else float(recipe.threshold)
        return MentionPairResolver(recipe, learned, (value, value, value))
    judged = []
    fold_of = np.random.default_rng(seed).permutation(documents) % folds
    for fold in range(folds):
        part = _learn(recipe, classifier, sets, fold_of != fold)
        for pairs, scores in scored_candidates(recipe, part, attributes, fold_of == fold):
            possible = scores >= GRID[0]
            judged.append((pairs.where(possible), scores[possible]))
        progress("training", fold + 2, folds + 1)
    return MentionPairResolver(recipe, learned, _tuned(recipe, attributes, _joined(judged)))


@dataclass(frozen=True, slots=True, eq=False)
class _TrainingSet:
    """Encoded training pairs of one feature set."""

    features: tuple[str, ...]
    columns: Any
    labels: BoolArray
    document: IntArray


def training_pairs(recipe: Recipe, attributes: MarkableAttributes) -> MentionPairs:
    """The pairs that a recipe is trained on."""
    markables = attributes.markables
    types = markables.type if recipe.within_types else None
    columns = (markables.document, markables.entity, attributes.pronoun, attributes.name, types)
    pairs = PAIRINGS[recipe.pairs](PairColumns(*columns))
    return pairs if recipe.overlapping else pairs.where(~nested(PairView(attributes, pairs)))


def _training_sets(
    recipe: Recipe, classifier: Any, attributes: MarkableAttributes
) -> dict[str, _TrainingSet]:
    """Training pairs by feature set, without sets that have only one class."""
    entity, document = attributes.markables.entity, attributes.markables.document
    sets = {}
    every = training_pairs(recipe, attributes)
    for name, features in recipe.feature_sets.items():
        pairs = every.where(_in_set(name, recipe, attributes, every))
        labels = entity[pairs.antecedent] == entity[pairs.anaphor]
        if len(recipe.feature_sets) > 1 and (labels.all() or not labels.any()):
            continue
        views = [PairView(attributes, part) for part in in_parts(pairs)]
        columns = stacked([encoded(view, features, classifier) for view in views] or [labels])
        sets[name] = _TrainingSet(features, columns, labels, document[pairs.anaphor])
    if not sets:
        raise UsageError(
            "no mention of the training documents refers to a preceding name",
            remedy="IKAR links mentions to names: give mention kinds with --kinds, or train "
            "another preset.",
        )
    return sets


def _learn(
    recipe: Recipe, classifier: Any, sets: dict[str, _TrainingSet], documents: BoolArray
) -> dict[str, Learned]:
    """Train a classifier per feature set on the pairs of the marked documents."""
    learned = {}
    for name, one in sets.items():
        rows = np.flatnonzero(documents[one.document])
        if recipe.balanced:
            coreferent = rows[one.labels[rows]]
            times = (len(rows) - len(coreferent)) // max(len(coreferent), 1)
            rows = np.concatenate([rows, *[coreferent] * max(times - 1, 0)])
        whole = len(rows) == len(one.document) and not recipe.balanced
        columns = one.columns if whole else one.columns[rows]
        learned[name] = learn(classifier, one.features, columns, one.labels[rows])
        if recipe.classifier == "c45":
            prune(learned[name].classifier.tree_)
    return learned


def _in_set(
    name: str, recipe: Recipe, attributes: MarkableAttributes, pairs: MentionPairs
) -> BoolArray:
    """True for pairs that a feature set applies to, by the mention kind of the anaphor."""
    if name == ALL_PAIRS:
        return np.ones(len(pairs), bool)
    kind = attributes.kind_number
    if "zero" in recipe.feature_sets:
        kind = kind + attributes.zero
    of_kind: BoolArray = kind[pairs.anaphor] == KIND_NAMES.index(name)
    return of_kind


def scored_candidates(
    recipe: Recipe,
    learned: dict[str, Learned],
    attributes: MarkableAttributes,
    documents: BoolArray | None = None,
) -> Iterator[Scored]:
    """All pairs of the documents, or of the marked ones, and their scores, in parts.

    The score is -1 for pairs that the recipe does not consider, and for anaphors of a mention kind
    without a classifier.
    """
    markables = attributes.markables
    for pairs in candidate_pairs(markables.document):
        if documents is not None:
            pairs = pairs.where(documents[markables.document[pairs.anaphor]])
        scores = np.full(len(pairs), -1.0)
        wanted = _eligible(recipe, attributes, pairs)
        for name, one in learned.items():
            rows = wanted & _in_set(name, recipe, attributes, pairs)
            scores[rows] = one.scores(PairView(attributes, pairs.where(rows)))
        for name in recipe.sure:
            scores[wanted & FEATURES[name].compute(PairView(attributes, pairs))] = 1.0
        yield pairs, scores


def _eligible(recipe: Recipe, attributes: MarkableAttributes, pairs: MentionPairs) -> BoolArray:
    """True for pairs that the recipe considers."""
    wanted = np.ones(len(pairs), bool)
    if recipe.within_types:
        wanted &= same_type(pairs, attributes.markables.type)
    if recipe.pairs == "names":
        wanted &= attributes.name[pairs.antecedent]
    if not recipe.overlapping:
        wanted &= ~nested(PairView(attributes, pairs))
    return wanted


def _margins(
    attributes: MarkableAttributes, scored: Scored, thresholds: tuple[float, ...]
) -> FloatArray:
    """The scores of pairs less the threshold of the anaphor's kind."""
    pairs, scores = scored
    margins: FloatArray = scores - np.array(thresholds)[attributes.kind_number[pairs.anaphor]]
    return margins


def _accepted(
    attributes: MarkableAttributes, scored: Scored, thresholds: tuple[float, ...]
) -> Scored:
    """Pairs that reach the threshold, and their margins."""
    margins = _margins(attributes, scored, thresholds)
    accepted = margins >= 0
    return scored[0].where(accepted), margins[accepted]


def _joined(parts: list[Scored]) -> Scored:
    pairs = MentionPairs.joined([pairs for pairs, _ in parts])
    return pairs, np.concatenate([np.zeros(0), *(scores for _, scores in parts)])


def _tuned(
    recipe: Recipe, attributes: MarkableAttributes, scored: Scored
) -> tuple[float, float, float]:
    """The thresholds of the grid with the best CoNLL average on the training documents.

    First one threshold for all kinds; then, if asked for, the threshold of each kind in turn,
    twice. Of equally good ones the one closest to 0.5 is taken. Singletons count only if the
    training documents have some.
    """
    markables = attributes.markables
    request = Request.of("conll", singletons="keep" if markables.singletons else "drop")
    cluster = CLUSTERINGS[recipe.clustering]

    def value(thresholds: tuple[float, ...]) -> float:
        links = cluster(attributes, *_accepted(attributes, scored, thresholds))
        response = markables.with_entities(entities_of(len(attributes), links))
        return count(markables.corpus, response, request).scores()["conll"].f1

    def best(options: list[tuple[float, ...]], moved: int) -> tuple[float, ...]:
        return max(options, key=lambda option: (value(option), -abs(option[moved] - 0.5)))

    chosen = best([(level,) * 3 for level in GRID], 0)
    if recipe.threshold == "by-kind":
        for kind in (2, 1, 0) * 2:
            options = [(*chosen[:kind], level, *chosen[kind + 1 :]) for level in GRID]
            chosen = best(options, kind)
    return chosen[0], chosen[1], chosen[2]


def _name_entities(
    attributes: MarkableAttributes, accepted: MentionPairs, margin: FloatArray
) -> MentionPairs:
    """Links of IKAR: each markable to the largest accepted entity so far, at its closest name."""
    kind = attributes.kind_number + attributes.zero
    entity = np.arange(len(attributes))
    size = np.ones(len(attributes), np.int64)
    starts = np.flatnonzero(np.diff(accepted.anaphor, prepend=-1))
    stops = np.append(starts[1:], len(accepted))
    # Passes by mention kind, each in the order of the text.
    order = np.argsort(kind[accepted.anaphor[starts]], kind="stable")
    antecedent, anaphor = [], []
    for start, stop in zip(starts[order].tolist(), stops[order].tolist(), strict=True):
        names, row = accepted.antecedent[start:stop], int(accepted.anaphor[start])
        best = int(names[np.lexsort((names, size[entity[names]]))[-1]])
        entity[row] = entity[best]
        size[entity[best]] += 1
        antecedent.append(best)
        anaphor.append(row)
    return MentionPairs(np.array(antecedent, np.int64), np.array(anaphor, np.int64))


Clustering = Callable[[MarkableAttributes, MentionPairs, FloatArray], MentionPairs]

CLUSTERINGS: dict[str, Clustering] = {
    "aggressive-merge": lambda attributes, pairs, margin: pairs,
    "closest-link": lambda attributes, pairs, margin: closest_link(pairs),
    "best-link": lambda attributes, pairs, margin: best_link(pairs, margin),
    "name-entities": _name_entities,
}
"""Clustering rules: links among the accepted pairs."""


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
        sure = expanded(parts.pop("sure", ""))
        recipes[name] = Recipe(features=sets, sure=sure, **parts)
    return recipes, summaries


RECIPES, SUMMARIES = _load()
"""Recipes and their summaries by name."""
