"""UIMA CAS as XMI: a text, tokens and sentences of its characters, and chains of links.

The smallest valid file::

    <xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore"
        xmlns:coref="http:///de/tudarmstadt/ukp/dkpro/core/api/coref/type.ecore">
     <coref:CoreferenceLink xmi:id="2" sofa="1" begin="0" end="4" next="3"/>
     <coref:CoreferenceLink xmi:id="3" sofa="1" begin="9" end="12"/>
     <coref:CoreferenceChain xmi:id="4" sofa="1" first="2"/>
     <cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" sofaString="Anna saw her house."/>
    </xmi:XMI>

A chain is an element whose attribute ``first`` leads to a link, each link leads to the ``next``.
DKPro's are read, and the layers of chains that people define in WebAnno and INCEpTION. The
``referenceType`` of a link is its type. ``Token`` and ``Sentence`` cut the text; without tokens it
is cut at blanks and signs. Characters are counted in the 16-bit units of UTF-16.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from corefine.corpus.corpus import Corpus
from corefine.errors import FormatError
from corefine.formats.building.cut_tokens import Span, cut
from corefine.formats.building.document_rows import DocumentRows, documents_of
from corefine.formats.building.reference_types import kind_of
from corefine.formats.building.utf16 import code_point_offsets
from corefine.formats.input.folders import document_name
from corefine.formats.input.sources import Source
from corefine.formats.input.xml_files import opening, parsed, refuse_element
from corefine.formats.registry import Format, Holds, register

_ROOT = opening(rb"<(?:\w+:)?XMI\b")
_XMI = "{http://www.omg.org/XMI}id"
_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class _Link:
    """A mention: its place, type, what follows it in its chain, and its element."""

    place: Span
    type: str
    next: str
    element: Any


def _read(source: Source, rows: DocumentRows) -> None:
    root = parsed(source)
    sofa, text = _text(root, source)
    offsets = code_point_offsets(text)
    lines: dict[Span, int] = {}
    sentences: list[Span] = []
    links: dict[str, _Link] = {}
    chains: list[tuple[str, str, Any]] = []
    name = document_name(source, ".xmi", ".xml")
    for element in root:
        kind = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
        id = element.get(_XMI) or ""
        if kind == "DocumentMetaData":
            name = element.get("documentId") or element.get("documentTitle") or name
        elif element.get("sofa", sofa) != sofa:
            continue
        elif kind == "Token":
            lines[_place(element, offsets, source)] = element.sourceline or 1
        elif kind == "Sentence":
            sentences.append(_place(element, offsets, source))
        elif element.get("first") is not None and element.get("begin") is None:
            chains.append((id, element.get("first") or "", element))
        elif kind.endswith("Link") and element.get("begin") is not None:
            links[id] = _Link(
                _place(element, offsets, source),
                element.get("referenceType") or "",
                element.get("next") or "",
                element,
            )
    rows.begin(name, source.name)
    if not chains:
        rows.warnings.append(f"{source.name}: no chains, so there are no mentions")
    mentions = [
        (chain, links[id])
        for chain, first, at in chains
        for id in _members(first, links, at, source)
    ]
    tokens = sorted((start, stop) for start, stop in lines if start < stop)
    if not tokens:
        tokens = [found.span() for found in _WORD.finditer(text)]
    _refuse_overlaps(tokens, source)
    found = cut(tokens, [link.place for _, link in mentions])
    begins = sorted(start for start, _ in sentences)
    sentence = 0
    for (start, stop), owner in zip(found.pieces, found.owner, strict=True):
        while sentence < len(begins) and begins[sentence] <= start:
            sentence += 1
        line = lines.get(tokens[owner], 1) if owner >= 0 else 1
        rows.add(text[start:stop] or "_", sentence, line, empty=start == stop)
    for (chain, link), (first, behind) in zip(mentions, found.mentions, strict=True):
        if behind <= first:
            refuse_element(
                link.element, source, "a link without a token", "It must cover words of the text."
            )
        rows.mentions.add(rows.document, chain, [(first, behind)], kind_of(link.type), link.type)


def _text(root: Any, source: Source) -> tuple[str, str]:
    """The first view that has a text, by its id, and this text."""
    for element in root:
        if isinstance(element.tag, str) and element.tag.endswith("}Sofa"):
            text = element.get("sofaString")
            if text is not None:
                return element.get(_XMI) or "", str(text)
    raise FormatError(
        "no Sofa with a sofaString, so there is no text",
        source.where(1),
        "Export the document with its text.",
    )


def _place(element: Any, offsets: Sequence[int], source: Source) -> Span:
    """First character of an annotation, and the one behind its last."""
    begin, end = element.get("begin") or "", element.get("end") or ""
    if not all(
        number.isascii() and number.isdigit() and len(number) < 10 for number in (begin, end)
    ):
        refuse_element(
            element,
            source,
            f"an annotation from {begin[:20]!r} to {end[:20]!r}",
            "begin and end must be integers.",
        )
    low, high = int(begin), int(end)
    if not low <= high < len(offsets):
        refuse_element(
            element,
            source,
            f"an annotation from {low} to {high} in a text of {len(offsets) - 1:,} characters",
            "Offsets are UTF-16 code units from 0, end exclusive.",
        )
    return offsets[low], offsets[high]


def _members(first: str, links: dict[str, _Link], at: Any, source: Source) -> list[str]:
    """The links of a chain, from the first to the last."""
    found: dict[str, None] = {}
    id = first
    while id:
        if id not in links:
            refuse_element(
                at, source, f"{id[:20]!r} is not a link", "first and next must refer to links."
            )
        if id in found:
            refuse_element(
                at,
                source,
                f"link {id[:20]!r} occurs twice in its chain",
                "A chain must not be circular.",
            )
        found[id] = None
        id = links[id].next
    return list(found)


def _refuse_overlaps(tokens: Sequence[Span], source: Source) -> None:
    behind = 0
    for start, stop in tokens:
        if start < behind:
            raise FormatError(
                f"the token from {start} to {stop} overlaps the preceding one",
                source.where(1),
                "Tokens follow one another.",
            )
        behind = stop


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
        read=read,
        read_many=read_many,
        holds=Holds(types=True, zeros=True),
        documentation="docs/formats/webanno.md",
    )
)
