"""Formats of other installed packages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

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


def test_the_example_of_the_documentation_is_short() -> None:
    lines = [line for line in EXAMPLE.splitlines() if line.strip()]
    assert len(lines) < 80


@pytest.mark.parametrize(
    ("target", "extra"),
    [
        ("toy.pairs:PAIRS", ""),
        ("toy.pairs", "\nfrom corefine.formats import register\nregister(PAIRS)\n"),
    ],
)
def test_a_package_brings_a_format(tmp_path: Path, target: str, extra: str) -> None:
    install(tmp_path, target, extra)
    script = """
import corefine
from corefine.formats import all_formats
corpus = corefine.read("key.pairs")
assert corpus.to_dict() == corefine.read("key.pairs", "pairs").to_dict()
assert corpus["d"].words(corpus["d"].mentions[1]) == "her"
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


def test_packages_are_not_asked_for_what_corefine_knows(tmp_path: Path) -> None:
    install(tmp_path, extra="\nraise ImportError('not needed')\n")
    (tmp_path / "a.conllu").write_text("# newdoc id = a\n1\tw" + 7 * "\t_" + "\tEntity=(e)\n")
    (tmp_path / "a.jsonl").write_text('{"doc_key": "a", "sentences": [["w"]], "clusters": []}\n')
    script = """
import sys, corefine
for name in ("a.conll", "a.conllu", "a.jsonl"):
    corefine.read(name)
corefine.read("a.conll", "conll")
print([name for name in sys.modules if name.startswith("toy")])
"""
    found = run(tmp_path, script)
    assert (found.stdout, found.stderr) == ("[]\n", "")


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
    tmp_path: Path, target: str, extra: str
) -> None:
    install(tmp_path, target, extra)
    script = """
import warnings, corefine
from corefine.formats import all_formats
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(len(all_formats()) > 20, corefine.read("a.conll").documents)
print([str(one.message).split(":")[0] for one in caught])
"""
    found = run(tmp_path, script)
    assert found.stderr == ""
    assert found.stdout.splitlines() == [
        "True ('a',)",
        "[\"cannot load the format 'pairs' of the package toy-formats\"]",
    ]


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
def test_a_format_that_fails_is_named_with_its_package(tmp_path: Path, function: str) -> None:
    extra = f"\n{function}\nfrom dataclasses import replace\n"
    install(tmp_path, extra=extra + "PAIRS = replace(PAIRS, read=read, detect=detect)\n")
    script = """
import corefine
try:
    corefine.read("key.pairs")
except corefine.CorefineError as error:
    print("the format pairs of the package toy" in str(error))
print(corefine.read("a.conll").documents)
"""
    found = run(tmp_path, script)
    assert (found.stdout, found.stderr) == ("True\n('a',)\n", "")
