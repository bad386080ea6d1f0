"""The lines of brat's annotations: spans of characters, and which of them corefer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray, numbered
from corefine.corpus.strings import Strings, numbered_bytes
from corefine.errors import FormatError, Location
from corefine.formats.input.joined_lines import JoinedLines
from corefine.formats.input.sources import Source
from corefine.formats.text.numerals import whole_numbers
from corefine.formats.text.tab_cells import TabCells, equal_to

_BLANK, _COLON, _SEMICOLON = b" :;"
_SPAN, _RELATION, _EVENT, _CLASS, _NAME = b"TRE*C"
_KNOWN = np.zeros(256, bool)
_KNOWN[list(b"TRE*CAMN#\n")] = True
_NAMING = b"COREF"
"""The first cell of LitBank's lines that name the entity of a mention."""
_COREFERENCE = re.compile(
    r"(?!.*bridg).*(?:coref|identi(?:ty|cal)|equiv|same[-_ ]?as|anaph|antecedent)|ident$",
    re.IGNORECASE,
)
"""What the types of relations that mean identity are called."""
_FRAGMENTS = re.compile(rb"(\S+) ([0-9]{1,9} [0-9]{1,9}(?:;[0-9]{1,9} [0-9]{1,9})*)")
_SAMPLES = {
    _SPAN: (
        "A mention is written, with tabs after the id and before the words: T1, Person 0 4, Anna."
    ),
    _RELATION: "A relation is written, with a tab after the id: R1, Coref Arg1:T2 Arg2:T1.",
    _EVENT: "An event is written, with a tab after the id: E1, Type:T1 Role:T2.",
    _CLASS: "An equivalence class is written, with a tab after the asterisk: *, Equiv T1 T2.",
    _NAME: "An entity name is written, with tabs in between: COREF, T1, ANNA-0.",
}

Parts = tuple[IntArray, IntArray]
"""Where parts of the text start and stop."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Annotations:
    """The spans of several files, in their order, and the links between them."""

    lines: JoinedLines
    line: IntArray
    """The line of each span."""
    ids: Parts
    type: IntArray
    """Its type, as an index of ``types``."""
    types: list[str]
    words: Parts
    """Where the words that the file repeats lie; nothing where it does not."""
    owner: IntArray
    """For each fragment of a span, the span; in order, and so are the fragments of a span."""
    begin: IntArray
    end: IntArray
    """The fragment's first character, and the one behind its last."""
    left: IntArray
    right: IntArray
    """Spans that corefer."""
    named: IntArray
    name: IntArray
    """Spans whose entity has a name, and which of ``names`` it is."""
    names: list[str]
    trigger: BoolArray
    """Which spans are the trigger of an event that corefers with nothing."""
    relations: frozenset[str]
    """The types of relations that say nothing of coreference."""

    @property
    def document(self) -> IntArray:
        return self.lines.file[self.line]

    def where(self, span: int) -> Location:
        return self.lines.where(int(self.line[span]))


def read_annotations(sources: Sequence[Source]) -> Annotations:
    """The annotations of files."""
    lines = JoinedLines.of(sources)
    cells = TabCells.of(lines)
    initial = lines.text[lines.starts]
    for row in np.flatnonzero(~_KNOWN[initial]).tolist():
        if lines.text[lines.starts[row] : lines.stops[row]].tobytes().strip():
            _refuse(lines, row, "not a brat annotation", _SPAN)
    signs = (_SPAN, _RELATION, _EVENT, _CLASS, _NAME)
    rows = {sign: np.flatnonzero(initial == sign) for sign in signs}
    for sign, found in rows.items():
        lacking = cells.counts[found] < 2
        if lacking.any():
            _refuse(lines, int(found[np.argmax(lacking)]), "no second field", sign)
    spans = rows[_SPAN]
    blanks = np.append([-1, -1, -1], np.flatnonzero(lines.text == _BLANK))
    type, owner, begin, end = _spans(lines, cells, spans, blanks)
    types, codes = _distinct(lines.text, type)
    (link_lines, link_ids), relations = _links(lines, cells, rows, blanks)
    naming = _naming(lines, cells, rows[_NAME])
    wanted = (
        np.concatenate([link_lines, rows[_NAME]]),
        (
            np.concatenate([link_ids[0], naming[0][0]]),
            np.concatenate([link_ids[1], naming[0][1]]),
        ),
    )
    ids = cells.bounds(spans, 0)
    found_spans, triggers = _look_up(lines, cells, (spans, ids), rows[_EVENT], wanted)
    half, links = len(link_lines) // 2, len(link_lines)
    left, right, named = found_spans[:half], found_spans[half:links], found_spans[links:]
    trigger = np.zeros(len(spans), bool)
    trigger[triggers] = True
    trigger[found_spans] = False
    names, name = _distinct(lines.text, naming[1])
    return Annotations(
        lines, spans, ids, codes, types, _words(cells, spans), owner, begin, end, left, right,
        named, name, names, trigger, relations,
    )  # fmt: skip


