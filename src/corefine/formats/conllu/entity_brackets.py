"""The brackets of ``Entity=``: ``(e1-person-2-``, ``e1)``, ``(e1-person-1-)``, ``(e1[1/2]-…``.

Brackets of all lines are read at once. An opening bracket has the fields that the header names, a
closing one only the id. A mention of several parts has the number of each part behind its id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray, offsets_of
from corefine.corpus.strings import codes_of_bytes
from corefine.errors import FormatError, Location
from corefine.formats.building.token_rows import BracketCells, pair_brackets
from corefine.formats.conllu.comments import Header
from corefine.formats.input.lines import shown
from corefine.formats.input.sources import Source
from corefine.formats.text.brackets import MalformedCellError, Runs, find_runs

HYPHEN, CLOSING_SQUARE = b"-]"
_PART = re.compile(r"(.+)\[([^\[\]/]*)/([^\[\]/]*)\]", re.DOTALL)
_PART_NUMBER = re.compile("[0-9]{1,6}")
_PARTS = "Write the parts of a discontinuous mention as e1[1/2], e1[2/2]."
_SAMPLE = "An Entity consists of brackets such as (e1-person-1-  e1)  or  (e2-place-1-)"


@dataclass(frozen=True, slots=True)
class TokenLocations:
    """Where tokens are: the documents and lines that errors name."""

    documents: Sequence[str]
    offsets: IntArray
    lines: IntArray
    source: Source

    def where(self, token: int) -> Location:
        return self.source.where(int(self.lines[token]))


@dataclass(frozen=True, slots=True)
class EntityMentions:
    """Mentions in the order in which they open; parts are ordered by mention and by place."""

    text: ByteArray
    document: IntArray
    entity: IntArray
    """A number for each entity of a document, in no special order."""
    name: tuple[IntArray, IntArray]
    """Where in the text the entity's id starts and stops."""
    fields: dict[str, tuple[IntArray, IntArray]]
    """Where in the text each field of a mention starts and stops, by its name."""
    headless: BoolArray
    """Which mentions stand under a header without the field ``head``."""
    token: IntArray
    """The token at which a mention opens, for errors."""
    part_of: IntArray
    start: IntArray
    stop: IntArray
    """Start and stop of the parts, as tokens of the whole corpus."""

    def entity_name(self, mention: int) -> str:
        """The id of a mention's entity, for a message."""
        start, stop = self.name
        return shown(self.text[start[mention] : stop[mention]])

    def size(self, mention: int) -> int:
        """How many words a mention has."""
        return int((self.stop - self.start)[self.part_of == mention].sum())

    def word_at(self, mentions: IntArray, number: IntArray) -> IntArray:
        """The words of mentions with these numbers, from 1, as tokens; -1 where there is none."""
        words = offsets_of(self.stop - self.start)
        first_part = offsets_of(np.bincount(self.part_of, minlength=len(self.document)))
        wanted = words[first_part[mentions]] + number - 1
        there = (number >= 1) & (wanted < words[first_part[mentions + 1]])
        wanted = np.where(there, wanted, 0)
        part = np.searchsorted(words, wanted, side="right") - 1
        return np.where(there, self.start[part] + wanted - words[part], -1)


