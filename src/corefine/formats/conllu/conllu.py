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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from corefine.corpus.arrays import (
    BoolArray,
    ByteArray,
    IntArray,
    by_first_appearance,
    offsets_of,
    ranges,
)
from corefine.corpus.columns import Entities, Mentions, Pieces, Relation, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings, codes_of_bytes
from corefine.errors import MOST_PROBLEMS, FormatError, Location, with_others
from corefine.formats.columns.bracket_columns import unbalanced
from corefine.formats.columns.brackets import (
    BAR,
    OPEN,
    Cells,
    Runs,
    UnbalancedBracketError,
    find_runs,
    pair,
)
from corefine.formats.columns.heads import head_words, parent_tokens
from corefine.formats.columns.token_rows import (
    TokenRows,
    document_lines,
    first_tokens,
    joined_layers,
    sentence_starts,
    whole_numbers,
)
from corefine.formats.conllu.lines import (
    BLOCK,
    COLUMNS,
    LAYERS,
    Comment,
    LineReader,
    TokenLines,
    begun_name,
    comment_of,
    document_names,
    is_number,
)
from corefine.formats.conllu.writing import write
from corefine.formats.input.lines import shown
from corefine.formats.input.sources import HEAD, Source
from corefine.formats.registry import BEGIN, Capabilities, DocumentMark, Format, register

DEFAULT = "eid-etype-head-other"
"""CorefUD's fields, which are assumed in a file without a header."""
MOST_FIELDS, MOST_HEADERS = 64, 64
"""More fields, or different headers in one file, are a mistake: each costs a column."""
ROLES = {"GRP": "eid", "entity": "etype", "MIN": "minspan"}
"""Other names of fields, which are GUM's."""
FIELDS_WITH_A_ROLE = {"eid", "etype", "head", "minspan", *ROLES}
RELATIONS = {"Bridge": "bridge", "SplitAnte": "split", "Split": "split"}
"""Attributes that relate entities, and the kinds of these relations."""
PLACES = {name: place for place, name in enumerate(COLUMNS)}
MISC = PLACES["MISC"]

_PART = re.compile(r"([^\[\]]+)\[([^\[\]/]*)/([^\[\]/]*)\]")
_MISPLACED = re.compile(r"(?:^|[^\w=.-])entit(?:y|ies|iy)[^\w(]*\(", re.IGNORECASE | re.ASCII)
"""Attribute that resembles Entity, with a bracket."""
_TOKEN = re.compile(rb"[0-9]+(?:[.-][0-9]+)?(?:\t[^\t\n]*){9}\r?")
_HEADER = re.compile(rb"^#[ \t]*(?:newdoc|global\.Entity|sent_id|text)\b", re.MULTILINE)
_BARE = re.compile(r"\([^\s()|=-]+-", re.ASCII)
_OLD_STYLE = re.compile(rb"(?:\(?[a-z]+-[0-9]+\)?)+")
"""Brackets of files before CorefUD's header was introduced, which have the type first."""
_RELATION = re.compile(rb"Bridge=|Split(?:Ante)?=")
_SAMPLE = "An Entity consists of brackets such as (e1-person-1-  e1)  or  (e2-place-1-)"


@dataclass(frozen=True)
class Header:
    """The fields of a mention, in order: ``eid``, ``etype``, ``head``, ``minspan``, and others."""

    fields: tuple[str, ...]


def header_of(text: str, where: Location | None = None) -> Header:
    """Header from a comment.

    >>> header_of("entity-GRP-infstat-MIN").fields
    ('etype', 'eid', 'infstat', 'minspan')
    """
    fields = tuple(ROLES.get(name, name) for name in text.split("-"))
    problem = None
    if "eid" not in fields:
        problem = "has no attribute eid (or GRP)"
    elif not all(fields):
        problem = "has an attribute without a name"
    elif len(set(fields)) < len(fields):
        problem = "has an attribute twice"
    elif len(fields) > MOST_FIELDS:
        problem = f"has {len(fields):,} attributes"
    if problem is not None:
        raise FormatError(
            f"the header {shown(text)!r} {problem}",
            where,
            f"Name the mention attributes as in CorefUD: # global.Entity = {DEFAULT}",
        )
    return Header(fields)


