"""Exports of saved results: Every Eval Ever and model cards."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

import corefine
from corefine.errors import UsageError
from corefine.integrations.exports import every_eval_ever, exported, model_index

KEY = {"a": [[1, 2, 3]], "b": [[1, 2], [3, 4]]}
RESPONSE = {"a": [[1, 2, 3]], "b": [[1, 2, 3]]}
DATE = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
def scores() -> corefine.Scores:
    return corefine.score(KEY, RESPONSE, "conll,muc")


def test_every_eval_ever(scores):
    record = every_eval_ever(scores, "lab/model", "OntoNotes", date=DATE)
    assert record["evaluation_id"] == "coreference-OntoNotes/lab/model/1767312000"
    assert (record["model_info"]["id"], record["model_info"]["name"]) == ("lab/model", "model")
    found = {one["evaluation_result_id"]: one for one in record["evaluation_results"]}
    assert list(found) == ["conll_f1", "muc_precision", "muc_recall", "muc_f1"]
    details = found["conll_f1"]["score_details"]
    assert details["score"] == scores["conll"].f1
    interval = details["uncertainty"]["confidence_interval"]
    assert interval["lower"] <= details["score"] <= interval["upper"]
    signature = found["muc_recall"]["metric_config"]["additional_details"]["signature"]
    assert signature == str(scores.signature_of("muc"))
    assert "uncertainty" not in found["muc_recall"]["score_details"]


def test_every_eval_ever_follows_the_schema(scores):
    """The schema of the public repository evaleval/every_eval_ever, if it is at hand."""
    path = os.environ.get("COREFINE_EVERY_EVAL_EVER")
    if not path:
        pytest.skip("COREFINE_EVERY_EVAL_EVER does not name a file with the schema")
    jsonschema = pytest.importorskip("jsonschema")
    record = every_eval_ever(scores, "lab/model", "OntoNotes")
    jsonschema.validate(record, json.loads(Path(path).read_text("utf-8")))


def test_model_index(scores):
    yaml = pytest.importorskip("yaml")
    header = model_index(scores, 'a "model"', "OntoNotes")
    (entry,) = yaml.safe_load(header.strip("-\n"))["model-index"]
    assert entry["name"] == 'a "model"'
    (result,) = entry["results"]
    first = result["metrics"][0]
    assert (first["type"], first["value"]) == ("conll_f1", round(100 * scores["conll"].f1, 2))
    assert first["args"]["signature"] == str(scores.signature_of("conll"))
    assert len(first["args"]["confidence_interval"]) == 2


def test_model_index_as_hugging_face_reads_it(scores):
    cards = pytest.importorskip("huggingface_hub")
    card = cards.ModelCard(model_index(scores, "model", "OntoNotes") + "\n# Model\n")
    assert [one.metric_type for one in card.data.eval_results] == [
        "conll_f1", "muc_precision", "muc_recall", "muc_f1",
    ]  # fmt: skip


def test_breakdowns_are_refused():
    with pytest.raises(UsageError):
        exported(corefine.score(KEY, RESPONSE, "b3", by="size"), "model-card", "m", "d")