def parse(
    cells: BracketCells, header: IntArray, headers: Sequence[Header], places: TokenLocations
) -> EntityMentions:
    """The mentions that these cells hold; ``header`` tells which of the headers each one has."""
    try:
        runs = find_runs(cells.text, cells.lengths, np.arange(len(cells.lengths)))
    except MalformedCellError as error:
        raise FormatError(
            f"malformed Entity {cells.content(error.cell)!r}",
            places.where(int(cells.token[error.cell])),
            _SAMPLE,
        ) from None
    text, header = cells.text, header[runs.owner]
    token = cells.token[runs.owner]
    document = np.searchsorted(places.offsets, token, side="right") - 1
    start, stop = _ids(text, runs, header, headers)
    nameless = np.flatnonzero(stop <= start)
    if len(nameless):
        at = nameless[0]
        raise FormatError(
            f"a bracket without an entity id in {cells.content(int(runs.owner[at]))!r}",
            places.where(int(token[at])),
            _SAMPLE,
        )
    groups, opening, closing = pair_brackets(
        text,
        runs,
        (start, stop),
        document,
        places.documents,
        lambda run: places.where(int(token[run])),
        opening="({}-…",
    )
    return _mentions(
        text,
        document[opening],
        groups[opening],
        (start[opening], stop[opening]),
        _fields(text, runs.start[opening], runs.stop[opening], header[opening], headers),
        np.array([not known.has_head for known in headers])[header[opening]],
        (token[opening], token[closing] + 1),
        places,
    )


def _ids(
    text: ByteArray, runs: Runs, header: IntArray, headers: Sequence[Header]
) -> tuple[IntArray, IntArray]:
    """Where the ids of entities start and stop; a closing bracket may have nothing else."""
    hyphens = np.flatnonzero(text == HYPHEN)
    first = np.searchsorted(hyphens, runs.start)
    count = np.searchsorted(hyphens, runs.stop) - first
    start, stop = runs.start.copy(), runs.stop.copy()
    place = np.array([known.id_at for known in headers], np.int64)[header]
    bare = ~runs.opens & (count == 0)
    place[bare] = 0
    # Without the field there is no id, which an empty range stands for.
    lacking = count < place
    start[lacking] = stop[lacking]
    later = np.flatnonzero(~lacking & (place > 0))
    start[later] = hyphens[first[later] + place[later] - 1] + 1
    ended = np.flatnonzero(count > place)
    stop[ended] = hyphens[first[ended] + place[ended]]
    return start, stop


def _fields(
    text: ByteArray,
    start: IntArray,
    stop: IntArray,
    header: IntArray,
    headers: Sequence[Header],
) -> dict[str, tuple[IntArray, IntArray]]:
    """Where the fields of opening brackets lie; a missing one is empty, the last takes the rest."""
    hyphens = np.append(np.flatnonzero(text == HYPHEN), len(text))
    first = np.searchsorted(hyphens, start)
    count = np.searchsorted(hyphens, stop) - first
    found: dict[str, tuple[IntArray, IntArray]] = {}
    for number, known in enumerate(headers):
        of_header = header == number
        if not of_header.any():
            continue
        for place, name in enumerate(known.fields):
            if name == "eid":
                continue
            begins, ends = found.setdefault(name, (stop.copy(), stop.copy()))
            rows = np.flatnonzero(of_header & (count >= place))
            begins[rows] = hyphens[first[rows] + place - 1] + 1 if place else start[rows]
            if place < len(known.fields) - 1:
                rows = rows[count[rows] > place]
                ends[rows] = hyphens[first[rows] + place]
    return found


