"""Malformed model files are refused before scikit-learn's compiled code uses them."""

from __future__ import annotations

import copy
import io
import json
import math
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError, Location
from corefine.resolving import Model, load_model, train
from corefine.resolving.models import HEADER
from tests.building.resolving_corpora import stories

pytest.importorskip("skops", reason="the extra resolve is not installed")


@pytest.fixture(scope="module")
def seen() -> Corpus:
    return stories(1, 2, sentences=20)


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


def assert_refused(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    with pytest.raises(CorefineError) as raised:
        load_model(path)
    assert raised.value.where == Location(str(path))
    assert raised.value.remedy


HEADERS: dict[str, tuple[Any, ...]] = {
    "scales/pairs": (math.nan, 0, "1"),
    "scales": ({}, [], {"other": 1}),
    "thresholds": ([math.nan, 0.5, 0.5], [0.5, math.inf, 0.5], [0.5, 0.5], ["0.5", 0.5, 0.5], None),
    "recipe/threshold": (math.nan, -1, 2, "some"),
    "recipe/pairs": (5,),
    "recipe/clustering": ("none",),
    "recipe/classifier": (["tree"],),
    "recipe/features": ([1],),
    "recipe": (None, {"features": ["text_match"]}),
    "training/singletons": ("yes",),
    "training/documents": ("many",),
    "training": ({},),
    "preset": (3,),
    "format": (1, None),
    "scikit-learn": ("0.1",),
}
"""Wrong values by their place in the header."""


@pytest.mark.parametrize("size", [0, 10, 1000])
def test_a_file_that_is_no_model_is_refused(good: bytes, tmp_path: Path, size: int) -> None:
    assert_refused(tmp_path / "bad.skops", good[:size])


def test_a_model_of_another_corefine_version_is_read(good: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.skops"
    path.write_bytes(with_header(good, "training/version", "0.0.1"))
    assert load_model(path).training.version == "0.0.1"


def with_header(good: bytes, place: str, value: Any) -> bytes:
    """The file with one value of the header replaced; its place is a path of keys."""
    *above, last = place.split("/")

    def change(old: bytes) -> bytes:
        header = part = json.loads(old)
        for key in above:
            part = part[key]
        part[last] = value
        return json.dumps(header).encode()

    return rewritten(good, HEADER, change)


@pytest.mark.parametrize("place", HEADERS)
def test_a_header_with_a_wrong_value_is_refused(good: bytes, tmp_path: Path, place: str) -> None:
    for value in HEADERS[place]:
        assert_refused(tmp_path / "bad.skops", with_header(good, place, value))


Damage = Callable[[Any], None]


def node(column: str, value: float) -> Damage:
    """Change the first node of a tree, or of the last tree of a forest."""

    def damage(classifier: Any) -> None:
        tree = getattr(classifier, "estimators_", [classifier])[-1].tree_
        getattr(tree, column)[0] = value

    return damage


def fewer_features(classifier: Any) -> None:
    classifier.n_features_in_ -= 1


def other_classes(classifier: Any) -> None:
    classifier.classes_ = np.array([True, False])


def no_number(classifier: Any) -> None:
    classifier.coef_[0, 0] = np.nan


TREE: list[Damage] = [
    fewer_features, other_classes, node("children_left", -5), node("children_right", -1),
    node("children_right", 0), node("children_right", 10**6), node("feature", 1000),
    node("feature", -7), node("threshold", np.nan), node("value", np.inf),
]  # fmt: skip
LINEAR: list[Damage] = [fewer_features, other_classes, no_number]
DAMAGES: dict[str, list[Damage]] = {
    "tree": TREE,
    "forest": TREE[2:],
    "logistic": LINEAR,
    "perceptron": LINEAR,
}
"""Changes after which a classifier does not fit its features or is malformed."""


@pytest.mark.parametrize("classifier", DAMAGES)
def test_a_classifier_that_does_not_fit_is_refused(
    seen: Corpus, tmp_path: Path, classifier: str
) -> None:
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(n_estimators=4, random_state=0)
    given = forest if classifier == "forest" else classifier
    model = train(seen, "soon", threshold="half", classifier=given)
    path = tmp_path / "model.skops"
    for damage in DAMAGES[classifier]:
        copied = copy.deepcopy(model)
        damage(copied.resolver.learned["pairs"].classifier)  # type: ignore[attr-defined]
        assert_refused(path, saved(copied, path))


@pytest.mark.parametrize("field", ["node_count", "outputs", "features"])
def test_a_tree_with_wrong_sizes_is_refused(good: bytes, tmp_path: Path, field: str) -> None:
    def change(old: bytes, number: str) -> bytes:
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

    for number in ("0", "2", "-1", '"x"'):
        data = rewritten(good, "schema.json", partial(change, number=number))
        assert_refused(tmp_path / "bad.skops", data)


def test_other_objects_than_classifiers_are_refused(seen: Corpus, tmp_path: Path) -> None:
    import skops.io

    path = tmp_path / "model.skops"
    data = saved(train(seen, "soon", threshold="half"), path)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        header = archive.read(HEADER)
    for thing in ("a string", 5, None, [1], {"a": 1}, np.zeros(3), Path.touch):
        block = io.BytesIO(skops.io.dumps({"pairs": thing}))
        with zipfile.ZipFile(block, "a") as archive:
            archive.writestr(HEADER, header)
        assert_refused(path, block.getvalue())


@pytest.mark.parametrize(
    "name",
    ["naive_bayes.BernoulliNB", "ensemble.AdaBoostClassifier", "ensemble.ExtraTreesClassifier",
     "linear_model.Perceptron", "svm.LinearSVC"],
)  # fmt: skip
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_classifiers_of_arrays_and_trees_are_kept(seen: Corpus, tmp_path: Path, name: str) -> None:
    model = train(seen, "soon", threshold="half", classifier=f"sklearn.{name}")
    path = tmp_path / "model.skops"
    model.save(path)
    assert load_model(path).training == model.training
