"""Warnings of scores: codes, data, filters, and their emission in Python."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import corefine
from corefine.errors import Caution, FormatError, Location, code_of

KEY = {"a": [["x", "y"]], "b": [["x", "y"]]}
CASES = {
    "duplicate-mention": ({"a": [["x", "y"], ["x", "z"]]}, {"a": [["x", "y"]]}, {}),
    "empty-key": ({"a": []}, {"a": [["x"]]}, {}),
    "empty-response": ({"a": [["x"]]}, {"a": []}, {}),
    "no-match": ({"a": [["x"]]}, {"a": [["y"]]}, {}),
    "silent-documents": (KEY, {"a": [["x", "y"]], "b": []}, {}),
    "missing-documents": (KEY, {"a": [["x", "y"]]}, {"missing_documents": "count"}),
    "extra-documents": ({"a": [["x", "y"]]}, KEY, {"missing_documents": "count"}),
    "unknown-kinds": ({"a": [["x", "y"]]}, {"a": [["x", "y"]]}, {"metrics": "parent"}),
}


@pytest.mark.parametrize("code", CASES)
def test_scores_warn_in_python(code):
    key, response, options = CASES[code]
    with pytest.warns(corefine.CorefineWarning) as caught:
        scores = corefine.score(key, response, **{"metrics": "muc", **options})
    assert code in map(code_of, scores.warnings)
    assert code in [getattr(warning.message, "code", None) for warning in caught]
    # The caller's file, so that filters by module work.
    assert {warning.filename for warning in caught} == {__file__}


def test_filters_work_by_code():
    key, response, _ = CASES["no-match"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", r".*\[no-match\]", corefine.CorefineWarning)
        corefine.score(key, response, "b3")
        with pytest.raises(corefine.CorefineWarning):
            corefine.score({"a": []}, response, "b3")


def evaluate(key: Any, response: Any, **settings: Any) -> None:
    evaluator = corefine.Evaluator("muc", **settings)
    evaluator.update(key, response)
    evaluator.compute()


def compared(key: Any, response: Any, **settings: Any) -> Any:
    return corefine.compare(key, {"a": response, "b": key}, trials=9, replicates=9, **settings)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "score": corefine.score,
    "Evaluator": evaluate,
    "score in parts": partial(corefine.score, jobs=1),
    "score as": partial(corefine.score, scorer="coval"),
    "compare": compared,
    "explain": corefine.explain,
    "entities": corefine.entities,
    "audit": corefine.audit,
    "agree": partial(corefine.agree, metrics="muc"),
    "report": corefine.report,
    "suite": lambda key, response, **s: corefine.score_suite({"d": key}, {"d": response}, **s),
}


OTHERS: dict[str, Callable[..., Any]] = {
    "in processes": partial(corefine.score, jobs=2),
    "why_differs": partial(corefine.why_differs, scorer="coval"),
}


@pytest.mark.parametrize("name", sorted({*FUNCTIONS, *OTHERS} - {"report"}))
def test_other_functions_warn_in_python(name):
    """A report has the warnings on its page."""
    key, response, _ = CASES["no-match"]
    with pytest.warns(corefine.CorefineWarning) as caught:
        (FUNCTIONS | OTHERS)[name](key, response)
    assert "no-match" in [getattr(warning.message, "code", None) for warning in caught]
    assert __file__ in {warning.filename for warning in caught}


def test_silent_documents_are_named_once():
    response = {"a": [], "b": [], "c": [["x", "y"]]}
    scores = corefine.score({**KEY, "c": [["x", "y"]]}, response, "muc")
    (silent,) = [text for text in scores.warnings if code_of(text) == "silent-documents"]
    assert isinstance(silent, Caution)
    assert silent.data == {"documents": ["a", "b"]}
    missing = corefine.score(KEY, {"a": [["x", "y"]]}, "muc", missing_documents="count")
    assert [code_of(text) for text in missing.warnings] == ["missing-documents"]


def test_a_caution_is_text_with_a_code_and_data():
    caution = pickle.loads(pickle.dumps(Caution("text", "code", number=3)))
    assert (caution, caution.code, caution.data) == ("text", "code", {"number": 3})
    assert code_of("plain text") == "other"


CONLL = "#begin document (d1); part 000\nd1 0 0 Anna {}\nd1 0 1 her {}\n\n#end document\n"


@pytest.mark.parametrize("empty", ["key.conll", "response.conll"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_file_without_mentions_is_an_error(function, empty, tmp_path):
    paths = [tmp_path / "key.conll", tmp_path / "response.conll"]
    for path in paths:
        cell = "-" if path.name == empty else "(1)"
        path.write_text(CONLL.format(cell, cell), "utf-8")
    with pytest.raises(FormatError) as caught:
        FUNCTIONS[function](*paths)
    assert caught.value.where == Location(str(tmp_path / empty))
    with warnings.catch_warnings(action="ignore"):
        FUNCTIONS[function](*paths, allow_empty=True)
