"""Rules: their examples, their selection, and the forms in which findings are written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import corefine
from corefine.cli import main
from corefine.curating.rules import FINDERS, GUESSERS, all_rules, selected
from tests.building.refusals import refused
from tests.building.rule_examples import example

HEADER = "# newdoc id = x\n# global.Entity = eid-etype-head\n"


def conllu(*misc: str, before: str = HEADER) -> str:
    lines = [f"{n}\tw{n}" + "\t_" * 7 + f"\t{value}" for n, value in enumerate(misc, 1)]
    return before + "\n".join([*lines, "", ""])


def codes(path: Path, **options: str) -> list[str]:
    return [
        finding.code for checked in corefine.check(path, **options) for finding in checked.findings
    ]


@pytest.mark.parametrize("code", all_rules())
def test_a_wrong_example_breaks_its_rule_and_no_other(code, tmp_path):
    rules = f"default,{code}"
    assert codes(example(code, "wrong", tmp_path), select=rules) == [code]
    assert codes(example(code, "right", tmp_path), select=rules) == []


@pytest.mark.parametrize("code", [code for code, rule in all_rules().items() if rule.repaired])
def test_the_wrong_example_is_repaired_to_the_right_one(code, tmp_path):
    found = corefine.repair(example(code, "wrong", tmp_path))
    assert found.after == example(code, "right", tmp_path).read_bytes()
    assert [one.code for one in found.log] == [code]


@pytest.mark.parametrize("code", [code for code, rule in all_rules().items() if not rule.repaired])
def test_other_rules_are_never_repaired(code, tmp_path):
    found = corefine.repair(example(code, "wrong", tmp_path), select=f"default,{code}")
    assert (found.log, found.after) == ((), found.before)


def test_guesses_are_opt_in_and_functions_have_rules(tmp_path):
    guessed = {code for code, rule in all_rules().items() if rule.severity == "guess"}
    assert guessed == set(GUESSERS)
    assert set(FINDERS) <= set(all_rules())
    assert not guessed & selected(None, None)
    assert guessed <= selected("all", None)


def test_selection(tmp_path, monkeypatch, capsys):
    file = example("CU301", "wrong", tmp_path)
    assert codes(file, ignore="CU3") == []
    assert codes(file, select="CU2") == []
    for name in ("CU999", "nothing"):
        with refused("unknown-value"):
            corefine.check(file, select=name)
    monkeypatch.chdir(tmp_path)
    settings = tmp_path / "pyproject.toml"
    settings.write_text('[tool.corefine.check]\nignore = ["CU301", "CU2"]\n')
    assert main(["check", str(file)]) == 0
    assert main(["check", str(file), "--ignore", "CU2"]) == 1
    settings.write_text('[tool.corefine.check]\nignored = "CU301"\n')
    assert main(["check", str(file)]) == 2
    assert "pyproject.toml" in capsys.readouterr().err


def test_what_cannot_be_read_is_never_ignored(tmp_path):
    file = example("CU201", "wrong", tmp_path)
    assert codes(file, ignore="CU") == ["CU001"]


def test_comments_ignore_rules_in_a_file_or_a_sentence(tmp_path):
    file = tmp_path / "x.conllu"
    bad = ("Entity=(e1-person-9)", "_", "Entity=(e1-place-1)")
    twice = conllu(*bad) + "# corefine.ignore = {}\n" + conllu(*bad, before="")
    file.write_text(twice.replace("ignore = {}", "ignored"))
    assert codes(file) == ["CU113", "CU301", "CU113", "CU301"]
    file.write_text(twice.format("CU301, CU113"))
    assert codes(file) == ["CU113", "CU301"]
    file.write_text("# corefine.ignore = CU301\n" + twice.format("CU113"))
    assert codes(file) == ["CU113"]
    file.write_text("# corefine.ignore = CU3\n" + twice.format("CU1,"))
    assert codes(file) == ["CU113", "CU002"]
    file.write_text("# corefine.ignore = CU002, CU004\n" + conllu("_"))
    assert codes(file) == []
    file.write_text("\n# corefine.ignore = CU999\n" + conllu("_"))
    (checked,) = corefine.check(file)
    assert ("CU002", 2) in [(finding.code, finding.line) for finding in checked.findings]


def test_the_first_word_of_a_document_is_inside_no_mention(tmp_path):
    file = tmp_path / "x.conllu"
    file.write_text(conllu("Entity=(e1-person-1)", "Entity=(e1-person-1)"))
    assert codes(file, select="CU508") == []


def test_a_bracket_may_lack_the_field_of_its_entity(tmp_path):
    file = tmp_path / "x.conllu"
    file.write_text(conllu("Entity=(person", before=HEADER.replace("eid-etype", "etype-eid")))
    assert codes(file) == ["CU103", "CU115", "CU201"]


def test_forms_of_output(tmp_path, capsys):
    file = example("CU201", "wrong", tmp_path)
    message = "a mention of entity '2' is opened here and never closed"
    assert main(["check", str(file), "--output", "github"]) == 1
    assert capsys.readouterr().out == f"::error file={file},line=4,title=CU201::{message}\n"
    assert main(["check", str(file), "--output", "sarif"]) == 1
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["CU201"]
    (result,) = run["results"]
    place = result.pop("locations")[0]["physicalLocation"]
    assert result == {"ruleId": "CU201", "level": "error", "message": {"text": message}}
    assert place["region"] == {"startLine": 4}
    assert main(["check", str(file), "--output", "json"]) == 1
    ((found,),) = (one["findings"] for one in json.loads(capsys.readouterr().out))
    assert found == {
        "code": "CU201", "severity": "error", "line": 4, "message": message, "repairable": True,
    }  # fmt: skip
    assert main(["check", str(file)]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith(f"{file}:4: CU201 {message}\n")
    assert "CU201  error            1           1  a mention that is never closed" in printed


def test_scopes(tmp_path):
    file = tmp_path / "labels.csv"
    file.write_text("document,mention,entity\nt1/a,x,Obama\nt1/b,y,Obama\nt2/c,z,Obama\nt2/c,w,7\n")
    assert codes(file) == []
    assert codes(file, scope="document") == ["CU303", "CU303"]
    assert codes(file, scope="topic") == ["CU303"]
    assert codes(file, scope="corpus") == []
