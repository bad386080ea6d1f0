"""CoNLL-U with CorefUD's attribute Entity: one word per line, coreference in the tenth column.

The smallest valid file (columns are separated by tabs)::

    # newdoc id = x
    # global.Entity = eid-etype-head-other
    1	Anna	_	_	_	_	_	_	_	Entity=(e1-person-1-)
    2	saw	_	_	_	_	_	_	_	_
    3	her	_	_	_	_	_	_	_	Entity=(e2-place-2-(e1-person-1-)
    4	house	_	_	_	_	_	_	_	Entity=e2)

The header names the fields of a mention: its entity, the type, the position of its head among its
words, and others. ``e1[1/2]`` is the first of two parts of a discontinuous mention, ``2.1`` an
empty node after word 2, ``3-4`` a multiword token, which is not a word itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from corefine.corpus.arrays import (
    BoolArray,
    ByteArray,
    IntArray,
    Strings,
    by_first_appearance,
    codes_of_bytes,
    offsets_of,
    ranges,
)
from corefine.corpus.columns import Entities, Mentions, Pieces, Relation, Tokens
from corefine.corpus.corpus import Corpus
from corefine.errors import MOST_PROBLEMS, FormatError, Location, with_others
from corefine.formats.io.bracket_columns import unbalanced
from corefine.formats.io.brackets import (
    BAR,
    OPEN,
    Cells,
    Runs,
    UnbalancedBracketError,
    find_runs,
    pair,
)
from corefine.formats.io.conllu_lines import (
    BLOCK,
    LAYERS,
    Comment,
    LineReader,
    begun_name,
    comment_of,
    corpus_of_tokens,
    is_number,
)
from corefine.formats.io.conllu_writing import write
from corefine.formats.io.heads import head_words, parent_tokens
from corefine.formats.io.lines import shown
from corefine.formats.io.sources import HEAD, Source
from corefine.formats.io.token_rows import whole_numbers
from corefine.formats.registry import BEGIN, DocumentMark, Format, register

DEFAULT = "eid-etype-head-other"
"""CorefUD's fields, which are assumed in a file without a header."""
MOST_FIELDS, MOST_HEADERS = 64, 64
"""More fields, or different headers in one file, are a mistake: each costs a column."""
ROLES = {"GRP": "eid", "entity": "etype", "MIN": "minspan"}
"""Other names of fields, which are GUM's."""
RELATIONS = {"Bridge": "bridge", "SplitAnte": "split", "Split": "split"}
"""Attributes that relate entities, and the kinds of these relations."""

TYPES = {
    *("abstract", "animal", "event", "object", "organization", "person", "place", "plant"),
    *("substance", "time", "quantity", "date", "money", "percent", "number", "language", "product"),
    *("per", "loc", "org", "gpe", "fac", "veh", "misc", "location", "facility", "other"),
}
"""Types of GUM, of its relatives and of named entities, in lower case."""
_PART = re.compile(r"([^\[\]]+)\[([0-9]{1,9})/([0-9]{1,9})\]")
_NUMBERED = re.compile(r".*\[[^\[\]]*/[^\[\]]*\]")
_TOKEN = re.compile(rb"[0-9]+(?:[.-][0-9]+)?(?:\t[^\t\n]*){9}\r?")
_HEADER = re.compile(rb"^#[ \t]*(?:newdoc|global\.Entity|sent_id|text)\b", re.MULTILINE)
_RESEMBLING = re.compile(r"(?:^|[^\w=.-])entit(?:y|ies|iy)[^\w(]*\(|^\(", re.IGNORECASE | re.ASCII)
"""Attribute that resembles Entity, or has its brackets alone."""
OLD_STYLE = re.compile(rb"(?:\(?[a-z]+-[0-9]+\)?)+")
"""Brackets of files before CorefUD's header was introduced, which have the type first."""
_REMEDY = (
    "Write mentions in the last column of a word: Entity=(e1-person-1- where they open, e1) where "
    f"they close; name the fields of mentions first, as # global.Entity = {DEFAULT}"
)
_PARTS = "Write the parts of a discontinuous mention as e1[1/2], e1[2/2]."
_LINKS = "Write target<source, as in Bridge=e1<e2:part or SplitAnte=e1<e3,e2<e3"
_WORDS = "It must be the position of a word in the mention, counting from 1."


