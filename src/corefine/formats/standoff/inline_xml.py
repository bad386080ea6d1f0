"""XML with mentions as elements in the text: OntoNotes .coref files, and TEI.

The smallest valid OntoNotes file::

    <DOC DOCNO="nw/x@x@on">
    <TEXT PARTNO="000">
    <COREF ID="1" TYPE="IDENT">Anna</COREF> saw <COREF ID="1" TYPE="IDENT">her</COREF> house
    </TEXT>
    </DOC>

Lines are sentences of tokens separated by blanks. Elements of the type ``IDENT`` with the same id
are an entity; appositions (``APPOS``) are skipped. Traces such as ``*PRO*`` are empty nodes.

The smallest valid TEI file::

    <TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body>
     <p><rs ref="#anna">Anna</rs> saw <rs ref="#anna">her</rs> house.</p>
    </body></text></TEI>

A ``rs``, ``persName``, ``placeName``, ``orgName`` or ``name`` with a ``ref`` (or ``key``) is a
mention of that entity, as CorefAnnotator exports and drama corpora have it. The running text is
tokenized; paragraphs, lines and speeches are sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from corefine.corpus.document import Document, Mention
from corefine.formats.input.sources import Source, document_name
from corefine.formats.input.xml_files import has_root, parsed, refuse_element
from corefine.formats.registry import Capabilities, Format, register

_TRACE = re.compile(r"\*[A-Z?]*\*?(?:-[0-9]+)?|0")
_REFERRING = {"rs", "persName", "placeName", "orgName", "name"}
_BLOCKS = {"p", "l", "s", "sp", "head", "stage", "speaker", "ab", "div", "lg"}


@dataclass(slots=True)
class _RunningText:
    """Running text of an element, with the mentions inside."""

    entity_of: Callable[[Any], str]
    """Entity of an element that is a mention; empty for others."""
    source: Source
    text: str = ""
    mentions: list[Mention] = field(default_factory=list)
    blocks: list[int] = field(default_factory=list)
    """Start of each block of text."""
    _parts: list[str] = field(default_factory=list)
    _size: int = 0

    def read(self, element: Any) -> None:
        self._walk(element)
        self.text = "".join(self._parts)

    def _walk(self, element: Any) -> None:
        if _tag(element) in _BLOCKS:
            self._add("\n")
            self.blocks.append(self._size)
        start, entity, mention = self._size, self.entity_of(element), None
        if entity:
            mention = Mention(entity, [], where=self.source.where(element.sourceline or 1))
            self.mentions.append(mention)
        self._add(element.text)
        for child in element:
            self._walk(child)
            self._add(child.tail)
        if mention is not None:
            mention.spans = [(start, self._size)]

    def _add(self, text: str | None) -> None:
        self._parts.append(text or "")
        self._size += len(text or "")


def _tag(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def read_ontonotes(source: Source) -> Iterator[Document]:
    """The documents of an OntoNotes file, one per part."""
    root = parsed(source)
    name = (root.get("DOCNO") or "").partition("@")[0] or document_name(source, ".coref")

    def entity_of(element: Any) -> str:
        if element.tag != "COREF" or element.get("TYPE", "IDENT") != "IDENT":
            return ""
        if not element.get("ID"):
            refuse_element(element, source, "a COREF without ID", "Give it an ID.")
        return str(element.get("ID"))

    for part in root.iter("TEXT"):
        found = _RunningText(entity_of, source)
        found.read(part)
        number = (part.get("PARTNO") or "").lstrip("0")
        tokens = [match.span() for match in re.finditer(r"\S+", found.text)]
        document = Document.from_text(
            f"{name}; part {number}" if number else name,
            found.text,
            found.mentions,
            tokens=tokens,
            source=source.name,
        )
        words = document.tokens or []
        document.empty_nodes = [row for row, word in enumerate(words) if _TRACE.fullmatch(word)]
        # The text has been tokenized: blanks between tokens are not those of the original.
        document.text, document.offsets = None, []
        yield document


def read_tei(source: Source) -> Iterator[Document]:
    """The document of a TEI file."""

    def entity_of(element: Any) -> str:
        if _tag(element) not in _REFERRING:
            return ""
        return (element.get("ref") or element.get("key") or "").removeprefix("#")

    found = _RunningText(entity_of, source)
    for element in parsed(source).iter():
        if _tag(element) == "body":
            found.read(element)
    mentions = [one for one in found.mentions if found.text[slice(*one.spans[0])].strip()]
    document = Document.from_text(
        document_name(source, ".xml", ".tei"),
        found.text,
        mentions,
        sentences=found.blocks,
        source=source.name,
    )
    if len(mentions) < len(found.mentions):
        count = len(found.mentions) - len(mentions)
        document.warnings.append(f"{source.name}: {count:,} empty referring strings are ignored")
    yield document


ONTONOTES = register(
    Format(
        name="ontonotes",
        title="OntoNotes .coref files",
        suffixes=(".coref",),
        read=read_ontonotes,
        detect=has_root(rb"<DOC\s+DOCNO="),
        capabilities=Capabilities(zeros=True),
        documentation="docs/formats/xml.md",
    )
)
TEI = register(
    Format(
        name="tei",
        title="TEI with referring strings",
        suffixes=(".tei",),
        read=read_tei,
        detect=has_root(rb"<(?:\w+:)?(?:TEI|teiCorpus)\b"),
        capabilities=Capabilities(),
        documentation="docs/formats/xml.md",
    )
)
