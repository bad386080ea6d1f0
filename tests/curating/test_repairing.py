"""Repairs: edits of the source text, and nothing else."""

from __future__ import annotations

import json
import os
from itertools import combinations_with_replacement, product
from pathlib import Path

import pytest

import corefine
from corefine.cli import main
from corefine.curating import checking, repairing
from corefine.curating.parsing import Edit
from corefine.errors import CorefineError

BROKEN = """#begin document (d); part 000
d 0 0 Ann NNP * - - - - * (1)
d 0 1 met VBD * - - - - * -
d 0 2 Eve NNP * - - - - * (2

d 0 0 she PRP * - - - - * 1)
d 0 1 left VBD * - - - - * (1)|(1)
d 0 2 . . * - - - - * -

#end document
"""
REPAIRED = BROKEN.replace("(2\n", "(2)\n").replace(" 1)\n", " (1)\n").replace("(1)|(1)", "(1)")


def test_edits_touch_if_they_share_a_byte_or_one_inserts_at_an_end_of_the_other():
    places = list(combinations_with_replacement(range(4), 2))
    for one, other in product(places, repeat=2):
        shared = set(range(*one)) & set(range(*other))
        inserts = one[0] == one[1] or other[0] == other[1]
        expected = bool(shared) or (inserts and one[0] <= other[1] and other[0] <= one[1])
        edits = [Edit(start, stop, "") for start, stop in (one, other)]
        assert repairing._touch(*edits) == expected, (one, other)


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.conll"
    path.write_text(BROKEN)
    return path


def test_repairs_with_one_reading(broken):
    found = corefine.repair(broken)
    assert [(one.code, one.line) for one in found.log] == [("CU201", 4), ("CU202", 6), ("CU207", 7)]
    assert found.after.decode() == REPAIRED
    assert found.checked.findings == ()
    assert broken.read_text() == BROKEN


@pytest.mark.parametrize(
    ("cell", "repaired"),
    [
        ("3)|(3", "(3)"),
        ("(4)|3)|(3", "(4)|(3)"),
        ("3)|3)|(3", "3)|3)|(3"),
        ("(3(5", "(3(5"),
    ],
)
def test_brackets_that_cross_at_a_word(cell, repaired, broken):
    broken.write_text(BROKEN.replace("met VBD * - - - - * -", f"met VBD * - - - - * {cell}"))
    assert corefine.repair(broken).after.decode().splitlines()[2].split()[-1] == repaired


def test_empty_clusters_and_repeats_are_removed_from_json(tmp_path):
    path = tmp_path / "broken.jsonl"
    text = (
        '\n{"doc_key": "d",  "sentences": [["Ann", "left"]], "more": "\\"clusters\\": [[]]", '
        '"clusters": [[], [[0, 0], [0,0] , [1, 1]],[] ]}\n'
    )
    path.write_text(text)
    found = corefine.repair(path)
    assert [(one.code, one.line) for one in found.log] == [
        ("CU207", 2), ("CU305", 2), ("CU305", 2),
    ]  # fmt: skip
    assert json.loads(found.after)["clusters"] == [[[0, 0], [1, 1]]]
    assert found.after.decode() == text.replace(
        "[[], [[0, 0], [0,0] , [1, 1]],[] ]", "[[[0, 0] , [1, 1]] ]"
    )


def test_rows_of_a_table(tmp_path):
    path = tmp_path / "labels.tsv"
    text = 'document\tnote\tmention\tentity\r\na\t"x\r\ny"\tm\t"E"\r\na\tz\tn\tF\r\na\tz\tn\tF\r\n'
    path.write_bytes(text.encode())
    found = corefine.repair(path)
    assert [(one.code, one.line) for one in found.log] == [("CU207", 5)]
    assert found.after.decode() == text.removesuffix("a\tz\tn\tF\r\n")
    path.write_bytes(text.replace("z\tn\tF\r\na", "w\tn\tF\r\na").encode())
    assert corefine.repair(path).log == ()


UA = """# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING
# newdoc id = a
1\tAnna\t_\t_\t_\t_\t_\t_\t_\t_\t(EntityID=ann|MarkableID=m1|ElementOf=both)\t_
2\tand\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_
3\tEve\t_\t_\t_\t_\t_\t_\t_\t_\t(EntityID=both|MarkableID=m2\t_

# newdoc id = b
1\tAnna\t_\t_\t_\t_\t_\t_\t_\t_\t(EntityID=ann|MarkableID=m1|ElementOf=both)\t_
2\tEve\t_\t_\t_\t_\t_\t_\t_\t_\t(EntityID=both|MarkableID=m2)\t(MarkableID=m2|Rel=x|MentionAnchor=m1|EntityAnchor=ann)
"""