def fields_of(header: str) -> tuple[str, ...] | None:
    """Fields of mentions by a header, in order; None if it is malformed.

    >>> fields_of("entity-GRP-infstat-MIN")
    ('etype', 'eid', 'infstat', 'minspan')
    """
    found = tuple(ROLES.get(name, name) for name in header.split("-"))
    unique = all(found) and len(set(found)) == len(found) <= MOST_FIELDS
    return found if unique and "eid" in found else None


@dataclass(frozen=True, slots=True)
class TokenLocations:
    """Documents and lines of tokens, for errors."""

    documents: Sequence[str]
    offsets: IntArray
    lines: IntArray
    source: Source

    def document(self, token: IntArray) -> IntArray:
        return np.searchsorted(self.offsets, token, side="right") - 1

    def where(self, token: int) -> Location:
        return self.source.where(int(self.lines[token]))


def read(source: Source, layers: frozenset[str] | None = None, block_size: int = BLOCK) -> Corpus:
    """Documents of a source.

    ``layers`` names the token layers to extract, by default all. Ids of sentences and the
    dependencies of empty nodes are always extracted.
    """
    wanted = frozenset(LAYERS) if layers is None else layers
    columns = {name: LAYERS[name] for name in LAYERS if name in {*wanted, "head", "deps"}}
    columns["misc"] = "MISC"
    corpus, comments = corpus_of_tokens(LineReader(source), columns, block_size)
    tokens = corpus.tokens
    assert tokens is not None
    assert tokens.lines is not None
    places = TokenLocations(corpus.documents, tokens.offsets, tokens.lines, source)
    misc = tokens.layers.get("misc") or Strings.blank(len(tokens))
    cells = _entity_cells(misc, places)
    header, known, warnings = _headers(comments, cells, places)
    mentions = EntityMentions.of(_parse(cells, header, known, places), places)
    entities, rows, types = mentions.columns(tokens)
    _refuse_types(entities, rows, places)
    relations, unknown = _relations(_relation_attributes(misc), entities, rows, places)
    if not source.part and not len(cells.token):
        warnings.append(f"{source.name}: no Entity attributes, so there are no mentions")
    return replace(
        corpus,
        entities=entities,
        mentions=rows,
        tokens=_with_layers(tokens, wanted),
        types=types,
        relations=tuple(relations),
        format="conllu",
        warnings=(*warnings, *unknown),
    )


def _refuse_types(entities: Entities, mentions: Mentions, places: TokenLocations) -> None:
    """Refuse a file whose ids of entities are types, as in Coptic Scriptorium."""
    names = entities.names
    if names is None or not len(names) or names[0].lower() not in TYPES:
        return
    if not TYPES.issuperset(map(str.lower, names)):
        return
    token = int(places.offsets[mentions.document[0]] + mentions.start[0])
    raise FormatError(
        f"Entity has types such as {names[0]!r} instead of ids of entities",
        places.where(token),
        "The file does not say which mentions corefer, so it cannot be scored.",
    )


def _with_layers(tokens: Tokens, wanted: frozenset[str]) -> Tokens:
    """Tokens with these layers; if dependencies are not wanted, those of empty nodes are kept."""
    layers = {
        name: column
        for name, column in tokens.layers.items()
        if name not in LAYERS.keys() | {"misc"} or name in wanted
    }
    deps = tokens.layers.get("deps")
    if "deps" not in wanted and deps is not None and tokens.empty is not None:
        starts, stops = deps.offsets[:-1], deps.offsets[1:]
        layers["deps"] = Strings.cut(deps.data, starts, np.where(tokens.empty, stops, starts))
    return replace(tokens, layers=layers)


