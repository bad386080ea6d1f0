"""Formats that other installed packages bring by entry points."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.building import toy_packages
from tests.building.toy_packages import run

PAIRS = """
from corefine import Corpus
from corefine.formats import Format, Capabilities, register


def read(source, layers):
    entities = {}
    for line in source.read_all().decode().splitlines()[1:]:
        mention, entity = line.split(":")
        entities.setdefault(entity, []).append(mention)
    return Corpus.from_documents({"d": list(entities.values())})


def write(corpus):
    yield b"%pairs\\n"
    for (entities,) in [corpus.to_dict().values()]:
        for number, mentions in enumerate(entities):
            for mention in mentions:
                yield f"{mention}:{number}\\n".encode()


PAIRS = Format(
    name="NAME",
    title="Pairs of mention and entity",
    suffixes=(".pairs",),
    sniff=lambda head, name: 0.95 if head.startswith(b"%pairs") else 0.0,
    read_columns=read,
    capabilities=Capabilities(text=False, names=True),
    documentation="",
    write=write,
)
"""


def install(folder: Path, target: str, name: str = "pairs", extra: str = "") -> None:
    """Install a toy package with one entry point of formats into a folder."""
    code = PAIRS.replace("NAME", name) + extra
    toy_packages.install(folder, "corefine.formats", "pairs", code, name, target)


@pytest.mark.parametrize(
    ("target", "extra"), [("toy.pairs:PAIRS", ""), ("toy.pairs", "\nregister(PAIRS)\n")]
)
def test_a_package_brings_a_format(tmp_path: Path, target: str, extra: str) -> None:
    install(tmp_path, target, extra=extra)
    (tmp_path / "key.pairs").write_text("%pairs\na:1\nb:1\nc:2\n")
    script = """
import corefine
from corefine.formats import all_formats
by_content, by_name = corefine.read("key.pairs"), corefine.read("key.pairs", "pairs")
assert by_content.to_dict() == by_name.to_dict() == {"d": [["a", "b"], ["c"]]}
corefine.write(by_content, "again.pairs", "pairs")
assert corefine.score("key.pairs", "again.pairs")["lea"].f1 == 1
print([format.name for format in all_formats() if format.name in ("pairs", "conll")])
"""
    found = run(tmp_path, script)
    assert (found.stdout, found.stderr) == ("['conll', 'pairs']\n", "")


def test_packages_are_not_asked_for_what_corefine_knows(tmp_path: Path) -> None:
    install(tmp_path, "toy.pairs:PAIRS", extra="\nraise ImportError('not needed')\n")
    (tmp_path / "a.conll").write_text("#begin document (a); part 000\na 0 0 w (1)\n#end document\n")
    (tmp_path / "a.conllu").write_text("# newdoc id = a\n1\tw" + 7 * "\t_" + "\tEntity=(e)\n")
    script = """
import sys, corefine
corefine.read("a.conll"), corefine.read("a.conll", "conll"), corefine.read("a.conllu")
print([name for name in sys.modules if name.startswith("toy")])
"""
    found = run(tmp_path, script)
    assert (found.stdout, found.stderr) == ("[]\n", "")


@pytest.mark.parametrize(
    ("target", "name", "extra", "expected"),
    [
        (
            "toy.pairs:PAIRS",
            "conll",
            "",
            (
                "two formats are named 'conll': that of corefine.formats.columns.conll and "
                "that of toy.pairs"
            ),
        ),
        (
            "toy.pairs:read",
            "pairs",
            "",
            (
                "cannot load the format 'pairs' of the package toy-formats: toy.pairs:read is "
                "neither a Format nor a module"
            ),
        ),
        (
            "toy.pairs",
            "pairs",
            "\n1 / 0\n",
            "cannot load the format 'pairs' of the package toy-formats: ZeroDivisionError",
        ),
    ],
)
def test_what_a_package_does_wrong_is_told(
    tmp_path: Path, target: str, name: str, extra: str, expected: str
) -> None:
    install(tmp_path, target, name, extra)
    script = """
from corefine.errors import CorefineError
from corefine.formats import all_formats
try:
    all_formats()
except CorefineError as error:
    print(error)
"""
    found = run(tmp_path, script)
    assert found.stdout.startswith(expected)
    assert found.stderr == ""
