"""i2b2's concepts and chains: what they say, what is wrong with them, what comes back."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

import corefine
from corefine.auditing.checking import check
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError, FormatError
from corefine.formats import losses, read
from corefine.formats.standoff import i2b2
from tests.building.standoff_corpora import (
    put,
    read_files,
    sample_files,
)

assert i2b2.__doc__ is not None
NAMES = ["docs/x.txt", "concepts/x.txt.con", "chains/x.txt.chains"]
SAMPLE = sample_files(i2b2.__doc__, NAMES)
EXPECTED = {"x": [[(0, 1), (6, 6)], [(3, 4), (10, 10)], [(8, 8)]]}


def with_files(**changed: bytes | None) -> dict[str, bytes]:
    """The sample with other docs, concepts or chains, or without them."""
    files = dict(SAMPLE)
    for folder, data in changed.items():
        (name,) = (name for name in NAMES if name.startswith(folder))
        if data is None:
            del files[name]
        else:
            files[name] = data
    return files


def types_of(corpus: Corpus) -> dict[str, str | None]:
    assert corpus.mentions.type is not None
    return {
        corpus.text_of(index): corpus.types[number] if number >= 0 else None
        for index, number in enumerate(corpus.mentions.type.tolist())
    }


def test_the_sample_of_the_documentation() -> None:
    corpus = read_files(SAMPLE)
    assert corpus.format == "i2b2"
    assert corpus.to_dict() == EXPECTED
    assert corpus.warnings == ()
    assert corpus.tokens is not None
    assert corpus.tokens.sentences.tolist() == [0, 6]
    assert types_of(corpus) == {
        "Mr. Ito": "person",
        "He": "person",
        "a cough": "problem",
        "it": "problem",
        "syrup": "treatment",
    }
    assert corpus.mentions.kind is not None
    pronouns = np.flatnonzero(corpus.mentions.kind == Kind.PRONOUN).tolist()
    assert [corpus.text_of(index) for index in pronouns] == ["it"]


@pytest.mark.parametrize(
    "layout",
    [
        ["x.txt", "x.txt.con", "x.txt.chains"],
        ["x.txt", "x.con", "x.chains"],
        ["a/docs/x.txt", "a/concepts/x.con", "a/chains/x.chains"],
        ["docs/x.txt", "concept/x.txt.con", "chains/x.txt.chains"],
        ["docs/x.txt.gz", "concepts/x.txt.con.gz", "chains/x.txt.chains.gz"],
    ],
)
def test_layouts_of_folders(tmp_path: Path, layout: list[str]) -> None:
    for name, data in zip(layout, SAMPLE.values(), strict=True):
        put({name: gzip.compress(data) if name.endswith(".gz") else data}, tmp_path)
    assert read(tmp_path).to_dict() == EXPECTED
    assert read(tmp_path, "i2b2").to_dict() == EXPECTED
    chains = tmp_path / layout[2]
    assert read(chains).to_dict() == EXPECTED
    assert read(chains.parent).to_dict() == EXPECTED


def test_concepts_give_singletons_and_need_not_be_there() -> None:
    corpus = read_files(with_files(concepts=None))
    assert corpus.to_dict() == {"x": EXPECTED["x"][:2]}
    assert corpus.warnings == ("chains without concepts (.con): singletons are unknown",)
    assert types_of(corpus)["it"] == "problem"
    assert corpus.mentions.kind is None


def test_concepts_alone_are_singletons(tmp_path: Path) -> None:
    put(SAMPLE, tmp_path)
    corpus = read(tmp_path / "concepts" / "x.txt.con")
    assert corpus.to_dict() == {"x": [[(0, 1)], [(3, 4)], [(6, 6)], [(8, 8)], [(10, 10)]]}
    assert len(corpus.warnings) == 1
    put({"concepts/y.txt.con": SAMPLE["concepts/x.txt.con"]}, tmp_path)
    with pytest.raises(FormatError, match="only auxiliary files of the format i2b2"):
        read(tmp_path / "concepts")


def test_a_document_without_chains_is_a_document(tmp_path: Path) -> None:
    put(SAMPLE, tmp_path)
    put({"docs/y.txt": b"No more .\n", "chains/y.txt.chains": b""}, tmp_path)
    assert read(tmp_path).to_dict() == EXPECTED | {"y": []}
    alone = tmp_path / "chains" / "y.txt.chains"
    assert read(alone).to_dict() == {"y": []}
    put(
        {"z/z.txt": b"No more .\n", "z/z.chains": b" \n", "z/y.txt": b"", "z/y.chains": b""},
        tmp_path,
    )
    assert read(tmp_path / "z").to_dict() == {"y": [], "z": []}


def test_a_concept_that_is_listed_twice_is_one() -> None:
    twice = SAMPLE["concepts/x.txt.con"] * 2
    assert read_files(with_files(concepts=twice)).to_dict() == EXPECTED


def test_mentions_of_chains_that_are_no_concepts_are_mentions() -> None:
    corpus = read_files(with_files(concepts=b'c="syrup" 2:2 2:2||t="treatment"\n'))
    assert corpus.to_dict() == EXPECTED
    assert types_of(corpus)["He"] == "person"


def test_without_the_text_mentions_are_places(tmp_path: Path) -> None:
    corpus = read_files(with_files(docs=None))
    assert corpus.tokens is None
    assert corpus.to_dict() == {"x": [["1:0 1:1", "2:0 2:0"], ["1:3 1:4", "2:4 2:4"], ["2:2 2:2"]]}
    assert corpus.mentions.attributes["text"].tolist()[0] == "mr. ito"


@pytest.mark.parametrize("lacking", ["key", "response", "both"])
def test_the_text_of_one_side_is_enough(tmp_path: Path, lacking: str) -> None:
    chains = b'c="mr. ito" 1:0 1:1||c="he" 2:0 2:0||c="syrup" 2:2 2:2||t="coref person"\n'
    key, response = put(SAMPLE, tmp_path / "k"), put(with_files(chains=chains), tmp_path / "r")
    whole = corefine.score(key, response, metrics="all").to_dict()["scores"]
    for side, folder in (("key", key), ("response", response)):
        if lacking in (side, "both"):
            (folder / "docs" / "x.txt").unlink()
    assert corefine.score(key, response, metrics="all").to_dict()["scores"] == whole


def test_places_that_the_other_side_s_text_does_not_have(tmp_path: Path) -> None:
    key = put(SAMPLE, tmp_path / "k")
    response = put(with_files(docs=None, chains=b'c="x" 3:0 3:0||t="coref x"\n'), tmp_path / "r")
    with pytest.raises(CorefineError, match="no mention at 3:0 3:0 in the text of the ot"):
        corefine.score(key, response)
    other = SAMPLE["docs/x.txt"].replace(b"Mr. Ito", b"Ms. Uno").replace(b"a cough", b"the flu")
    key = put(with_files(docs=other, concepts=None, chains=None), tmp_path / "l")
    put({"chains/x.txt.chains": b""}, key)
    response = put(with_files(docs=None), tmp_path / "s")
    # Three of five mentions have the text's words.
    assert corefine.score(
        key, response, allow_empty=True
    )  # three of five mentions have the text's words
    other = other.replace(b"syrup", b"drops").replace(b"it .", b"me .")
    put({"docs/x.txt": other}, key)
    with pytest.raises(CorefineError, match=r"the mention text is 'mr"):
        corefine.score(key, response, allow_empty=True)


def test_a_few_words_may_differ_from_the_text() -> None:
    other = SAMPLE["docs/x.txt"].replace(b"a cough", b"the flu")
    corpus = read_files(with_files(docs=other))
    assert corpus.to_dict() == EXPECTED
    (warning,) = corpus.warnings
    assert "x.txt.chains:2: a mention reads 'a cough', but " in warning


def test_case_and_spacing_do_not_differ() -> None:
    text = "MR.  Ito has\ta Cough .\nÜber alles .\n".encode()
    chains = 'c="mr. ito" 1:0 1:1||c="über alles" 2:0 2:1||t="coref person"\n'.encode()
    assert read_files(with_files(docs=text, concepts=b"", chains=chains)).warnings == ()


def test_mentions_across_lines() -> None:
    chains = b'c="cough . he" 1:4 2:0||c="it ." 2:4 2:5||t="coref test"\n'
    corpus = read_files(with_files(concepts=None, chains=chains))
    assert corpus.to_dict() == {"x": [[(4, 6), (10, 11)]]}


def test_texts_may_hold_the_signs_of_the_format() -> None:
    text = b'a "b" || c="d" 1:0 9||t .\n'
    chains = (
        b'c=""b" || c="d"" 1:1 1:3||c="1:0" 1:4 1:4||c="9||t" 1:5 1:5||t="coref  odd "type""  \r\n'
        b" \n"
    )
    corpus = read_files(with_files(docs=text, concepts=None, chains=chains))
    assert corpus.to_dict() == {"x": [[(1, 3), (4, 4), (5, 5)]]}
    assert corpus.types == (' odd "type"',)


@pytest.mark.parametrize(
    ("folder", "data", "message"),
    [
        ("chains", b"hello\n", r"chains:1:"),
        ("chains", b'\nc="a" 1:0 1:0\n', r"chains:2:"),
        ("chains", b't="coref person"\n', r"chains:1:"),
        ("chains", b'c="a" 1:0 1:0||t="coref person\n', r"chains:1:"),
        ("chains", b'c="a" 1:0 1||t="coref person"\n', r"chains:1:"),
        ("chains", b'c="a" 1:0  1:0||t="coref person"\n', r"chains:1:"),
        ("chains", b'c="a" 1:-1 1:0||t="coref person"\n', r"chains:1:"),
        ("chains", b'c="a" 1:0 1:9999999999||t="coref"\n', r"chains:1:"),
        ("chains", b'c="mr. ito" 0:0 1:1||t="x"\n', r"chains:1:"),
        ("chains", b'c="mr. ito" 1:0 1:6||t="x"\n', r"x\."),
        ("chains", b'c="mr. ito" 1:1 1:0||t="x"\n', r"x\."),
        ("chains", b'c="mr. ito" 3:0 3:0||t="x"\n', r"x\."),
        ("concepts", b'c="a" 1:0 1:0||c="b" 1:0 1:0||t="x"\n', r"con:1:"),
        ("concepts", b'c="syrup" 2:9 2:9||t="x"\n', r"con:1:"),
        ("chains", b"\xff\n", r"chains:1:"),
        ("docs", b"a\n\xff\n", r"x\.txt:2:"),
        ("docs", b"a\0\n", r"x\.txt:1:"),
        ("docs", b"", r"x\."),
        ("docs", b"b " * 12 + b"\n" + b"b " * 12, r"x\."),
        ("chains", b"c" * (1 << 21), r"chains:1:"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(folder: str, data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_files(with_files(**{folder: data}), "i2b2")


CHAIN = b'c="mr. ito" 1:0 1:1||c="he" 2:0 2:0||t="coref person"\n'


@pytest.mark.parametrize(
    ("old", "new"),
    [(b'||c="he', b'||d="he'), (b'||c="he', b"||c=he"), (b'||c="he', b'||="he'),
     (b'||c="he', b'|c="he'), (b'||c="he', b'| |c="he'), (b"1:1||", b"1:x||"), (b"1:1||", b"1:1"),
     (b"1:0 1:1", b"1:0 "), (b'||c="he', b'||C="he'), (b'||c="he', b'|| c="he'),
     (b'to" 1:0', b"to 1:0")],
)  # fmt: skip
def test_a_damaged_part_of_a_chain_loses_no_link(old: bytes, new: bytes) -> None:
    """What stands before the damage is not taken for words of the concept behind it."""
    assert CHAIN.replace(old, new) != CHAIN
    with pytest.raises(FormatError, match=r"chains:1: "):
        read_files(with_files(chains=CHAIN.replace(old, new)), "i2b2")


def test_some_documents_without_their_text(tmp_path: Path) -> None:
    put(SAMPLE, tmp_path)
    put({"chains/y.txt.chains": SAMPLE["chains/x.txt.chains"]}, tmp_path)
    with pytest.raises(CorefineError, match=r"y\.txt\.chains: "):
        read(tmp_path)


def test_checking_looks_at_chains_with_what_belongs_to_them(tmp_path: Path) -> None:
    put(SAMPLE, tmp_path)
    put({"docs/y.txt": b"a", "chains/y.txt.chains": b'c="a" 2:0 2:0||t="x"'}, tmp_path)
    good, bad = check(tmp_path)
    assert (good.format, good.problems) == ("i2b2", ())
    assert good.summary is not None
    assert (good.summary.mentions, good.summary.singletons) == (5, 1)
    assert [str(problem.where) for problem in bad.problems] == [f"{bad.source}:1"]


def test_losses_are_told() -> None:
    corpus = read_files(SAMPLE)
    assert losses(corpus, i2b2.I2B2) == []
    assert corpus.mentions.kind is not None
    corpus.mentions.kind[0] = Kind.NAME
    assert losses(corpus, i2b2.I2B2) == ["mention kinds (1)"]
