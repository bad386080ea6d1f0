"""CoNLL files as people have them: what is accepted, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefine.corpus.corpus import Corpus
from corefine.formats import Source
from corefine.formats.conll import read as read_conll
from tests.building.format_files import place_of_error

BEGIN = "#begin document (x); part 000\n"
Entities = dict[str, list[tuple[int, int]]]


def corpus_of(text: str | bytes, layers: frozenset[str] | None = frozenset()) -> Corpus:
    data = text.encode() if isinstance(text, str) else text
    return read_conll(Source("f.conll", Path("f.conll"), content=data), layers)


def entities_of(corpus: Corpus) -> Entities:
    """First and last token of the mentions of each entity, by name."""
    found: Entities = {}
    for document in corpus:
        for entity, mentions in document.entities.items():
            spans = sorted(mention.spans[0] for mention in mentions)
            found[str(entity)] = [(start, stop - 1) for start, stop in spans]
    return found


def test_layers_of_placeholders_and_of_narrow_lines() -> None:
    assert corpus_of(BEGIN + "x 0 0 a - * _ - - - * -\n", None)[0].layers == {}
    corpus = corpus_of(BEGIN + "x 0 0 a DT * the - - Bo * -\n\nx 0 1 b (1)\n", None)
    assert corpus[0].layers["pos"] == ["DT", ""]


def test_ids_without_brackets_inside_their_mention_are_ignored() -> None:
    corpus = corpus_of(BEGIN + "a (0\nb 0|(1)\nc 0\nd 0)\n")
    assert entities_of(corpus) == {"0": [(0, 3)], "1": [(1, 1)]}
    (warning,) = corpus.warnings
    assert warning.startswith("f.conll:3: ")


def test_a_word_that_is_a_blank_is_missing_between_blanks() -> None:
    line = "x 0 {} {} * - - - - * x {}\n"
    rows = [(0, "Anna NNP", "(1)"), (1, "SP", "-"), (2, "he PRP", "(1)")]
    text = "".join(line.format(*row) for row in rows)
    corpus = corpus_of(BEGIN + text, None)
    assert corpus[0].tokens == ["Anna", " ", "he"]
    assert entities_of(corpus) == {"1": [(0, 0), (2, 2)]}
    assert corpus[0].layers["pos"] == ["NNP", "SP", "PRP"]
    (warning,) = corpus.warnings
    assert warning.startswith("f.conll:3: ")
    wrong = BEGIN + text.replace("x 0 1 SP", "x 0 7 SP")
    assert place_of_error(corpus_of, wrong) == "f.conll:3"


ROWS = "{0}\t0\t0\ta\t-\t(1)\n{0}\t0\t1\tb\t-\t(1)\n\n"
LONG = b"(1)\t" * (1 << 18) + b"a"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (BEGIN + "x\t0\t1\tc\te\t(1)\n\nx 0 0 a b (1)\n", 4),
        (BEGIN + "x 0 0 a - (1)\nx 0 1 b -\nx 0 2 c - (1)\n", 3),
        (BEGIN + "a b (1)\n\na b -\nb c d (1)\n", 5),
        (BEGIN + "x 0 0 a - (V*) (1)\n\nx 0 0 b - 12\nx 0 1 c - (1)\n", 4),
        *((BEGIN + f"x 0 0 a -\nx 0 1 b {cell}\nx 0 2 c -\n", 3)
          for cell in ("1", "(", ")", "(1|2", "()", "((1)", "1))", "(1)x", "|", "--", "NN")),
        (BEGIN + "a\tb\t(1) (2)\n", 2),
        (BEGIN + "w 0\nw (0)\n", 2),
        (BEGIN + "w (0)\nw 0\n", 3),
        (BEGIN + "a -\nb (5\nc (4)\n", 3),
        (BEGIN + "a (5)\nb 5)\nc (5\nd 5)\n", 3),
        (BEGIN + "a (1\nb (1\nc 1)\nd (2\ne 2)\nf 3)\n", 2),
        (BEGIN + "a (1\n#end document\n#begin document (y); part 000\nb 1)\n", 2),
        (BEGIN + "a " + "b" * 5000, 2),
        (BEGIN + "a (" + "b" * 5000, 2),
        ("a -\n" + BEGIN + "b (1)\n", 1),
        (BEGIN + "b (1)\n#end document\n\nc -\n#begin document y\nd -\n", 5),
        (BEGIN + "b (1)\n#end document\nc -\n", 4),
        ("b (1)\n#end document\nc -\n", 3),
        (ROWS.format("x") + ROWS.format("y"), 4),
        ((BEGIN + "a (1)\nb -\n").replace("\n", "\r"), 1),
        ((BEGIN + "é -\nb ").encode() + b"caf\xe9 -\n", 3),
        (BEGIN.encode() + b"a\xc3 -\n\xa9 -\n", 2),
        (BEGIN + "a -\n\0 -\n", 3),
        (BEGIN.encode() + b"a -\n" + LONG, 3),
        (BEGIN.encode() + b"a -\n" + LONG + b"\nb -\n", 3),
        ("", None),
        ("\n \n# comment\n", None),
        ("\n#end document\n", None),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_faults_are_refused_with_their_line(text: str | bytes, line: int | None) -> None:
    assert place_of_error(corpus_of, text) == ("f.conll" if line is None else f"f.conll:{line}")


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        ("#begin document a\nv (1)\n#begin document b\nw (1)", {"a": 1, "b": 1}),
        ("#begin document a\n#end document\n#begin document b\nw (1)\n", {"a": 0, "b": 1}),
        ("\ufeff" + BEGIN + "a (1)\n", {"x": 1}),
        ("n 0 0 a (1)\nn 0 1 b -\n\nn 0 0 c (1)\n", {"n": 2}),
        ("bc/n 3 0 a (1)\nbc/n 3 1 b -\n", {"bc/n; part 3": 1}),
        ("n 0 0 a (1)\nm 0 1 b -\n", {"f": 1}),
        ("a (1)\nb -\n#end document\n", {"f": 1}),
        ("0\tx\ta\tw\t(1)\n1\tx\tb\tw\t(1)\n", {"f": 2}),
        ("s1\t0\t0\ta\t(1)\n\ns2\t1\t0\tb\t(1)\n", {"f": 2}),
    ],
)
def test_documents(text: str, documents: dict[str, int]) -> None:
    """Documents and the numbers of their mentions; a file without marks is one document."""
    assert {document.name: len(document.mentions) for document in corpus_of(text)} == documents
