"""Breakdowns: brute force, parts that add up, groups by hand, intervals, and what is refused."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corefine
from corefine.corpus.corpus import Corpus
from corefine.errors import FormatError
from corefine.scoring.breakdowns import parse
from tests.building.partitions import Entities, entity_lists
from tests.building.refusals import refused
from tests.building.text_corpora import Spans, make

LENGTH = 60
METRICS = "mentions,muc,b3,ceafm,ceafe,lea,conll"
Mention = tuple[int, int]


@st.composite
def mentions(draw: st.DrawFn) -> Spans:
    starts = draw(st.lists(st.integers(0, LENGTH - 3), max_size=16, unique=True))
    return [(draw(st.integers(0, 5)), start, start + draw(st.integers(0, 2))) for start in starts]


def text(documents: dict[str, Spans]) -> Corpus:
    words = [[f"w{number}" for number in range(LENGTH)]]
    return make({name: (words, spans) for name, spans in documents.items()})


def entities(spans: Spans) -> list[list[Mention]]:
    found: dict[int, list[Mention]] = defaultdict(list)
    for entity, first, last in spans:
        found[entity].append((first, last))
    return [sorted(entity) for entity in found.values()]


def size_group(entity: list[Mention], mention: Mention) -> str:
    return "singleton" if len(entity) == 1 else "short" if len(entity) < 5 else "long"


def spread_group(entity: list[Mention], mention: Mention) -> str:
    spread = max(first for first, _ in entity) - min(first for first, _ in entity)
    return "0-9" if spread < 10 else "10-29" if spread < 30 else "30+"


def distance_group(entity: list[Mention], mention: Mention) -> str:
    place = entity.index(mention)
    if place == 0:
        return "first"
    distance = mention[0] - entity[place - 1][0]
    return "0-4" if distance < 5 else "5-19" if distance < 20 else "20+"


GROUPS = {"size": size_group, "spread(10,30)": spread_group, "distance(5,20)": distance_group}


def brute_recall(key: list[list[Mention]], response: list[list[Mention]], group: Any) -> Any:
    """By group: what B³, mention detection, MUC and LEA count for recall, mention by mention."""
    owner = {mention: entity for entity in response for mention in entity}
    counts: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for entity in key:
        links = max(len(entity) * (len(entity) - 1) / 2, 1)
        met: list[Any] = []
        for place, mention in enumerate(entity):
            here = counts[group(entity, mention)]
            other = owner.get(mention)
            together = [one for one in entity if other is not None and one in other]
            here["mentions"][0] += other is not None
            here["mentions"][1] += 1
            here["b3"][0] += len(together) / len(entity)
            here["b3"][1] += 1
            own = (len(together) - 1) / 2 if together else 0
            if len(entity) == 1 and other is not None and len(other) == 1:
                own = 1
            here["lea"][0] += len(entity) * own / links
            here["lea"][1] += 1
            if place:
                here["muc"][0] += any(other is one for one in met if one is not None)
                here["muc"][1] += 1
            met.append(other)
    return counts


@pytest.mark.parametrize("by", GROUPS)
@given(mentions(), mentions(), mentions(), mentions())
def test_brute_force_agrees(by, one, two, three, four):
    key, response = {"a": one, "b": two}, {"a": three, "b": four}
    scores = corefine.score(text(key), text(response), METRICS, by=by)
    (breakdown,) = scores.breakdowns
    for side, ours, theirs in (("recall", key, response), ("precision", response, key)):
        for number, name in enumerate(key):
            expected = brute_recall(entities(ours[name]), entities(theirs[name]), GROUPS[by])
            for group in {*breakdown.parts, *expected}:
                for metric in ("mentions", "b3", "lea", "muc"):
                    part, whole = expected[group][metric]
                    found = [
                        breakdown.column(group, metric, f"{side}_{what}")[number]
                        for what in ("part", "whole")
                    ]
                    assert found == pytest.approx([part, whole], abs=1e-9), (group, metric)


KINDS = ("name", "nominal", "pronoun", "zero", "unknown")
DIVIDED = f"{METRICS},lea(importance=uniform),lb3,parent,pairs"
OF_PAIRS = {"parent", "pairs.coreferent", "pairs.non_coreferent"}
UNDIVIDED = {
    "size": OF_PAIRS,
    "spread": OF_PAIRS,
    "distance": {"ceafe", *OF_PAIRS},
    "kind": {"ceafe"},
    "genre": set(),
}


@pytest.mark.parametrize(
    ("twinless", "window"),
    [
        ("none", None),
        pytest.param("cai-strube", 13, marks=pytest.mark.slow),
        pytest.param("add-to-key", 13, marks=pytest.mark.slow),
    ],
)
@given(mentions(), mentions(), mentions(), mentions())
def test_the_parts_add_up(window, twinless, one, two, three, four):
    scores = corefine.score(
        text({"x/a": one, "y/b": two}),
        text({"x/a": three, "y/b": four}),
        DIVIDED,
        by="size(2,3),spread(5),distance(2,30),genre,kind",
        twinless=twinless,
        window=window,
        kinds=lambda expression: KINDS[len(expression.text) % 5],
    )
    assert [breakdown.division.name for breakdown in scores.breakdowns] == [
        "size", "spread", "distance", "genre", "kind",
    ]  # fmt: skip
    for breakdown in scores.breakdowns:
        for metric, whole in scores.counts.values.items():
            if metric in UNDIVIDED[breakdown.division.name]:
                assert all(metric not in part for part in breakdown.parts.values())
                continue
            for name, column in whole.items():
                summed = sum(
                    (breakdown.column(group, metric, name) for group in breakdown.parts),
                    np.zeros(len(column)),
                )
                assert summed == pytest.approx(column, abs=1e-9), (breakdown.by, metric, name)


@given(st.lists(st.lists(st.integers(0, 3), min_size=8, max_size=8), min_size=2, max_size=2))
def test_groups_do_not_depend_on_the_order_of_entities(labels):
    """Of several equally good alignments of CEAF one is chosen by the text."""
    key, response = (
        [[place for place, one in enumerate(side) if one == label] for label in set(side)]
        for side in labels
    )
    turned = [[entity[::-1] for entity in side[::-1]] for side in (key, response)]
    first, second = (
        corefine.score(ours, theirs, "ceafm,ceafe,conll", by="size").breakdown["size"]
        for ours, theirs in ((key, response), turned)
    )
    assert first == second


def typed(side: Entities, types: list[int]) -> Corpus:
    corpus = Corpus.from_entities(side)
    column = np.array([types[mention] for entity in side for mention in entity], np.int64)
    return replace(
        corpus, types=("person", "place"), mentions=replace(corpus.mentions, type=column)
    )


@settings(max_examples=5)
@given(entity_lists(), entity_lists(), st.lists(st.integers(-1, 1), min_size=12, max_size=12))
def test_a_type_is_scored_on_its_own(key, response, types):
    types[0] = 0
    if not any(0 in entity for entity in key):
        key = [*key, [0]]
    sides = typed(key, types), typed(response, types)
    asked: dict[str, Any] = {"metrics": "all", "kinds": {m: KINDS[m % 5] for m in range(12)}}
    found = corefine.score(*sides, by="type", **asked).breakdown["type"]
    for number, group in {0: "person", 1: "place", -1: "untyped"}.items():
        ours, theirs = (
            [[m for m in entity if types[m] == number] for entity in side]
            for side in (key, response)
        )
        if any(ours) or any(theirs):
            assert found[group] == corefine.score(ours, theirs, **asked).by_name
        else:
            assert group not in found


def test_kinds_by_hand():
    """Rome, it | Anna, she, her: the response joins Anna with she, and her with Rome."""
    key = [["Rome", "it"], ["Anna", "she", "her"]]
    response = [["Anna", "she"], ["Rome", "her"], ["it"]]
    kinds = {"Anna": "name", "Rome": "name"} | dict.fromkeys(("she", "her", "it"), "pronoun")
    scores = corefine.score(key, response, "muc,b3,ceafe,lea,parent", kinds=kinds, by="kind")
    by = scores.breakdown["kind"]
    # Three pronouns stand behind another mention of their entity, one of them is joined to it.
    assert by["pronoun"]["muc"].recall == 1 / 3
    # In the response the two pronouns that follow another mention are joined, one rightly.
    assert by["pronoun"]["muc"].precision == 1 / 2
    assert "muc" not in by["name"]
    assert by["name"]["b3"].recall == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert by["pronoun"]["b3"].recall == pytest.approx((2 / 3 + 1 / 3 + 1 / 2) / 3)
    # Anna is joined with one of two, Rome with none.
    assert by["name"]["lea"].recall == pytest.approx((1 / 2 + 0) / 2)
    assert by["pronoun"]["parent"] == scores["parent"]
    # Entities are aligned as a whole, so CEAFe has no kinds; a warning says so.
    assert "ceafe" not in by["pronoun"]
    assert "ceafe" in scores.warnings[-1]
    # φ4 of {Anna she} and {Anna she her} is 4/5, that of {it} and {Rome it} 2/3.
    by = corefine.score(key, response, "ceafe,conll", by="size").breakdown["size"]
    assert by["short"]["ceafe"].recall == pytest.approx((4 / 5 + 2 / 3) / 2)
    assert by["singleton"]["ceafe"].precision == pytest.approx(2 / 3)
    assert "conll" in by["short"]


def test_a_genre_is_scored_on_its_own(tmp_path):
    first, second = [(0, 1, 1), (0, 5, 5), (1, 7, 8)], [(0, 1, 1), (0, 3, 3), (0, 4, 4)]
    key = {"nw/1": first, "bc/1": second, "nw-2": second}
    response = {"nw/1": second, "bc/1": second, "nw-2": first}
    sides = text(key), text(response)
    scores = corefine.score(*sides, "all", by="genre", kinds="none")
    of_nw = [text({n: side[n] for n in ("nw/1", "nw-2")}) for side in (key, response)]
    alone = corefine.score(of_nw[0], of_nw[1], "all", kinds="none")
    assert scores.breakdown["genre"]["nw"] == alone.by_name
    assert list(scores.breakdown["genre"]) == ["bc", "nw"]
    assert "|genre:nw|" in str(scores.breakdown["genre"]["nw"]["lea"].signature)
    file = tmp_path / "genres.tsv"
    file.write_text("document\tyear\tgenre\nnw/1\t1999\tnews\nbc/1\t2000\ttalk\nnw-2\t2001\tnews\n")
    for genres in (str(file), {"nw/1": "news", "bc/1": "talk", "nw-2": "news"}):
        named = corefine.score(*sides, "lea", by="genre", genres=genres)
        assert named.breakdown["genre"]["news"]["lea"] == alone["lea"]
    matching = corefine.score(*sides, "lea", by="genre", genres="[a-z]+(?=.1)")
    assert list(matching.breakdown["genre"]) == ["bc", "nw", "(none)"]
    for found, own in ((scores, False), (matching, True)):
        signature = str(found.breakdown["genre"]["nw"]["lea"].signature)
        assert ("|genres:[a-z]+(?=.1)" in signature) == own


@pytest.mark.parametrize(("metrics", "shown"), [("pairs.coreferent", 1), ("lea", 2)])
def test_links_are_divided_where_no_metric_can_be(metrics, shown):
    """Pairs of both sorts stand in for metrics that are not defined for single links."""
    found = corefine.score([["a", "b"]], [["a", "b"]], metrics, by="overlap").breakdown["overlap"]
    names = ["pairs.coreferent", "pairs.non_coreferent"]
    assert list(next(iter(found.values()))) == names[:shown]


def test_groups_of_documents_of_a_saved_result(tmp_path):
    key = {f"{genre}/{n}": [["a", "b"], ["c", "d"]] for genre in ("bc", "nw") for n in range(3)}
    response = {name: [["a", "b"], ["c"]] if name[0] == "b" else [["a", "d"]] for name in key}
    path = tmp_path / "saved.json"
    corefine.score(key, response).save(path)
    saved = corefine.load_scores(path)
    for genres in (None, {name: name[-1] for name in key}):
        expected = corefine.score(key, response, by="genre", genres=genres)
        assert saved.broken_down("genre", genres).breakdown == expected.breakdown
    for by in ("size", "length"):
        with refused("usage"):
            saved.broken_down(by)


def test_entities_of_several_documents_have_no_spread(tmp_path):
    lines = []
    for name, own in (("x", "(2)"), ("y", "(3)")):
        lines += [f"#begin document ({name}); part 000"]
        cells = ["(1)", "-", "(1)", own]
        lines += [f"{name} 0 {n} w - - - - - - - {cell}" for n, cell in enumerate(cells)]
        lines += ["", "#end document"]
    file = tmp_path / "key.conll"
    file.write_text("\n".join(lines) + "\n")
    by = corefine.score(file, file, "mentions,muc", scope="corpus", by="spread,distance").breakdown
    assert by["spread"]["several documents"]["mentions"].f1 == 1
    # The first mention in y is joined to what stands in x.
    assert by["distance"]["first"]["muc"].f1 == 1


@pytest.mark.parametrize(
    "options",
    [
        {"by": "colour"},
        {"by": "size,size(2,9)"},
        {"by": "type"},
        {"by": "distance"},
        {"by": "spread"},
        {"by": "genre"},
        {"by": "genre", "genres": "("},
        {"genres": "a"},
        {"by": "genre", "genres": {"b": "x"}},
        {"by": "genre", "genres": "a", "scope": "corpus"},
    ],
    ids=str,
)
def test_breakdowns_that_are_refused(options):
    with refused("usage"):
        corefine.score({"a": [["x", "y"]]}, {"a": [["x", "y"]]}, "b3", **options)
    if "genres" not in options and options["by"] in ("distance", "spread"):
        with refused("usage"):
            corefine.Evaluator("b3", **options).update([["a", "b"]], [["a", "b"]])


@pytest.mark.parametrize("content", ["a\n", "", "a,x\na,y\n"])
def test_files_of_genres_that_are_refused(tmp_path, content):
    file = tmp_path / "genres.csv"
    file.write_text(content)
    with pytest.raises(FormatError) as caught:
        corefine.score({"a": [["x"]]}, {"a": [["x"]]}, by="genre", genres=str(file))
    assert caught.value.where is not None
    assert caught.value.where.source == str(file)


def test_names_parse_and_print_back():
    for written in ("size", "size(2,10)", "size(3)", "spread(7)", "distance(1,2,3)", "kind"):
        assert str(parse(written)) == written
    assert str(parse(" size( 2, 5 )")) == "size"
    for wrong in ("size(5,2)", "size(1)", "size(2,2)", "distance(x)", "kind(3)", "size("):
        with refused("usage"):
            parse(wrong)


def test_intervals_of_a_genre_come_from_its_documents():
    """Three documents of one genre among many others: no sample is without any of them, and the
    interval is that of the genre scored alone. A genre of one document has none."""
    key = {f"aa_{n}": [[1, 2, 3], [4, 5 + n]] for n in range(3)}
    key |= {f"bb_{n}": [[1, 2, 3], [4, 5 + n]] for n in range(12)} | {"cc_0": [[1, 2]]}
    response = {name: [one[0][:2], *one[2:]] for name, one in key.items()} | {"aa_1": key["aa_1"]}
    found, expected = (
        corefine.score(
            side, {name: response[name] for name in side}, "b3", by="genre"
        ).part_intervals(replicates=300)["genre"]
        for side in (key, {name: one for name, one in key.items() if name.startswith("aa")})
    )
    assert found["aa"] == expected["aa"]
    assert found["aa"]["b3"][0] > 0.3
    assert "cc" not in found


def test_intervals_do_not_depend_on_other_systems():
    """Only the other system has singletons in some documents, where it is not counted."""
    key = {f"d{n}": [[1, 2, 3, 4], *([[5]] if n < 3 else [])] for n in range(8)}
    one = {name: [[1, 2], [3, 4], *entities[1:]] for name, entities in key.items()} | {"d1": []}
    two = {name: [[1, 2, 3], [4]] for name in key}
    compared = corefine.compare(
        key, {"one": one, "two": two}, "b3", by="size", replicates=100, trials=9
    )
    found = corefine.score(key, one, "b3", by="size").part_intervals(replicates=100)["size"]
    for part in compared.parts:
        if part.system == "one":
            assert part.interval == found[part.group]["b3"]
    (grid,) = corefine.score([[1, 2]], [[1]], "b3", by="size").tables("by-size", intervals=True)
    assert grid.rows[0][-2:] == (None, None)
