"""A reader of CoNLL files as plain as can be, line by line, to hold the fast one against."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from corefine.corpus.corpus import Corpus
from corefine.formats.io.token_rows import leaves_last_cells_empty

Mention = tuple[str, int, int]


CONTROLS = "".join(map(chr, range(33)))
WHITE = str.maketrans(dict.fromkeys(CONTROLS, " "))


PLACEHOLDERS = ("-", "_", "*")


class RefusedError(Exception):
    """The file is not to be read."""


def decoded(data: bytes) -> str:
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError:
        raise RefusedError("encoding") from None
    if "\0" in text:
        raise RefusedError("binary")
    return text


@dataclass
class Bracketed:
    """A mention between brackets: its entity, its first and last token, and its fields."""

    name: str
    first: int
    last: int = -1
    fields: Any = None


def paired(brackets: Iterable[tuple[int, str, str, str, Any]]) -> list[Bracketed]:
    """The mentions of brackets (token, opening, name, closing, fields), as they open."""
    pairs: list[Bracketed] = []
    still_open: dict[str, list[Bracketed]] = {}
    for token, opening, name, closing, fields in brackets:
        stack = still_open.setdefault(name, [])
        if opening:
            pairs.append(Bracketed(name, token, fields=fields))
            stack.append(pairs[-1])
        elif not stack:
            raise RefusedError("never opened")
        if closing:
            stack.pop().last = token
    if any(still_open.values()):
        raise RefusedError("never closed")
    return pairs


@dataclass
class PlainDocument:
    name: str
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    sentences: list[int] = field(default_factory=list)


def is_tabbed(lines: list[str]) -> bool:
    """The first token decides: tabs separate its columns, unless one is pasted to others."""
    for line in lines:
        if line and not line.startswith("#"):
            tabs = line.count("\t")
            return tabs > 1 or (tabs == 1 and len(line.translate(WHITE).split()) < 5)
    return True


def cells_of(line: str, tabbed: bool) -> list[str]:
    if tabbed:
        return line.split("\t")
    return [cell for cell in line.translate(WHITE).split(" ") if cell]


def is_bracket_cell(cell: str) -> bool:
    return (
        re.fullmatch(r"(\|*(\([^()|\x00-\x20]+\)|\([^()|\x00-\x20]+|[^()|\x00-\x20]+\)))+\|*", cell)
        is not None
    )


def is_comment(line: str, tabbed: bool) -> bool:
    first, *others = line.split("\t")
    last = others[-1] if others else ""
    return not (
        tabbed
        and others
        and " " not in first
        and (last in ("-", "_", "*") or is_bracket_cell(last))
    )


def plain_documents(data: bytes) -> list[PlainDocument]:
    text = decoded(data)
    documents: list[PlainDocument] = []
    current: PlainDocument | None = None
    ended = True
    lines = text.split("\n")
    if max(len(line.encode()) for line in lines) > 1 << 20:
        raise RefusedError("long line")
    tabbed = is_tabbed([line.rstrip(CONTROLS) for line in lines])
    if tabbed and leaves_last_cells_empty(data):
        lines = [line.removesuffix("\r") for line in lines]
        lines = [f"{line}-" if line.endswith("\t") else line for line in lines]
    lines = [line.rstrip(CONTROLS) for line in lines]
    for number, line in enumerate(lines, start=1):
        if not re.search(r"[^\x00-\x20]", line):
            ended = True
            continue
        mark = re.match(
            r"#[ \t\r\f\v]*(begin|end)[ \t\r\f\v]+document\b(.*)", line, re.I | re.S | re.A
        )
        if mark and mark.group(1).lower() == "begin":
            current = PlainDocument(name_of(mark.group(2)))
            documents.append(current)
            ended = True
        elif mark:
            current = None
            ended = True
        elif not line.startswith("#") or not is_comment(line, tabbed):
            if current is None:
                raise RefusedError("outside of a document")
            if ended:
                current.sentences.append(len(current.rows))
                ended = False
            current.rows.append((number, cells_of(line, tabbed)))
    if not documents:
        raise RefusedError("no document")
    return documents


def name_of(text: str) -> str:
    text, part = text.strip(), ""
    found = re.search(r"(;|(?<=\)))\s*part\s+(\S+)$", text, re.IGNORECASE)
    if found:
        text, part = text[: found.start()], found.group(2)
        if part.isdecimal() and len(part) < 19:
            part = str(int(part) or "")
    text = text.rstrip("; ")
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1].strip()
    return f"{text}; part {part}" if part else text


def check_widths(document: PlainDocument) -> None:
    for start, stop in pairwise([*document.sentences, len(document.rows)]):
        if len({len(cells) for _, cells in document.rows[start:stop]}) > 1:
            raise RefusedError("another width")


def content_of(document: PlainDocument) -> tuple[list[str], list[Mention]]:
    """Words, and mentions as (entity, first token, last token)."""
    words: list[str] = []
    brackets: list[tuple[int, str, str, str, None]] = []
    check_widths(document)
    for token, (_, cells) in enumerate(document.rows):
        last = cells[-1]
        if last in PLACEHOLDERS:
            last = ""
        elif not re.fullmatch(r"(\|*\(?[^()|\x00-\x20]+\)?)+\|*", last):
            raise RefusedError("malformed cell")
        words.append(cells[3] if len(cells) > 4 else cells[-2] if len(cells) > 1 else "")
        for opening, entity, closing in re.findall(r"(\(?)([^()|]+)(\)?)", last):
            brackets.append((token, opening, entity, closing, None))
    return words, [(one.name, one.first, one.last) for one in paired(brackets)]


Plain = tuple[str, list[int], list[int], list[str], list[Mention]]
"""Name, lines, sentences, words and mentions of a document."""


def as_plain(corpus: Corpus) -> list[Plain]:
    return [
        (
            document.name,
            list(document.lines),
            document.starts,
            document.tokens or [],
            [(str(m.entity), m.spans[0][0], m.spans[0][1] - 1) for m in document.mentions],
        )
        for document in corpus
    ]


def plainly_read(data: bytes) -> list[Plain]:
    """What :func:`as_plain` must give for this file."""
    plain = []
    for document in plain_documents(data):
        words, mentions = content_of(document)
        lines = [number for number, _ in document.rows]
        plain.append((document.name, lines, document.sentences, words, mentions))
    return plain
