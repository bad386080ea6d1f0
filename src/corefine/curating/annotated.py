"""Documents as their file writes them: brackets, rows and cluster arrays with their bytes.

A reader refuses a file at its first fault. Here what cannot be understood is kept as a fault of its
document, under the code of the rule that reports it, and every mention knows the bytes that write
it, so that a repair can change these alone. :mod:`corefine.curating.parsing` reads the files.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from corefine.corpus.document import merged
from corefine.formats.io.lines import shown

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

    def sentence_of(self) -> list[int]:
        """The number of the sentence of each token."""
        bounds = pairwise([*self.sentences, len(self.lines)])
        return [number for number, (low, high) in enumerate(bounds) for _ in range(low, high)]


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
