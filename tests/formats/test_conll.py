"""CoNLL files as people have them: what is accepted, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefine.corpus.corpus import Corpus
from corefine.errors import FormatError
from corefine.formats import Source
from corefine.formats.conll import canonical_name
from corefine.formats.conll import read as read_conll
from tests.building.format_files import place_of_error

BEGIN = "#begin document (x); part 000\n"
END = "\n#end document\n"
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


def test_the_twelve_columns_of_the_shared_task() -> None:
    text = (
        BEGIN
        + "x   0   0   Anna   NNP   (TOP(S*   -      -   -   Speaker#1   (PERSON)   (1)\n"
        + "x   0   1    saw   VBD      (VP*   see   01   1   Speaker#1          *     -\n"
        + "x   0   2    her   PRP       *)))   -    -   -   Speaker#1          *  (1|(2)\n"
        + "x   0   3      .     .          *   -    -   -   Speaker#1          *    1)\n"
        + END
    )
    (document,) = corpus_of(text, None)
    assert document.name == "x"
    assert document.tokens == ["Anna", "saw", "her", "."]
    assert [mention.spans for mention in document.mentions] == [[(0, 1)], [(2, 4)], [(2, 3)]]
    assert document.layers == {
        "pos": ["NNP", "VBD", "PRP", "."],
        "parse": ["(TOP(S*", "(VP*", "*)))", "*"],
        "lemma": ["-", "see", "-", "-"],
        "speaker": ["Speaker#1"] * 4,
        "ner": ["(PERSON)", "*", "*", "*"],
    }
    for wanted in (frozenset[str](), frozenset({"pos"}), frozenset({"speaker", "feats"})):
        (document,) = corpus_of(text, wanted)
        assert set(document.layers) == wanted - {"feats"}


def test_layers_of_placeholders_and_of_narrow_lines() -> None:
    assert corpus_of(BEGIN + "x 0 0 a - * _ - - - * -\n" + END, None)[0].layers == {}
    corpus = corpus_of(BEGIN + "x 0 0 a DT * the - - Bo * -\n\nx 0 1 b (1)\n", None)
    assert corpus[0].layers["pos"] == ["DT", ""]


@pytest.mark.parametrize(
    ("line", "word"),
    [("(1)", ""), ("word (1)", "word"), ("0 word (1)", "word"), ("x 0 word (1)", "word"),
     ("x 0 0 word (1)", "word"), ("x 0 0 word " + "- " * 40 + "(1)", "word")],
)  # fmt: skip
@pytest.mark.parametrize("separator", [" ", "\t", "    "])
def test_any_number_of_columns(line: str, word: str, separator: str) -> None:
    corpus = corpus_of(BEGIN + separator.join(line.split()) + END)
    assert corpus[0].tokens == [word]
    assert entities_of(corpus) == {"1": [(0, 0)]}


ONE: Entities = {"1": [(0, 0), (2, 2)]}
PLAIN = "x 0 0 a - (1)\nx 0 1 b - -\nx 0 2 c - (1)\n"
TABS = PLAIN.replace(" ", "\t")


@pytest.mark.parametrize(
    ("text", "words", "entities"),
    [
        ("x\t0\t0\tNew York\tN\t(1)\nx\t0\t1\t \tV\t-\n", ["New York", " "], {"1": [(0, 0)]}),
        ("New York\t(1)\nis\t-\n", ["New York", "is"], {"1": [(0, 0)]}),
        ("x 0 0 a b (1)\nx\t0\t1\tc\te\t(1)\n", ["a", "c"], {"1": [(0, 0), (1, 1)]}),
        ("x  0  0  a  -  -\t(1)\nx  0  1  b  -  -\t-\n", ["a", "b"], {"1": [(0, 0)]}),
        *((text.replace("\n", f"{end}\n"), ["a", "b", "c"], ONE)
          for text in (PLAIN, TABS) for end in ("\t", " \t", "  ", "\r")),
        (PLAIN.replace("b -", "b *"), ["a", "b", "c"], ONE),
        (TABS.replace("b\t-\t-", "b\t_\t"), ["a", "b", "c"], ONE),
        (TABS.replace("b\t-\t-\n", "b\t_\t\r\n"), ["a", "b", "c"], ONE),
        (PLAIN.removesuffix("\n"), ["a", "b", "c"], ONE),
        ("#\t-\n#tag\t(1)\n# no\tword\t-\n#1 (2)\n#\tfoo\n", ["#", "#tag"], {"1": [(1, 1)]}),
        ("é -\n語 -\n😀 (1)\na\u00a0b -\n", ["é", "語", "😀", "a\u00a0b"], {"1": [(2, 2)]}),
    ],
)  # fmt: skip
def test_lines_as_people_write_them(text: str, words: list[str], entities: Entities) -> None:
    corpus = corpus_of(BEGIN + text)
    assert corpus[0].tokens == words
    assert entities_of(corpus) == entities
    assert corpus.warnings == ()


@pytest.mark.parametrize(
    ("cells", "entities"),
    [
        ("(1|(2 (3 2) 1)|3)", {"1": [(0, 3)], "2": [(0, 2)], "3": [(1, 3)]}),
        ("(1|(1 (1) 1) - 1)", {"1": [(0, 2), (0, 4), (1, 1)]}),
        ("(1 1)|(1 1)", {"1": [(0, 1), (1, 2)]}),
        ("(1)(2 (3 3)2)", {"1": [(0, 0)], "2": [(0, 2)], "3": [(1, 2)]}),
        ("|(1)||(2)|", {"1": [(0, 0)], "2": [(0, 0)]}),
        ("(7|(07|(e-7 7) 07)|e-7)", {"7": [(0, 1)], "07": [(0, 2)], "e-7": [(0, 2)]}),
        ("(-) (_)", {"-": [(0, 0)], "_": [(1, 1)]}),
        (f"({'1' * 5000}) ({'1' * 5000})", {"1" * 5000: [(0, 0), (1, 1)]}),
    ],
)
def test_brackets(cells: str, entities: Entities) -> None:
    lines = [f"x 0 {number} w {cell}" for number, cell in enumerate(cells.split())]
    assert entities_of(corpus_of(BEGIN + "\n".join(lines) + END)) == entities


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
    assert entities_of(corpus) == ONE
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
    ("mark", "name"),
    [
        ("#begin document (x); part 0", "x"),
        ("# begin document x", "x"),
        ("#BEGIN  DOCUMENT\t(x);part\t00", "x"),
        ("#begin document (x) part 000", "x"),
        ("#begin document (bc/cctv/00/cctv_0000); part 012", "bc/cctv/00/cctv_0000; part 12"),
        ("#begin document (a b (c)); part 1", "a b (c); part 1"),
        ("#begin document my part 3", "my part 3"),
        ("#begin document (x); part b", "x; part b"),
        ("#begin document ();  part 000", ""),
        ("#begin document", ""),
        ("#begin document Zürich; 語", "Zürich; 語"),
    ],
)
def test_names_of_documents(mark: str, name: str) -> None:
    assert corpus_of(f"{mark}\na (1)\n#end document\n").documents == (name,)
    assert canonical_name(name) == name


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


def test_sentences_end_at_lines_of_white_space() -> None:
    text = BEGIN + "\na (1)\n \n\t\n\nb -\n\x0c\nc -\n# comment\nd -\n\n"
    (document,) = corpus_of(text)
    assert document.starts == [0, 1, 2]
    assert document.lines == [3, 7, 9, 11]


def test_faults_are_found_whatever_the_size_of_blocks() -> None:
    for text, line in (("a -\n" + BEGIN + "b (1)\n", 1), (ROWS.format("x") + ROWS.format("y"), 4)):
        with pytest.raises(FormatError, match=rf"f\.conll:{line}: "):
            read_conll(Source("f.conll", content=text.encode()), frozenset(), 16)
