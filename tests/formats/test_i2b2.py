"""i2b2's texts, concepts and chains, each of which may be missing or malformed."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.curating.checking import check
from corefine.errors import CorefineError
from corefine.formats import read
from tests.building.format_files import place_of_error, put, read_files
from tests.fuzzing.samples import sample

NAMES = ["docs/x.txt", "concepts/x.txt.con", "chains/x.txt.chains"]
SAMPLE = dict(zip(NAMES, sample("i2b2").values(), strict=True))
EXPECTED = {"x": [[(0, 1), (6, 6)], [(3, 4), (10, 10)], [(8, 8)]]}


def with_files(**changed: bytes | None) -> dict[str, bytes]:
    """The sample with other docs, concepts or chains, or without them."""
    files: dict[str, bytes | None] = {**SAMPLE}
    for folder, data in changed.items():
        (name,) = (name for name in NAMES if name.startswith(folder))
        files[name] = data
    return {name: data for name, data in files.items() if data is not None}


def types_of(corpus: Corpus) -> dict[str, str | None]:
    (document,) = corpus
    return {document.words_of(mention): mention.type for mention in document.mentions}


def test_types_and_kinds() -> None:
    corpus = read_files(SAMPLE)
    assert corpus.warnings == ()
    assert types_of(corpus) == {
        "Mr. Ito": "person", "He": "person", "a cough": "problem", "it": "problem",
        "syrup": "treatment",
    }  # fmt: skip
    pronouns = [m for m in corpus[0].mentions if m.kind is Kind.PRONOUN]
    assert [corpus[0].words_of(mention) for mention in pronouns] == ["it"]


@pytest.mark.parametrize(
    "layout",
    [
        ["x.txt", "x.con", "x.chains"],
        ["a/docs/x.txt", "a/concepts/x.con", "a/chains/x.chains"],
        ["docs/x.txt", "concept/x.txt.con", "chains/x.txt.chains"],
    ],
)
def test_layouts_of_folders(tmp_path: Path, layout: list[str]) -> None:
    for name, data in zip(layout, SAMPLE.values(), strict=True):
        put({name: data}, tmp_path)
    chains = tmp_path / layout[2]
    for place, format in ((tmp_path, None), (tmp_path, "i2b2"), (chains, None)):
        assert read(place, format).to_dict(ends="inclusive") == EXPECTED
    assert read(chains.parent).to_dict(ends="inclusive") == EXPECTED


def test_chains_without_concepts_and_concepts_without_chains(tmp_path: Path) -> None:
    corpus = read_files(with_files(concepts=None))
    assert corpus.to_dict(ends="inclusive") == {"x": EXPECTED["x"][:2]}
    assert len(corpus.warnings) == 1
    assert types_of(corpus)["it"] == "problem"
    assert corpus.mentions.kind is None
    some = read_files(with_files(concepts=b'c="syrup" 2:2 2:2||t="treatment"\n'))
    assert some.to_dict(ends="inclusive") == EXPECTED
    assert types_of(some)["He"] == "person"
    twice = read_files(with_files(concepts=SAMPLE["concepts/x.txt.con"] * 2))
    assert twice.to_dict(ends="inclusive") == EXPECTED
    put(SAMPLE, tmp_path)
    corpus = read(tmp_path / "concepts" / "x.txt.con")
    assert corpus.to_dict(ends="inclusive") == {
        "x": [[(0, 1)], [(3, 4)], [(6, 6)], [(8, 8)], [(10, 10)]]
    }
    assert len(corpus.warnings) == 1
    put({"concepts/y.txt.con": SAMPLE["concepts/x.txt.con"]}, tmp_path)
    with pytest.raises(CorefineError, match="auxiliary"):
        read(tmp_path / "concepts")


def test_a_document_without_chains_is_a_document(tmp_path: Path) -> None:
    put(SAMPLE | {"docs/y.txt": b"No more .\n", "chains/y.txt.chains": b""}, tmp_path)
    assert read(tmp_path).to_dict(ends="inclusive") == EXPECTED | {"y": []}
    assert read(tmp_path / "chains" / "y.txt.chains").to_dict(ends="inclusive") == {"y": []}


def test_without_the_text_mentions_are_places() -> None:
    corpus = read_files(with_files(docs=None))
    assert corpus.tokens is None
    assert corpus.to_dict(ends="inclusive") == {
        "x": [["1:0 1:1", "2:0 2:0"], ["1:3 1:4", "2:4 2:4"], ["2:2 2:2"]]
    }
    assert corpus.mentions.attributes["text"].tolist()[0] == "mr. ito"


def test_one_word_in_twenty_may_differ_from_the_text_as_in_the_published_corpus() -> None:
    other = SAMPLE["docs/x.txt"].replace(b"a cough", b"the flu")
    assert place_of_error(read_files, with_files(docs=other)) == "x.txt.chains:2"
    words = b" ".join(b"it" for _ in range(20))
    many = b"||".join(b'c="it" 3:%d 3:%d' % (place, place) for place in range(20))
    chains = SAMPLE["chains/x.txt.chains"] + many + b'||t="coref thing"\n'
    corpus = read_files(with_files(docs=other + words + b"\n", chains=chains))
    (warning,) = corpus.warnings
    assert "x.txt.chains:2: " in warning
    text = "MR.  Ito has\ta Cough .\nÜber alles .\n".encode()
    chains = 'c="mr. ito" 1:0 1:1||c="über alles" 2:0 2:1||t="coref person"\n'.encode()
    assert read_files(with_files(docs=text, concepts=b"", chains=chains)).warnings == ()


CHAIN = b'c="mr. ito" 1:0 1:1||c="he" 2:0 2:0||t="coref person"\n'


@pytest.mark.parametrize(
    ("folder", "data", "place"),
    [
        *(("chains", data, "x.txt.chains:1") for data in (
            b"hello\n", b't="coref person"\n', b'c="a" 1:0 1:0||t="coref person\n',
            b'c="a" 1:0 1||t="coref person"\n', b'c="a" 1:0  1:0||t="coref person"\n',
            b'c="a" 1:-1 1:0||t="coref person"\n', b'c="a" 1:0 1:9999999999||t="coref"\n',
            b'c="mr. ito" 0:0 1:1||t="x"\n', b'c="mr. ito" 1:0 1:6||t="x"\n',
            b'c="mr. ito" 1:1 1:0||t="x"\n', b'c="mr. ito" 3:0 3:0||t="x"\n', b"\xff\n",
            b"c" * (1 << 21),
        )),
        ("chains", b'\nc="a" 1:0 1:0\n', "x.txt.chains:2"),
        # What stands before a damaged part must not be taken for words of the concept behind it.
        *(("chains", CHAIN.replace(old, new), "x.txt.chains:1") for old, new in (
            (b'||c="he', b'||d="he'), (b'||c="he', b"||c=he"), (b'||c="he', b'||="he'),
            (b'||c="he', b'|c="he'), (b'||c="he', b'| |c="he'), (b"1:1||", b"1:x||"),
            (b"1:1||", b"1:1"), (b"1:0 1:1", b"1:0 "), (b'||c="he', b'||C="he'),
            (b'||c="he', b'|| c="he'), (b'to" 1:0', b"to 1:0"),
        )),
        ("concepts", b'c="a" 1:0 1:0||c="b" 1:0 1:0||t="x"\n', "x.txt.con:1"),
        ("concepts", b'c="syrup" 2:9 2:9||t="x"\n', "x.txt.con:1"),
        ("docs", b"a\n\xff\n", "x.txt:2"),
        ("docs", b"a\0\n", "x.txt:1"),
        ("docs", b"", "x.txt"),
        ("docs", b"b " * 12 + b"\n" + b"b " * 12, "x.txt"),
    ],
)  # fmt: skip
def test_malformed_files_are_refused(folder: str, data: bytes, place: str) -> None:
    found = place_of_error(read_files, with_files(**{folder: data}), "i2b2")
    assert found.startswith(place)


def test_checking_looks_at_chains_with_what_belongs_to_them(tmp_path: Path) -> None:
    put(SAMPLE, tmp_path)
    put({"docs/y.txt": b"a", "chains/y.txt.chains": b'c="a" 2:0 2:0||t="x"'}, tmp_path)
    good, bad = check(tmp_path)
    assert (good.format, good.problems) == ("i2b2", ())
    assert [str(problem.where) for problem in bad.problems] == [f"{bad.source}:1"]