def test_universal_anaphora(tmp_path):
    path = tmp_path / "x.ua"
    path.write_text(UA)
    found = corefine.repair(path)
    assert [(one.code, one.line) for one in found.log] == [("CU201", 5)]
    closed = UA.replace("MarkableID=m2\t", "MarkableID=m2)\t")
    assert found.after.decode() == closed
    renamed = corefine.repair(path, scope="document").after.decode()
    first, second = closed.split("# newdoc id = b")
    second = second.replace("=ann", "=ann.2").replace("=both", "=both.2")
    assert renamed == f"{first}# newdoc id = b{second}"


def test_relations_follow_their_entities(tmp_path):
    path = tmp_path / "x.conllu"
    path.write_text(
        "# global.Entity = eid-etype-head\n# newdoc id = a\n"
        "1\tCars\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-object-1)\n"
        "2\tdoors\t_\t_\t_\t_\t_\t_\t_\tBridge=e1<e2:part|Entity=(e2-object-1)\n\n"
        "# newdoc id = b\n"
        "1\tÄxte\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-object-1)(e1.2-other-1)|SpaceAfter=No\n"
        "2\tstiele\t_\t_\t_\t_\t_\t_\t_\tBridge=e1<e2:part|Entity=(e2[1/2]-object-1)\n"
        "3\tx\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "4\ty\t_\t_\t_\t_\t_\t_\t_\tEntity=(e2[2/2]-object-1)\n\n"
    )
    found = corefine.repair(path)
    lines = [line.split("\t")[-1] for line in found.after.decode().splitlines()]
    assert lines[6:8] == [
        "Entity=(e1.3-object-1)(e1.2-other-1)|SpaceAfter=No",
        "Bridge=e1.3<e2.2:part|Entity=(e2.2[1/2]-object-1)",
    ]
    assert lines[9] == "Entity=(e2.2[2/2]-object-1)"
    assert corefine.repair(path, scope="corpus").log == ()


def test_in_place(broken, capsys):
    broken.chmod(0o640)
    link = broken.with_name("link.conll")
    link.symlink_to(broken.name)
    assert main(["check", str(link), "--diff"]) == 1
    assert "* (2\n+d 0 2 Eve NNP * - - - - * (2)\n" in capsys.readouterr().out
    assert broken.read_text() == BROKEN
    assert main(["check", str(link), "--fix"]) == 0
    said = capsys.readouterr().out
    assert f"{link}:4: CU201" in said
    assert "3 repaired, 0 left." in said
    assert (broken.read_text(), link.is_symlink()) == (REPAIRED, True)
    assert broken.stat().st_mode & 0o777 == 0o640
    before = broken.stat()
    assert main(["check", str(link), "--fix"]) == 0
    assert broken.stat() == before


def test_elsewhere(broken, capsys):
    target = broken.with_name("out.conll")
    assert main(["check", str(broken), "--fix", "-o", str(target), "--output", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert len(found["repairs"]) == 3
    assert (broken.read_text(), target.read_text()) == (BROKEN, REPAIRED)
    assert main(["check", str(broken), "--fix", "-o", str(broken)]) == 2
    assert main(["check", str(broken), str(target), "--fix", "-o", "x.conll"]) == 2
    assert broken.read_text() == BROKEN


def test_a_file_that_cannot_be_read_and_one_with_problems_that_are_left(broken, tmp_path, capsys):
    other = tmp_path / "other.conll"
    other.write_bytes(b"\xff\xfenothing")
    broken.write_text(BROKEN.replace("* -\nd 0 2 Eve", "* (3\nd 0 2 Eve"))
    assert main(["check", str(other), str(broken), "--fix"]) == 2
    assert broken.read_text() == REPAIRED.replace("* -\nd 0 2 Eve", "* (3\nd 0 2 Eve")
    said = capsys.readouterr()
    assert str(other) in said.err
    assert f"{broken}:3: CU201 a mention of entity '3'" in said.out
    assert main(["check", str(broken), "--fix"]) == 1


def test_a_file_that_changed_meanwhile_is_refused(broken, monkeypatch):
    def changing(*arguments, **options):
        broken.write_text(BROKEN + "#more\n")
        return original(*arguments, **options)

    original = checking.check_source
    monkeypatch.setattr(repairing, "check_source", changing)
    with pytest.raises(CorefineError, match="changed while it was checked"):
        corefine.repair(broken, in_place=True)
    assert broken.read_text() == BROKEN + "#more\n"


def test_hard_links_are_kept(broken):
    os.link(broken, broken.with_name("second"))
    with pytest.raises(CorefineError, match="several names"):
        corefine.repair(broken, in_place=True)


def test_formats_that_can_only_be_reported(tmp_path, capsys):
    path = tmp_path / "x.xml"
    path.write_text('<doc><p><COREF ID="1">Ann</COREF> left</p></doc>')
    assert main(["check", str(path), "--fix"]) == 2
    assert "can only be reported" in capsys.readouterr().err
