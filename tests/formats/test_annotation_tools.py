"""JSON of annotation tools: Label Studio, Prodigy, doccano."""

from __future__ import annotations

from typing import Any

import pytest

from corefine.formats import format_named
from corefine.formats.losses import read_back
from tests.building.format_files import entity_words, json_lines, parse, place_of_error

TEXT = "Anna 😊 saw her house"


def region(id: str, start: int, end: int, label: str = "Mention", **more: object) -> dict[str, Any]:
    value = {"start": start, "end": end, "labels": [label], **more}
    return {"id": id, "type": "labels", "value": value}


def relation(source: object, target: object, *labels: str) -> dict[str, Any]:
    return {"type": "relation", "from_id": source, "to_id": target, "labels": list(labels)}


def task(*results: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": 4, "data": {"text": TEXT}, "annotations": [{"result": results, **more}]}


ANNA, HER, HOUSE = region("a", 0, 4, "PER"), region("b", 12, 15, "PER"), region("c", 16, 21)
"""Regions count UTF-16 code units: the emoji has two."""
PRODIGY: dict[str, Any] = {
    "text": TEXT,
    "tokens": [
        {"text": word, "start": start, "end": start + len(word), "id": id}
        for id, (word, start) in enumerate([("Anna", 0), ("😊", 5), ("saw", 7), ("her", 11),
                                            ("house", 15)])
    ],
    "spans": [{"start": 0, "end": 4, "label": "PER"}, {"start": 15, "end": 20}],
    "relations": [{"head": 3, "child": 0, "label": "COREF"}],
    "answer": "accept",
    "meta": {"doc_key": "4"},
}  # fmt: skip
DOCCANO: dict[str, Any] = {
    "id": 4,
    "text": TEXT,
    "entities": [
        {"id": 1, "label": "PER", "start_offset": 0, "end_offset": 4},
        {"id": 2, "label": "PER", "start_offset": 11, "end_offset": 14},
        {"id": 5, "label": "Mention", "start_offset": 15, "end_offset": 20},
    ],
    "relations": [{"id": 1, "from_id": 2, "to_id": 1, "type": "coref"}],
}


@pytest.mark.parametrize(
    ("format", "record"),
    [
        ("label-studio", task(ANNA, HER, HOUSE, relation("b", "a", "coref"))),
        ("prodigy", PRODIGY),
        ("doccano", DOCCANO),
    ],
)
def test_relations_make_entities(format: str, record: dict[str, Any]) -> None:
    corpus = parse(json_lines(record))
    assert corpus.format == format
    assert entity_words(corpus) == {"4": [["Anna", "her"], ["house"]]}
    assert corpus[0].mentions[0].type == "PER"
    assert corpus[0].text == TEXT
    if format == "label-studio":
        again = read_back(corpus, format_named(format))
        assert again.to_dict(ends="inclusive") == corpus.to_dict(ends="inclusive")


@pytest.mark.parametrize("label", ["president_of", "incident", "not same", "unequal", "part of"])
def test_labels_that_only_resemble_coreference_are_none(label: str) -> None:
    other = task(ANNA, HER, HOUSE, relation("b", "a", "same_as"), relation("c", "a", label))
    assert parse(json_lines(other)).to_dict(ends="inclusive") == {"4": [[(0, 0), (3, 3)], [(4, 4)]]}
    alone = json_lines(task(ANNA, HER, HOUSE, relation("c", "a", label)))
    assert place_of_error(parse, alone) == "x:1"
    named = parse(alone, f"label-studio:{label}")
    assert named.to_dict(ends="inclusive") == {"4": [[(0, 0), (4, 4)], [(3, 3)]]}


def test_regions_may_count_code_points_and_ground_truth_comes_first() -> None:
    record = task(region("a", 0, 4, text="Anna"), region("b", 11, 14, text="her"))
    assert parse(json_lines(record)).to_dict(ends="inclusive") == {"4": [[(0, 0)], [(3, 3)]]}
    record = task(ANNA)
    cancelled = {"result": [ANNA, HER], "was_cancelled": True}
    truth = {"result": [HER], "ground_truth": True}
    for other, expected in ((cancelled, [[(0, 0)]]), (truth, [[(3, 3)]])):
        changed = record | {"annotations": [*record["annotations"], other]}
        assert parse(json_lines(changed)).to_dict(ends="inclusive") == {"4": expected}


@pytest.mark.parametrize(
    "record",
    [
        task(ANNA, relation("a", "z")),
        task(region("a", 0, 40)),
        task(region("a", 4, 4)),
        task({"id": "a", "type": "labels", "value": {"start": "/p[1]", "end": 4}}),
        task(ANNA, region("a", 12, 15)),
        task(ANNA) | {"annotations": [{"result": []}, {"result": []}]},
        task(ANNA) | {"data": {"a": "x", "b": "y"}},
        task(ANNA) | {"annotations": [{}]},
        PRODIGY | {"relations": [{"head": 9, "child": 0, "label": "COREF"}]},
        PRODIGY | {"spans": [{"start": 0, "end": 99}]},
        DOCCANO | {"relations": [{"from_id": 9, "to_id": 1, "type": "coref"}]},
        DOCCANO | {"entities": DOCCANO["entities"] + DOCCANO["entities"][:1]},
    ],
)
def test_invalid_records_are_refused(record: dict[str, Any]) -> None:
    assert place_of_error(parse, json_lines(record)) == "x:1"


def test_rejected_tasks_of_prodigy_are_left_out() -> None:
    rejected = PRODIGY | {"answer": "reject", "meta": {"doc_key": "5"}}
    assert parse(json_lines(PRODIGY, rejected)).documents == ("4",)
