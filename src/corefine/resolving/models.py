"""Models: trained resolvers and their files.

A model file is a skops file: a ZIP archive of arrays and of a description of the classifiers;
loading it runs no code of the file. In addition the archive has ``corefine.json``: the number of
the model format, the training data and the recipe. Files of another model format or another version
of scikit-learn are refused, since features and classifiers may have changed.

skops refuses types that it does not trust. scikit-learn's compiled code trusts the numbers of
decision trees, therefore these are checked after loading (:func:`check_learned`).
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct, convert

from corefine._version import __version__
from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError, Location, MissingExtraError, UsageError, choose
from corefine.kinds.kind_plan import KindPlan, KindSpec, plan_of
from corefine.output.progress import Progress, silent
from corefine.output.saving import refuse_inputs, write_atomically
from corefine.resolving.attributes import MarkableAttributes
from corefine.resolving.classifiers import Learned, uniform_columns
from corefine.resolving.markables import KINDS, MARKABLES, markables_of
from corefine.resolving.resolver import RECIPES, MentionPairResolver, Recipe
from corefine.resolving.rules import RULES, Resolver, RuleResolver, trainer_of
from corefine.scoring.fingerprint import fingerprint_of
from corefine.scoring.sides import SideLike, path_of, read_side

FORMAT = 4
"""Number of the model format, raised if a feature or the file changes its meaning."""
HEADER = "corefine.json"
LARGEST = 1 << 30
"""Largest size of an unpacked model, in bytes."""
SINGLETONS = ("auto", "keep", "drop")
TRUSTED = ["sklearn.tree._tree.Tree"]
"""Types in model files that skops does not trust by default."""


@dataclass(frozen=True, slots=True)
class Training:
    """Training data of a model."""

    fingerprint: str
    """Fingerprint of the training documents, as in signatures of scores with this key."""
    documents: int
    mentions: int
    singletons: bool
    """True if the training documents have singletons."""
    markables: str
    seed: int
    version: str = __version__
    """Version of corefine, for information."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A trained resolver and its training data."""

    preset: str
    resolver: Resolver
    training: Training
    inputs: tuple[str, ...] = ()
    """The training files, which :meth:`save` never overwrites."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, atomically."""
        refuse_inputs(path, self.inputs)
        write_atomically(path, dumps(self))


def train(
    corpus: SideLike,
    preset: str = "ng-cardie",
    *,
    seed: int = 0,
    markables: str = "gold",
    kinds: KindSpec | KindPlan = KINDS,
    format: str | None = None,
    progress: Progress = silent,
    **parts: Any,
) -> Model:
    """Train a resolver on documents with entities.

    ``parts`` replace parts of the preset's :class:`~corefine.resolving.resolver.Recipe`: ``pairs``,
    ``features``, ``classifier``, ``clustering``, ``threshold``, ``within_types``.
    Training is deterministic given the documents and the seed.
    """
    if preset in RULES:
        raise UsageError(f"{preset} needs no training", remedy=f"Apply it by name: {preset!r}.")
    trainer = trainer_of(preset, seed, **parts)
    choose("markables", markables, MARKABLES)
    plan = plan_of(kinds)
    path = path_of(corpus, "corpus")
    corpus = read_side(corpus, "corpus", format, None, progress, allow_empty=True)
    attributes = MarkableAttributes(markables_of(corpus, markables, plan))
    training = Training(
        fingerprint=str(fingerprint_of(corpus)),
        documents=len(corpus.documents),
        mentions=len(corpus.mentions),
        singletons=attributes.markables.singletons,
        markables=markables,
        seed=seed,
    )
    inputs = (path,) if path is not None else ()
    return Model(preset, trainer(attributes, progress), training, inputs)


def apply(
    model: Model | str | os.PathLike[str],
    corpus: SideLike,
    *,
    markables: str = "gold",
    kinds: KindSpec | KindPlan = KINDS,
    singletons: str = "auto",
    progress: Progress = silent,
) -> Corpus:
    """Resolve documents: the corpus with the entities that a resolver finds.

    ``model`` is a model, the path of a model file, or the name of a rule-based preset.
    ``singletons``: ``keep`` or ``drop`` singletons; ``auto`` drops them if the training documents
    have none.
    """
    choose("singletons", singletons, SINGLETONS)
    choose("markables", markables, MARKABLES)
    plan = plan_of(kinds)
    resolver: Resolver
    drop = singletons == "drop"
    if isinstance(model, str) and model in RULES:
        resolver = RULES[model]
    else:
        loaded = model if isinstance(model, Model) else load_model(model)
        resolver = loaded.resolver
        drop |= singletons == "auto" and not loaded.training.singletons
    attributes = MarkableAttributes(
        markables_of(
            read_side(corpus, "corpus", progress=progress, allow_empty=True), markables, plan
        )
    )
    entity = resolver.entities(attributes, progress)
    named = resolver.names if isinstance(resolver, RuleResolver) else None
    names = None if named is None else named(attributes)
    return attributes.markables.with_entities(entity, singletons=not drop, names=names)


class Header(Struct, rename={"sklearn": "scikit-learn"}):
    """Header of a model file."""

    format: int
    sklearn: str
    """The version of scikit-learn."""
    preset: str
    training: Training
    recipe: Recipe
    thresholds: tuple[float, float, float]
    scales: dict[str, float]
    """The scale of each classifier, by feature set."""


