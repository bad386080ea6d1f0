"""Malformed model files are refused before scikit-learn's compiled code uses them."""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError
from corefine.resolving import Model, load_model, train
from corefine.resolving.models import HEADER
from tests.building.resolving_corpora import stories

pytest.importorskip("skops", reason="the extra resolve is not installed")


@pytest.fixture(scope="module")
def seen() -> Corpus:
    return stories(1, 2, 3, 4)


def rewritten(data: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    """An archive in which one file is another."""
    block = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(block, "w") as new:
        for file in old.namelist():
            content = old.read(file)
            new.writestr(file, change(content) if file == name else content)
    return block.getvalue()


@pytest.fixture(scope="module")
def good(seen: Corpus, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A model file as it should be."""
    path = tmp_path_factory.mktemp("good") / "model.skops"
    return saved(train(seen, "soon", threshold="half"), path)


def saved(model: Model, path: Path) -> bytes:
    model.save(path)
    return path.read_bytes()


def refused(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    with pytest.raises(CorefineError) as raised:
        load_model(path)
    assert raised.value.remedy
    return str(raised.value)


def changed(header: dict[str, Any], place: str, value: Any) -> dict[str, Any]:
    """The header with one value replaced; its place is a path of keys."""
    *above, last = place.split("/")
    part = header
    for key in above:
        part = part[key]
    part[last] = value
    return header


HEADERS: list[tuple[str, Any]] = [
    ("classifiers/pairs/features", [1]),
    ("classifiers/pairs/features", []),
    ("classifiers/pairs/features", ["text_match"]),
    ("classifiers/pairs/features", "text_match"),
    ("classifiers/pairs/scale", math.nan),
    ("classifiers/pairs/scale", 0),
    ("classifiers/pairs/scale", "1"),
    ("classifiers", {}),
    ("classifiers", []),
    ("thresholds", [math.nan, 0.5, 0.5]),
    ("thresholds", [0.5, math.inf, 0.5]),
    ("thresholds", [0.5, 0.5]),
    ("thresholds", ["0.5", 0.5, 0.5]),
    ("thresholds", None),
    ("recipe/threshold", math.nan),
    ("recipe/threshold", "some"),
    ("recipe/pairs", 5),
    ("recipe/clustering", "none"),
    ("recipe/window", -1),
    ("recipe/window", "2"),
    ("recipe/classifier", ["tree"]),
    ("recipe/features", [1]),
    ("recipe", None),
    ("training/singletons", "yes"),
    ("training/documents", "many"),
    ("training", {}),
    ("preset", 3),
]


@pytest.mark.parametrize(("place", "value"), HEADERS)
def test_a_header_with_a_wrong_value_is_refused(
    good: bytes, tmp_path: Path, place: str, value: Any
) -> None:
    bad = rewritten(
        good, HEADER, lambda old: json.dumps(changed(json.loads(old), place, value)).encode()
    )
    assert "corrupt" in refused(tmp_path / "bad.skops", bad)


def break_left(tree: Any) -> None:
    tree.children_left[0] = -5


def break_right(tree: Any) -> None:
    tree.children_right[0] = -1


def break_circle(tree: Any) -> None:
    tree.children_right[0] = 0


def break_far(tree: Any) -> None:
    tree.children_right[0] = tree.node_count


def break_feature(tree: Any) -> None:
    tree.feature[0] = 1000


def break_negative_feature(tree: Any) -> None:
    tree.feature[0] = -7


def break_threshold(tree: Any) -> None:
    tree.threshold[0] = np.nan


def break_value(tree: Any) -> None:
    tree.value[0] = np.inf


TREES = [break_left, break_right, break_circle, break_far, break_feature, break_negative_feature,
         break_threshold, break_value]  # fmt: skip


@pytest.mark.parametrize("damage", TREES)
@pytest.mark.parametrize("classifier", ["tree", "forest"])
def test_a_tree_with_invalid_nodes_is_refused(
    seen: Corpus, tmp_path: Path, classifier: str, damage: Callable[[Any], None]
) -> None:
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(n_estimators=4, random_state=0)
    given = classifier if classifier == "tree" else forest
    model = train(seen, "soon", threshold="half", classifier=given)
    learned = model.resolver.learned["pairs"].classifier  # type: ignore[attr-defined]
    damage((learned if classifier == "tree" else learned.estimators_[3]).tree_)
    path = tmp_path / "model.skops"
    assert "corrupt" in refused(path, saved(model, path))


@pytest.mark.parametrize("classifier", ["tree", "logistic", "perceptron"])
@pytest.mark.parametrize("damage", ["features", "classes", "numbers"])
def test_a_classifier_that_does_not_fit_is_refused(
    seen: Corpus, tmp_path: Path, classifier: str, damage: str
) -> None:
    model = train(seen, "soon", threshold="half", classifier=classifier)
    learned = model.resolver.learned["pairs"].classifier  # type: ignore[attr-defined]
    if damage == "features":
        learned.n_features_in_ -= 1
    elif damage == "classes":
        learned.classes_ = np.array([True, False])
    elif classifier == "tree":
        learned.tree_.value[-1] = np.nan
    else:
        learned.coef_[0, 0] = np.nan
    path = tmp_path / "model.skops"
    assert "corrupt" in refused(path, saved(model, path))


@pytest.mark.parametrize(
    ("field", "number"),
    [
        (field, number)
        for field in ("node_count", "outputs", "features")
        for number in ("0", "2", "99999999", "-1", '"x"')
        # scikit-learn cuts a larger number of nodes to those that there are.
        if (field, number) != ("node_count", "99999999")
    ],
)
def test_a_tree_with_wrong_sizes_is_refused(
    good: bytes, tmp_path: Path, field: str, number: str
) -> None:
    def change(old: bytes) -> bytes:
        schema = json.loads(old)
        tree = schema["content"]["pairs"]["content"]["content"]["tree_"]
        arguments = tree["__reduce__"]["args"]["content"]
        place = {
            "node_count": tree["content"]["content"]["node_count"],
            "outputs": arguments[2],
            "features": arguments[0],
        }[field]
        place["content"] = number
        place["__id__"] = 7  # objects of a known number are not loaded again
        return json.dumps(schema).encode()

    assert "corrupt" in refused(tmp_path / "bad.skops", rewritten(good, "schema.json", change))


def test_other_objects_than_classifiers_are_refused(seen: Corpus, tmp_path: Path) -> None:
    import skops.io
    from sklearn.ensemble import GradientBoostingClassifier
    from sklearn.svm import SVC

    path = tmp_path / "model.skops"
    data = saved(train(seen, "soon", threshold="half"), path)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        header = archive.read(HEADER)
    for thing in ("a string", 5, None, [1], {"a": 1}, np.zeros(3)):
        block = io.BytesIO(skops.io.dumps({"pairs": thing}))
        with zipfile.ZipFile(block, "a") as archive:
            archive.writestr(HEADER, header)
        assert "corrupt" in refused(path, block.getvalue())
    for classifier in (SVC(), GradientBoostingClassifier(n_estimators=2)):
        with pytest.raises(CorefineError, match="cannot be saved"):
            train(seen, "soon", threshold="half", classifier=classifier).save(path)


@pytest.mark.parametrize(
    "name",
    ["naive_bayes.BernoulliNB", "ensemble.AdaBoostClassifier", "ensemble.ExtraTreesClassifier",
     "linear_model.Perceptron", "svm.LinearSVC"],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_classifiers_of_arrays_and_trees_are_kept(seen: Corpus, tmp_path: Path, name: str) -> None:
    model = train(seen, "soon", threshold="half", classifier=f"sklearn.{name}")
    path = tmp_path / "model.skops"
    model.save(path)
    assert load_model(path).training == model.training
