"""corefine check, convert and formats."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from corefine import Document, Mention
from corefine.cli import main
from corefine.curating.checking import check
from corefine.curating.parsing import annotated_document, line_of
from tests.building.sample import sample_path

GOOD = "#begin document (a)\na 0 0 Anna (1)\na 0 1 she (1)\n#end document\n"
LATER = GOOD.replace("(a)", "(c)")
BAD = "#begin document (b)\nb 0 0 Anna (1\nb 0 1 she 2)\n#end document\n"


def test_every_document_with_a_problem_is_told(tmp_path, capsys):
    path = tmp_path / "x.conll"
    path.write_text(GOOD + BAD + LATER + BAD.replace("(b)", "(d)"))
    (result,) = check(path)
    assert [finding.line for finding in result.findings] == [6, 7, 14, 15]
    assert result.summary is not None
    assert (result.summary.documents, result.summary.mentions) == (2, 4)
    assert (result.summary.entities, result.summary.singletons) == (2, 0)
    assert main(["check", str(path)]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith(f"{path}:6: CU201 a mention of entity '1' is opened here")
    assert printed[3].startswith(f"{path}:15: CU202 a mention of entity '2' is closed here")


def test_a_document_given_twice_is_a_problem_beside_others(tmp_path):
    path = tmp_path / "x.conll"
    path.write_text(GOOD + BAD + GOOD)
    (result,) = check(path)
    messages = [str(problem) for problem in result.problems]
    assert messages[-1].startswith(f"{path}:10: document 'a' occurs twice, first at {path}:2.")
    assert len(messages) == 3
    assert result.summary is not None
    assert result.summary.documents == 1


def test_warnings_count_lines_from_the_start_of_the_file(tmp_path):
    """Also where a document has an error, so that documents are read one by one."""
    path = tmp_path / "x.conll"
    repeated = LATER.replace("Anna (1)", "Anna (1)|(2)")
    ragged = "#begin document (e)\ne 0 0 Anna\n\ne 0 1 she (1)\n"
    path.write_text(BAD + repeated + ragged)
    (result,) = check(path)
    assert ("CU208", 6) in [(finding.code, finding.line) for finding in result.findings]
    assert (result.findings[-1].code, result.findings[-1].line) == ("CU203", 10)


def test_lines_without_names_are_no_repeats_of_one_another(tmp_path):
    path = tmp_path / "x.jsonl"
    line = '{"text": "Anna saw her", "clusters": [[[0, 4], %s]]}\n'
    path.write_text(line % "[9, 12]" + line % "[9, 99]" + line % "null" + line % "[9, 12]")
    (result,) = check(path)
    assert [str(problem).split(" is ")[0] for problem in result.problems] == [
        f"{path}:2: clusters[0][1]"
    ]
    assert ["null" in one.message for one in result.findings if one.code == "CU002"] == [True]
    assert result.summary is not None
    assert result.summary.documents == 3


def test_what_only_all_files_of_a_folder_have_wrong(tmp_path):
    (tmp_path / "a.conll").write_text(GOOD)
    (tmp_path / "b.conll").write_text(LATER + GOOD)
    first, second = check(tmp_path)
    assert first.problems == ()
    (problem,) = second.problems
    assert problem.message == f"document 'a' occurs twice, first at {tmp_path / 'a.conll'}:2"
    (tmp_path / "b.conll").unlink()
    (tmp_path / "c.csv").write_text("mention,entity\na,1\n")
    assert "files of several formats" in str(check(tmp_path)[0].problems[0])


def test_the_texts_beside_annotations_are_no_files_of_their_own(tmp_path):
    (tmp_path / "a.txt").write_text("Ann")
    (tmp_path / "a.ann").write_text("T1\tMention 0 3\tAnn\nT2\tMention 0 3\tAnn\n")
    (checked,) = check(tmp_path)
    assert checked.source == str(tmp_path / "a.ann")
    assert [one.code for one in checked.findings] == ["CU208"]


def test_the_line_of_a_mention_is_0_where_lines_are_not_known():
    document = Document("d", ["Ann"], [Mention("e", [(0, 1)])])
    assert line_of(document, document.mentions[0]) == 0
    assert annotated_document(document).mentions[0].key == ((0, 1),)


@pytest.mark.parametrize(
    ("command", "rest"),
    [
        (["check"], []),
        (["convert"], ["out.conll"]),
        (["agree"], [str(sample_path("key"))]),
    ],
)
def test_advice_names_options_that_the_command_has(command, rest, tmp_path, monkeypatch, capsys):
    """A file of no known format: every option that errors and tables advise exists."""
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("No coreference here.\n")
    assert main([*command, "notes.txt", *rest]) == 2
    printed = capsys.readouterr()
    advised = set(re.findall(r"--[a-z-]+", printed.out + printed.err))
    assert main(["help", *command]) == 0
    assert advised
    assert advised <= set(re.findall(r"--[a-z-]+", capsys.readouterr().out))


@pytest.mark.parametrize("content", [b"#begin document (x)\nx 0 0 \xdcnn (1)|(1)\n", b"#begin\0"])
def test_what_is_not_text_cannot_be_read_or_repaired(content, tmp_path, capsys):
    path = tmp_path / "x.conll"
    path.write_bytes(content)
    assert main(["check", str(path)]) == 2
    assert main(["check", str(path), "--fix"]) == 2
    assert path.read_bytes() == content


def test_other_files_are_checked_if_one_is_missing(tmp_path, capsys):
    (tmp_path / "x.conll").write_text(BAD)
    assert main(["check", str(tmp_path / "y.conll"), str(tmp_path / "x.conll")]) == 2
    printed = capsys.readouterr()
    assert "CU201" in printed.out
    assert "no such file" in printed.err
