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
empty node after word 2, ``3-4`` a multiword token, which is not a word itself. Split antecedents
are written at the first mention of the entity that has them, bridging at the anaphor or, if that is
not known, at the first mention of its entity.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import NamedTuple

import numpy as np

from corefine.corpus.arrays import (
    ByteArray,
    IntArray,
    Strings,
    numbered,
    offsets_of,
)
from corefine.corpus.columns import Entities, Mentions, Pieces, Relation, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention
from corefine.errors import FormatError
from corefine.formats.io.brackets import BAR, Brackets, Cells, Places, crossing, entity_labels
from corefine.formats.io.conllu_lines import (
    LAYERS,
    begun_name,
    comment_of,
    corpus_of_tokens,
    is_number,
    newdoc,
    token_lines,
    written,
)
from corefine.formats.io.lines import shown
from corefine.formats.io.sources import HEAD, Source
from corefine.formats.io.token_rows import BLOCK, Comment, tree_heads
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
ATTRIBUTES = {"bridge": "Bridge", "split": "SplitAnte"}
"""Kinds of relations, and the attributes with which they are written."""
_PART = re.compile(r"([^\[\]]+)\[([0-9]{1,9})/([0-9]{1,9})\]")
_NUMBERED = re.compile(r".*\[[^\[\]]*/[^\[\]]*\]")
_TOKEN = re.compile(rb"[0-9]+(?:[.-][0-9]+)?(?:\t[^\t\n]*){9}\r?")
_HEADER = re.compile(rb"^#[ \t]*(?:newdoc|global\.Entity|sent_id|text)\b", re.MULTILINE)
_RESEMBLING = re.compile(r"(?:^|[^\w=.-])entit(?:y|ies|iy)[^\w(]*\(|^\(", re.IGNORECASE | re.ASCII)
"""Attribute that resembles Entity, or has its brackets alone."""
OLD_STYLE = re.compile(rb"(?:\(?[a-z]+-[0-9]+\)?)+")
"""Brackets of files before CorefUD's header was introduced, which have the type first."""
_NOT_IN_ID = re.compile(r"[\x00-\x20()|=<,:\[\]-]")
_NOT_IN_VALUE = re.compile(r"[\x00-\x20()|-]")
_NOT_IN_LAST_VALUE = re.compile(r"[\x00-\x20()|]")
_NOT_IN_NAME = re.compile(r"[\x00-\x20-]")
_NOT_IN_LABEL = re.compile(r"[\x00-\x20|,]")
_RESERVED = {"eid", "etype", "head", "minspan", "GRP", "entity", "MIN"}
_REMEDY = (
    "Write mentions in the last column of a word: Entity=(e1-person-1- where they open, e1) where "
    f"they close; name the fields of mentions first, as # global.Entity = {DEFAULT}"
)
_PARTS = "Write the parts of a discontinuous mention as e1[1/2], e1[2/2]."
_LINKS = "Write target<source, as in Bridge=e1<e2:part or SplitAnte=e1<e3,e2<e3"
_INCOMPLETE = "{!r}: the parts of a mention are incomplete, or overlap"
_WORDS = "It must be the position of a word in the mention, counting from 1."


def fields_of(header: str) -> tuple[str, ...] | None:
    """Fields of mentions by a header, in order; None if it is malformed.

    >>> fields_of("entity-GRP-infstat-MIN")
    ('etype', 'eid', 'infstat', 'minspan')
    """
    found = tuple(ROLES.get(name, name) for name in header.split("-"))
    unique = all(found) and len(set(found)) == len(found) <= MOST_FIELDS
    return found if unique and "eid" in found else None


