"""OntoNotes .coref files: XML with mentions as elements in tokenized text.

The smallest valid file::

    <DOC DOCNO="nw/x@x@on">
    <TEXT PARTNO="000">
    <COREF ID="1" TYPE="IDENT">Anna</COREF> saw <COREF ID="1" TYPE="IDENT">her</COREF> house
    </TEXT>
    </DOC>

Lines are sentences of tokens separated by blanks. Elements of the type ``IDENT`` with the same id
are an entity; appositions (``APPOS``) are skipped. Traces such as ``*PRO*`` are empty nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from corefine.corpus.document import Document
from corefine.formats.io.sources import Source, document_name
from corefine.formats.io.xml_files import has_root, parsed, refuse_element, running_text
from corefine.formats.registry import Format, register

_TRACE = re.compile(r"\*[A-Z?]*\*?(?:-[0-9]+)?|0")


def read(source: Source) -> Iterator[Document]:
    """The documents of a file, one per part."""
    root = parsed(source)
    name = (root.get("DOCNO") or "").partition("@")[0] or document_name(source, ".coref")

    def entity_of(element: Any) -> str:
        type = element.get("TYPE", "IDENT") if element.tag == "COREF" else "APPOS"
        if type not in ("IDENT", "APPOS"):
            message = f"a COREF of the unknown type {type[:60]!r}"
            refuse_element(element, source, message, "Types are IDENT and APPOS.")
        if type == "APPOS":
            return ""
        if not element.get("ID"):
            refuse_element(element, source, "a COREF without ID", "Give it an ID.")
        return str(element.get("ID"))

    for part in root.iter("TEXT"):
        text, mentions, _ = running_text([part], entity_of, source)
        number = (part.get("PARTNO") or "").lstrip("0")
        tokens = [match.span() for match in re.finditer(r"\S+", text)]
        called = f"{name}; part {number}" if number else name
        document = Document.from_text(called, text, mentions, tokens=tokens, source=source.name)
        words = document.tokens or []
        document.empty_nodes = [row for row, word in enumerate(words) if _TRACE.fullmatch(word)]
        # The text has been tokenized: blanks between tokens differ from the original.
        document.running_text, document.offsets = None, []
        yield document


ONTONOTES = register(
    Format(
        name="ontonotes",
        title="OntoNotes .coref files",
        suffixes=(".coref",),
        read=read,
        detect=has_root(rb"<DOC\s+DOCNO="),
    )
)
