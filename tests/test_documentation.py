"""The code in the README and in docs/ is run as it is written.

All blocks of a page run in their order, in one folder that holds copies of the bundled samples and
``docs``, and its ``python`` blocks share their variables. In ``console`` and ``sh`` blocks a
line that starts with ``$ `` is a command; the lines after it are its output, where there are any:
they are compared with what it prints, up to white space, ``...`` standing for any text.

A comment on the line before a block says what is special about it:
``<!-- exit status 2 -->``, or ``<!-- not run: and why -->``.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import stat
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from corefine.formats import all_formats
from docs.making import REGION

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FAST_PAGES = {"docs/getting-started.md", "docs/how-to/cite.md", "docs/index.md"}
EXTRAS = {
    "README.md": ("skops",),
    "docs/formats/parquet.md": ("pyarrow",),
    "docs/integrations.md": ("pandas", "polars"),
    "docs/resolving.md": ("skops",),
}
"""What has to be installed for a page to run: without it the page is skipped."""
SAMPLES = ROOT / "src" / "corefine" / "formats" / "sample"

FENCE = re.compile(
    r"(?:^[ ]*<!-- (?P<remark>[^\n]*?) -->\n)?"
    r"^(?P<indent>[ ]*)```(?P<language>python|pycon|console|sh)[ ]*\n"
    r"(?P<text>.*?)^(?P=indent)```[ ]*$",
    re.DOTALL | re.MULTILINE,
)
#: What makes an environment cannot run inside one: it is looked at instead.
SCRIPT = re.compile(r"(?:\./)?((?:scripts|\.ci)/\w+)(?:\s|$)")
INSTALLATION = re.compile(
    r"""(?:python3? -m )?pip install (?:-U )?["']?(?:corefine|\.)(?:\[(.*?)\])?["']?$"""
)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of code, and the line of the page on which its text starts."""

    language: str
    text: str
    line: int
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A command as one would type it, the output shown after it, and where it stands."""

    text: str
    expected: str
    line: int


def blocks(page: str) -> Iterator[Block]:
    for match in FENCE.finditer(page):
        indent = len(match["indent"])
        text = "".join(line[indent:] for line in match["text"].splitlines(keepends=True))
        line = page.count("\n", 0, match.start("text")) + 1
        yield Block(match["language"], text, line, match["remark"] or "")


def commands(block: Block) -> Iterator[Command]:
    """The commands of a block. Without any ``$`` every line is one, unless it is a comment."""
    lines = [*enumerate(block.text.splitlines(), start=block.line)]
    if not any(text.startswith("$ ") for _, text in lines):
        for line, text in lines:
            if text.strip() and not text.startswith("#"):
                yield Command(text.partition(" #")[0].strip(), "", line)
        return
    command, at = "", 0
    output: list[str] = []
    for line, text in lines:
        if text.startswith("$ "):
            if command:
                yield Command(command, "\n".join(output), at)
            command, output, at = text[2:], [], line
        elif command.endswith("\\") and not output:
            command = f"{command}\n{text.removeprefix('> ')}"
        else:
            output.append(text)
    yield Command(command, "\n".join(output), at)


def agrees(expected: str, printed: str) -> bool:
    """Whether the output is as shown, up to white space and what ``...`` leaves out."""
    parts = [re.escape(" ".join(part.split())) for part in expected.split("...")]
    return re.fullmatch(r"\s*.*?\s*".join(parts), " ".join(printed.split()), re.DOTALL) is not None


def looked_at(command: str) -> bool:
    """Checks a command that is not run: an existing script, an installation with known extras."""
    if script := SCRIPT.match(command):
        assert (ROOT / script[1]).stat().st_mode & stat.S_IXUSR, f"{script[1]} cannot be run"
        return True
    if installation := INSTALLATION.match(command):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        extras = {extra.strip() for extra in (installation[1] or "").split(",")} - {""}
        assert extras <= project["optional-dependencies"].keys()
        return True
    return False