def read(source: Source, layers: frozenset[str] | None = None, block_size: int = BLOCK) -> Corpus:
    """Documents of a source.

    ``layers`` names the token layers to extract, by default all. Ids of sentences and the
    dependencies of empty nodes are always extracted.
    """
    wanted = frozenset(LAYERS) if layers is None else layers
    columns = {name: LAYERS[name] for name in LAYERS if name in {*wanted, "head", "deps"}}
    columns["misc"] = "MISC"
    corpus, comments = corpus_of_tokens(source, columns, block_size=block_size)
    tokens = corpus.tokens
    assert tokens is not None
    assert tokens.lines is not None
    places = Places(source, corpus.documents, tokens.offsets, tokens.lines)
    misc = tokens.layers.get("misc") or Strings.blank(len(tokens))
    cells = _entity_cells(misc, places)
    header, headers, warnings = _headers(comments, cells, places)
    found = EntityMentions.of(cells, header, headers, places)
    entities, mentions, types = found.columns(tokens, headers)
    _refuse_types(entities, mentions, places)
    relations, unknown = _relations(_relation_attributes(misc), entities, mentions, places)
    if not source.part and not len(cells.token):
        warnings.append(f"{source.name}: no Entity attributes, so there are no mentions")
    return replace(
        corpus,
        entities=entities,
        mentions=mentions,
        tokens=_with_layers(tokens, wanted),
        types=types,
        relations=tuple(relations),
        format="conllu",
        warnings=(*warnings, *unknown),
    )


def _refuse_types(entities: Entities, mentions: Mentions, places: Places) -> None:
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
    """Tokens with these layers, and always with the dependencies of empty nodes."""
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


def _entity_cells(misc: Strings, places: Places) -> Cells:
    """Values of the attribute Entity in the last column."""
    text, bounds = misc.block, misc.offsets - misc.offsets[0]
    starts = _places(text, b"Entity=")
    rows = np.searchsorted(bounds, starts, side="right") - 1
    whole = (starts == bounds[rows]) | (text[starts - 1] == BAR)
    starts, rows = starts[whole] + len(b"Entity="), rows[whole]
    bars = np.append(np.flatnonzero(text == BAR), len(text))
    stops = np.minimum(bars[np.searchsorted(bars, starts)], bounds[rows + 1])
    faulty = rows[np.diff(rows, prepend=-1) == 0].tolist()
    # Words may have any brackets; brackets in other attributes may be misspelled mentions.
    signs = np.flatnonzero(text == ord("("))
    others = signs[signs >= np.append(0, stops)[np.searchsorted(starts, signs, side="right")]]
    for row in np.unique(np.searchsorted(bounds, others, side="right") - 1).tolist():
        attributes = [one for one in misc[row].split("|") if not one.startswith("Entity=")]
        faulty += [row] if any(map(_RESEMBLING.search, attributes)) else []
    if faulty:
        message = "Entity twice, with a bar, or not an attribute of its own"
        raise FormatError(message, places.where(min(faulty)), _REMEDY)
    return Cells.cut(np.append(text, np.uint8(BAR)), starts, stops, rows)


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
    comments: Sequence[Comment], cells: Cells, places: Places
) -> tuple[IntArray, list[tuple[str, ...]], list[str]]:
    """The header of each cell, the distinct headers, and a warning if one is assumed."""
    source = places.source
    given = [one for one in comments if one.name == "global.Entity"]
    if source.carried:
        given.insert(0, Comment(0, 0, "", comment_of(source.carried)[1]))
    warnings = []
    unheaded = int(np.searchsorted(cells.token, given[0].token if given else len(places.lines)))
    if unheaded:
        old = all(OLD_STYLE.fullmatch(text[:-1].encode()) for text in cells.texts[:unheaded])
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


def _content(text: str, opens: bool, names: Sequence[str]) -> dict[str, str]:
    """Fields of a bracket by name; one that closes a mention may have the id alone."""
    if not opens and "-" not in text:
        return {"eid": text}
    values = text.split("-", len(names) - 1)
    content = dict(zip_longest(names, values, fillvalue=""))
    return content | {"eid": content["eid"].partition("-")[0]}


