"""Documents as their file writes them: brackets, rows and cluster arrays with their bytes.

A reader refuses a file at its first fault. Here what cannot be understood is kept as a fault of its
document, under the code of the rule that reports it, and every mention knows the bytes that write
it, so that a repair can change these alone. Formats that can be repaired have a parser here; other
documents come from their reader.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from corefine.corpus.document import Document, Mention, merged
from corefine.errors import Location
from corefine.formats.conll import document_mark
from corefine.formats.conllu import DEFAULT, OLD_STYLE, fields_of
from corefine.formats.io.brackets import PLACEHOLDERS, is_coreference_cell
from corefine.formats.io.conllu_lines import comment_of
from corefine.formats.io.lines import shown
from corefine.formats.io.records import RECORDS
from corefine.formats.io.token_rows import is_tabbed
from corefine.formats.labels import delimiter_of, find_columns
from corefine.formats.ua import COLUMNS as UA_COLUMNS
from corefine.formats.ua import PSEUDO

QUOTED = 60
"""The most words and characters of a mention that a message quotes."""
_PART = re.compile(r"(.+)\[([0-9]{1,9})/([0-9]{1,9})\]")


class Edit(NamedTuple):
    """A replacement of the bytes from ``start`` to ``stop`` of a file."""

    start: int
    stop: int
    text: str


class Fault(NamedTuple):
    """Something wrong at a line, and the edits that repair it if there is one reading."""

    line: int
    message: str
    edits: tuple[Edit, ...] = ()


@dataclass(slots=True, eq=False)
class Bracket:
    """A bracket of a mention; in other formats, a row of a table or a span in an array."""

    start: int
    stop: int
    """The bytes from the first to the one after the last."""
    id: str
    """Id of the entity as written, ``e1[1/2]`` for a part of a mention."""
    id_stop: int
    """The byte after the id of the entity: a repair may append to it."""
    line: int
    token: int
    opens: bool = True
    closes: bool = True
    fields: Sequence[str] = ()
    """Further values, in the order of the file's declaration."""
    cell: BracketCell | None = field(default=None, init=False)


@dataclass(slots=True, eq=False)
class BracketCell:
    """The brackets of one token."""

    text: str
    emptied: Edit
    """Removes all brackets."""
    brackets: list[Bracket] = field(default_factory=list)

    def add(self, *brackets: Bracket) -> None:
        """Add brackets."""
        self.brackets += brackets
        for one in brackets:
            one.cell = self

    def without(self, bracket: Bracket) -> Edit:
        """The edit that removes a bracket, and the separator that it no longer needs."""
        if len(self.brackets) == 1:
            return self.emptied
        place = self.brackets.index(bracket)
        if place:
            return Edit(self.brackets[place - 1].stop, bracket.stop, "")
        return Edit(bracket.start, self.brackets[1].start, "")


@dataclass(slots=True, eq=False)
class WrittenMention:
    """A mention, and the brackets that write it."""

    entity: str
    spans: list[tuple[int, int]]
    """Tokens of the document, one span per part; empty if the file has no text."""
    brackets: list[Bracket]
    line: int
    fields: dict[str, str] = field(default_factory=dict)
    key: Any = None
    """Equal for mentions of the same words."""

    @property
    def length(self) -> int:
        return sum(stop - start for start, stop in self.spans)


class WrittenRelation(NamedTuple):
    """An item of an attribute that relates entities, such as ``Bridge=e1<e2:part``."""

    kind: str
    target: str
    """The entity before ``<``, an antecedent."""
    source: str
    label: str
    line: int
    token: int
    removal: Edit | None
    """Removes the item."""


