"""SemEval-2010 task 1: reading, writing, and telling it from other formats."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corefine
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import CorefineError, FormatError, UsageError
from corefine.formats import Source, format_named, losses, read, sniff
from corefine.formats.columns import semeval
from corefine.formats.columns.semeval import LAYERS
from corefine.formats.columns.semeval import write as write_semeval
from tests.building.written_corpora import Abilities, content, corpora
from tests.conftest import ROOT

COLUMNS = [
    "lemma",
    "plemma",
    "pos",
    "ppos",
    "feats",
    "pfeats",
    "head",
    "phead",
    "deprel",
    "pdeprel",
    "ne",
    "pne",
    "pred",
    "ppred",
]
HELD = Abilities(
    discontinuous=False,
    zeros=False,
    heads=False,
    types=False,
    minimum=False,
    attributes=False,
    relations=False,
    layers=tuple(sorted(LAYERS)),
    words=st.text(st.sampled_from("aBé語-(|).#12"), min_size=1, max_size=4),
)


def line(number: int, coreference: str = "_", word: str = "w", **columns: str) -> str:
    known = [columns.get(name, "_") for name in COLUMNS]
    return "\t".join([str(number), word, *known, coreference]) + "\n"


def parsed(text: str, **options: object) -> Corpus:
    source = Source("x.txt", Path("x.txt"), content=text.encode())
    return semeval.read(source, **options)  # type: ignore[arg-type]


def sentence(*cells: str, **columns: str) -> str:
    return "".join(line(number, cell, **columns) for number, cell in enumerate(cells, start=1))


def heads(corpus: Corpus) -> list[int]:
    assert corpus.mentions.head is not None
    return corpus.mentions.head.tolist()


def test_the_smallest_sample() -> None:
    assert semeval.__doc__ is not None
    text = textwrap.dedent(semeval.__doc__.split("::\n\n")[1].split("\n\nThe columns")[0]) + "\n"
    corpus = parsed(text)
    assert corpus.to_dict() == {"x": [[(0, 0), (2, 2)], [(2, 3)]]}
    assert heads(corpus) == [0, 3, 2]
    assert corpus.tokens is not None
    assert {name: column.tolist() for name, column in corpus.tokens.layers.items()} == {
        "lemma": ["anna", "see", "she", "house"],
        "pos": ["NNP", "VBD", "PRP$", "NN"],
        "head": ["2", "0", "4", "2"],
        "deprel": ["SBJ", "ROOT", "NMOD", "OBJ"],
        "ner": ["(PER)", "_", "_", "_"],
    }
    assert corpus.format == "semeval"
    assert sniff(Source("sample", content=text.encode())).name == "semeval"


def test_the_sample_of_the_documentation() -> None:
    page = (ROOT / "docs" / "formats" / "semeval.md").read_text("utf-8")
    corpus = parsed(page.split("```text\n")[1].split("```")[0])
    assert corpus.to_dict() == {"x": [[(0, 0), (2, 2)], [(2, 3)]]}
    assert heads(corpus) == [0, 3, 2]


def test_predicted_columns_fill_in() -> None:
    text = "#begin document d\n" + line(1, pos="A", ppos="B") + line(2, ppos="C", phead="1")
    tokens = parsed(text).tokens
    assert tokens is not None
    assert tokens.layers["pos"].tolist() == ["A", "C"]
    assert tokens.layers["head"].tolist() == ["_", "1"]
    some = parsed(text, layers=frozenset({"lemma", "parse"})).tokens
    assert some is not None
    assert some.layers == {}


def test_heads_are_found_whatever_layers_are_asked_for() -> None:
    text = (
        "#begin document d\n"
        + line(1, "(1", head="2")
        + line(2, "1)", head="3")
        + line(3, "(2)", head="0")
        + "\n"
        + sentence("(3", "3)")
    )
    for layers in (None, frozenset[str]()):
        assert heads(parsed(text, layers=layers)) == [1, 2, -1]
    assert parsed("#begin document d\n" + sentence("(1)")).mentions.head is None


def test_elliptical_subjects_are_zeros() -> None:
    text = "#begin document d\n" + line(1, "(1)", word="_") + line(2) + line(3, "(1)")
    kind = parsed(text).mentions.kind
    assert kind is not None
    assert kind.tolist() == [Kind.ZERO, Kind.UNKNOWN]
    scores = corefine.score(parsed(text), parsed(text))
    assert scores["lea"].f1 == 1.0


def test_more_and_fewer_columns() -> None:
    text = (
        "#begin document d\n1\tAnna\t(1)\n2\tsaw\t_\n\n"
        + line(1, "(1)").replace("\t_\t(1)", "\targ0\t_\targ1\t(1)")
        + "#end document d\n"
    )
    corpus = parsed(text)
    assert corpus.to_dict() == {"d": [[(0, 0), (2, 2)]]}
    assert corpus.tokens is not None
    assert corpus.tokens.words.tolist() == ["Anna", "saw", "w"]


def test_many_documents_are_read_whatever_the_size_of_blocks(tmp_path: Path) -> None:
    text = "".join(f"#begin document d{n}\n{sentence('(1)', '_')}\n" for n in range(30))
    whole = semeval.read(Source("x", content=text.encode()))
    assert content(semeval.read(Source("x", content=text.encode()), None, 64)) == content(whole)
    path = tmp_path / "x.semeval"
    path.write_text(text)
    assert corefine.score(path, path)["mentions"].f1 == 1.0


@pytest.mark.parametrize(
    ("text", "number", "what"),
    [
        ("#begin document d\n" + line(1, "(1"), 2, "'1' is opened here but never closed"),
        ("#begin document d\n" + line(1, "1)"), 2, "'1' is closed here but never opened"),
        ("#begin document d\n" + line(1) + line(2, "x"), 3, "malformed coreference cell 'x'"),
        ("#begin document d\n" + line(1) + line(1), 3, "number '1' where 2 is expected"),
        ("#begin document d\n" + line(2), 2, "number '2' where 1 is expected"),
        ("#begin document d\nx" + line(1), 2, "number 'x1' where 1 is expected"),
        ("#begin document d\n" + "9" * 80 + line(1), 2, "number '9{35}…9"),
        ("#begin document d\n#end document d\n" + line(1), 3, "outside a document"),
        ("#begin document d\n" + line(1) + "\x00", 3, "null byte"),
        ("", None, "empty"),
    ],
)
def test_malformed_files_are_refused_with_their_place(
    text: str, number: int | None, what: str
) -> None:
    with pytest.raises(FormatError, match=what) as caught:
        parsed(text)
    assert str(caught.value).startswith("x.txt: " if number is None else f"x.txt:{number}: ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#begin document d\n" + sentence("(1)", "_"), "semeval"),
        ("#begin document d\n" + sentence("_") + "\n" + sentence("(1)"), "semeval"),
        ("\ufeff#begin document d\r\n" + sentence("(1)", "_").replace("\n", "\r\n"), "semeval"),
        ("# a comment\n#begin document d\n" + sentence("_", "_"), "semeval"),
        (sentence("(1)", "_", "_"), "semeval"),
        ("#begin document (1); part 000\n1\t0\t0\tAnna\tNNP\t*\t-\t-\t-\t-\t*\t(1)\n", "conll"),
        ("#begin document (1); part 000\n1 0 0 Anna (1)\n1 0 1 saw -\n", "conll"),
        ("#begin document (x); part 000\nx 0 0 Anna (1)\n", "conll"),
        ("# newdoc id = d\n" + "\t".join(["1", "w", *"________"]) + "\n", "conllu"),
    ],
)
def test_it_is_told_from_other_formats(text: str, expected: str) -> None:
    assert sniff(Source("file", content=text.encode())).name == expected


def read_again(corpus: Corpus) -> Corpus:
    return parsed(b"".join(write_semeval(corpus)).decode())


@settings(max_examples=120)
@given(corpora(HELD))
def test_what_is_written_is_read_again(corpus: Corpus) -> None:
    found = read_again(corpus)
    if losses(corpus, format_named("semeval")):
        return
    assert content(found, heads=False) == content(corpus)
    assert corpus.tokens is not None
    assert found.tokens is not None
    for name, column in corpus.tokens.layers.items():
        if name in found.tokens.layers:
            assert found.tokens.layers[name].tolist() == column.tolist()
        else:
            assert set(column) <= {"_", "-", "*"}


@settings(max_examples=60)
@given(corpora(Abilities()))
def test_whatever_is_written_can_be_read(corpus: Corpus) -> None:
    found = read_again(corpus)
    assert found.documents == corpus.documents


def test_what_it_cannot_hold_is_told() -> None:
    tree = (
        "#begin document d\n" + line(1, "(1", head="2") + line(2, "1)", head="0") + line(3, "(2)")
    )
    corpus = parsed(tree)
    assert losses(corpus, format_named("semeval")) == []
    assert heads(read_again(corpus)) == heads(corpus) == [1, -1]
    mentions = corpus.mentions
    changed = replace(
        corpus,
        documents=("(d)",),
        mentions=replace(
            mentions, head=np.zeros(2, np.int64), kind=np.full(2, Kind.NAME, np.uint8)
        ),
    )
    lost = losses(changed, format_named("semeval"))
    assert [loss.split(" (")[0] for loss in lost] == ["document names", "mention kinds", "heads"]
    zero = parsed("#begin document d\n" + line(1, "(1)", word="_"))
    assert losses(zero, format_named("semeval")) == []
    assert corpus.tokens is not None
    spaced = replace(
        corpus, tokens=replace(corpus.tokens, words=Strings.from_list(["a\n", "b", "c"]))
    )
    assert losses(spaced, format_named("semeval"))[0].startswith("words (1")
    with pytest.raises(UsageError, match="without text"):
        list(write_semeval(Corpus.from_entities([["a"]])))


SAMPLE = (
    "#begin document x/y.xml\n"
    + sentence("(1|(2)", "_", "1)|(3)", head="1", pos="N")
    + "\n"
    + sentence("(2)", "(1", "1)")
    + "#end document x/y.xml\n#begin document z\n"
    + sentence("(1)", "(1)", ne="(org)")
)


@settings(max_examples=200)
@given(
    st.lists(
        st.tuples(
            st.integers(0, len(SAMPLE)),
            st.sampled_from(
                [b"", b"\n", b"\t", b"(", b")", b"|", b"#", b"\xff", b"\x00", b"1", b"-"]
            ),
            st.integers(0, 3),
        ),
        max_size=4,
    )
)
def test_damaged_files_give_a_corpus_or_an_error_with_its_place(
    damages: list[tuple[int, bytes, int]],
) -> None:
    data = SAMPLE.encode()
    for place, inserted, removed in damages:
        data = data[:place] + inserted + data[place + removed :]
    found = [outcome(data, block_size) for block_size in (1 << 20, 50)]
    assert found[0] == found[1]
    assert found[0] == "refused" or isinstance(found[0], list)


def outcome(data: bytes, block_size: int) -> object:
    try:
        corpus = semeval.read(Source("f.txt", content=data), None, block_size)
    except CorefineError as error:
        return "refused" if str(error).startswith("f.txt") else f"no place: {error}"
    return content(corpus)


@given(st.binary(max_size=300))
def test_any_bytes_give_a_corpus_or_an_error(data: bytes) -> None:
    for content_ in (data, b"#begin document x\n" + data):
        try:
            semeval.read(Source("f", content=content_))
        except CorefineError:
            continue


@pytest.mark.data
def test_real_corpora_keep_their_scores(data: Path, tmp_path: Path) -> None:
    folder = data / "ontogum"
    sides = {}
    for name in ("key", "xrenner-rules"):
        corpus = read(folder / f"{name}.conllu")
        sides[name] = tmp_path / f"{name}.semeval"
        corefine.formats.write(corpus, sides[name], "semeval", lossy=True)
        again = read(sides[name])
        assert again.format == "semeval"
        assert corpus.mentions.head is not None
        if name == "key":  # whose trees are those that its heads come from
            assert heads(again) == corpus.mentions.head.tolist()
    expected = corefine.score(folder / "key.conllu", folder / "xrenner-rules.conllu").to_dict()
    assert (
        corefine.score(sides["key"], sides["xrenner-rules"]).to_dict()["scores"]
        == expected["scores"]
    )
