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
    explanation = corefine.explain(pair[0], pair[1], "lea")
    table, matching, tokens = explanation.table, explanation.matching, pair[0].tokens
    starts = matching.by_row(*(side.corpus.mentions.start for side in matching.places))
    for unit, (begin, end) in enumerate(pairwise(tokens.offsets)):
        flow = Flow.of(explanation, unit, most=2)
        ends = [*flow.missed, *(dot for lane in flow.lanes for dot in lane.dots)]
        assert [dot.place for dot in ends] == [starts[dot.row] for dot in ends]
        for number, lane in enumerate(flow.keys):
            assert {dot for dot in ends if dot.key == number} == set(lane.dots)
        for lanes, entity in ((flow.keys, table.key_entity), (flow.lanes, table.response_entity)):
            for lane in lanes:
                if lane.name not in (OTHER, ALONE):
                    whole = (entity == entity[lane.dots[0].row]) & (table.document == unit)
                    assert {dot.row for dot in lane.dots} == set(np.flatnonzero(whole))
                assert [dot.place for dot in lane.dots] == sorted(dot.place for dot in lane.dots)
        assert all(table.response_entity[dot.row] < 0 for dot in flow.missed)
        inside = (tokens.sentences >= begin) & (tokens.sentences < end)
        assert flow.sentences == tuple(tokens.sentences[inside] - begin)
        assert flow.length == end - begin
        for above, below in pairwise(one for one in flow.lanes if one.name != ALONE):
            assert crossings(above, below) <= crossings(below, above)


@given(sides())
def test_threads_hang_from_dots_and_words_stand_beside_their_lane(pair):
    figure = Flow.of(corefine.explain(pair[0], pair[1], "lea"), 0).figure()
    drawing = ElementTree.fromstring(re.sub(" xmlns=[^ >]*", "", str(figure.drawing())))

    def places(one, *names):
        return tuple(float(one.get(name)) for name in names)

    for group in (drawing, *drawing.iter("g")):
        dots = {places(one, "cx", "cy") for one in group.findall("circle")}
        for line in group.findall("line"):
            if "cf-thread" in str(line.get("class")):
                x, y, below, bottom = places(line, "x1", "y1", "x2", "y2")
                assert (x, y) in dots
                assert (x == below, y < bottom) == (True, True)
    rows = {places(one, "cy")[0] for one in drawing.findall("circle")}
    counts = [one for one in drawing.findall("text") if re.fullmatch(r"(missed )?\d+", one.text)]
    assert rows == {places(one, "y")[0] - 4 for one in counts if one.get("text-anchor") == "end"}
    assert max(rows, default=0) < figure.height
