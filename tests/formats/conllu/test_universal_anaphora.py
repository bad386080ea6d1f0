"""Universal Anaphora's CoNLL-U Plus: what is read, what is written, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.cli import main
from corefine.corpus.columns import Relation
from corefine.corpus.corpus import Corpus
from corefine.errors import FormatError, UsageError
from corefine.formats import Source, format_named
from corefine.formats.conllu.universal_anaphora import COLUMNS, write
from corefine.formats.registry import sniff

HEADER = f"# global.columns = {' '.join(COLUMNS)}\n"


def row(
    number: object, word: str, identity: str = "_", bridging: str = "_", deixis: str = "_"
) -> str:
    cells = [str(number), word, *"_" * 8, identity, bridging, deixis, "_", "_"]
    return "\t".join(cells) + "\n"


def parsed(text: str) -> Corpus:
    return format_named("ua").corpus(Source("x.ua", content=text.encode()))


SAMPLE = (
    HEADER
    + "# newdoc id = d\n# sent_id = d-1\n# speaker_id = A\n"
    + row(1, "Anna", "(EntityID=1|MarkableID=m1|SemType=dn|ElementOf=3)")
    + row(2, "met", deixis="(EntityID=1-DD|MarkableID=dd1")
    + row(3, "old", "(EntityID=2|MarkableID=m2|Min=4|ElementOf=3")
    + row(4, "Ben", ")", deixis=")")
    + "\n# sent_id = d-2\n"
    + row(5, "They", "(EntityID=3|MarkableID=m3)")
    + row(6, "like", "_")
    + row(7, "that", "_", deixis="(EntityID=1-DD|MarkableID=dd2)")
    + row(8, "it", "(EntityID=4-Pseudo|MarkableID=m4)")
    + row(9, "the", "(EntityID=5|MarkableID=m5", "(MarkableID=m5|Rel=poss|MentionAnchor=m2)")
    + row(10, "hat", ")")
)


def test_all_layers_are_read() -> None:
    corpus = parsed(SAMPLE)
    assert corpus.documents == ("d",)
    assert corpus.to_dict() == {"d": [[(0, 0)], [(2, 3)], [(4, 4)], [(8, 9)]]}
    assert corpus.entities.names is not None
    assert corpus.entities.names.tolist() == ["1", "2", "3", "5"]
    assert corpus.relations == (
        Relation("split", 0, "3", "1"),
        Relation("split", 0, "3", "2"),
        Relation("bridge", 0, "5", "2", "poss"),
    )
    link = corpus.relations[2]
    assert (link.anaphor, link.antecedent) == ((8, 10), (2, 4))
    assert corpus.annotation("nonreferring").to_dict() == {"d": [[(7, 7)]]}
    assert corpus.annotation("deixis").to_dict() == {"d": [[(1, 3), (6, 6)]]}
    assert corpus.mentions.minimum is not None
    assert [column.tolist() for column in corpus.mentions.minimum] == [
        [-1, 3, -1, -1],
        [-1, 4, -1, -1],
    ]
    assert corpus.mentions.attributes["SemType"].tolist() == ["dn", "", "", ""]
    assert corpus.tokens is not None
    assert corpus.tokens.sentences.tolist() == [0, 4]
    assert corpus.tokens.layers["speaker"].tolist()[3:5] == ["A", "_"]


def test_it_is_recognised_by_its_header() -> None:
    for text in (SAMPLE, "# newdoc id = d\n" + SAMPLE):
        assert sniff(Source("x.conllu", content=text.encode())).name == "ua"
    plain = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC\n"
    ten = plain + "# newdoc id = d\n1\ta" + "\t_" * 7 + "\tEntity=(e1--1-)\n"
    assert sniff(Source("x", content=ten.encode())).name == "conllu"


def test_columns_may_be_aligned_with_blanks_and_the_last_ones_missing() -> None:
    text = (
        HEADER
        + "# newdoc id = d\n"
        + (
            "1   a  _ _ _ _ _ _ _ _  (EntityID=1|MarkableID=m1(EntityID=2|MarkableID=m2)  _  _\n"
            "2   b  _ _ _ _ _ _ _ _  )   _ _\n"
        )
    )
    assert parsed(text).to_dict() == {"d": [[(0, 1)], [(0, 0)]]}


def test_spellings_of_the_guidelines() -> None:
    """Ids in other cases, ``@`` between brackets, and brackets that close behind one that opens."""
    text = HEADER + (
        "# newdoc id = d\n"
        + row(1, "a", "(EntityId=1|MarkableId=m1|Min=1-2@(EntityID=2|MentionID=m2|ElementOf=3,4)")
        + row(2, "b", "(EntityID=3|Markable_ID=m3))")
        + row(3, "c", "(EntityID=4|MarkableID=m4)", "MarkableID=m4|EntityAnchor=1")
    )
    corpus = parsed(text)
    assert corpus.to_dict() == {"d": [[(0, 1)], [(0, 0)], [(1, 1)], [(2, 2)]]}
    assert [(r.kind, r.source, r.target) for r in corpus.relations] == [
        ("split", "3", "2"),
        ("split", "4", "2"),
        ("bridge", "4", "1"),
    ]


def test_parts_of_a_markable_are_one_discontinuous_mention() -> None:
    text = HEADER + (
        "# newdoc id = d\n"
        + row(1, "a", "(EntityID=1|MarkableID=m1")
        + row(2, "b", ")")
        + row(3, "c", "(EntityID=2|MarkableID=m2)")
        + row(4, "d", "(EntityID=1|MarkableID=m1)")
    )
    corpus = parsed(text)
    assert corpus.to_dict() == {"d": [[((0, 1), (3, 3))], [(2, 2)]]}
    assert parsed(b"".join(write(corpus)).decode()).to_dict() == corpus.to_dict()


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        ([row(1, "a", ")")], 3),
        ([row(1, "a", "(EntityID=1|MarkableID=m1")], 3),
        ([row(1, "a", "(MarkableID=m1)")], 3),
        ([row(1, "a", "(EntityID)")], 3),
        ([row(1, "a", "EntityID=1")], 3),
        ([row(1, "a", "(EntityID=1|Min=x)")], 3),
        ([row("1x", "a")], 3),
        (["1\ta\t_\n"], 3),
        (
            [row(1, "a", "(EntityID=1|MarkableID=m)"), row(2, "b", "(EntityID=2|MarkableID=m)")],
            4,
        ),
    ],
)
def test_malformed_files_are_refused(lines: list[str], line: int) -> None:
    with pytest.raises(FormatError) as caught:
        parsed(HEADER + "# newdoc id = d\n" + "".join(lines))
    assert caught.value.where is not None
    assert caught.value.where.line == line
    assert caught.value.remedy


def test_headers_that_do_not_name_the_columns_are_refused() -> None:
    with pytest.raises(FormatError, match="header"):
        parsed("# global.columns = ID FORM\n" + row(1, "a"))
    with pytest.raises(FormatError, match="no document"):
        parsed(HEADER)


def test_what_is_left_out_is_said() -> None:
    corpus = parsed(
        HEADER
        + "# newdoc id = d\n"
        + row(1, "a", "(EntityID=1|MarkableID=m1|Min=2)", "(MarkableID=m1|MentionAnchor=nobody)")
        + row(2, "b")
    )
    assert len(corpus.warnings) == 2
    assert corpus.relations == ()
    assert corpus.mentions.minimum is None


def test_minimum_spans_match() -> None:
    response = SAMPLE.replace("(EntityID=2|MarkableID=m2|Min=4|ElementOf=3", "_").replace(
        row(4, "Ben", ")", deixis=")"),
        row(4, "Ben", "(EntityID=2|MarkableID=m2|ElementOf=3)", deixis=")"),
    )
    sides = parsed(SAMPLE), parsed(response)
    assert corefine.score(*sides, "mentions")["mentions"].f1 == 3 / 4
    assert corefine.score(*sides, "mentions", match="min")["mentions"].f1 == 1


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    """Corpora of nested mentions with all that the format can hold."""
    pieces = []
    for document in range(draw(st.integers(1, 3))):
        count = draw(st.integers(1, 8))
        cells: dict[str, list[str]] = {}
        entities = []
        for layer, prefix in (("identity", "m"), ("deixis", "dd")):
            column = ["_"] * count
            for place in draw(st.sets(st.integers(0, count - 1))):
                entity = draw(
                    st.sampled_from(["1", "2", "3", "9-Pseudo"][: 4 if prefix == "m" else 3])
                )
                element = draw(st.sampled_from(["", "|ElementOf=1", f"|Min={place + 1}"]))
                column[place] = f"(EntityID={entity}|MarkableID={prefix}{place}{element})"
                entities.append((prefix, place))
            if draw(st.booleans()):
                opened = f"(EntityID=2|MarkableID={prefix}w"
                column[0] = opened + column[0].replace("_", "")
                last = column[-1].replace("_", "")
                column[-1] = last + ")" if count == 1 else ")" + last
            cells[layer] = column
        marked = [place for prefix, place in entities if prefix == "m"]
        bridging = ["_"] * count
        if len(marked) > 1:
            bridging[marked[1]] = f"(MarkableID=m{marked[1]}|MentionAnchor=m{marked[0]})"
        lines = [
            row(
                place + 1,
                f"w{place}",
                cells["identity"][place],
                bridging[place],
                cells["deixis"][place],
            )
            for place in range(count)
        ]
        pieces.append(f"# newdoc id = d{document}\n" + "".join(lines))
    return parsed(HEADER + "\n".join(pieces))


def facts(corpus: Corpus) -> Any:
    minimum = corpus.mentions.minimum
    return (
        corpus.documents,
        corpus.to_dict(),
        sorted(map(repr, corpus.relations)),
        None if minimum is None else [column.tolist() for column in minimum],
        {name: facts(corpus.annotation(name)) for name in sorted(corpus.annotations)},
    )


@given(corpus=corpora())
def test_what_is_written_is_read_again(corpus: Corpus) -> None:
    again = parsed(b"".join(write(corpus)).decode())
    assert facts(again) == facts(corpus)


def test_converting_says_what_gets_lost(tmp_path: Path) -> None:
    source = tmp_path / "x.ua"
    source.write_text(SAMPLE, "utf-8")
    with pytest.raises(UsageError, match="annotation of deixis"):
        corefine.write(corefine.read(source), tmp_path / "x.conllu")
    assert main(["convert", str(source), str(tmp_path / "y.ua")]) == 0
    assert facts(corefine.read(tmp_path / "y.ua")) == facts(corefine.read(source))
    assert main(["convert", str(source), str(tmp_path / "y.conllu"), "--lossy"]) == 0
    found = corefine.read(tmp_path / "y.conllu")
    assert set(found.relations) == set(corefine.read(source).relations)
    assert [r.anaphor for r in found.relations if r.kind == "bridge"] == [(8, 10)]
    crossing = parsed(SAMPLE)
    mentions = crossing.mentions
    mentions.start[:2], mentions.stop[:2] = [0, 1], [3, 4]
    with pytest.raises(UsageError, match="the format ua cannot"):
        corefine.write(crossing, tmp_path / "z.ua")


def test_streams_give_the_same_numbers(tmp_path: Path) -> None:
    documents = [SAMPLE.replace("id = d", f"id = d{number}").replace("d-", f"d{number}-")
                 for number in range(20)]  # fmt: skip
    key, response = tmp_path / "key.ua", tmp_path / "response.ua"
    key.write_text("\n".join(documents), "utf-8")
    response.write_text(
        "\n".join(reversed(documents)).replace("|ElementOf=3)", ")").replace("m2)", "m1)"), "utf-8"
    )
    options: dict[str, Any] = {"layer": "all", "split_antecedents": "score"}
    whole = corefine.score(key, response, **options)
    streamed = corefine.score(key, response, jobs=1, memory=96 << 20, **options)
    assert {name: streamed[name] for name in streamed} == {name: whole[name] for name in whole}
    assert 0 < whole["muc"].f1 < 1
    assert whole["deixis(of=muc)"].f1 == whole["nonreferring"].f1 == 1
    assert whole["bridging.recognition"].f1 == 1
    assert whole["bridging.entity"].f1 == 0


def test_crossing_mentions_are_closed_by_name() -> None:
    text = HEADER + (
        "# newdoc id = d\n"
        + row(1, "a", "(EntityID=1|MarkableID=m1")
        + row(2, "b", "(EntityID=2|MarkableID=m2")
        + row(3, "c", "m1)")
        + row(4, "d", "m2)")
    )
    corpus = parsed(text)
    assert corpus.to_dict() == {"d": [[(0, 2)], [(1, 3)]]}
    assert parsed(b"".join(write(corpus)).decode()).to_dict() == corpus.to_dict()
    with pytest.raises(FormatError):
        parsed(text.replace("m2)", "m3)"))


def test_bridging_without_an_antecedent_is_anchored_at_the_first_mention() -> None:
    text = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n" + "".join(
        f"{number}\tw" + "\t_" * 7 + f"\t{misc}\n"
        for number, misc in enumerate(
            ["Entity=(e1--1-)", "Entity=(e1--1-)", "Bridge=e1<e2:part|Entity=(e2--1-)"], start=1
        )
    )
    corpus = format_named("conllu").corpus(Source("x.conllu", content=text.encode()))
    assert b"MentionAnchor=markable_1|EntityAnchor=e1" in b"".join(write(corpus))


@pytest.mark.parametrize("minimum", ["1" * 5000, "1,x", "0"])
def test_minimum_spans_that_are_no_word_numbers_are_refused(minimum: str) -> None:
    text = HEADER + "# newdoc id = d\n" + row(1, "a", f"(EntityID=1|MarkableID=m|Min={minimum})")
    with pytest.raises(FormatError) as refused:
        parsed(text)
    assert refused.value.where is not None
    assert refused.value.where.line == 3


@pytest.mark.parametrize("word", [" ", "\u00a0", "\u3000", "\ufeff"])
def test_blank_words_are_written_and_read_again(word: str) -> None:
    corpus = Corpus.from_spans([word, "Anna", word, "she"], [[(1, 2), (3, 4)], [(2, 3)]], "d")
    again = parsed(b"".join(write(corpus)).decode())
    assert again[0].tokens == corpus[0].tokens
    assert again.to_dict() == corpus.to_dict()
