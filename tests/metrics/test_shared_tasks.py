"""Mention overlap, anaphors, ARCS and averages: brute force, and small cases worked by hand."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.errors import UsageError
from corefine.metrics import parse, resolve
from corefine.scoring.drivers.dask import refuse_unsupported
from corefine.scoring.request import Request

Span = tuple[int, int]
KINDS = ("name", "nominal", "pronoun")


@st.composite
def spans(draw: st.DrawFn, most: int = 5) -> list[list[Span]]:
    """Entities of a short text; no span twice."""
    starts = st.tuples(st.integers(0, 7), st.integers(0, 3)).map(lambda s: (s[0], s[0] + s[1]))
    found = draw(st.lists(starts, unique=True, max_size=most))
    numbers = draw(st.lists(st.integers(0, 2), min_size=len(found), max_size=len(found)))
    entities = [[s for s, n in zip(found, numbers, strict=True) if n == e] for e in range(3)]
    return [entity for entity in entities if entity]


def ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def words(span: Span) -> set[int]:
    return set(range(span[0], span[1] + 1))


@given(key=spans(), response=spans())
def test_mention_overlap_is_the_best_of_all_pairings(key: Any, response: Any) -> None:
    ours = [words(span) for entity in key for span in entity]
    theirs = [words(span) for entity in response for span in entity]
    short, long = sorted((ours, theirs), key=len)
    best = max(
        sum(len(a & b) for a, b in zip(short, chosen, strict=True))
        for chosen in permutations(long, len(short))
    )
    score = corefine.score(key, response, "mor")["mor"]
    assert score.recall == pytest.approx(ratio(best, sum(map(len, ours))))
    assert score.precision == pytest.approx(ratio(best, sum(map(len, theirs))))


def test_mention_overlap_does_not_depend_on_the_matching_of_words() -> None:
    # k = 5 words, r = 3 of them: 3 + 1 of 6 words, though only one mention is matched.
    score = corefine.score([[(0, 4), (6, 6)]], [[(1, 3), (6, 6)]], "mor")["mor"]
    assert score.recall == pytest.approx(4 / 6)
    assert score.precision == 1


def counterpart(span: Span, entities: list[list[Span]]) -> int | None:
    return next((n for n, entity in enumerate(entities) if span in entity), None)


def linked(key: Any, response: Any, of_kind: Any) -> tuple[float, float]:
    """P and R of anaphors, word by word from the definition."""
    key, response = ([sorted(entity) for entity in side] for side in (key, response))
    tp = wl = fn = fp = 0
    judged = set()
    for entity in key:
        earlier: set[int | None] = set()
        for number, span in enumerate(entity):
            home = counterpart(span, response)
            if number and of_kind(span):
                judged.add(span)
                if home is None or response[home][0] == span:
                    fn += 1
                elif home in earlier:
                    tp += 1
                else:
                    wl += 1
            earlier.add(home)
    for entity in response:
        fp += sum(span not in judged and of_kind(span) for span in entity[1:])
    return ratio(tp, tp + wl + fp), ratio(tp, tp + wl + fn)


@given(key=spans(8), response=spans(8), seed=st.integers(0, 5))
def test_anaphors_equal_brute_force(key: Any, response: Any, seed: int) -> None:
    every = {span for side in (key, response) for entity in side for span in entity}
    kinds = {span: KINDS[(sum(span) + seed) % 3] for span in every}
    names = ["anaphors", *(f"anaphors(kind={kind})" for kind in KINDS)]
    scores = corefine.score(key, response, names, kinds=kinds or "none", by="kind")
    for kind, name in zip((None, *KINDS), names, strict=True):
        expected = linked(key, response, lambda s, k=kind: k is None or kinds[s] == k)
        assert (scores[name].precision, scores[name].recall) == pytest.approx(expected), name
    by_kind = scores.breakdown["kind"]
    for kind in KINDS:
        whole = scores[f"anaphors(kind={kind})"]
        if kind in by_kind and "anaphors" in by_kind[kind]:
            assert by_kind[kind]["anaphors"] == whole


def arcs(key: Any, response: Any, kinds: Any) -> dict[str, tuple[float, float]]:
    """P and R of ARCS, chain by chain from the definition."""
    key, response = (
        [sorted(entity) for entity in side if len(entity) > 1] for side in (key, response)
    )

    def nominal(span: Span) -> bool:
        return span[1] > span[0] or kinds[span] != "pronoun"

    def before(span: Span, chain: list[Span]) -> list[Span]:
        return [other for other in chain[: chain.index(span)] if nominal(other)]

    found = {"immediate": [0, 0, 0, 0], "inferred": [0, 0, 0, 0]}
    for chain in key:
        if not any(map(nominal, chain)):
            continue
        for number, span in enumerate(chain):
            if number == 0 or (not nominal(span) and not before(span, chain)):
                continue
            home = counterpart(span, response)
            if home is None or response[home][0] == span:
                for counts in found.values():
                    counts[2] += 1
                continue
            other = response[home]
            same = other[other.index(span) - 1] == chain[number - 1]
            found["immediate"][0 if same else 1] += 1
            told = before(span, other)
            if told:
                found["inferred"][0 if told[-1] in chain else 1] += 1
            elif before(span, chain):
                found["inferred"][2] += 1
    for chain in response:
        for span in chain[1:]:
            home = counterpart(span, key)
            found["immediate"][3] += home is None or key[home][0] == span
            if any(map(nominal, chain)):
                lacks = home is not None and not before(span, key[home])
                found["inferred"][3] += home is None or (lacks and bool(before(span, chain)))
    return {
        mode: (ratio(tp, tp + wl + fp), ratio(tp, tp + wl + fn))
        for mode, (tp, wl, fn, fp) in found.items()
    }


def anchored(key: Any, response: Any, kinds: Any) -> float:
    """The score of ARCS by anchors, chain by chain from the definition."""
    key, response = (
        sorted(sorted(entity) for entity in side if len(entity) > 1) for side in (key, response)
    )
    entities, mentions = [0, 0, 0], [0, 0, 0]
    for chain in key:
        nominal = [one for one in chain if one[1] > one[0] or kinds[one] != "pronoun"]
        if not nominal:
            # Skipped, with the first response entity that it shares a mention with.
            home = next((one for one in response if set(one) & set(chain)), None)
        else:
            home = next((one for one in response if nominal[0] in one), None)
            entities[0 if home else 1] += 1
        if home and nominal:
            both = len(set(chain) & set(home))
            for place, number in enumerate((both, len(chain) - both, len(home) - both)):
                mentions[place] += number
        response = [one for one in response if one is not home]
    entities[2] = len(response)
    halves = []
    for tp, fn, fp in (entities, mentions):
        halves.append(ratio(2 * tp, 2 * tp + fn + fp))
    return ratio(2 * halves[0] * halves[1], sum(halves))


@given(key=spans(8), response=spans(8), seed=st.integers(0, 5))
def test_anchors_equal_brute_force(key: Any, response: Any, seed: int) -> None:
    every = {span for side in (key, response) for entity in side for span in entity}
    kinds = {span: KINDS[(sum(span) + seed) % 3] for span in every}
    scores = corefine.score(key, response, "arcs(mode=anchor)", kinds=kinds or "none")
    expected = anchored(key, response, kinds)
    assert scores["arcs(mode=anchor)"].f1 == pytest.approx(expected)


@given(key=spans(8), response=spans(8), seed=st.integers(0, 5))
def test_arcs_equals_brute_force(key: Any, response: Any, seed: int) -> None:
    every = {span for side in (key, response) for entity in side for span in entity}
    kinds = {span: KINDS[(sum(span) + seed) % 3] for span in every}
    scores = corefine.score(key, response, "arcs,arcs(mode=inferred)", kinds=kinds or "none")
    expected = arcs(key, response, kinds)
    for name, mode in (("arcs", "immediate"), ("arcs(mode=inferred)", "inferred")):
        assert (scores[name].precision, scores[name].recall) == pytest.approx(expected[mode])


def test_anchors_take_response_entities_in_the_order_of_the_text() -> None:
    kinds = {(n, n): "name" for n in range(4)} | {(n, n): "pronoun" for n in range(4, 9)}
    key = [[(0, 0), (4, 4), (5, 5)], [(1, 1), (6, 6)], [(7, 7), (8, 8)]]
    response = [[(0, 0), (1, 1), (4, 4)], [(2, 2), (6, 6)], [(7, 7), (8, 8)]]
    score = corefine.score(key, response, "arcs(mode=anchor)", kinds=kinds)["arcs(mode=anchor)"]
    # Entities: the first anchor is found, the second's entity is taken (fn), (2, 6) is left (fp);
    # the pronouns take each other and do not count. Mentions of the pair: 2 tp, 1 fn, 1 fp.
    entities, mentions = 1 / 2, 2 / 3
    assert score.f1 == pytest.approx(2 * entities * mentions / (entities + mentions))
    assert score.precision is None
    same = corefine.score(key, key, "arcs(mode=anchor)", kinds=kinds)
    assert same["arcs(mode=anchor)"].f1 == 1


def test_zero_is_a_name_for_anaphors_of_that_kind() -> None:
    assert parse("zero") == parse("anaphors(kind=zero)")
    assert str(parse("ZERO")) == "anaphors(kind=zero)"
    with pytest.raises(UsageError, match="takes no parameters"):
        parse("zero(kind=name)")
    with pytest.raises(UsageError, match="the kind of anaphors"):
        parse("anaphors(kind=verb)")
    with pytest.raises(UsageError, match="mode"):
        parse("arcs(mode=far)")


def test_means_of_metrics_nest_and_print_back() -> None:
    metric = parse("mean( conll, lea(importance=uniform), mean(muc,b3) )")
    assert str(metric) == "mean(conll,lea(importance=uniform),mean(muc,b3))"
    assert parse(str(metric)) == metric
    assert list(resolve("muc,mean(b3,blanc(rule=luo2014)),lea")) == [
        "muc",
        "mean(b3,blanc(rule=luo2014))",
        "lea",
    ]
    for wrong in ("mean()", "mean(muc,muc)", "mean(muc", "mean(muc))", "mean(nothing)"):
        with pytest.raises(UsageError):
            parse(wrong)


def test_means_are_those_of_their_parts_in_scores_and_in_comparisons() -> None:
    key = {"a": [[1, 2, 3], [4, 5]], "b": [[1, 2], [3, 4]]}
    one = {"a": [[1, 2], [3, 4, 5]], "b": [[1, 2, 3, 4]]}
    two = {"a": [[1, 2, 3, 4, 5]], "b": [[1, 2], [3, 4]]}
    names = "conll,lea,mean(conll,lea),mean(muc,b3,ceafm,ceafe,blanc),ceafm,blanc,muc,b3,ceafe"
    scores = corefine.score(key, one, names)
    assert scores["mean(conll,lea)"].f1 == pytest.approx(
        (scores["conll"].f1 + scores["lea"].f1) / 2
    )
    five = [scores[name].f1 for name in ("muc", "b3", "ceafm", "ceafe", "blanc")]
    assert scores["mean(muc,b3,ceafm,ceafe,blanc)"].f1 == pytest.approx(sum(five) / 5)
    compared = corefine.compare(key, one, two, metrics="mean(conll,lea)", trials=50)
    standing = compared.standing(compared.systems[0], "mean(conll,lea)")
    assert standing.score.f1 == scores["mean(conll,lea)"].f1
    assert compared.panel.scores()[0, 0, 2] == pytest.approx(standing.score.f1)


@pytest.mark.parametrize("name", ["mor", "anaphors", "zero", "arcs"])
def test_cells_of_entities_cannot_tell_them(name: str) -> None:
    with pytest.raises(UsageError, match="the dask engine cannot"):
        refuse_unsupported(Request.of(name, scope="corpus"))


def test_mention_overlap_where_one_side_is_empty() -> None:
    # Of one document nothing is found, in the other 3 of 4 words: whole, and document by document.
    key = {"a": [[(0, 2), (5, 5)]], "b": [[(0, 1), (3, 4)]]}
    response = {"a": [[(0, 1), (5, 5)]], "b": []}
    whole = corefine.score(key, response, "mor")["mor"]
    assert (whole.recall, whole.precision) == (3 / 8, 1)
    judge = corefine.Evaluator("mor")
    for name in key:
        judge.update(key[name], response[name], document=name)
        judge.counts()  # counts what waits, so that each document is counted alone
    assert judge.compute()["mor"] == whole
    assert corefine.score(response, key, "mor")["mor"].precision == 3 / 8
    assert corefine.score({"b": key["b"]}, {"b": []}, "mor")["mor"].f1 == 0
    assert corefine.score([], [], "mor")["mor"].f1 == 0


@pytest.mark.parametrize("span", [(3, 1), (0, 10**12)])
def test_mention_overlap_refuses_what_is_no_span(span: Span) -> None:
    for key, response in (([[span, (5, 5)]], [[(5, 5)]]), ([[(5, 5)]], [[span, (5, 5)]])):
        with pytest.raises(UsageError):
            corefine.score(key, response, "mor")
        assert corefine.score(key, response, "muc")["muc"].f1 == 0


def test_the_metrics_of_shared_tasks_go_through_every_analysis() -> None:
    names = "mor,zero,anaphors(kind=pronoun),arcs,arcs(mode=anchor),mean(muc,mor)"
    key = {name: [[(0, 1), (3, 3), (6, 6)], [(2, 2), (5, 5)]] for name in "ab"}
    response = {name: [[(0, 1), (3, 3)], [(2, 2), (5, 5), (6, 6)]] for name in "ab"}
    kinds = dict.fromkeys(((3, 3), (5, 5), (6, 6)), "pronoun") | {(0, 1): "name", (2, 2): "name"}
    options: dict[str, Any] = {"metrics": names, "kinds": kinds}
    scores = corefine.score(key, response, **options)
    compared = corefine.compare(key, {"x": response, "y": key}, trials=50, replicates=50, **options)
    assert compared.scores["x"] == scores
    explained = corefine.explain(key, response, **options)
    assert explained.scores == scores
    # Correcting everything gives the key, by every metric.
    last = corefine.explain(key, key, **options).scores
    assert last["mor"].f1 == last["arcs"].f1 == last["anaphors(kind=pronoun)"].f1 == 1
    made = corefine.report(key, response, replicates=20, **options)
    assert made.scores["response"] == scores
    assert corefine.audit(key, response, **options).scores == scores
    streamed = corefine.Evaluator(**options)
    for name in key:
        streamed.update(key[name], response[name], document=name)
    assert streamed.compute() == scores