@dataclass(frozen=True, slots=True)
class ConlluRows(TokenRows):
    """Columns of a block of lines with the attribute Entity."""

    nodes: IntArray
    """Number of each empty node after its word; 0 for words."""
    parents: IntArray
    """The column HEAD as numbers; -1 if it has none, or if headers give heads of mentions."""
    comments: list[Comment]
    cells: Cells
    """Values of the attribute Entity."""
    relations: list[tuple[int, int, str, str]]
    """Token, line, attribute and value of relations."""


def read(source: Source, layers: frozenset[str] | None = None, block_size: int = BLOCK) -> Corpus:
    """Documents of a source.

    ``layers`` names the token layers to extract, by default all. Ids of sentences and the
    dependencies of empty nodes are always extracted.
    """
    wanted = frozenset(LAYERS) if layers is None else layers
    reader = LineReader(source, PLACES)
    headers = [comment_of(source.carried)[1]] if source.carried else []
    blocks = []
    for tokens in reader.blocks(block_size):
        headers += [one.value for one in tokens.comments if one.name == "global.Entity"]
        headed = bool(headers) and all("head" in header.split("-") for header in headers)
        blocks.append(_rows_of(reader, tokens, wanted, headed))
    if not any(len(rows.lines) or rows.marks for rows in blocks):
        raise FormatError(
            "the file has no documents", source.where(), "Check that this is the right file."
        )
    return _assemble(source, blocks)


def _rows_of(
    reader: LineReader, tokens: TokenLines, wanted: frozenset[str], headed: bool
) -> ConlluRows:
    block = tokens.grid.block
    layers = {}
    for name, column in LAYERS.items():
        if name in wanted:
            starts, stops = tokens.bounds(PLACES[column])
            if (stops - starts != 1).any() or (block[starts] != ord("_")).any():
                layers[name] = Strings.cut(block, starts, stops)
        elif name == "deps":
            # Zeros are matched by their dependencies.
            starts, stops = tokens.bounds(PLACES[column])
            layers[name] = Strings.cut(block, starts, np.where(tokens.nodes > 0, stops, starts))
    cells = _entity_cells(reader, tokens)
    return ConlluRows(
        tokens.lines,
        tokens.column(PLACES["FORM"]),
        layers,
        tokens.breaks,
        tokens.marks,
        tokens.nodes,
        np.full(len(tokens), -1)
        if headed
        else whole_numbers(block, *tokens.bounds(PLACES["HEAD"])),
        tokens.comments,
        cells,
        _relation_attributes(tokens),
    )


def _entity_cells(reader: LineReader, tokens: TokenLines) -> Cells:
    """Values of the attribute Entity in the last column."""
    block = tokens.grid.block
    misc, line_stops = tokens.bounds(MISC)
    equals = np.flatnonzero(block == ord("="))
    for back, letter in enumerate(b"ytitnE", start=1):
        equals = equals[block[equals - back] == letter]
    rows = np.searchsorted(line_stops, equals)
    equals, rows = equals[rows < len(misc)], rows[rows < len(misc)]
    begins = equals - len("Entity")
    inside = begins >= misc[rows]
    inside[inside] = (begins == misc[rows])[inside] | (block[begins[inside] - 1] == BAR)
    starts, rows = equals[inside] + 1, rows[inside]
    bars = np.append(np.flatnonzero(block == BAR), len(block))
    stops = np.minimum(bars[np.searchsorted(bars, starts)], line_stops[rows])

    def refuse(wrong: BoolArray, message: str, remedy: str) -> None:
        if wrong.any():
            line = int(tokens.lines[rows[np.argmax(wrong)]])
            raise FormatError(message, reader.source.where(line), remedy)

    refuse(
        np.diff(rows, prepend=-1) == 0,
        "two Entity attributes on one line",
        "Combine them: Entity=(e1-person-1-)(e2-place-1-)",
    )
    refuse(
        (block[stops] == BAR) & (block[np.minimum(stops + 1, len(block) - 1)] == OPEN),
        "a bar between the brackets of Entity",
        "Write them side by side: Entity=(e1-person-1-)(e2-place-1-)",
    )
    _check_misplaced(reader, tokens, starts, stops)
    lengths = stops - starts + 1
    text = block[ranges(starts, lengths)]
    text[np.cumsum(lengths) - 1] = BAR
    return Cells(text, lengths, rows)


