"""ECB+: tokens, markables that name them, and relations that put markables into instances.

The smallest valid document, ``1_1ecb.xml``::

    <Document doc_name="1_1ecb.xml" doc_id="D1">
     <token t_id="1" sentence="0" number="0">Anna</token>
     <token t_id="2" sentence="0" number="1">slept</token>
     <Markables>
      <HUMAN_PART_PER m_id="3"><token_anchor t_id="1"/></HUMAN_PART_PER>
      <HUMAN_PART_PER m_id="9" RELATED_TO="" TAG_DESCRIPTOR="anna" instance_id="HUM1"/>
     </Markables>
     <Relations>
      <CROSS_DOC_COREF r_id="5" note="HUM1"><source m_id="3"/><target m_id="9"/></CROSS_DOC_COREF>
     </Relations>
    </Document>

A markable with anchors is a mention, and its tag is its type: actions, which are events, as well as
participants, times and places. ``CROSS_DOC_COREF`` makes an entity that other documents of the
topic share under its ``note``; ``INTRA_DOC_COREF`` one of this document. A mention in neither is a
singleton. The name of a document begins with its topic, so that ``--scope topic`` joins entities
across the documents of one.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from corefine.corpus.corpus import Corpus
from corefine.formats.building.document_rows import DocumentRows, documents_of, runs
from corefine.formats.input.folders import document_name
from corefine.formats.input.sources import Source
from corefine.formats.input.xml_files import opening, parsed, refuse_element
from corefine.formats.registry import Capabilities, Format, register

_ROOT = opening(rb"<Document\b[^>]*\bdoc_(?:name|id)=")
_WITHIN, _ACROSS = "INTRA_DOC_COREF", "CROSS_DOC_COREF"


def _read(source: Source, rows: DocumentRows) -> None:
    root = parsed(source)
    name = (root.get("doc_name") or "").removesuffix(".xml") or document_name(source, ".xml")
    rows.begin(name, source.name)
    tokens: dict[str, int] = {}
    for token in root.iter("token"):
        id = token.get("t_id")
        if id is None or id in tokens:
            told = f"the t_id {id[:60]!r} of another" if id else "no t_id"
            refuse_element(token, source, f"a token with {told}", "Give each token its own t_id.")
        tokens[id] = rows.add(token.text or "", token.get("sentence"), token.sourceline or 0)
    mentions, instances = _markables(root, source, tokens)
    entity_of: dict[str, str] = {}
    for relation in root.iter(_WITHIN, _ACROSS):
        target = relation.find("target")
        instance = "" if target is None else target.get("m_id") or ""
        entity = f"{name}:{relation.get('r_id')}"
        if relation.tag == _ACROSS:
            entity = relation.get("note") or instances.get(instance, "")
            if not entity:
                refuse_element(
                    relation,
                    source,
                    "a cross-document relation without an id",
                    "Give it a note: the instance_id of its target.",
                )
        for member in relation.iter("source"):
            id = member.get("m_id")
            if id not in mentions:
                refuse_element(
                    member,
                    source,
                    f"a relation of a markable with {_id('m_id', id)}",
                    "A source must be a markable with token_anchors.",
                )
            if entity_of.setdefault(id, entity) != entity:
                rows.warnings.append(
                    f"{source.where(member.sourceline or 1)}: markable {id[:60]!r} is in two "
                    f"relations; it stays in the first ({entity_of[id][:60]!r})"
                )
    for id, (type, parts) in mentions.items():
        rows.mentions.add(rows.document, entity_of.get(id, f"{name}:m{id}"), parts, type=type)


def _markables(
    root: Any, source: Source, tokens: dict[str, int]
) -> tuple[dict[str, tuple[str, list[tuple[int, int]]]], dict[str, str]]:
    """Tag and words of the mentions, and the names of the instances, by m_id."""
    mentions: dict[str, tuple[str, list[tuple[int, int]]]] = {}
    instances: dict[str, str] = {}
    for group in root.iter("Markables"):
        for markable in group:
            id = markable.get("m_id")
            if id is None or id in mentions or id in instances:
                refuse_element(
                    markable,
                    source,
                    f"a markable with {_id('m_id', id)}",
                    "Give each markable its own m_id.",
                )
            anchors = []
            for anchor in markable.iter("token_anchor"):
                place = tokens.get(anchor.get("t_id") or "")
                if place is None:
                    refuse_element(
                        anchor,
                        source,
                        f"an anchor at a token with {_id('t_id', anchor.get('t_id'))}",
                        "It must be the t_id of a token.",
                    )
                anchors.append(place)
            if anchors:
                mentions[id] = (markable.tag, runs(anchors))
            else:
                instances[id] = markable.get("instance_id") or ""
    return mentions, instances


def _id(name: str, id: str | None) -> str:
    return f"no {name}" if id is None else f"unknown {name} {id[:60]!r}"


def read(source: Source, layers: frozenset[str] | None) -> Corpus:
    """The one document of a file."""
    return read_many([source], layers)


read_many = partial(documents_of, format="ecb", add=_read)
"""The documents of files."""


def sniff(head: bytes, name: str) -> float:
    """Sure where the root is a document with a name."""
    return 0.9 if _ROOT.match(head) else 0.0


ECB = register(
    Format(
        name="ecb",
        title="ECB+ XML: cross-document event and entity coreference",
        suffixes=(".xml",),
        sniff=sniff,
        read_columns=read,
        read_many=read_many,
        capabilities=Capabilities(types=True, discontinuous=True),
        documentation="docs/formats/ecb.md",
    )
)
