"""Whether a model file holds what scikit-learn can be given: its compiled code trusts all numbers.

The description in the archive is checked before anything is loaded, the classifiers after it, and
then each of them judges two made-up pairs.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec import Struct, ValidationError, convert

from corefine.resolving.classifiers import Learned, empty_columns
from corefine.resolving.features import check_features
from corefine.resolving.ikar import FEATURES as IKAR

ESTIMATORS = (
    "sklearn.tree._classes.DecisionTreeClassifier",
    "sklearn.tree._classes.ExtraTreeClassifier",
    "sklearn.ensemble._forest.",
    "sklearn.ensemble._weight_boosting.",
    "sklearn.linear_model.",
    "sklearn.naive_bayes.",
    "sklearn.discriminant_analysis.",
    "sklearn.neighbors._nearest_centroid.",
    "sklearn.svm._classes.LinearSVC",
    "sklearn.dummy.",
    "sklearn.preprocessing._label.LabelBinarizer",
)
"""Classifiers that are arrays and trees, which can be checked; their names, or how these begin."""
KEPT = "a decision tree, a forest, a linear model, naive Bayes or AdaBoost"
TREE = "sklearn.tree._tree.Tree"
_PLAIN = ("DictNode", "ListNode", "TupleNode", "JsonNode", "NdArrayNode", "TypeNode")
_ALLOWED = {
    **dict.fromkeys(_PLAIN, ("builtins.", "numpy.")),
    "ObjectNode": ESTIMATORS,
    "LossNode": ("sklearn.linear_model._sgd_fast.",),
}
"""By the way in which skops keeps something: how its name may begin."""
LARGEST_TREE = 1 << 24
"""Nodes, features or classes that a tree may have."""


class SaidOfClassifier(Struct):
    """What the header says of a classifier."""

    features: list[str]
    scale: float


class SaidOfTraining(Struct):
    """What the header says of the training documents."""

    fingerprint: str
    documents: int
    mentions: int
    singletons: bool
    markables: str
    seed: int
    version: str


class SaidOfRecipe(Struct):
    """What the header says of the parts of the resolver."""

    pairs: str
    features: list[str]
    classifier: str
    clustering: str
    threshold: str | float
    within_types: bool
    window: int | None


class Header(Struct):
    """What a model file says of itself."""

    preset: str
    training: SaidOfTraining
    classifiers: dict[str, SaidOfClassifier]
    recipe: SaidOfRecipe | None = None
    thresholds: tuple[float, float, float] | None = None


def checked_header(values: dict[str, Any]) -> Header:
    """The header, of which every value has its type and its range; a ValueError otherwise."""
    try:
        header = convert(values, Header)
    except ValidationError as error:
        raise ValueError(str(error)) from None
    numbers = [said.scale for said in header.classifiers.values()]
    numbers += header.thresholds or ()
    if header.recipe is not None and isinstance(header.recipe.threshold, float):
        numbers.append(header.recipe.threshold)
    if not np.isfinite(numbers).all() or any(s.scale <= 0 for s in header.classifiers.values()):
        raise ValueError("a number is not finite")
    names = set(header.classifiers)
    if header.recipe is None:
        right = bool(names) and names <= set(IKAR) and header.thresholds is None
    else:
        right = names == {"pairs"} and header.thresholds is not None
    if not right:
        raise ValueError("the classifiers are not those of the resolver")
    for said in header.classifiers.values():
        check_features(said.features)
        if not said.features:
            raise ValueError("a classifier without features")
    return header


def foreign_types(data: bytes) -> list[str]:
    """What a skops archive describes and no model holds; malformed trees are a ValueError."""
    foreign, trees = set(), []
    unclear: set[object] = set()
    known: dict[object, dict[str, Any]] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for node in _nodes(json.loads(archive.read("schema.json"))):
            # What has the number of something loaded before is taken for that.
            if known.setdefault(node.get("__id__"), node) != node:
                unclear.add(node.get("__id__"))
            kind, name = node.get("__loader__"), f"{node.get('__module__')}.{node.get('__class__')}"
            if kind == "TreeNode" and name == TREE:
                trees.append(node)
            elif not name.startswith(_ALLOWED.get(str(kind), ("\0",))):
                foreign.add(name)
        for tree in () if foreign else trees:
            if any(node.get("__id__") in unclear for node in _nodes(tree)):
                raise ValueError("two things have one number")
            _check_described_tree(tree, archive)
    return sorted(foreign)


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    """All parts of a description that say how they are loaded."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if "__loader__" in one or "__class__" in one:
                yield one
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def _check_described_tree(node: dict[str, Any], archive: zipfile.ZipFile) -> None:
    """A tree is made of these numbers before it can be looked at: one output, two classes."""
    features, classes, outputs = node["__reduce__"]["args"]["content"]
    if not 0 < int(features["content"]) < LARGEST_TREE or int(outputs["content"]) != 1:
        raise ValueError("a tree has other outputs than one")
    if _array(archive, classes).tolist() != [2]:
        raise ValueError("a tree has other classes than two")
    state = node["content"]["content"]
    nodes, values = _array(archive, state["nodes"]), _array(archive, state["values"])
    count = int(state["node_count"]["content"])
    if not 0 < count < LARGEST_TREE or nodes.shape != (count,) or values.shape != (count, 1, 2):
        raise ValueError("a tree has not as many nodes as it says")


