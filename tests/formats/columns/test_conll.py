"""CoNLL files as people have them: what is accepted, what is refused, and with which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefine.corpus.corpus import Corpus
from corefine.errors import FormatError
from corefine.formats import Source, read
from corefine.formats.columns.bracket_columns import canonical_name
from corefine.formats.columns.conll import read as read_conll
from corefine.formats.columns.conll import write

BEGIN = "#begin document (x); part 000\n"
END = "\n#end document\n"


def corpus_of(text: str | bytes, layers: frozenset[str] | None = frozenset()) -> Corpus:
    data = text.encode() if isinstance(text, str) else text
    return read_conll(Source("f.conll", Path("f.conll"), content=data), layers)


def words_of(corpus: Corpus) -> list[str]:
    assert corpus.tokens is not None
    return corpus.tokens.words.tolist()


def sentences_of(corpus: Corpus) -> list[int]:
    assert corpus.tokens is not None
    return corpus.tokens.sentences.tolist()


def lines_of(corpus: Corpus) -> list[int]:
    assert corpus.tokens is not None
    assert corpus.tokens.lines is not None
    return corpus.tokens.lines.tolist()


def entities_of(corpus: Corpus) -> dict[str, set[tuple[int, int]]]:
    """Spans (first and last token) of each entity of a corpus of one document, by its name."""
    names = corpus.entities.names
    assert names is not None
    found: dict[str, set[tuple[int, int]]] = {}
    for entity, start, stop in zip(
        corpus.mentions.entity.tolist(),
        corpus.mentions.start.tolist(),
        corpus.mentions.stop.tolist(),
        strict=True,
    ):
        found.setdefault(names[entity], set()).add((start, stop - 1))
    return found


def refusal(text: str | bytes) -> str:
    with pytest.raises(FormatError) as caught:
        corpus_of(text)
    return str(caught.value)


# --- columns ---------------------------------------------------------------------------------


def test_the_twelve_columns_of_the_shared_task() -> None:
    corpus = corpus_of(
        BEGIN
        + "x   0   0   Anna   NNP   (TOP(S*   -      -   -   Speaker#1   (PERSON)   (1)\n"
        + "x   0   1    saw   VBD      (VP*   see   01   1   Speaker#1          *     -\n"
        + "x   0   2    her   PRP       *)))   -    -   -   Speaker#1          *  (1|(2)\n"
        + "x   0   3      .     .          *   -    -   -   Speaker#1          *    1)\n"
        + END,
        None,
    )
    assert corpus.documents == ("x",)
    assert words_of(corpus) == ["Anna", "saw", "her", "."]
    assert entities_of(corpus) == {"1": {(0, 0), (2, 3)}, "2": {(2, 2)}}
    assert corpus.tokens is not None
    layers = {name: column.tolist() for name, column in corpus.tokens.layers.items()}
    assert layers == {
        "pos": ["NNP", "VBD", "PRP", "."],
        "parse": ["(TOP(S*", "(VP*", "*)))", "*"],
        "lemma": ["-", "see", "-", "-"],
        "speaker": ["Speaker#1"] * 4,
        "ner": ["(PERSON)", "*", "*", "*"],
    }


def test_only_the_layers_that_are_asked_for() -> None:
    text = BEGIN + "x 0 0 Anna NNP * anna - - Bo * (1)".replace(" ", "\t") + END
    for wanted in (frozenset[str](), frozenset({"pos"}), frozenset({"speaker", "feats"})):
        tokens = corpus_of(text, wanted).tokens
        assert tokens is not None
        assert set(tokens.layers) == wanted - {"feats"}


def test_a_layer_of_placeholders_is_no_layer() -> None:
    tokens = corpus_of(BEGIN + "x 0 0 a - * _ - - - * -\n" + END, None).tokens
    assert tokens is not None
    assert tokens.layers == {}


def test_layers_of_narrow_lines_are_empty() -> None:
    corpus = corpus_of(BEGIN + "x 0 0 a DT * the - - Bo * -\n\nx 0 1 b (1)\n", None)
    assert corpus.tokens is not None
    assert corpus.tokens.layers["pos"].tolist() == ["DT", ""]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("(1)", ""),
        ("word (1)", "word"),
        ("0 word (1)", "word"),
        ("x 0 word (1)", "word"),
        ("x 0 0 word (1)", "word"),
        ("x 0 0 word pos (1)", "word"),
        ("x 0 0 word " + "- " * 40 + "(1)", "word"),
    ],
)
@pytest.mark.parametrize("separator", [" ", "\t", "    "])
def test_any_number_of_columns(line: str, word: str, separator: str) -> None:
    corpus = corpus_of(BEGIN + separator.join(line.split()) + END)
    assert words_of(corpus) == [word]
    assert entities_of(corpus) == {"1": {(0, 0)}}


def test_a_word_may_hold_blanks_where_tabs_cut_the_line() -> None:
    corpus = corpus_of(BEGIN + "x\t0\t0\tNew York\tNNP\t(1)\nx\t0\t1\t \tVBZ\t-\n" + END)
    assert words_of(corpus) == ["New York", " "]
    assert entities_of(corpus) == {"1": {(0, 0)}}
    assert words_of(corpus_of(BEGIN + "New York\t(1)\nis\t-\n")) == ["New York", "is"]


def test_the_first_token_decides_what_separates_columns() -> None:
    text = BEGIN + "x 0 0 a b (1)\nx\t0\t1\tc\te\t(1)\n"
    assert words_of(corpus_of(text)) == ["a", "c"]
    with pytest.raises(FormatError) as refused:
        corpus_of(BEGIN + "x\t0\t1\tc\te\t(1)\n\nx 0 0 a b (1)\n")
    assert refused.value.where is not None
    assert refused.value.where.line == 4


def test_a_column_pasted_with_a_tab_to_aligned_ones() -> None:
    corpus = corpus_of(BEGIN + "x  0  0  a  -  -\t(1)\nx  0  1  b  -  -\t-\n")
    assert words_of(corpus) == ["a", "b"]
    assert entities_of(corpus) == {"1": {(0, 0)}}


@pytest.mark.parametrize("cell", ["-", "_", "*", "- ", "-\t", "*\t \t"])
def test_cells_without_a_bracket(cell: str) -> None:
    corpus = corpus_of(BEGIN + f"x\t0\t0\ta\t-\t{cell}\nx\t0\t1\tb\t-\t(1)\n")
    assert words_of(corpus) == ["a", "b"]
    assert entities_of(corpus) == {"1": {(1, 1)}}


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        ("x 0 0 a - (1)\nx 0 1 b -\nx 0 2 c - (1)\n", 3),
        ("a b (1)\n\na b -\nb c d (1)\n", 5),
        ("x\t0\t0\tAnna\t(1)\nx\t0\t1\tsaw\t\n", 3),
    ],
)
def test_lines_of_another_width_in_a_sentence(lines: str, line: int) -> None:
    with pytest.raises(FormatError) as refused:
        corpus_of(BEGIN + lines)
    assert refused.value.where is not None
    assert refused.value.where.line == line


@pytest.mark.parametrize("end", ["\t", " \t", "\t\t", "  ", "\r"])
@pytest.mark.parametrize("separator", ["\t", " "])
def test_white_space_at_the_end_of_lines_is_ignored(end: str, separator: str) -> None:
    lines = ["x 0 0 a - (1)", "x 0 1 b - -", "x 0 2 c - (1)"]
    text = "".join(
        f"{line.replace(' ', separator)}{end * (n != 1)}\n" for n, line in enumerate(lines)
    )
    corpus = corpus_of(BEGIN + text)
    assert words_of(corpus) == ["a", "b", "c"]
    assert entities_of(corpus) == {"1": {(0, 0), (2, 2)}}


def test_ids_without_brackets_inside_their_mention_are_ignored() -> None:
    corpus = corpus_of(BEGIN + "a (0\nb 0|(1)\nc 0\nd 0)\n")
    assert entities_of(corpus) == {"0": {(0, 3)}, "1": {(1, 1)}}
    (warning,) = corpus.warnings
    assert warning.startswith("f.conll:3: 2 ids without brackets")
    for cells in ("0 (0) -", "(0) 0 -", "(1 0 1)"):
        lines = "".join(f"w {cell}\n" for cell in cells.split())
        assert "malformed coreference cell '0'" in refusal(BEGIN + lines)


def test_a_word_that_is_a_blank_is_missing_between_blanks() -> None:
    line = "x 0 {} {} * - - - - * x {}\n"
    text = (
        line.format(0, "Anna NNP", "(1)")
        + line.format(1, "SP", "-")
        + line.format(2, "he PRP", "(1)")
    )
    corpus = corpus_of(BEGIN + text, None)
    assert words_of(corpus) == ["Anna", " ", "he"]
    assert entities_of(corpus) == {"1": {(0, 0), (2, 2)}}
    assert corpus.tokens is not None
    assert corpus.tokens.layers["pos"].tolist() == ["NNP", "SP", "PRP"]
    (warning,) = corpus.warnings
    assert warning.startswith("f.conll:3: ")
    with pytest.raises(FormatError):
        corpus_of(BEGIN + text.replace("x 0 1 SP", "x 0 7 SP"))


def test_sentences_of_different_widths_do_not_excuse_a_malformed_cell() -> None:
    """Lines of 2012 have one column more for each predicate of the sentence."""
    text = BEGIN + "x 0 0 a - (V*) (1)\n\nx 0 0 b - {}\nx 0 1 c - (1)\n"
    assert entities_of(corpus_of(text.format("(1)"))) == {"1": {(0, 0), (1, 1), (2, 2)}}
    assert refusal(text.format("12")).startswith("f.conll:4: malformed coreference cell '12'")


def test_a_file_without_brackets_gets_a_warning() -> None:
    assert corpus_of(BEGIN + "x 0 0 a -\n").warnings == (
        "f.conll: no coreference brackets, so there are no mentions",
    )
    assert corpus_of(BEGIN + "x 0 0 a (1)\n").warnings == ()


def test_hashes_that_are_words() -> None:
    corpus = corpus_of(BEGIN + "#\t-\n#tag\t(1)\n# no\tword\t-\n#1 (2)\n#\tfoo\n")
    assert words_of(corpus) == ["#", "#tag"]
    assert entities_of(corpus) == {"1": {(1, 1)}}


# --- brackets --------------------------------------------------------------------------------


def spans(*cells: str) -> dict[str, set[tuple[int, int]]]:
    lines = [f"x 0 {number} w {cell}" for number, cell in enumerate(cells)]
    return entities_of(corpus_of(BEGIN + "\n".join(lines) + END))


def test_nested_and_crossing_mentions() -> None:
    assert spans("(1|(2", "(3", "2)", "1)|3)") == {"1": {(0, 3)}, "2": {(0, 2)}, "3": {(1, 3)}}


def test_mentions_of_one_entity_inside_one_another() -> None:
    assert spans("(1|(1", "(1)", "1)", "-", "1)") == {"1": {(0, 4), (0, 2), (1, 1)}}
    assert spans("(1", "1)|(1", "1)") == {"1": {(0, 1), (1, 2)}}


def test_bars_may_be_missing_or_too_many() -> None:
    assert spans("(1)(2", "(3", "3)2)") == {"1": {(0, 0)}, "2": {(0, 2)}, "3": {(1, 2)}}
    assert spans("|(1)||(2)|") == {"1": {(0, 0)}, "2": {(0, 0)}}


def test_ids_are_strings() -> None:
    found = spans(
        "(7|(07|(e-7|(Ünal|(a_very_long_id_indeed", "7)", "07)|e-7)|Ünal)", "a_very_long_id_indeed)"
    )
    assert found == {
        "7": {(0, 1)},
        "07": {(0, 2)},
        "e-7": {(0, 2)},
        "Ünal": {(0, 2)},
        "a_very_long_id_indeed": {(0, 3)},
    }
    assert spans("(-)", "(_)", "(123456789012345678901)") == {
        "-": {(0, 0)}, "_": {(1, 1)}, "123456789012345678901": {(2, 2)},
    }  # fmt: skip


def test_mentions_stand_in_the_order_of_their_opening() -> None:
    corpus = corpus_of(BEGIN + "a (2|(1\nb (3)|1)\nc 2)\n")
    assert list(
        zip(corpus.mentions.start.tolist(), corpus.mentions.stop.tolist(), strict=True)
    ) == [
        (0, 3),
        (0, 2),
        (1, 2),
    ]
    assert corpus.entities.names is not None
    assert corpus.entities.names.tolist() == ["2", "1", "3"]


def test_the_same_id_in_two_documents_is_two_entities() -> None:
    corpus = corpus_of("#begin document a\nw (1)\n#begin document b\nw (1)\nw (1)\n")
    assert corpus.to_dict() == {"a": [[(0, 0)]], "b": [[(0, 0), (1, 1)]]}


@pytest.mark.parametrize(
    "cell", ["1", "(", ")", "(1|2", "()", "((1)", "1))", "(1)x", "|", "--", "NN"]
)
def test_malformed_cells(cell: str) -> None:
    assert refusal(BEGIN + f"x 0 0 a -\nx 0 1 b {cell}\nx 0 2 c -\n").startswith(
        f"f.conll:3: malformed coreference cell {cell!r}. The last column contains '-', or brackets"
    )


def test_messages_do_not_print_whole_files() -> None:
    assert len(refusal(BEGIN + "a " + "b" * 100_000)) < 250
    assert len(refusal(BEGIN + "a (" + "b" * 100_000)) < 350


def test_a_blank_inside_a_cell_is_malformed() -> None:
    assert "f.conll:2: malformed coreference cell '(1) (2)'" in refusal(BEGIN + "a\tb\t(1) (2)\n")


def test_a_mention_that_is_never_closed() -> None:
    assert refusal(BEGIN + "a -\nb (5\nc (4)\n") == (
        "f.conll:3: a mention of entity '5' is opened here but never closed in document 'x'. "
        "Add the missing bracket 5), or remove this one."
    )


def test_a_mention_that_is_never_opened() -> None:
    assert refusal(BEGIN + "a (5)\nb 5)\nc (5\nd 5)\n") == (
        "f.conll:3: a mention of entity '5' is closed here but never opened in document 'x'. "
        "Add the missing bracket (5, or remove this one."
    )


def test_the_first_wrong_bracket_is_named() -> None:
    text = BEGIN + "a (1\nb (1\nc 1)\nd (2\ne 2)\nf 3)\n"
    assert refusal(text).startswith("f.conll:2: a mention of entity '1' is opened here")


def test_a_mention_does_not_reach_into_the_next_document() -> None:
    assert "f.conll:2: a mention of entity '1' is opened here but never closed in" in refusal(
        BEGIN + "a (1\n#end document\n#begin document (y); part 000\nb 1)\n"
    )


# --- documents -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mark", "name"),
    [
        ("#begin document (x); part 000", "x"),
        ("#begin document (x); part 0", "x"),
        ("# begin document x", "x"),
        ("#begin document x", "x"),
        ("#BEGIN  DOCUMENT\t(x);part\t00", "x"),
        ("#begin document (x);", "x"),
        ("#begin document (x) part 000", "x"),
        ("#begin document (bc/cctv/00/cctv_0000); part 012", "bc/cctv/00/cctv_0000; part 12"),
        ("# begin document bc/cctv/00/cctv_0000; part 12", "bc/cctv/00/cctv_0000; part 12"),
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


def test_canonical_names_stay_as_they_are() -> None:
    for name in ("x", "x; part 12", "a (b)", "a;b"):
        assert canonical_name(name) == name


def test_ends_of_documents_may_be_missing() -> None:
    corpus = corpus_of("#begin document a\nv (1)\n#begin document b\nw (1)")
    assert corpus.documents == ("a", "b")
    assert words_of(corpus) == ["v", "w"]
    assert lines_of(corpus) == [2, 4]


def test_documents_without_tokens() -> None:
    corpus = corpus_of(
        "#begin document a\n#end document\n#begin document b\nw (1)\n#begin document c\n"
    )
    assert corpus.documents == ("a", "b", "c")
    assert corpus.tokens is not None
    assert corpus.tokens.offsets.tolist() == [0, 0, 1, 1]
    assert corpus.mentions.document.tolist() == [1]


def test_a_file_without_marks_is_one_document() -> None:
    by_column = corpus_of("n 0 0 a (1)\nn 0 1 b -\n\nn 0 0 c (1)\n")
    assert by_column.documents == ("n",)
    assert sentences_of(by_column) == [0, 2]
    assert corpus_of("bc/n 3 0 a (1)\nbc/n 3 1 b -\n").documents == ("bc/n; part 3",)
    assert corpus_of("n 0 0 a (1)\nm 0 1 b -\n").documents == ("f",)
    assert corpus_of("a (1)\nb -\n#end document\n").documents == ("f",)


def test_tokens_outside_of_documents() -> None:
    before = refusal("a -\n" + BEGIN + "b (1)\n")
    assert before.startswith("f.conll:1: a token outside a document. Add '#begin document")
    after = refusal(BEGIN + "b (1)\n#end document\n\nc -\n#begin document y\nd -\n")
    assert after.startswith("f.conll:5: a token outside a document")
    last = refusal(BEGIN + "b (1)\n#end document\nc -\n")
    assert last.startswith("f.conll:4: a token outside a document")
    assert refusal("b (1)\n#end document\nc -\n").startswith("f.conll:3: a token outside")


def test_a_file_whose_document_only_ends_is_known_and_its_fault_is_found(tmp_path: Path) -> None:
    path = tmp_path / "f.txt"
    path.write_text(f"#bein document (x)\nx 0 0 w (1)|({END}")
    with pytest.raises(FormatError, match=r"f\.txt:2: malformed coreference cell"):
        read(str(path))


def test_tokens_outside_are_refused_whatever_the_size_of_blocks() -> None:
    source = Source("f.conll", content=b"a -\n" + BEGIN.encode() + b"b (1)\n")
    with pytest.raises(FormatError, match=r"f\.conll:1: a token outside"):
        read_conll(source, frozenset(), 16)


# --- lines -----------------------------------------------------------------------------------


@pytest.mark.parametrize("separator", [" ", "\t"])
def test_line_ends_of_windows(separator: str) -> None:
    text = BEGIN + "x 0 0 a (1)\nx 0 1 b -\n\nx 0 0 c (1)\n".replace(" ", separator) + END
    corpus = corpus_of(text.replace("\n", "\r\n"))
    assert words_of(corpus) == ["a", "b", "c"]
    assert entities_of(corpus) == {"1": {(0, 0), (2, 2)}}
    assert sentences_of(corpus) == [0, 2]


def test_no_last_newline() -> None:
    assert entities_of(corpus_of(BEGIN + "a (1)\nb (1)")) == {"1": {(0, 0), (1, 1)}}


def test_byte_order_mark() -> None:
    corpus = corpus_of(b"\xef\xbb\xbf" + (BEGIN + "a (1)\n").encode())
    assert corpus.documents == ("x",)


def test_sentences_end_at_lines_of_white_space() -> None:
    corpus = corpus_of(BEGIN + "\na (1)\n \n\t\n\nb -\n\x0c\nc -\n# comment\nd -\n\n")
    assert sentences_of(corpus) == [0, 1, 2]
    assert lines_of(corpus) == [3, 7, 9, 11]


def test_old_line_ends_are_refused() -> None:
    assert "f.conll:1: lines end in carriage returns only" in refusal(
        (BEGIN + "a (1)\nb -\n").replace("\n", "\r")
    )


def test_invalid_utf8_is_refused_with_its_line() -> None:
    assert refusal((BEGIN + "é -\nb ").encode() + b"caf\xe9 -\n") == (
        "f.conll:3: invalid UTF-8 (byte 0xe9). Convert the file to UTF-8."
    )
    # Two broken characters that would make a whole one if they stood together.
    assert "f.conll:2: invalid UTF-8" in refusal(BEGIN.encode() + b"a\xc3 -\n\xa9 -\n")
    assert "f.conll:2: invalid UTF-8" in refusal(BEGIN.encode() + b"\xff" * 900 + b" -\n")


def test_words_beyond_ascii() -> None:
    words = ["é", "語", "😀", "ß" * 40, "a\u00a0b", "\u2028"]
    lines = "".join(f"x 0 0 {word} -\n" for word in words)
    assert words_of(corpus_of(BEGIN + lines)) == words


def test_zero_bytes_are_refused() -> None:
    assert "f.conll:3: a null byte: not a text file" in refusal(BEGIN + "a -\n\0 -\n")


@pytest.mark.parametrize("filling", [b"a", b" ", b"a ", b"(1)", b"\xc3\xa9", b"\t", b"(1)\t"])
def test_a_line_of_a_mebibyte_is_refused(filling: bytes) -> None:
    long = filling * ((1 << 20) // len(filling) + 1)
    expected = "f.conll:3: a line of more than a mebibyte"
    assert expected in refusal(BEGIN.encode() + b"a -\n" + long)
    assert expected in refusal(BEGIN.encode() + b"a -\n" + long + b"\nb -\n")
    assert expected in refusal(BEGIN.encode() + b"a -\n" + 9 * long)


def test_files_that_hold_nothing() -> None:
    assert refusal("") == "f.conll: the file is empty. Check that this is the right file."
    assert "f.conll: the file has no documents and no tokens" in refusal("\n \n# comment\n")


ROWS = "{0}\t0\t0\ta\t-\t(1)\n{0}\t0\t1\tb\t-\t(1)\n\n"


def test_documents_without_marks_are_not_joined() -> None:
    with pytest.raises(FormatError, match=r":4: the first column names another document"):
        corpus_of(ROWS.format("x") + ROWS.format("y"))
    with pytest.raises(FormatError, match=r"the first column names another document"):
        read_conll(
            Source("x", Path("x"), content=(ROWS.format("x") * 2 + ROWS.format("y")).encode()),
            block_size=16,
        )
    # Numbers of words, of sentences, and one name alone are no names of several documents.
    for rows in ("0\tx\ta\t-\t(1)\n1\tx\tb\t-\t(1)\n", "s1\t0\t0\ta\t(1)\ns2\t1\t0\tb\t(1)\n",
                 ROWS.format("x") * 2):  # fmt: skip
        assert len(corpus_of(rows).documents) == 1


def test_a_file_that_only_ends_a_document_is_none() -> None:
    with pytest.raises(FormatError, match="no documents and no tokens"):
        corpus_of("\n#end document\n")


def rows(name: str, part: int, *cells: str) -> str:
    return "".join(f"{name} {part} {n} w - {cell}\n" for n, cell in enumerate(cells)) + "\n"


@pytest.mark.parametrize("other", [("x", 1), ("y", 0)])
def test_parts_that_only_columns_tell_apart_are_told(other: tuple[str, int]) -> None:
    text = BEGIN + rows("x", 0, "(1)", "-") + rows("x", 0, "(1)") + rows(*other, "(1)", "-") + END
    (warning,) = corpus_of(text).warnings
    told = "f.conll:7: the first two columns change to '{}' and '{}' inside a document"
    assert warning.startswith(told.format(*other))


@pytest.mark.parametrize(
    "text",
    [
        rows("x", 0, "(1)") + rows("x", 1, "(1)") + rows("x", 2, "(1)"),  # numbers of sentences
        rows("x", 0, "(1)")
        + rows("x", 0, "(1)")
        + END
        + BEGIN.replace("x", "y")
        + rows("y", 0, "-"),
        "x 0 0 w - (1)\ny 0 1 w - -\n\n" + rows("x", 0, "(1)") + rows("x", 0, "-"),  # words
    ],
)
def test_other_columns_are_no_names_of_parts(text: str) -> None:
    assert corpus_of(BEGIN + text + END).warnings == ()


def test_ids_of_thousands_of_digits_are_names() -> None:
    long = "1" * 5000
    assert entities_of(corpus_of(BEGIN + f"a ({long})\nb ({long})\n")) == {long: {(0, 0), (1, 1)}}


@pytest.mark.parametrize("word", [" ", "\u00a0", "\u3000", "\ufeff", ""])
def test_blank_words_are_written_and_read_again(word: str) -> None:
    corpus = Corpus.from_spans([word, "Anna", word, "she"], [[(1, 2), (3, 4)], [(2, 3)]], "d")
    again = corpus_of(b"".join(write(corpus)))
    assert words_of(again) == [word, "Anna", word, "she"]
    assert again.to_dict() == corpus.to_dict()