def _distinct(text: ByteArray, parts: Parts) -> tuple[list[str], IntArray]:
    """The distinct strings among parts of the text, and which of them each is."""
    first, codes = numbered_bytes(text, parts[0], parts[1] - parts[0])
    return Strings.cut(text, parts[0][first], parts[1][first]).tolist(), codes


def _naming(lines: JoinedLines, cells: TabCells, rows: IntArray) -> tuple[Parts, Parts]:
    """Where lines that name entities have the ids of mentions, and the names."""
    sound = (cells.counts[rows] == 3) & equal_to(lines.text, *cells.bounds(rows, 0), _NAMING)
    if not sound.all():
        _refuse(lines, int(rows[np.argmin(sound)]), "not a brat annotation", _NAME)
    return cells.bounds(rows, 1), cells.bounds(rows, 2)


def _refuse(lines: JoinedLines, line: int, what: str, sign: int) -> NoReturn:
    shown = lines.shown(int(lines.starts[line]), int(lines.stops[line]))
    raise FormatError(f"{what}: {shown!r}", lines.where(line), _SAMPLES[sign])


def _words(cells: TabCells, rows: IntArray) -> Parts:
    """The words of spans: the third cell, to the end of the line."""
    stops = cells.bounds(rows, 1)[1]
    given = cells.counts[rows] > 2
    line_stops = cells.lines.stops[rows]
    return np.where(given, stops + 1, line_stops), line_stops


def _spans(
    lines: JoinedLines, cells: TabCells, rows: IntArray, blanks: IntArray
) -> tuple[Parts, IntArray, IntArray, IntArray]:
    """The types of spans, and their fragments: which span each is of, begin and end.

    ``blanks`` are all in the text, behind a few that come before it.
    """
    text = lines.text
    starts, stops = cells.bounds(rows, 1)
    last = np.searchsorted(blanks, stops) - 1
    first, second, before = blanks[last - 1], blanks[last], blanks[last - 2]
    begin = whole_numbers(text, np.maximum(first + 1, 0), second)
    end = whole_numbers(text, second + 1, stops)
    simple = (first > starts) & (before < starts) & (begin >= 0) & (end >= 0)
    owner, type_stops = np.flatnonzero(simple), np.where(simple, first, starts)
    more: list[tuple[int, int, int]] = []
    for row in np.flatnonzero(~simple).tolist():
        cell = text[starts[row] : stops[row]].tobytes()
        found = _FRAGMENTS.fullmatch(cell)
        if found is None:
            _refuse(lines, int(rows[row]), "a malformed mention", _SPAN)
        type_stops[row] = starts[row] + len(found[1])
        fragments = [part.split() for part in found[2].split(b";")]
        more += sorted((row, int(first), int(behind)) for first, behind in fragments)
    begin, end = begin[owner], end[owner]
    if more:
        others = np.array(more, np.int64)
        owner = np.concatenate([owner, others[:, 0]])
        order = np.argsort(owner, kind="stable")
        begin = np.concatenate([begin, others[:, 1]])[order]
        end = np.concatenate([end, others[:, 2]])[order]
        owner = owner[order]
    return (starts, type_stops), owner, begin, end


Names = tuple[IntArray, Parts]
"""Ids in lines: the line of each, and where it lies."""


