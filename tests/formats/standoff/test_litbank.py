"""LitBank's TSV: what it says, what is wrong with it, what comes back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.corpus.columns import Kind
from corefine.corpus.strings import Strings
from corefine.errors import FormatError
from corefine.formats import losses, read, write
from corefine.formats.standoff import litbank
from tests.building.standoff_corpora import (
    again,
    put,
    read_files,
    sample_files,
    shuffled_lines,
)

assert litbank.__doc__ is not None
SAMPLE = sample_files(litbank.__doc__, ["x.txt", "x.tsv"])
EXPECTED = {"x": [[(0, 1), (6, 6)], [(3, 4)]]}


def with_lines(*lines: str) -> dict[str, bytes]:
    """The sample with these lines of mentions and entities, cells being cut at commas."""
    return SAMPLE | {"x.tsv": "".join(f"{line}\n" for line in lines).replace(",", "\t").encode()}


def test_the_sample_of_the_documentation() -> None:
    corpus = read_files(SAMPLE)
    assert corpus.format == "litbank"
    assert corpus.to_dict() == EXPECTED
    assert corpus.warnings == ()
    assert corpus.types == ("PER",)
    assert corpus.mentions.kind is not None
    assert corpus.mentions.kind.tolist() == [Kind.NAME, Kind.NOMINAL, Kind.PRONOUN]
    assert corpus.entities.names is not None
    assert corpus.entities.names.tolist() == ["MARY_LENNOX-0", "x:T2"]


@pytest.mark.parametrize("name", ["x.ann", "x.tsv"])
def test_names_of_files(tmp_path: Path, name: str) -> None:
    put({"x.txt": SAMPLE["x.txt"], name: SAMPLE["x.tsv"]}, tmp_path)
    for place in (tmp_path, tmp_path / name):
        assert read(place).to_dict() == EXPECTED
        assert read(place, "litbank").to_dict() == EXPECTED


@given(st.integers(0, 100))
def test_lines_may_stand_in_any_order(seed: int) -> None:
    files = SAMPLE | {"x.tsv": shuffled_lines(SAMPLE["x.tsv"], seed)}
    found = {frozenset(entity) for entity in read_files(files).to_dict()["x"]}
    assert found == {frozenset(entity) for entity in EXPECTED["x"]}


def test_a_mention_of_two_entities_is_in_both() -> None:
    corpus = read_files(
        with_lines("MENTION,T1,0,0,0,1,Mary Lennox,PER,PROP", "COREF,T1,a", "COREF,T1,b")
    )
    assert corpus.to_dict() == {"x": [[(0, 1)], [(0, 1)]]}


def test_blanks_at_the_ends_of_ids_make_no_other_ids() -> None:
    lines = (
        "MENTION,T1 ,0,0,0,1,Mary Lennox,PER,PROP",
        "MENTION, T3,1,0,1,0,She,PER,PRON",
        "COREF,T1,a ",
        "COREF,T3  ,a",
    )
    assert read_files(with_lines(*lines)).to_dict() == {"x": [[(0, 1), (6, 6)]]}
    with pytest.raises(FormatError, match=r"x\.tsv:2: "):
        read_files(with_lines(lines[0], lines[0].replace("T1 ", "T1")))
    with pytest.raises(FormatError, match=r"x\.tsv:3: "):
        read_files(with_lines(*lines[:2], "COREF,T1, "))


def test_ids_and_entities_belong_to_their_file(tmp_path: Path) -> None:
    put(SAMPLE, tmp_path)
    put({"y.txt": SAMPLE["x.txt"], "y.tsv": SAMPLE["x.tsv"].replace(b"T3", b"T9")}, tmp_path)
    corpus = read(tmp_path)
    assert corpus.to_dict() == {"x": EXPECTED["x"], "y": EXPECTED["x"]}
    assert len(corpus.entities) == 4


def test_without_the_text_mentions_are_places(tmp_path: Path) -> None:
    alone = {"x.tsv": SAMPLE["x.tsv"]}
    corpus = read_files(alone)
    assert corpus.to_dict() == {"x": [["1:0 1:1", "2:0 2:0"], ["1:3 1:4"]]}
    key, response = put(SAMPLE, tmp_path / "k"), put(alone, tmp_path / "r")
    assert corefine.score(key, response, metrics="all") == corefine.score(key, key, metrics="all")


def test_places_go_into_sentences_of_another_format(tmp_path: Path) -> None:
    put(SAMPLE, tmp_path)
    corpus = read(tmp_path)
    write(corpus, tmp_path / "key.conll", lossy=True)
    (tmp_path / "x.txt").unlink()
    (tmp_path / "x.tsv").rename(tmp_path / "y.tsv")
    response = replace(read(tmp_path / "y.tsv"), documents=("x",))
    scores = corefine.score(tmp_path / "key.conll", response, metrics="mention")
    assert scores["mention"].f1 == 1


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["MENTION,T1,0,0,0,1,Mary Lennox,PER"], r"tsv:1:"),
        (["MENTION,T1,0,0,0,1,Mary,Lennox,PER,PROP"], r"x\.tsv:1:"),
        (["", "MENTION,T1"], r"x\.tsv:2:"),
        (["COREF,T1,a,b"], r"x\.tsv:1:"),
        (["MENTIONS,T1,a"], r"x\.tsv:1:"),
        (["MENTION,T1,0,x,0,1,Mary Lennox,PER,PROP"], r"tsv:1:"),
        (["MENTION,T1,0,-1,0,1,Mary Lennox,PER,PROP"], r"tsv:1:"),
        (["MENTION,T1,0,0,0,9,Mary Lennox,PER,PROP"], r"tsv:1:"),
        (["MENTION,T1,2,0,2,0,Mary,PER,PROP"], r"x\."),
        (["MENTION,T1,0,1,0,0,Mary,PER,PROP"], r"tsv:1:"),
        (["MENTION,T1,0,0,0,1,Mary Lennox,PER,NAME"], r"x\."),
        (["MENTION,T1,0,0,0,1,Mary Lennox,PER,PROP"] * 2, r"tsv:2:"),
        (["COREF,T1,a"], r"tsv:1:"),
        (["MENTION,T1,0,0,0,1,Mary Poppins,PER,PROP"], r"x\."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(lines: list[str], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_files(with_lines(*lines), "litbank")


def test_names_of_entities_come_back() -> None:
    corpus = read_files(SAMPLE)
    assert corpus.entities.names is not None
    found = again(corpus, "litbank").entities.names
    assert found is not None
    assert found.tolist() == corpus.entities.names.tolist()
    same = replace(corpus.entities, names=Strings.from_list(["a\tb", "a b"]))
    corpus = replace(corpus, entities=same, types=("PROP",))
    assert losses(corpus, litbank.LITBANK) == ["types (3)"]
    found = again(corpus, "litbank").entities.names
    assert found is not None
    assert found.tolist() == ["a b", "a b-2"]


def test_mentions_without_coreference_lines_are_told() -> None:
    mention = "MENTION,T1,0,0,0,1,Mary Lennox,PER,PROP"
    assert read_files(with_lines(mention, "COREF,T1,a")).warnings == ()
    (warning,) = read_files(with_lines(mention)).warnings
    assert "COREF" in warning
