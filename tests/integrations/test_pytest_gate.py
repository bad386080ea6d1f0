"""The fixture ``corefine_gate``, in a pytest of its own."""

from __future__ import annotations

import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import corefine
from tests.comparing.test_systems import many_documents

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = "corefine.integrations.pytest"
TEST = """
import json

def test_response(corefine_gate):
    key, response = json.load(open("sides.json"))
    result = corefine_gate(key, response, "baseline.json", metric="muc", max_drop=1)
    assert result.passed
"""

KEY, SYSTEMS = many_documents()
# Scored here: pytester forgets what a test is the first to import, but metrics register once.
BASELINE = corefine.score(KEY, SYSTEMS["good"])


@pytest.mark.parametrize(("name", "status"), [("good", "passed"), ("poor", "failed")])
def test_the_fixture(pytester, monkeypatch, name, status):
    import json

    # Only the plug-in that stands here, whatever is installed.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    BASELINE.save(pytester.path / "baseline.json")
    (pytester.path / "sides.json").write_text(json.dumps([KEY, SYSTEMS[name]]))
    pytester.makepyfile(TEST)
    result = pytester.runpytest_subprocess("-p", PLUGIN, "-p", "no:cacheprovider")
    result.assert_outcomes(**{status: 1})
    if status == "failed":
        result.stdout.fnmatch_lines(
            ["*failed: muc F1 fell by *, more than the allowed 1, significant*"]
        )


def test_pytest_finds_it_by_its_entry_point():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"corefine": PLUGIN}
    assert hasattr(import_module(PLUGIN), "corefine_gate")