@dataclass(frozen=True, slots=True)
class EntityMentions:
    """Mentions in the order in which they open, as tokens of the corpus."""

    places: Places
    document: IntArray
    start: IntArray
    stop: IntArray
    contents: list[dict[str, str]]
    """The distinct contents of opening brackets: values of fields by name."""
    code: IntArray
    """Index of each mention's content."""
    parts: MentionParts

    @classmethod
    def of(
        cls,
        cells: Cells,
        header: IntArray,
        headers: Sequence[tuple[str, ...]],
        places: Places,
    ) -> EntityMentions:
        """Mentions of all cells; ``header`` is the index of each cell's header."""
        brackets, malformed = Brackets.find(cells)
        cell = np.searchsorted(cells.token, brackets.token)
        key = (brackets.code * max(len(headers), 1) + header[cell]) * 2 + brackets.opens
        first, code = numbered(key)
        contents = [
            _content(brackets.names[name], opens, headers[number])
            for name, opens, number in zip(
                brackets.code[first].tolist(),
                brackets.opens[first].tolist(),
                header[cell[first]].tolist(),
                strict=True,
            )
        ]
        nameless = np.array([not content["eid"] for content in contents], bool)
        malformed += cell[nameless[code] | ~(brackets.opens | brackets.closes)].tolist()
        if malformed:
            content, where = cells.content(min(malformed)), int(cells.token[min(malformed)])
            what = f"malformed Entity {shown(content)!r}"
            raise FormatError(what, places.where(where), _REMEDY)
        ids, id_of = _numbers(content["eid"] for content in contents)
        opening, closing = replace(brackets, names=ids, code=id_of[code]).pairs(places, "({}-…")
        start, stop = brackets.token[opening], brackets.token[closing] + 1
        parts = MentionParts(np.arange(len(start)), start, stop)
        found = cls(places, places.document(start), start, stop, contents, code[opening], parts)
        return found._joined()

    def _joined(self) -> EntityMentions:
        """Mentions of which those named such as ``e1[1/2]`` were parts."""
        is_part = np.array([content["eid"].endswith("]") for content in self.contents], bool)
        rows = np.flatnonzero(is_part[self.code])
        first_of, entities = self._first_parts(rows.tolist())
        if not first_of:
            return self
        contents, code, stop = list(self.contents), self.code.copy(), self.stop.copy()
        is_first = np.ones(len(code), bool)
        for row, first in first_of.items():
            own, whole = contents[self.code[row]], contents[code[first]]
            more = {name: value for name, value in own.items() if value and not whole.get(name)}
            code[first], stop[first] = len(contents), self.stop[row]
            contents.append(whole | more | {"eid": entities[row]})
            is_first[row] = row == first
        owner = np.arange(len(code))
        owner[list(first_of)] = list(first_of.values())
        mention = (np.cumsum(is_first) - 1)[owner]
        order = np.lexsort((self.start, mention))
        parts = _merged(mention[order], self.start[order], self.stop[order])
        return EntityMentions(
            self.places,
            self.document[is_first],
            self.start[is_first],
            stop[is_first],
            contents,
            code[is_first],
            parts,
        )

    def _first_parts(self, rows: Sequence[int]) -> tuple[dict[int, int], dict[int, str]]:
        """For the row of each part of a mention the row of its first part, and the entity's id.

        Part k of n continues a mention of the same entity that has k - 1 of n parts; of several the
        one whose last part opened last, as brackets close.
        """
        first_of: dict[int, int] = {}
        entities: dict[int, str] = {}
        waiting: dict[tuple[int, str, int, int], list[int]] = {}
        """Rows whose next part is awaited, by document, entity, number of parts and next number."""
        for row in rows:
            name = self.contents[self.code[row]]["eid"]
            found = _PART.fullmatch(name)
            if found is None:
                if _NUMBERED.fullmatch(name):
                    raise self._error(row, _INCOMPLETE.format(shown(name)), _PARTS)
                continue
            number, total = int(found[2]), int(found[3])
            owner = (int(self.document[row]), found[1], total)
            before = waiting[*owner, number].pop() if waiting.get((*owner, number)) else None
            overlaps = before is not None and self.stop[before] > self.start[row]
            if not 1 <= number <= total or (number > 1 and before is None) or overlaps:
                raise self._error(row, _INCOMPLETE.format(shown(name)), _PARTS)
            entities[row], first_of[row] = found[1], row if before is None else first_of[before]
            if number < total:
                waiting.setdefault((*owner, number + 1), []).append(row)
        left = [first_of[row] for rows in waiting.values() for row in rows]
        if left:
            name = self.contents[self.code[min(left)]]["eid"]
            raise self._error(min(left), _INCOMPLETE.format(shown(name)), _PARTS)
        return first_of, entities

    def _error(self, mention: int, message: str, remedy: str) -> FormatError:
        return FormatError(message, self.places.where(int(self.start[mention])), remedy)

    def _words(self, field: str, number_of: Sequence[int], given: IntArray) -> IntArray:
        """Words of mentions by their positions, which a field of each content gives."""
        found = self.parts.word_at(given, np.array(number_of, np.int64)[self.code[given]])
        if (found < 0).any():
            wrong = int(given[np.argmax(found < 0)])
            value = shown(self.contents[self.code[wrong]][field])
            what = f"the {field} {value!r} is not a word of its mention"
            raise self._error(wrong, what, _WORDS)
        return found

    def _values(self, field: str) -> tuple[list[str], IntArray]:
        """The value of a field in each content, and the mentions that have one."""
        values = [content.get(field, "") for content in self.contents]
        return values, np.flatnonzero(np.array(list(map(bool, values)), bool)[self.code])

    def heads(self, tokens: Tokens) -> IntArray | None:
        """Head of each mention as a token of the corpus; None if heads are unknown.

        It is the word that the field ``head`` names, and the first word if that is empty. If the
        header has no such field, it is found in the dependency tree.
        """
        heads, parts = self.start.copy(), self.parts
        headless = np.array(["head" not in content for content in self.contents], bool)[self.code]
        if headless.any():
            found, placed = tree_heads(tokens, parts.mention, parts.start, parts.stop, len(heads))
            if headless.all() and tokens.empty is None and not placed.any():
                return None
            heads[headless] = found[headless]
        values, given = self._values("head")
        if len(given):
            numbers = [int(value) if is_number(value) else 0 for value in values]
            heads[given] = self._words("head", numbers, given)
        return heads

    def minimum(self) -> tuple[tuple[IntArray, IntArray] | None, Strings | None]:
        """Minimum spans as tokens of the corpus, and the values that are not a run of words.

        ``2,3`` are the second and third word; of ``1,4`` the span is that from the first to the
        fourth.
        """
        values, given = self._values("minspan")
        if not len(given):
            return None, None
        words = [
            [int(word) if is_number(word) else 0 for word in value.split(",")] for value in values
        ]
        start, stop = np.full(len(self.code), -1), np.full(len(self.code), -1)
        start[given] = self._words("minspan", list(map(min, words)), given)
        stop[given] = self._words("minspan", list(map(max, words)), given) + 1
        uneven = [
            "" if found == list(range(found[0], found[0] + len(found))) else value
            for found, value in zip(words, values, strict=True)
        ]
        return (start, stop), self._column(uneven)

    def _column(self, values: Sequence[str]) -> Strings | None:
        """The values of each mention's content; None if all are empty."""
        column = Strings.from_list(values).take(self.code)
        return column if len(column.data) else None

    def _types(self, entity: IntArray) -> tuple[tuple[str, ...], IntArray | None]:
        """Names of types, and the type of each mention: its own, else the first of its entity."""
        values, given = self._values("etype")
        if not len(given):
            return (), None
        first, _ = numbered(self.code[given])
        names = tuple(dict.fromkeys(values[code] for code in self.code[given[first]].tolist()))
        own = np.array([names.index(value) if value in names else -1 for value in values])
        of_entity = np.full(int(entity.max()) + 1, -1)
        of_entity[entity[given][::-1]] = own[self.code[given]][::-1]
        types = of_entity[entity]
        types[given] = own[self.code[given]]
        return names, types

    def columns(
        self, tokens: Tokens, headers: Iterable[Sequence[str]]
    ) -> tuple[Entities, Mentions, tuple[str, ...]]:
        """Entities, mentions and the names of semantic types."""
        ids, id_of = _numbers(content["eid"] for content in self.contents)
        first, entity = numbered(self.document * len(ids) + id_of[self.code])
        types, type_of = self._types(entity)
        minimum, uneven = self.minimum()
        attributes = {
            name: self._column(self._values(name)[0])
            for name in dict.fromkeys(chain.from_iterable(headers))
            if name not in ("eid", "etype", "head", "minspan")
        }
        heads = self.heads(tokens)
        base = self.places.offsets[self.document]
        mentions = Mentions(
            self.document,
            entity,
            self.start - base,
            self.stop - base,
            head=None if heads is None else heads - base,
            type=type_of,
            pieces=self.parts.pieces(base),
            minimum=None if minimum is None else (minimum[0] - base, minimum[1] - base),
            attributes={
                name: column
                for name, column in (attributes | {"minspan": uneven}).items()
                if column is not None
            },
        )
        names = Strings.from_list(ids).take(id_of[self.code[first]])
        return Entities(self.document[first], names), mentions, types


