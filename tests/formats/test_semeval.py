"""SemEval-2010: columns, zeros, malformed files, detection."""

from __future__ import annotations

from pathlib import Path

import pytest

import corefine
from corefine import Kind
from tests.building.format_files import parse, place_of_error
from tests.fuzzing.samples import sample


def row(number: object, word: str = "w", coreference: str = "_", **cells: str) -> str:
    places = {"lemma": 2, "plemma": 3}
    columns = [str(number), word, *["_"] * 14, coreference]
    for name, value in cells.items():
        columns[places[name]] = value
    return "\t".join(columns) + "\n"


def test_heads_layers_and_zeros() -> None:
    (document,) = parse(sample("semeval")["x.semeval"])
    assert [mention.head for mention in document.mentions] == [0, 3, 2]
    assert document.layers["ner"] == ["(PER)", "_", "_", "_"]
    # A predicted value is used if the annotated one is missing.
    text = row(1, "_", "(1)", lemma="a", plemma="b") + row(2, "w", "(1)", plemma="c")
    (document,) = parse("#begin document d\n" + text, "semeval")
    assert document.layers["lemma"] == ["a", "c"]
    assert [mention.kind for mention in document.mentions] == [Kind.ZERO, Kind.UNKNOWN]


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        *((rows, 2) for rows in (
            row(1, "w", "(1"), row(1, "w", "1)"), row(2), row("9" * 5000), row(1, "w", "(1|"),
            row(1, "w", "NN"),
        )),
        (row(1) + row(3), 3),
        ("#end document d\n" + row(1), 3),
    ],
)  # fmt: skip
def test_malformed_files_are_refused(rows: str, line: int) -> None:
    assert place_of_error(parse, "#begin document d\n" + rows, "semeval") == f"x:{line}"


@pytest.mark.slow
@pytest.mark.data
def test_real_corpora_keep_their_scores(data: Path, tmp_path: Path) -> None:
    key = data / "gum" / "key.conll"
    response = next(path for path in sorted(key.parent.glob("*.conll")) if path != key)
    for name, path in (("key", key), ("response", response)):
        corefine.write(corefine.read(path), tmp_path / f"{name}.semeval", lossy=True)
    sides = tmp_path / "key.semeval", tmp_path / "response.semeval"
    assert corefine.score(*sides)["lea"] == corefine.score(key, response)["lea"]
