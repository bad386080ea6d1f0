"""Scores by size, spread, distance and genre: the parts add up, and brute force agrees."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corefine
from corefine.cli import main
from corefine.cli.samples import sample_path
from corefine.corpus.corpus import Corpus
from corefine.errors import FormatError, UsageError
from corefine.scoring.breakdowns import BREAKDOWNS, SUMMARIES, parse
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


GROUPS = {
    "size": size_group,
    "spread(10,30)": spread_group,
    "distance(5,20)": distance_group,
}


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
def test_brute_force_agrees(by: str, one: Spans, two: Spans, three: Spans, four: Spans) -> None:
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


@pytest.mark.parametrize("twinless", ["none", "add-to-key", "cai-strube"])
@pytest.mark.parametrize("window", [None, 13])
@settings(max_examples=40)
@given(mentions(), mentions(), mentions(), mentions())
def test_the_parts_add_up(
    window: int | None, twinless: str, one: Spans, two: Spans, three: Spans, four: Spans
) -> None:
    scores = corefine.score(
        text({"x/a": one, "y/b": two}),
        text({"x/a": three, "y/b": four}),
        METRICS,
        by="size(2,3),spread(5),distance(2,30),genre",
        twinless=twinless,
        window=window,
    )
    ways = [breakdown.division.name for breakdown in scores.breakdowns]
    assert ways == ["size", "spread", "distance", "genre"]
    for breakdown in scores.breakdowns:
        left_out = {"ceafe"} if breakdown.by.startswith("distance") else set()
        for metric, whole in scores.counts.values.items():
            if metric in left_out:
                assert all(metric not in part for part in breakdown.parts.values())
                continue
            for name, column in whole.items():
                summed = sum(
                    (breakdown.column(group, metric, name) for group in breakdown.parts),
                    np.zeros(len(column)),
                )
                assert summed == pytest.approx(column, abs=1e-9), (breakdown.by, metric, name)


def test_ceafe_belongs_to_the_aligned_entities() -> None:
    """{1 2 3} with {1 2}: φ4 is 4/5, of a short entity on both sides; {9} is found, {20} is not."""
    key = text({"a": [(0, 1, 1), (0, 2, 2), (0, 3, 3), (1, 9, 9), (2, 20, 20)]})
    response = text({"a": [(0, 1, 1), (0, 2, 2), (1, 9, 9)]})
    by = corefine.score(key, response, "ceafe,conll", by="size").breakdown["size"]
    assert by["short"]["ceafe"].recall == pytest.approx(4 / 5)
    assert by["singleton"]["ceafe"].recall == pytest.approx(1 / 2)
    assert by["singleton"]["ceafe"].precision == 1
    assert "conll" in by["short"]


def test_a_genre_is_scored_on_its_own(tmp_path: Path) -> None:
    first, second = [(0, 1, 1), (0, 5, 5), (1, 7, 8)], [(0, 1, 1), (0, 3, 3), (0, 4, 4)]
    key = {"nw/1": first, "bc/1": second, "nw-2": second}
    response = {"nw/1": second, "bc/1": second, "nw-2": first}
    scores = corefine.score(text(key), text(response), "all", by="genre", kinds="none")
    nw = [name for name in key if name.startswith("nw")]
    alone = corefine.score(
        text({n: key[n] for n in nw}), text({n: response[n] for n in nw}), "all", kinds="none"
    )
    assert scores.breakdown["genre"]["nw"] == alone.by_name
    assert list(scores.breakdown["genre"]) == ["bc", "nw"]
    assert "|genre:nw|" in str(scores.breakdown["genre"]["nw"]["lea"].signature)
    file = tmp_path / "genres.tsv"
    file.write_text("document\tyear\tgenre\nnw/1\t1999\tnews\nbc/1\t2000\ttalk\nnw-2\t2001\tnews\n")
    for genres in (str(file), {"nw/1": "news", "bc/1": "talk", "nw-2": "news"}):
        told = corefine.score(text(key), text(response), "lea", by="genre", genres=genres)
        assert told.breakdown["genre"]["news"]["lea"] == alone["lea"]
    matched = corefine.score(text(key), text(response), "lea", by="genre", genres="[a-z]+(?=.1)")
    assert list(matched.breakdown["genre"]) == ["bc", "nw", "(none)"]


def test_genres_that_cannot_be_had(tmp_path: Path) -> None:
    sides = text({"a": [(0, 1, 1)]}), text({"a": [(0, 1, 1)]})
    with pytest.raises(UsageError, match="no document id matches"):
        corefine.score(*sides, by="genre")
    with pytest.raises(UsageError, match=r"genres '\(' is neither a file nor"):
        corefine.score(*sides, by="genre", genres="(")
    with pytest.raises(UsageError, match="genres are given, but scores"):
        corefine.score(*sides, genres="a")
    with pytest.raises(UsageError, match="has no genre in mapping"):
        corefine.score(*sides, by="genre", genres={"b": "x"})
    with pytest.raises(UsageError, match="links them"):
        corefine.score(*sides, by="genre", scope="corpus")
    for content, said in (("a\n", "has no"), ("", "empty"), ("a,x\na,y\n", "another genre")):
        file = tmp_path / "genres.csv"
        file.write_text(content)
        with pytest.raises(FormatError, match=said):
            corefine.score(*sides, by="genre", genres=str(file))


def test_names_parse_and_print_back() -> None:
    for written in ("size", "size(2,10)", "size(3)", "spread(7)", "distance(1,2,3)", "kind"):
        assert str(parse(written)) == written
        assert parse(written) == parse(str(parse(written)))
    assert str(parse(" size( 2, 5 )")) == "size"
    assert parse("size(2)").groups() == ("1", "2+")  # type: ignore[attr-defined]
    for wrong in ("size(5,2)", "size(1)", "size(2,2)", "distance(x)", "kind(3)", "colour", "size("):
        with pytest.raises(UsageError):
            parse(wrong)
    with pytest.raises(UsageError, match="scores by size are"):
        corefine.score([["a"]], [["a"]], by="size,size(2,9)")


def test_every_division_says_what_it_is() -> None:
    assert {type(parse(name)) for name in SUMMARIES} == {*BREAKDOWNS.values()}
    assert all(SUMMARIES.values())


def test_what_has_no_places_has_no_distances() -> None:
    for by in ("distance", "spread"):
        with pytest.raises(UsageError, match="need the text"):
            corefine.score([["a", "b"]], [["a", "b"]], "b3", by=by)
        with pytest.raises(UsageError, match="need the text"):
            corefine.Evaluator("b3", by=by).update([["a", "b"]], [["a", "b"]])
    sizes = corefine.score([["a", "b"], ["c"]], [["a", "b"]], "b3", by="size").breakdown["size"]
    assert sizes["singleton"]["b3"].recall == 0
    assert sizes["short"]["b3"].f1 == 1


def test_entities_of_several_documents_have_no_spread(tmp_path: Path) -> None:
    lines = []
    for name in "xy":
        lines += [f"#begin document ({name}); part 000"]
        cells = ["(1)", "-", "(1)", f"({name == 'x'})".replace("True", "2").replace("False", "3")]
        lines += [f"{name} 0 {n} w - - - - - - - {cell}" for n, cell in enumerate(cells)]
        lines += ["", "#end document"]
    file = tmp_path / "key.conll"
    file.write_text("\n".join(lines) + "\n")
    by = corefine.score(file, file, "mentions,muc", scope="corpus", by="spread,distance").breakdown
    assert by["spread"]["several documents"]["mentions"].f1 == 1
    # The first mention in y is joined to what stands in x.
    assert by["distance"]["first"]["muc"].f1 == 1


def test_compare_explain_and_report_show_the_parts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    files = [sample_path("key"), sample_path("careful"), sample_path("eager")]
    asked = ["--by", "size,distance(5)", "-m", "b3,muc"]
    assert main(["score", *files[:2], *asked, "--output", "json"]) == 0
    whole: dict[str, Any] = json.loads(capsys.readouterr().out)["by"]
    assert main(["compare", *files, *asked, "--trials", "9", "--output", "json"]) == 0
    compared = json.loads(capsys.readouterr().out)["by"]
    for one in compared:
        if one["system"] == "careful" and one["f1"]:
            assert one["f1"] == pytest.approx(whole[one["by"]][one["group"]][one["metric"]]["f1"])
    assert main(["compare", *files, *asked, "--trials", "9", "--tables", "by-size"]) == 0
    assert "singleton" in capsys.readouterr().out
    assert main(["explain", *files[:2], *asked, "--tables", "by-distance"]) == 0
    assert "By distance(5)" in capsys.readouterr().out
    assert main(["explain", *files[:2], "--tables", "by-size"]) == 2
    assert "needs --by size" in capsys.readouterr().err
    page = tmp_path / "page.html"
    assert main(["report", *files[:2], *asked, "--replicates", "9", "-o", str(page)]) == 0
    assert "By distance(5)" in page.read_text("utf-8")


def test_intervals_of_parts_are_those_of_the_part_alone() -> None:
    """Documents of one genre: the part is the whole, so it has the interval of the whole."""
    chance = np.random.default_rng(5)

    def documents(noise: float) -> dict[str, list[list[int]]]:
        labels = {
            f"nw_{n}": chance.integers(0, 3, 9) * (chance.random(9) > noise) for n in range(8)
        }
        return {
            name: [np.flatnonzero(label == value).tolist() for value in range(3)]
            for name, label in labels.items()
        }

    key = documents(0)
    systems = {"one": documents(0.2), "two": documents(0.6)}
    compared = corefine.compare(
        key, systems, metrics="b3,muc", by="genre", trials=9, replicates=200
    )
    for one in compared.parts:
        assert one.group == "nw"
        standing = compared.standing(one.system, one.metric)
        assert one.score == standing.score
        assert one.interval == standing.interval


def test_intervals_of_a_genre_come_from_its_documents() -> None:
    """Three documents of one genre among many others: no sample is without any of them, and the
    interval is that of the genre scored alone. A genre of one document has none."""
    key = {f"{genre}_{n}": [[1, 2, 3], [4, 5 + n]] for genre in ("aa", "bb") for n in range(12)}
    key = {name: one for name, one in key.items() if name not in {f"aa_{n}" for n in range(3, 12)}}
    key["cc_0"] = [[1, 2]]
    response = {
        name: [entity[:2] for entity in one[: 1 + len(name) % 2]] for name, one in key.items()
    }
    response["aa_1"] = key["aa_1"]
    found = corefine.score(key, response, "b3", by="genre").part_intervals(replicates=300)["genre"]
    alone = {name: key[name] for name in key if name.startswith("aa")}
    expected = corefine.score(alone, {name: response[name] for name in alone}, "b3", by="genre")
    assert found["aa"] == expected.part_intervals(replicates=300)["genre"]["aa"]
    assert found["aa"]["b3"][0] > 0.3
    assert "cc" not in found
    compared = corefine.compare(
        {
            "a": corefine.score(key, response, "b3", by="genre"),
            "b": corefine.score(key, key, "b3", by="genre"),
        },
        trials=9,
        replicates=300,
    )
    for one in compared.parts:
        assert (one.interval is None) == (one.group == "cc")
        if (one.group, one.system) == ("aa", "a"):
            assert one.interval == found["aa"]["b3"]


@given(st.lists(st.lists(st.integers(0, 3), min_size=8, max_size=8), min_size=2, max_size=2))
def test_groups_do_not_depend_on_the_order_of_entities(labels: list[list[int]]) -> None:
    """Of several equally good alignments of CEAF one is chosen by the text."""

    def entities(side: list[int]) -> list[list[int]]:
        return [[place for place, one in enumerate(side) if one == label] for label in set(side)]

    key, response = map(entities, labels)
    reversed_key, reversed_response = (
        [entity[::-1] for entity in one[::-1]] for one in (key, response)
    )
    metrics = "ceafm,ceafe,conll"
    first = corefine.score(key, response, metrics, by="size").breakdown["size"]
    second = corefine.score(reversed_key, reversed_response, metrics, by="size").breakdown["size"]
    assert first == second
