"""The files around the package: action, hooks, citation, container."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import pytest
import yaml

import corefine
from tests.building.sample import sample_path

ROOT = Path(__file__).parent.parent


def load(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


@pytest.fixture
def variables(tmp_path):
    """The environment of a step of an action, in which ``corefine`` is the one under test."""
    if shutil.which("bash") is None:
        pytest.skip("the action's steps need bash")
    command = tmp_path / "bin" / "corefine"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m corefine "$@"\n')
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"}


def run_step(action: str, name: str, where: Path, variables: dict[str, str]) -> tuple[int, str]:
    """The exit status of a step of an action, and what it prints."""
    (script,) = [one["run"] for one in load(action)["runs"]["steps"] if one.get("name") == name]
    bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    found = subprocess.run(bash, env=variables, cwd=where, capture_output=True, text=True)
    return found.returncode, found.stdout


@pytest.mark.slow
def test_gate_step_of_the_action(tmp_path, variables):
    baseline = tmp_path / "baseline.json"
    corefine.score(sample_path("key"), sample_path("careful")).save(baseline)
    variables |= {
        "KEY": sample_path("key"),
        "RESPONSE": sample_path("careful"),
        "BASELINE": str(baseline),
        "OPTIONS": "--max-drop 1 --metrics muc",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
    }
    for step in ("Gate", "Report"):
        assert run_step("action.yml", step, tmp_path, variables)[0] == 0
    assert "passed=true" in (tmp_path / "output").read_text(encoding="utf-8")
    assert (tmp_path / "corefine-gate" / "gate.xml").exists()
    assert (tmp_path / "corefine-gate" / "report.html").exists()
    assert (tmp_path / "summary").read_text(encoding="utf-8")


def test_hooks_match_coreference_files():
    (hook,) = load(".pre-commit-hooks.yaml")
    assert hook["entry"] == "corefine check"
    pattern = re.compile(hook["files"])
    assert all(pattern.search(name) for name in ("a.conll", "b/c.conllu", "d.v4_gold_conll"))
    assert not pattern.search("README.md")


def test_workflows_limit_permissions():
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert workflow["permissions"] == {"contents": "read"}, path
        assert "concurrency" in workflow, path


def test_the_citation_has_the_version():
    assert load("CITATION.cff")["version"] == corefine.__version__


def test_an_installation_brings_few_packages():
    """The dependencies have none of their own, except that click needs colorama on Windows."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {re.split("[<>=]", one)[0] for one in project["dependencies"]}
    assert names == {"click", "lxml", "msgspec", "numpy", "scipy"}
    for name in names:
        required = [one for one in requires(name) or () if "extra ==" not in one]
        assert all(one.startswith(("numpy", "colorama")) for one in required), (name, required)


def test_check_step_of_the_action(tmp_path, variables):
    for name, cell in (("w", "(1)"), ("x", "(1)|(1)")):
        text = f"#begin document ({name})\n{name} 0 0 Anna {cell}\n#end document\n"
        (tmp_path / f"{name}.conll").write_text(text)
    variables |= {"OPTIONS": "--ignore CU208", "FILES": "w.conll\nx*.conll\n"}
    status, printed = run_step("check/action.yml", "Check", tmp_path, variables)
    assert status == 1
    assert printed.startswith("::error file=x.conll,line=2,title=CU207::")
