"""The flow of a document: its key entities above, its response entities below, and what joins them.

A mention is a dot at its place in the text, on the lane of its key entity and, straight below, on
that of its response entity. A split is one colour on two lanes, a merge two colours on one lane.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from corefine.explaining.error_analysis import resolution_lost
from corefine.output.charts import Figure
from corefine.output.charts.axes import colour, label, round_values, straight
from corefine.output.charts.figure import redrawable
from corefine.output.grid import Column, Grid, Value
from corefine.output.html import Element, element
from corefine.output.plain_text import text_width

if TYPE_CHECKING:
    from corefine.explaining.explanation import Explanation

MOST = 12
"""Key entities that are drawn: those that cost most LEA recall."""
DOCUMENTS = 3
"""Documents that are drawn: the worst."""
LANE, GAP, LEGEND, HEAD, AXIS = 17.0, 34.0, 34.0, 16.0, 40.0
OTHER, ALONE = "other entities", "on their own"
SPURIOUS = -1


@dataclass(frozen=True, slots=True)
class Dot:
    """A mention: its row in the table, its place, and the key lane that it hangs from."""

    row: int
    place: int
    key: int


@dataclass(frozen=True, slots=True)
class Lane:
    """An entity, or what is left of several, with its mentions in text order."""

    name: str
    dots: tuple[Dot, ...]
    colour: int | None
    """The number of its colour; None for what is no single key entity."""
    joined: bool = True


@dataclass(frozen=True, slots=True)
class Flow:
    """The drawn part of a document."""

    document: str
    keys: tuple[Lane, ...]
    lanes: tuple[Lane, ...]
    missed: tuple[Dot, ...]
    sentences: tuple[int, ...]
    """The places at which sentences start; empty without a text."""
    length: int

    @classmethod
    def of(cls, explanation: Explanation, unit: int, most: int = MOST) -> Flow:
        """The flow of the document with this number in the table."""
        table, matching = explanation.table, explanation.matching
        rows, places = _in_text_order(explanation, unit)
        key, response = table.key_entity[rows].tolist(), table.response_entity[rows].tolist()
        sizes, total = Counter(key), Counter(response)
        chains = list(dict.fromkeys(one for one in key if one >= 0 and sizes[one] > 1))
        hue = {entity: at for at, entity in enumerate(chains)}
        lost = resolution_lost(table)
        shown = sorted(chains, key=lambda one: (-lost[one], -sizes[one]))[:most]
        lane_of = {entity: at for at, entity in enumerate(shown)}
        held = Counter(theirs for ours, theirs in zip(key, response, strict=True)
                       if ours in lane_of and theirs >= 0)  # fmt: skip
        drawn = [one for one, _ in held.most_common() if total[one] > 1][: 2 * len(shown)]
        dots = [
            Dot(row, place, SPURIOUS if entity < 0 else lane_of.get(entity, len(shown)))
            for row, place, entity in zip(rows, places, key, strict=True)
        ]
        of_key, of_response = defaultdict[int, list[Dot]](list), defaultdict[int, list[Dot]](list)
        for dot, ours, theirs in zip(dots, key, response, strict=True):
            of_key[ours].append(dot)
            of_response[theirs].append(dot)

        def chosen(wanted: Callable[[int, int], bool]) -> tuple[Dot, ...]:
            """The dots whose entities of key and response are wanted."""
            given = zip(dots, key, response, strict=True)
            return tuple(dot for dot, ours, theirs in given if wanted(ours, theirs))

        missed = chosen(lambda ours, theirs: ours in lane_of and theirs < 0)
        left = chosen(lambda ours, theirs: ours in lane_of and theirs >= 0 and theirs not in drawn)
        rest = chosen(lambda ours, theirs: ours >= 0 and ours not in lane_of and theirs in drawn)
        keys = [
            Lane(_name(explanation, entity), tuple(of_key[entity]), hue[entity]) for entity in shown
        ]
        keys += [Lane(OTHER, rest, None, joined=False)] if rest else []
        partners = explanation.entities.pairs.key_of
        lanes = []
        for entity in drawn:
            own = tuple(of_response[entity])
            partner = int(partners[entity])
            name = matching.text_of(own[0].row) if partner < 0 else _name(explanation, partner)
            lanes.append(Lane(name, own, hue.get(partner)))
        lanes = in_order(lanes)
        lanes += [Lane(ALONE, left, None, joined=False)] if left else []
        sentences, length = _axis_of(explanation, unit, rows)
        length = max(length, 1 + max(places, default=0))
        return cls(table.documents[unit], tuple(keys), tuple(lanes), missed, sentences, length)

    def figure(self, width: float = 900) -> Figure:
        """The drawing, with its caption as description and a row of numbers per lane."""
        return flow_chart(self, width=width)


def _in_text_order(explanation: Explanation, unit: int) -> tuple[list[int], list[int]]:
    """The rows of a document in text order, longer mentions first, and their places."""
    matching, placed = explanation.matching, []
    for row in np.flatnonzero(explanation.table.document == unit).tolist():
        mention = int(matching.key_mention[row])
        side = 0 if mention >= 0 else 1
        number = mention if mention >= 0 else int(matching.response_mention[row])
        places = matching.places[side]
        stop = int(places.corpus.mentions.stop[number])
        placed.append((int(places.first[number]), -stop, row))
    ordered = sorted(placed)
    rows = [row for _, _, row in ordered]
    if not matching.key.has_places:
        return rows, list(range(len(rows)))
    return rows, [first for first, _, _ in ordered]


def _axis_of(
    explanation: Explanation, unit: int, rows: Sequence[int]
) -> tuple[tuple[int, ...], int]:
    """The places at which sentences start, and the number of places; none without a text."""
    key, origin = explanation.matching.key, explanation.table.origin
    if key.tokens is None or not key.has_places:
        return (), 0
    document = unit if origin is None else int(origin[rows[0]])
    begin, end = key.tokens.offsets[document : document + 2].tolist()
    starts = key.tokens.sentences[(key.tokens.sentences >= begin) & (key.tokens.sentences < end)]
    positions = np.append(starts - begin, end - begin - 1)
    *at, last = explanation.matching.places[0].at(np.full(len(positions), document), positions)
    return tuple(map(int, at)), 1 + int(last)


def _name(explanation: Explanation, entity: int) -> str:
    """The words that name a key entity of the table best."""
    source = int(explanation.table.key.source[entity])
    return explanation.errors.naming.text(source)


def crossings(above: Lane, below: Lane) -> int:
    """Count the threads to the second lane that cross the first, if it is drawn above."""
    first, last = above.dots[0].place, above.dots[-1].place
    return sum(first <= dot.place <= last for dot in below.dots if dot.key != SPURIOUS)


def in_order(lanes: Sequence[Lane]) -> list[Lane]:
    """Lanes by the key entity that they hold most of, moved until no move saves a crossing."""

    def home(lane: Lane) -> int:
        counts = Counter(dot.key for dot in lane.dots if dot.key != SPURIOUS)
        return min(counts, key=lambda key: (-counts[key], key))

    order, moved = sorted(lanes, key=home), True
    while moved:
        moved = False
        for at, (one, other) in enumerate(pairwise(order)):
            if crossings(one, other) > crossings(other, one):
                order[at : at + 2] = [other, one]
                moved = True
                break
    return order


def flows(explanation: Explanation) -> dict[str, Figure]:
    """The flows of the worst documents that have an entity of several mentions, by file name."""
    if explanation.matching.grouping is not None:
        return {}  # entities reach beyond documents, which have no common axis
    units = {name: at for at, name in enumerate(explanation.table.documents)}
    found: list[Flow] = []
    for summary in explanation.worst(len(units)):
        flow = Flow.of(explanation, units[summary.document])
        if flow.keys:
            found.append(flow)
        if len(found) == DOCUMENTS:
            break
    return {f"flow-{number}": flow.figure() for number, flow in enumerate(found, 1)}


@redrawable
def flow_chart(flow: Flow, *, width: float = 900) -> Figure:
    """Draw a flow: lanes, threads from key to response, sentences, and a legend."""
    left = max(128.0, min(0.2 * width, 260.0))
    marks, top = _legend(width)
    top += HEAD

    def x(place: float) -> float:
        return left + 6 + (width - left - 16) * place / max(flow.length, 1)

    middle = top + LANE * len(flow.keys)
    bottom = middle + GAP + LANE * len(flow.lanes)
    key_y = [top + LANE * (at + 0.5) for at in range(len(flow.keys))]
    lane_y = [middle + GAP + LANE * (at + 0.5) for at in range(len(flow.lanes))]
    missed_y = middle + 8
    hues = ["cf-faint" if one.colour is None else colour(one.colour) for one in flow.keys]
    marks.append(element("rect", x=0, y=middle + GAP - 4, width=width,
                         height=bottom - middle - GAP + 8, class_="cf-ground"))  # fmt: skip
    drawn = [(dot, y) for lane, y in zip(flow.lanes, lane_y, strict=True) for dot in lane.dots]
    ends = [*drawn, *((dot, missed_y) for dot in flow.missed)]
    for dot, y in ends:
        if dot.key != SPURIOUS:
            class_ = f"cf-thread {hues[dot.key]}"
            marks.append(straight(x(dot.place), key_y[dot.key], x(dot.place), y, class_))
    for lanes, ys in ((flow.keys, key_y), (flow.lanes, lane_y)):
        for lane, y in zip(lanes, ys, strict=True):
            for one, other in pairwise(lane.dots) if lane.joined else ():
                hue = hues[one.key] if one.key == other.key != SPURIOUS else "cf-faint"
                marks.append(straight(x(one.place), y, x(other.place), y, f"cf-join {hue}"))
    for lane, y in zip(flow.keys, key_y, strict=True):
        marks += [_dot(x(one.place), y, hues[one.key]) for one in lane.dots]
    for dot, y in drawn:
        marks.append(_dot(x(dot.place), y, "cf-faint" if dot.key == SPURIOUS else hues[dot.key]))
    marks += [_dot(x(one.place), missed_y, f"{hues[one.key]} cf-hollow") for one in flow.missed]
    for lane, y in zip([*flow.keys, *flow.lanes], [*key_y, *lane_y], strict=True):
        hue = "cf-faint" if lane.colour is None else colour(lane.colour)
        marks.append(label(lane.name, left - 34, y + 4, anchor="end", width=left - 40,
                           class_=f"cf-name {hue}"))  # fmt: skip
        marks.append(label(f"{len(lane.dots)}", left - 8, y + 4, anchor="end", class_="cf-tick"))
    if flow.missed:
        words = f"missed {len(flow.missed)}"
        marks.append(label(words, left - 8, missed_y + 4, anchor="end", class_="cf-tick"))
    for name, y in (("key", top), ("response", middle + GAP - 4)):
        marks.append(label(name, 0, y - 4, class_="cf-label"))
    marks += _axis(flow, x, left, bottom)
    caption = (
        f"{flow.document or 'The document'}: a mention is a dot on the lane of its key entity, "
        "above, and of its response entity, below."
    )
    sides = [("key", one) for one in flow.keys] + [("response", one) for one in flow.lanes]
    rows: list[tuple[Value, ...]] = [(side, one.name, len(one.dots)) for side, one in sides]
    rows.append(("missed", "", len(flow.missed)))
    grid = Grid((Column("side"), Column("entity"), Column("mentions", "integer")), rows)
    title = f"Flow of {flow.document or 'the document'}"
    return Figure(title, caption, width, bottom + AXIS, tuple(marks), grid)


def _dot(x: float, y: float, class_: str) -> Element:
    return element("circle", cx=x, cy=y, r=4, class_=f"cf-point {class_}")


def _axis(flow: Flow, x: Callable[[float], float], left: float, y: float) -> list[Element]:
    """Numbers of sentences or, without a text, of mentions."""
    at = flow.sentences or tuple(range(flow.length))
    name = "sentence" if flow.sentences else "mention"
    marks = [label(name, left - 8, y + 24, anchor="end", class_="cf-tick")]
    step = max(1, int(round_values(0, len(at), 12)[1])) if len(at) > 12 else 1
    for number, place in enumerate(at, 1):
        here = x(place)
        numbered = number == 1 or number % step == 0
        marks.append(straight(here, y + 5, here, y + (11 if numbered else 8), "cf-baseline"))
        if numbered:
            marks.append(label(f"{number}", here, y + 24, anchor="middle", class_="cf-tick"))
    return marks


def _legend(width: float) -> tuple[list[Element], float]:
    """Draw the legend in as many lines as the width needs, and return its height too."""
    one, two, none = colour(0), colour(1), "cf-faint"

    def thread(x: float, hue: str) -> Element:
        return straight(x, 5, x, 21, f"cf-thread {hue}")

    kinds = [
        ("found", 20, [thread(8, one), _dot(8, 5, one), _dot(8, 21, one)]),
        ("split: one colour on two lanes", 28,
         [thread(6, one), thread(18, one), _dot(6, 5, one), _dot(18, 5, one), _dot(6, 13, one),
          _dot(18, 21, one)]),
        ("merged: two colours on one lane", 28,
         [straight(6, 21, 18, 21, f"cf-join {none}"), thread(6, one), thread(18, two),
          _dot(6, 5, one), _dot(18, 5, two), _dot(6, 21, one), _dot(18, 21, two)]),
        ("missed", 20, [thread(8, one), _dot(8, 5, one), _dot(8, 20, f"{one} cf-hollow")]),
        ("not in the key", 20, [_dot(8, 13, none)]),
    ]  # fmt: skip
    marks, x, y = [], 0.0, 0.0
    for words, room, drawn in kinds:
        wide = room + text_width(words) + 18
        if x and x + wide > width:
            x, y = 0.0, y + LEGEND
        drawn.append(label(words, room, 17, class_="cf-tick"))
        marks.append(element("g", drawn, transform=f"translate({x:g} {y:g})"))
        x += wide
    return marks, y + LEGEND