def _entity_cells(misc: Strings, places: TokenLocations) -> Cells:
    """Values of the attribute Entity in the last column."""
    text, bounds = misc.block, misc.offsets - misc.offsets[0]
    starts = _places(text, b"Entity=")
    rows = np.searchsorted(bounds, starts, side="right") - 1
    whole = (starts == bounds[rows]) | (text[starts - 1] == BAR)
    starts, rows = starts[whole] + len(b"Entity="), rows[whole]
    bars = np.append(np.flatnonzero(text == BAR), len(text))
    stops = np.minimum(bars[np.searchsorted(bars, starts)], bounds[rows + 1])
    faulty = rows[np.diff(rows, prepend=-1) == 0].tolist()
    # Words may have any brackets, but those of other attributes may be misspelled mentions.
    signs = np.flatnonzero(text == OPEN)
    others = signs[signs >= np.append(0, stops)[np.searchsorted(starts, signs, side="right")]]
    for row in np.unique(np.searchsorted(bounds, others, side="right") - 1).tolist():
        attributes = [one for one in misc[row].split("|") if not one.startswith("Entity=")]
        faulty += [row] if any(map(_RESEMBLING.search, attributes)) else []
    if faulty:
        message = "Entity twice, with a bar, or not an attribute of its own"
        raise FormatError(message, places.where(min(faulty)), _REMEDY)
    lengths = stops - starts + 1
    cells = np.append(text, np.uint8(BAR))[ranges(starts, lengths)]
    cells[np.cumsum(lengths) - 1] = BAR
    return Cells(cells, lengths, rows)


def _places(block: ByteArray, text: bytes) -> IntArray:
    """Places of a text in a block."""
    starts = np.flatnonzero(block[len(text) - 1 :] == text[-1])
    for place, letter in enumerate(text[:-1]):
        starts = starts[block[starts + place] == letter]
    return starts


def _relation_attributes(misc: Strings) -> list[tuple[int, str, str]]:
    """Tokens, names and values of attributes that relate entities."""
    places = np.concatenate([_places(misc.block, f"{name}=".encode()) for name in RELATIONS])
    rows = np.unique(np.searchsorted(misc.offsets, places + misc.offsets[0], side="right") - 1)
    return [
        (row, name, value)
        for row, cell in zip(rows.tolist(), misc.take(rows), strict=True)
        for name, _, value in (attribute.partition("=") for attribute in cell.split("|"))
        if name in RELATIONS
    ]


def _headers(
    comments: Sequence[Comment], cells: Cells, places: TokenLocations
) -> tuple[IntArray, list[tuple[str, ...]], list[str]]:
    """The header of each cell, the distinct headers, and a warning if one is assumed."""
    source = places.source
    given = [one for one in comments if one.name == "global.Entity"]
    if source.carried:
        given.insert(0, Comment(0, 0, "", comment_of(source.carried)[1]))
    warnings = []
    unheaded = int(np.searchsorted(cells.token, given[0].token if given else len(places.lines)))
    if unheaded:
        contents = cells.contents()[:unheaded]
        old = all(OLD_STYLE.fullmatch(content) for content in contents)
        assumed = "etype-eid" if old else DEFAULT
        given.insert(0, Comment(0, 0, "", assumed))
        warnings.append(
            f"{places.where(int(cells.token[0]))}: Entity without a preceding "
            f"'# global.Entity = …'; assumed to be {assumed}"
        )
    numbers: dict[tuple[str, ...], int] = {}
    codes = []
    for one in given:
        found = fields_of(one.value)
        if found is None or len(numbers) == MOST_HEADERS:
            where = source.where(one.line or None)
            without = not {"eid", "GRP"} & set(one.value.split("-"))
            what = "names no field 'eid', the entity of a mention" if without else "is malformed"
            raise FormatError(f"the header {shown(one.value)!r} {what}", where, _REMEDY)
        codes.append(numbers.setdefault(found, len(numbers)))
    applies = np.searchsorted([one.token for one in given], cells.token, side="right") - 1
    return np.array(codes, np.int64)[applies], list(numbers), warnings


@dataclass(frozen=True, slots=True)
class Brackets:
    """Pairs of brackets in the order in which they open."""

    text: ByteArray
    document: IntArray
    name: tuple[IntArray, IntArray]
    """Start and stop of the entity's id in the text."""
    fields: dict[str, tuple[IntArray, IntArray]]
    """Start and stop of each field in the text, by name; without ``eid``."""
    headless: BoolArray
    """Brackets under a header without the field ``head``."""
    start: IntArray
    stop: IntArray
    """Tokens of the corpus."""

    def strings(self, bounds: tuple[IntArray, IntArray]) -> Strings:
        return Strings.cut(self.text, *bounds)


