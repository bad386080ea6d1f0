"""SemEval-2010: what is read, what is refused with its line, and what is written."""

from __future__ import annotations

import pytest

import corefine
from corefine import Corpus, Kind
from corefine.errors import FormatError
from corefine.formats import Source, format_named, sniff
from corefine.formats.columns import semeval
from tests.building.standoff_corpora import sample_files
from tests.building.text_corpora import make


def row(number: object, word: str = "w", coreference: str = "_", **cells: str) -> str:
    places = {"lemma": 2, "plemma": 3, "head": 8, "phead": 9}
    columns = [str(number), word, *["_"] * 14, coreference]
    for name, value in cells.items():
        columns[places[name]] = value
    return "\t".join(columns) + "\n"


def parsed(text: str) -> Corpus:
    return format_named("semeval").corpus(Source("f.txt", content=text.encode()))


def test_the_smallest_sample() -> None:
    (content,) = dict(sample_files(semeval.__doc__ or "", ["x.semeval"])).values()
    source = Source("x.semeval", content=content)
    corpus = sniff(source).corpus(source)
    assert corpus.format == "semeval"
    assert corpus.to_dict() == {"x": [[(0, 0), (2, 2)], [(2, 3)]]}
    assert [mention.head for mention in corpus[0].mentions] == [0, 3, 2]
    assert corpus[0].layers["ner"] == ["(PER)", "_", "_", "_"]


def test_a_predicted_value_is_used_if_the_annotated_one_is_missing() -> None:
    text = "#begin document d\n" + row(1, lemma="a", plemma="b") + row(2, plemma="c")
    assert parsed(text)[0].layers["lemma"] == ["a", "c"]


def test_elliptical_subjects_are_zeros() -> None:
    corpus = parsed("#begin document d\n" + row(1, "_", "(1)") + row(2, "w", "(1)"))
    assert [mention.kind for mention in corpus[0].mentions] == [Kind.ZERO, Kind.UNKNOWN]


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        (row(1, "w", "(1"), 2),
        (row(1, "w", "1)"), 2),
        (row(1) + row(3), 3),
        (row(2), 2),
        (row("9" * 5000), 2),
        (row(1, "w", "(1|"), 2),
        (row(1, "w", "NN"), 2),
        ("#end document d\n" + row(1), 3),
    ],
)
def test_malformed_files_are_refused_with_their_line(rows: str, line: int) -> None:
    with pytest.raises(FormatError) as refused:
        parsed("#begin document d\n" + rows)
    assert refused.value.where is not None
    assert refused.value.where.line == line
    assert len(str(refused.value)) < 350


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#begin document d\n" + row(1) + row(2), "semeval"),
        (row(1, "w", "(1)") + row(2), "semeval"),
        ("#begin document (1); part 000\n1 0 0 w NN * - - - - * (1)\n", "conll"),
    ],
)
def test_it_is_told_from_other_formats(text: str, expected: str) -> None:
    assert sniff(Source("f", content=text.encode())).name == expected


def test_what_is_written_is_read_again() -> None:
    corpus = make(
        {"d": ([["a", "New York", " "], ["d"]], [(0, 0, 1), (1, 1, 1), (0, 3, 3)])},
        lemma=["x", "_", "_", "z"],
    )
    again = parsed(b"".join(semeval.write(corpus)).decode())
    assert again.to_dict() == corpus.to_dict()
    assert again[0].tokens == corpus[0].tokens
    assert again[0].sentences == [0, 3]
    assert again[0].layers["lemma"] == ["x", "_", "_", "z"]


@pytest.mark.data
def test_real_corpora_keep_their_scores(data, tmp_path) -> None:
    key, response = (data / "gum" / f"{name}.conll" for name in ("key", "sieve"))
    if not response.exists():
        response = next(path for path in sorted(key.parent.glob("*.conll")) if path != key)
    for name, path in (("key", key), ("response", response)):
        corefine.write(corefine.read(path), tmp_path / f"{name}.semeval", lossy=True)
    sides = tmp_path / "key.semeval", tmp_path / "response.semeval"
    assert corefine.score(*sides)["lea"] == corefine.score(key, response)["lea"]