def _check_misplaced(
    reader: LineReader, tokens: TokenLines, starts: IntArray, stops: IntArray
) -> None:
    """Refuse brackets that are meant to be those of Entity outside the values found.

    Words, lemmas and comments may have any brackets.
    """
    grid = tokens.grid
    for line in tokens.multiword.tolist():
        if b"Entity=" in grid.line(line):
            raise reader.refuse(
                "Entity on a multiword token",
                line,
                "Mentions consist of words: put the attribute on the words of this token.",
            )
    signs = np.flatnonzero(grid.block == OPEN)
    value = np.searchsorted(starts, signs, side="right") - 1
    if len(starts):
        signs = signs[(value < 0) | (signs >= stops[value])]
    line_stops, texts = tokens.bounds(MISC)[1], tokens.bounds(PLACES["LEMMA"])[1]
    rows = np.searchsorted(line_stops, signs)
    signs, rows = signs[rows < len(texts)], rows[rows < len(texts)]
    for row in np.unique(rows[signs > texts[rows]]).tolist():
        cells = grid.block[texts[row] + 1 : line_stops[row]].tobytes().decode()
        others, _, last = cells.rpartition("\t")
        attributes = [each for each in last.split("|") if not each.startswith("Entity=")]
        if any(map(_BARE.match, attributes)) or any(
            map(_MISPLACED.search, (*attributes, *re.split(r"[\t|]", others)))
        ):
            raise FormatError(
                "the attribute Entity where it is not read",
                reader.source.where(int(tokens.lines[row])),
                "Write Entity=(e1-person-1-) in the last column, between bars or alone.",
            )


def _relation_attributes(tokens: TokenLines) -> list[tuple[int, int, str, str]]:
    """Attributes that relate entities: token, line, name and value."""
    content = tokens.grid.block.tobytes()
    if b"Bridge=" not in content and b"Split" not in content:
        return []
    misc, line_stops = tokens.bounds(MISC)
    places = np.array([found.start() for found in _RELATION.finditer(content)], np.int64)
    rows = np.searchsorted(line_stops, places)
    places, rows = places[rows < len(misc)], rows[rows < len(misc)]
    chosen = np.unique(rows[places >= misc[rows]])
    return [
        (row, int(tokens.lines[row]), name, value)
        for row, cell in zip(chosen.tolist(), tokens.texts(MISC, chosen), strict=True)
        for name, _, value in (attribute.partition("=") for attribute in cell.split("|"))
        if name in RELATIONS
    ]


def _assemble(source: Source, blocks: Sequence[ConlluRows]) -> Corpus:
    lines = np.concatenate([rows.lines for rows in blocks])
    marks = document_lines(blocks)
    names = document_names(source, marks, lines)
    offsets = np.array([*(mark.token for mark in marks), len(lines)] if marks else [0, len(lines)])
    sentences = sentence_starts(blocks, offsets)
    based = list(zip(blocks, first_tokens(blocks), strict=True))
    headers = [
        (one.token + base, one.line, one.value)
        for rows, base in based
        for one in rows.comments
        if one.name == "global.Entity"
    ]
    nodes = np.concatenate([rows.nodes for rows in blocks])
    empty = nodes > 0 if nodes.any() else None
    cells = Cells.concatenate([rows.cells for rows in blocks], [base for _, base in based])
    places = TokenLocations(names, offsets, lines, source)
    header, known, warnings = _headers(headers, cells, places)
    parsed = _parse(cells, header, known, places)
    parents = np.concatenate([rows.parents for rows in blocks])
    entities, mentions, types = _columns(parsed, places, parents, sentences, empty)
    relations, unknown = _relations(
        [
            (token + base, line, name, value)
            for rows, base in based
            for token, line, name, value in rows.relations
        ],
        entities,
        mentions,
        places,
    )
    if not source.part and not len(cells.token):
        warnings.append(f"{source.name}: no Entity attributes, so there are no mentions")
    layers = joined_layers(blocks, b"_", b"_")
    ids = _sentence_ids(blocks, sentences, len(lines))
    if ids is not None:
        layers["sent_id"] = ids
    if empty is not None and (np.diff(nodes, prepend=0) > 1).any():
        layers["node"] = Strings.from_list([str(node) if node else "" for node in nodes.tolist()])
    words = Strings.concatenate([rows.words for rows in blocks])
    return Corpus(
        documents=tuple(names),
        entities=entities,
        mentions=mentions,
        tokens=Tokens(words, offsets, sentences, layers, empty, lines),
        types=types,
        relations=tuple(relations),
        sources=(source.name,) * len(names),
        format="conllu",
        warnings=(*warnings, *unknown),
    )


