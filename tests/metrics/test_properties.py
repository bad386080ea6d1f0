"""What holds of every registered metric, by its property table."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.metrics import parse, registered, resolve
from corefine.metrics.registry import title_of
from tests.building.partitions import corpora, entity_lists, linked
from tests.building.refusals import refused

METRICS = [metric() for metric in registered()]
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_every_metric_is_described(metric):
    for name in (str(metric), *metric.aliases):
        assert parse(name) == metric
    parameters = str(metric).removeprefix(metric.name)
    assert title_of(metric.name) == f"{metric.title} {parameters}".strip()
    assert metric.needs() != (metric,) or metric.statistic_names
    assert type(metric).__doc__
    assert metric.summary
    assert len(re.split(r"(?<=[.?!])\s", metric.use)) == 3
    assert f"| {metric.title} | {metric.use} |" in (ROOT / "docs" / "metrics.md").read_text("utf-8")
    command, name, *arguments = shlex.split(metric.example)
    assert (command, name) == ("corefine", "score")
    if "--metrics" in arguments:
        asked = resolve(arguments[arguments.index("--metrics") + 1])
        assert type(metric) in {type(found) for found in asked.values()}
    entries = corefine.cite(metric).removeprefix(corefine.cite())
    years = set(re.findall(r"year = \{(\d+)\}", entries))
    assert years & set(re.findall(r"(?:19|20)\d\d", metric.citation))


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_every_parameter_is_listed_with_its_values(metric):
    """Those that can be written in a name; words are accepted, the first one is the default."""
    listed = (*metric.examples, *metric.choices)
    described = metric.describe_parameters()
    assert listed or metric.takes_metrics or described == "no parameters"
    assert all(f"{name}={values[0]} (default)" in described for name, values in listed)
    assert {name for name, _ in listed} == {*metric.parameter_names()} - {"weight"}
    for name, values in listed:
        for value in values:
            if re.fullmatch(r"\S+", value):
                found = parse(f"{metric.name}({name}={value})")
                assert (found == metric) == (value == values[0])


def test_citations():
    found = re.findall(r"^@\w+\{(.*),$", corefine.cite("conll,mean(blanc,lea)"), re.MULTILINE)
    assert found[0] == "corefine"
    assert len(found) == len(set(found))
    assert {"vilain-etal-1995-muc", "luo-2005-ceaf", "recasens-hovy-2011-blanc"} <= set(found)
    for entry in corefine.cite("all").split("\n\n"):
        assert entry.count("{") == entry.count("}")


@given(key=entity_lists(), response=entity_lists(minimum=1))
def test_counts_of_a_table_give_the_scores_of_its_mentions(key, response):
    """The columns that a query yields: entities of both sides, None for none, and a count."""
    ours, theirs = (
        {mention: number for number, entity in enumerate(side) for mention in entity}
        for side in (key, response)
    )
    counts = Counter((ours.get(one), theirs.get(one)) for one in {**ours, **theirs})
    first, second = zip(*counts, strict=True)
    table = corefine.Table.from_counts(first, second, [*counts.values()])
    assert corefine.score_table(table).by_name == corefine.score(key, response).by_name


def scored(key: Any, response: Any) -> dict[str, Any]:
    """The scores of all metrics; mentions are numbers, and become spans."""
    key, response = ([[(m, m + 1) for m in entity] for entity in side] for side in (key, response))
    return corefine.score(key, response, METRICS).by_name


@given(key=linked())
def test_a_key_against_itself_is_perfect(key):
    scores = scored(key, key)
    for metric in METRICS:
        if metric.perfect_is_one:
            assert scores[str(metric)].f1 == pytest.approx(1), metric


@given(key=entity_lists(), response=entity_lists(), order=st.randoms(use_true_random=False))
def test_properties_of_any_scores(key, response, order):
    """The range, the order of entities and mentions, swapped sides, and one more singleton."""
    scores, swapped = scored(key, response), scored(response, key)
    singleton = scored([*key, [99]], [*response, [99]])
    for side in (key, response):
        order.shuffle(side)
        for entity in side:
            order.shuffle(entity)
    shuffled = scored(key, response)
    for metric in METRICS:
        one, other = scores[str(metric)], swapped[str(metric)]
        for value in (one.precision, one.recall, one.f1):
            assert value is None or -1e-12 <= value <= 1 + 1e-12, metric
        assert shuffled[str(metric)].f1 == pytest.approx(one.f1, abs=1e-12), metric
        if metric.symmetric:
            assert one.f1 == pytest.approx(other.f1, abs=1e-12), metric
            if one.precision is not None:
                assert one.precision == pytest.approx(other.recall, abs=1e-12), metric
                assert one.recall == pytest.approx(other.precision, abs=1e-12), metric
        if not metric.counts_singletons:
            assert singleton[str(metric)] == one, metric


def test_a_correct_singleton_counts_where_the_table_says_so():
    """Key {0, 1}, response {0, 2}: a third mention, alone on both sides, is a success."""
    before, after = scored([[0, 1]], [[0, 2]]), scored([[0, 1], [9]], [[0, 2], [9]])
    for metric in METRICS:
        if metric.layer == "identity" and metric.counts_singletons:
            assert after[str(metric)].f1 > before[str(metric)].f1, metric


@given(sides=corpora(), cut=st.integers(0, 5))
def test_any_cut_of_a_corpus_gives_the_same_bits(sides, cut):
    key, response = sides
    whole = corefine.score(key, response, METRICS)
    first, second = corefine.Evaluator(METRICS), corefine.Evaluator(METRICS)
    for number, document in enumerate(key):
        part = first if number < cut else second
        part.update(key[document], response[document], document)
    merged = second.merge(first).compute()
    assert merged.by_name == whole.by_name
    assert merged.documents == {name: whole.documents[name] for name in merged.documents}


def test_rules_of_blanc():
    """Without links corefud-scorer gives 0, whatever the mentions; in 2011 they had to be equal."""
    for key, response, luo in (([], [], 1), ([["a"]], [["a"]], 1), ([["a"]], [["b"]], 0)):
        scores = corefine.score(key, response, "blanc(rule=corefud),blanc(rule=luo2014)")
        assert [score.f1 for score in scores.values()] == [0, luo]
    # Where one half has links, these are enough: here only the response has N links.
    scores = corefine.score([["a", "b"]], [["a", "b"], ["c"]], "blanc(rule=corefud),blanc")
    assert scores["blanc(rule=corefud)"].precision == pytest.approx((1 + 0) / 2)
    assert scores["blanc(rule=corefud)"].f1 == pytest.approx(1 / 2)
    assert scores["blanc"].f1 == 1
    same = corefine.score([["a", "b"]], [["a"], ["b"]], "blanc(rule=recasens2011),blanc")
    assert same["blanc(rule=recasens2011)"] == same["blanc"]
    for sides in (([["a", "b"]], [["a"]]), ([["a"]], [["a", "b"]])):
        with refused("usage"):
            corefine.score(*sides, "blanc(rule=recasens2011)")
