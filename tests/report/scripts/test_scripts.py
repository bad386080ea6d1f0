"""The page's scripts: how they are joined into one, and their own tests in node."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from corefine.report.page import BOARD, SCRIPTS, joined_scripts

HERE = Path(__file__).parent
FOLDER = HERE.parents[2] / "src" / "corefine" / "report" / "page" / "scripts"


@pytest.fixture(scope="module")
def node():
    path = shutil.which("node")
    if path is None:
        pytest.skip("there is no node to run the page's scripts in")
    return path


def run(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_scripts_do_what_their_own_tests_say(node):
    run(node, "--test", *sorted(HERE.glob("*.test.mjs")))


def test_the_joined_scripts_are_one_script(node, tmp_path):
    path = tmp_path / "page.js"
    path.write_text(joined_scripts(), "utf-8")
    run(node, "--check", path)
    assert not re.search(r"^(import|export)\b", path.read_text("utf-8"), re.MULTILINE)


def test_every_script_is_on_the_page_after_those_that_it_imports():
    assert {path.name for path in FOLDER.iterdir()} == {f"{n}.mjs" for n in (*SCRIPTS, *BOARD)}
    for names in (SCRIPTS, BOARD):
        for at, name in enumerate(names):
            text = (FOLDER / f"{name}.mjs").read_text("utf-8")
            imported = re.findall(r'^import [^;]* from "\./(\w+)\.mjs";$', text, re.MULTILINE)
            assert len(imported) == len(re.findall(r"^import\b", text, re.MULTILINE)), name
            assert set(imported) <= set(names[:at]), name


def test_no_two_scripts_define_the_same_name():
    """They share one scope once they are joined."""
    defined = re.findall(
        r"^(?:export )?(?:async )?(?:function\*?|class|const|let) (\w+)",
        "".join((FOLDER / f"{name}.mjs").read_text("utf-8") for name in SCRIPTS),
        re.MULTILINE,
    )
    assert len(defined) == len(set(defined))
