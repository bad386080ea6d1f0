"""Documents and mentions, and their conversion to and from the columns of a corpus."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefine import CorefineError, Corpus, Document, Kind, Mention, Relation
from corefine.corpus.document import connected_components, tokenize
from corefine.errors import FormatError, Location
from tests.building.refusals import refused

WORDS = ["Anna", "saw", "her", "house", ".", "##she", "slept"]


def full_document(name: str = "d") -> Document:
    """A document that uses every field."""
    return Document(
        name,
        list(WORDS),
        [
            Mention("anna", [(0, 1)], 0, Kind.NAME, "PER", (0, 1), {"gender": "f"}),
            Mention("house", [(2, 4)], head=3, kind=Kind.NOMINAL),
            Mention("anna", [(2, 3), (6, 7)], kind=Kind.PRONOUN),
            Mention("anna", [(5, 6)], kind=Kind.ZERO),
        ],
        starts=[0, 5],
        layers={"pos": [*"NVPN.PV"], "lemma": [word.lower() for word in WORDS]},
        empty_nodes=[5],
        running_text="Anna saw her house. slept",
        offsets=[(0, 4), (5, 8), (9, 12), (13, 18), (18, 19), (20, 20), (20, 25)],
        relations=[Relation("bridge", 0, "house", "anna", "part")],
        annotations={
            "deixis": Document(
                name,
                mentions=[Mention("this", [(0, 2)])],
                relations=[Relation("split", 0, "a", "b")],
            )
        },
        topic="t",
        source="d.txt",
        lines=[1, 1, 1, 1, 1, 2, 2],
    )


def test_documents_survive_the_columns():
    given = [full_document("a"), full_document("b"), Document("c", [], topic="t")]
    given[2].layers = {"pos": [], "lemma": []}
    given[2].running_text = ""
    found = list(Corpus.from_documents(given))
    assert found == given
    for before, after in zip(given, found, strict=True):
        assert (before.source, before.lines) == (after.source or "", after.lines)


def test_mentions_without_text_keep_their_names():
    document = Document("d", mentions=[Mention("e", [], name="Anna"), Mention("e", [], name=3)])
    corpus = Corpus.from_documents([document])
    assert corpus.to_dict() == {"d": [["Anna", 3]]}
    assert corpus[0] == document
    assert document.words_of(document.mentions[0]) == "Anna"


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9))))
def test_connected_components_are_the_closure_of_the_links(pairs):
    found = connected_components(10, pairs)
    groups = [{number} for number in range(10)]
    for left, right in pairs:
        joined = groups[left] | groups[right]
        for member in joined:
            groups[member] = joined
    assert found == [min(group) for group in groups]


def test_characters_become_tokens_that_split_at_mention_boundaries():
    mentions = [
        Mention("a", [(0, 4)], head=2),
        Mention("b", [(9, 12), (18, 20)], minimum=(9, 12)),
        Mention("a", [(16, 16)]),
    ]
    document = Document.from_text("d", "Anna saw herself. So\nit goes", mentions)
    assert document.tokens == ["Anna", "saw", "her", "self", "", ".", "So", "it", "goes"]
    assert [mention.spans for mention in document.mentions] == [
        [(0, 1)],
        [(2, 3), (6, 7)],
        [(4, 5)],
    ]
    assert document.empty_nodes == [4]
    assert document.starts == [0, 7]
    assert document.mentions[0].head == 0
    assert document.mentions[1].minimum == (2, 3)
    assert Corpus.from_documents([document])[0] == document


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Don't pay 3.14, or 3.", ["Don't", "pay", "3.14", ",", "or", "3", "."]),
        ("well-known -- a'-b", ["well-known", "-", "-", "a", "'", "-", "b"]),
        ("Ärger für 😊😊", ["Ärger", "für", "😊", "😊"]),
        ("e\u0301te\u200dx\u00a0y", ["e\u0301te\u200dx", "y"]),
        ("12:30:45 a:b", ["12:30:45", "a", ":", "b"]),
    ],
)
def test_tokens_of_running_text(text, tokens):
    assert [text[start:stop] for start, stop in tokenize(text)] == tokens


@given(st.text(), st.lists(st.tuples(st.integers(0, 30), st.integers(1, 30)), max_size=5))
def test_mentions_of_characters_keep_their_visible_characters(text, places):
    spans = [(start, min(start + length, len(text))) for start, length in places]
    spans = [(start, stop) for start, stop in spans if text[start:stop].strip()]
    document = Document.from_text("d", text, [Mention(0, [span]) for span in spans])
    for (start, stop), mention in zip(spans, document.mentions, strict=True):
        assert document.words_of(mention).replace(" ", "") == "".join(text[start:stop].split())


def test_odd_tokens_and_mentions_of_characters():
    """Tokens repeat their layers when they are split; a blank part of a mention is left out."""
    spans = [(0, 3), (9, 10)]
    document = Document.from_text(
        "d", "herself   x", [Mention(0, spans)], tokens=[(0, 7), (7, 7)], layers={"pos": ["P", ""]}
    )
    assert document.tokens == ["her", "self", ""]
    assert document.layers == {"pos": ["P", "P", ""]}
    assert document.empty_nodes == [2]
    assert document.mentions[0].spans == [(0, 1)]
    assert len(document.warnings) == 1


def test_quoted_words_are_checked_against_the_tokens():
    document = full_document()
    document.mentions[0].quoted = "An na"
    document.mentions[1].quoted = "his house"
    document.mentions[1].where = Location("d.ann", 4)
    document.mentions[3].quoted = "##she"
    with pytest.raises(FormatError) as caught:
        Corpus.from_documents([document])
    assert caught.value.where == Location("d.ann", 4)
    document.mentions += [replace(document.mentions[0]) for _ in range(20)]
    with refused("format", "d.ann:4"):
        Corpus.from_documents([document])


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document.mentions.append(Mention("x", [(6, 8)])),
        lambda document: document.mentions.append(Mention("x", [(2, 2)])),
        lambda document: document.mentions.append(Mention("x", [(3, 4), (1, 2)])),
        lambda document: document.mentions.append(Mention("x", [])),
        lambda document: document.layers["pos"].pop(),
        lambda document: document.starts.append(7),
        lambda document: document.empty_nodes.append(-1),
        lambda document: document.offsets.pop(),
        lambda document: document.lines.pop(),
    ],
)
def test_contradictions_in_a_document_are_refused(change) -> None:  # type: ignore[no-untyped-def]
    document = full_document()
    change(document)
    with pytest.raises(CorefineError) as caught:
        Corpus.from_documents([document])
    assert caught.value.where == Location("d.txt", 1)


@pytest.mark.parametrize(
    "documents",
    [
        [full_document(), full_document()],
        [Document("a", ["x"]), Document("b")],
        [Document("a", mentions=[Mention(0, [(0, 1)]), Mention(0, [], name="x")])],
    ],
)
def test_documents_that_do_not_fit_together_are_refused(documents):
    with pytest.raises(CorefineError):
        Corpus.from_documents(documents)