@dataclass(slots=True)
class WrittenDocument:
    """A document as it is written."""

    name: str
    line: int
    words: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    """The line of each token."""
    sentences: list[int] = field(default_factory=list)
    """The first token of each sentence."""
    cells: list[BracketCell] = field(default_factory=list)
    mentions: list[WrittenMention] = field(default_factory=list)
    relations: list[WrittenRelation] = field(default_factory=list)
    named: list[tuple[str, int]] = field(default_factory=list)
    """Entities that relations name, and the byte after each name."""
    faults: dict[str, list[Fault]] = field(default_factory=lambda: defaultdict(list))
    """Faults of the file's syntax, by the code of a rule."""
    header: tuple[str, ...] = ()
    """Declared fields of mentions, of CoNLL-U only."""
    declared: bool = True
    """False if these fields are assumed."""
    shares_ids: bool = False
    """True if the format forbids an entity id to occur in two documents."""
    unclear: set[str] = field(default_factory=set)
    """Ids in text that cannot be understood: brackets that seem to be missing may be there."""
    unbalanced: set[str] = field(default_factory=set)
    """Entities with brackets or parts that have no partner: where they begin is not known."""
    topic: str | None = None
    opens: bool = True
    """True if the next word begins a sentence."""

    def add_word(self, word: str, line: int) -> None:
        """Add the next token."""
        if self.opens:
            self.sentences.append(len(self.lines))
            self.opens = False
        self.words.append(word)
        self.lines.append(line)

    def fault(self, code: str, line: int, message: str, *edits: Edit) -> None:
        """Keep something wrong."""
        self.faults[code].append(Fault(line, message, edits))

    def quote(self, mention: WrittenMention) -> str:
        """The words of a mention, shortened; never all of a long one."""
        if not self.words:
            return shown(str(mention.key))
        words = [word for a, b in mention.spans for word in self.words[a : min(b, a + QUOTED)]]
        return shown(" ".join(words[:QUOTED]) + " …" * (mention.length > QUOTED))

    def entities(self) -> dict[str, list[WrittenMention]]:
        """Mentions by entity."""
        found: dict[str, list[WrittenMention]] = {}
        for mention in self.mentions:
            found.setdefault(mention.entity, []).append(mention)
        return found


def part_of(id: str) -> tuple[str, int, int]:
    """Entity, part and number of parts of a written id.

    >>> part_of("e1[2/3]"), part_of("e1")
    (('e1', 2, 3), ('e1', 1, 1))
    """
    found = _PART.fullmatch(id)
    return (id, 1, 1) if found is None else (found[1], int(found[2]), int(found[3]))


def pair_brackets(document: WrittenDocument) -> None:
    """Find the mentions of a document: pair brackets by id, and join parts."""
    still_open: dict[str, list[Bracket]] = {}
    pairs: list[tuple[Bracket, Bracket]] = []
    unopened: list[Bracket] = []
    for bracket in (bracket for cell in document.cells for bracket in cell.brackets):
        stack = still_open.setdefault(bracket.id, [])
        if bracket.opens and bracket.closes:
            pairs.append((bracket, bracket))
        elif bracket.opens:
            stack.append(bracket)
        elif stack:
            pairs.append((stack.pop(), bracket))
        else:
            unopened.append(bracket)
    keep_unbalanced(document, [one for stack in still_open.values() for one in stack], unopened)
    join_parts(document, sorted(pairs, key=lambda pair: pair[0].start))


def keep_unbalanced(
    document: WrittenDocument, unclosed: Sequence[Bracket], unopened: Sequence[Bracket]
) -> None:
    """Keep brackets without a partner, with a repair if the mention can only be one token.

    This is a mention opened at the last token of a sentence, one closed at the first, and one that
    is closed and opened at the same token, as ``2)|(2``. In CoNLL-U a bracket that closes cannot
    become a mention, for it has no fields.
    """
    lasts = {first - 1 for first in (*document.sentences, len(document.lines))}
    closed = {(one.token, one.id): one for one in unopened}
    crossed: set[int] = set()
    for one in unclosed:
        before = closed.get((one.token, one.id))
        edits: list[Edit] = []
        if _is_alone(one) and one.token in lasts:
            edits = [Edit(one.stop, one.stop, ")")]
        elif before is not None and not document.header and _is_alone(one, 2) and one.cell:
            edits = [Edit(before.start, before.start, "("), one.cell.without(one)]
            crossed.add(id(before))
        what = f"a mention of entity {shown(one.id)!r} is opened here and never closed"
        _keep(document, "CU201", one, what, edits)
    for one in unopened:
        edits = []
        if one.token in document.sentences and not document.header and _is_alone(one):
            edits = [Edit(one.start, one.start, "(")]
        if id(one) not in crossed:
            what = f"a mention of entity {shown(one.id)!r} is closed here and never opened"
            _keep(document, "CU202", one, what, edits)