def _sentence_ids(blocks: Sequence[ConlluRows], sentences: IntArray, count: int) -> Strings | None:
    """The id of each sentence at its first token; the last one if it has several."""
    ids = {
        one.token + base: one.value
        for rows, base in zip(blocks, first_tokens(blocks), strict=True)
        for one in rows.comments
        if one.name == "sent_id" and one.value
    }
    known = sorted(ids.keys() & set(sentences.tolist()))
    if not known:
        return None
    values = Strings.from_list([ids[token] for token in known])
    lengths = np.zeros(count, np.int64)
    lengths[known] = values.lengths
    return Strings(values.data, offsets_of(lengths))


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


def _headers(
    given: Sequence[tuple[int, int, str]], cells: Cells, places: TokenLocations
) -> tuple[IntArray, list[Header], list[str]]:
    """The header of each cell, the distinct headers, and a warning if one is assumed."""
    source = places.source
    numbers: dict[Header, int] = {}
    begins, codes = [], []
    if source.carried:
        header = header_of(comment_of(source.carried)[1], source.where())
        begins.append(0)
        codes.append(numbers.setdefault(header, len(numbers)))
    for token, line, text in given:
        header = header_of(text, source.where(line))
        begins.append(token)
        codes.append(numbers.setdefault(header, len(numbers)))
        if len(numbers) > MOST_HEADERS:
            raise FormatError(
                f"more than {MOST_HEADERS} different headers in one file",
                source.where(line),
                f"Use one for all documents, such as # global.Entity = {DEFAULT}",
            )
    warnings = []
    unheaded = int(np.searchsorted(cells.token, begins[0] if begins else len(places.lines)))
    if unheaded:
        contents = cells.contents()[:unheaded]
        old = all(_OLD_STYLE.fullmatch(content) for content in contents)
        text = "etype-eid" if old else DEFAULT
        begins.insert(0, 0)
        codes.insert(0, numbers.setdefault(header_of(text), len(numbers)))
        warnings.append(
            f"{places.where(int(cells.token[0]))}: Entity without a preceding "
            f"'# global.Entity = …'; assumed to be {text}"
        )
    if not begins:
        return np.zeros(0, np.int64), [], []
    applies = np.searchsorted(begins, cells.token, side="right") - 1
    return np.array(codes)[applies], list(numbers), warnings


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
    cells: Cells, header: IntArray, headers: Sequence[Header], places: TokenLocations
) -> Brackets:
    """Pairs of brackets in all cells; ``header`` is the number of each cell's header."""
    runs, malformed = find_runs(cells)
    bare = np.flatnonzero(~(runs.opens | runs.closes))
    malformed += np.searchsorted(cells.token, runs.token[bare]).tolist()
    if malformed:
        cell = min(malformed)
        raise FormatError(
            f"malformed Entity {shown(cells.contents()[cell].decode())!r}",
            places.where(int(cells.token[cell])),
            _SAMPLE,
        )
    text, token = cells.text, runs.token
    header = header[np.searchsorted(cells.token, token)]
    fields = _Fields.of(text, runs)
    start, stop = runs.start.copy(), runs.stop.copy()
    # A closing bracket may have the id alone.
    whole = runs.closes & ~runs.opens & (fields.count == 0)
    for number, known in enumerate(headers):
        rows = np.flatnonzero((header == number) & ~whole)
        start[rows], stop[rows] = fields.bounds(rows, known.fields.index("eid"))
    if (stop <= start).any():
        run = int(np.argmax(stop <= start))
        content = cells.contents()[int(np.searchsorted(cells.token, token[run]))].decode()
        raise FormatError(
            f"a bracket without an entity id in {shown(content)!r}",
            places.where(int(token[run])),
            _SAMPLE,
        )
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
        for place, name in enumerate(known.fields):
            if name != "eid" and len(rows):
                blank = runs.stop[opening]
                begins, ends = found.setdefault(name, (blank.copy(), blank.copy()))
                last = place == len(known.fields) - 1
                begins[rows], ends[rows] = fields.bounds(opening[rows], place, last)
    headless = np.array(["head" not in known.fields for known in headers], bool)
    return Brackets(
        text,
        document[opening],
        (start[opening], stop[opening]),
        found,
        headless[header],
        token[opening],
        token[closing] + 1,
    )


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


