"""Universal Anaphora's CoNLL-U Plus: layers, spellings, malformed files, round trips."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import corefine
from corefine.corpus.columns import Relation
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.formats.ua import COLUMNS, write
from tests.building.format_files import parse, place_of_error

HEADER = f"# global.columns = {' '.join(COLUMNS)}\n"
BEGIN = HEADER + "# newdoc id = d\n"


def row(
    number: object, word: str, identity: str = "_", bridging: str = "_", deixis: str = "_"
) -> str:
    cells = [str(number), word, *"_" * 8, identity, bridging, deixis, "_", "_"]
    return "\t".join(cells) + "\n"


def parsed(text: str) -> Corpus:
    return parse(text, "ua", "x.ua")


def again(corpus: Corpus) -> Corpus:
    return parsed(b"".join(write(corpus)).decode())


SAMPLE = (
    BEGIN
    + "# sent_id = d-1\n# speaker_id = A\n"
    + row(1, "Anna", "(EntityID=1|MarkableID=m1|SemType=dn|ElementOf=3)")
    + row(2, "met", deixis="(EntityID=1-DD|MarkableID=dd1")
    + row(3, "old", "(EntityID=2|MarkableID=m2|Min=4|ElementOf=3")
    + row(4, "Ben", ")", deixis=")")
    + "\n# sent_id = d-2\n"
    + row(5, "They", "(EntityID=3|MarkableID=m3)")
    + row(6, "like", "_")
    + row(7, "that", "_", deixis="(EntityID=1-DD|MarkableID=dd2)")
    + row(8, "it", "(EntityID=4-Pseudo|MarkableID=m4)")
    + row(9, "the", "(EntityID=5|MarkableID=m5", "(MarkableID=m5|Rel=poss|MentionAnchor=m2)")
    + row(10, "hat", ")")
)


def test_all_layers_are_read() -> None:
    corpus = parsed(SAMPLE)
    (document,) = corpus
    mentions = document.mentions
    assert [(mention.entity, mention.spans) for mention in mentions] == [
        ("1", [(0, 1)]), ("2", [(2, 4)]), ("3", [(4, 5)]), ("5", [(8, 10)]),
    ]  # fmt: skip
    assert [mention.minimum for mention in mentions] == [None, (3, 4), None, None]
    assert mentions[0].attributes["SemType"] == "dn"
    assert corpus.relations == (
        Relation("split", 0, "3", "1"),
        Relation("split", 0, "3", "2"),
        Relation("bridge", 0, "5", "2", "poss"),
    )
    link = corpus.relations[2]
    assert (link.anaphor, link.antecedent) == ((8, 10), (2, 4))
    assert corpus.annotation("nonreferring").to_dict(ends="inclusive") == {"d": [[(7, 7)]]}
    assert corpus.annotation("deixis").to_dict(ends="inclusive") == {"d": [[(1, 3), (6, 6)]]}
    assert document.starts == [0, 4]
    assert document.layers["speaker"][3:5] == ["A", "_"]


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        # Columns aligned with blanks, the last ones missing.
        (row(1, "a", "(EntityID=1|MarkableID=m1(EntityID=2|MarkableID=m2)").replace("\t", "   ")
         + row(2, "b", ")").replace("\t", " ").replace(" _ _\n", "\n"), [[(0, 1)], [(0, 0)]]),
        # Ids in other cases, @ between brackets, brackets that close behind one that opens.
        (row(1, "a", "(EntityId=1|MarkableId=m1|Min=1-2@(EntityID=2|MentionID=m2|ElementOf=3,4)")
         + row(2, "b", "(EntityID=3|Markable_ID=m3))")
         + row(3, "c", "(EntityID=4|MarkableID=m4)", "MarkableID=m4|EntityAnchor=1"),
         [[(0, 1)], [(0, 0)], [(1, 1)], [(2, 2)]]),
        # Parts of a markable are one discontinuous mention.
        (row(1, "a", "(EntityID=1|MarkableID=m1") + row(2, "b", ")")
         + row(3, "c", "(EntityID=2|MarkableID=m2)") + row(4, "d", "(EntityID=1|MarkableID=m1)"),
         [[((0, 1), (3, 3))], [(2, 2)]]),
        # Crossing mentions are closed by name.
        (row(1, "a", "(EntityID=1|MarkableID=m1") + row(2, "b", "(EntityID=2|MarkableID=m2")
         + row(3, "c", "m1)") + row(4, "d", "m2)"), [[(0, 2)], [(1, 3)]]),
    ],
)  # fmt: skip
def test_spellings(text: str, entities: list[object]) -> None:
    corpus = parsed(BEGIN + text)
    assert corpus.to_dict(ends="inclusive") == {"d": entities}
    assert again(corpus).to_dict(ends="inclusive") == corpus.to_dict(ends="inclusive")
    assert set(again(corpus).relations) == set(corpus.relations)


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        *((BEGIN + row(1, "a", identity), 3) for identity in (
            ")", "(EntityID=1|MarkableID=m1", "(MarkableID=m1)", "(EntityID)", "EntityID=1",
            "(EntityID=1|Min=x)", "(EntityID=1|Min=1,x)", "(EntityID=1|Min=0)",
            f"(EntityID=1|Min={'1' * 5000})",
        )),
        (BEGIN + row("1x", "a"), 3),
        (BEGIN + "1\ta\t_\n", 3),
        (BEGIN + row(1, "a", "(EntityID=1|MarkableID=m)")
         + row(2, "b", "(EntityID=2|MarkableID=m)"), 4),
        (BEGIN + row(1, "a", "(EntityID=1|MarkableID=m1") + row(2, "b", "m3)"), 4),
        ("# global.columns = ID FORM\n" + row(1, "a"), None),
        (HEADER, None),
    ],
)  # fmt: skip
def test_malformed_files_are_refused(lines: str, line: int | None) -> None:
    assert place_of_error(parsed, lines) == ("x.ua" if line is None else f"x.ua:{line}")


def test_minimum_spans_and_anchors_that_do_not_exist_are_warnings() -> None:
    text = row(1, "a", "(EntityID=1|MarkableID=m1|Min=2)", "(MarkableID=m1|MentionAnchor=nobody)")
    corpus = parsed(BEGIN + text + row(2, "b"))
    assert len(corpus.warnings) == 2
    assert corpus.relations == ()
    assert corpus.mentions.minimum is None


def test_converting_to_conllu_keeps_relations_and_names_the_losses(tmp_path: Path) -> None:
    corpus = parsed(SAMPLE)
    with pytest.raises(UsageError, match="annotation of deixis"):
        corefine.write(corpus, tmp_path / "x.conllu")
    corefine.write(corpus, tmp_path / "x.conllu", lossy=True)
    found = corefine.read(tmp_path / "x.conllu")
    assert set(found.relations) == set(corpus.relations)
    assert [r.anaphor for r in found.relations if r.kind == "bridge"] == [(8, 10)]


def test_bridging_without_an_antecedent_is_anchored_at_the_first_mention() -> None:
    cells = ["Entity=(e1--1-)", "Entity=(e1--1-)", "Bridge=e1<e2:part|Entity=(e2--1-)"]
    text = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n" + "".join(
        f"{number}\tw" + "\t_" * 7 + f"\t{misc}\n" for number, misc in enumerate(cells, start=1)
    )
    written = b"".join(write(parse(text, "conllu")))
    assert b"MentionAnchor=markable_1|EntityAnchor=e1" in written


def test_streams_give_the_same_numbers(tmp_path: Path) -> None:
    documents = [SAMPLE.replace("id = d", f"id = d{number}").replace("d-", f"d{number}-")
                 for number in range(20)]  # fmt: skip
    key, response = tmp_path / "key.ua", tmp_path / "response.ua"
    key.write_text("\n".join(documents), "utf-8")
    response.write_text(
        "\n".join(reversed(documents)).replace("|ElementOf=3)", ")").replace("m2)", "m1)"), "utf-8"
    )
    options: dict[str, Any] = {"layer": "all", "split_antecedents": "score"}
    whole = corefine.score(key, response, **options)
    streamed = corefine.score(key, response, jobs=1, memory=96 << 20, **options)
    assert {name: streamed[name] for name in streamed} == {name: whole[name] for name in whole}
    assert 0 < whole["muc"].f1 < 1
    assert whole["muc(layer=deixis)"].f1 == whole["nonreferring"].f1 == 1
    assert whole["bridging.recognition"].f1 == 1
    assert whole["bridging.entity"].f1 == 0