def _is_alone(bracket: Bracket, times: int = 1) -> bool:
    """True if the id of a bracket occurs so many times in its cell."""
    others = bracket.cell.brackets if bracket.cell is not None else [bracket]
    return sum(other.id == bracket.id for other in others) == times


def _keep(
    document: WrittenDocument, code: str, one: Bracket, what: str, edits: Sequence[Edit] = ()
) -> None:
    """Keep a bracket that is no mention; what it says may be in text that is not understood."""
    entity = part_of(one.id)[0]
    document.unbalanced.add(entity)
    if not document.unclear & {one.id, entity}:
        document.fault(code, one.line, what, *edits)


def join_parts(document: WrittenDocument, pairs: Sequence[tuple[Bracket, Bracket]]) -> None:
    """Add the mentions of pairs of brackets; parts that do not fit are a fault."""
    waiting: dict[tuple[str, int, int], list[WrittenMention]] = {}
    for opening, closing in pairs:
        entity, part, parts = part_of(opening.id)
        span = (opening.token, closing.token + 1)
        stack = waiting.get((entity, parts, part)) if part > 1 else None
        if stack:
            mention = stack.pop()
            mention.spans.append(span)
            mention.brackets += [opening, closing]
            if mention.spans[-2][1] > span[0]:
                what = f"{shown(opening.id)!r} overlaps the part before it"
                document.fault("CU205", opening.line, what)
        elif part == 1:
            mention = WrittenMention(entity, [span], [opening, closing], opening.line)
            document.mentions.append(mention)
        else:
            _keep(document, "CU205", opening, f"{shown(opening.id)!r} has no part before it")
            continue
        if part < parts:
            waiting.setdefault((entity, parts, part + 1), []).append(mention)
    incomplete: set[int] = set()
    for (entity, parts, part), found in waiting.items():
        what = f"a mention of entity {shown(entity)!r} has no part {part} of {parts}"
        for mention in found:
            incomplete.add(id(mention))
            _keep(document, "CU205", mention.brackets[0], what)
    document.mentions = [one for one in document.mentions if id(one) not in incomplete]
    for mention in document.mentions:
        mention.key = tuple(merged(mention.spans))


RELATIONS = ("Bridge", "SplitAnte")
"""Attributes of CoNLL-U that relate entities."""
_ENTITY = re.compile(r"\(([^()|\s]+)(\)?)|([^()|\s]+)\)")
_ITEM = re.compile(r"([^(<\s:>),]+)<([^(<\s:>),]+)(:[^(<\s>),]*)?")
_IDS = re.compile(r"[^()|<>,:\s-]+")
_DECLARATION = re.compile(r"eid-etype-head(?:-other)?(?:-(?!other\b)[a-z]+)*")
"""Declarations that CorefUD's validator accepts."""
_LABEL = re.compile(":[a-z]+")
_COMMENT = re.compile(rb"#\s*(?:newdoc|global|text)\b")
_MARKED = re.compile(rb"[\t|](?:\s*Entity\s*[=:]|(?:Bridge|SplitAnte)=)", re.IGNORECASE)
_SIMILAR = re.compile(r"\s*Entity\s*[=:].*[()].*", re.IGNORECASE)
_VALUE = re.compile(rb"[\t|]Entity=([^|\s]*)")
_MARKABLE = re.compile(r"\(([^()]*)(\))?|([^()]*)\)")
_ENTITY_ID = re.compile(r"(?<![^|(])(EntityID|Entity_ID|ElementOf|EntityAnchor)=([^|()]*)", re.I)
_CLUSTERS = re.compile(rb'clusters"\s*:\s*(?=\[)')
_BEFORE = re.compile(rb'(?:^|[^\\])"[A-Za-z_]*', re.DOTALL)
_ARRAY = re.compile(rb"[\[\],]|[^\[\],\s]+")
_NUMBER = re.compile(rb"-?[0-9]{1,18}")


