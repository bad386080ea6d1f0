"""The contract of all formats: sample, expected documents, round trip, damage, detection."""

from __future__ import annotations

import contextlib
import gzip
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corefine
from corefine import CorefineError, Corpus, Document, Mention
from corefine.corpus.selection import select_documents
from corefine.errors import FormatError
from corefine.formats import Source, all_formats, capabilities_of, format_named, losses
from corefine.formats.losses import read_back
from corefine.formats.registry import recognise
from tests.building.format_files import entity_words, put
from tests.building.text_corpora import representable
from tests.fuzzing.samples import FORMATS, SOURCE, TAGGED, sample

pytest.importorskip("pyarrow", reason="the extra parquet is not installed")

Entities = dict[str, list[list[str]]]
EXPECTED: dict[str, Entities] = {
    "allennlp": {"x:1": [["Anna", "her"]]},
    "booknlp": {"x": [["Anna", "She"]]},
    "brat": {"x": [["Anna", "her"]]},
    "cas-json": {"x": [["Anna", "her"]]},
    "ccl": {"x": [["Ala", "śpi"]]},
    "clusters": {"x": [["[(0, 1)]", "[(2, 3)]"]]},
    "conll": {"x": [["Anna", "her"], ["her house"]]},
    "conll-ud": {"x": [["Anna"], ["le chat"]]},
    "conllu": {"x": [["Anna", "her"], ["her house"]]},
    "coref-data": {"x": [["Anna"]]},
    "corenlp": {"x:1": [["Anna", "She"]]},
    "corenlp-xml": {"x": [["Anna", "She"]]},
    "crac-json": {"x": [["Anna", "_"]]},
    "doccano": {"1": [["Anna", "her"]]},
    "e2e": {"x": [["Anna", "her"]]},
    "e2e-predicted": {"x": [["Anna", "her"]]},
    "ecb": {"1_1ecb": [["Anna"]]},
    "fastcoref": {"x:1": [["Anna", "her"]]},
    "friends": {"s01_e01_c01": [["Joey"]]},
    "gap": {"x": [["she", "Ann"], ["Eve"]]},
    "i2b2": {"x": [["Mr. Ito", "He"], ["a cough", "it"], ["syrup"]]},
    "koconovel": {"1_0": [["Anna", "her"]]},
    "label-studio": {"1": [["Anna", "her"]]},
    "labels": {"d": [["a", "b, c"]], "e": [['d\n"e"']]},
    "litbank": {"x": [["Mary Lennox", "She"], ["a child"]]},
    "maverick": {"x:1": [["Anna", "her"]]},
    "mmax": {"x": [["Anna", "her"], ["her house"]]},
    "onf": {"x": [["Anna", "*PRO*"]]},
    "ontonotes": {"nw/x": [["Anna", "her"]]},
    "parquet": {"d": [["a", "b, c"]], "e": [["é"]]},
    "preco": {"x": [["Anna", "She"]]},
    "prodigy": {"x:1": [["Anna", "her"]]},
    "semeval": {"x": [["Anna", "her"], ["her house"]]},
    "stanza": {"x": [["Anna", "her"], ["her house"]]},
    "string-clusters": {"x": [["Anna", "her"]]},
    "tbf": {"x": [["0,5 Personnel_Elect", "20,28 Personnel_Elect"]]},
    "tei": {"x": [["Anna", "her"]]},
    "ua": {"x": [["Anna"], ["old Ben"], ["They"]]},
    "webanno": {"x": [["Anna", "her"], ["her house"]]},
    "wl-coref": {"x": [["Anna", "her"]]},
    "xcore": {"x:1": [["Anna"]], "x:2": [["She"]]},
    "xmi": {"x": [["Anna", "her"]]},
    **{name: {"x": [["Anna", "her"], ["her old house", "It"]]} for name in TAGGED},
}
WRITTEN = [one.name for one in all_formats() if one.write is not None]


def put_sample(format: str, folder: Path) -> Path:
    """Write the sample of a format, and return the file to be read."""
    files = sample(format)
    return put(files, folder) / list(files)[-1]


def read(format: str, path: Path) -> Corpus:
    return corefine.read(path, format, against=SOURCE if format in TAGGED else None)


def test_every_format_is_under_the_contract() -> None:
    names = [format.name for format in all_formats() if format.name != "prompts"]
    assert sorted(EXPECTED) == sorted(FORMATS) == names


@pytest.mark.parametrize("format", FORMATS)
def test_the_sample_has_the_expected_documents(format: str, tmp_path: Path) -> None:
    corpus = read(format, put_sample(format, tmp_path))
    assert entity_words(corpus) == EXPECTED[format]
    assert list(Corpus.from_documents(corpus)) == list(corpus)


@pytest.mark.parametrize("format", WRITTEN)
def test_the_sample_survives_a_round_trip(format: str, tmp_path: Path) -> None:
    corpus = read(format, put_sample(format, tmp_path))
    assert losses(corpus, format_named(format)) == []


