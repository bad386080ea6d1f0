"""Formats of other installed packages."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import corefine
from corefine.errors import CorefineWarning
from corefine.formats import all_formats, registry
from tests.building import toy_packages
from tests.building.toy_packages import run
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "how-to" / "own-metric-or-format.md").read_text("utf-8")
(EXAMPLE,) = re.findall(r"```python\n(\"\"\"Pairs.*?)```", PAGE, re.DOTALL)
KEY = "%pairs d\nAnna saw her\n0\t1\tanna\n2\t3\tanna\n"


def install(folder: Path, target: str = "toy.pairs:PAIRS", extra: str = "") -> None:
    """Install the example of the documentation as a package into a folder."""
    toy_packages.install(folder, "corefine.formats", "pairs", EXAMPLE + extra, "pairs", target)
    (folder / "key.pairs").write_text(KEY)
    (folder / "a.conll").write_text(
        "#begin document (a); part 000\na 0 0 w (1)\na 0 1 v (1)\n#end document\n"
    )


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of packages that this process finds."""
    all_formats()
    monkeypatch.setattr(registry, "_formats", dict(registry._formats))
    monkeypatch.syspath_prepend(tmp_path)
    registry._load_others.cache_clear()
    yield tmp_path
    registry._load_others.cache_clear()
    for name in ("toy", "toy.pairs"):
        sys.modules.pop(name, None)


def test_a_package_brings_a_format(tmp_path: Path) -> None:
    assert len([line for line in EXAMPLE.splitlines() if line.strip()]) < 80
    install(tmp_path)
    script = """
import sys, corefine
from corefine.formats import all_formats
corefine.read("a.conll")
assert "toy" not in sys.modules  # packages are loaded for unknown files only
corpus = corefine.read("key.pairs")
assert corpus.to_dict() == corefine.read("key.pairs", "pairs").to_dict()
assert corpus["d"].words_of(corpus["d"].mentions[1]) == "her"
corefine.write(corpus, "again.pairs")
assert corefine.score("key.pairs", "again.pairs")["lea"].f1 == 1
try:
    corefine.write(corefine.read("a.conll"), "a.pairs")
    print([format.name for format in all_formats() if format.name in ("pairs", "conll")])
    open("bad.pairs", "w").write("%pairs d\\na b\\n0 1 x\\n")
    corefine.read("bad.pairs")
except corefine.CorefineError as error:
    print(error.where)
"""
    found = run(tmp_path, script)
    assert (found.stdout, found.stderr) == ("['conll', 'pairs']\nbad.pairs:3\n", "")


def test_a_module_may_register_its_formats(installed: Path) -> None:
    install(installed, "toy.pairs", "\nfrom corefine.formats import register\nregister(PAIRS)\n")
    assert corefine.read(installed / "key.pairs").documents == ("d",)


@pytest.mark.parametrize(
    ("target", "extra"),
    [
        ("toy.pairs:read", ""),
        ("toy.pairs", "\n1 / 0\n"),
        ("toy.pairs", "\nimport sys\nsys.exit(3)\n"),
        ("toy.missing", ""),
        (
            "toy.pairs:OTHER",
            "\nfrom dataclasses import replace\nOTHER = replace(PAIRS, name='conll')\n",
        ),
    ],
)
def test_a_package_that_cannot_be_loaded_is_named_in_a_warning(
    installed: Path, target: str, extra: str
) -> None:
    install(installed, target, extra)
    with pytest.warns(CorefineWarning, match="'pairs' of the package toy-formats"):
        assert len(all_formats()) > 20


@pytest.mark.parametrize(
    "function",
    [
        "def read(source): raise RuntimeError('x')",
        "def read(source): raise SystemExit(3)",
        "def read(source): return 7",
        "def read(source): return ['d']",
        "def detect(head, name): raise RuntimeError('x')",
    ],
)
def test_a_format_that_fails_is_named_with_its_package(installed: Path, function: str) -> None:
    extra = f"\n{function}\nfrom dataclasses import replace\n"
    install(installed, extra=extra + "PAIRS = replace(PAIRS, read=read, detect=detect)\n")
    with pytest.raises(corefine.CorefineError, match="the format pairs of the package toy"):
        corefine.read(installed / "key.pairs")
    assert corefine.read(installed / "a.conll").documents == ("a",)
