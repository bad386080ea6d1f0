"""Scores, signatures, settings and the evaluator."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

import corefine
from corefine.errors import UsageError
from corefine.metrics.lea import Lea
from corefine.metrics.registry import parse, resolve
from corefine.metrics.table import EntityColumns
from corefine.scoring.count import KEPT_WARNINGS

HEAVY = (
    "click",
    "dask",
    "jinja2",
    "lxml",
    "pandas",
    "pyarrow",
    "rich",
    "scipy",
    "sklearn",
)
KEY = [["a", "b", "c"], ["d", "e", "f", "g"]]
RESPONSE = [["a", "b"], ["c", "d"], ["f", "g", "h", "i"]]


def test_scores_are_found_by_the_asked_and_by_the_canonical_name() -> None:
    scores = corefine.score(KEY, RESPONSE, metrics=["bcub", "blanc(rule=v8.01)", "MELA"])
    assert scores["bcub"] == scores["b3"]
    assert scores["blanc(rule=v8.01)"] == scores["blanc"]
    assert scores["MELA"] == scores["conll"]
    assert list(scores) == ["b3", "blanc", "conll"]
    with pytest.raises(KeyError):
        scores["muc"]
    with pytest.raises(KeyError):
        scores["nonsense"]


def test_the_paper_of_lea_gives_its_example() -> None:
    scores = corefine.score(KEY, RESPONSE, metrics="lea")
    assert scores["lea"].recall == pytest.approx(5 / 21)
    assert scores["lea"].precision == pytest.approx(1 / 3)


def test_an_average_has_f1_only() -> None:
    scores = corefine.score(KEY, RESPONSE, metrics="conll")
    assert scores["conll"].precision is None
    assert scores.to_dict()["scores"]["conll"] == {"f1": scores["conll"].f1}


def test_the_plain_form_is_json() -> None:
    scores = corefine.score({"x": KEY}, {"x": RESPONSE}, metrics="muc,conll")
    form = json.loads(json.dumps(scores.to_dict(documents=True)))
    assert form["signature"] == str(scores.signature)
    assert form["scores"]["muc"] == pytest.approx(
        {"precision": 2 / 5, "recall": 2 / 5, "f1": 2 / 5}
    )
    assert form["documents"]["x"]["muc"] == form["scores"]["muc"]
    assert form["warnings"] == []
    assert "documents" not in scores.to_dict()


def test_scores_read_well() -> None:
    text = repr(corefine.score(KEY, RESPONSE, metrics="muc,conll"))
    assert "muc     40.00  40.00  40.00" in text
    assert "\nmatch:exact|singletons:keep" in text
    html = corefine.score(KEY, RESPONSE, metrics="muc")._repr_html_()
    assert '<td class="number">40.00</td>' in html


def test_scores_of_different_conventions_warn() -> None:
    one = corefine.score(KEY, RESPONSE)
    other = corefine.score(KEY, RESPONSE, singletons="drop")
    with pytest.warns(corefine.CorefineWarning, match="different signatures"):
        _ = one - other
    with pytest.warns(corefine.CorefineWarning):
        assert one == other
    assert (one - corefine.score(KEY, KEY))["muc"].f1 == pytest.approx(2 / 5 - 1)


def test_importance_can_be_a_function() -> None:
    def squared(entities: EntityColumns) -> np.ndarray:
        return entities.size**2.0

    scores = corefine.score(KEY, RESPONSE, metrics=[Lea(importance=squared), "lea"])
    assert scores["lea(importance=squared)"].recall == pytest.approx((9 / 3 + 16 / 6) / 25)
    with pytest.raises(UsageError):
        corefine.score(KEY, RESPONSE, metrics=Lea(importance=lambda entities: np.ones(1)))


@pytest.mark.parametrize(
    "name",
    ["", "muc(", "nonsense", "blanc(rule)", "blanc(rule=x)", "muc(a=1)", "blanc(rule=a,rule=b)"],
)
def test_wrong_names_are_refused_with_help(name: str) -> None:
    with pytest.raises(UsageError):
        parse(name)


def test_commas_separate_metrics_and_parameters() -> None:
    assert list(resolve("muc, lea(importance=uniform),b3")) == [
        "muc",
        "lea(importance=uniform)",
        "b3",
    ]
    with pytest.raises(UsageError, match="no metric"):
        resolve([])


def test_unknown_settings_and_values_are_refused() -> None:
    with pytest.raises(UsageError, match="unknown setting 'singleton'"):
        corefine.score(KEY, RESPONSE, singleton="drop")  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="Use one of: keep, drop"):
        corefine.score(KEY, RESPONSE, singletons="no")
    with pytest.raises(UsageError, match="not a corpus"):
        corefine.score(3, RESPONSE)


def test_blanc_as_first_defined_wants_the_same_mentions() -> None:
    same = [["a", "b"], ["c", "d", "e", "f", "g"]]
    score = corefine.score(KEY, same, metrics="blanc(rule=recasens2011)")[
        "blanc(rule=recasens2011)"
    ]
    assert score == corefine.score(KEY, same)["blanc"]
    with pytest.raises(UsageError, match="same mentions"):
        corefine.score(KEY, RESPONSE, metrics="blanc(rule=recasens2011)")


class TestEvaluator:
    def test_it_equals_scoring_all_at_once(self) -> None:
        evaluator = corefine.Evaluator(metrics="all")
        evaluator.window = 3
        key = {f"d{n}": [[n, "b", "c"], ["d", n + 1000]] for n in range(8)}
        response = {f"d{n}": [[n, "b"], ["c", "d", n + 1000]] for n in range(8)}
        for name in key:
            evaluator.update(key[name], response[name], name)
        whole = corefine.score(key, response, metrics="all")
        assert evaluator.compute() == whole
        assert evaluator.compute().documents == whole.documents

    def test_corpora_and_mappings_are_taken_too(self) -> None:
        evaluator = corefine.Evaluator()
        evaluator.update({"a": KEY, "b": KEY}, {"b": RESPONSE, "a": RESPONSE})
        evaluator.update(
            corefine.Corpus.from_entities(KEY), corefine.Corpus.from_entities(RESPONSE)
        )
        assert list(evaluator.compute().documents) == ["a", "b", "#3"]

    def test_unnamed_documents_are_numbered_even_after_merging(self) -> None:
        one, two = corefine.Evaluator(), corefine.Evaluator()
        one.update(KEY, RESPONSE)
        two.update(KEY, KEY)
        scores = one.merge(two).compute()
        assert list(scores.documents) == ["1", "2"]

    def test_a_document_counts_once(self) -> None:
        evaluator = corefine.Evaluator()
        evaluator.update(KEY, RESPONSE, "a")
        with pytest.raises(UsageError, match="document 'a' has already"):
            evaluator.update(KEY, RESPONSE, "a")
        evaluator.reset()
        evaluator.update(KEY, RESPONSE, "a")

    def test_merging_needs_the_same_metrics(self) -> None:
        with pytest.raises(UsageError, match="cannot merge evaluators with"):
            corefine.Evaluator("muc").merge(corefine.Evaluator("lea"))

    def test_it_survives_pickling_in_the_middle(self) -> None:
        evaluator = corefine.Evaluator()
        evaluator.update(KEY, RESPONSE)
        copy = pickle.loads(pickle.dumps(evaluator))
        copy.update(KEY, KEY)
        evaluator.update(KEY, KEY)
        assert copy.compute() == evaluator.compute()

    def test_nothing_seen_gives_zeros_and_says_so(self) -> None:
        scores = corefine.Evaluator().compute()
        assert scores["lea"].f1 == 0
        assert scores.documents == {}
        assert scores.warnings == ("the key has no mentions",)

    def test_bad_documents_are_refused_when_they_come(self) -> None:
        with pytest.raises(UsageError, match="instead of a mention"):
            corefine.Evaluator().update([[["list"]]], [])

    def test_warnings_do_not_pile_up(self) -> None:
        evaluator = corefine.Evaluator()
        for _ in range(60):
            evaluator.window = 1
            evaluator.update([["a", "b"]], [["a", "b"], ["b", "c"]])
        warnings = evaluator.compute().warnings
        assert len(warnings) == KEPT_WARNINGS + 1
        assert warnings[-1] == "40 more warnings"


def test_importing_loads_nothing_heavy() -> None:
    code = (
        "import sys, corefine; from corefine import *;"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_all_names_are_sorted_and_exist() -> None:
    assert corefine.__all__ == sorted(corefine.__all__)
    for name in corefine.__all__:
        assert getattr(corefine, name) is not None
    assert set(corefine.__all__) == {*corefine._MODULES, "__version__"}
    assert set(corefine.__all__) <= set(dir(corefine))
    with pytest.raises(AttributeError):
        corefine.nonsense  # noqa: B018


def test_scores_are_handy_in_python() -> None:
    scores = corefine.score({"x": KEY}, {"x": RESPONSE}, metrics="muc,conll")
    precision, recall, f1 = scores["muc"]
    assert (precision, recall, f1) == (2 / 5, 2 / 5, scores.muc.f1)
    with pytest.raises(AttributeError, match="metrics: muc, conll"):
        _ = scores.lea
    copy = pickle.loads(pickle.dumps(scores))
    assert copy == scores
    assert str(copy.muc.signature) == str(scores.muc.signature)
    frame = pytest.importorskip("pandas") and scores.to_pandas(documents=True)
    assert list(frame.columns) == ["document", "metric", "precision", "recall", "f1"]
    assert frame["document"].tolist() == ["x", "x"]


def test_a_metric_that_counts_nothing_does_not_apply() -> None:
    scores = corefine.score(KEY, RESPONSE, "zero,muc")
    assert [scores.applies(name) for name in scores] == [False, True]
    row = next(line for line in str(scores).splitlines() if line.startswith("anaphors"))
    assert row.split()[1:] == ["–", "–", "–"]