def size(text: str) -> int:
    """The number of bytes of a text in its file."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def bracket_cell(
    text: str, start: int, pattern: re.Pattern[str], line: int, token: int, emptied: Edit
) -> BracketCell:
    """The brackets of a text at a byte; the id of each is all that is written in it.

    The pattern has the text of a bracket that opens, the sign that closes it at the same token, and
    the text of another one that closes.
    """
    cell = BracketCell(text, emptied)
    for found in pattern.finditer(text):
        begins = start + size(text[: found.start()])
        stop = begins + size(found.group())
        opens, closes = found[1] is not None, found[1] is None or bool(found[2])
        written = found[1] if opens else found[3]
        cell.add(Bracket(begins, stop, written, stop - closes, line, token, opens, closes))
    return cell


def _word_number(id: bytes) -> int:
    """The number of a word; 0 for other ids, and for numbers that no file reaches."""
    return int(id) if id.isdigit() and len(id) < 10 else 0


def decoded(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def numbered_lines(content: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Number, first byte and content of each line, without its end and the byte order mark."""
    start = 3 if content.startswith(b"\xef\xbb\xbf") else 0
    number = 0
    while start < len(content):
        stop = content.find(b"\n", start)
        stop = len(content) if stop < 0 else stop
        number += 1
        yield number, start, content[start:stop].removesuffix(b"\r")
        start = stop + 1


# --- CoNLL-U --------------------------------------------------------------------------------------