@pytest.mark.parametrize("format", FORMATS)
def test_the_sample_is_recognised(format: str, tmp_path: Path) -> None:
    path = put_sample(format, tmp_path)
    source = Source(str(path), path)
    found = recognise(source, "response" if "predicted" in format else "key")
    source.close()
    assert found is not None
    assert found.name == ("answers" if format in TAGGED else format)


@pytest.mark.parametrize("format", [one for one in FORMATS if one not in (*TAGGED, "parquet")])
def test_folders_and_gzip_are_read_like_files(format: str, tmp_path: Path) -> None:
    path = put_sample(format, tmp_path / "plain")
    (tmp_path / "packed").mkdir()
    for file in path.parent.iterdir():
        packed = gzip.compress(file.read_bytes())
        (tmp_path / "packed" / f"{file.name}.gz").write_bytes(packed)
    expected = list(read(format, path))
    places = (path.parent, tmp_path / "packed", tmp_path / "packed" / f"{path.name}.gz")
    for place, named in product(places, (format, None)):
        found = corefine.read(place, named, side="response" if "predicted" in format else "key")
        assert list(found) == expected


DAMAGES: list[Callable[[bytes], bytes]] = [
    lambda data: data[: len(data) // 2] + b"\xff\xfe" + data[len(data) // 2 :],
    lambda data: data[: len(data) // 2] + b"\0" + data[len(data) // 2 :],
    lambda data: b"Once upon a time.\n",
]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("format", FORMATS)
def test_damaged_files_are_refused_with_their_name(
    format: str, damage: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    path = put_sample(format, tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    if format in TAGGED and format != "answers" and damage is DAMAGES[-1]:
        # In a given dialect any text is an answer; another one than the source is a failure.
        copies = read(format, path).copies
        assert copies is not None
        assert copies.failed == 1
        return
    with pytest.raises(FormatError) as caught:
        read(format, path)
    assert caught.value.where is not None
    assert caught.value.where.source.startswith(str(tmp_path))


# --- capabilities ---------------------------------------------------------------------------------


HELD = {
    "brat": {"kinds", "types", "discontinuous"},
    "conll": set(),
    "conllu": {
        *("heads", "types", "minimum_spans", "discontinuous", "zeros", "relations", "attributes"),
    },
    "e2e": set(),
    "labels": {"names", "discontinuous", "topics"},
    "litbank": {"kinds", "types"},
    "ua": {
        *("minimum_spans", "discontinuous", "zeros", "relations", "annotations", "attributes"),
    },
    "wl-coref": {"heads"},
    "xml-m": {"zeros"},
}


@pytest.mark.parametrize("format", HELD)
def test_a_round_trip_shows_what_a_format_can_represent(format: str) -> None:
    text = {"text"} if format != "labels" else set()
    assert capabilities_of(format_named(format)) == HELD[format] | text


WITH_TEXT = [name for name in WRITTEN if "text" in capabilities_of(format_named(name))]


@pytest.mark.parametrize("format", WITH_TEXT)
@given(data=st.data())
@settings(max_examples=4)
def test_documents_with_what_a_format_declares_survive(format: str, data: st.DataObject) -> None:
    chosen = format_named(format)
    assert losses(data.draw(representable(capabilities_of(chosen))), chosen) == []


ODD_WORDS = [
    " ", "", "\t", "<b>", "||", "_", "\u00a0", "\u3000", "\ufeff", "a b", "\n", "[1]", "(1)", "#",
    "##", "-", "\\", '"', "\u2028", "\U0001f60a", "é",
]  # fmt: skip


@pytest.mark.parametrize("words", [ODD_WORDS[:6], pytest.param(ODD_WORDS, marks=pytest.mark.slow)])
@pytest.mark.parametrize("format", WRITTEN)
def test_odd_words_are_written_without_loss_or_not_at_all(format: str, words: list[str]) -> None:
    """Also as the first word of a text, and as a mention by itself."""
    chosen = format_named(format)
    kept = []
    for number, word in enumerate(words):
        mentions = [Mention("a", [(0, 1)]), Mention("a", [(1, 3)]), Mention("b", [(1, 2)])]
        document = Document(f"d{number}", [word, "Anna", word, "left"], mentions)
        with contextlib.suppress(CorefineError):
            if not losses(Corpus.from_documents([document]), chosen):
                kept.append(document)
    if kept:
        corpus = Corpus.from_documents(kept)
        scores = corefine.score(corpus, read_back(corpus, chosen), "mentions", twinless="none")
        assert scores["mentions"].f1 == 1


@pytest.fixture(scope="module")
def novels(data: Path) -> Corpus:
    """Every fifth document of LitBank."""
    key = corefine.read(data / "litbank" / "key.conll")
    return select_documents(key, np.arange(0, len(key), 5))


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("format", WITH_TEXT)
def test_novels_come_back_or_the_loss_is_announced(format: str, novels: Corpus) -> None:
    if not losses(novels, format_named(format)):
        again = read_back(novels, format_named(format))
        assert corefine.score(novels, again, "lea")["lea"].f1 == 1
