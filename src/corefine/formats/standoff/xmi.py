"""UIMA CAS as XMI: a text, tokens and sentences of its characters, and chains of links.

The smallest valid file::

    <xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore"
        xmlns:coref="http:///de/tudarmstadt/ukp/dkpro/core/api/coref/type.ecore">
     <coref:CoreferenceLink xmi:id="2" sofa="1" begin="0" end="4" next="3"/>
     <coref:CoreferenceLink xmi:id="3" sofa="1" begin="9" end="12"/>
     <coref:CoreferenceChain xmi:id="4" sofa="1" first="2"/>
     <cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" sofaString="Anna saw her house."/>
    </xmi:XMI>

Every element is a feature structure, its attributes are the features.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from corefine.corpus.corpus import Corpus
from corefine.formats.building.document_rows import DocumentRows, documents_of
from corefine.formats.input.folders import document_name
from corefine.formats.input.sources import Source
from corefine.formats.input.xml_files import opening, parsed
from corefine.formats.registry import Capabilities, Format, register
from corefine.formats.standoff.cas import Structure, add_document

_ROOT = opening(rb"<(?:\w+:)?XMI\b")
_ID = "{http://www.omg.org/XMI}id"


def _read(source: Source, rows: DocumentRows) -> None:
    structures = (_structure(element, source) for element in parsed(source))
    add_document(structures, document_name(source, ".xmi", ".xml"), rows, source)


def _structure(element: Any, source: Source) -> Structure:
    type = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
    where = source.where(element.sourceline or 1)
    return Structure(type, element.get(_ID) or "", dict(element.attrib), where)


def read(source: Source, layers: frozenset[str] | None) -> Corpus:
    """The one document of a file."""
    return read_many([source], layers)


read_many = partial(documents_of, format="xmi", add=_read)
"""The documents of files."""


def sniff(head: bytes, name: str) -> float:
    """Sure where the root is XMI."""
    return 0.9 if _ROOT.match(head) else 0.0


XMI = register(
    Format(
        name="xmi",
        title="UIMA CAS XMI: chains of CoreferenceLink (DKPro, INCEpTION)",
        suffixes=(".xmi",),
        sniff=sniff,
        read_columns=read,
        read_many=read_many,
        capabilities=Capabilities(types=True, zeros=True),
        documentation="docs/formats/webanno.md",
    )
)
