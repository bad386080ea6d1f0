"""Key and response with other tokens of the same text: scores are those of their characters."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.corpus.arrays import Strings, offsets_of
from corefine.corpus.columns import Entities, Mentions, Pieces, Text, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.errors import AlignmentError, code_of
from corefine.formats import read, write
from corefine.matching.settings import Settings
from corefine.scoring.count import match
from tests.building.refusals import refused
from tests.building.text_corpora import Spans, make

METRICS = "muc,lea,mentions"


def document(
    words: list[str], *entities: list[tuple[int, int]], name: str = "x", **columns: Any
) -> Corpus:
    """One document: its words, and entities as spans of (first, last) word."""
    spans: Spans = [(e, a, b) for e, entity in enumerate(entities) for a, b in entity]
    corpus = make({name: ([words], spans)} if words else {name: ([], [])})
    return replace(corpus, mentions=replace(corpus.mentions, **columns)) if columns else corpus


def values(key: Corpus, response: Corpus) -> list[float | None]:
    scores = corefine.score(key, response, METRICS)
    return [
        number
        for name in METRICS.split(",")
        for number in (scores[name].recall, scores[name].precision, scores[name].f1)
    ]


def aligned(key: Corpus, response: Corpus, **options: Any) -> tuple[Corpus, Corpus]:
    matching = match(key, response, Settings(**options))
    assert matching.key.tokens is not None
    assert matching.response.tokens is not None
    return matching.key, matching.response


def words_of(corpus: Corpus) -> list[str]:
    assert corpus.tokens is not None
    return corpus.tokens.words.tolist()


def test_white_space_is_left_out_of_account():
    key = document(["New\u00a0York", " ", "is", "\u3000", "big"], [(0, 1), (4, 4)])
    response = document(["New", "York", "is", "big", "\t"], [(0, 1), (3, 4)])
    ours, theirs = aligned(key, response)
    assert words_of(ours) == words_of(theirs) == ["New", "York", "is", "big"]
    assert (
        ours.to_dict(ends="inclusive")
        == theirs.to_dict(ends="inclusive")
        == {"x": [[(0, 1), (3, 3)]]}
    )
    blank = document(["New\u00a0York", " ", "is", "big"], [(1, 1)])
    with refused("alignment"):
        match(blank, response)
    scores = corefine.score(key, response, "lea")
    assert scores["lea"].f1 == 1
    assert "tokenisation" in map(code_of, scores.warnings)


def test_everything_about_mentions_moves_with_them():
    words = ["the", "well-known", "dog's", "bone", "it"]
    key = document(
        words,
        [(0, 3), (4, 4), (1, 2)],
        head=np.array([2, -1, 1]),
        minimum=(np.array([1, -1, 2]), np.array([3, -1, 3])),
        pieces=Pieces(np.array([0, 0]), np.array([0, 2]), np.array([1, 4])),
    )
    response = document(["the", "well", "-", "known", "dog", "'s", "bone", "it"], [(0, 6)])
    ours, _ = aligned(key, response)
    assert ours.to_dict(ends="inclusive") == {"x": [[((0, 0), (4, 6)), (7, 7), (1, 5)]]}
    mentions = ours.mentions
    assert mentions.head is not None
    assert mentions.minimum is not None
    assert mentions.head.tolist() == [4, -1, 3]  # dog of dog's, known of well-known
    assert mentions.minimum[0].tolist() == [1, -1, 4]
    assert mentions.minimum[1].tolist() == [6, -1, 6]


def test_layers_and_places_move_with_the_tokens():
    key = make(
        {"x": ([["a", "bcd", "e"]], [(0, 1, 1)])},
        pos=["DT", "NN", "VB"],
        parse=["(S(NP*", "*)", "*)"],
        ner=["*", "(ORG)", "*"],
        sent_id=["s1", "", ""],
    )
    assert key.tokens is not None
    text = Text(Strings.from_list(["a  bcd\te"]), np.array([0, 3, 7]), np.array([1, 6, 8]))
    tokens = replace(key.tokens, lines=np.array([1, 2, 3]), text=text)
    ours, _ = aligned(replace(key, tokens=tokens), document(["a", "b", "c", "de"], [(0, 0)]))
    assert ours.tokens is not None
    assert ours.tokens.text is not None
    assert ours.tokens.lines is not None
    layers = {name: column.tolist() for name, column in ours.tokens.layers.items()}
    assert layers == {
        "pos": ["DT", "NN", "NN", "NN", "VB"],
        "parse": ["(S(NP*", "*", "*", "*)", "*)"],
        "ner": ["*", "(ORG*", "*", "*)", "*"],
        "sent_id": ["s1", "", "", "", ""],
    }
    assert ours.tokens.lines.tolist() == [1, 2, 2, 2, 3]
    assert ours.tokens.text.begins.tolist() == [0, 3, 4, 5, 7]
    assert ours.tokens.text.ends.tolist() == [1, 4, 5, 6, 8]


def test_empty_nodes_keep_their_places():
    key = document(["saw", "∅", "the", "dogs."], [(1, 1), (2, 3)])
    assert key.tokens is not None
    empty = np.array([False, True, False, False])
    key = replace(key, tokens=replace(key.tokens, empty=empty))
    response = document(["saw", "the", "dogs", ".", "∅"], [(1, 3), (4, 4)])
    assert response.tokens is not None
    empty = np.array([False, False, False, False, True])
    response = replace(response, tokens=replace(response.tokens, empty=empty))
    ours, theirs = aligned(key, response, zeros="linear")
    assert words_of(ours) == ["saw", "∅", "the", "dogs", "."]
    assert words_of(theirs) == ["saw", "the", "dogs", ".", "∅"]
    assert ours.to_dict(ends="inclusive") == {"x": [[(1, 1), (2, 4)]]}
    scores = corefine.score(key, response, "mentions", zeros="linear")
    assert scores["mentions"].recall == 1 / 2


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (["ab", "cd"], ["a", "bx", "d"]),
        (["ab", "cd"], ["abc"]),
        (["ab"], ["a", "bc"]),
        (["ab", "cd"], ["ab", "ce"]),
        (["e\u0301té"], ["été"]),
        ([], ["a"]),
    ],
)
def test_other_characters_are_an_error(ours, theirs):
    before = document(["same"], name="w")
    sides = concatenate([before, document(ours)]), concatenate([before, document(theirs)])
    with pytest.raises(AlignmentError, match="'x'"):
        match(*sides)
    if len(ours) == len(theirs):
        match(*sides, Settings(words="ignore"))
    else:
        with pytest.raises(AlignmentError, match="'x'"):
            match(*sides, Settings(words="ignore"))


@st.composite
def cut_texts(draw: st.DrawFn) -> tuple[Corpus, Corpus, Corpus, Corpus]:
    """Two tokenisations of documents with mentions, and the same mentions named by characters."""
    sides: list[list[Corpus]] = [[], [], [], []]
    for name in draw(st.lists(st.sampled_from("abc"), min_size=1, unique=True)):
        text = draw(st.text(st.sampled_from("aé語\u00a0 😀'"), max_size=12))
        solid = [place for place, character in enumerate(text) if not character.isspace()]
        for number in range(2):
            inner = draw(st.sets(st.integers(1, max(len(text) - 1, 1)), max_size=6))
            bounds = sorted({0, len(text)} | {place for place in inner if place < len(text)})
            words = [text[a:b] for a, b in pairwise(bounds)]
            spans: Spans = []
            named: list[list[Any]] = [[], [], []]
            seen: set[tuple[int, int]] = set()
            for _ in range(draw(st.integers(0, 5)) if words else 0):
                place = st.integers(0, len(words) - 1)
                entity = draw(st.integers(0, 2))
                first, last = sorted((draw(place), draw(place)))
                covered = [p for p in solid if bounds[first] <= p < bounds[last + 1]]
                solid_ends = words[first].strip() and words[last].strip()
                if solid_ends and (covered[0], covered[-1]) not in seen:
                    spans.append((entity, first, last))
                    named[entity].append((covered[0], covered[-1]))
                    seen.add((covered[0], covered[-1]))
            sides[number].append(make({name: ([words] if words else [], spans)}))
            sides[number + 2].append(
                Corpus.from_documents({name: [entity for entity in named if entity]})
            )
    key, response, *plain = (concatenate(side) for side in sides)
    return key, response, plain[0], plain[1]


@given(cut_texts())
def test_scores_are_those_of_characters(case):
    key, response, plain_key, plain_response = case
    assert values(key, response) == values(plain_key, plain_response)
    ours, theirs = aligned(key, response)
    assert ours.tokens is not None
    assert theirs.tokens is not None
    assert ours.tokens.offsets.tolist() == theirs.tokens.offsets.tolist()
    squeezed = [["".join(word.split()) for word in words_of(side)] for side in (ours, theirs)]
    assert squeezed[0] == squeezed[1]


def test_documents_without_names_are_paired_in_their_order(tmp_path):
    first, second = document(["a", "b"], [(0, 0), (1, 1)]), document(["c.", "d"], [(0, 1)])
    key = concatenate([replace(first, documents=("p",)), replace(second, documents=("q",))])
    write(replace(key, named=False), tmp_path / "out.jsonl", "fastcoref")
    response = read(tmp_path / "out.jsonl")
    assert response.documents == ("out:1", "out:2")
    for sides in ((key, response), (response, key)):
        scores = corefine.score(*sides, "mentions")
        assert scores["mentions"].f1 == 1
        assert any("paired in order" in warning for warning in scores.warnings)
    (warning,) = corefine.score(response, response, "mentions").warnings
    assert code_of(warning) == "identical"
    with pytest.raises(AlignmentError):
        corefine.score(first, response)


def test_parts_of_documents_are_paired_however_they_are_named():
    def named(*names: str) -> Corpus:
        return concatenate([document([name[0]], [(0, 0)], name=name) for name in names])

    conll, joined = named("a/b", "c; part 2", "d_1"), named("c_2", "d_1", "a/b_0")
    for sides in ((conll, joined), (joined, conll)):
        scores = corefine.score(*sides, "mentions")
        assert scores["mentions"].f1 == 1
        assert any("paired by name and part" in warning for warning in scores.warnings)
    assert corefine.score(conll, conll, "mentions").warnings == ()
    # A name that the key has is that document and no other's part.
    for key, response in (
        (named("a", "c; part 2"), named("a", "c_3")),
        (named("d", "d_0"), named("d_0")),
    ):
        with refused("alignment"):
            corefine.score(key, response)


def test_nothing_is_done_for_a_side_without_words():
    words = document(["a", "b"], [(0, 0)])
    tokens = Tokens(Strings.from_list(["", ""]), offsets_of(np.array([2])), np.array([0]))
    nought = np.array([0])
    mentions = Mentions(nought, nought, nought, np.array([1]))
    wordless = Corpus(("x",), Entities(np.array([0])), mentions, tokens)
    assert corefine.score(words, wordless, "mentions")["mentions"].f1 == 1
    with refused("alignment"):
        corefine.score(document(["a", "b", "c"]), wordless)
