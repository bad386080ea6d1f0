"""What holds of every registered metric, by its property table."""

from __future__ import annotations

import math
import random
import re
import shlex
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.errors import UsageError
from corefine.metrics import Metric, parse, registered, resolve
from tests.building.partitions import Entities, corpora, entity_lists, group, linked

METRICS = [metric() for metric in registered()]
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_every_metric_is_described(metric: Metric) -> None:
    for name in (str(metric), *metric.aliases):
        assert parse(name) == metric
    assert metric.needs() != (metric,) or metric.statistic_names
    assert type(metric).__doc__
    assert metric.summary
    assert len(re.split(r"(?<=[.?!])\s", metric.use)) == 3
    page = " ".join((ROOT / "docs" / "metrics.md").read_text("utf-8").split())
    assert f"### `{metric.name}`: {metric.title}" in page
    assert " ".join(metric.use.split()) in page
    command, name, *arguments = shlex.split(metric.example)
    assert (command, name) == ("corefine", "score")
    if "--metrics" in arguments:
        asked = resolve(arguments[arguments.index("--metrics") + 1])
        assert type(metric) in {type(found) for found in asked.values()}
    years = set(re.findall(r"year = \{(\d+)\}", "".join(metric.references)))
    assert years & set(re.findall(r"(?:19|20)\d\d", metric.citation))


def test_citations() -> None:
    found = re.findall(r"^@\w+\{(.*),$", corefine.cite("conll,mean(blanc,lea)"), re.MULTILINE)
    assert found[0] == "corefine"
    assert len(found) == len(set(found))
    assert {"vilain-etal-1995-muc", "luo-2005-ceaf", "recasens-hovy-2011-blanc"} <= set(found)
    for entry in corefine.cite("all").split("\n\n"):
        assert entry.count("{") == entry.count("}")


def scored(key: Any, response: Any) -> dict[str, Any]:
    """The scores of all metrics; mentions are numbers, and become spans."""
    key, response = ([[(m, m) for m in entity] for entity in side] for side in (key, response))
    return corefine.score(key, response, METRICS).by_name


@given(key=linked())
def test_a_key_against_itself_is_perfect(key: Entities) -> None:
    scores = scored(key, key)
    for metric in METRICS:
        if metric.properties.identity:
            assert scores[str(metric)].f1 == pytest.approx(1), metric


@given(key=entity_lists(), response=entity_lists(), order=st.randoms(use_true_random=False))
def test_properties_of_any_scores(key: Entities, response: Entities, order: Any) -> None:
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
        if metric.properties.symmetric:
            assert one.f1 == pytest.approx(other.f1, abs=1e-12), metric
            if one.precision is not None:
                assert one.precision == pytest.approx(other.recall, abs=1e-12), metric
                assert one.recall == pytest.approx(other.precision, abs=1e-12), metric
        if not metric.properties.counts_singletons:
            assert singleton[str(metric)] == one, metric


def test_a_correct_singleton_counts_where_the_table_says_so() -> None:
    """Key {0, 1}, response {0, 2}: a third mention, alone on both sides, is a success."""
    before, after = scored([[0, 1]], [[0, 2]]), scored([[0, 1], [9]], [[0, 2], [9]])
    for metric in METRICS:
        if metric.properties.layer == "identity" and metric.properties.counts_singletons:
            assert after[str(metric)].f1 > before[str(metric)].f1, metric


@given(sides=corpora(), cut=st.integers(0, 5))
def test_any_cut_of_a_corpus_gives_the_same_bits(
    sides: tuple[dict[str, Entities], dict[str, Entities]], cut: int
) -> None:
    key, response = sides
    whole = corefine.score(key, response, METRICS)
    first, second = corefine.Evaluator(METRICS), corefine.Evaluator(METRICS)
    for number, document in enumerate(key):
        part = first if number < cut else second
        part.update(key[document], response[document], document)
    merged = second.merge(first).compute()
    assert merged.by_name == whole.by_name
    assert merged.documents == {name: whole.documents[name] for name in merged.documents}


def documents(count: int) -> list[tuple[Entities, Entities]]:
    """Key and response of random documents."""
    chance = random.Random(2011)
    found: list[tuple[Entities, Entities]] = [([], [[1]]), ([[1]], []), ([[1]], [[2]])]
    for _ in range(count):
        sides = []
        for _ in range(2):
            mentions = [mention for mention in range(chance.randint(1, 7)) if chance.random() < 0.8]
            sides.append(group(mentions, [chance.randrange(4) for _ in mentions]))
        found.append((sides[0], sides[1]))
    return found