def dumps(model: Model) -> bytes:
    """The contents of a model file."""
    skops, sklearn = model_libraries()
    resolver = model.resolver
    assert isinstance(resolver, MentionPairResolver), "rules have no model"
    classifiers = {name: one.classifier for name, one in resolver.learned.items()}
    data = skops.dumps(classifiers, compression=zipfile.ZIP_DEFLATED)
    foreign = set(skops.get_untrusted_types(data=data)) - set(TRUSTED)
    if foreign:
        raise UsageError(
            f"the classifier cannot be saved: it contains {min(foreign)}",
            remedy="Use a decision tree, a forest, a linear model, naive Bayes or AdaBoost of "
            "scikit-learn.",
        )
    recipe = resolver.recipe
    if not isinstance(recipe.classifier, str):
        kind = type(recipe.classifier)
        recipe = replace(recipe, classifier=f"{kind.__module__}.{kind.__qualname__}")
    header = Header(
        FORMAT,
        sklearn.__version__,
        model.preset,
        model.training,
        recipe,
        resolver.thresholds,
        {name: one.scale for name, one in resolver.learned.items()},
    )
    block = io.BytesIO(data)
    with zipfile.ZipFile(block, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(HEADER, msgspec.json.format(msgspec.json.encode(header), indent=1))
    return block.getvalue()


def load_model(path: str | os.PathLike[str]) -> Model:
    """Load a model file; no code of the file is run."""
    where = Location(os.fspath(path))
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        remedy = "Check the path."
        if os.fspath(path) in RECIPES:
            remedy = f"Train it first: 'corefine resolve train DOCS --preset {path} -o MODEL'."
        raise CorefineError(f"cannot read the model: {reason}", where, remedy) from None
    skops, sklearn = model_libraries()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(member.file_size for member in archive.infolist()) > LARGEST:
                raise ValueError("too large")
            header = json.loads(archive.read(HEADER))
        versions = header["format"], header["scikit-learn"]
    except Exception:  # a broken ZIP file, no header, no JSON, unknown compression
        raise CorefineError(
            "not a corefine model, or a corrupt one",
            where,
            "Give a file saved by 'corefine resolve train'.",
        ) from None
    if versions != (FORMAT, sklearn.__version__):
        raise CorefineError(
            f"the model has format {versions[0]} and scikit-learn {versions[1]}, but this version "
            f"of corefine reads format {FORMAT} and has scikit-learn {sklearn.__version__}",
            where,
            "Train it again with 'corefine resolve train'.",
        )
    try:
        foreign = set(skops.get_untrusted_types(data=data)) - set(TRUSTED)
        if not foreign:
            return _model(convert(header, Header), skops.loads(data, trusted=TRUSTED))
    except Exception as error:
        # skops, JSON and NumPy raise many types of errors on a damaged archive.
        raise CorefineError(
            f"the model is corrupt ({type(error).__name__})", where, "Train it again."
        ) from None
    raise CorefineError(
        f"the model contains {min(foreign)}, which no corefine model does",
        where,
        "Do not use this file.",
    )


def _model(header: Header, classifiers: dict[str, Any]) -> Model:
    """The model of a file; a ValueError if its parts do not fit together."""
    recipe = header.recipe
    sets = recipe.feature_sets
    if not header.scales or not header.scales.keys() <= sets.keys():
        raise ValueError("the classifiers are not those of the recipe")
    if not isinstance(recipe.classifier, str) or not np.isfinite(header.thresholds).all():
        raise ValueError("the recipe is malformed")
    learned = {}
    for name, scale in header.scales.items():
        if not 0 < scale < np.inf:
            raise ValueError("the scale of a classifier is no positive number")
        learned[name] = Learned(classifiers[name], sets[name], scale)
        check_learned(learned[name])
    resolver = MentionPairResolver(recipe, learned, header.thresholds)
    return Model(header.preset, resolver, header.training)


def check_learned(learned: Learned) -> None:
    """Raise a ValueError for a classifier that does not fit its features or is malformed."""
    from sklearn.base import ClassifierMixin

    classifier = learned.classifier
    if not isinstance(classifier, ClassifierMixin):
        raise ValueError("not a classifier")
    columns = uniform_columns(learned.features, classifier, rows=2)
    width = columns.shape[1]
    if getattr(classifier, "n_features_in_", None) != width:
        raise ValueError("the classifier has other features")
    if np.asarray(classifier.classes_).tolist() != [False, True]:
        raise ValueError("the classifier has other classes")
    for part in np.ravel(getattr(classifier, "estimators_", [classifier])):
        if hasattr(part, "tree_"):
            _check_tree(part.tree_, width)
    judged = learned.judged(columns)
    if judged.shape != (2,) or not ((judged >= 0) & (judged <= 1)).all():
        raise ValueError("the classifier gives no probabilities")


def _check_tree(tree: Any, width: int) -> None:
    """Raise a ValueError for a tree that is not binary or whose nodes point outside of it."""
    # Children follow their parent, so that no path is a circle.
    sound = 0 < tree.node_count <= tree.capacity and tree.n_features == width
    if sound and tree.n_outputs == 1 and tree.n_classes.tolist() == [2]:
        left, right, feature = tree.children_left, tree.children_right, tree.feature
        inner = np.flatnonzero(left != -1)
        sound = (
            ((left == -1) == (right == -1)).all()
            and (left[inner] > inner).all()
            and (right[inner] > inner).all()
            and max(left.max(initial=-1), right.max(initial=-1)) < tree.node_count
            and ((feature[inner] >= 0) & (feature[inner] < width)).all()
            and np.isfinite(tree.threshold).all()
            and np.isfinite(tree.value).all()
        )
        if sound:
            return
    raise ValueError("the nodes of a tree do not fit together")


def model_libraries() -> tuple[Any, Any]:
    """skops and scikit-learn, or an error that names the extra to install."""
    try:
        import sklearn
        import skops.io
    except ImportError:
        raise MissingExtraError("a model file", "skops", "resolve") from None
    return skops.io, sklearn