def _parse(
    cells: Cells, header: IntArray, headers: Sequence[tuple[str, ...]], places: TokenLocations
) -> Brackets:
    """Pairs of brackets in all cells; ``header`` is the number of each cell's header."""
    runs, malformed = find_runs(cells)
    text, token = cells.text, runs.token
    cell_of = np.searchsorted(cells.token, token)
    header = header[cell_of]
    parts = _Fields.of(text, runs)
    start, stop = runs.start.copy(), runs.stop.copy()
    # A closing bracket may have the id alone.
    whole = runs.closes & ~runs.opens & (parts.count == 0)
    for number, known in enumerate(headers):
        rows = np.flatnonzero((header == number) & ~whole)
        start[rows], stop[rows] = parts.bounds(rows, known.index("eid"))
    malformed += cell_of[(stop <= start) | ~(runs.opens | runs.closes)].tolist()
    if malformed:
        content = shown(cells.contents()[min(malformed)].decode())
        where = places.where(int(cells.token[min(malformed)]))
        raise FormatError(f"malformed Entity {content!r}", where, _REMEDY)
    document = places.document(token)
    codes = codes_of_bytes(text, start, stop - start)
    groups = document * (int(codes.max(initial=0)) + 1) + codes
    try:
        opening, closing = pair(groups, runs.opens, runs.closes)
    except UnbalancedBracketError as error:
        problems = []
        for run in error.runs[:MOST_PROBLEMS]:
            entity = shown(text[start[run] : stop[run]])
            where, name = places.where(int(token[run])), places.documents[document[run]]
            problems.append(unbalanced(entity, bool(runs.opens[run]), name, where, f"({entity}-…"))
        raise with_others(problems) from None
    found: dict[str, tuple[IntArray, IntArray]] = {}
    header = header[opening]
    for number, known in enumerate(headers):
        rows = np.flatnonzero(header == number)
        for place, name in enumerate(known):
            if name != "eid" and len(rows):
                blank = runs.stop[opening]
                begins, ends = found.setdefault(name, (blank.copy(), blank.copy()))
                last = place == len(known) - 1
                begins[rows], ends[rows] = parts.bounds(opening[rows], place, last)
    headless = np.array(["head" not in known for known in headers], bool)[header]
    owner, name = document[opening], (start[opening], stop[opening])
    span = token[opening], token[closing] + 1
    return Brackets(text, owner, name, found, headless, *span)


@dataclass(frozen=True, slots=True)
class _Fields:
    """Parts of brackets between hyphens."""

    start: IntArray
    stop: IntArray
    hyphens: IntArray
    first: IntArray
    """First hyphen of each bracket."""
    count: IntArray

    @classmethod
    def of(cls, text: ByteArray, runs: Runs) -> Self:
        hyphens = np.flatnonzero(text == ord("-"))
        first = np.searchsorted(hyphens, runs.start)
        count = np.searchsorted(hyphens, runs.stop) - first
        return cls(runs.start, runs.stop, np.append(hyphens, len(text)), first, count)

    def bounds(self, rows: IntArray, place: int, last: bool = False) -> tuple[IntArray, IntArray]:
        """Start and stop of a field in some brackets; empty if missing, the last has the rest."""
        first, count = self.first[rows], self.count[rows]
        start, stop = self.start[rows], self.stop[rows]
        if place:
            there = count >= place
            start = np.where(there, self.hyphens[np.where(there, first + place - 1, 0)] + 1, stop)
        ended = (count > place) & ~last
        return start, np.where(ended, self.hyphens[np.where(ended, first + place, 0)], stop)


def _types(brackets: Brackets, entity: IntArray) -> tuple[tuple[str, ...], IntArray | None]:
    """Names of types, and the type of each mention: its own, else the first of its entity."""
    start, stop = brackets.fields.get("etype", (entity, entity))
    given = np.flatnonzero(stop > start)
    if not len(given):
        return (), None
    names, own = brackets.strings((start[given], stop[given])).distinct()
    of_entity = np.full(int(entity.max()) + 1, -1)
    of_entity[entity[given][::-1]] = own[::-1]
    types = of_entity[entity]
    types[given] = own
    return tuple(names), types


