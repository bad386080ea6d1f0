"""Files in XML: parsed without entities, which could stand for gigabytes or for other files."""

from __future__ import annotations

import re
from typing import Any, NoReturn

from corefine.errors import FormatError
from corefine.formats.input.sources import Source

LARGEST = 128 << 20
"""Bytes of a file: room for a long book, and an end to what a broken file can cost."""

_NO_MARKUP = re.compile(rb"<!\[CDATA\[.*?\]\]>|<!--.*?-->", re.DOTALL)
_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z_:][^\s;&<>]*);")


def parsed(source: Source) -> Any:
    """The root of a file; one that is not well-formed, or that has entities, is refused.

    Entities could stand for gigabytes, or for other files.
    """
    from lxml import etree

    content = source.read_all(LARGEST)
    _refuse_entity(content, content.find(b"<!ENTITY"), "an entity declaration", source)
    if b"&" in content:
        plain = _NO_MARKUP.sub(lambda part: re.sub(rb"[^\n]", b" ", part[0]), content)
        for entity in _ENTITY.finditer(plain):
            what = f"the entity &{entity[1].decode('utf-8', 'replace')[:60]};"
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
    # What is not written in ASCII shows its entities only now.
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


def opening(root: bytes) -> re.Pattern[bytes]:
    """How a file begins whose root is this, behind declarations and comments."""
    before = rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml\b[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*"
    return re.compile(before + root, re.DOTALL)


def refuse_element(element: Any, source: Source, message: str, remedy: str) -> NoReturn:
    """Refuse an element, with the line on which it stands."""
    raise FormatError(message, source.where(element.sourceline or 1), remedy)
