"""brat's standoff: mentions, links, kinds, malformed files, round trips."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefine.errors import FormatError
from corefine.formats import brat, format_named, losses, read
from corefine.formats.io.sources import Source
from corefine.formats.losses import read_back
from tests.building.format_files import entity_words, place_of_error, put, read_files
from tests.fuzzing.samples import sample

SAMPLE = sample("brat")
TEXT = "Zoë and Bob met. She left him.\nThe two had, it was said, children.\n"
"""Behind its third character, bytes are not characters."""
ZOE, BOB, SHE, HIM = "T1,Per 0 3,Zoë", "T2,Per 8 11,Bob", "T3,Per 17 20,She", "T4,Per 26 29,him"


def of(*lines: str, text: str = TEXT) -> dict[str, bytes]:
    """Files with these annotations, whose cells are cut at commas."""
    written = "".join(f"{line}\n" for line in lines).replace(",", "\t")
    return {"x.txt": text.encode(), "x.ann": written.encode()}


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
    mentions = (ZOE, BOB, SHE, HIM)
    assert entity_words(read_files(of(*mentions, *links), "brat")) == {"x": expected}
    assert entity_words(read_files(of(*links, *mentions), "brat")) == {"x": expected}


def test_a_relation_of_another_name_is_a_warning_unless_the_format_names_it() -> None:
    files = of(ZOE, SHE, "R1,Alias Arg1:T3 Arg2:T1")
    (warning,) = read_files(files, "brat").warnings
    assert "Alias" in warning
    assert len(read_files(files, "brat:Alias").entities) == 1
    assert read_files(of(ZOE, BOB, "R1,Alias Arg1:T1 Arg2:T2", "*,Equiv T1 T2")).warnings == ()


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
    assert corpus.to_dict(ends="inclusive") == {"x": [[(0, 0), (5, 5), (0, 2)], [(2, 2)], [(7, 7)]]}
    assert list(corpus[0].entities) == ["ZOE-0", "x:T3", "BOB-1"]
    assert corpus.types == ("PER",)
    assert len(corpus.warnings) == 1


def test_line_ends_and_byte_order_marks_are_counted_as_brat_counts_them() -> None:
    files = of(ZOE, "T2,Per 32 39,The two", text=TEXT.replace("\n", "\r\n"))
    files["x.ann"] = files["x.ann"].replace(b"\n", b"\r\n")
    corpus = read_files(files)
    assert entity_words(corpus) == {"x": [["Zoë"], ["The two"]]}
    assert corpus.warnings == ()
    assert corpus[0].lines[-1] == 2
    marked = {name: b"\xef\xbb\xbf" + data for name, data in of("T1,Per 1 4,Zoë").items()}
    assert entity_words(read_files(marked)) == {"x": [["Zoë"]]}


def test_texts_belong_to_their_annotations(tmp_path: Path) -> None:
    put(SAMPLE | {"y.txt": b"", "y.ann": b"", "annotation.conf": b"[entities]\n"}, tmp_path)
    assert read(tmp_path).to_dict(ends="inclusive") == {"x": [[(0, 0), (2, 2)]], "y": []}
    assert read(tmp_path).warnings == ()
    put({"w.txt": b"Lost."}, tmp_path)
    (warning,) = read(tmp_path, "brat").warnings
    assert warning.endswith(str(tmp_path / "w.txt"))
    put({"c.conll": b"#begin document c\nw (1)\n#end document\n"}, tmp_path)
    assert place_of_error(read, tmp_path) == tmp_path.name  # several formats
    assert read(tmp_path, "conll").documents == ("c",)
    assert read(tmp_path, "brat").documents == ("x", "y")


@pytest.mark.parametrize(
    ("files", "place"),
    [
        *((of(line), "x.ann:1") for line in (
            "T1,Per 0 99,Zoë", "T1,Per 3 3,Zoë", "T1,Per 3 4,", "T1,Per 0,Zoë", "T1,Per 0 3;,Zoë",
            "T1,Per -1 3,Zoë", "T1,0 3,Zoë", "T1,Per 0 9999999999,Zoë", "T1 Per 0 3 Zoë",
        )),
        *((of(ZOE, line), "x.ann:2") for line in (
            ZOE, "R1,Coref Arg1:T1", "R1,Coref T1 T1", "R1,Coref Arg1:T1 Arg2:",
            "R1,Coref Arg1:T1 Arg2:T2", "*,Equiv T1 T7", "*,Equiv", "E1,Meet:T5", "E1,Meet",
            "CHAIN,T1,a", "hello",
        )),
        (of("", "T1,Per 0 3,Zoe"), "x.ann:2"),
        ({"x.ann": b"T1\tPer 0 3\n"}, "x.ann"),
        (of(ZOE) | {"x.txt": b"a\nZo\xff"}, "x.txt:2"),
        (of(ZOE) | {"x.txt": b"a\n\nZo\0"}, "x.txt:3"),
        (of(ZOE) | {"x.ann": b"T1\tPer 0 3\tZ\xff\n"}, "x.ann:1"),
    ],
)  # fmt: skip
def test_malformed_files_are_refused(files: dict[str, bytes], place: str) -> None:
    assert place_of_error(read_files, files, "brat") == place


def test_annotations_from_standard_input_have_no_text() -> None:
    with pytest.raises(FormatError, match="<stdin>"):
        list(brat.read(Source("<stdin>", content=SAMPLE["x.ann"])))


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
    corpus, text = read_files(files, "brat"), files["x.txt"].decode()
    (document,) = corpus
    assert len(document.mentions) == files["x.ann"].count(b"\tX ")
    assert document.running_text in (text, text.replace("\r\n", "\n"))
    assert [document.running_text[b:e] for b, e in document.offsets] == document.tokens
    assert document.lines == [
        1 + document.running_text.count("\n", 0, b) for b, _ in document.offsets
    ]
    assert losses(corpus, format_named("brat")) == []
    assert read_back(corpus, format_named("brat"))[0].text == document.running_text


def test_types_that_mean_something_else_are_losses() -> None:
    corpus = read_files(of("T1,a 0 3", "T2,b 8 11", "T3,c 17 20"))
    odd = replace(corpus, types=("NOM_x", "A-7", "Mention"))
    assert losses(odd, format_named("brat")) == ["types (3)"]
    assert read_back(odd, format_named("brat")).types == ("_NOM_x", "A_7", "_Mention")
