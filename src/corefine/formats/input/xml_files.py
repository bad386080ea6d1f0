"""Files in XML: parsed without entities, which could stand for gigabytes or for other files."""

from __future__ import annotations

import re
from typing import Any

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
    _refuse_entity(content, content.find(b"<!ENTITY"), "a declaration of an entity", source)
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
            "Write it again with a tool that writes XML.",
        ) from None
    # What is not written in ASCII shows its entities only now.
    declared: Any = root.getroottree().docinfo.internalDTD
    if (declared is not None and declared.entities()) or next(root.iter(etree.Entity), None):
        _refuse_entity(content, 0, "an entity", source)
    return root


def _refuse_entity(content: bytes, place: int, what: str, source: Source) -> None:
    if place >= 0:
        raise FormatError(
            f"{what}, which is refused",
            source.where(1 + content.count(b"\n", 0, place)),
            "Write what it stands for, and declare no entities.",
        )
