"""README and how-to pages run in a new environment with the wheel alone.

The pages run as they are written, in a folder outside of the repository: the README with the base
dependencies, the how-to pages with the extras that they need. Where the environment cannot be
made, since there is no package index, the tests are skipped.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_documentation import Block, blocks, commands, run_command

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
HOW_TO = sorted((ROOT / "docs" / "how-to").glob("*.md"))
EXTRAS = "plots"

pytestmark = pytest.mark.slow


def run(command: list[str], where: Path) -> None:
    made = subprocess.run(command, cwd=where, capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"{' '.join(command[-4:])} failed: {made.stderr.strip()[-200:]}")


def make_environment(folder: Path, wheel: Path) -> dict[str, str]:
    """A new environment with the wheel alone, as variables of the shell."""
    run([sys.executable, "-m", "venv", str(folder)], folder.parent)
    install(folder, str(wheel))
    kept = {"HOME", "LANG", "TMPDIR"}
    return {
        **{name: value for name, value in os.environ.items() if name in kept},
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "PATH": os.pathsep.join([str(folder / "bin"), "/usr/bin", "/bin"]),
    }


def install(folder: Path, requirement: str) -> None:
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-compile"]
    run([*pip, requirement], folder.parent)


def shell(text: str, where: Path, variables: dict[str, str]) -> tuple[int, str]:
    done = subprocess.run(
        ["bash", "-c", text],
        cwd=where,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode, done.stdout


def walk(page: Path, where: Path, variables: dict[str, str]) -> None:
    """Run every command of a page, and all of its Python as one program."""
    status, said = shell("corefine demo -o .", where, variables)
    assert status == 0, said
    program: list[Block] = []
    for block in blocks(page.read_text("utf-8")):
        if block.remark.startswith("not run: "):
            continue
        if block.language in {"python", "pycon"}:
            program.append(block)
            continue
        expected = re.fullmatch(r"exit status (\d+)", block.remark)
        for command in commands(block):
            run_command(command, where, int(expected[1] if expected else 0), variables)
    plain = [block for block in program if not block.text.lstrip().startswith(">>>")]
    if plain:
        (where / "program.py").write_text("\n".join(block.text for block in plain), "utf-8")
        status, said = shell("python program.py", where, variables)
        assert status == 0, said


def test_pages_run_with_the_wheel_alone(tmp_path):
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    run([*pip, "--wheel-dir", str(tmp_path), str(ROOT)], tmp_path)
    wheel = next(tmp_path.glob("*.whl"))
    folder = tmp_path / "environment"
    variables = make_environment(folder, wheel)
    where = tmp_path / "anywhere"
    where.mkdir()
    asked = "python -c 'import corefine; print(corefine.__file__)'; pip list --format freeze"
    status, said = shell(asked, where, variables)
    assert status == 0
    assert str(folder) in said
    assert "pandas" not in said
    walk(README, where, variables)
    install(folder, f"{wheel}[{EXTRAS}]")
    for page in HOW_TO:
        where = tmp_path / page.stem
        where.mkdir()
        # Examples that are no part of the package are those of the repository.
        (where / "docs").symlink_to(ROOT / "docs")
        walk(page, where, variables)