@dataclass(frozen=True, slots=True)
class MentionParts:
    """Continuous parts of mentions, ordered by mention and place, as tokens of the corpus."""

    mention: IntArray
    start: IntArray
    stop: IntArray

    def word_at(self, mentions: IntArray, number: IntArray) -> IntArray:
        """Words of mentions with these numbers, from 1, as tokens; -1 if missing."""
        words = offsets_of(self.stop - self.start)
        first_part = offsets_of(np.bincount(self.mention))
        wanted = words[first_part[mentions]] + number - 1
        there = (number >= 1) & (wanted < words[first_part[mentions + 1]])
        wanted = np.where(there, wanted, 0)
        part = np.searchsorted(words, wanted, side="right") - 1
        return np.where(there, self.start[part] + wanted - words[part], -1)

    def pieces(self, base: IntArray) -> Pieces | None:
        """Parts of the mentions that have several; tokens are counted from the bases."""
        if len(self.mention) == len(base):
            return None
        several = (np.bincount(self.mention) > 1)[self.mention]
        mention = self.mention[several]
        return Pieces(
            mention, self.start[several] - base[mention], self.stop[several] - base[mention]
        )


def _merged(mention: IntArray, start: IntArray, stop: IntArray) -> MentionParts:
    """Parts in which those that touch are one: a mention is its words."""
    apart = np.ones(len(mention), bool)
    apart[1:] = (mention[1:] != mention[:-1]) | (start[1:] != stop[:-1])
    last = np.append(np.flatnonzero(apart)[1:], len(mention)) - 1
    return MentionParts(mention[apart], start[apart], stop[last])


