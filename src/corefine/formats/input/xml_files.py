"""XML files, parsed without entities, which could expand to gigabytes or to other files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NoReturn

from corefine.errors import FormatError
from corefine.formats.input.sources import Source

LARGEST = 128 << 20
"""Bytes of a file: room for a long book, and an end to what a broken file can cost."""

_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z_:][^\s;&<>]{0,60});")
_SECTIONS = {b"<![CDATA[": b"]]>", b"<!--": b"-->"}


def parsed(source: Source) -> Any:
    """The root of a file; one that is not well-formed, or that has entities, is refused.

    Entities could expand to gigabytes, or to other files.
    """
    from lxml import etree

    content = source.read_all(LARGEST)
    _refuse_entity(content, content.find(b"<!ENTITY"), "an entity declaration", source)
    if b"&" in content:
        plain = _without_sections(content)
        for entity in _ENTITY.finditer(plain):
            what = f"the entity &{entity[1].decode('utf-8', 'replace')};"
            _refuse_entity(content, entity.start(), what, source)
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        message = getattr(error, "msg", None) or str(error)
        message = re.sub(r",? ?line \d+, column \d+.*", "", message).strip()
        raise FormatError(
            f"not well-formed XML: {message[:200]}",
            source.where(getattr(error, "lineno", None) or None),
            "Write the file again with an XML library.",
        ) from None
    # In other encodings than ASCII, entities are visible only after parsing.
    declared: Any = root.getroottree().docinfo.internalDTD
    if (declared is not None and declared.entities()) or next(root.iter(etree.Entity), None):
        _refuse_entity(content, 0, "an entity", source)
    return root


def _refuse_entity(content: bytes, place: int, what: str, source: Source) -> None:
    if place >= 0:
        raise FormatError(
            f"{what}: not allowed",
            source.where(1 + content.count(b"\n", 0, place)),
            "Write out what it stands for, and declare no entities.",
        )


def _without_sections(content: bytes) -> bytes:
    """The content with comments and CDATA sections blanked; positions stay the same."""
    parts: list[bytes] = []
    place = 0
    found = {mark: content.find(mark) for mark in _SECTIONS}
    while any(start >= 0 for start in found.values()):
        mark = min((mark for mark in found if found[mark] >= 0), key=found.__getitem__)
        start = found[mark]
        stop = content.find(_SECTIONS[mark], start)
        if stop < 0:
            break  # not well-formed, which the parser reports
        stop += len(_SECTIONS[mark])
        parts += [content[place:start], b" " * (stop - start)]
        place = stop
        for other, position in found.items():
            if 0 <= position < place:
                found[other] = content.find(other, place)
    return b"".join([*parts, content[place:]])


@dataclass(frozen=True, slots=True)
class RootPattern:
    """Pattern of the root element of a file, after declarations and comments."""

    pattern: re.Pattern[bytes]

    def matches(self, head: bytes) -> bool:
        """True if a file with these first bytes has the root element."""
        place = _skip_blanks(head, 3 if head.startswith(b"\xef\xbb\xbf") else 0)
        while head.startswith((b"<?xml", b"<!--", b"<!DOCTYPE"), place):
            comment = head.startswith(b"<!--", place)
            stop = head.find(b"-->" if comment else b">", place)
            subset = head.find(b"[", place, stop)
            if subset >= 0 and not comment:
                stop = head.find(b">", head.find(b"]", subset))
            if stop < 0:
                return False
            place = _skip_blanks(head, stop + (3 if comment else 1))
        return self.pattern.match(head, place) is not None


def _skip_blanks(head: bytes, place: int) -> int:
    while head[place : place + 1].isspace():
        place += 1
    return place


def root_pattern(pattern: bytes) -> RootPattern:
    """Pattern of files with this root element."""
    return RootPattern(re.compile(pattern))


def refuse_element(element: Any, source: Source, message: str, remedy: str) -> NoReturn:
    """Refuse an element, with the line on which it stands."""
    raise FormatError(message, source.where(element.sourceline or 1), remedy)
