"""Data cards, and repairs with their log."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import corefine
from corefine import Corpus, Document, Mention
from corefine.cli import main
from corefine.errors import CorefineError

TEXT = ["Ann", "met", "her", "dog", ".", "The", "dog", "saw", "Ann", "."]


def card() -> Corpus:
    spans = {"ann": [(0, 1), (2, 3), (8, 9)], "dog": [(2, 4), (5, 7)], "saw": [(7, 8)]}
    mentions = [Mention(name, [span]) for name, found in spans.items() for span in found]
    return Corpus.from_documents([Document("d", TEXT, mentions, [0, 5])])


def test_measures_by_hand():
    measures = corefine.describe(card()).cards["corpus"]
    expected = {
        "documents": 1, "tokens": 10, "sentences": 2, "mentions": 6, "entities": 3,
        "singletons": Fraction(1, 3), "mentions per entity": 2, "largest entity": 3,
        "mentions per non-singleton": Fraction(5, 2),
        "tokens per mention": Fraction(8, 6), "nested mentions": Fraction(1, 6),
        "discontinuous mentions": 0, "spread (median)": Fraction(8 + 3, 2),
        "distance (median)": 3, "same sentence": Fraction(1, 3),
    }  # fmt: skip
    assert {name: measures[name] for name in expected} == pytest.approx(
        {name: float(value) for name, value in expected.items()}
    )
    # "Ann" twice by their words; "dog" twice by their last word.
    linked = [[(0, 1), (8, 9)], [(2, 3)], [(2, 4)], [(5, 7)], [(7, 8)]]
    by_text = Corpus.from_documents(
        [Document("d", TEXT, [Mention(n, [s]) for n, e in enumerate(linked) for s in e])]
    )
    assert measures["string match"] == corefine.score(card(), by_text, "conll")["conll"].f1
    assert measures["same head"] > measures["string match"]


def test_two_corpora_side_by_side(capsys, tmp_path):
    paths = [str(tmp_path / name) for name in ("a.jsonl", "b.jsonl")]
    for path in paths:
        corefine.write(card(), path, "e2e", lossy=True)
    assert main(["describe", *paths, "--output", "markdown"]) == 0
    assert "| measure | a.jsonl | b.jsonl |" in capsys.readouterr().out
    assert corefine.describe([["Anna", "Anna#2"]]).cards["corpus"]["string match"] == 1
    assert "string match" not in corefine.describe(Corpus.from_labels([0, 0])).cards["corpus"]


BROKEN = """#begin document (d); part 000
d 0 0 Ann NNP * - - - - * (1)
d 0 1 met VBD * - - - - * -
d 0 2 Eve NNP * - - - - * (2

d 0 0 she PRP * - - - - * 1)
d 0 1 left VBD * - - - - * (1)|(1)
d 0 2 . . * - - - - * -

#end document
"""


def test_repairs_with_one_reading(tmp_path):
    broken, target = tmp_path / "broken.conll", tmp_path / "repaired.conll"
    broken.write_text(BROKEN)
    log = corefine.repair(broken, target).log
    assert [(one.repair, one.line) for one in log] == [
        ("unbalanced bracket", 4), ("unbalanced bracket", 6), ("duplicate mention", 7),
    ]  # fmt: skip
    assert broken.read_text() == BROKEN
    repaired = corefine.read(target)
    assert len(repaired.mentions) == 4
    assert repaired["d"].layers["pos"] == ["NNP", "VBD", "NNP", "PRP", "VBD", "."]
    with pytest.raises(CorefineError):
        corefine.repair(broken, broken)


@pytest.mark.parametrize(
    ("cell", "repaired"),
    [("3)|(3", [(1, 2)]), ("(4)|3)|(3", [(1, 2), (1, 2)]), ("3)|3)|(3", None), ("(3(5", None)],
)
def test_brackets_that_cross_at_a_token(cell, repaired, tmp_path):
    broken = tmp_path / "broken.conll"
    broken.write_text(BROKEN.replace("met VBD * - - - - * -", f"met VBD * - - - - * {cell}"))
    if repaired is None:
        with pytest.raises(CorefineError):
            corefine.repair(broken)
        return
    found = corefine.repair(broken)
    assert ("crossed brackets", 3) in [(one.repair, one.line) for one in found.log]
    mentions = [m.spans[0] for m in found.corpus["d"].mentions if m.entity in ("3", "4")]
    assert sorted(set(mentions)) == sorted(set(repaired))


def test_empty_clusters_are_logged_and_removed(tmp_path):
    broken, target = tmp_path / "broken.jsonl", tmp_path / "repaired.jsonl"
    record = {"doc_key": "d", "sentences": [["Ann", "left"]], "clusters": [[], [[0, 0]], []]}
    broken.write_text("\n" + json.dumps(record) + "\n")
    log = corefine.repair(broken, target).log
    assert [(one.repair, one.document, one.line) for one in log] == [("empty entity", "d", 2)] * 2
    assert json.loads(target.read_text())["clusters"] == [[[0, 0]]]


def test_brackets_with_several_readings_stay_errors(tmp_path):
    broken = tmp_path / "broken.conll"
    broken.write_text(BROKEN.replace("* -\nd 0 2 Eve", "* (3\nd 0 2 Eve"))
    with pytest.raises(CorefineError) as caught:
        corefine.repair(broken)
    assert caught.value.where is not None
    assert caught.value.where.line == 3


def test_the_command_repairs_in_place_only_if_asked(tmp_path, capsys):
    file = tmp_path / "broken.conll"
    file.write_text(BROKEN)
    assert main(["check", str(file), "--fix", str(file)]) == 2
    assert file.read_text() == BROKEN
    assert main(["check", str(file), "--in-place", "--output", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["repairs"]) == 3
    assert main(["check", str(file)]) == 0


def test_reused_ids_and_trailing_punctuation():
    documents = [
        Document(name, ["Ann", "left", "."], [Mention("ann", [(0, 1)]), Mention("e", [(1, 3)])])
        for name in "ab"
    ]
    from corefine.auditing.repairing import repaired_documents

    log = repaired_documents(documents)
    assert [(one.repair, one.document, one.changed) for one in log] == [
        ("trailing punctuation", "a", False),
        ("reused id", "b", True),
        ("reused id", "b", True),
        ("trailing punctuation", "b", False),
    ]
    assert [mention.entity for mention in documents[1].mentions] == ["ann.2", "e.2"]