def _array(archive: zipfile.ZipFile, node: dict[str, Any]) -> Any:
    return np.load(io.BytesIO(archive.read(node["file"])), allow_pickle=False)


def check_learned(learned: Learned) -> None:
    """Refuse a classifier that is none, does not fit its features, or could not judge a pair."""
    from sklearn.base import ClassifierMixin

    classifier = learned.classifier
    if not isinstance(classifier, ClassifierMixin):
        raise ValueError("no classifier")
    columns = empty_columns(learned.features, classifier, rows=2)
    width = columns.shape[1]
    if getattr(classifier, "n_features_in_", None) != width:
        raise ValueError("the classifier has other features")
    if np.asarray(classifier.classes_).tolist() != [False, True]:
        raise ValueError("the classifier has other classes")
    for part in _parts(classifier):
        if isinstance(part, np.ndarray):
            if part.dtype.kind in "fc" and not np.isfinite(part).all():
                raise ValueError("a number of the classifier is not finite")
        else:
            _check_tree(part, width)
    judged = learned.judged(columns)
    if judged.shape != (2,) or not ((judged >= 0) & (judged <= 1)).all():
        raise ValueError("the classifier gives no probabilities")


def _parts(classifier: Any) -> Iterator[Any]:
    """The arrays and trees of a classifier, at whatever depth."""
    from sklearn.tree._tree import Tree

    waiting, seen = [classifier], set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, Tree) or (isinstance(one, np.ndarray) and one.dtype != object):
            yield one
        elif isinstance(one, list | tuple | np.ndarray):
            waiting.extend(np.ravel(one) if isinstance(one, np.ndarray) else one)
        elif isinstance(one, dict):
            waiting.extend(one.values())
        elif hasattr(one, "__dict__"):
            waiting.extend(vars(one).values())


def _check_tree(tree: Any, width: int) -> None:
    """Refuse a tree whose nodes point outside of it: following them would read foreign memory."""
    if not 0 < tree.node_count <= tree.capacity or tree.n_features != width:
        raise ValueError("a tree's nodes do not belong together")
    left, right, feature = tree.children_left, tree.children_right, tree.feature
    own = np.flatnonzero(left != -1)
    # Children come after their parent, so that no path runs in a circle.
    sound = (
        ((left == -1) == (right == -1)).all()
        and (left[own] > own).all()
        and (right[own] > own).all()
        and max(left.max(initial=-1), right.max(initial=-1)) < tree.node_count
        and ((feature[own] >= 0) & (feature[own] < width)).all()
        and np.isfinite(tree.threshold).all()
        and np.isfinite(tree.value).all()
    )
    if not sound:
        raise ValueError("a tree's nodes do not belong together")
