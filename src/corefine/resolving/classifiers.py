"""Classifiers of pairs, by name, and the forms in which they take features.

``tree``
    a decision tree grown by information gain, in the role that C4.5 has in RESOLVE, Soon et al.
    and Ng & Cardie.
``pruned-tree``
    the same, grown until a leaf has two pairs and then pruned by cost and complexity: a branch
    stays if it lowers the entropy by 0.002 bits a pair and leaf.
``logistic``
    logistic regression.
``perceptron``
    the averaged perceptron of Reconcile.

Any other name is that of a scikit-learn classifier, such as ``sklearn.ensemble.
RandomForestClassifier``; in Python a classifier object will do.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray
from corefine.errors import MissingExtraError, UsageError, closest
from corefine.resolving.features import FEATURES, PairView, matrix

CLASSIFIERS = ("tree", "pruned-tree", "logistic", "perceptron")


def make_classifier(given: Any, seed: int) -> Any:
    """An untrained classifier of this name; an object is copied."""
    try:
        import sklearn.linear_model
        import sklearn.tree
    except ImportError:
        raise MissingExtraError("training a resolver", "scikit-learn", "resolve") from None
    if not isinstance(given, str):
        return deepcopy(given)
    if given == "tree":
        return sklearn.tree.DecisionTreeClassifier(
            criterion="entropy", min_samples_leaf=20, max_leaf_nodes=32, random_state=seed
        )
    if given == "pruned-tree":
        return sklearn.tree.DecisionTreeClassifier(
            criterion="entropy", min_samples_leaf=2, ccp_alpha=0.002, random_state=seed
        )
    if given == "logistic":
        return sklearn.linear_model.LogisticRegression(C=0.1, max_iter=500, random_state=seed)
    if given == "perceptron":
        return sklearn.linear_model.SGDClassifier(
            loss="perceptron",
            penalty=None,
            learning_rate="constant",
            eta0=1.0,
            average=True,
            max_iter=5,
            tol=None,
            random_state=seed,
        )
    return _from_sklearn(given, seed)


def takes_classes(classifier: Any) -> bool:
    """Whether a classifier weighs features linearly, and so is given classes of values."""
    from sklearn.linear_model._base import LinearClassifierMixin

    return isinstance(classifier, LinearClassifierMixin)


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """A trained classifier with what is needed to turn a pair into a score from 0 to 1."""

    classifier: Any
    features: tuple[str, ...]
    scale: float
    """What a margin is divided by, for classifiers that give no probabilities; else 1."""

    def scores(self, view: PairView) -> FloatArray:
        """How likely each pair is coreferent, from 0 to 1; 0.5 is where the classifier divides."""
        if not len(view):
            return np.zeros(0)
        return self.judged(encoded(view, self.features, classes=takes_classes(self.classifier)))

    def judged(self, columns: Any) -> FloatArray:
        """The scores of pairs that are columns of numbers already."""
        if hasattr(self.classifier, "predict_proba"):
            return np.asarray(self.classifier.predict_proba(columns)[:, 1], np.float64)
        margin = np.asarray(self.classifier.decision_function(columns), np.float64)
        return np.asarray(0.5 + 0.5 * np.tanh(margin / (2 * self.scale)), np.float64)


def learn(
    classifier: Any, features: Sequence[str], parts: Sequence[PairView], labels: BoolArray
) -> Learned:
    """Train a copy of a classifier on the pairs of all parts; ``labels``: which are coreferent."""
    if not labels.any() or labels.all():
        raise UsageError(
            "the training documents have no coreferent pair"
            if not labels.any()
            else "all training pairs are coreferent",
            remedy="Train on documents with several entities of more than one mention.",
        )
    classes = takes_classes(classifier)
    columns = _stacked([encoded(part, features, classes=classes) for part in parts])
    try:
        classifier = deepcopy(classifier).fit(columns, labels)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"{type(classifier).__name__} cannot learn from these features: {error}",
            remedy=f"Use another classifier, such as {', '.join(CLASSIFIERS)}.",
        ) from None
    scale = 1.0
    if not hasattr(classifier, "predict_proba"):
        scale = float(np.std(classifier.decision_function(columns))) or 1.0
    return Learned(classifier, tuple(features), scale)


def encoded(view: PairView, features: Sequence[str], *, classes: bool) -> Any:
    """Pairs × features as numbers or, for linear classifiers, as classes of numbers.

    In classes, each feature becomes one column for every class of its values, once for all pairs
    and once for the kinds of the pair's markables: that two names share a word means something
    else than that two pronouns do.
    """
    if not classes:
        return matrix(view, features)
    from scipy.sparse import csr_matrix

    base, columns = 0, []
    for wanted in map(FEATURES.__getitem__, features):
        edges = np.asarray(wanted.edges, np.float32)
        values = np.asarray(wanted.compute(view), np.float32)
        columns.append(base + np.searchsorted(edges, values))
        base += len(edges) + 1
    general = np.stack(columns, axis=1).astype(np.int32)
    kind = view.attributes.kind_number.astype(np.int32)
    kind_pair = view.left(kind) * 3 + view.right(kind)
    special = general + base * (1 + kind_pair[:, None])
    indices = np.concatenate([general, special], axis=1, dtype=np.int32, casting="same_kind")
    rows, width = indices.shape
    # One block of columns for all pairs, and one for each of the nine pairs of kinds.
    return csr_matrix(
        (np.ones(rows * width, np.float32), indices.reshape(-1), np.arange(rows + 1) * width),
        shape=(rows, base * 10),
    )


def empty_columns(features: Sequence[str], classifier: Any, rows: int) -> Any:
    """Columns as :func:`encoded` makes them for this classifier, of so many pairs without any."""
    if not takes_classes(classifier):
        return np.zeros((rows, len(features)), np.float32)
    from scipy.sparse import csr_matrix

    return csr_matrix((rows, 10 * sum(len(FEATURES[name].edges) + 1 for name in features)))


def _stacked(parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    from scipy.sparse import vstack

    return vstack(parts, format="csr")


def _from_sklearn(name: str, seed: int) -> Any:
    """A classifier by its full name in scikit-learn, with its default parameters and the seed."""
    module, _, kind = name.rpartition(".")
    found = None
    if module == "sklearn" or module.startswith("sklearn."):
        try:
            found = getattr(import_module(module), kind, None)
        except ImportError:
            found = None
    from sklearn.base import ClassifierMixin

    if not (inspect.isclass(found) and issubclass(found, ClassifierMixin)):
        raise UsageError(
            f"there is no classifier {name!r}",
            remedy=f"Use {', '.join(CLASSIFIERS)} or the qualified name of a scikit-learn "
            "classifier, such as sklearn.ensemble.RandomForestClassifier."
            f"{closest(name, CLASSIFIERS)}",
        )
    seeded = {"random_state": seed} if "random_state" in inspect.signature(found).parameters else {}
    try:
        return found(**seeded)
    except TypeError:
        raise UsageError(f"{name} needs parameters", remedy="Pass an instance in Python.") from None
