"""XML files, parsed without entities, which could expand to gigabytes or to other files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Set
from typing import Any, NoReturn

from corefine.corpus.document import Mention
from corefine.errors import FormatError
from corefine.formats.io.sources import Source

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
        raise source.error(
            f"not well-formed XML: {message[:200]}",
            getattr(error, "lineno", None) or None,
            "Write the file again with an XML library.",
        ) from None
    # In other encodings than ASCII, declarations are visible only after parsing.
    doctype: Any = root.getroottree().docinfo.internalDTD
    entity = next(root.iter(etree.Entity), None)
    if entity is not None or (doctype is not None and doctype.entities()):
        raise _entity_error(source, 1 if entity is None else entity.sourceline or 1)
    return root


def _entity_error(source: Source, line: int) -> FormatError:
    return source.error(
        "entities are not allowed", line, "Write out what they stand for, and declare none."
    )


def has_root(pattern: bytes) -> Callable[[bytes, str], bool]:
    """A predicate of files with this root element, after declarations and comments."""
    root = re.compile(pattern)

    def detect(head: bytes, name: str) -> bool:
        text = head.removeprefix(b"\xef\xbb\xbf").removeprefix(_WRAPPER).lstrip()
        while text.startswith((b"<?xml", b"<!--", b"<!DOCTYPE")):
            end = b"-->" if text.startswith(b"<!--") else b">"
            stop = text.find(end)
            if end == b">" and 0 <= text.find(b"[") < stop:
                stop = text.find(end, text.find(b"]"))
            if stop < 0:
                return False
            text = text[stop + len(end) :].lstrip()
        return root.match(text) is not None

    return detect


def refuse_element(element: Any, source: Source, message: str, remedy: str) -> NoReturn:
    """Refuse an element, and name its line."""
    raise source.error(message, element.sourceline or 1, remedy)


def by_id(elements: Iterable[Any], key: str, source: Source, remedy: str) -> dict[str, Any]:
    """Elements by their ids, which must be unique."""
    found: dict[str, Any] = {}
    for element in elements:
        id = element.get(key)
        if not id or id in found:
            message = f"a missing or duplicate {key}: {(id or '')[:60]!r}"
            refuse_element(element, source, message, remedy)
        found[id] = element
    return found


def tag_of(element: Any) -> str:
    """The tag of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def running_text(
    elements: Iterable[Any],
    entity_of: Callable[[Any], str],
    source: Source,
    block_tags: Set[str] = frozenset(),
) -> tuple[str, list[Mention], list[int]]:
    """Text of elements, the mentions inside, and the characters at which blocks of text start.

    ``entity_of`` gives the entity of an element that is a mention, and nothing for others.
    """
    parts: list[str] = []
    mentions: list[Mention] = []
    blocks: list[int] = []
    size = 0

    def add(text: str | None) -> None:
        nonlocal size
        parts.append(text or "")
        size += len(parts[-1])

    def walk(element: Any) -> None:
        if tag_of(element) in block_tags:
            add("\n")
            blocks.append(size)
        start, entity = size, entity_of(element)
        mention = Mention(entity, [], where=source.where(element.sourceline or 1))
        if entity:
            mentions.append(mention)
        add(element.text)
        for child in element:
            walk(child)
            add(child.tail)
        mention.spans = [(start, size)]

    for element in elements:
        walk(element)
    return "".join(parts), mentions, blocks
