"""Scoring as other scorers do: what each printed on the documents that tell them apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.cli import main
from corefine.conventions.differences import why_differs
from corefine.conventions.imitation import score_as
from corefine.conventions.tools import COREFINE, TOOLS
from corefine.corpus import Corpus
from corefine.errors import UsageError
from corefine.samples import sample_path
from tests.conftest import load_cases

REPEATING = st.lists(st.lists(st.integers(0, 7), min_size=1, max_size=5), max_size=5)


@pytest.mark.parametrize("case", load_cases("tools"), ids=lambda case: case["name"])
@pytest.mark.parametrize("tool", TOOLS)
def test_every_value_that_a_tool_printed_is_reproduced(case: dict[str, Any], tool: str) -> None:
    if tool not in case["tools"]:
        pytest.skip(f"{tool} printed nothing for this document")
    plain = {"match": "exact", "singletons": "keep"}
    scores = score_as(
        Corpus.from_entities(case["key"]),
        Corpus.from_entities(case["response"]),
        TOOLS[tool],
        settings=plain,
    )
    for metric, printed in case["tools"][tool].items():
        tolerance = 1e-9 if TOOLS[tool].cuts else 0.005001
        assert 100 * scores[metric].f1 == pytest.approx(printed, abs=tolerance), metric


@given(key=REPEATING, response=REPEATING)
def test_our_own_conventions_give_our_own_scores(
    key: list[list[int]], response: list[list[int]]
) -> None:
    ours = corefine.score(key, response)
    listed = score_as(Corpus.from_entities(key), Corpus.from_entities(response), COREFINE)
    for name in listed:
        assert listed[name].f1 == pytest.approx(ours[name].f1, abs=1e-12), name


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
@given(key=REPEATING, response=REPEATING)
def test_the_steps_lead_from_our_numbers_to_the_tools(
    tool: Any, key: list[list[int]], response: list[list[int]]
) -> None:
    if tool.match != "exact":
        tool = TOOLS["coval"]
    ours, theirs = Corpus.from_entities(key), Corpus.from_entities(response)
    distinct = {mention for entity in response for mention in entity}
    if tool.name == "perl-8.01" and sum(map(len, response)) - len(distinct) > 10:
        with pytest.raises(UsageError, match="refuses"):
            score_as(ours, theirs, tool)
        return
    steps = why_differs(ours, theirs, tool)
    scores = corefine.score(key, response)
    last = score_as(ours, theirs, tool)
    for name in last:
        assert steps[0].scores[name].f1 == pytest.approx(scores[name].f1, abs=1e-12)
        total = steps[0].scores[name].f1 + sum(step.moved[name] for step in steps)
        assert total == pytest.approx(last[name].f1, abs=1e-12)


def test_a_metric_that_the_tool_lacks_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    files = (sample_path("key"), sample_path("eager"))
    assert main(["score", *files, "--as", "e2e", "-m", "lea"]) == 2
    assert "e2e has no metric lea" in capsys.readouterr().err


def test_perl_cuts_where_others_round(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name, cells in (("key", "(1) (1) (1)"), ("response", "(1) (1) -")):
        rows = [f"a 0 {n} w{n} {cell}" for n, cell in enumerate(cells.split())]
        (tmp_path / name).write_text("\n".join(["#begin document (a)", *rows, "#end document"]))
    files = [str(tmp_path / name) for name in ("key", "response")]
    assert main(["score", *files, "--as", "perl-8.01", "-m", "muc", "--output", "json"]) == 0
    perl = json.loads(capsys.readouterr().out)
    assert perl["scores"]["muc"]["f1"] == 0.6666
    assert "as:perl-8.01" in perl["signature"]
    assert main(["score", *files, "--why-differs", "perl-8.01", "-m", "muc"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["corefine", "66.67"]
    assert lines[-1].split() == ["perl-8.01", "66.66"]


def test_conventions_can_be_overridden(capsys: pytest.CaptureFixture[str]) -> None:
    files = (sample_path("key"), sample_path("eager"))
    assert main(["score", *files, "--as", "coval", "--singletons", "drop", "--output", "json"]) == 0
    dropped = json.loads(capsys.readouterr().out)["scores"]
    expected = corefine.score(*files, singletons="drop")
    assert dropped["ceafe"]["f1"] == pytest.approx(expected["ceafe"].f1)
