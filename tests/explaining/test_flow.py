"""The flow of a document: lanes hold whole entities, and what is drawn is on its lane."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
from hypothesis import given

import corefine
from corefine.explaining.flow import ALONE, OTHER, Flow, crossings
from tests.building.explained_corpora import sides


@given(sides())
def test_lanes_hold_whole_entities_in_text_order(pair):
    key, response = pair
    explanation = corefine.explain(key, response, "lea")
    table, places, tokens = explanation.table, explanation.matching.places, key.tokens
    for unit, begin in enumerate(tokens.offsets[:-1]):
        flow = Flow.of(explanation, unit, most=2)
        for lanes, entity in ((flow.keys, table.key_entity), (flow.lanes, table.response_entity)):
            for lane in lanes:
                rows = [dot.row for dot in lane.dots]
                if lane.name not in (OTHER, ALONE):
                    whole = np.flatnonzero((entity == entity[rows[0]]) & (table.document == unit))
                    assert sorted(rows) == whole.tolist()
                assert [dot.place for dot in lane.dots] == sorted(dot.place for dot in lane.dots)
        assert all(table.response_entity[dot.row] < 0 for dot in flow.missed)
        ends = [*flow.missed, *(dot for lane in flow.lanes for dot in lane.dots)]
        for number, lane in enumerate(flow.keys):
            hung = sorted((one for one in ends if one.key == number), key=lambda one: one.row)
            assert hung == sorted(lane.dots, key=lambda one: one.row)
        for dot in ends:
            side = int(table.key_entity[dot.row] < 0)
            mentions = (explanation.matching.key_mention, explanation.matching.response_mention)
            start = places[side].corpus.mentions.start[mentions[side][dot.row]]
            assert dot.place == start
        starts = tokens.sentences - begin
        inside = (starts >= 0) & (starts < tokens.offsets[unit + 1] - begin)
        assert flow.sentences == tuple(starts[inside])
        assert flow.length == tokens.offsets[unit + 1] - begin
        named = [one for one in flow.lanes if one.name != ALONE]
        for above, below in pairwise(named):
            assert crossings(above, below) <= crossings(below, above)


@given(sides())
def test_threads_hang_from_dots_and_words_stand_beside_their_lane(pair):
    key, response = pair
    explanation = corefine.explain(key, response, "lea")
    flow = Flow.of(explanation, 0)
    drawing = ElementTree.fromstring(re.sub(" xmlns=[^ >]*", "", str(flow.figure().drawing())))
    for group in (drawing, *drawing.iter("g")):
        dots = {(one.get("cx"), one.get("cy")) for one in group.findall("circle")}
        threads = [one for one in group.findall("line") if "cf-thread" in str(one.get("class"))]
        for line in threads:
            assert (line.get("x1"), line.get("y1")) in dots
            assert line.get("x1") == line.get("x2")
            assert float(str(line.get("y1"))) < float(str(line.get("y2")))
    rows = sorted({float(str(one.get("cy"))) for one in drawing.findall("circle")})
    counts = [one for one in drawing.findall("text") if re.fullmatch(r"(missed )?\d+", one.text)]
    words = sorted(
        {float(str(one.get("y"))) - 4 for one in counts if one.get("text-anchor") == "end"}
    )
    assert rows == words
    assert not rows or rows[-1] < flow.figure().height
