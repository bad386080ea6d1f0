"""XML files, checked by lxml and given as bytes of which every ``<`` opens a tag.

Entities are refused: those of a file could stand for gigabytes, or for other files. What would need
more care as bytes (comments, CDATA, other encodings) is parsed and written anew by lxml; any other
file is only checked, for which no tree is built.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from corefine.corpus.arrays import ByteArray, IntArray
from corefine.errors import FormatError, Location
from corefine.formats.input.sources import Source

LARGEST = 128 << 20
"""Bytes of a file: room for a long book, and an end to what a broken file can cost."""

_OPEN, _CLOSE, _EXCLAMATION, _QUESTION = b"<>!?"
_ENTITY = b"<!ENTITY"
_PROLOG = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(<\?xml\b[^>]*?\?>)?\s*(?:<!DOCTYPE\b[^\[>]*>)?", re.DOTALL
)
_ENCODING = re.compile(rb"""\bencoding\s*=\s*["']([^"']*)["']""")
_PLAIN_ENCODINGS = (b"UTF-8", b"US-ASCII")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class XmlFile:
    """A well-formed document without its declarations."""

    source: Source
    content: bytes
    starts: IntArray
    """Where tags start: at their ``<``."""
    stops: IntArray
    """Where they end: at their ``>``."""
    as_given: bool
    """Whether these are the bytes of the file itself, so that its lines can be told."""

    @classmethod
    def of(cls, source: Source) -> XmlFile:
        """Read a file; one that is not well-formed, or declares entities, is refused."""
        content = source.read_all(LARGEST)
        place = content.find(_ENTITY)
        if place >= 0:
            line = 1 + content.count(b"\n", 0, place)
            raise refused_entity("a declaration of an entity", source.where(line))
        body = _without_prolog(content)
        tags = None if body is None else _tags(body)
        if body is not None and tags is not None:
            _check(content, source)
            return cls(source, body, *tags, as_given=True)
        body = _rewritten(content, source)
        tags = _tags(body)
        assert tags is not None
        return cls(source, body, *tags, as_given=False)


def refused_entity(what: str, where: Location) -> FormatError:
    return FormatError(
        f"{what}, which is refused", where, "Write what it stands for, and declare no entities."
    )


def _without_prolog(content: bytes) -> bytes | None:
    """The content without its declarations, their lines left; None if it is not in UTF-8.

    Line ends are those that XML sees.
    """
    prolog = _PROLOG.match(content)
    assert prolog is not None
    encoding = _ENCODING.search(prolog[1] or b"")
    if encoding is not None and encoding[1].upper() not in _PLAIN_ENCODINGS:
        return None
    body = b"\n" * prolog[0].count(b"\n") + content[prolog.end() :]
    if b"\r" in body:
        body = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return body


def _tags(body: bytes) -> tuple[IntArray, IntArray] | None:
    """Where tags start and stop; None where there is more than tags and text."""
    text: ByteArray = np.frombuffer(body, np.uint8)
    starts, stops = np.flatnonzero(text == _OPEN), np.flatnonzero(text == _CLOSE)
    if len(starts) != len(stops) or (stops <= starts).any() or (stops[:-1] > starts[1:]).any():
        return None
    second = text[starts + 1]
    if ((second == _EXCLAMATION) | (second == _QUESTION)).any():
        return None
    return starts, stops


class _Nothing:
    """What lxml gives the parts of a document to, so that it makes nothing of them."""

    def close(self) -> None:
        return None


def _check(content: bytes, source: Source) -> None:
    """Refuse what is not well-formed."""
    from lxml import etree

    target: Any = _Nothing()
    parser = etree.XMLParser(
        target=target, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise _malformed(error, source) from None


def _rewritten(content: bytes, source: Source) -> bytes:
    """The elements of a document alone, written as lxml writes them."""
    from lxml import etree

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
        raise _malformed(error, source) from None
    declared: Any = root.getroottree().docinfo.internalDTD
    if declared is not None and declared.entities():
        raise refused_entity("a declaration of an entity", source.where())
    return bytes(etree.tostring(root, encoding="utf-8", xml_declaration=False, with_tail=False))


def _malformed(error: Exception, source: Source) -> FormatError:
    line = getattr(error, "lineno", None)
    message = getattr(error, "msg", None) or str(error)
    message = re.sub(r",? ?line \d+, column \d+.*", "", message).strip()
    return FormatError(
        f"not well-formed XML: {message[:200]}",
        source.where(line or None),
        "Write it again with a tool that writes XML.",
    )
