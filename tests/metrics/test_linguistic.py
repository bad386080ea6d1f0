"""LMUC, LB³, LCEAFm, LCEAFe: the paper's table, brute force, and what must hold of them."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

import corefine
from corefine.corpus.columns import Kind
from corefine.corpus.expression import Expression
from corefine.metrics.linguistic import LBCubed, LCeafE, LCeafM, Lmuc, Weights
from tests.building.partitions import Entities, group
from tests.building.refusals import refused

CLASSES: dict[str, Any] = {"lmuc": Lmuc, "lb3": LBCubed, "lceafm": LCeafM, "lceafe": LCeafE}
KINDS = ("name", "nominal", "pronoun")


def documents(count: int) -> tuple[dict[str, Entities], dict[str, Entities], dict[str, Any]]:
    """Key, response and kinds of random documents."""
    chance = np.random.default_rng(2013)
    key, response, kinds = {}, {}, {}
    for number in range(count):
        mentions = int(chance.integers(1, 9))
        labels = chance.integers(0, 4, (2, mentions))
        there = chance.random((2, mentions)) < 0.85
        name = f"d{number}"
        key[name], response[name] = (
            group(np.flatnonzero(there[side]).tolist(), labels[side][there[side]].tolist())
            for side in (0, 1)
        )
        kinds[name] = {mention: KINDS[chance.integers(3)] for mention in range(mentions)}
    return key, response, kinds


KEY, RESPONSE, KINDS_OF = documents(60)


@pytest.mark.parametrize("weights", [(1, 0.75, 0.5, 1), (1, 0, 0, 1e-38), (0.1, 1, 0.9, 0.5)])
def test_functions_weigh_links_as_weights_do(weights):
    """Weights are counted by kind; for a function, maximum spanning trees are built."""
    name, nominal, pronoun, singleton = weights

    def weigh(first: Expression, second: Expression) -> float:
        kinds = {first.kind, second.kind}
        return name if Kind.NAME in kinds else nominal if Kind.NOMINAL in kinds else pronoun

    for metric in CLASSES.values():
        pair = [metric(weigh, singleton=singleton), metric(Weights(*weights))]
        scores = corefine.score(KEY, RESPONSE, metrics=pair, kinds=KINDS_OF)
        for found in scores.documents.values():
            by_function, by_kind = (found[str(one)] for one in pair)
            assert by_function.precision == pytest.approx(by_kind.precision, abs=1e-9), metric
            assert by_function.recall == pytest.approx(by_kind.recall, abs=1e-9), metric


def test_lmuc_with_equal_links_and_no_singletons_is_muc():
    lmuc, w1 = "lmuc(name=1,nominal=1,pronoun=1,singleton=0)", "lmuc(weights=W1)"
    scores = corefine.score(KEY, RESPONSE, ["muc", lmuc, w1], kinds=KINDS_OF)
    for found in scores.documents.values():
        assert found["muc"].precision == pytest.approx(found[lmuc].precision, abs=1e-12)
        assert found["muc"].recall == pytest.approx(found[lmuc].recall, abs=1e-12)
    assert scores[w1].f1 == pytest.approx(scores["muc"].f1, abs=1e-12)


def test_zeros_and_unknown_mentions_weigh_as_pronouns():
    key, response = [["a", "b", "c"], ["d", "e"]], [["a", "b"], ["c", "d", "e"]]
    pronouns = corefine.score(key, response, "lmuc,lb3", kinds=dict.fromkeys("abcde", "pronoun"))
    zeros = corefine.score(key, response, "lmuc,lb3", kinds=dict.fromkeys("abcde", "zero"))
    unknown = corefine.score(key, response, "lmuc,lb3", kinds={})
    assert pronouns.by_name == zeros.by_name == unknown.by_name
    assert pronouns.warnings == zeros.warnings == ()
    (warning,) = unknown.warnings
    assert warning.startswith("5 of 5 mentions have no known kind")


def _always(weight: object, *_: object) -> object:
    return weight


@pytest.mark.parametrize("weight", [-1, "x", None, math.nan, 1e308])
def test_a_link_weight_must_give_weights(weight):
    link: Any = partial(_always, weight)
    with refused("usage"):
        corefine.score([["a", "b"]], [["a", "b"]], Lmuc(link), kinds={})


def test_there_are_four_weights():
    with refused("usage"):
        Lmuc((1, 2))  # type: ignore[arg-type]
    assert Lmuc((1, 0.75, 0.5, 1)) == Lmuc("W4")
    assert Lmuc("W4", singleton=0.5).weights == Weights(1, 0.75, 0.5, 0.5)
