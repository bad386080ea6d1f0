"""CoNLL-U as it is written: read again it is the same, and what it cannot hold is said first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corefine
from corefine.corpus.columns import Entities, Mentions, Pieces, Relation, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import UsageError
from corefine.formats import Source, format_named, losses, read, write
from corefine.formats.conllu import conllu
from corefine.formats.conllu.lines import LAYERS
from corefine.formats.conllu.writing import write as write_conllu
from tests.building.written_corpora import Abilities, content, corpora, numbers

ALL = Abilities(layers=(*LAYERS,))


def read_again(corpus: Corpus) -> Corpus:
    data = b"".join(write_conllu(corpus))
    found = conllu.read(Source("x.conllu", Path("x.conllu"), content=data))
    return found


@settings(max_examples=120)
@given(corpora(ALL))
def test_what_is_written_is_read_again(corpus: Corpus) -> None:
    found = read_again(corpus)
    if losses(corpus, format_named("conllu")):
        return
    heads = corpus.mentions.head is not None
    assert content(found, heads=heads) == content(corpus)
    assert corpus.tokens is not None
    assert found.tokens is not None
    for name, column in corpus.tokens.layers.items():
        values = column.tolist()
        given = (
            found.tokens.layers[name].tolist()
            if name in found.tokens.layers
            else ["_"] * len(values)
        )
        assert given == values
    # Written once more it is the same to the byte.
    assert b"".join(write_conllu(read_again(found))) == b"".join(write_conllu(found))


@settings(max_examples=60)
@given(corpora(ALL))
def test_only_mentions_that_cross_are_left_out(corpus: Corpus) -> None:
    found = read_again(corpus)
    lost = losses(corpus, format_named("conllu"))
    missing = len(corpus.mentions) - len(found.mentions)
    assert (missing > 0) is any("mentions" in loss for loss in lost)
    if missing == 0:
        words = [{m[1] for m in document[4]} for document in content(corpus)]  # type: ignore[attr-defined]
        assert words == [{m[1] for m in document[4]} for document in content(found)]  # type: ignore[attr-defined]


def one_document(mentions: Mentions, count: int = 8, **columns: object) -> Corpus:
    entities = int(mentions.entity.max(initial=-1)) + 1
    return Corpus(
        ("d",),
        Entities(np.zeros(entities, np.int64), Strings.from_list(f"e{n}" for n in range(entities))),
        mentions,
        Tokens(Strings.from_list("abcdefgh"[:count]), numbers([0, count]), numbers([0])),
        **columns,  # type: ignore[arg-type]
    )


def spans(*rows: tuple[int, int, int], **columns: object) -> Mentions:
    """Mentions of (entity, start, stop)."""
    entity, start, stop = (numbers(list(column)) for column in zip(*rows, strict=True))
    return Mentions(np.zeros(len(rows), np.int64), entity, start, stop, **columns)  # type: ignore[arg-type]


def entity_cells(corpus: Corpus) -> list[str]:
    text = b"".join(write_conllu(corpus)).decode()
    return [line.split("\t")[9] for line in text.split("\n") if line[:1].isdigit()]


def test_brackets_as_others_write_them() -> None:
    corpus = one_document(spans((0, 0, 4), (1, 0, 2), (2, 1, 2), (1, 2, 4), (2, 3, 4)), count=4)
    assert entity_cells(corpus) == [
        "Entity=(e0(e1",
        "Entity=(e2)e1)",
        "Entity=(e1",
        "Entity=(e2)e1)e0)",
    ]
    corpus = one_document(spans((0, 0, 3), (1, 2, 5), (2, 2, 3)), count=5)
    assert entity_cells(corpus)[2] == "Entity=e0)(e1(e2)"


def test_parts_heads_types_and_other_fields() -> None:
    corpus = one_document(
        spans(
            (0, 0, 5),
            pieces=Pieces(numbers([0, 0]), numbers([0, 4]), numbers([2, 5])),
            head=numbers([4]),
            type=numbers([0]),
            minimum=(numbers([1]), numbers([5])),
            attributes={"x": Strings.from_list(["a-b"]), "other": Strings.from_list(["c"])},
        ),
        types=("person",),
    )
    text = b"".join(write_conllu(corpus)).decode()
    assert "# global.Entity = eid-etype-head-minspan-other-x\n" in text
    assert [cell for cell in entity_cells(corpus) if cell != "_"] == [
        "Entity=(e0[1/2]-person-3-2,3-c-a-b",
        "Entity=e0[1/2])",
        "Entity=(e0[2/2]-person-3-2,3-c-a-b)",
    ]
    assert losses(corpus, format_named("conllu")) == []


def test_mentions_that_would_be_read_otherwise_are_told() -> None:
    crossing = one_document(spans((0, 0, 4), (0, 2, 6)))
    assert len(losses(crossing, format_named("conllu"))) == 1
    assert len(read_again(crossing).mentions) == 1
    pieces = Pieces(numbers([0, 0, 1, 1]), numbers([0, 4, 2, 6]), numbers([1, 5, 3, 7]))
    crossing = one_document(spans((0, 0, 5), (0, 2, 7), pieces=pieces))
    assert len(losses(crossing, format_named("conllu"))) == 1
    nested = Pieces(numbers([0, 0, 1, 1]), numbers([0, 6, 2, 4]), numbers([1, 7, 3, 5]))
    fine = one_document(spans((0, 0, 7), (0, 2, 5), pieces=nested))
    assert losses(fine, format_named("conllu")) == []
    assert content(read_again(fine), heads=False) == content(fine)


def test_what_has_signs_of_the_format_in_it_is_told() -> None:
    corpus = one_document(
        spans(
            (0, 0, 1),
            (1, 1, 2),
            attributes={"a b": Strings.from_list(["x(", "y"])},
            type=numbers([0, 0]),
        ),
        types=("semi-formal",),
        relations=(
            Relation("bridge", 0, "e0", "e1", "a,b"),
            Relation("cause", 0, "e0", "e1"),
            Relation("bridge", 0, "e1", "e0", "part"),
            Relation("bridge", 0, "e1", "unknown"),
        ),
    )
    assert corpus.tokens is not None
    corpus = replace(
        corpus,
        documents=(" d\n",),
        entities=Entities(corpus.entities.document, Strings.from_list(["e-0", "e1"])),
        tokens=replace(corpus.tokens, words=Strings.from_list(["a\tb", "", *"cdefgh"])),
    )
    lost = losses(corpus, format_named("conllu"))
    assert [loss.split(" (")[0] for loss in lost] == [
        "document names",
        "words",
        "types",
        "the mention attribute a b",
        "bridge relations",
        "cause relations",
    ]
    with pytest.raises(UsageError, match="the format conllu cannot"):
        write(corpus, "-", "conllu")
    found = read_again(corpus)
    assert found.documents == ("d",)
    assert found.types == ("semi%2Dformal",)
    assert found.mentions.attributes["a_b"].tolist() == ["x%28", "y"]


def test_relations_of_renamed_entities_keep_their_ends() -> None:
    corpus = one_document(
        spans((0, 0, 1), (1, 1, 2)), relations=(Relation("bridge", 0, "b-1", "a-1", "part"),)
    )
    names = Strings.from_list(["a-1", "b-1"])
    found = read_again(replace(corpus, entities=Entities(corpus.entities.document, names)))
    assert found.relations == (Relation("bridge", 0, "e2", "e1", "part"),)


def test_a_corpus_without_text_is_refused() -> None:
    with pytest.raises(UsageError, match="without text"):
        list(write_conllu(Corpus.from_entities([["a", "b"]])))


@given(st.text(max_size=6))
def test_any_word_is_written_as_one_cell(word: str) -> None:
    corpus = one_document(spans((0, 0, 1)), count=1)
    assert corpus.tokens is not None
    tokens = replace(corpus.tokens, words=Strings.from_list([word]))
    found = read_again(replace(corpus, tokens=tokens))
    assert found.tokens is not None
    assert len(found.tokens) == 1


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", ["gum/key", "gum/key.gum-native", "craft/key", "ontogum/key"])
def test_real_corpora_survive(name: str, data: Path) -> None:
    corpus = read(data / f"{name}.conllu")
    assert losses(corpus, format_named("conllu")) == []
    found = read_again(corpus)
    assert content(found) == content(corpus)
    assert corefine.score(corpus, found)["lea"].f1 == 1.0
    assert corpus.tokens is not None
    assert found.tokens is not None
    for layer, column in corpus.tokens.layers.items():
        assert column.tolist() == found.tokens.layers[layer].tolist()


def test_heads_that_are_not_known_are_not_invented(tmp_path: Path) -> None:
    source, target = tmp_path / "x.conll", tmp_path / "x.conllu"
    lines = "x 0 0 The - (1\nx 0 1 man - 1)\n"
    source.write_text(f"#begin document (x); part 000\n{lines}\n#end document\n")
    write(read(source), target)
    assert "head" not in target.read_text()
    assert read(target).mentions.head is None
    with pytest.raises(UsageError, match="needs mention heads"):
        corefine.score(target, target, "muc", match="head")
    assert corefine.score(target, target, "muc", tool="corefud")["muc"].recall == 0