def test_metrics_equal_brute_force() -> None:
    pairs = {f"d{number:03}": pair for number, pair in enumerate(documents(60))}
    names = ["muc", "b3", "lea", "mentions", "pairs.coreferent", "pairs.non_coreferent"]
    keys, responses = ({name: pair[place] for name, pair in pairs.items()} for place in (0, 1))
    scores = corefine.score(keys, responses, [*names, "ceafm", "ceafe", *map(str, BLANC)])
    recalls: list[Any] = [
        _muc,
        _b3,
        _lea,
        _detected,
        partial(_paired, True),
        partial(_paired, False),
    ]
    for document, (key, response) in pairs.items():
        found = scores.documents[document]
        for name, recall in zip(names, recalls, strict=True):
            numbers = float(recall(response, key)), float(recall(key, response))
            assert (found[name].precision, found[name].recall) == pytest.approx(numbers), name
        best = _best_alignment(key, response, lambda k, r: Fraction(len(k & r)))
        sizes = sum(map(len, response)), sum(map(len, key))
        numbers = _over(best, sizes[0]), _over(best, sizes[1])
        assert (found["ceafm"].precision, found["ceafm"].recall) == pytest.approx(numbers)
        best = _best_alignment(
            key, response, lambda k, r: Fraction(2 * len(k & r), len(k) + len(r))
        )
        numbers = _over(best, len(response)), _over(best, len(key))
        assert (found["ceafe"].precision, found["ceafe"].recall) == pytest.approx(numbers)
        for metric in BLANC:
            expected = pytest.approx(_blanc(key, response, metric.parameters().get("rule")))
            assert tuple(found[str(metric)])[:3] == expected, (document, metric)


BLANC = [parse("blanc"), parse("blanc(rule=luo2014)"), parse("blanc(rule=corefud)")]


def _pairs(entities: Entities, coreferent: bool) -> set[tuple[int, int]]:
    home = {mention: number for number, entity in enumerate(entities) for mention in entity}
    return {
        pair
        for pair in combinations(sorted(home), 2)
        if (home[pair[0]] == home[pair[1]]) == coreferent
    }


def _paired(coreferent: bool, key: Entities, response: Entities) -> Fraction:
    ours, theirs = _pairs(key, coreferent), _pairs(response, coreferent)
    return Fraction(len(ours & theirs), len(ours)) if ours else Fraction(0)


def _blanc(key: Entities, response: Entities, rule: str | None) -> tuple[float, float, float]:
    """Precision, recall and F1: the mean of the halves that count."""
    halves = []
    for coreferent in (True, False):
        recall = _paired(coreferent, key, response)
        precision = _paired(coreferent, response, key)
        f1 = 2 * recall * precision / (recall + precision) if recall else Fraction(0)
        either = _pairs(response, coreferent) if rule else set()
        if _pairs(key, coreferent) or either:
            halves.append((precision, recall, f1))
    ours, theirs = ({mention for entity in side for mention in entity} for side in (key, response))
    if not halves:
        value = float(rule == "luo2014" and ours == theirs)
        return value, value, value
    precision, recall, f1 = (sum(column) / len(halves) for column in zip(*halves, strict=True))
    return float(precision), float(recall), float(f1)


@pytest.mark.parametrize(("key", "response"), [([[1, 2]], [[1]]), ([[1]], [[1, 2]])])
def test_blanc_of_2011_needs_the_same_mentions(key: Entities, response: Entities) -> None:
    with pytest.raises(UsageError):
        corefine.score(key, response, "blanc(rule=recasens2011)")
    same = corefine.score(key, key, "blanc(rule=recasens2011),blanc")
    assert same["blanc(rule=recasens2011)"].f1 == same["blanc"].f1


def _over(part: Fraction, whole: int) -> float:
    return float(part / whole) if whole else 0.0


def _muc(key: Entities, response: Entities) -> Fraction:
    part = whole = 0
    for entity in key:
        holders = {
            next((n for n, r in enumerate(response) if m in r), ("alone", m)) for m in entity
        }
        part += len(entity) - len(holders)
        whole += len(entity) - 1
    return Fraction(part, whole) if whole else Fraction(0)


def _b3(key: Entities, response: Entities) -> Fraction:
    total, count = Fraction(0), 0
    for entity in key:
        for mention in entity:
            count += 1
            found = next((r for r in response if mention in r), [])
            total += Fraction(len(set(entity) & set(found)), len(entity))
    return total / count if count else Fraction(0)


def _links(entity: list[int]) -> set[tuple[int, int]]:
    if len(entity) == 1:
        return {(entity[0], entity[0])}
    return set(combinations(sorted(entity), 2))


def _lea(key: Entities, response: Entities) -> Fraction:
    found = set().union(*map(_links, response)) if response else set()
    total = sum(
        (len(k) * Fraction(len(_links(k) & found), len(_links(k))) for k in key), Fraction(0)
    )
    size = sum(map(len, key))
    return total / size if size else Fraction(0)


def _detected(key: Entities, response: Entities) -> Fraction:
    ours = {mention for entity in key for mention in entity}
    theirs = {mention for entity in response for mention in entity}
    return Fraction(len(ours & theirs), len(ours)) if ours else Fraction(0)


def _best_alignment(key: Entities, response: Entities, similarity: object) -> Fraction:
    ours, theirs = [set(entity) for entity in key], [set(entity) for entity in response]
    short, long = (ours, theirs) if len(ours) <= len(theirs) else (theirs, ours)
    best = Fraction(0)
    for order in permutations(range(len(long)), len(short)):
        total = sum(
            (similarity(short[n], long[m]) for n, m in enumerate(order)),  # type: ignore[operator]
            Fraction(0),
        )
        best = max(best, total)
    assert math.perm(len(long), len(short)) <= 5040
    return best