class ConlluParser:
    """Parses CoNLL-U with CorefUD's attributes; :meth:`documents` yields the documents."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.document = WrittenDocument("", 1)
        self.header: tuple[str, ...] | None = None
        """Fields of mentions: None before they are declared, empty if they cannot be understood."""
        self.declared = ""
        self.text: tuple[int, str] | None = None
        """Line and content of the comment with the text of the sentence."""
        self.surface: list[str] = []
        """Words and multiword tokens of the sentence."""
        self.covered = 0
        """Number of the last word of a multiword token."""

    def documents(self) -> Iterator[WrittenDocument]:
        begun = False
        for number, start, line in numbered_lines(self.content):
            if line.startswith(b"#"):
                if not _COMMENT.match(line):
                    continue
                name, value = comment_of(line)
                if name in ("newdoc", "newdoc id"):
                    if begun or self.document.lines:
                        yield self._finished()
                    self.document = WrittenDocument(value, number)
                    self.document.header = self.header or ()
                    self.document.declared = bool(self.declared)
                    self.document.shares_ids = "eid" in self.declared.split("-")
                    begun = True
                elif name == "global.Entity":
                    self._declare(decoded(line).partition("=")[2].removeprefix(" "), number)
                elif name == "text":
                    self.text = number, value
            elif not line.strip():
                self._end_sentence()
            else:
                self._token(line, number, start)
        self._end_sentence()
        yield self._finished()

    def _finished(self) -> WrittenDocument:
        document = self.document
        pair_brackets(document)
        for mention in document.mentions:
            values = mention.brackets[0].fields
            mention.fields = dict(zip(document.header, values, strict=False))
        return document

    def _declare(self, value: str, line: int) -> None:
        document, found = self.document, fields_of(value.strip())
        fields = value.split("-")
        what = f"the declaration {shown(value)!r}"
        if self.declared and value != self.declared:
            first = shown(self.declared)
            document.fault("CU104", line, f"{what} differs from the first one, {first!r}")
        elif not self.declared and found is None:
            why = "is malformed" if {"eid", "GRP"} & {*fields} else "has no field eid"
            document.fault("CU102", line, f"{what} {why}")
        elif not self.declared and _DECLARATION.fullmatch(value) is None:
            document.fault("CU103", line, f"{what} is not {DEFAULT!r}, with others after it")
        self.declared = self.declared or value
        document.shares_ids = "eid" in fields
        self.header = document.header = found or ()
        document.declared = True

    def _token(self, line: bytes, number: int, start: int) -> None:
        cells = line.split(b"\t")
        id, word = cells[0], decoded(cells[1]) if len(cells) > 1 else ""
        is_range = b"-" in id
        if is_range:
            last = id.partition(b"-")[2]
            self.covered = _word_number(last)
        else:
            self.document.add_word(word, number)
        if is_range or _word_number(id) > self.covered:
            self.surface.append(word)
        if len(cells) > 9 and _MARKED.search(line):
            place = start + len(line) - len(cells[-1])
            self._attributes(decoded(cells[-1]), place, number, is_range)

    def _end_sentence(self) -> None:
        """Compare the text of a sentence with its words, without white space."""
        if self.text is not None and self.surface:
            line, text = self.text
            written, words = "".join(text.split()), "".join("".join(self.surface).split())
            if written != words and set(words) != {"_"}:
                pairs = enumerate(zip(written, words, strict=False))
                shorter = min(len(written), len(words))
                place = next((n for n, (a, b) in pairs if a != b), shorter)
                one, other = shown(written[place : place + 20]), shown(words[place : place + 20])
                what = f"the text has {one!r} where the words have {other!r}"
                self.document.fault("CU401", line, what)
        self.text, self.surface, self.covered, self.document.opens = None, [], 0, True

    def _attributes(self, misc: str, start: int, line: int, is_range: bool) -> None:
        """Read the attributes of a token; the attributes of a range count for its first word."""
        document = self.document
        token = len(document.lines) - (not is_range)
        found: dict[str, str] = {}
        for number, attribute in enumerate(attributes := misc.split("|")):
            stop = start + size(attribute)
            name, equals, value = attribute.partition("=")
            if equals and name in ("Entity", *RELATIONS):
                removal = Edit(start - 1, stop, "") if number else Edit(start, stop + 1, "")
                if len(attributes) == 1:
                    removal = Edit(start, stop, "_")
                if name in found:
                    edits = (removal,) if found[name] == value else ()
                    document.fault("CU106", line, f"{name} is there twice", *edits)
                    document.unclear.update(_IDS.findall(value))
                else:
                    found[name] = value
                    place = stop - size(value), line, token
                    if name == "Entity":
                        self._entity(value, *place, removal)
                    else:
                        self._relations(name, value, *place)
            elif _SIMILAR.fullmatch(attribute):
                document.fault("CU108", line, f"malformed Entity {shown(attribute)!r}")
            start = stop + 1
        names = " and ".join(found)
        if is_range and found:
            document.fault("CU105", line, f"{names} at a multiword token, which is not a word")
        elif found and "Entity" not in found:
            document.fault("CU107", line, f"{names} at a word without Entity")
            while document.relations and document.relations[-1].line == line:
                document.relations.pop()

    def _entity(self, value: str, start: int, line: int, token: int, removal: Edit) -> None:
        document = self.document
        if self.header is None:
            document.fault("CU101", line, "Entity before the fields of mentions are declared")
            values = _VALUE.findall(self.content.partition(b"global.Entity")[0])
            assumed = "etype-eid" if all(map(OLD_STYLE.fullmatch, values)) else DEFAULT
            self.header = document.header = fields_of(assumed) or ()
            document.declared = False
        if not self.header:
            document.unclear.add(value)
            return
        if not value or "".join(one.group() for one in _ENTITY.finditer(value)) != value:
            document.fault("CU108", line, f"malformed Entity {shown(value)!r}")
            document.unclear.update(_IDS.findall(value))
            return
        cell = bracket_cell(value, start, _ENTITY, line, token, removal)
        eid = self.header.index("eid")
        for one in cell.brackets:
            one.fields = fields = one.id.split("-")
            place = eid if one.opens or eid < len(fields) > 1 else 0
            one.id = fields[place] if place < len(fields) else ""
            before = size("-".join(fields[:place])) + (place > 0) + one.opens
            one.id_stop = one.start + before + size(one.id.partition("[")[0])
        document.cells.append(cell)

    def _relations(self, kind: str, value: str, start: int, line: int, token: int) -> None:
        document = self.document
        for number, item in enumerate(value.split(",") if self.header != () else ()):
            stop = start + size(item)
            found = _ITEM.fullmatch(item)
            wrong = found is None or (found[3] and kind == "SplitAnte")
            if wrong or (found and found[3] and not _LABEL.fullmatch(found[3])):
                document.fault("CU304", line, f"malformed {kind} {shown(item)!r}")
            if found is not None and not wrong:
                target, source, label = found.groups()
                removal = Edit(start - 1, stop, "") if number else None
                one = WrittenRelation(kind, target, source, label or "", line, token, removal)
                document.relations.append(one)
                after = start + size(target)
                document.named += [(target, after), (source, after + 1 + size(source))]
            start = stop + 1


# --- CoNLL-2012 -----------------------------------------------------------------------------------


def conll_documents(content: bytes) -> Iterator[WrittenDocument]:
    """The documents of a file with coreference brackets in the last column."""
    tabbed = is_tabbed(content[: 1 << 16])
    document = WrittenDocument("", 1)
    for number, start, line in numbered_lines(content):
        if line.startswith(b"#") and (mark := document_mark(decoded(line))) is not None:
            if document.lines:
                pair_brackets(document)
                yield document
            document = WrittenDocument(mark[1] if mark[0] else "", number)
        elif not line.strip():
            document.opens = True
        elif not line.startswith(b"#"):
            cells = line.split(b"\t") if tabbed else line.split()
            word = cells[3] if len(cells) > 4 else cells[-2] if len(cells) > 1 else b""
            document.add_word(decoded(word), number)
            last = cells[-1].strip()
            if last and decoded(last) not in PLACEHOLDERS:
                _conll_cell(document, decoded(last), start + line.rfind(last), number)
    if document.lines:
        pair_brackets(document)
        yield document


def _conll_cell(document: WrittenDocument, text: str, start: int, line: int) -> None:
    """Read the brackets of the last token."""
    if not is_coreference_cell(text):
        document.fault("CU203", line, f"malformed brackets {shown(text)!r}")
        document.unclear.update(_IDS.findall(text))
        return
    emptied = Edit(start, start + size(text), "-")
    token = len(document.lines) - 1
    document.cells.append(bracket_cell(text, start, _ENTITY, line, token, emptied))


# --- Universal Anaphora ---------------------------------------------------------------------------


def ua_documents(content: bytes) -> Iterator[WrittenDocument]:
    """The documents of a file with mentions in the column IDENTITY."""
    document = WrittenDocument("", 1)
    columns: list[str] = list(UA_COLUMNS)
    for number, start, line in numbered_lines(content):
        if line.startswith(b"#"):
            name, value = comment_of(line)
            if name == "global.columns":
                columns = value.split()
            elif name in ("newdoc", "newdoc id"):
                if document.lines:
                    yield _with_markables(document)
                document = WrittenDocument(value, number)
        elif not line.strip():
            document.opens = True
        elif b"-" not in line.partition(b"\t")[0]:
            cells = decoded(line).split("\t")
            document.add_word(cells[1] if len(cells) > 1 else "", number)
            for column, cell in zip(columns, cells, strict=False):
                if column in ("IDENTITY", "BRIDGING") and cell not in ("", "_"):
                    _ua_cell(document, column, cell, start)
                start += size(cell) + 1
    yield _with_markables(document)


def _ua_cell(document: WrittenDocument, column: str, text: str, start: int) -> None:
    """Read the markables, and the entities that they name, at the last token."""
    emptied = Edit(start, start + size(text), "_")
    line, token = document.lines[-1], len(document.lines) - 1
    cell = bracket_cell(text, start, _MARKABLE, line, token, emptied)
    for one in cell.brackets:
        one.id_stop = 0  # what closes names a markable, not an entity
        if not one.opens:
            continue
        written, one.id = one.id, ""
        one.fields = written.split("|")
        for value in _ENTITY_ID.finditer(written):
            after = one.start + 1 + size(written[: value.start(2)])
            for name in value[2].split(","):
                after += size(name)
                if value[1].lower().startswith("entity") and column == "IDENTITY":
                    one.id, one.id_stop = name, after
                else:
                    document.named.append((name, after))
                after += 1
    if column == "IDENTITY":
        document.cells.append(cell)


def _with_markables(document: WrittenDocument) -> WrittenDocument:
    """Add the mentions of markables: a bracket without an id closes what was opened last."""
    still_open: list[Bracket] = []
    pairs: list[tuple[Bracket, Bracket]] = []
    unopened: list[Bracket] = []
    for one in (bracket for cell in document.cells for bracket in cell.brackets):
        if one.opens and one.closes:
            pairs.append((one, one))
        elif one.opens:
            still_open.append(one)
        elif named := [other for other in still_open if one.id in ("", _markable(other))]:
            still_open.remove(named[-1])
            pairs.append((named[-1], one))
        else:
            unopened.append(one)
    keep_unbalanced(document, still_open, unopened)
    joined: dict[str, WrittenMention] = {}
    for opening, closing in sorted(pairs, key=lambda pair: pair[0].start):
        called = _markable(opening) or f"\0{len(joined)}"
        mention = joined.setdefault(called, WrittenMention(opening.id, [], [], opening.line))
        mention.spans.append((opening.token, closing.token + 1))
        mention.brackets += [opening, closing]
    document.mentions = [one for one in joined.values() if not one.entity.endswith(PSEUDO)]
    for mention in document.mentions:
        mention.key = tuple(merged(mention.spans))
        # Ids of markables only count if something refers to them.
        kept = [one for one in mention.brackets[0].fields if document.named or "ID=" not in one]
        mention.fields = {"fields": "|".join(kept)}
    return document


def _markable(bracket: Bracket) -> str:
    """The id of a markable, which parts of a mention share."""
    keys = ("markableid=", "markable_id=", "mentionid=")
    found = (one.partition("=")[2] for one in bracket.fields if one.lower().startswith(keys))
    return next(found, "")


# --- Labels ---------------------------------------------------------------------------------------


def label_documents(content: bytes) -> Iterator[WrittenDocument]:
    """The documents of a table with one row per mention."""
    rows = _rows(content)
    line, _, header = next(rows, (1, 0, []))
    columns = find_columns([value for value, _ in header], Location("", line))
    documents: dict[str, WrittenDocument] = {}
    for line, start, row in rows:
        if len(row) != len(header):
            continue
        values = {role: [row[place] for place in places] for role, places in columns.items()}
        name = values["document"][0][0] if "document" in values else ""
        document = documents.setdefault(name, WrittenDocument(name, line))
        document.topic = values["topic"][0][0] if "topic" in values else None
        entity, entity_stop = values["entity"][0]
        stop = content.find(b"\n", row[-1][1]) + 1 or len(content)
        one = Bracket(start, stop, entity, entity_stop, line, 0)
        BracketCell(entity, Edit(start, stop, "")).add(one)
        mention = WrittenMention(entity, [], [one, one], line)
        mention.fields = {"row": "\t".join(value for value, _ in row)}
        mention.key = ", ".join(value for value, _ in values.get("mention", ())) or line
        document.mentions.append(mention)
    yield from documents.values()


def _rows(content: bytes) -> Iterator[tuple[int, int, list[tuple[str, int]]]]:
    """Line and first byte of each row, and its values with the byte where each ends."""
    delimiter = delimiter_of(content[: 1 << 16]).encode()
    cell = re.compile(rb'(?:"((?:[^"]|"")*)"|([^%b\r\n]*))(%b|\r?\n|\Z)' % ((delimiter,) * 2))
    row: list[tuple[str, int]] = []
    start = place = 3 if content.startswith(b"\xef\xbb\xbf") else 0
    line = first = 1
    while place < len(content) and (found := cell.match(content, place)) is not None:
        quoted = found[1] is not None
        value = found[1].replace(b'""', b'"') if quoted else found[2]
        row.append((decoded(value), found.end(1 if quoted else 2)))
        line += found.group().count(b"\n")
        place = found.end()
        if found[3] == delimiter:
            if place == len(content):
                row.append(("", place))
            else:
                continue
        if len(row) > 1 or row[0][0]:
            yield first, start, row
        row, start, first = [], place, line


# --- JSON -----------------------------------------------------------------------------------------


def json_documents(content: bytes) -> Iterator[WrittenDocument]:
    """Cluster arrays of JSON records, each as a document."""
    line, last = 1, 0
    for found in _CLUSTERS.finditer(content):
        quote = content.rfind(b'"', 0, found.start())
        if _BEFORE.fullmatch(content[max(quote - 1, 0) : found.start()]):
            line += content.count(b"\n", last, found.end())
            last = found.end()
            yield _clusters(content, last, line)


def _clusters(content: bytes, place: int, line: int) -> WrittenDocument:
    """The mentions of a cluster array; none if it has anything but arrays and their numbers."""
    document = WrittenDocument("", line)
    opened: list[int] = []
    numbers: list[int] = []
    mentions: list[Bracket] = []
    clusters: list[Bracket] = []
    for found in _ARRAY.finditer(content, place):
        sign, depth = found.group(), len(opened)
        if sign == b"[":
            opened.append(found.start())
        elif sign != b"]" and sign != b",":
            if depth < 3 or _NUMBER.fullmatch(sign) is None:
                return WrittenDocument("", line)
            numbers.append(int(sign))
        elif sign == b"]":
            start, stop, entity = opened.pop(), found.end(), str(len(clusters))
            if depth == 3:
                mentions.append(one := Bracket(start, stop, entity, 0, line, 0))
                mention = WrittenMention(entity, [], [one, one], line, key=tuple(numbers))
                document.mentions.append(mention)
                numbers = []
            elif depth == 2:
                BracketCell("", Edit(start, stop, "[]")).add(*mentions)
                clusters.append(Bracket(start, stop, entity, 0, line, 0, opens=not mentions))
                mentions = []
            elif depth == 1:
                siblings = BracketCell("", Edit(start, stop, "[]"))
                siblings.add(*clusters)
                for one in clusters:
                    if one.opens:
                        what = f"cluster {one.id} has no mentions"
                        document.fault("CU305", line, what, siblings.without(one))
                return document
    return WrittenDocument("", line)


# --- Others ---------------------------------------------------------------------------------------


def line_of(document: Document, mention: Mention) -> int:
    """The line of a mention; 0 if it is unknown."""
    line = None if mention.where is None else mention.where.line
    if line is None and document.lines and mention.spans:
        line = document.lines[mention.spans[0][0]]
    return line or 0


def annotated_document(document: Document) -> WrittenDocument:
    """A document of a format that can only be reported."""
    lines = document.lines or [0] * len(document.tokens or ())
    found = WrittenDocument(
        document.name, lines[0] if lines else 0, document.tokens or [], lines, document.starts
    )
    found.topic = document.topic
    for one in document.mentions:
        key = tuple(one.spans) if one.spans else one.name
        line = line_of(document, one)
        found.mentions.append(WrittenMention(str(one.entity), one.spans, [], line, key=key))
    return found


Parser = Callable[[bytes], Iterator[WrittenDocument]]
PARSERS: dict[str, Parser] = {
    "conllu": lambda content: ConlluParser(content).documents(),
    "conll": conll_documents,
    "ua": ua_documents,
    "labels": label_documents,
}
"""Parsers of formats that can be repaired."""


def parser_of(format: str) -> Parser | None:
    """The parser of a format; None if the format can only be reported."""
    return json_documents if format in RECORDS else PARSERS.get(format)
