"""TEI: running text in XML with referring strings as elements.

The smallest valid file::

    <TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body>
     <p><rs ref="#anna">Anna</rs> saw <rs ref="#anna">her</rs> house.</p>
    </body></text></TEI>

A ``rs``, ``persName``, ``placeName``, ``orgName`` or ``name`` with a ``ref`` (or ``key``) is a
mention of that entity, as CorefAnnotator exports and drama corpora have it. One that refers to
several, ``ref="#anna #ben"``, mentions the set of them: its entities are its split antecedents. The
running text is tokenized; paragraphs, lines and speeches are sentences. Each ``TEI`` of a
``teiCorpus`` is a document; the root may be ``text`` as well. Only the ``body`` is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from corefine.corpus.columns import Relation
from corefine.corpus.document import Document
from corefine.formats.io.sources import Source, document_name
from corefine.formats.io.xml_files import has_root, parsed, refuse_element, running_text, tag_of
from corefine.formats.registry import Format, register

_REFERRING = {"rs", "persName", "placeName", "orgName", "name"}
_BLOCKS = {"p", "l", "s", "sp", "head", "stage", "speaker", "ab", "div", "lg"}
_ID = "{http://www.w3.org/XML/1998/namespace}id"


def read(source: Source) -> Iterator[Document]:
    """The documents of a TEI file."""
    root = parsed(source)
    name = document_name(source, ".xml", ".tei")
    texts = [
        element
        for element in root.iter()
        if tag_of(element) == "TEI" and not any(tag_of(inner) == "TEI" for inner in element[:])
    ]
    if not texts and tag_of(root) == "teiCorpus":
        refuse_element(root, source, "a teiCorpus without TEI", "Put texts into TEI elements.")
    for number, text in enumerate(texts or [root], 1):
        yield _document(text, text.get(_ID) or (f"{name}:{number}" if number > 1 else name), source)


def _document(text: Any, name: str, source: Source) -> Document:
    """The document of one text, whose bodies follow one another."""
    bodies = _outermost_bodies(text)
    if not bodies:
        _refuse_without_body(text, source)
    words, found, blocks = running_text(bodies, partial(_entity, source), source, _BLOCKS)
    mentions = [one for one in found if words[slice(*one.spans[0])].strip()]
    document = Document.from_text(name, words, mentions, sentences=blocks, source=source.name)
    entities = {str(mention.entity) for mention in mentions}
    for entity in sorted(entities):
        known = [one for one in entity.split() if one in entities] if " " in entity else []
        document.relations += [Relation("split", 0, entity, one) for one in known]
    texts = [one for one in text.iter() if tag_of(one) in ("front", "back")]
    outside = [one for part in texts for one in part.iter() if _entity(source, one)]
    empty = len(found) - len(mentions)
    for count, what in ((empty, "empty referring strings"), (len(outside), "in front or back")):
        if count:
            document.warnings.append(f"{source.name}: {count:,} mentions are ignored: {what}")
    return document


def _entity(source: Source, element: Any) -> str:
    """Entity of a referring string: its reference, or all of them in alphabetical order."""
    if tag_of(element) not in _REFERRING:
        return ""
    given = [element.get(key) for key in ("ref", "key") if key in element.attrib]
    if given and not any(map(str.strip, given)):
        refuse_element(element, source, "an empty reference", "Name an entity, or leave it out.")
    if element.get("ref"):
        return " ".join(sorted({one.removeprefix("#") for one in element.get("ref").split()}))
    return (element.get("key") or "").removeprefix("#")


def _outermost_bodies(text: Any) -> list[Any]:
    """Bodies that are not inside another one, as the bodies of floating texts are."""
    bodies = [element for element in text.iter() if tag_of(element) == "body"]
    inner = {id(one) for body in bodies for one in body.iter() if one is not body}
    return [body for body in bodies if id(body) not in inner]


def _refuse_without_body(text: Any, source: Source) -> None:
    if any(tag_of(element) in ("annotations", "annotationGrp") for element in text.iter()):
        refuse_element(
            text,
            source,
            "URS annotations (Democrat, TXM), which are not supported",
            "Convert them to CoNLL-U or CoNLL; Democrat is published in this form as well.",
        )
    refuse_element(text, source, "a text without <body>", "Put the text into text/body.")


register(
    Format(
        "tei",
        "TEI with referring strings",
        (".tei",),
        read,
        has_root(rb"<(?:\w+:)?(?:TEI|teiCorpus)\b|<text\b[^>]*>\s*(?:<(?:front|body|group)\b)"),
    )
)