def _look_up(
    lines: JoinedLines, cells: TabCells, spans: Names, events: IntArray, wanted: Names
) -> tuple[IntArray, IntArray]:
    """The spans that have the wanted ids, or are triggers of events that have; and all triggers."""
    event_ids, triggers = cells.bounds(events, 0), _triggers(lines, cells, events)
    all_ids = (spans[1], event_ids, triggers, wanted[1])
    starts, stops = (np.concatenate([ids[side] for ids in all_ids]) for side in (0, 1))
    codes = numbered_bytes(lines.text, starts, stops - starts)[1]
    line = np.concatenate([spans[0], events, events, wanted[0]])
    codes = numbered(codes * len(lines.sources) + lines.file[line])[1]
    parts = np.split(codes, np.cumsum([len(ids[0]) for ids in all_ids[:-1]]))
    span = np.full(int(codes.max(initial=-1)) + 1, -1)
    span[parts[0][::-1]] = np.arange(len(parts[0]))[::-1]
    again = span[parts[0]] != np.arange(len(parts[0]))
    if again.any():
        _refuse(lines, int(spans[0][np.argmax(again)]), "duplicate id", _SPAN)
    of_events = span[parts[2]]
    span[parts[1]] = np.where(span[parts[1]] < 0, of_events, span[parts[1]])
    found = span[parts[3]]
    for lacking, rows, places in ((of_events, events, triggers), (found, *wanted)):
        if (lacking < 0).any():
            row = int(np.argmax(lacking < 0))
            id = lines.shown(int(places[0][row]), int(places[1][row]))
            sign = int(lines.text[lines.starts[rows[row]]])
            _refuse(lines, int(rows[row]), f"unknown id {id!r}", sign)
    return found, of_events


def _triggers(lines: JoinedLines, cells: TabCells, events: IntArray) -> Parts:
    """Where the ids of the triggers of events lie: in the first part, behind a colon."""
    starts, stops = cells.bounds(events, 1)
    found = []
    for row, start, stop in zip(events.tolist(), starts.tolist(), stops.tolist(), strict=True):
        type, _, trigger = lines.text[start:stop].tobytes().partition(b" ")[0].rpartition(b":")
        if not type or not trigger:
            _refuse(lines, row, "a malformed event", _EVENT)
        begin = start + len(type) + 1
        found.append((begin, begin + len(trigger)))
    places = np.array(found, np.int64).reshape(-1, 2)
    return places[:, 0], places[:, 1]


def _links(
    lines: JoinedLines, cells: TabCells, rows: dict[int, IntArray], blanks: IntArray
) -> tuple[Names, frozenset[str]]:
    """The ids that relations and classes of coreference link, and the other types of relations.

    First come all left ends, then all right ends.
    """
    text = lines.text
    starts, stops = cells.bounds(rows[_RELATION], 1)
    stops = _without_blanks(text, stops)
    colons = np.append(-1, np.flatnonzero(text == _COLON))
    at = np.searchsorted(blanks, stops) - 1
    first, second = blanks[at - 1], blanks[at]
    left, right = (colons[np.searchsorted(colons, limit) - 1] for limit in (second, stops))
    sound = (first > starts) & (left > first) & (right > second)
    sound &= (left + 1 < second) & (right + 1 < stops)
    if not sound.all():
        row = int(rows[_RELATION][np.argmin(sound)])
        _refuse(lines, row, "a malformed relation", _RELATION)
    leading, codes = numbered_bytes(text, starts, first - starts)
    names = Strings.cut(text, starts[leading], first[leading]).tolist()
    meant = np.array([bool(_COREFERENCE.match(name)) for name in names], bool)
    wanted = np.flatnonzero(meant[codes])
    line, classes = _classes(lines, cells, rows[_CLASS])
    line = np.concatenate([rows[_RELATION][wanted], line])
    begins = (left[wanted] + 1, classes[:, 0], right[wanted] + 1, classes[:, 2])
    ends = (second[wanted], classes[:, 1], stops[wanted], classes[:, 3])
    others = frozenset(name for name in names if not _COREFERENCE.match(name))
    return (np.tile(line, 2), (np.concatenate(begins), np.concatenate(ends))), others


def _without_blanks(text: ByteArray, stops: IntArray) -> IntArray:
    """Where cells stop, without a blank at their end: some tools leave one there."""
    while len(stops) and (ragged := text[stops - 1] == _BLANK).any():
        stops = stops - ragged
    return stops


def _classes(lines: JoinedLines, cells: TabCells, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Links from the first member of each class of coreference to all of its members.

    For each the line, and start and stop of both ids.
    """
    found: list[tuple[int, ...]] = []
    starts, stops = cells.bounds(rows, 1)
    for row, start, stop in zip(rows.tolist(), starts.tolist(), stops.tolist(), strict=True):
        parts = list(re.finditer(rb"\S+", lines.text[start:stop].tobytes()))
        if len(parts) < 2:
            _refuse(lines, row, "an equivalence class without members", _CLASS)
        type, *members = parts
        if _COREFERENCE.match(type[0].decode("utf-8")):
            places = [(start + member.start(), start + member.end()) for member in members]
            found += [(row, *places[0], *place) for place in places]
    table = np.array(found, np.int64).reshape(-1, 5)
    return table[:, 0], table[:, 1:]