@dataclass(frozen=True, slots=True)
class EntityMentions:
    """Mentions: one pair of brackets each, in which the parts of discontinuous ones are joined."""

    brackets: Brackets
    parts: MentionParts
    places: TokenLocations

    @classmethod
    def of(cls, brackets: Brackets, places: TokenLocations) -> Self:
        """Mentions of brackets, of which those named such as ``e1[1/2]`` are parts."""
        start, stop, (name_start, name_stop) = brackets.start, brackets.stop, brackets.name
        rows = np.arange(len(start))
        found = np.flatnonzero(brackets.text[name_stop - 1] == ord("]"))
        names = brackets.strings((name_start[found], name_stop[found])).tolist()
        first_of, entities = _first_parts(
            dict(zip(found.tolist(), names, strict=True)), brackets, places
        )
        if not first_of:
            return cls(brackets, MentionParts(rows, start, stop), places)
        name_stop, stop = name_stop.copy(), stop.copy()
        is_first = np.ones(len(rows), bool)
        is_first[[row for row, first in first_of.items() if row != first]] = False
        mention = np.cumsum(is_first) - 1
        parts: list[tuple[int, int, int]] = []
        for row, first in first_of.items():
            name_stop[row] = name_start[row] + len(entities[row].encode())
            parts.append((int(mention[first]), int(start[row]), int(stop[row])))
            stop[first] = stop[row]
            for low, high in brackets.fields.values():
                if high[first] <= low[first]:
                    low[first], high[first] = low[row], high[row]
        kept = np.flatnonzero(is_first)
        joined = Brackets(
            brackets.text,
            brackets.document[kept],
            (name_start[kept], name_stop[kept]),
            {name: (low[kept], high[kept]) for name, (low, high) in brackets.fields.items()},
            brackets.headless[kept],
            start[kept],
            stop[kept],
        )
        whole = np.setdiff1d(rows, list(first_of))
        listed = np.concatenate(
            [
                np.stack([mention[whole], brackets.start[whole], brackets.stop[whole]]),
                np.array(parts).T,
            ],
            axis=1,
        )
        return cls(joined, _merged(*listed[:, np.lexsort(listed[1::-1])]), places)

    def heads(self, tokens: Tokens) -> IntArray | None:
        """Head of each mention as a token of the corpus; None if heads are unknown.

        It is the word that the field ``head`` names, and the first word if that is empty. If the
        header has no such field, it is found in the dependency tree.
        """
        brackets, parts = self.brackets, self.parts
        heads = brackets.start.copy()
        if brackets.headless.any():
            column, empty = tokens.layers.get("head"), tokens.empty
            parents = np.full(len(tokens), -1)
            if column is not None:
                parents = whole_numbers(column.data, column.offsets[:-1], column.offsets[1:])
            if brackets.headless.all() and empty is None and (parents < 0).all():
                return None
            above = parent_tokens(parents, tokens.sentences, empty)
            found = head_words(above, empty, parts.mention, parts.start, parts.stop, len(heads))
            heads[brackets.headless] = found[brackets.headless]
        if "head" in brackets.fields:
            start, stop = brackets.fields["head"]
            given = np.flatnonzero(stop > start)
            number = whole_numbers(brackets.text, start[given], stop[given])
            found = parts.word_at(given, number)
            if (found < 0).any():
                raise self._not_a_word("head", int(given[np.argmax(found < 0)]))
            heads[given] = found
        return heads

    def minimum(self) -> tuple[tuple[IntArray, IntArray] | None, Strings | None]:
        """Minimum spans as tokens of the corpus, and the values that are not a run of words.

        ``2,3`` are the second and third word; of ``1,4`` the span is that from the first to the
        fourth.
        """
        brackets = self.brackets
        start, stop = brackets.fields.get("minspan", (brackets.start, brackets.start))
        given = np.flatnonzero(stop > start)
        if not len(given):
            return None, None
        texts, codes = brackets.strings((start[given], stop[given])).distinct()
        words = [[int(w) if is_number(w) else 0 for w in text.split(",")] for text in texts]
        low, high = (
            self.parts.word_at(given, np.array([edge(found) for found in words])[codes])
            for edge in (min, max)
        )
        wrong = (low < 0) | (high < 0)
        if wrong.any():
            raise self._not_a_word("minspan", int(given[np.argmax(wrong)]))
        lowest, highest = np.full(len(start), -1), np.full(len(start), -1)
        lowest[given], highest[given] = low, high + 1
        even = np.array([found == list(range(found[0], found[0] + len(found))) for found in words])
        rest = start.copy()
        rest[given] = np.where(even[codes], stop[given], start[given])
        return (lowest, highest), None if even.all() else brackets.strings((rest, stop))

    def columns(self, tokens: Tokens) -> tuple[Entities, Mentions, tuple[str, ...]]:
        """Entities, mentions and the names of semantic types."""
        brackets = self.brackets
        low, high = brackets.name
        names = codes_of_bytes(brackets.text, low, high - low)
        groups = brackets.document * (int(names.max(initial=0)) + 1) + names
        entity, first = by_first_appearance(groups)
        types, type_of = _types(brackets, entity)
        minimum, uneven = self.minimum()
        attributes = {
            name: brackets.strings(bounds)
            for name, bounds in brackets.fields.items()
            if name not in ("etype", "head", "minspan")
        }
        if uneven is not None:
            attributes["minspan"] = uneven
        heads = self.heads(tokens)
        base = self.places.offsets[brackets.document]
        mentions = Mentions(
            brackets.document,
            entity,
            brackets.start - base,
            brackets.stop - base,
            head=None if heads is None else heads - base,
            type=type_of,
            pieces=self.parts.pieces(base),
            minimum=None if minimum is None else (minimum[0] - base, minimum[1] - base),
            attributes={name: column for name, column in attributes.items() if len(column.data)},
        )
        entities = Entities(brackets.document[first], brackets.strings((low[first], high[first])))
        return entities, mentions, types

    def _not_a_word(self, field: str, mention: int) -> FormatError:
        start, stop = self.brackets.fields[field]
        value = shown(self.brackets.text[start[mention] : stop[mention]])
        where = self.places.where(int(self.brackets.start[mention]))
        return FormatError(f"the {field} {value!r} is not a word of its mention", where, _WORDS)


