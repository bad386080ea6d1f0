"""The comments of CoNLL-U that matter: beginnings of documents, headers, ids of sentences.

Nearly all comments of a file give the text or the id of a sentence; they are told by their first
bytes, all at once. Python looks at the others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray
from corefine.corpus.strings import Strings
from corefine.formats.conllu.conllu_header import Header, Headers
from corefine.formats.input.sources import Source

_COMMENT = re.compile(
    rb"#[ \t]*(?:(newdoc)(?:[ \t]+id)?|(global\.Entity)|sent_id)(?:[ \t]*=[ \t]*(.*?))?[ \t\r]*",
    re.DOTALL,
)
_SENTENCE = np.frombuffer(b"# sent_id = ", np.uint8)
_TEXT = np.frombuffer(b"# text = ", np.uint8)


def begun_name(line: bytes) -> str | None:
    """The id of the document that a line begins, empty if it has none; None for other lines."""
    found = _COMMENT.fullmatch(line)
    if found is None or found.group(1) is None:
        return None
    return (found.group(3) or b"").decode("utf-8", "replace")


def header_text(line: bytes) -> bytes | None:
    """The fields that a line names; None if it is no header."""
    found = _COMMENT.fullmatch(line)
    return None if found is None or found.group(2) is None else found.group(3) or b""


@dataclass(frozen=True, slots=True)
class Mark:
    """A line that begins a document; ``name`` is None where it gives no id."""

    token: int
    line: int
    name: str | None


@dataclass(frozen=True, slots=True)
class Comments:
    """What the comments of a block say, and the tokens before which they say it."""

    marks: list[Mark]
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
    marks: list[Mark] = []
    headers: list[tuple[int, Header]] = []
    others: list[tuple[int, int, int]] = []
    for row in np.flatnonzero(~plain & ~_has_prefix(block, starts, stops, _TEXT)).tolist():
        content = block[starts[row] : stops[row]].tobytes()
        found = _COMMENT.fullmatch(content)
        if found is None:
            continue
        token, line = int(tokens[row]), int(lines[row])
        is_document, is_header, value = found.groups()
        if is_document:
            marks.append(Mark(token, line, value.decode() if value else None))
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
