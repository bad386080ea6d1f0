"""Buckets: their statistics add up to the whole, and every error has its group."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import corefine
from corefine.comparing.plan import Plan
from corefine.corpus.columns import Kind
from corefine.report.buckets import buckets_of
from corefine.scoring.request import Request
from tests.building.explained_corpora import corpus_of
from tests.explaining.test_errors import KEY, KINDS, RESPONSE, STORY


@pytest.fixture(scope="module")
def buckets():
    long = [[*STORY[0], *(["and"] * 600)], *STORY[1:]]
    moved = [[(a + 600 if a > 8 else a, b + 600 if b > 8 else b) for a, b in e] for e in KEY]
    kinds = {
        (a + 600 if a > 8 else a, b + 600 if b > 8 else b): kind for (a, b), kind in KINDS.items()
    }
    key = corpus_of([(STORY, KEY), (long, moved), (STORY, KEY)], [KINDS, kinds, KINDS])
    response = corpus_of(
        [(STORY, RESPONSE), (long, moved[:3]), (STORY, KEY)], [KINDS, kinds, KINDS]
    )
    names = ("news_1", "news_2", "talk_1")
    key, response = (replace(one, documents=names) for one in (key, response))
    request = Request.of("lea,muc", kinds="format", shows_kinds=True)
    assert key.mentions.kind is not None
    assert Kind.PRONOUN in key.mentions.kind
    explanation = corefine.explain(key, response, "lea,muc", kinds="format")
    found = buckets_of(
        ["ours", "theirs"], [explanation, explanation], dict(request.metrics), (),
        request.settings, Plan(replicates=20),
    )  # fmt: skip
    return {one.division.name: one for one in found}


def test_the_data_decides_which_buckets_there_are(buckets):
    assert list(buckets) == ["size", "distance", "kind", "length"]


def test_statistics_of_the_groups_add_up_to_the_whole(buckets):
    for name, one in buckets.items():
        breakdown = one.breakdowns[0]
        whole = buckets["length"].breakdowns[0]
        for statistic in ("precision_part", "precision_whole", "recall_part", "recall_whole"):
            total = sum(breakdown.column(group, "lea", statistic) for group in one.groups)
            documents = sum(whole.column(group, "lea", statistic) for group in whole.parts)
            assert total == pytest.approx(documents), (name, statistic)


def test_every_error_is_in_a_group(buckets):
    for one in buckets.values():
        for codes in one.errors:
            assert (codes >= 0).all()
            assert (codes < len(one.groups)).all()


def test_groups_lead_to_their_errors_by_response(buckets):
    kinds = buckets["kind"]
    everything = [np.ones(len(codes), np.bool_) for codes in kinds.errors]
    table = str(kinds.chart(["ours", "theirs"], "lea", everything))
    counts = np.bincount(kinds.errors[0], minlength=len(kinds.groups)).tolist()
    assert "#errors?response=theirs&amp;mention%20kind=" in table
    for count in filter(None, counts):
        assert table.count(f"<bdi>{count}</bdi>") >= 2
    nothing = [~one for one in everything]
    assert "#errors" not in str(kinds.chart(["ours", "theirs"], "lea", nothing))


def test_genres_come_from_a_pattern_or_a_file_without_being_asked_for_twice(tmp_path):
    key = {f"x-{genre}-{at}": [["a", "b"]] for genre in ("news", "talk") for at in range(2)}
    file = tmp_path / "genres.tsv"
    file.write_text("".join(f"{name}\t{name.split('-')[1]}\n" for name in key))
    for genres in (r"x-(\w+)-", file):  # elsewhere genres are shown only if ids begin with them
        made = corefine.report(key, {"same": key}, metrics="lea", replicates=5, genres=genres)
        assert "LEA F1 by genre" in made.html
        assert "#errors?genre=" not in made.html  # there are no errors


def test_semantic_types_are_shown_where_the_key_has_them(tmp_path):
    words = [f"w{at}" for at in range(12)]
    key_entities = [[(0, 0), (2, 2), (4, 4)], [(5, 5), (7, 7)]]
    key = corpus_of([([words], key_entities)] * 2)
    response = corpus_of([([words], [[(0, 0), (2, 2)], [(5, 5), (7, 7), (9, 9)]])] * 2)
    types = tmp_path / "types.tsv"
    lines = ["doc\tstart\tend\tmtype\tetype"]
    for name in key.documents:
        lines += [f"{name}\t{at}\t{at}\tNAM\tperson" for at in (0, 2, 4)]
        lines += [f"{name}\t{at}\t{at}\tNAM\tplace" for at in (5, 7)]
    types.write_text("\n".join(lines) + "\n")
    request = Request.of("lea", kinds=str(types), shows_kinds=True)
    explanation = corefine.explain(key, response, "lea", kinds=str(types))
    (found,) = (
        one
        for one in buckets_of(
            ["ours"], [explanation], dict(request.metrics), (), request.settings,
            Plan(replicates=20),
        )
        if one.division.name == "type"
    )  # fmt: skip
    # What only the response has is of no type: its errors are listed, a score would be 0 anyhow.
    assert found.groups == ("person", "place", "untyped")
    drawn = str(found.chart(["ours"], "lea", [np.ones(len(found.errors[0]), np.bool_)]))
    assert drawn.count("<use ") == 2
    by_type = corefine.score(key, response, "lea", by="type", kinds=str(types)).breakdown["type"]
    for one in found.standings:
        assert one.score.f1 == by_type[one.group]["lea"].f1


@pytest.mark.slow
def test_groups_stand_in_one_order_in_every_process():
    code = (
        "import corefine; from tests.building.report_corpora import three_responses as three;"
        "made = corefine.report(*three().values(), metrics='lea', replicates=5, kinds='guess');"
        "assert 'by mention kind' in made.html; print(made.html)"
    )
    pages = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True,
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert pages[0] == pages[1]
