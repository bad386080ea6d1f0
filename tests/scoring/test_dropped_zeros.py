"""``zeros=drop``: zeros are gone from both sides before anything else, for every metric."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.corpus.columns import Kind
from corefine.metrics.registry import resolve

mentions = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 3)),
    min_size=1,
    max_size=8,
    unique_by=lambda m: m[0],
)
zeros = st.sets(st.integers(0, 9), max_size=5)


def corpus(found, zero, kept=lambda place: True):
    """Mentions of one word each; those at places of ``zero`` are zero subjects."""
    listed = [
        corefine.Mention(
            str(entity), [(place, place + 1)], kind=Kind.ZERO if place in zero else Kind.NAME
        )
        for place, entity in found
        if kept(place)
    ]
    words = [f"w{number}" for number in range(10)]
    return corefine.Corpus.from_documents([corefine.Document("d", words, listed)])


@given(mentions, mentions, zeros)
def test_dropping_zeros_is_scoring_files_without_them(key, response, zero):
    names = list(resolve("default,pairs,parent,lmuc,lb3,arcs"))
    options = {"kinds": "format", "allow_empty": True}
    dropped = corefine.score(
        corpus(key, zero), corpus(response, zero), names, zeros="drop", **options
    )
    sides = [corpus(one, zero, lambda place: place not in zero) for one in (key, response)]
    without = corefine.score(sides[0], sides[1], names, **options)
    for name in names:
        assert dropped[name].f1 == pytest.approx(without[name].f1), name
    assert "zeros:drop" in str(dropped.signature)


def test_empty_nodes_are_zeros(tmp_path):
    lines = ["# newdoc id = d", "# global.Entity = eid-etype-head-other"]
    rows = ("1 2 (e1-person-1-)", "2 0 _", "2.1 _ (e1-person-1-)", "3 2 _", "4 3 (e1-person-1-)")
    for number, head, entity in map(str.split, rows):
        misc = "_" if entity == "_" else f"Entity={entity}"
        lines.append("\t".join([number, "w", *"____", head, "dep", f"{head}:dep", misc]))
    lines[4] = lines[4].replace("_\tdep\t_:dep", "_\t_\t3:nsubj")
    path = tmp_path / "key.conllu"
    path.write_text("\n".join([*lines, "", ""]), "utf-8")
    both = {zeros: corefine.score(path, path, "muc,mentions", zeros=zeros) for zeros in
            ("dependent", "drop")}  # fmt: skip
    found = {
        name: one.counts.values["mentions"]["recall_whole"].sum() for name, one in both.items()
    }
    assert found == {"dependent": 3, "drop": 2}