def _numbers(texts: Iterable[str]) -> tuple[list[str], IntArray]:
    """The distinct texts, and the number of each text in this list."""
    known: dict[str, int] = {}
    codes = [known.setdefault(text, len(known)) for text in texts]
    return list(known), np.array(codes, np.int64)


def _relations(
    attributes: Sequence[tuple[int, str, str]],
    entities: Entities,
    mentions: Mentions,
    places: Places,
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


# --- writing --------------------------------------------------------------------------------------


def write(corpus: Corpus) -> Iterator[bytes]:
    """Content of a file, document by document."""
    writer = EntityAttributes.of(corpus)
    for document in corpus:
        cells = {token: "|".join(found) for token, found in writer.attributes(document).items()}
        lines = [newdoc(document), f"# global.Entity = {writer.header}"]
        lines += token_lines(document, {"MISC": cells})
        yield written(lines)


@dataclass(frozen=True, slots=True)
class EntityAttributes:
    """Attributes of entities and relations in the last column."""

    labels: Callable[[Document], Mapping[str | int, str]]
    fields: Mapping[str, str]

    @classmethod
    def of(cls, corpus: Corpus) -> EntityAttributes:
        return cls(entity_labels(corpus, _NOT_IN_ID, "e"), _fields_of(corpus))

    @property
    def header(self) -> str:
        """Names of the fields of a mention."""
        return "-".join(["eid", *self.fields.values()])

    def attributes(self, document: Document) -> dict[int, list[str]]:
        """Sorted attributes of each token that has any.

        Closing brackets come first if others open, since ``(e1-x`` and ``e2)`` would be one id;
        otherwise they come last. The shortest closes first.
        """
        labels = self.labels(document)
        opening: dict[int, str] = defaultdict(str)
        single: dict[int, str] = defaultdict(str)
        closing: dict[int, list[tuple[int, str]]] = defaultdict(list)
        first_token: dict[str | int, int] = {}
        for part in _separable_parts(document):
            mention = document.mentions[part.mention]
            first_token.setdefault(mention.entity, part.first)
            name = labels[mention.entity]
            if part.total > 1:
                name = f"{name}[{part.number}/{part.total}]"
            text = "(" + "-".join([name, *_values(mention, self.fields)])
            if part.first == part.last:
                single[part.first] += f"{text})"
            else:
                opening[part.first] += text
                closing[part.last].append((-part.first, f"{name})"))
        found: dict[int, list[str]] = defaultdict(list)
        for token in opening.keys() | single.keys() | closing.keys():
            ends = sorted(closing.get(token, ()), key=lambda one: one[0])
            closes = "".join(text for _, text in ends)
            alone, opens = single.get(token, ""), opening.get(token, "")
            cell = closes + opens + alone if opens else alone + closes
            found[token].append(f"Entity={cell}")
        for (token, name), links in _links(document, labels, first_token).items():
            found[token].append(f"{name}={','.join(links)}")
        return {token: sorted(attributes) for token, attributes in found.items()}


def _fields_of(corpus: Corpus) -> dict[str, str]:
    """Fields of mentions besides the entity, and their names in the header."""
    mentions = corpus.mentions
    fields = {"etype": "etype"}
    if mentions.head is not None:
        fields["head"] = "head"
    if mentions.minimum is not None or "minspan" in mentions.attributes:
        fields["minspan"] = "minspan"
    others = [name for name in mentions.attributes if name != "minspan"]
    # Only the last field can have hyphens.
    others.sort(key=lambda name: any("-" in value for value in mentions.attributes[name]))
    for name in others or ["other"]:
        plain = _NOT_IN_NAME.sub("_", name) or "_"
        while plain in _RESERVED or plain in fields.values():
            plain += "_"
        fields[name] = plain
    return fields


def position(mention: Mention, token: int) -> int:
    """Position of a token among the words of a mention, from 1; 0 if it is not one of them."""
    before = 0
    for start, stop in mention.spans:
        if start <= token < stop:
            return before + token - start + 1
        before += stop - start
    return 0


def _values(mention: Mention, fields: Mapping[str, str]) -> list[str]:
    """Values of the fields of a mention, without empty ones at the end."""
    known = {"etype": mention.type or "", **mention.attributes}
    if mention.head is not None:
        known["head"] = str(position(mention, mention.head) or "")
    if mention.minimum is not None and not known.get("minspan"):
        low, high = mention.minimum
        found = position(mention, low), position(mention, high - 1)
        known["minspan"] = ",".join(map(str, range(found[0], found[1] + 1))) if all(found) else ""
    values = []
    for place, name in enumerate(fields):
        wrong = _NOT_IN_LAST_VALUE if place == len(fields) - 1 else _NOT_IN_VALUE
        value = known.get(name, "")
        values.append(wrong.sub(lambda sign: f"%{ord(sign.group()):02X}", value))
    while values and not values[-1]:
        values.pop()
    return values


class Part(NamedTuple):
    """A continuous part of a mention; ``last`` is its last token."""

    mention: int
    first: int
    last: int
    number: int
    total: int


def _separable_parts(document: Document) -> list[Part]:
    """Parts of mentions in the order in which they open, without those that cross.

    Parts with the same number must not cross. The next part of a mention is taken to belong to the
    one whose last part opened last, so the ways from part to part must not cross either.
    """
    parts = [
        Part(row, start, stop - 1, number, len(mention.spans))
        for row, mention in enumerate(document.mentions)
        for number, (start, stop) in enumerate(mention.spans, start=1)
    ]
    order = sorted(parts, key=lambda p: (p.first, p.first == p.last, -p.last, p.mention))
    rank = {(part.mention, part.number): place for place, part in enumerate(order)}
    while parts:
        groups = [(document.mentions[p.mention].entity, p.total, p.number) for p in parts]
        out = crossing([(group, p.first, p.last) for group, p in zip(groups, parts, strict=True)])
        later = [row for row, part in enumerate(parts) if part.number > 1]
        ways = [
            (groups[row], rank[p.mention, p.number - 1], rank[p.mention, p.number])
            for row in later
            for p in [parts[row]]
        ]
        out |= {later[row] for row in crossing(ways)}
        if not out:
            break
        dropped = {parts[row].mention for row in out}
        parts = [part for part in parts if part.mention not in dropped]
    kept = {part.mention for part in parts}
    return [part for part in order if part.mention in kept]


def _links(
    document: Document, labels: Mapping[str | int, str], first_token: Mapping[str | int, int]
) -> dict[tuple[int, str], list[str]]:
    """Values of the attributes of relations, by the token at which they are written."""
    found: dict[tuple[int, str], list[str]] = defaultdict(list)
    for relation in document.relations:
        attribute = ATTRIBUTES.get(relation.kind)
        token = first_token.get(relation.source)
        if token is None or relation.target not in labels or attribute is None:
            continue
        if relation.label and (relation.kind == "split" or _NOT_IN_LABEL.search(relation.label)):
            continue
        if relation.anaphor is not None:
            token = relation.anaphor[0]
        label = f":{relation.label}" if relation.label else ""
        value = f"{labels[relation.target]}<{labels[relation.source]}{label}"
        found[token, attribute].append(value)
    return found


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