def _columns(
    brackets: Brackets,
    places: TokenLocations,
    parents: IntArray,
    sentences: IntArray,
    empty: BoolArray | None,
) -> tuple[Entities, Mentions, tuple[str, ...]]:
    """Entities, mentions and the names of semantic types."""
    mentions = EntityMentions.of(brackets, places)
    brackets, parts = mentions.brackets, mentions.parts
    names = codes_of_bytes(brackets.text, brackets.name[0], brackets.name[1] - brackets.name[0])
    entity, first = by_first_appearance(brackets.document * (int(names.max(initial=0)) + 1) + names)
    types, type_of = _types(brackets, entity)
    minimum, uneven = mentions.minimum()
    attributes = {
        name: brackets.strings(bounds)
        for name, bounds in brackets.fields.items()
        if name not in ("etype", "head", "minspan")
    }
    if uneven is not None:
        attributes["minspan"] = uneven
    heads = mentions.heads(parents, sentences, empty)
    base = places.offsets[brackets.document]
    return (
        Entities(
            brackets.document[first],
            brackets.strings((brackets.name[0][first], brackets.name[1][first])),
        ),
        Mentions(
            brackets.document,
            entity,
            brackets.start - base,
            brackets.stop - base,
            head=None if heads is None else heads - base,
            type=type_of,
            pieces=parts.pieces(base),
            minimum=None if minimum is None else (minimum[0] - base, minimum[1] - base),
            attributes={name: column for name, column in attributes.items() if len(column.data)},
            head_found=brackets.headless if heads is not None and brackets.headless.any() else None,
        ),
        types,
    )


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

    def heads(
        self, parents: IntArray, sentences: IntArray, empty: BoolArray | None
    ) -> IntArray | None:
        """Head of each mention as a token of the corpus; None if heads are unknown.

        It is the word that the field ``head`` names, and the first word if that is empty. If the
        header has no such field, it is found in the dependency tree.
        """
        brackets, parts = self.brackets, self.parts
        heads = brackets.start.copy()
        if brackets.headless.any():
            if brackets.headless.all() and empty is None and (parents < 0).all():
                return None
            above = parent_tokens(parents, sentences, empty)
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

    def _not_a_word(self, field: str, mention: int) -> FormatError:
        brackets, parts = self.brackets, self.parts
        name, written = (
            shown(brackets.text[low[mention] : high[mention]])
            for low, high in (brackets.name, brackets.fields[field])
        )
        size = int((parts.stop - parts.start)[parts.mention == mention].sum())
        return FormatError(
            f"the {field} of a mention of entity {name!r} is {written!r}, "
            f"but the mention has {size} word{'' if size == 1 else 's'}",
            self.places.where(int(brackets.start[mention])),
            "It must be the position of a word in the mention, counting from 1.",
        )