def _mentions(
    text: ByteArray,
    document: IntArray,
    groups: IntArray,
    name: tuple[IntArray, IntArray],
    fields: dict[str, tuple[IntArray, IntArray]],
    headless: BoolArray,
    span: tuple[IntArray, IntArray],
    places: TokenLocations,
) -> EntityMentions:
    """Mentions from pairs of brackets; those of several parts are put together."""
    start, stop = span
    rows = np.arange(len(document))
    name_start, name_stop = name
    parts = np.flatnonzero(text[name_stop - 1] == CLOSING_SQUARE)
    if not len(parts):
        return EntityMentions(
            text, document, groups, name, fields, headless, start, rows, start, stop
        )
    base_stop = name_stop.copy()
    found: list[tuple[int, tuple[int, str], int, int, int, int]] = []
    for row in parts.tolist():
        low = int(name_start[row])
        part = _PART.fullmatch(text[low : name_stop[row]].tobytes().decode())
        if part is not None:
            entity, *numbers = part.groups()
            if not all(map(_PART_NUMBER.fullmatch, numbers)):
                raise FormatError(
                    f"part {shown('/'.join(numbers))!r} of a mention of entity {shown(entity)!r}",
                    places.where(int(start[row])),
                    _PARTS,
                )
            number, total = map(int, numbers)
            base_stop[row] = low + len(entity.encode())
            owner = (int(document[row]), entity)
            found.append((row, owner, number, total, int(start[row]), int(stop[row])))
    first_part = rows.copy()
    for row, first in _first_parts(found, places).items():
        first_part[row] = first
    entity_codes = codes_of_bytes(text, name_start, base_stop - name_start)
    groups = document * (int(entity_codes.max()) + 1) + entity_codes
    opens = first_part == rows
    mention = (np.cumsum(opens) - 1)[first_part]
    order = np.lexsort((rows, mention))
    mention, start_, stop_ = mention[order], start[order], stop[order]
    # Parts that touch are one: a mention is its words, however they were written.
    touches = np.zeros(len(rows), bool)
    touches[1:] = (mention[1:] == mention[:-1]) & (start_[1:] == stop_[:-1])
    begins_part = np.flatnonzero(~touches)
    chosen = np.flatnonzero(opens)
    given = _first_given(fields, first_part)
    return EntityMentions(
        text,
        document[chosen],
        groups[chosen],
        (name_start[chosen], base_stop[chosen]),
        {field: (low[chosen], high[chosen]) for field, (low, high) in given.items()},
        headless[chosen],
        start[chosen],
        mention[begins_part],
        start_[begins_part],
        stop_[np.append(begins_part[1:], len(rows)) - 1],
    )


def _first_given(
    fields: dict[str, tuple[IntArray, IntArray]], first_part: IntArray
) -> dict[str, tuple[IntArray, IntArray]]:
    """The fields of mentions at their first part, from a later part where the first lacks one."""
    later = np.flatnonzero(first_part != np.arange(len(first_part)))
    for low, high in fields.values():
        for row in later[high[later] > low[later]].tolist():
            first = first_part[row]
            if high[first] <= low[first]:
                low[first], high[first] = low[row], high[row]
    return fields


def _first_parts(
    parts: Iterable[tuple[int, tuple[int, str], int, int, int, int]], places: TokenLocations
) -> dict[int, int]:
    """The row of the first part of its mention, for the row of each part.

    A part, in the order in which they open, is its row, its entity (document and name), its number,
    the number of parts, its first token and that behind its last. Part k of n continues a mention
    of the same entity that has k - 1 of n parts; of several the one whose last part opened last, as
    brackets close.
    """

    def refused(entity: tuple[int, str], what: str, token: int) -> FormatError:
        document, name = entity
        return FormatError(
            f"entity {shown(name)!r} of document {places.documents[document]!r} has {what}",
            places.where(token),
            _PARTS,
        )

    first_of: dict[int, int] = {}
    waiting: dict[tuple[tuple[int, str], int, int], list[tuple[int, int, int]]] = {}
    """By entity, parts and number of the next: first row, first token, and how far it reaches."""
    for row, entity, number, total, start, stop in parts:
        what = f"part {number} of {total} of a mention"
        if not 1 <= number <= total:
            raise refused(entity, what, start)
        first, opened, reached = row, start, start
        if number > 1:
            unfinished = waiting.get((entity, total, number))
            if not unfinished:
                raise refused(entity, f"{what} without part {number - 1}", start)
            first, opened, reached = unfinished.pop()
        if reached > start:
            raise refused(entity, f"{what} that overlaps another part", start)
        if number < total:
            waiting.setdefault((entity, total, number + 1), []).append((first, opened, stop))
        first_of[row] = first
    left = [
        (opened, entity, number, total)
        for (entity, total, number), unfinished in waiting.items()
        for _, opened, _ in unfinished
    ]
    if left:
        token, entity, number, total = min(left)
        what = f"a mention of {total} parts without part {number}"
        raise refused(entity, what, token)
    return first_of