def _first_parts(
    names: dict[int, str], brackets: Brackets, places: TokenLocations
) -> tuple[dict[int, int], dict[int, str]]:
    """For the row of each part of a mention the row of its first part, and the entity's id.

    Part k of n continues a mention of the same entity that has k - 1 of n parts; of several the
    one whose last part opened last, as brackets close.
    """
    first_of: dict[int, int] = {}
    entities: dict[int, str] = {}
    waiting: dict[tuple[int, str, int, int], list[int]] = {}
    """Rows of the last part so far, by document, entity, number of parts and of the next."""
    for row, name in names.items():
        found = _PART.fullmatch(name)
        if found is None:
            if _NUMBERED.fullmatch(name):
                raise _parts_error(row, name, brackets, places)
            continue
        number, total = int(found[2]), int(found[3])
        owner = (int(brackets.document[row]), found[1], total)
        before = waiting[*owner, number].pop() if waiting.get((*owner, number)) else None
        overlaps = before is not None and brackets.stop[before] > brackets.start[row]
        if not 1 <= number <= total or (number > 1 and before is None) or overlaps:
            raise _parts_error(row, name, brackets, places)
        entities[row], first_of[row] = found[1], row if before is None else first_of[before]
        if number < total:
            waiting.setdefault((*owner, number + 1), []).append(row)
    left = [first_of[row] for rows in waiting.values() for row in rows]
    if left:
        raise _parts_error(min(left), names[min(left)], brackets, places)
    return first_of, entities


def _parts_error(row: int, name: str, brackets: Brackets, places: TokenLocations) -> FormatError:
    message = f"{shown(name)!r}: the parts of a mention are incomplete, or overlap"
    return FormatError(message, places.where(int(brackets.start[row])), _PARTS)


def _relations(
    attributes: Sequence[tuple[int, str, str]],
    entities: Entities,
    mentions: Mentions,
    places: TokenLocations,
) -> tuple[list[Relation], list[str]]:
    """Relations, and a warning if they name entities without mentions.

    In ``Bridge=e1<e2:part`` e2 bridges to e1, in ``SplitAnte=e1<e3,e2<e3`` e3 consists of e1 and
    e2. A bridging anaphor is the mention of its entity that starts at the attribute's token.
    """
    if not attributes:
        return [], []
    assert entities.names is not None
    names = entities.names.take(mentions.entity).tolist()
    columns = (mentions.document, mentions.start, mentions.stop)
    spans = {
        (document, name, start): (start, stop)
        for name, document, start, stop in zip(names, *(c.tolist() for c in columns), strict=True)
    }
    known = {(document, name) for document, name, _ in spans}
    relations: list[Relation] = []
    missing: list[tuple[int, str]] = []
    for token, attribute, value in attributes:
        document = int(places.document(np.array(token)))
        start = token - int(places.offsets[document])
        for link in value.split(","):
            target, arrow, rest = link.partition("<")
            origin, _, label = rest.partition(":")
            if not (target and arrow and origin):
                message = f"malformed {attribute} {shown(link)!r}"
                raise FormatError(message, places.where(token), _LINKS)
            kind = RELATIONS[attribute]
            anaphor = spans.get((document, origin, start)) if kind == "bridge" else None
            relations.append(Relation(kind, document, origin, target, label, anaphor))
            missing += [(token, name) for name in (origin, target) if (document, name) not in known]
    if not missing:
        return relations, []
    token, name = missing[0]
    what = f"Bridge or SplitAnte with entity {shown(name)!r}, which has no mention in its document"
    more = f" ({len(missing):,} such ends of relations in all)" if len(missing) > 1 else ""
    return relations, [f"{places.where(token)}: {what}{more}"]


def detect(head: bytes, name: str) -> bool:
    """True if every line but comments has a number, counted from 1, and ten columns."""
    if BEGIN.search(head):
        return False
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if len(head) >= HEAD:
        lines.pop()
    tokens = [line for line in lines if line[:1] != b"#" and line.strip()][:100]
    first = tokens[0] if tokens else b""
    return first.startswith((b"1\t", b"1-", b"0.")) and all(map(_TOKEN.fullmatch, tokens))


def is_meant(head: bytes, name: str) -> bool:
    """True for files with the suffix or the header of CoNLL-U, whose lines are faulty."""
    usual = name.removesuffix(".gz").endswith(CONLLU.suffixes)
    return not BEGIN.search(head) and (usual or _HEADER.search(head) is not None)


CONLLU = register(
    Format(
        name="conllu",
        title="CoNLL-U with CorefUD's Entity",
        suffixes=(".conllu",),
        detect=detect,
        read_columns=read,
        write=write,
        document_mark=DocumentMark(
            ord("#"),
            begun_name,
            carried=lambda line: comment_of(line)[0] == "global.Entity",
            frequent=(b"# sent_id", b"# text"),
        ),
    )
)