def run_command(command: Command, where: Path, status: int, environment: dict[str, str]) -> None:
    if looked_at(command.text):
        return
    finished = subprocess.run(
        ["bash", "-c", command.text],
        cwd=where,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert finished.returncode == status, f"exit status {finished.returncode}\n{finished.stdout}"
    if command.expected.strip():
        assert agrees(command.expected, finished.stdout), (
            f"shown:\n{command.expected}\nprinted:\n{finished.stdout}"
        )


def run_python(block: Block, page: str, variables: dict[str, Any]) -> None:
    if block.text.lstrip().startswith(">>>"):
        test = doctest.DocTestParser().get_doctest(
            block.text, variables, page, page, block.line - 1
        )
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        said: list[str] = []
        runner = doctest.DocTestRunner(optionflags=flags)
        runner.run(test, out=said.append, clear_globs=False)
        variables.update(test.globs)
        assert not runner.failures, "".join(said)
    else:
        # The empty lines before it make a traceback name the line of the page.
        code = compile("\n" * (block.line - 1) + block.text, page, "exec")
        exec(code, variables)


@pytest.fixture
def environment(tmp_path_factory):
    """An environment in which ``corefine`` and ``python`` are those under test."""
    programs = tmp_path_factory.mktemp("programs")
    for name, arguments in (
        ("corefine", " -m corefine"),
        ("corefine-scorer", " -m corefine.compat.perl"),
        ("python", ""),
        ("python3", ""),
    ):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}"{arguments} "$@"\n', "utf-8")
        program.chmod(0o755)
    paths = [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    return {
        **{k: v for k, v in os.environ.items() if k not in {"FORCE_COLOR", "CLICOLOR_FORCE"}},
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "TERM": "dumb",
    }


def page_parameter(page: Path):
    name = page.relative_to(ROOT).as_posix()
    return pytest.param(page, id=name, marks=[] if name in FAST_PAGES else [pytest.mark.slow])


@pytest.mark.parametrize("page", [page_parameter(page) for page in PAGES])
def test_page_runs_as_written(page, environment, tmp_path, monkeypatch):
    for module in EXTRAS.get(page.relative_to(ROOT).as_posix(), ()):
        pytest.importorskip(module, reason=f"{module} is not installed")
    shutil.copytree(
        SAMPLES, tmp_path, ignore=shutil.ignore_patterns("__*", "*.py"), dirs_exist_ok=True
    )
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(tmp_path)
    variables: dict[str, Any] = {"__name__": "__main__"}
    problems = []
    for block in blocks(page.read_text("utf-8")):
        if block.remark.startswith("not run: "):
            continue
        status = re.fullmatch(r"exit status (\d+)", block.remark)
        line = block.line
        try:
            if block.language in {"python", "pycon"}:
                run_python(block, page.name, variables)
            else:
                for command in commands(block):
                    line = command.line
                    run_command(command, tmp_path, int(status[1]) if status else 0, environment)
        except Exception as problem:
            problems.append(f"{page.name}:{line}: {type(problem).__name__}: {problem}")
    if problems:
        pytest.fail("\n\n".join(problems), pytrace=False)


def test_what_fails_is_reported(tmp_path, environment):
    with pytest.raises(AssertionError, match="exit status 3"):
        run_command(Command("exit 3", "", 1), tmp_path, 0, environment)
    with pytest.raises(AssertionError, match="printed"):
        run_command(Command("echo one", "two", 1), tmp_path, 0, environment)
    with pytest.raises(AssertionError, match="Expected"):
        run_python(Block("python", ">>> 1 + 1\n3\n", 1), "page", {})
    with pytest.raises(FileNotFoundError):
        looked_at("scripts/nothing")
    with pytest.raises(AssertionError):
        looked_at("pip install 'corefine[nothing]'")


def test_the_readme_counts_the_formats():
    (count,) = re.findall(r"It reads (\d+) formats", (ROOT / "README.md").read_text("utf-8"))
    assert int(count) == len(all_formats())


def test_the_hand_written_documentation_stays_short():
    """In words; without the parts and the page that are generated."""
    written = [page for page in PAGES if page.name != "changelog.md"]
    words = {page.name: len(REGION.sub("", page.read_text("utf-8")).split()) for page in written}
    assert sum(words.values()) <= 32_000, sorted(words.items(), key=lambda item: -item[1])[:20]


def test_contributing_lists_every_package():
    """By its row or, inside another package, in the row of that one."""
    source = ROOT / "src" / "corefine"
    lines = (ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines()
    for module in sorted(source.glob("*/**/__init__.py")):
        top, *inner = module.parent.relative_to(source).parts
        (row,) = [line for line in lines if line.startswith(f"| `{top}/` |")]
        assert all(f"`{name}/`" in row for name in inner), module.parent


def test_contributing_names_only_folders_that_exist():
    """In its table of the architecture, and by paths anywhere."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    source = ROOT / "src" / "corefine"
    rows = re.findall(r"^\| `(\w+)/` \|(.*)\|$", text, re.MULTILINE)
    assert len(rows) == 15
    for top, described in rows:
        for inner in ["", *re.findall(r"`(\w+)/`", described)]:
            assert (source / top / inner).is_dir(), f"{top}/{inner}"
    for path in re.findall(r"`((?:src|tests|docs|scripts|benchmarks)/[\w./-]*)`", text):
        assert (ROOT / path).exists(), path
