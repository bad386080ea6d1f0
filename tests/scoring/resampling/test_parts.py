"""Intervals of parts: the same from score, explain and compare."""

from __future__ import annotations

import json

import numpy as np
import pytest

import corefine
from corefine.cli import main
from tests.building.partitions import conll
from tests.comparing.test_systems import many_documents

KEY, SYSTEMS = many_documents()


def test_the_intervals_of_score_and_compare_are_the_same():
    scores = corefine.score(KEY, SYSTEMS["middling"], "lea,b3", by="size(3)")
    found = scores.part_intervals(replicates=300, seed=4)["size(3)"]
    compared = corefine.compare(
        KEY, {n: SYSTEMS[n] for n in ("middling", "poor")}, "lea,b3", by="size(3)",
        replicates=300, trials=20, seed=4,
    )  # fmt: skip
    parts = [one for one in compared.parts if one.system == "middling" and one.group in found]
    assert parts
    for one in parts:
        assert found[one.group][one.metric] == pytest.approx(tuple(one.interval or ()))
        low, high = found[one.group][one.metric]
        assert low <= scores.breakdown["size(3)"][one.group][one.metric].f1 <= high


def test_what_another_system_has_does_not_move_an_interval():
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


def test_a_genre_has_the_interval_of_its_documents_in_a_brute_force_bootstrap():
    genres = {name: "odd" if number % 2 else "even" for number, name in enumerate(KEY)}
    scores = corefine.score(KEY, SYSTEMS["poor"], "b3", by="genre", genres=genres)
    low, high = scores.part_intervals(replicates=4000)["genre"]["odd"]["b3"]
    values = scores.counts.values["b3"]
    odd = np.array([genres[name] == "odd" for name in scores.counts.documents])
    generator = np.random.default_rng(9)
    f1 = []
    for _ in range(4000):
        rows = generator.integers(0, len(odd), len(odd))
        rows = rows[odd[rows]]
        p, r = (
            values[f"{side}_part"][rows].sum() / values[f"{side}_whole"][rows].sum()
            for side in ("precision", "recall")
        )
        f1.append(2 * p * r / (p + r))
    assert (low, high) == pytest.approx(tuple(np.quantile(f1, [0.025, 0.975])), abs=0.01)


def test_one_document_has_no_intervals():
    name = next(iter(KEY))
    scores = corefine.score({name: KEY[name]}, {name: SYSTEMS["poor"][name]}, "lea", by="size")
    assert scores.part_intervals() == {"size": {}}
    (grid,) = scores.tables("by-size", intervals=True)
    assert grid.rows[0][-2:] == (None, None)


def test_the_commands_show_them(tmp_path, capsys):
    key, response = conll(tmp_path / "k.conll", KEY), conll(tmp_path / "r.conll", SYSTEMS["poor"])
    sides = [key, response, "-m", "lea,b3", "--by", "size"]
    assert main(["score", *sides, "--intervals", "--tables", "by-size", "--output", "csv"]) == 0
    table = capsys.readouterr().out
    assert table.startswith("size,metric,precision,recall,f1,low,high")
    assert main(["explain", *sides, "--tables", "by-size", "--output", "csv"]) == 0
    assert capsys.readouterr().out == table
    assert main(["score", *sides, "--intervals", "--output", "json"]) == 0
    by = json.loads(capsys.readouterr().out)["by"]["size"]
    assert all(len(score["interval"]) == 2 for group in by.values() for score in group.values())
    assert main(["explain", *sides, "--output", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["by"]["size"] == by
    assert main(["score", key, response, "--intervals"]) == 0
    assert "interval" in capsys.readouterr().out
