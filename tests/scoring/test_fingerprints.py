"""Signatures cover everything that numbers depend on, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.corpus.columns import Relation
from corefine.corpus.corpus import Corpus
from tests.building.node_corpora import two_sides
from tests.building.text_corpora import make

WORDS = [f"w{number}" for number in range(24)]


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    """A document with heads, minimum spans and kinds of its mentions."""
    starts = draw(st.lists(st.integers(0, len(WORDS) - 4), min_size=2, max_size=10, unique=True))
    spans = [(draw(st.integers(0, 3)), start, start + draw(st.integers(0, 3))) for start in starts]
    corpus = make({"d": ([WORDS], spans)})
    mentions = corpus.mentions
    size = mentions.stop - mentions.start
    head = mentions.start + np.array([draw(st.integers(0, int(n) - 1)) for n in size])
    kind = np.array([draw(st.integers(1, 3)) for _ in size], np.uint8)
    mentions = replace(mentions, head=head, kind=kind, minimum=(head, head + 1))
    return replace(corpus, mentions=mentions)


def change(corpus: Corpus, what: str, row: int) -> Corpus:
    """The corpus with one mention changed."""
    mentions: Any = corpus.mentions
    row %= len(mentions)
    start, size = mentions.start[row], mentions.stop[row] - mentions.start[row]
    column = (mentions.minimum[0] if what == "minimum" else getattr(mentions, what)).copy()
    if what == "kind":
        column[row] = column[row] % 3 + 1
    elif what == "entity":
        column[row] = (column[row] + 1) % len(corpus.entities)
    else:
        column[row] = start + (column[row] - start + 1) % size
    changed = {what: (column, column + 1) if what == "minimum" else column}
    return replace(corpus, mentions=replace(mentions, **changed))


ASKED: dict[str, dict[str, Any]] = {
    "exact": {"metrics": "muc,b3,lea"},
    "head": {"metrics": "muc,b3,lea", "match": "head"},
    "partial": {"metrics": "muc,b3,lea", "match": "partial"},
    "min": {"metrics": "muc,b3,lea", "match": "min"},
    "kinds": {"metrics": "lmuc,parent", "kinds": "format"},
}
USED = {"exact": {"entity"}, "head": {"entity", "head"}, "partial": {"entity", "head"},
        "min": {"entity", "minimum"}, "kinds": {"entity", "kind"}}  # fmt: skip


@pytest.mark.parametrize("asked", ASKED)
@given(
    what=st.sampled_from(["head", "minimum", "kind", "entity"]),
    key=corpora(),
    response=corpora(),
    row=st.integers(0, 9),
)
def test_a_number_that_moves_moves_its_signature(asked, what, key, response, row):
    changed = change(key, what, row)
    before = corefine.score(key, response, **ASKED[asked])
    after = corefine.score(changed, response, **ASKED[asked])
    for name, score in before.items():
        if score != after[name]:
            assert str(score.signature) != str(after[name].signature)
        if what not in USED[asked]:
            assert score == after[name]
            assert str(score.signature) == str(after[name].signature)


@given(
    key=corpora(),
    response=corpora(),
    kinds=st.lists(st.sampled_from(["name", "nominal", "pronoun"]), min_size=24, max_size=24),
    changed=st.integers(0, 23),
)
def test_a_changed_kind_of_any_mention_changes_the_signature(key, response, kinds, changed):
    """Also of mentions that only the response has, which count for precision."""
    spans = {
        (int(start), int(stop) - 1): kinds[int(start)]
        for side in (key, response)
        for start, stop in zip(side.mentions.start, side.mentions.stop, strict=True)
    }
    other = {
        span: "pronoun" if span[0] == changed and kind == "name" else kind
        for span, kind in spans.items()
    }
    one, two = (
        corefine.score(key, response, "lmuc,lb3,lea", kinds=each) for each in (spans, other)
    )
    for name in ("lmuc", "lb3"):
        assert (spans != other) == (str(one[name].signature) != str(two[name].signature))
        assert spans != other or one[name] == two[name]
    assert str(one["lea"].signature) == str(two["lea"].signature)
    assert one.counts.provenance.kind_code < 1 << 64


@given(two_sides())
def test_signatures_do_not_depend_on_the_response(sides):
    key, response = sides
    options = {"metrics": "muc,parent", "zeros": "linear"}
    one, other = (corefine.score(key, side, **options) for side in (key, response))
    assert str(one["muc"].signature) == str(other["muc"].signature)


def test_a_changed_bridging_antecedent_changes_the_signature():
    key = make({"d": ([WORDS], [(0, 0, 0), (0, 3, 3), (1, 5, 5), (2, 8, 8)])})
    sides = [
        replace(key, relations=(Relation("bridge", 0, "", "", "", (8, 9), antecedent),))
        for antecedent in ((0, 1), (5, 6))
    ]
    scores = [corefine.score(side, sides[0], layer="bridging") for side in sides]
    assert scores[0]["bridging.entity"] != scores[1]["bridging.entity"]
    assert str(scores[0].signature) != str(scores[1].signature)
    assert len({str(corefine.score(side, key, "muc").signature) for side in sides}) == 1


def test_the_order_of_a_set_does_not_change_the_signature():
    """Sets with colliding hashes are iterated in the order in which they were filled."""
    names = [frozenset(order) for order in ([0, 8, 16], [16, 8, 0])]
    signatures = [corefine.score([[name]], [[name]], "lea").signature for name in names]
    assert signatures[0] == signatures[1]
