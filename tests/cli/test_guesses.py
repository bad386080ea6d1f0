"""Calls and command lines that people guess: nearly all of them work, or say what to use.

The calls are those that users of scikit-learn, pandas and spaCy would try.
"""

from __future__ import annotations

import shutil
import tomllib
import warnings
from pathlib import Path

import pytest

import corefine
from corefine.cli import main
from corefine.formats.sample import write_samples

GUESSES = tomllib.loads((Path(__file__).parent / "guesses.toml").read_text("utf-8"))
WORK, HELP, NEITHER = (GUESSES[name].strip().splitlines() for name in ("work", "help", "neither"))
LINES: dict[str, str] = GUESSES["lines"]
ADVICE = ("Use ", "use ", "Did you mean", "there is no", "metrics: ")


@pytest.fixture
def names(tmp_path, monkeypatch):
    """The objects that a user has after the first lines of the documentation."""
    monkeypatch.chdir(tmp_path)
    write_samples(tmp_path)
    key, systems = corefine.sample()
    response, other = systems["careful"], systems["eager"]
    evaluator = corefine.Evaluator()
    evaluator.update([["a", "b"]], [["a"], ["b"]])
    return {
        "corefine": corefine, "key": key, "response": response, "other": other,
        "document": key[0], "evaluator": evaluator, "scores": corefine.score(key, response),
    }  # fmt: skip


def guessed(call: str, names: dict[str, object]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", corefine.CorefineWarning)
        if "comparison" in call:
            systems = {"a": names["response"], "b": names["other"]}
            found = corefine.compare(names["key"], systems, "lea", trials=9, replicates=9)
            names = {**names, "comparison": found}
        eval(call, names)


@pytest.mark.parametrize("call", WORK)
def test_guesses_that_work(call, names):
    guessed(call, names)


@pytest.mark.parametrize("call", HELP)
def test_guesses_that_are_helped(call, names):
    with pytest.raises(Exception) as raised:  # noqa: PT011 - of the type that Python expects
        guessed(call, names)
    is_own = isinstance(raised.value, corefine.CorefineError)
    assert is_own or any(words in str(raised.value) for words in ADVICE)


@pytest.mark.parametrize("line", LINES)
def test_wrong_command_lines_give_one_line_of_advice_and_status_2(line, names, capsys):
    names["scores"].save("scores.json")
    Path("pixels.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    for folder in ("gold", "ours", "pixels"):
        Path(folder).mkdir()
        shutil.copy("key.conll", f"{folder}/letter.conll")
    before = sorted(Path().rglob("*"))
    assert main(line.split()) == 2
    said = capsys.readouterr()
    assert LINES[line] in said.err
    assert sum("rror: " in one for one in said.err.splitlines()) == 1
    assert "Traceback" not in said.err
    assert said.out == ""
    assert sorted(Path().rglob("*")) == before


def test_most_guesses_work_or_are_helped():
    fine, all_of_them = len([*WORK, *HELP]), len([*WORK, *HELP, *NEITHER])
    assert all_of_them >= 150
    assert fine / all_of_them >= 130 / 150
