"""brat's standoff: what it says, what is wrong with it, what comes back."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.corpus.columns import Kind
from corefine.errors import FormatError
from corefine.formats import losses, read
from corefine.formats.input import lines as plain_text
from corefine.formats.input.sources import Source
from corefine.formats.standoff import brat
from tests.building.standoff_corpora import (
    again,
    content,
    put,
    read_files,
    sample_files,
)

assert brat.__doc__ is not None
SAMPLE = sample_files(brat.__doc__, ["x.txt", "x.ann"])
EXPECTED = {"x": [[(0, 0), (2, 2)]]}

TEXT = "Zoë and Bob met. She left him.\nThe two had, it was said, children.\n"
"""Behind its third character, bytes are not characters."""


def of(*lines: str, text: str = TEXT) -> dict[str, bytes]:
    """Files with these annotations, whose cells are cut at commas."""
    written = "".join(f"{line}\n" for line in lines).replace(",", "\t")
    return {"x.txt": text.encode(), "x.ann": written.encode()}


def mentions(*lines: str, text: str = TEXT) -> list[list[str]]:
    """The entities of the annotations by the words of their mentions."""
    corpus = read_files(of(*lines, text=text), "brat")
    entities: list[list[str]] = [[] for _ in range(len(corpus.entities))]
    for row, entity in enumerate(corpus.mentions.entity.tolist()):
        entities[entity].append(corpus.text_of(row))
    return entities


ZOE, BOB, SHE, HIM = "T1,Per 0 3,Zoë", "T2,Per 8 11,Bob", "T3,Per 17 20,She", "T4,Per 26 29,him"


def test_the_sample_of_the_documentation() -> None:
    corpus = read_files(SAMPLE)
    assert corpus.format == "brat"
    assert corpus.to_dict() == EXPECTED
    assert corpus.warnings == ()
    assert corpus.types == ("PER",)
    assert corpus.mentions.kind is not None
    assert corpus.mentions.kind.tolist() == [Kind.NAME, Kind.PRONOUN]
    assert corpus.entities.names is None
    assert corpus.tokens is not None
    assert corpus.tokens.words.tolist() == ["Anna", "saw", "her", "house", "."]


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ([], [["Zoë"], ["Bob"], ["She"], ["him"]]),
        (["R1,Coref Arg1:T3 Arg2:T1"], [["Zoë", "She"], ["Bob"], ["him"]]),
        (["R1,COREFERENCE Anaphor:T3 Antecedent:T1,"], [["Zoë", "She"], ["Bob"], ["him"]]),
        (["R1,identity Arg1:T3 Arg2:T1 "], [["Zoë", "She"], ["Bob"], ["him"]]),
        (["*,Equiv T1 T3", "*,Equiv T4 T2"], [["Zoë", "She"], ["Bob", "him"]]),
        (["*,Equiv T1 T3", "R1,Coref Arg1:T3 Arg2:T2"], [["Zoë", "Bob", "She"], ["him"]]),
        (["R1,Spouse Arg1:T1 Arg2:T2"], [["Zoë"], ["Bob"], ["She"], ["him"]]),
        (["R1,bridging_coref Arg1:T1 Arg2:T2"], [["Zoë"], ["Bob"], ["She"], ["him"]]),
        (["R1,Split_antecedent Arg1:T1 Arg2:T2"], [["Zoë"], ["Bob"], ["She"], ["him"]]),
        (["E1,Per:T1", "R1,Coref Arg1:E1 Arg2:T3"], [["Zoë", "She"], ["Bob"], ["him"]]),
        (["E1,Per:T1 Theme:T2"], [["Bob"], ["She"], ["him"]]),
        (["A1,Plural T1", "M1,Negated T2", "#1,AnnotatorNotes T1,a note,with tabs",
          "N1,Reference T1 Wikipedia:7,Zoë", "#", ""], [["Zoë"], ["Bob"], ["She"], ["him"]]),
    ],
)  # fmt: skip
def test_links(links: list[str], expected: list[list[str]]) -> None:
    assert mentions(ZOE, BOB, SHE, HIM, *links) == expected
    assert mentions(*links, ZOE, BOB, SHE, HIM) == expected


def test_relations_that_say_nothing_of_coreference_are_named() -> None:
    corpus = read_files(of(ZOE, BOB, "R1,Spouse Arg1:T1 Arg2:T2"))
    (warning,) = corpus.warnings
    assert "Spouse" in warning
    linked = of(ZOE, BOB, "R1,Spouse Arg1:T1 Arg2:T2", "*,Equiv T1 T2")
    assert read_files(linked).warnings == ()


def test_the_format_names_the_relation_of_coreference() -> None:
    files = of(ZOE, SHE, "R1,Alias Arg1:T3 Arg2:T1")
    assert len(read_files(files, "brat:Alias").entities) == 1
    assert len(read_files(files, "brat").entities) == 2


def test_gaps() -> None:
    corpus = read_files(
        of(
            "T1,Per 31 42;57 65,The two had children",
            "T2,Per 57 65;31 42,The two had children",
            "T3,Per 21 30;31 34,left him. The",
            "T4,Per 26 27;28 29,h m",
        )
    )
    assert corpus.tokens is not None
    words = corpus.tokens.words.tolist()
    spans = [corpus.pieces_of(row) for row in range(4)]
    assert [[words[start:stop] for start, stop in parts] for parts in spans] == [
        [["The", "two", "had"], ["children"]],
        [["The", "two", "had"], ["children"]],
        # Parts without a word between them are one: brat cuts mentions where lines end.
        [["left", "h", "i", "m", ".", "The"]],
        [["h"], ["m"]],
    ]


def test_kinds_and_types() -> None:
    corpus = read_files(
        of("T1,PROP_PER 0 3", "T2,NOM 8 11", "T3,PRON_Some-thing 17 20", "T4,PROPER 26 29")
    )
    assert corpus.mentions.kind is not None
    assert corpus.mentions.kind.tolist() == [Kind.NAME, Kind.NOMINAL, Kind.PRONOUN, Kind.UNKNOWN]
    assert corpus.mentions.type is not None
    assert [corpus.types[type] if type >= 0 else None for type in corpus.mentions.type.tolist()] \
        == ["PER", None, "Some-thing", "PROPER"]  # fmt: skip
    assert read_files(of(ZOE, BOB)).mentions.kind is None


def test_entities_as_litbank_names_them() -> None:
    corpus = read_files(
        of(
            "T1,PROP_PER 0 3,Zoë",
            "T2,PRON_PER 17 20,She",
            "T3,PROP_PER 8 11,Bob",
            "T7,ZOE-0 0 3,Zoë",
            "T8,ZOE-0 17 20,She",
            "T9,BOB-1 26 29,him",
            "T10,ZOE-0 0 11,Zoë and Bob",
            "T11,BOB-1 0 3,Zoë",
            "R1,cop Arg1:T7 Arg2:T3",
        )
    )
    assert corpus.to_dict() == {"x": [[(0, 0), (5, 5), (0, 2)], [(2, 2)], [(7, 7)]]}
    assert corpus.entities.names is not None
    assert corpus.entities.names.tolist() == ["ZOE-0", "x:T3", "BOB-1"]
    assert corpus.types == ("PER",)
    assert corpus.warnings == ("1 annotations assign a mention to a second entity: ignored",)


def test_a_type_with_a_number_is_a_type_where_nothing_has_a_kind() -> None:
    corpus = read_files(of("T1,B-1 0 3", "T2,B-1 17 20"))
    assert corpus.to_dict() == {"x": [[(0, 0)], [(5, 5)]]}
    assert corpus.types == ("B-1",)


def test_a_mention_may_be_a_part_of_a_word() -> None:
    assert mentions("T1,Per 4 6,an", "T2,Per 32 33,h") == [["an"], ["h"]]
    assert mentions("T1,Per 3 8, and ,,") == [["and"]]


def test_line_ends_are_counted_as_brat_counts_them() -> None:
    text = TEXT.replace("\n", "\r\n")
    lines = (ZOE, "T2,Per 32 39,The two")
    assert mentions(*lines, text=text) == [["Zoë"], ["The two"]]
    files = of(*lines, text=text)
    files["x.ann"] = files["x.ann"].replace(b"\n", b"\r\n")
    corpus = read_files(files)
    assert corpus.warnings == ()
    assert corpus.tokens is not None
    assert corpus.tokens.lines is not None
    assert corpus.tokens.lines[-1] == 2


def test_byte_order_marks() -> None:
    files = of("T1,Per 1 4,Zoë")
    files = {name: b"\xef\xbb\xbf" + data for name, data in files.items()}
    corpus = read_files(files)
    assert corpus.text_of(0) == "Zoë"
    assert corpus.tokens is not None
    assert corpus.tokens.words[0] == "Zoë"


def test_files_folders_patterns_and_gzip(tmp_path: Path) -> None:
    put(SAMPLE | {"y.txt": b"", "y.ann": b"", "annotation.conf": b"[entities]\n"}, tmp_path)
    for name in ("x.txt", "x.ann"):
        (tmp_path / f"z{name[1:]}.gz").write_bytes(gzip.compress(SAMPLE[name]))
    found = {"x": EXPECTED["x"], "y": [], "z": EXPECTED["x"]}
    assert read(tmp_path).to_dict() == found
    assert read(tmp_path).warnings == ()
    assert read(tmp_path, "brat").to_dict() == found
    assert read(tmp_path / "*.ann*").to_dict() == found
    assert read(tmp_path / "z.ann.gz").to_dict() == {"z": EXPECTED["x"]}
    put({"w.txt": b"Lost."}, tmp_path)
    (warning,) = read(tmp_path, "brat").warnings
    assert warning.endswith(str(tmp_path / "w.txt"))


def test_ids_belong_to_their_file(tmp_path: Path) -> None:
    put(of(ZOE, BOB, "*,Equiv T1 T2"), tmp_path)
    put({f"y{name[1:]}": data for name, data in of(BOB, ZOE, SHE).items()}, tmp_path)
    corpus = read(tmp_path)
    assert corpus.to_dict() == {"x": [[(0, 0), (2, 2)]], "y": [[(2, 2)], [(0, 0)], [(5, 5)]]}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["", "T1,Per 0 3,Zoe"], r"x\.ann:2:"),
        (["T1,Per 0 99,Zoë"], r"x\.ann:1:"),
        (["T1,Per 3 3,Zoë"], r"x\.ann:1:"),
        (["T1,Per 3 4,"], r"x\.ann:1:"),
        (["T1,Per 0,Zoë"], r"x\.ann:1:"),
        (["T1,Per 0 3;,Zoë"], r"x\.ann:1:"),
        (["T1,Per -1 3,Zoë"], r"x\.ann:1:"),
        (["T1,0 3,Zoë"], r"x\.ann:1:"),
        (["T1,Per 0 9999999999,Zoë"], r"x\.ann:1:"),
        (["T1 Per 0 3 Zoë"], r"x\.ann:1:"),
        ([ZOE, ZOE], r"x\.ann:2:"),
        ([ZOE, "R1,Coref Arg1:T1"], r"x\.ann:2:"),
        ([ZOE, "R1,Coref T1 T1"], r"x\.ann:2:"),
        ([ZOE, "R1,Coref Arg1:T1 Arg2:"], r"x\.ann:2:"),
        ([ZOE, "R1,Coref Arg1:T1 Arg2:T2"], r"x\.ann:2:"),
        ([ZOE, "*,Equiv T1 T7"], r"x\.ann:2:"),
        ([ZOE, "*,Equiv"], r"x\.ann:2:"),
        ([ZOE, "E1,Meet:T5"], r"x\.ann:2:"),
        ([ZOE, "E1,Meet"], r"x\.ann:2:"),
        ([ZOE, "CHAIN,T1,a"], r"x\.ann:2:"),
        ([ZOE, "hello"], r"x\.ann:2:"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(lines: list[str], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_files(of(*lines), "brat")


def test_one_mention_of_many_that_differs_is_a_warning() -> None:
    corpus = read_files(of(ZOE, "T2,Per 8 11,Rob", SHE, HIM))
    assert len(corpus.mentions) == 4
    (warning,) = corpus.warnings
    assert "x.ann:2: " in warning


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"x.ann": b"T1\tPer 0 3\n"}, r"x\."),
        ({"x.txt": b"T1\tPer 0 3\n"}, r"x\."),
        (of(ZOE) | {"x.txt": b"a\nZo\xff"}, r"x\.txt:2:"),
        (of(ZOE) | {"x.txt": b"a\n\nZo\0"}, r"x\.txt:3:"),
        (of(ZOE) | {"x.ann": b"T1\tPer 0 3\tZ\xff\n"}, r"x\.ann:1:"),
    ],
)
def test_files_that_lack_something(files: dict[str, bytes], message: str, tmp_path: Path) -> None:
    put(files, tmp_path)
    place = tmp_path / ("x.ann" if "x.ann" in files else "x.txt")
    with pytest.raises(FormatError, match=message):
        read(place, "brat")


def test_annotations_from_standard_input_have_no_text() -> None:
    source = Source("<stdin>", content=SAMPLE["x.ann"])
    with pytest.raises(FormatError, match="<stdin>"):
        list(brat.read(source))


def test_a_text_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_text, "LARGEST", 1 << 20)
    with pytest.raises(FormatError, match=r"x\.txt:"):
        read_files(of(ZOE, text=TEXT + "a" * (1 << 20)))


# --- writing ------------------------------------------------------------------------------------


@st.composite
def texts_with_spans(draw: st.DrawFn) -> dict[str, bytes]:
    """A text whose mentions are any spans that are not only white space."""
    text = draw(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff")))
    place = st.integers(0, len(text))
    drawn = draw(st.lists(st.tuples(place, place), max_size=8)) if text else []
    spans = [(min(span), max(span)) for span in drawn]
    lines = [
        f"T{number}\tX {begin} {end}\t{' '.join(text[begin:end].split())}\n"
        for number, (begin, end) in enumerate(spans)
        if text[begin:end].strip()
    ]
    return {"x.txt": text.encode(), "x.ann": "".join(lines).encode()}


@given(texts_with_spans())
def test_any_span_of_characters_is_read_and_written(files: dict[str, bytes]) -> None:
    corpus = read_files(files, "brat")
    tokens, text = corpus.tokens, files["x.txt"].decode()
    assert tokens is not None
    assert tokens.text is not None
    assert len(corpus.mentions) == files["x.ann"].count(b"\tX ")
    begins, ends = tokens.text.begins.tolist(), tokens.text.ends.tolist()
    read_text = tokens.text.documents[0]
    assert read_text in (text, text.replace("\r\n", "\n"))
    assert [read_text[b:e] for b, e in zip(begins, ends, strict=True)] == tokens.words.tolist()
    assert tokens.lines is not None
    assert tokens.lines.tolist() == [1 + read_text.count("\n", 0, begin) for begin in begins]
    found = again(corpus, "brat")
    assert content(found) == content(corpus)
    assert found.tokens is not None
    assert found.tokens.text is not None
    assert found.tokens.text.documents[0] == read_text


def test_types_that_mean_something_else_are_told() -> None:
    corpus = read_files(of("T1,a 0 3", "T2,b 8 11", "T3,c 17 20"))
    odd = replace(corpus, types=("NOM_x", "A-7", "Mention"))
    assert losses(odd, brat.BRAT) == ["types (3)"]
    assert again(odd, "brat").types == ("_NOM_x", "A_7", "_Mention")


# --- with other formats -------------------------------------------------------------------------


def test_scores_against_other_formats_and_tokens(tmp_path: Path) -> None:
    put(of(ZOE, BOB, SHE, HIM, "*,Equiv T1 T3", "*,Equiv T2 T4"), tmp_path / "key")
    line = {"doc_key": "x", "text": TEXT, "clusters": [[[0, 3], [17, 20]], [[8, 11], [26, 29]]]}
    (tmp_path / "response.jsonl").write_text(json.dumps(line), "utf-8")
    words = [["Zoë", "and", "Bob", "met."], ["She", "left", "him."],
             ["The", "two", "had,", "it", "was", "said,", "children."]]  # fmt: skip
    tokens = {"doc_key": "x", "sentences": words, "clusters": [[[0, 0], [4, 4]]]}
    (tmp_path / "tokens.jsonl").write_text(json.dumps(tokens), "utf-8")
    for response, f1 in (("response.jsonl", 1), ("tokens.jsonl", 2 / 3)):
        scores = corefine.score(tmp_path / "key", tmp_path / response, metrics="mention")
        assert scores["mention"].f1 == pytest.approx(f1)
    other = put(of("T1,Per 0 3", text=TEXT.replace("met", "sat")), tmp_path / "other")
    with pytest.raises(corefine.CorefineError, match="met"):
        corefine.score(tmp_path / "key", other)
