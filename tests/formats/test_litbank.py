"""LitBank's TSV: entities, missing texts, malformed files, names of entities."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

import corefine
from corefine.corpus.arrays import Strings
from corefine.formats import litbank, losses, read, write
from corefine.formats.losses import read_back
from tests.building.format_files import place_of_error, put, read_files
from tests.fuzzing.samples import sample

SAMPLE = sample("litbank")
EXPECTED = {"x": [[(0, 1), (6, 6)], [(3, 4)]]}
MARY = "MENTION,T1,0,0,0,1,Mary Lennox,PER,PROP"
SHE = "MENTION, T3,1,0,1,0,She,PER,PRON"


def with_lines(*lines: str) -> dict[str, bytes]:
    """The sample with these lines of mentions and entities, cells being cut at commas."""
    return SAMPLE | {"x.tsv": "".join(f"{line}\n" for line in lines).replace(",", "\t").encode()}


def test_names_of_files_and_the_order_of_lines(tmp_path: Path) -> None:
    lines = SAMPLE["x.tsv"].splitlines(keepends=True)
    for seed in range(5):
        random.Random(seed).shuffle(lines)
        found = read_files(SAMPLE | {"x.tsv": b"".join(lines)}).to_dict(ends="inclusive")["x"]
        assert sorted(map(sorted, found)) == sorted(map(sorted, EXPECTED["x"]))
    put({"x.txt": SAMPLE["x.txt"], "x.ann": SAMPLE["x.tsv"]}, tmp_path)
    assert read(tmp_path).to_dict(ends="inclusive") == EXPECTED


@pytest.mark.parametrize(
    ("lines", "entities"),
    [
        ([MARY, "COREF,T1,a", "COREF,T1,b"], [[(0, 1)], [(0, 1)]]),
        # Blanks at the ends of ids make no other ids.
        ([MARY.replace("T1", "T1 "), SHE, "COREF,T1,a ", "COREF,T3  ,a"], [[(0, 1), (6, 6)]]),
    ],
)
def test_entities(lines: list[str], entities: list[object]) -> None:
    corpus = read_files(with_lines(*lines))
    assert corpus.to_dict(ends="inclusive") == {"x": entities}
    assert corpus.warnings == ()


def test_mentions_without_coreference_lines_are_a_warning() -> None:
    (warning,) = read_files(with_lines(MARY)).warnings
    assert "COREF" in warning


def test_without_the_text_mentions_are_places(tmp_path: Path) -> None:
    alone = read_files({"x.tsv": SAMPLE["x.tsv"]})
    assert alone.to_dict(ends="inclusive") == {"x": [["1:0 1:1", "2:0 2:0"], ["1:3 1:4"]]}
    key = read_files(SAMPLE)
    assert corefine.score(key, alone, metrics="all") == corefine.score(key, key, metrics="all")
    write(key, tmp_path / "key.conll", lossy=True)
    assert corefine.score(tmp_path / "key.conll", alone, metrics="mention")["mention"].f1 == 1


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        *(([line], 1) for line in (
            "MENTION,T1,0,0,0,1,Mary Lennox,PER", "MENTION,T1,0,0,0,1,Mary,Lennox,PER,PROP",
            "COREF,T1,a,b", "MENTIONS,T1,a", "MENTION,T1,0,x,0,1,Mary Lennox,PER,PROP",
            "MENTION,T1,0,-1,0,1,Mary Lennox,PER,PROP", "MENTION,T1,0,0,0,9,Mary Lennox,PER,PROP",
            "MENTION,T1,2,0,2,0,Mary,PER,PROP", "MENTION,T1,0,1,0,0,Mary,PER,PROP",
            "MENTION,T1,0,0,0,1,Mary Lennox,PER,NAME", "COREF,T1,a",
            "MENTION,T1,0,0,0,1,Mary Poppins,PER,PROP",
        )),
        (["", "MENTION,T1"], 2),
        ([MARY, MARY], 2),
        ([MARY, MARY.replace("T1", "T1 ")], 2),
        ([MARY, SHE, "COREF,T1, "], 3),
    ],
)  # fmt: skip
def test_malformed_files_are_refused(lines: list[str], line: int) -> None:
    assert place_of_error(read_files, with_lines(*lines), "litbank") == f"x.tsv:{line}"


def test_names_of_entities_come_back() -> None:
    corpus = read_files(SAMPLE)
    for names, expected in (
        (["MARY_LENNOX-0", "x:T2"], ["MARY_LENNOX-0", "x:T2"]),
        (["a\tb", "a b"], ["a b", "a b-2"]),
    ):
        entities = replace(corpus.entities, names=Strings.from_list(names))
        found = read_back(replace(corpus, entities=entities), litbank.LITBANK)
        assert list(found[0].entities) == expected
    assert losses(replace(corpus, types=("PROP",)), litbank.LITBANK) == ["types (3)"]
