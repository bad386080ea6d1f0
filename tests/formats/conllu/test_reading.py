"""Reading CoNLL-U with CorefUD's Entity: what is understood, and what is refused with its place."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

import corefine
from corefine.cli import main
from corefine.corpus.columns import Relation
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.errors import AlignmentError, CorefineError, FormatError
from corefine.formats import Source, read, sniff
from corefine.formats.conllu import conllu
from corefine.formats.conllu.writing import write
from corefine.scoring.drivers.streaming import cut, indexed
from corefine.scoring.sides import Side
from tests.building.conllu_reference import as_plain, plain_mention
from tests.conftest import ROOT

HEADER = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n"


def line(
    number: int | str, misc: str = "_", word: str = "w", head: str = "_", deps: str = "_"
) -> str:
    return f"{number}\t{word}\t_\t_\t_\t_\t{head}\t_\t{deps}\t{misc}\n"


def words(*miscs: str) -> str:
    """One sentence, with an Entity at each word."""
    return "".join(
        line(number, f"Entity={misc}" if misc else "_")
        for number, misc in enumerate(miscs, start=1)
    )


def parsed(text: str, **options: object) -> Corpus:
    source = Source("x.conllu", Path("x.conllu"), content=text.encode())
    return conllu.read(source, **options)  # type: ignore[arg-type]


def mentions(text: str) -> list[tuple[object, ...]]:
    """Mentions as (entity, words, head)."""
    corpus = parsed(text)
    return [plain_mention(corpus, row)[:3] for row in range(len(corpus.mentions))]


def test_the_smallest_sample() -> None:
    assert conllu.__doc__ is not None
    sample = conllu.__doc__.split("::\n\n")[1].split("\n\n")[0]
    text = textwrap.dedent(sample) + "\n"
    corpus = parsed(text)
    assert corpus.documents == ("x",)
    assert corpus.types == ("person", "place")
    assert corpus.to_dict() == {"x": [[(0, 0), (2, 2)], [(2, 3)]]}
    assert sniff(Source("sample", content=text.encode())).name == "conllu"


def test_the_sample_of_the_documentation() -> None:
    page = (ROOT / "docs" / "formats" / "conllu.md").read_text("utf-8")
    corpus = parsed(page.split("```text\n")[1].split("```")[0])
    assert corpus.to_dict() == {"x": [[(0, 0), (2, 2)], [(2, 3)]]}
    assert corpus.mentions.head is not None
    assert corpus.mentions.head.tolist() == [0, 3, 2]


def test_brackets() -> None:
    text = HEADER + words("(a-t-1-(b-u-2-(c--1-)", "b)", "a)(a-t-1-", "(b-u-1-)a)")
    assert mentions(text) == [
        ("a", (0, 1, 2), 0),
        ("b", (0, 1), 1),
        ("c", (0,), 0),
        ("a", (2, 3), 2),
        ("b", (3,), 3),
    ]


def test_entities_inside_and_across_one_another() -> None:
    text = HEADER + words("(a(a", "(b", "a)", "b)a)")
    assert mentions(text) == [("a", (0, 1, 2, 3), 0), ("a", (0, 1, 2), 0), ("b", (1, 2, 3), 1)]


def test_discontinuous_mentions() -> None:
    text = HEADER + words("(a[1/2]-t-3-", "a[1/2])", "", "(a[2/2]-t-3-)(b--1-)")
    corpus = parsed(text)
    assert mentions(text) == [("a", (0, 1, 3), 3), ("b", (3,), 3)]
    assert corpus.mention_id(0) == ((0, 1), (3, 3))
    assert (corpus.mentions.start.tolist(), corpus.mentions.stop.tolist()) == ([0, 3], [4, 4])


def test_a_mention_inside_a_discontinuous_one_of_the_same_entity() -> None:
    text = HEADER + words(
        "(a[1/3]-t-4-)", "", "(a[2/3]-t-4-(a[1/2]-t-2-", "a[2/3])a[1/2])", "",
        "(a[3/3]-t-4-)(a[2/2]-t-2-)",
    )  # fmt: skip
    assert mentions(text) == [("a", (0, 2, 3, 5), 5), ("a", (2, 3, 5), 3)]
    text = HEADER + words("(a[1/2]-t-1-", "(a--1-)", "a[1/2])", "", "(a[2/2]-t-1-)")
    assert mentions(text) == [("a", (0, 1, 2, 4), 0), ("a", (1,), 1)]


def test_of_two_unfinished_mentions_the_inner_one_goes_on() -> None:
    text = HEADER + words("(a[1/2]", "a[1/2])", "(a[1/2])", "", "(a[2/2])", "", "(a[2/2])")
    assert mentions(text) == [("a", (0, 1, 6), 0), ("a", (2, 4), 2)]


def test_parts_that_touch_are_one() -> None:
    corpus = parsed(HEADER + words("(a[1/2]--2-)", "(a[2/2]--2-)"))
    assert corpus.mentions.pieces is None
    assert corpus.mention_id(0) == (0, 1)
    assert corpus.mentions.head is not None
    assert corpus.mentions.head.tolist() == [1]


def test_fields_may_stand_at_one_part_only() -> None:
    corpus = parsed(HEADER + words("(a[1/2])", "", "(a[2/2]-person-2-x:y)"))
    assert plain_mention(corpus, 0) == ("a", (0, 2), 2, "person", None, {"other": "x:y"})


def test_fields_in_any_order_and_an_id_that_closes_with_them() -> None:
    text = "# global.Entity = entity-GRP-infstat-MIN-coref_type-identity\n" + words(
        "(person-1-new-2-coref-Anne-Marie", "(place-22)", "person-1)"
    )
    corpus = parsed(text)
    assert [plain_mention(corpus, row) for row in range(2)] == [
        ("1", (0, 1, 2), 0, "person", (1, 1),
         {"infstat": "new", "coref_type": "coref", "identity": "Anne-Marie"}),
        ("22", (1,), 1, "place", None, {}),
    ]  # fmt: skip


def test_a_new_header_holds_from_its_place_on() -> None:
    text = (
        HEADER
        + words("(a-person-1-x)")
        + "\n# newdoc id = e\n# global.Entity = etype-eid\n"
        + words("(place-b)", "(thing-a)")
    )
    corpus = parsed(text)
    found = [plain_mention(corpus, row) for row in range(3)]
    assert [mention[0] for mention in found] == ["a", "b", "a"]
    assert [mention[3] for mention in found] == ["person", "place", "thing"]
    assert len(corpus.entities) == 3


def test_minimum_spans() -> None:
    text = "# global.Entity = eid-head-minspan\n" + words("(a-2-2,3(b-1-1,3", "(c)", "b)", "a)")
    corpus = parsed(text)
    found = [plain_mention(corpus, row) for row in range(3)]
    assert [mention[4] for mention in found] == [(1, 2), (0, 2), None]
    assert [mention[5] for mention in found] == [{}, {"minspan": "1,3"}, {}]


def test_a_type_at_the_first_mention_is_the_entitys() -> None:
    corpus = parsed(HEADER + words("(a)", "(a-person-1-)", "(a)", "(a-place-1-)", "(b)"))
    assert corpus.types == ("person", "place")
    assert corpus.mentions.type is not None
    assert corpus.mentions.type.tolist() == [0, 0, 0, 1, -1]


def test_heads_come_from_the_tree_where_no_field_gives_them() -> None:
    text = (
        "# global.Entity = eid-etype\n"
        + line(1, "Entity=(a(b", head="2")
        + line(2, "Entity=b)", head="4")
        + line("2.1", "Entity=(z)", deps="1:x")
        + line(3, head="2")
        + line(4, "Entity=a)(c(d", head="0")
        + line(5, "Entity=c)d)", head="4")
        + "\n"
        + line(1, "Entity=(e", head="2")
        + line(2, "Entity=e)", head="1")
    )
    # a has the root, b its second word; every word of e has its parent inside.
    assert [(entity, head) for entity, _, head in mentions(text)] == [
        ("a", 4), ("b", 1), ("z", 2), ("c", 4), ("d", 4), ("e", 6),
    ]  # fmt: skip


def test_empty_nodes_and_multiword_tokens() -> None:
    text = (
        HEADER
        + line("0.1", "Entity=(z-person-1-)", word="I", deps="2:nsubj")
        + line("1-2", word="cannot")
        + line(1, word="can")
        + line(2, "Entity=(a--2-", word="not")
        + line("2.1", deps="1:obj")
        + line("2.2", "Entity=a)", deps="2:obj")
        + "\n"
        + line(1)
    )
    corpus = parsed(text)
    tokens = corpus.tokens
    assert tokens is not None
    assert tokens.words.tolist() == ["I", "can", "not", "w", "w", "w"]
    assert tokens.empty is not None
    assert tokens.empty.tolist() == [True, False, False, True, True, False]
    assert tokens.sentences.tolist() == [0, 5]
    assert tokens.lines is not None
    assert tokens.lines.tolist() == [3, 5, 6, 7, 8, 10]
    assert mentions(text) == [("z", (0,), 0), ("a", (2, 3, 4), 3)]
    assert tokens.layers["deps"].tolist() == ["2:nsubj", "_", "_", "1:obj", "2:obj", "_"]
    few = parsed(text, layers=frozenset()).tokens
    assert few is not None
    assert few.layers["deps"].tolist() == ["2:nsubj", "", "", "1:obj", "2:obj", ""]


def test_zeros_are_matched_by_their_dependencies_or_by_place() -> None:
    def side(place: int, deps: str) -> Corpus:
        rows = [line(1, "Entity=(a--1-)"), line(2), line(3)]
        rows.insert(place, line(f"{place}.1", "Entity=(a--1-)", deps=deps))
        return parsed(HEADER + "".join(rows), layers=frozenset())

    key = side(1, "3:nsubj")
    assert corefine.score(key, side(2, "3:nsubj"))["muc"].f1 == 1.0
    assert corefine.score(key, side(2, "3:nsubj"), zeros="linear")["muc"].f1 == 0.0
    assert corefine.score(key, side(2, "1:nsubj"))["muc"].f1 == 0.0
    assert corefine.score(key, side(1, "1:obj"), match="head")["muc"].f1 == 1.0


def test_relations() -> None:
    text = (
        HEADER
        + line(1, "Bridge=e1<e2:part,e3<e2|Entity=(e2--1-)|SpaceAfter=No")
        + line(2, "Entity=(e4--1-)|SplitAnte=e1<e4,e2<e4")
    )
    assert parsed(text).relations == (
        Relation("bridge", 0, "e2", "e1", "part"),
        Relation("bridge", 0, "e2", "e3", ""),
        Relation("split", 0, "e4", "e1", ""),
        Relation("split", 0, "e4", "e2", ""),
    )


def test_entity_is_found_among_other_attributes_and_nowhere_else() -> None:
    text = (
        HEADER
        + "# text = Entity=(no)\n"
        + line(1, "SpaceAfter=No|Entity=(a)|Gloss=Entity=(b)", word="Entity=(c)")
        + line(2, "MyEntity=(d)|Translit=x")
        + "3\tx\tEntity=(e)\t_\t_\tCase=Acc\t_\t_\t_\tEntity\n"
    )
    assert [mention[0] for mention in mentions(text)] == ["a"]


@pytest.mark.parametrize(
    "written",
    [line(2, " Entity=(a)"), line(2, "SpaceAfter=No| Entity=(a)"), line(2, "entity=(a)"),
     line(2, "Entity =(a)"), line(2, "Entity=(a)|(b)"),
     line(2, "Entity:(a)"), line(2, "Entities=(a)"), line(2, "Entity(a)"), line(2, "(a-person-1-)"),
     line(2, "SpaceAfter=No;Entity=(a)"), line(2, "Entity\u2028=(a)"), line(2, "\u00a0Entity=(a)"),
     "# Newdoc id = e\n" + line(2), "# newdoc_id = e\n" + line(2), "# newdoc id: e\n" + line(2)],
)  # fmt: skip
def test_what_would_be_lost_in_silence_is_refused(written: str) -> None:
    with pytest.raises(FormatError, match=r"Entity|does not begin a document") as raised:
        mentions(HEADER + line(1, "Entity=(a)") + written)
    assert raised.value.where is not None
    assert raised.value.where.line == HEADER.count("\n") + 2


def test_layers_and_ids_of_sentences() -> None:
    text = (
        "# newdoc id = d\n# sent_id = d-1\n# text = a b\n"
        "1\ta\tA\tDET\tDT\tNumber=Sing\t2\tdet\t_\t_\n"
        "2\tb\tB\tNOUN\tNN\t_\t0\troot\t_\t_\n\n#sent_id=d-2  \n1\tc\t_\t_\t_\t_\t0\t_\t_\t_\n"
    )
    tokens = parsed(text).tokens
    assert tokens is not None
    assert {name: column.tolist() for name, column in tokens.layers.items()} == {
        "lemma": ["A", "B", "_"],
        "upos": ["DET", "NOUN", "_"],
        "pos": ["DT", "NN", "_"],
        "feats": ["Number=Sing", "_", "_"],
        "head": ["2", "0", "0"],
        "deprel": ["det", "root", "_"],
        "sent_id": ["d-1", "", "d-2"],
    }
    some = parsed(text, layers=frozenset({"upos"})).tokens
    assert some is not None
    assert set(some.layers) == {"upos", "sent_id"}


def test_blanks_in_a_name_cost_no_more_than_its_length() -> None:
    name = "a" + " " * 200_000 + "b"
    assert parsed(f"# newdoc id = {name}\n" + line(1)).documents == (name,)


def test_names_of_documents(tmp_path: Path) -> None:
    def names(text: str) -> tuple[str, ...]:
        return parsed(text).documents

    assert names(line(1)) == ("x",)
    assert names("# newdoc\n" + line(1)) == ("x",)
    assert names("# newdoc\n" + line(1) + "\n# newdoc id = b\n# newdoc\n" + line(1)) == (
        "1",
        "b",
        "2",
    )
    assert names("#newdoc id=a b \n" + line(1)) == ("a b",)
    path = tmp_path / "many.conllu"
    path.write_text("".join(f"# newdoc\n{line(1, 'Entity=(a)')}\n" for _ in range(50)))
    assert read(path).documents == tuple(str(n) for n in range(1, 51))


def test_files_without_ids_of_documents_are_scored(tmp_path: Path) -> None:
    for name, misc in (("key", "Entity=(a)"), ("response", "Entity=(b)")):
        (tmp_path / f"{name}.conllu").write_text(line(1, misc))
    scores = corefine.score(tmp_path / "key.conllu", tmp_path / "response.conllu")
    assert scores["mentions"].f1 == 1.0
    assert any("global.Entity" in warning for warning in scores.warnings)


def test_ids_of_sentences_must_agree() -> None:
    key = parsed("# sent_id = s1\n" + line(1) + "\n# sent_id = s2\n" + line(1))
    response = parsed("# sent_id = s1\n" + line("0.1") + line(1) + "\n# sent_id = t2\n" + line(1))
    with pytest.raises(AlignmentError, match=r"x\.conllu:5: .*'s2'.*'t2' in the response"):
        corefine.score(key, response)
    assert corefine.score(key, parsed(line(1) + "\n" + line(1)))["muc"].f1 == 0
    assert corefine.score(response, response)["muc"].f1 == 0


def test_carriage_returns_and_a_missing_last_newline() -> None:
    text = (HEADER + words("(a--1-", "a)") + "\n" + words("(b--1-)")).replace("\n", "\r\n")
    assert mentions(text.removesuffix("\r\n")) == [("a", (0, 1), 0), ("b", (2,), 2)]
    assert parsed(text).documents == ("d",)


def test_a_mention_may_cross_a_sentence() -> None:
    assert mentions(HEADER + words("(a--2-", "") + "\n" + words("a)")) == [("a", (0, 1, 2), 1)]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (HEADER + words("(a--1-", ""), 3),
        (HEADER + words("", "a)"), 4),
        (HEADER + words("(a--1-") + "\n# newdoc id = e\n" + words("a)"), 3),
        (HEADER + words("(a[1/2]--1-)"), 3),
        (HEADER + words("(a[1/3])", "", "(a[3/3])"), 5),
        (HEADER + words("(a[2/2])"), 3),
        (HEADER + words("(a[3/2])"), 3),
        (HEADER + words("(a[0/2])"), 3),
        (HEADER + words("(a[1/2](a[2/2])", "a[1/2])"), 3),
        (HEADER + words("(a--2-)"), 3),
        (HEADER + words("(a--0-)"), 3),
        (HEADER + words("(a--x-)"), 3),
        (HEADER + words("(a[1/2]--4-", "a[1/2])", "", "(a[2/2]--4-)"), 3),
        (HEADER + words("", "a"), 4),
        (HEADER + words("()"), 3),
        (HEADER + words("(a b)"), 3),
        (HEADER + words("(-person-1-)"), 3),
        (HEADER + line(1, "Entity="), 3),
        (HEADER + line(1, "Entity=(a)|Entity=(b)"), 3),
        (HEADER + line("1-2", "Entity=(a)") + line(1) + line(2), 3),
        (HEADER + line(1, "Bridge=e1"), 3),
        (HEADER + line(1, "SplitAnte=e1<,e2<e1"), 3),
        ("# global.Entity = etype-head\n" + line(1), 1),
        ("# global.Entity = eid-eid\n" + line(1), 1),
        ("# global.Entity = eid-GRP\n" + line(1), 1),
        ("# global.Entity = eid--x\n" + line(1), 1),
        ("# global.Entity =\n" + line(1), 1),
        (f"# global.Entity = eid-{'-'.join(map(str, range(80)))}\n{line(1)}", 1),
        ("".join(f"# global.Entity = eid-{n}\n" for n in range(70)) + line(1), 65),
        (HEADER + "1\tw\n", 3),
        (HEADER + "1 w _ _ _ _ _ _ _ _\n", 3),
        (HEADER + line(1).replace("\n", "\t_\n"), 3),
        (HEADER + line("1a"), 3),
        (HEADER + line("1-"), 3),
        (HEADER + line(1) + line("1.x"), 4),
        (HEADER + line("12345678901"), 3),
        (HEADER + line("x"), 3),
        (HEADER + line(2), 3),
        (HEADER + line(1) + line(3), 4),
        (HEADER + line(1) + line(1), 4),
        (HEADER + line(1) + line("2.1"), 4),
        (HEADER + line("1.1"), 3),
        (HEADER + line(1) + line("1.2") + line("1.1"), 5),
        (HEADER + line(1) + line("1.1") + line("1.1"), 5),
        (HEADER + line(1) + line("1.0"), 4),
        (HEADER + line(1) + line("1.1000"), 4),
        (line(1) + "\n# newdoc id = a\n" + line(1), 1),
        (HEADER + words("(m-" + "x" * 10) + "\x00", 4),
        ("", None),
        ("# a comment\n\n", None),
    ],
)  # fmt: skip
def test_malformed_files_are_refused_with_their_place(text: str, number: int | None) -> None:
    where = "x.conllu: " if number is None else f"x.conllu:{number}: "
    with pytest.raises(FormatError) as caught:
        parsed(text)
    assert str(caught.value).startswith(where)
    assert caught.value.remedy


def test_messages_stay_short() -> None:
    long = "x" * 100_000
    for text in (
        words(f"({long}"),
        words(f"({long}-y-2-)"),
        words(f"({long}[1/2])"),
        words(long),
        line(f"1{long}"),
        line(long),
        line(1, f"Bridge={long}"),
        f"# global.Entity = {long}\n{line(1)}",
    ):
        with pytest.raises(FormatError) as caught:
            parsed(HEADER + text)
        assert len(str(caught.value)) < 350


def test_minimum_spans_outside_the_mention_are_refused() -> None:
    for value in ("3", "0", "1,x", "2,3"):
        with pytest.raises(FormatError, match=r"x\.conllu:2: "):
            parsed("# global.Entity = eid-minspan\n" + words(f"(a-{value}", "a)"))


def test_bytes_that_are_not_utf8() -> None:
    source = Source("x.conllu", content=HEADER.encode() + line(1).encode() + b"2\t\xff\n")
    with pytest.raises(FormatError, match=r"^x\.conllu:4: invalid UTF-8"):
        conllu.read(source)


def test_a_very_long_line() -> None:
    text = HEADER + line(1, word="w" * (1 << 20))
    with pytest.raises(FormatError, match=r"^x\.conllu:3: a line of more than a mebibyte"):
        parsed(text)


def test_a_file_without_entities_is_read_with_a_warning() -> None:
    corpus = parsed(line(1))
    assert len(corpus.mentions) == 0
    assert "no mentions" in corpus.warnings[0]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (HEADER + words("(a)"), "x", "conllu"),
        (line(1) + line(2), "x.conll", "conllu"),
        (line("1-2") + line(1) + line(2), "x", "conllu"),
        ("# newdoc id = x\n# global.Entity = eid\n", "x", "conllu"),
        ("#begin document (1); part 000\n" + line(1, "(1)") + "\n#end document\n", "x", "semeval"),
        ("1\t0\t0\tw\tNN\t*\t-\t-\t-\t-\t*\t(1)\n", "x", "conll"),
        ("# newdoc id = x\n1\tw\n", "x.conllu", "conllu"),
    ],
)
def test_it_is_told_from_other_formats(text: str, name: str, expected: str) -> None:
    assert sniff(Source(name, content=text.encode())).name == expected


@pytest.mark.data
@pytest.mark.parametrize("corpus", ["gum", "ontogum"])
def test_real_corpora_give_the_same_scores_in_both_formats(corpus: str, data: Path) -> None:
    # Metrics that look at kinds may differ: CoNLL-U says more of them, having heads and UPOS.
    folder = data / corpus
    responses = sorted(path.stem for path in (folder / "expected").glob("*.json"))
    assert responses
    key = {ending: read(folder / f"key.{ending}") for ending in ("conll", "conllu")}
    for response in responses:
        found = {
            ending: corefine.score(key[ending], folder / f"{response}.{ending}").to_dict()
            for ending in key
        }
        assert found["conll"]["scores"] == found["conllu"]["scores"]


@pytest.mark.data
def test_heads_from_the_tree_are_those_that_the_field_gives(data: Path) -> None:
    native, converted = (read(data / "gum" / f"key.{kind}conllu") for kind in ("gum-native.", ""))
    assert native.relations
    assert native.mentions.minimum is not None
    scores = corefine.score(converted, native, match="head")
    assert scores["mentions"].f1 == 1.0


def test_errors_have_places_whatever_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "bad.conllu"
    path.write_text(HEADER + words("(a"))
    for layers in (None, ()):
        with pytest.raises(CorefineError, match=r"bad\.conllu:3: "):
            read(path, layers=layers)


def document(name: str, *cells: str) -> str:
    return f"# newdoc id = {name}\n# sent_id = {name}-1\n" + words(*cells) + "\n"


FIRST = "# newdoc id = a\n# global.Entity = etype-eid-head\n" + words("(p-x-2", "x)") + "\n"


def test_documents_are_streamed_with_the_header_of_the_first(tmp_path: Path) -> None:
    others = [document(name, "(p-x", "(q-y)", "x)") for name in ("b", "c", "d")]
    key, response = tmp_path / "key.conllu", tmp_path / "response.conllu"
    key.write_text("# global.columns = ID FORM\n" + FIRST + "".join(others))
    response.write_text(FIRST + "".join(reversed(others)))
    ours, theirs = indexed(Side.of(key)), indexed(Side.of(response))
    assert ours is not None
    assert theirs is not None
    assert ours[1].names == ("a", "b", "c", "d")
    pieces = [(w.key.read(frozenset()), w.response.read(frozenset())) for w in cut(ours, theirs, 1)]
    assert len(pieces) == 4
    whole = as_plain(read(key, layers=()))
    assert [plain for piece, _ in pieces for plain in as_plain(piece)] == whole
    theirs_plain = [plain for _, piece in pieces for plain in as_plain(piece)]
    assert [plain[6:] for plain in theirs_plain] == [plain[6:] for plain in whole]
    assert corefine.score(key, response, match="head")["lea"].f1 == 1.0


@pytest.mark.parametrize(
    "text",
    [
        FIRST + "# newdoc\n" + words("(p-x)"),
        FIRST + document("b", "(x)").replace("# sent", "# global.Entity = eid\n# sent"),
        document("a", "(x)") + document("b", "(x)") + document("c", "(x)").replace(
            "# sent", "# global.Entity = eid-etype-head-other\n# sent"
        ),
        words("(x)"),
    ],
)  # fmt: skip
def test_documents_that_hang_on_others_are_not_streamed(text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(text)
    assert indexed(Side.of(path)) is None


def test_a_check_goes_on_behind_a_document_that_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(
        "# a comment\n"
        + FIRST
        + document("b", "(p-x-3)")
        + document("c", "(p-x")
        + document("d", "(p-x-1)")
    )
    assert main(["check", str(path)]) == 2
    told = capsys.readouterr()
    assert f"{path}:9: " in told.out + told.err
    assert f"{path}:13: " in told.out + told.err


@pytest.mark.parametrize("block", [1, 40, 1 << 20])
def test_empty_nodes_whose_numbers_are_left_out_stand_where_they_say(block: int) -> None:
    """A response that lost the empty node 1.1 still has 1.2, not 1.1."""
    key = HEADER + line(1) + line("1.1") + line("1.2", "Entity=(e--1-)") + line(2, "Entity=(e--1-)")
    lost = HEADER + line(1) + line("1.2", "Entity=(e--1-)") + line(2, "Entity=(e--1-)")
    other = HEADER + line(1) + line("1.1", "Entity=(e--1-)") + line(2, "Entity=(e--1-)")
    ours = parsed(key)
    assert ours.tokens is not None
    assert "node" not in ours.tokens.layers
    for text, recall in ((lost, 1), (other, 1 / 2)):
        theirs = parsed(text, block_size=block)
        assert corefine.score(ours, theirs, "mentions", zeros="linear")["mentions"].recall == recall
    theirs = parsed(lost, block_size=block)
    assert b"\n1.2\t" in b"".join(write(theirs))
    nodes = concatenate([ours, replace(theirs, documents=("e",))]).tokens
    assert nodes is not None
    assert [node for node in nodes.layers["node"] if node not in ("", "_")] == ["2"]


@pytest.mark.parametrize("part", ["1/99999999999", "x/2", "/", f"1/{'9' * 5000}"])
def test_parts_that_cannot_be_counted_are_refused(part: str) -> None:
    with pytest.raises(FormatError) as raised:
        mentions(HEADER + line(1, f"Entity=(a[{part}])"))
    assert raised.value.where is not None
    assert raised.value.where.line == HEADER.count("\n") + 1


OLD_STYLE = (
    line(1, "Entity=(person-1", head="2")
    + line(2, "Entity=(place-2)person-1)", head="0")
    + line(3, "Entity=(person-1)", head="2")
)


def test_brackets_with_the_type_first_need_no_header() -> None:
    corpus = parsed(OLD_STYLE)
    assert corpus.to_dict() == {"x": [[(0, 1), (2, 2)], [(1, 1)]]}
    assert corpus.types == ("person", "place")
    (warning,) = corpus.warnings
    assert "etype-eid" in warning
    assert mentions(line(1, "Entity=(e1-person-1-)"))[0][0] == "e1"


@pytest.mark.parametrize("relation", ["Bridge=b<a", "SplitAnte=a<b", "Bridge=a<b:part"])
def test_a_relation_to_an_entity_without_mentions_is_told(relation: str) -> None:
    text = HEADER + line(1, f"Entity=(a)|{relation}") + line(2, "Bridge=a<a")
    (warning,) = parsed(text).warnings
    expected = "Bridge or SplitAnte with entity 'b', which has no mention in its document"
    assert warning == f"x.conllu:{HEADER.count(chr(10)) + 1}: {expected}"


@pytest.mark.parametrize(
    ("cell", "message"),
    [("Entity=(a-p-1-)", "x.conllu:1: invalid UTF-8 (byte 0xab)"),
     ("Entity=(a-p-1-", "x.conllu:3: a mention of entity 'a' is opened here but never closed")],
)  # fmt: skip
def test_a_header_that_is_not_utf8_is_no_traceback_where_parts_are_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cell: str, message: str
) -> None:
    header = b"# global.Entity = eid-etype-head-othe\xab\n"
    document = b"# newdoc id = %s\n" + line(1, cell).encode() + b"\n"
    path = tmp_path / "x.conllu"
    path.write_bytes(header + document % b"a" + document % b"b")
    assert main(["check", str(path)]) == 2
    assert message in capsys.readouterr().err
