"""Scores as Python objects, as text and as JSON."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

import corefine
from corefine.metrics.lea import Lea
from corefine.metrics.table import EntityColumns
from tests.building.refusals import refused

HEAVY = ["click", "dask", "lxml", "narwhals", "pandas", "pyarrow", "scipy", "sklearn"]
KEY = [["a", "b", "c"], ["d", "e", "f", "g"]]
RESPONSE = [["a", "b"], ["c", "d"], ["f", "g", "h", "i"]]


def test_scores_are_found_by_the_asked_and_by_the_canonical_name():
    scores = corefine.score(KEY, RESPONSE, metrics=["bcub", "blanc(rule=v8.01)", "MELA"])
    assert scores["bcub"] == scores["b3"]
    assert scores["blanc(rule=v8.01)"] == scores["blanc"]
    assert scores["MELA"] == scores["conll"]
    assert list(scores) == ["b3", "blanc", "conll"]
    with pytest.raises(KeyError):
        scores["muc"]
    with pytest.raises(KeyError):
        scores["nonsense"]


def test_an_average_has_f1_only():
    scores = corefine.score(KEY, RESPONSE, metrics="conll")
    assert scores["conll"].precision is None
    assert scores.to_dict()["scores"]["conll"] == {"f1": scores["conll"].f1}


def test_the_plain_form_is_json():
    scores = corefine.score({"x": KEY}, {"x": RESPONSE}, metrics="muc,conll")
    form = json.loads(json.dumps(scores.to_dict(documents=True)))
    assert form["signature"] == str(scores.signature)
    assert form["scores"]["muc"] == pytest.approx(
        {"precision": 2 / 5, "recall": 2 / 5, "f1": 2 / 5}
    )
    assert form["documents"]["x"]["muc"] == form["scores"]["muc"]
    assert form["warnings"] == []
    assert "documents" not in scores.to_dict()


def test_scores_read_well():
    text = repr(corefine.score(KEY, RESPONSE, metrics="muc,conll"))
    assert "muc     40.00  40.00  40.00" in text
    assert "\nmatch:exact|singletons:keep" in text
    html = corefine.score(KEY, RESPONSE, metrics="muc")._repr_html_()
    assert '<td class="number">40.00</td>' in html


def test_importance_can_be_a_function():
    def squared(entities: EntityColumns) -> np.ndarray:
        return entities.size**2.0

    scores = corefine.score(KEY, RESPONSE, metrics=[Lea(importance=squared), "lea"])
    assert scores["lea(importance=squared)"].recall == pytest.approx((9 / 3 + 16 / 6) / 25)
    with refused("usage"):
        corefine.score(KEY, RESPONSE, metrics=Lea(importance=lambda entities: np.ones(1)))


def test_scores_are_handy_in_python():
    scores = corefine.score({"x": KEY}, {"x": RESPONSE}, metrics="muc,conll")
    precision, recall, f1 = score = scores["muc"]
    assert (precision, recall, f1) == (2 / 5, 2 / 5, scores.muc.f1)
    assert (score.p, score.r, score.f, float(score)) == (precision, recall, f1, f1)
    for missing in ("lea", "to_df"):
        with pytest.raises(AttributeError):
            getattr(scores, missing)
    with refused("usage"):
        scores.to_csv("scores.csv")
    copy = pickle.loads(pickle.dumps(scores))
    assert copy == scores
    assert str(copy.muc.signature) == str(scores.muc.signature)
    frame = pytest.importorskip("pandas") and scores.to_pandas("long")
    assert list(frame.columns) == ["document", "metric", "precision", "recall", "f1"]
    assert frame["document"].tolist() == ["", "", "x", "x"]


def test_a_metric_that_counts_nothing_does_not_apply():
    scores = corefine.score(KEY, RESPONSE, "zero,muc")
    assert [scores.applies(name) for name in scores] == [False, True]
    row = next(line for line in str(scores).splitlines() if line.startswith("anaphors"))
    assert row.split()[1:] == ["–", "–", "–"]


def test_an_interval_is_one_of_95_percent():
    scores = corefine.score({"a": KEY, "b": KEY}, {"a": RESPONSE, "b": KEY}, "muc")
    assert scores.intervals() == scores.intervals(confidence=0.95)
    drawn = scores.figures()["intervals"].to_svg()
    assert all(f">{percent}</text>" in drawn for percent in (0, 100))  # the ends of its axis


def test_scoring_small_documents_imports_nothing_heavy():
    code = f"""
import sys, corefine
from corefine import *
corefine.score({KEY}, {RESPONSE})
print([name for name in {HEAVY} if name in sys.modules])
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.strip() == "[]", result.stderr
