"""The comments of CoNLL-U that matter: beginnings of documents, headers, ids of sentences.

Nearly all comments of a file give the text or the id of a sentence; they are told by their first
bytes, all at once. Python looks at the others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray
from corefine.corpus.strings import Strings
from corefine.errors import FormatError, Location
from corefine.formats.building.token_rows import DocumentLine
from corefine.formats.input.lines import shown
from corefine.formats.input.sources import Source

DEFAULT = "eid-etype-head-other"
"""CorefUD's own order, which is assumed where a file does not give one."""

MOST_FIELDS, MOST_HEADERS = 64, 64
"""More fields, or different headers in one file, are a mistake: each costs a column."""

FIELDS_WITH_A_ROLE = {
    "eid": "eid",
    "GRP": "eid",
    "etype": "etype",
    "entity": "etype",
    "head": "head",
    "minspan": "minspan",
    "MIN": "minspan",
}
"""What the known names of fields stand for; GRP, entity and MIN are GUM's."""

_COMMENT = re.compile(
    rb"#[ \t]*(?:(newdoc)(?:[ \t]+id)?|(global\.Entity)|sent_id)(?:[ \t]*=[ \t]*(.*?))?[ \t\r]*",
    re.DOTALL,
)
_ALMOST = re.compile(rb"#[ \t]*newdoc(?![A-Za-z])", re.IGNORECASE)
_SENTENCE = np.frombuffer(b"# sent_id = ", np.uint8)
_TEXT = np.frombuffer(b"# text = ", np.uint8)


@dataclass(frozen=True)
class Header:
    """The fields of a mention, in order: ``eid``, ``etype``, ``head``, ``minspan``, and others."""

    fields: tuple[str, ...]

    @cached_property
    def id_at(self) -> int:
        return self.fields.index("eid")

    @cached_property
    def has_head(self) -> bool:
        return "head" in self.fields


def header_of(text: str, where: Location | None = None) -> Header:
    """The header that a comment gives.

    >>> header_of("entity-GRP-infstat-MIN").fields
    ('etype', 'eid', 'infstat', 'minspan')
    """
    names = text.split("-")
    fields = tuple(FIELDS_WITH_A_ROLE.get(name, name) for name in names)
    remedy = f"Name the mention attributes as in CorefUD: # global.Entity = {DEFAULT}"
    if "eid" not in fields:
        raise FormatError(
            f"the header {shown(text)!r} has no attribute eid (or GRP)", where, remedy
        )
    if not all(fields):
        raise FormatError(
            f"the header {shown(text)!r} has an attribute without a name", where, remedy
        )
    if len(set(fields)) < len(fields):
        raise FormatError(f"the header {shown(text)!r} has an attribute twice", where, remedy)
    if len(fields) > MOST_FIELDS:
        raise FormatError(f"a header with {len(fields):,} attributes", where, remedy)
    return Header(fields)


class Headers:
    """The headers of one file."""

    def __init__(self) -> None:
        self._known: dict[str, Header] = {}

    def get(self, text: str, where: Location) -> Header:
        if text not in self._known:
            if len(self._known) == MOST_HEADERS:
                raise FormatError(
                    f"more than {MOST_HEADERS} different headers in one file",
                    where,
                    f"Use one for all documents, such as # global.Entity = {DEFAULT}",
                )
            self._known[text] = header_of(text, where)
        return self._known[text]


def begun_name(line: bytes) -> str | None:
    """The id of the document that a line begins, empty if it has none; None for other lines."""
    found = _COMMENT.fullmatch(line)
    if found is None or found.group(1) is None:
        return None
    return (found.group(3) or b"").decode("utf-8", "replace")


def refuse_almost(line: bytes, where: Location) -> None:
    """Refuse a comment that means to begin a document and does not: it would join the last."""
    if _ALMOST.match(line):
        raise FormatError(
            f"{shown(line.decode())!r} does not begin a document",
            where,
            "Write '# newdoc id = name'.",
        )


def header_text(line: bytes) -> bytes | None:
    """The fields that a line names; None if it is no header."""
    found = _COMMENT.fullmatch(line)
    return None if found is None or found.group(2) is None else found.group(3) or b""


@dataclass(frozen=True, slots=True)
class Comments:
    """What the comments of a block say, and the tokens before which they say it."""

    marks: list[DocumentLine]
    headers: list[tuple[int, Header]]
    sentence_tokens: IntArray
    sentence_ids: Strings


def comments_of(
    source: Source,
    block: ByteArray,
    bounds: tuple[IntArray, IntArray],
    tokens: IntArray,
    lines: IntArray,
    known: Headers,
) -> Comments:
    """The comments that start and stop at these bounds, before these tokens, on these lines."""
    starts, stops = bounds
    plain = _has_prefix(block, starts, stops, _SENTENCE) & (block[stops - 1] > 32)
    marks: list[DocumentLine] = []
    headers: list[tuple[int, Header]] = []
    others: list[tuple[int, int, int]] = []
    for row in np.flatnonzero(~plain & ~_has_prefix(block, starts, stops, _TEXT)).tolist():
        content = block[starts[row] : stops[row]].tobytes()
        found = _COMMENT.fullmatch(content)
        if found is None:
            refuse_almost(content, source.where(int(lines[row])))
            continue
        token, line = int(tokens[row]), int(lines[row])
        is_document, is_header, value = found.groups()
        if is_document:
            marks.append(DocumentLine(token, line, value.decode() if value else None))
        elif is_header:
            headers.append((token, known.get((value or b"").decode(), source.where(line))))
        elif value:
            begins = int(starts[row]) + found.start(3)
            others.append((row, begins, begins + len(value)))
    rows = np.flatnonzero(plain)
    low, high = starts[rows] + len(_SENTENCE), stops[rows]
    if others:
        merged = np.concatenate([np.stack([rows, low, high]), np.array(others).T], axis=1)
        rows, low, high = merged[:, np.argsort(merged[0])]
    return Comments(marks, headers, tokens[rows], Strings.cut(block, low, high))


def _has_prefix(
    block: ByteArray, starts: IntArray, stops: IntArray, prefix: ByteArray
) -> BoolArray:
    """Which comments start with these bytes, and have something behind them."""
    found: BoolArray = stops - starts > len(prefix)
    rows = np.flatnonzero(found)
    for place in range(2, len(prefix)):
        rows = rows[block[starts[rows] + place] == prefix[place]]
    found[:] = False
    found[rows[block[starts[rows] + 1] == prefix[1]]] = True
    return found
