"""The list of items of the papers: every command runs, and every gap has a reason."""

from __future__ import annotations

import shlex
import shutil
from importlib.resources import files

import pytest

from corefine.cli import main
from docs.making import DOCS, regions_of
from docs.making.items import PAPERS, REGIONS, STATUSES, all_items
from tests.conftest import ROOT

COMMANDS = sorted({item.command for item in all_items() if item.status in ("works", "in part")})
SENTENCES = """
1	Jan	Jan	PROPN	_	Gender=Masc|Number=Sing	2	nsubj	_	Entity=(a-person-1-)
2	wszedł	wejść	VERB	_	Gender=Masc|Number=Sing|VerbForm=Fin	0	root	_	_

0.1	_	_	PRON	_	Gender=Masc|Number=Sing|Person=3	_	_	1:nsubj	Entity=(a-person-1-)
1	Usiadł	usiąść	VERB	_	Gender=Masc|Number=Sing|VerbForm=Fin	0	root	_	_

1	Anna	Anna	PROPN	_	Gender=Fem|Number=Sing	2	nsubj	_	Entity=(b-animal-1-)
2	przyszła	przyjść	VERB	_	Gender=Fem|Number=Sing|VerbForm=Fin	0	root	_	_

0.1	_	_	PRON	_	Gender=Fem|Number=Sing|Person=3	_	_	1:nsubj	Entity=(b-animal-1-)
1	Śpiewała	śpiewać	VERB	_	Gender=Fem|Number=Sing|VerbForm=Fin	0	root	_	_

"""
ZEROS = "".join(
    f"# newdoc id = d{number}\n# global.Entity = eid-etype-head-other{SENTENCES}"
    for number in range(4)
)
RANKS = {1: 4, 2: 1, 4: 5, 6: 2, 9: 2}
FILES = {
    "zeros.conllu": ZEROS,
    "2011.csv": "system,muc,b3,ceafe\na,60,50,40\nb,61,49,41\nc,55,52,30\n",
    "2012.csv": "system,muc,b3,ceafe\na,60,59,40\nb,61,49,41\nc,55,52,30\n",
    "judged.csv": "document,entity,judge,rank\n"
    + "".join(f"the-letter,{entity},ann,{rank}\n" for entity, rank in RANKS.items()),
    "systems.csv": "system,judge,score\ncareful,ann,4\neager,ann,1\n",
}


def test_the_page_has_the_list():
    parts = regions_of((DOCS / "reproduction.md").read_text("utf-8"))
    for name, made in REGIONS.items():
        assert parts[name] == made(), "stale: run scripts/tables"


def test_every_item_has_a_command_or_a_reason():
    items = all_items()
    assert len(items) == len({item.id for item in items}) == 208
    assert {item.id[0] for item in items} == set(PAPERS)
    for item in items:
        assert item.status in STATUSES
        assert item.command.startswith("corefine ")
        assert (item.status == "works") != bool(item.reason), item.id


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("items")
    shutil.copytree(ROOT / "docs" / "examples", path / "docs" / "examples")
    for name, text in FILES.items():
        (path / name).write_text(text, "utf-8")
    for file in files("corefine.formats").joinpath("sample").iterdir():
        if file.name.endswith(".conll"):
            (path / file.name).write_bytes(file.read_bytes())
    return path


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(folder, command, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main(shlex.split(command)[1:]) == 0, capsys.readouterr().err
    assert capsys.readouterr().out or "-o" in command
