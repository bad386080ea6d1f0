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


def action_step(name: str) -> str:
    steps = load("action.yml")["runs"]["steps"]
    return next(step["run"] for step in steps if step.get("name") == name)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="the action's steps need bash")
def test_gate_step_of_the_action(tmp_path):
    baseline = tmp_path / "baseline.json"
    corefine.score(sample_path("key"), sample_path("careful")).save(baseline)
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "corefine"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m corefine "$@"\n')
    command.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
        "KEY": sample_path("key"),
        "RESPONSE": sample_path("careful"),
        "BASELINE": str(baseline),
        "OPTIONS": "--max-drop 1 --metrics muc",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
    }
    for step in ("Gate", "Report"):
        script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", action_step(step)]
        subprocess.run(script, env=environment, cwd=tmp_path, check=True, capture_output=True)
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


@pytest.mark.skipif(shutil.which("bash") is None, reason="the action's steps need bash")
def test_check_step_of_the_action(tmp_path):
    (step,) = [
        one for one in load("check/action.yml")["runs"]["steps"] if one.get("name") == "Check"
    ]
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "corefine"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m corefine "$@"\n')
    command.chmod(0o755)
    for name, cell in (("w", "(1)"), ("x", "(1)|(1)")):
        text = f"#begin document ({name})\n{name} 0 0 Anna {cell}\n#end document\n"
        (tmp_path / f"{name}.conll").write_text(text)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "OPTIONS": "--ignore CU208"}
    environment["FILES"] = "w.conll\nx*.conll\n"
    script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    found = subprocess.run(script, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert found.returncode == 1
    assert found.stdout.startswith("::error file=x.conll,line=2,title=CU207::")
