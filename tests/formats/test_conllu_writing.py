"""CoNLL-U as it is written: read again it is the same, and what it cannot represent is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

import corefine
from corefine import Corpus, Document, Mention
from corefine.corpus.columns import Relation
from corefine.formats import Source, conllu, format_named, losses, read, write
from corefine.formats.conllu import write as write_conllu
from tests.building.refusals import refused

CONLLU = format_named("conllu")


def written(*documents: Document) -> bytes:
    return b"".join(write_conllu(Corpus.from_documents(documents)))


def read_again(data: bytes) -> Corpus:
    return conllu.read(Source("x.conllu", Path("x.conllu"), content=data))


def cells(document: Document) -> list[str]:
    lines = written(document).decode().split("\n")
    return [line.split("\t")[9] for line in lines if line[:1].isdigit()]


def test_brackets_as_others_write_them() -> None:
    spans = [("e0", 0, 4), ("e1", 0, 2), ("e2", 1, 2), ("e1", 2, 4), ("e2", 3, 4)]
    document = Document("d", [*"abcd"], [Mention(e, [(low, high)]) for e, low, high in spans])
    assert cells(document) == [
        "Entity=(e0(e1", "Entity=(e2)e1)", "Entity=(e1", "Entity=(e2)e1)e0)"
    ]  # fmt: skip
    spans = [("e0", 0, 3), ("e1", 2, 5), ("e2", 2, 3)]
    document = Document("d", [*"abcde"], [Mention(e, [(low, high)]) for e, low, high in spans])
    assert cells(document)[2] == "Entity=e0)(e1(e2)"


def test_parts_heads_types_and_other_fields() -> None:
    fields = {"x": "a-b", "other": "c"}
    mention = Mention("e0", [(0, 2), (4, 5)], 4, type="person", minimum=(1, 5), attributes=fields)
    document = Document("d", [*"abcde"], [mention])
    assert b"# global.Entity = eid-etype-head-minspan-other-x\n" in written(document)
    assert [cell for cell in cells(document) if cell != "_"] == [
        "Entity=(e0[1/2]-person-3-2,3-c-a-b",
        "Entity=e0[1/2])",
        "Entity=(e0[2/2]-person-3-2,3-c-a-b)",
    ]
    assert losses(Corpus.from_documents([document]), CONLLU) == []


@pytest.mark.parametrize(
    ("spans", "lost"),
    [
        ([[(0, 4)], [(2, 6)]], 1),
        ([[(0, 1), (4, 5)], [(2, 3), (6, 7)]], 1),
        ([[(0, 1), (6, 7)], [(2, 3), (4, 5)]], 0),
    ],
)
def test_mentions_that_cross_are_reported(spans: list[list[tuple[int, int]]], lost: int) -> None:
    document = Document("d", [*"abcdefgh"], [Mention("e", parts) for parts in spans])
    assert len(losses(Corpus.from_documents([document]), CONLLU)) == lost
    assert len(read_again(written(document)).mentions) == 2 - lost


def test_signs_of_the_format_are_reported() -> None:
    document = Document(" d\n", ["a\tb", "", "c"])
    attributes = {"a b": "x("}
    document.mentions = [Mention("e-0", [(0, 1)], type="semi-formal", attributes=attributes)]
    document.mentions.append(Mention("e1", [(1, 2)]))
    document.relations = [
        Relation("bridge", 0, "e-0", "e1", "a,b"),
        Relation("cause", 0, "e-0", "e1"),
        Relation("bridge", 0, "e1", "e-0", "part"),
    ]
    lost = {loss.split(" (")[0] for loss in losses(Corpus.from_documents([document]), CONLLU)}
    assert lost >= {
        "document names", "words", "types", "the mention attribute a b", "bridge relations",
        "cause relations",
    }  # fmt: skip
    found = read_again(written(document))
    assert found.types == ("semi%2Dformal",)
    assert found.mentions.attributes["a_b"].tolist() == ["x%28", ""]
    assert Relation("bridge", 0, "e2", "e1", "part") in found.relations


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", ["gum/key", "gum/key.gum-native", "craft/key", "ontogum/key"])
def test_real_corpora_survive(name: str, data: Path) -> None:
    corpus = read(data / f"{name}.conllu")
    assert losses(corpus, CONLLU) == []
    assert list(read_again(b"".join(write_conllu(corpus)))) == list(corpus)


def test_heads_that_are_not_known_are_not_invented(tmp_path: Path) -> None:
    source, target = tmp_path / "x.conll", tmp_path / "x.conllu"
    lines = "x 0 0 The - (1\nx 0 1 man - 1)\n"
    source.write_text(f"#begin document (x); part 000\n{lines}\n#end document\n")
    write(read(source), target)
    assert "head" not in target.read_text()
    assert read(target).mentions.head is None
    with refused("usage"):
        corefine.score(target, target, "muc", match="head")
    assert corefine.score(target, target, "muc", scorer="corefud")["muc"].recall == 0
