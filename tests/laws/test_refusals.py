"""What Python refuses, the command line refuses: the same message, exit status 2, no number."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import corefine
from corefine.matching.settings import CHOICES
from corefine.metrics.registry import GROUPS, registered
from corefine.scoring.breakdowns import BREAKDOWNS
from corefine.scoring.presets import PRESETS
from tests.building.commands import Answer, commands, run
from tests.building.law_files import FORMS, HEALTHY, each_form, put_contest, put_sample

METRICS = [*(str(metric()) for metric in registered()), *GROUPS, "all"]


def is_refusal(answer: Answer) -> bool:
    """True for exit status 2, one error on standard error, and nothing on standard output."""
    assert "Traceback" not in answer.messages
    return answer.status == 2 and not answer.output and "rror: " in answer.error


def options_of(asked: dict[str, Any]) -> list[str]:
    given: list[str] = []
    for name, value in asked.items():
        option = f"--{name.replace('_', '-')}"
        given += [option] if value is True else [option, str(value)]
    return given


def both_ways(key: Path, response: Path, asked: dict[str, Any]) -> None:
    """Score in Python and on the command line; both answer or both refuse."""
    answer = run("score", key, response, *options_of(asked), "--output", "json")
    scores = scored(key, response, asked)
    if isinstance(scores, corefine.CorefineError):
        assert is_refusal(answer), answer
        if not answer.error.startswith("Error: Invalid value"):
            assert answer.error == f"corefine: error: {scores}"
        return
    assert answer.f1 == {name: score.f1 for name, score in scores.items()}


def scored(
    key: Path, response: Path, asked: dict[str, Any]
) -> corefine.Scores | corefine.CorefineError:
    """The scores in Python, or the error."""
    try:
        return corefine.score(key, response, **asked)
    except corefine.CorefineError as error:
        return error


@pytest.mark.parametrize("form", each_form("ua"))
@pytest.mark.parametrize("setting", CHOICES)
def test_settings(setting: str, form: str, tmp_path: Path) -> None:
    files = put_contest(form, tmp_path)
    for value in (*CHOICES[setting], "nothing"):
        both_ways(files["key"], files["a"], {setting: value})


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("one", "other"), list(pairwise(CHOICES)))
def test_pairs_of_settings(one: str, other: str, form: str, tmp_path: Path) -> None:
    files = put_contest(form, tmp_path)
    for value in CHOICES[one]:
        for more in CHOICES[other]:
            both_ways(files["key"], files["a"], {one: value, other: more})


@pytest.mark.parametrize("form", each_form("conll"))
@pytest.mark.parametrize("way", ["metrics", "by", "preset"])
def test_names(way: str, form: str, tmp_path: Path) -> None:
    files = put_contest(form, tmp_path)
    names = {"metrics": METRICS, "by": BREAKDOWNS, "preset": PRESETS}[way]
    for name in (*names, "nothing", ""):
        both_ways(files["key"], files["a"], {way: name} if way != "by" else {way: name or "x"})


@pytest.mark.parametrize("format", HEALTHY)
def test_damaged_files(format: str, tmp_path: Path) -> None:
    """Cut in the middle, with a byte that is no UTF-8, empty, of another format."""
    path = put_sample(format, tmp_path)
    whole = path.read_bytes()
    middle = len(whole) // 2
    for data in (whole[:middle], whole[:middle] + b"\xff" + whole[middle:], b"", b"Once upon\n"):
        path.write_bytes(data)
        asked = {"key_format": format, "response_format": format}
        answer = run("score", path, path, *options_of(asked), "--output", "json")
        scores = scored(path, path, asked)
        if isinstance(scores, corefine.CorefineError):
            assert is_refusal(answer)
            assert answer.error == f"corefine: error: {scores}"
        else:
            assert answer.status == 0
        out = tmp_path / "out"
        answer = run("convert", path, out, "--format", format, "--to", "conll", "--lossy")
        assert (answer.status == 2) == (not out.exists())
        out.unlink(missing_ok=True)


@pytest.mark.parametrize("command", [name for name in commands() if name not in ("help", "demo")])
def test_files_that_are_not_there(command: str, tmp_path: Path) -> None:
    """Every command that reads files names the one that it did not find."""
    missing = tmp_path / "missing.conll"
    arguments = [one for one in commands()[command].params if one.param_type_name == "argument"]
    if not any(one.name in TAKES_FILES for one in arguments):
        return
    given = [missing] * sum(2 if one.nargs == -1 else 1 for one in arguments)
    answer = run(*command.split(), *given)
    assert answer.status == 2
    assert not answer.output
    assert "Traceback" not in answer.messages


TAKES_FILES = ("key", "response", "responses", "systems", "files", "corpora", "annotators", "sides")
