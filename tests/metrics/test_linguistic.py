"""LMUC, LB³, LCEAFm, LCEAFe: the paper's table, brute force, and what must hold of them."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corefine
from corefine.corpus.expression import Expression
from corefine.errors import UsageError
from corefine.metrics.linguistic import LBCubed, LCeafE, LCeafM, Lmuc, Weights
from corefine.metrics.registry import parse
from tests.building.linguistic_reference import Chains, link_by_kind
from tests.building.partitions import Entities, entity_lists, group, linked
from tests.conftest import load_cases

CLASSES: dict[str, Any] = {"lmuc": Lmuc, "lb3": LBCubed, "lceafm": LCeafM, "lceafe": LCeafE}
CASES = [
    case
    for case in load_cases("chen_ng", "corner", "parent", "random")
    if CLASSES.keys() & case["expected"]
]
KINDS = ("name", "nominal", "pronoun")

kinds_of_mentions = st.fixed_dictionaries(
    {mention: st.sampled_from(KINDS) for mention in [*range(12), 100, 101, 102]}
)
weight = st.sampled_from((0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0, 3.0))
any_weights = st.builds(Weights, weight, weight, weight, weight)
positive = st.sampled_from((0.1, 0.25, 0.5, 1.0, 3.0))
positive_weights = st.builds(Weights, positive, positive, positive, positive)


def four(weights: object) -> list[Any]:
    return [metric(weights) for metric in CLASSES.values()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_cases_give_the_expected_values(case: dict[str, Any]) -> None:
    expected = {name: case["expected"][name] for name in CLASSES if name in case["expected"]}
    weights = Weights(**case["params"]["weights"])
    metrics = {name: CLASSES[name](weights) for name in expected}
    scores = corefine.score(
        case["key"], case["response"], metrics=list(metrics.values()), kinds=case["kinds"]
    )
    for name, (precision, recall, f1) in expected.items():
        found = scores[str(metrics[name])]
        assert found.precision == pytest.approx(precision, abs=1e-9), name
        assert found.recall == pytest.approx(recall, abs=1e-9), name
        assert found.f1 == pytest.approx(f1, abs=1e-9), name


def test_all_cells_of_the_paper_are_reproduced() -> None:
    cells = 0
    for case in load_cases("chen_ng"):
        if "paper" not in case:
            continue
        scores = corefine.score(
            case["key"], case["response"], metrics=list(case["paper"]), kinds=case["kinds"]
        )
        for name, printed in case["paper"].items():
            found = list(scores[name].to_dict().values())
            for value, paper in zip(found, printed, strict=True):
                assert abs(100 * value - paper) < 0.051, (case["name"], name)
                cells += 1
    assert cells == 120


@given(entity_lists(8), entity_lists(8), kinds_of_mentions, any_weights)
def test_counted_weights_equal_spanning_trees(
    key: Entities, response: Entities, kinds: dict[int, str], weights: Weights
) -> None:
    link = link_by_kind(
        kinds, {"name": weights.name, "nominal": weights.nominal, "pronoun": weights.pronoun}
    )
    chains = Chains(key, response, link, weights.singleton)
    metrics = four(weights)
    scores = corefine.score(key, response, metrics=metrics, kinds=kinds)
    for metric in metrics:
        precision, recall = getattr(chains, metric.name)()
        found = scores[str(metric)]
        assert found.precision == pytest.approx(precision, abs=1e-9), metric
        assert found.recall == pytest.approx(recall, abs=1e-9), metric


@pytest.mark.slow
@pytest.mark.parametrize(
    "weights",
    [
        Weights(1, 0.75, 0.5, 1),
        Weights(1, 0, 0, 1e-38),
        Weights(0.1, 1, 0.9, 0.5),
        Weights(0, 2, 3, 0),
    ],
    ids=str,
)
def test_two_thousand_documents_at_once_equal_spanning_trees(weights: Weights) -> None:
    """Descending weights and others; every document of one table is compared with its own trees."""
    chance = np.random.default_rng(2013)
    key, response, kinds = {}, {}, {}
    for number in range(2000):
        count = int(chance.integers(1, 8))
        labels = chance.integers(0, 4, (2, count))
        there = chance.random((2, count)) < 0.85
        name = f"d{number}"
        key[name], response[name] = (
            group(np.flatnonzero(there[side]).tolist(), labels[side][there[side]].tolist())
            for side in (0, 1)
        )
        kinds[name] = {mention: KINDS[chance.integers(3)] for mention in range(count)}
    metrics = four(weights)
    scores = corefine.score(key, response, metrics=metrics, kinds=kinds)
    parts = {"name": weights.name, "nominal": weights.nominal, "pronoun": weights.pronoun}
    for name, found in scores.documents.items():
        link = link_by_kind(kinds[name], parts)
        chains = Chains(key[name], response[name], link, weights.singleton)
        for metric in metrics:
            expected = getattr(chains, metric.name)()
            numbers = found[str(metric)].precision, found[str(metric)].recall
            assert numbers == pytest.approx(expected, abs=1e-9), (name, metric.name)


def test_a_chain_of_a_name_and_two_pronouns_under_weights_that_prefer_pronouns() -> None:
    weights = Weights(0.1, 1, 0.9, 1)
    kinds = {"a": "name", "b": "pronoun", "c": "pronoun"}
    table_weight = Lmuc(weights)
    scores = corefine.score([["a", "b", "c"]], [["b", "c"]], table_weight, kinds=kinds)
    assert scores[str(table_weight)].recall == pytest.approx(0.9 / (0.9 + 0.1))


@settings(max_examples=40)
@given(entity_lists(8), entity_lists(8), kinds_of_mentions, any_weights)
def test_any_link_weight_is_a_real_spanning_tree(
    key: Entities, response: Entities, kinds: dict[int, str], weights: Weights
) -> None:
    words = {"name": weights.name, "nominal": weights.nominal, "pronoun": weights.pronoun}

    def by_kind(first: Expression, second: Expression) -> float:
        best = min(first.kind, second.kind)
        return words[best.name.lower()]

    def by_number(first: Expression, second: Expression) -> float:
        return (3 * int(str(first.id)) + 3 * int(str(second.id))) % 7 / 7

    counted, built = (
        four(weights),
        [metric(by_kind, singleton=weights.singleton) for metric in CLASSES.values()],
    )
    scores = corefine.score(key, response, metrics=[*counted, *built], kinds=kinds)
    for one, other in zip(counted, built, strict=True):
        assert scores[str(one)].precision == pytest.approx(scores[str(other)].precision, abs=1e-9)
        assert scores[str(one)].recall == pytest.approx(scores[str(other)].recall, abs=1e-9)

    chains = Chains(key, response, lambda m, n: (3 * m + 3 * n) % 7 / 7, 0.5)  # type: ignore[operator]
    for metric in [metric(by_number, singleton=0.5) for metric in CLASSES.values()]:
        found = corefine.score(key, response, metrics=metric, kinds=kinds)[str(metric)]
        precision, recall = getattr(chains, metric.name)()
        assert found.precision == pytest.approx(precision, abs=1e-9), metric
        assert found.recall == pytest.approx(recall, abs=1e-9), metric


@given(entity_lists(), entity_lists(), kinds_of_mentions)
def test_lmuc_with_equal_links_and_no_singletons_is_muc(
    key: Entities, response: Entities, kinds: dict[int, str]
) -> None:
    lmuc = "lmuc(name=1,nominal=1,pronoun=1,singleton=0)"
    scores = corefine.score(key, response, metrics=["muc", lmuc], kinds=kinds)
    assert scores["muc"].precision == pytest.approx(scores[lmuc].precision, abs=1e-12)
    assert scores["muc"].recall == pytest.approx(scores[lmuc].recall, abs=1e-12)


@given(linked(), kinds_of_mentions, positive_weights)
def test_a_key_against_itself_is_perfect(
    key: Entities, kinds: dict[int, str], weights: Weights
) -> None:
    scores = corefine.score(key, key, metrics=four(weights), kinds=kinds)
    for name, score in scores.items():
        assert score.precision == pytest.approx(1, abs=1e-12), name
        assert score.recall == pytest.approx(1, abs=1e-12), name


@given(linked(), kinds_of_mentions, any_weights)
def test_chains_of_weight_zero_do_not_lower_a_perfect_response(
    key: Entities, kinds: dict[int, str], weights: Weights
) -> None:
    scores = corefine.score(key, key, metrics=four(weights), kinds=kinds)
    for name, score in scores.items():
        assert score.f1 == pytest.approx(1, abs=1e-12) or score.f1 == 0, name


@given(entity_lists(), entity_lists(), kinds_of_mentions, any_weights)
def test_scores_lie_between_0_and_1(
    key: Entities, response: Entities, kinds: dict[int, str], weights: Weights
) -> None:
    for name, score in corefine.score(key, response, four(weights), kinds=kinds).items():
        assert 0 <= (score.precision or 0) <= 1, name
        assert 0 <= (score.recall or 0) <= 1, name


def test_a_link_to_a_name_is_worth_more_than_one_between_pronouns() -> None:
    key = [["Hillary Clinton", "she#1", "she#2"]]
    found_name = [["Hillary Clinton", "she#1"], ["she#2"]]
    found_pronouns = [["Hillary Clinton"], ["she#1", "she#2"]]
    kinds = {"Hillary Clinton": "name", "she#1": "pronoun", "she#2": "pronoun"}
    first = corefine.score(key, found_name, "all", kinds=kinds)
    second = corefine.score(key, found_pronouns, "all", kinds=kinds)
    for name in ("muc", "b3", "ceafm", "ceafe", "blanc", "lea"):
        assert first[name] == second[name]
    for name in CLASSES:
        assert first[name].f1 > second[name].f1
    assert first["lmuc"].recall == 1 / 2
    assert second["lmuc"].recall == 1 / 4


@given(entity_lists(), entity_lists(), st.sampled_from(["W4", "W5"]))
def test_where_no_kind_is_known_all_weigh_as_pronouns(
    key: Entities, response: Entities, preset: str
) -> None:
    metrics = [f"{name}(weights={preset})" for name in ("lmuc", "lb3", "lceafm", "lceafe")]
    unknown = corefine.score(key, response, metrics, kinds="none")
    pronouns = corefine.score(key, response, metrics, kinds=lambda mention: "pronoun")
    assert unknown.by_name == pronouns.by_name


def test_zeros_and_unknown_mentions_weigh_as_pronouns() -> None:
    key, response = [["a", "b", "c"], ["d", "e"]], [["a", "b"], ["c", "d", "e"]]
    pronouns = corefine.score(key, response, "lmuc,lb3", kinds=dict.fromkeys("abcde", "pronoun"))
    zeros = corefine.score(key, response, "lmuc,lb3", kinds=dict.fromkeys("abcde", "zero"))
    unknown = corefine.score(key, response, "lmuc,lb3", kinds={})
    assert pronouns.by_name == zeros.by_name == unknown.by_name
    assert pronouns.warnings == zeros.warnings == ()
    (warning,) = unknown.warnings
    assert warning.startswith("5 of 5 mentions have no known type")


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("lmuc", "lmuc"),
        ("lmuc(weights=W4)", "lmuc"),
        ("lmuc(weights=w1)", "lmuc(weights=W1)"),
        ("lb3(name=1,nominal=0.75,pronoun=.5,singleton=1)", "lb3"),
        ("lceafe(singleton=0.5,weights=W3)", "lceafe(weights=W2)"),
        ("lceafm(pronoun=0.3)", "lceafm(name=1,nominal=0.75,pronoun=0.3,singleton=1)"),
        ("lmuc(name=0.123456789)", "lmuc(name=0.123456789,nominal=0.75,pronoun=0.5,singleton=1)"),
    ],
)
def test_weights_are_written_one_way(written: str, canonical: str) -> None:
    assert str(parse(written)) == canonical
    assert parse(canonical) == parse(written)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("lmuc(weights=W9)", "weights of lmuc cannot be 'W9'"),
        ("lmuc(name=x)", "name=x is not a number"),
        ("lmuc(name=-1)", "name=-1 is not a number from 0"),
        ("lmuc(pronoun=nan)", "not a number from 0 to"),
        ("lb3(verb=1)", "lb3 has no parameter 'verb'"),
    ],
)
def test_weights_that_make_no_sense_are_refused(written: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse(written)


def _always(weight: object, *_: object) -> object:
    return weight


def test_a_link_weight_must_give_weights() -> None:
    with pytest.raises(UsageError, match=r"the link weight .* returned -1"):
        corefine.score([["a", "b"]], [["a", "b"]], Lmuc(lambda first, second: -1), kinds={})
    for weight in ("x", None, math.nan, 1e308):
        link: Any = partial(_always, weight)
        with pytest.raises(UsageError, match=r"the link weight .* returned (x|None|nan|1e\+308)"):
            corefine.score([["a", "b"]], [["a", "b"]], Lmuc(link), kinds={})
    with pytest.raises(UsageError, match="four weights"):
        Lmuc((1, 2))  # type: ignore[arg-type]
