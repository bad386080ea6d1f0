"""The fixture ``corefine_gate``, in a pytest of its own."""

from __future__ import annotations

import json
import tomllib
from importlib import import_module
from pathlib import Path

import corefine
from tests.comparing.test_systems import many_documents

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = "corefine.integrations.pytest"
TEST = """
import json
import pytest

@pytest.mark.parametrize("name", ["good", "poor"])
def test_response(corefine_gate, name):
    key, systems = json.load(open("sides.json"))
    result = corefine_gate(key, systems[name], "baseline.json", metric="muc", max_drop=1)
    assert result.passed
"""

KEY, SYSTEMS = many_documents()
# Scored here: pytester forgets what a test is the first to import, but metrics register once.
BASELINE = corefine.score(KEY, SYSTEMS["good"])


def test_the_fixture(pytester, monkeypatch):
    # Only the plug-in that stands here, whatever is installed.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    BASELINE.save(pytester.path / "baseline.json")
    (pytester.path / "sides.json").write_text(json.dumps([KEY, SYSTEMS]))
    pytester.makepyfile(TEST)
    result = pytester.runpytest_subprocess("-p", PLUGIN, "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*failed: muc F1 fell by *"])


def test_pytest_finds_it_by_its_entry_point():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"corefine": PLUGIN}
    assert hasattr(import_module(PLUGIN), "corefine_gate")
