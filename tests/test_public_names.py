"""The public names of the package: listed, described with an example, and typed."""

from __future__ import annotations

import inspect
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import corefine
from corefine.matching.settings import CHOICES, SettingOptions, Settings

ROOT = Path(__file__).resolve().parents[1]
NAMES = [name for name in corefine.__all__ if name != "__version__"]

PROGRAM = """
import corefine

scores = corefine.score("key.conll", "a.conll", "lea,conll", match="head", singletons="drop")
precision, recall, f1 = scores["lea"]
value: float = scores.conll.f1
comparison = corefine.compare("key.conll", ["a.conll", "b.conll"], metrics="lea", trials=99)
comparison.plot().save("chart.svg")
text: str = comparison.to_latex("paper")
evaluator = corefine.Evaluator("lea")
evaluator.update([["a", "b"]], [["a"]])
print(evaluator.compute()["lea"].f1, scores.to_pandas(), corefine.read("key.conll"))
corefine.report("key.conll", {"a": "a.conll"}, by="size").save("report.html")
corefine.agree("a.conll", "b.conll", singletons="drop").linking.alpha
corefine.explain("key.conll", "a.conll", by="size", preset="crac24")
"""
WRONG = """
import corefine

corefine.score("a", "b", match="hed")
corefine.score("a", "b", singleton="drop")
"""


def test_dir_shows_the_public_names_only():
    asked = "import corefine; print(*dir(corefine))"
    said = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert said.stdout.split() == sorted(corefine.__all__)
    assert sorted(corefine.__all__) == corefine.__all__


@pytest.mark.parametrize("name", NAMES)
def test_every_public_object_is_described_with_an_example(name):
    described = inspect.getdoc(getattr(corefine, name))
    assert described is not None
    assert ">>> " in described


def test_settings_are_typed_as_they_are():
    typed = get_type_hints(SettingOptions)
    assert list(typed) == [field.name for field in fields(Settings)]
    for name, allowed in CHOICES.items():
        assert get_args(typed[name]) == allowed


@pytest.mark.slow
def test_programs_of_users_are_checked_by_pyright(tmp_path):
    pyright = shutil.which("pyright")
    if pyright is None:
        pytest.skip("pyright is not installed")
    (tmp_path / "pyrightconfig.json").write_text(f'{{"extraPaths": ["{ROOT / "src"}"]}}')
    for text, status in ((PROGRAM, 0), (WRONG, 1)):
        (tmp_path / "program.py").write_text(text)
        command = [pyright, "--pythonpath", sys.executable, "program.py"]
        found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert found.returncode == status, found.stdout
