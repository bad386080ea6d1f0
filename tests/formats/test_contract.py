"""The contract of all formats: sample, expected documents, round trip, damage, detection."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import corefine
from corefine import CorefineError, Corpus, Document, Kind, Mention
from corefine.errors import FormatError
from corefine.formats import Source, all_formats, format_named, losses
from corefine.formats.losses import differences, read_back
from corefine.formats.registry import recognise
from tests.fuzzing.samples import FORMATS, SOURCE, TAGGED, sample

pytest.importorskip("pyarrow", reason="the extra parquet is not installed")

Entities = dict[str, list[list[str]]]
EXPECTED: dict[str, Entities] = {
    "allennlp": {"x:1": [["a", "c"]]},
    "booknlp": {"x": [["Anna", "She"]]},
    "brat": {"x": [["Anna", "her"]]},
    "cas-json": {"x": [["Anna", "her"]]},
    "ccl": {"x": [["Ala", "śpi"]]},
    "clusters": {"x": [["[(0, 1)]", "[(2, 4)]"]]},
    "conll": {"x": [["Anna", "her"], ["her house", "It"]]},
    "conll-ud": {"x": [["A"], ["de le"]]},
    "conllu": {"x": [["A"], ["b c"]]},
    "coref-data": {"x": [["a", "b"]]},
    "corenlp": {"x": [["a", "b"]]},
    "corenlp-xml": {"x": [["Anna", "She"]]},
    "crac-json": {"x": [["Los de_el", "_"], ["él"]]},
    "doccano": {"1": [["Anna", "her"]]},
    "e2e": {"x": [["a b", "c"]], "y": []},
    "e2e-predicted": {"x": [["a b", "c"]]},
    "ecb": {"1_1ecb": [["Anna"]]},
    "fastcoref": {"x:1": [["Anna", "her"]]},
    "friends": {"x": [["I"]]},
    "gap": {"x": [["she", "Ann"], ["Eve"]]},
    "i2b2": {"x": [["mr. ito", "he"]]},
    "label-studio": {"4": [["Anna", "her"]]},
    "labels": {"d": [["a", "b, c"]], "e": [['d\n"e"']]},
    "litbank": {"x": [["Mary Lennox", "She"], ["a child"]]},
    "maverick": {"x:1": [["a", "c"]]},
    "mmax": {"x": [["Anna", "her"], ["her house"]]},
    "ontonotes": {"nw/x": [["Anna", "her"]]},
    "parquet": {"d": [["a", "b, c"]], "e": [["é"]]},
    "preco": {"x": [["a"]]},
    "prodigy": {"x:1": [["Anna", "her"]]},
    "semeval": {"x": [["A"]]},
    "stanza": {"x": [["Anna", "her"], ["her house"]]},
    "string-clusters": {"x": [["Anna", "her"]]},
    "tbf": {"x": [["0,5 Personnel_Elect", "20,28 Personnel_Elect"]]},
    "tei": {"x": [["Anna", "her"]]},
    "ua": {"x": [["Anna"], ["old Ben"], ["They"]]},
    "webanno": {"x": [["Anna", "her"], ["her house"]]},
    "wl-coref": {"x": [["a"]]},
    "xcore": {"x:1": []},
    "xmi": {"x": [["Anna", "her"]]},
    **{name: {"x": [["Anna", "her"], ["her old house", "It"]]} for name in TAGGED},
}
WRITTEN = [
    one.name for one in all_formats() if one.write is not None or one.write_files is not None
]


def put_sample(format: str, folder: Path) -> Path:
    """Write the sample of a format, and return the file to be read."""
    files = sample(format)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder / list(files)[-1]


def read(format: str, path: Path) -> Corpus:
    return corefine.read(path, format, against=SOURCE if format in TAGGED else None)


def entities(corpus: Corpus) -> Entities:
    return {
        document.name: [
            [document.words(mention) for mention in mentions]
            for mentions in document.entities.values()
        ]
        for document in corpus
    }


def test_every_format_is_under_the_contract() -> None:
    names = [format.name for format in all_formats()]
    assert sorted(EXPECTED) == sorted(FORMATS) == names


@pytest.mark.parametrize("format", FORMATS)
def test_the_sample_has_the_expected_documents(format: str, tmp_path: Path) -> None:
    corpus = read(format, put_sample(format, tmp_path))
    if format == "xcore":
        assert sum(len(one) for listed in entities(corpus).values() for one in listed) == 3
        return
    assert entities(corpus) == EXPECTED[format]
    assert list(Corpus.from_documents(corpus)) == list(corpus)


@pytest.mark.parametrize("format", sorted(set(FORMATS) & set(WRITTEN) - {"clusters", *TAGGED}))
def test_the_sample_survives_a_round_trip(format: str, tmp_path: Path) -> None:
    corpus = read(format, put_sample(format, tmp_path))
    assert differences(corpus, read_back(corpus, format_named(format))) == []


@pytest.mark.parametrize("format", FORMATS)
def test_the_sample_is_recognised(format: str, tmp_path: Path) -> None:
    path = put_sample(format, tmp_path)
    source = Source(str(path), path)
    found = recognise(source, "response" if "predicted" in format else "key")
    source.close()
    assert found is not None
    assert found.name == format


DAMAGES: list[Callable[[bytes], bytes]] = [
    lambda data: data[: len(data) // 2] + b"\xff\xfe" + data[len(data) // 2 :],
    lambda data: data[: len(data) // 2] + b"\0" + data[len(data) // 2 :],
    lambda data: b"Once upon a time.\n",
]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("format", sorted(set(FORMATS) - set(TAGGED)))
def test_damaged_files_are_refused_with_their_name(
    format: str, damage: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    path = put_sample(format, tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(FormatError) as caught:
        read(format, path)
    assert caught.value.where is not None
    assert caught.value.where.source.startswith(str(tmp_path))


ODD_WORDS = [
    " ",
    "\u00a0",
    "\u3000",
    "\ufeff",
    "",
    "a b",
    "\t",
    "\n",
    "<b>",
    "[1]",
    "(1)",
    "||",
    "#",
]


@pytest.mark.parametrize("format", WRITTEN)
@given(data=st.data())
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_written_without_loss_scores_as_the_original(
    format: str, data: st.DataObject
) -> None:
    words = data.draw(st.lists(st.sampled_from(["Anna", "she", *ODD_WORDS]), max_size=6))
    token = st.integers(0, max(len(words) - 1, 0))
    spans = data.draw(st.lists(st.tuples(token, token), max_size=4)) if words else []
    document = Document(data.draw(st.sampled_from(["d", "a/b", "x; part 1"])), words)
    for number, ends in enumerate(spans):
        kind = data.draw(st.sampled_from(Kind))
        document.mentions.append(
            Mention(number % 2, [(min(ends), max(ends) + 1)], kind=kind, type="PER")
        )
    corpus = Corpus.from_documents([document])
    chosen = format_named(format)
    try:
        lost = losses(corpus, chosen)
    except CorefineError:
        return
    # Kinds and types do not matter for the score.
    if all(loss.startswith(("mention kinds", "types")) for loss in lost):
        scores = corefine.score(corpus, read_back(corpus, chosen), "mentions,b3", twinless="none")
        assert scores["mentions"].f1 == (1 if spans else 0)
