"""XML files, parsed without entities, which could expand to gigabytes or to other files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NoReturn

from corefine.errors import FormatError
from corefine.formats.input.sources import Source

LARGEST = 128 << 20
"""Bytes of a file: room for a long book, and an end to what a broken file can cost."""

_WRAPPER = b"<#root>"


def parsed(source: Source) -> Any:
    """The root of a file; one that is not well-formed, or that has entities, is refused.

    Entities could expand to gigabytes, or to other files.
    """
    from lxml import etree

    content = source.read_all(LARGEST)
    if content.startswith(_WRAPPER):
        # Exports of DramaNLP are wrapped in elements without a valid name.
        content = content.removeprefix(_WRAPPER).replace(b"</#root>", b"")
    declared = content.find(b"<!ENTITY")
    if declared >= 0:
        raise _entity_error(source, 1 + content.count(b"\n", 0, declared))
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
    # In other encodings than ASCII, declarations are visible only after parsing.
    doctype: Any = root.getroottree().docinfo.internalDTD
    entity = next(root.iter(etree.Entity), None)
    if entity is not None or (doctype is not None and doctype.entities()):
        raise _entity_error(source, 1 if entity is None else entity.sourceline or 1)
    return root


def _entity_error(source: Source, line: int) -> FormatError:
    return FormatError(
        "entities are not allowed",
        source.where(line),
        "Write out what they stand for, and declare none.",
    )


@dataclass(frozen=True, slots=True)
class RootPattern:
    """Pattern of the root element of a file, after declarations and comments."""

    pattern: re.Pattern[bytes]

    def matches(self, head: bytes) -> bool:
        """True if a file with these first bytes has the root element."""
        head = head.removeprefix(b"\xef\xbb\xbf").removeprefix(_WRAPPER)
        place = _skip_blanks(head, 0)
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
