"""Any renumbering of the tokens of both sides leaves every metric of every layer as it was."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from corefine import Corpus, Document, Mention, Relation, score
from corefine.corpus.arrays import Strings
from corefine.corpus.columns import Tokens
from corefine.corpus.renumbering import TokenMap, renumber

LENGTH = 12


@st.composite
def mentions(draw: st.DrawFn) -> list[Mention]:
    """Mentions of one to three words, some of them discontinuous, with heads and minimum spans."""
    found = {}
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, LENGTH - 3))
        spans = [(start, start + draw(st.integers(1, 3)))]
        if draw(st.booleans()) and spans[0][1] < LENGTH - 1:
            spans.append((spans[0][1] + 1, spans[0][1] + 2))
        head = draw(st.integers(start, spans[0][1] - 1))
        entity = f"e{draw(st.integers(0, 3))}"
        found[tuple(spans)] = Mention(entity, spans, head, minimum=(head, head + 1))
    return list(found.values())


@st.composite
def documents(draw: st.DrawFn, number: int) -> Document:
    """A document with zeros, bridging, discourse deixis and non-referring expressions."""
    empty = sorted(draw(st.sets(st.integers(1, LENGTH - 1), max_size=2)))
    listed = draw(mentions())
    words = ["" if token in empty else f"w{token}" for token in range(LENGTH)]
    deps = [f"{token}:dep" for token in range(LENGTH)]
    document = Document(f"d{number}", words, listed, layers={"deps": deps}, empty_nodes=empty)
    first, last = listed[0], listed[-1]
    document.relations = [
        Relation(
            "bridge", 0, str(last.entity), str(first.entity), "", last.spans[0], first.spans[0]
        )
    ]
    for name in ("deixis", "nonreferring"):
        document.annotations[name] = Document(f"d{number}", mentions=draw(mentions()))
    return document


@st.composite
def sides(draw: st.DrawFn) -> tuple[Corpus, Corpus]:
    """Key and response with the same words and empty nodes."""
    ours = [draw(documents(number)) for number in range(2)]
    theirs = []
    for number, document in enumerate(ours):
        other = draw(documents(number))
        other.tokens, other.empty_nodes = document.tokens, document.empty_nodes
        theirs.append(other)
    return Corpus.from_documents(ours), Corpus.from_documents(theirs)


def spread(corpus: Corpus, gaps: list[int]) -> Corpus:
    """The corpus with new words before its tokens, as many as the gaps say."""
    tokens = corpus.tokens
    assert tokens is not None
    counts = np.array(gaps, np.int64) + 1
    place = np.cumsum(counts) - 1
    words = np.full(int(counts.sum()), "new", object)
    words[place] = tokens.words.tolist()
    empty, deps = np.zeros(len(words), bool), np.full(len(words), "", object)
    deps[place] = tokens.layers["deps"].tolist()
    if tokens.empty is not None:
        empty[place] = tokens.empty
    ends = np.append(0, np.cumsum(counts))
    offsets = ends[tokens.offsets]
    moved = Tokens(
        Strings.from_list(words.tolist()),
        offsets,
        offsets[:-1],
        {"deps": Strings.from_list(deps.tolist())},
        empty if empty.any() else None,
    )
    changed, kept = renumber(corpus, moved, TokenMap.of(place))
    assert kept.all()
    return changed


@settings(max_examples=5)
@given(sides(), st.lists(st.integers(0, 2), min_size=2 * LENGTH, max_size=2 * LENGTH))
def test_renumbering_changes_no_metric(pair, gaps) -> None:
    key, response = pair
    moved = spread(key, gaps), spread(response, gaps)
    for setting in ({}, {"match": "head"}, {"match": "min"}, {"twinless": "add-to-key"}):
        for metrics, layer in (("all", "identity"), ("default", "all"), ("default", "bridging")):
            options = {"layer": layer, "kinds": "none", **setting}
            before = score(key, response, metrics, **options)
            after = score(*moved, metrics, **options)
            assert {name: tuple(one) for name, one in before.items()} == {
                name: tuple(one) for name, one in after.items()
            }