def _first_parts(
    names: Mapping[int, str], brackets: Brackets, places: TokenLocations
) -> tuple[dict[int, int], dict[int, str]]:
    """For the row of each part of a mention the row of its first part, and the entity's id.

    Part k of n continues a mention of the same entity that has k - 1 of n parts; of several the
    one whose last part opened last, as brackets close.
    """
    first_of: dict[int, int] = {}
    entities: dict[int, str] = {}
    waiting: dict[tuple[int, str, int, int], list[int]] = {}
    """Rows of the last part so far, by document, entity, number of parts and of the next."""

    def refused(row: int, what: str) -> FormatError:
        name = places.documents[brackets.document[row]]
        return FormatError(
            f"entity {shown(entities[row])!r} of document {name!r} has {what}",
            places.where(int(brackets.start[row])),
            "Write the parts of a discontinuous mention as e1[1/2], e1[2/2].",
        )

    for row, name in names.items():
        found = _PART.fullmatch(name)
        if found is None:
            continue
        entities[row], *numbers = found.groups()
        if not all(map(is_number, numbers)):
            raise refused(row, f"part {shown('/'.join(numbers))!r} of a mention")
        number, total = map(int, numbers)
        owner, what = (
            (int(brackets.document[row]), entities[row], total),
            f"part {number} of {total} of a mention",
        )
        if not 1 <= number <= total:
            raise refused(row, what)
        first_of[row] = row
        if number > 1:
            unfinished = waiting.get((*owner, number))
            if not unfinished:
                raise refused(row, f"{what} without part {number - 1}")
            before = unfinished.pop()
            if brackets.stop[before] > brackets.start[row]:
                raise refused(row, f"{what} that overlaps another part")
            first_of[row] = first_of[before]
        if number < total:
            waiting.setdefault((*owner, number + 1), []).append(row)
    left = [
        (first_of[row], total, number)
        for (_, _, total, number), rows in waiting.items()
        for row in rows
    ]
    if left:
        row, total, number = min(left)
        raise refused(row, f"a mention of {total} parts without part {number}")
    return first_of, entities


def _relations(
    rows: Sequence[tuple[int, int, str, str]],
    entities: Entities,
    mentions: Mentions,
    places: TokenLocations,
) -> tuple[list[Relation], list[str]]:
    """Relations, and a warning if they name entities without mentions.

    In ``Bridge=e1<e2:part`` e2 bridges to e1, in ``SplitAnte=e1<e3,e2<e3`` e3 consists of e1 and
    e2. A bridging anaphor is the mention of its entity that starts at the attribute's token.
    """
    if not rows:
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
    for token, line, attribute, value in rows:
        document = int(places.document(np.array(token)))
        start = token - int(places.offsets[document])
        for link in value.split(","):
            target, arrow, rest = link.partition("<")
            origin, _, label = rest.partition(":")
            if not (target and arrow and origin):
                raise FormatError(
                    f"malformed {attribute} {shown(link)!r}",
                    places.source.where(line),
                    "Write target<source, as in Bridge=e1<e2:part or SplitAnte=e1<e3,e2<e3",
                )
            kind = RELATIONS[attribute]
            anaphor = spans.get((document, origin, start)) if kind == "bridge" else None
            relations.append(Relation(kind, document, origin, target, label, anaphor))
            missing += [(line, name) for name in (origin, target) if (document, name) not in known]
    if not missing:
        return relations, []
    line, name = missing[0]
    what = f"Bridge or SplitAnte with entity {shown(name)!r}, which has no mention in its document"
    more = f" ({len(missing):,} such ends of relations in all)" if len(missing) > 1 else ""
    return relations, [f"{places.source.where(line)}: {what}{more}"]


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


def fallback(head: bytes, name: str) -> bool:
    """True for files with the suffix or the header of CoNLL-U, whose lines are faulty."""
    usual = name.removesuffix(".gz").endswith(CONLLU.suffixes)
    return not BEGIN.search(head) and (usual or _HEADER.search(head) is not None)


CONLLU = register(
    Format(
        name="conllu",
        title="CoNLL-U with CorefUD's Entity",
        suffixes=(".conllu",),
        detect=detect,
        fallback=fallback,
        read_columns=read,
        capabilities=Capabilities(
            layers=frozenset({*LAYERS, "sent_id", "node"}),
            heads=True,
            types=True,
            minimum_spans=True,
            discontinuous=True,
            zeros=True,
            relations=True,
            attributes=True,
        ),
        write=write,
        document_mark=DocumentMark(
            ord("#"),
            begun_name,
            carried=lambda line: comment_of(line)[0] == "global.Entity",
            frequent=(b"# sent_id", b"# text"),
        ),
        documentation="docs/formats/conllu.md",
    )
)
