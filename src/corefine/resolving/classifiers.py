"""Classifiers of pairs by name, and their input.

``tree``
    a decision tree grown by information gain, like C4.5 in RESOLVE, Soon et al. and Ng & Cardie.
``pruned-tree``
    the same, grown to leaves of two pairs and pruned by cost and complexity: a branch remains if it
    lowers the entropy by 0.002 bits per pair and leaf.
``c45``
    the same, grown to leaves of two pairs and pruned as C4.5 does (:func:`prune`). The splits are
    those of the largest information gain; scikit-learn has no gain ratio.
``logistic``
    logistic regression.
``perceptron``
    the averaged perceptron of Reconcile.

Any other name is the qualified name of a scikit-learn classifier, such as ``sklearn.ensemble.
RandomForestClassifier``; in Python, a classifier object is accepted as well.
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
from corefine.resolving.features import PairView, classes, matrix, number_of_classes

CLASSIFIERS: dict[str, tuple[str, dict[str, Any]]] = {
    "tree": (
        "sklearn.tree.DecisionTreeClassifier",
        {"criterion": "entropy", "min_samples_leaf": 20, "max_leaf_nodes": 32},
    ),
    "pruned-tree": (
        "sklearn.tree.DecisionTreeClassifier",
        {"criterion": "entropy", "min_samples_leaf": 2, "ccp_alpha": 0.002},
    ),
    "c45": (
        "sklearn.tree.DecisionTreeClassifier",
        {"criterion": "entropy", "min_samples_leaf": 2},
    ),
    "logistic": ("sklearn.linear_model.LogisticRegression", {"C": 0.1, "max_iter": 500}),
    "perceptron": (
        "sklearn.linear_model.SGDClassifier",
        {"loss": "perceptron", "penalty": None, "learning_rate": "constant", "eta0": 1.0}
        | {"average": True, "max_iter": 5, "tol": None},
    ),
}
"""Classifiers by name, with their parameters."""


def make_classifier(given: Any, seed: int) -> Any:
    """An untrained classifier of this name; an object is copied."""
    try:
        import sklearn.base
    except ImportError:
        raise MissingExtraError("training a resolver", "scikit-learn", "resolve") from None
    if not isinstance(given, str):
        return deepcopy(given)
    name, parameters = CLASSIFIERS.get(given, (given, {}))
    module, _, kind = name.rpartition(".")
    found = None
    if module == "sklearn" or module.startswith("sklearn."):
        try:
            found = getattr(import_module(module), kind, None)
        except ImportError:
            found = None
    if not (inspect.isclass(found) and issubclass(found, sklearn.base.ClassifierMixin)):
        raise UsageError(
            f"there is no classifier {name!r}",
            remedy=f"Use {', '.join(CLASSIFIERS)} or the qualified name of a scikit-learn "
            "classifier, such as sklearn.ensemble.RandomForestClassifier."
            f"{closest(name, CLASSIFIERS)}",
        )
    seeded = {"random_state": seed} if "random_state" in inspect.signature(found).parameters else {}
    try:
        return found(**parameters, **seeded)
    except TypeError:
        raise UsageError(f"{name} needs parameters", remedy="Pass an instance in Python.") from None


def takes_classes(classifier: Any) -> bool:
    """True for linear classifiers, whose input is classes of values."""
    from sklearn.linear_model._base import LinearClassifierMixin

    return isinstance(classifier, LinearClassifierMixin)


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """A trained classifier that scores pairs from 0 to 1."""

    classifier: Any
    features: tuple[str, ...]
    scale: float
    """Divisor of margins, for classifiers without probabilities; otherwise 1."""

    def scores(self, view: PairView) -> FloatArray:
        """Score of each pair from 0 to 1; the classifier's decision boundary is at 0.5."""
        if not len(view):
            return np.zeros(0)
        return self.judged(encoded(view, self.features, self.classifier))

    def judged(self, columns: Any) -> FloatArray:
        """Scores of encoded pairs."""
        if hasattr(self.classifier, "predict_proba"):
            return np.asarray(self.classifier.predict_proba(columns)[:, 1], np.float64)
        margin = np.asarray(self.classifier.decision_function(columns), np.float64)
        return np.asarray(0.5 + 0.5 * np.tanh(margin / (2 * self.scale)), np.float64)


def learn(classifier: Any, features: tuple[str, ...], columns: Any, labels: BoolArray) -> Learned:
    """Train a copy of a classifier on encoded pairs; ``labels`` is true for coreferent pairs."""
    if not labels.any() or labels.all():
        raise UsageError(
            "the training documents have no coreferent pair"
            if not labels.any()
            else "all training pairs are coreferent",
            remedy="Train on documents with several entities of more than one mention.",
        )
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
    return Learned(classifier, features, scale)


CONFIDENCE = 0.25
"""C4.5's confidence in its estimates of errors."""


def prune(tree: Any) -> None:
    """Cut branches of a decision tree (scikit-learn's ``tree_``) by C4.5's estimate of errors.

    The errors of a node are estimated by the upper limit of the binomial distribution at 25%
    confidence; a node becomes a leaf if its estimate is not larger than the sum over its leaves.
    """
    from scipy.stats import beta

    pairs = tree.n_node_samples
    wrong = pairs * (1 - tree.value[:, 0, :].max(axis=1))
    limit = np.where(wrong < pairs, beta.ppf(1 - CONFIDENCE, wrong + 1, pairs - wrong), 1.0)
    estimate = pairs * limit
    # Children follow their parents.
    for node in range(tree.node_count - 1, -1, -1):
        left, right = tree.children_left[node], tree.children_right[node]
        if left < 0:
            continue
        below = estimate[left] + estimate[right]
        if estimate[node] <= below:
            tree.children_left[node] = tree.children_right[node] = -1
        else:
            estimate[node] = below


def encoded(view: PairView, features: Sequence[str], classifier: Any) -> Any:
    """Pairs × features as numbers or, for linear classifiers, as classes of numbers."""
    return (classes if takes_classes(classifier) else matrix)(view, features)


def uniform_columns(features: Sequence[str], classifier: Any, rows: int) -> Any:
    """Columns as of :func:`encoded` for a number of pairs, with 1 in every cell."""
    if not takes_classes(classifier):
        return np.ones((rows, len(features)), np.float32)
    from scipy.sparse import csr_matrix

    return csr_matrix(np.ones((rows, number_of_classes(features))))


def stacked(parts: list[Any]) -> Any:
    """Concatenate encoded pairs."""
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    from scipy.sparse import vstack

    return vstack(parts, format="csr")
