"""ECB+: tokens, markables that refer to them, and relations that group markables into instances.

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
participants, times and places. ``CROSS_DOC_COREF`` defines an entity that other documents of the
topic share under its ``note``, ``INTRA_DOC_COREF`` one of this document. A mention in neither is a
singleton. The name of a document begins with its topic, so that ``--scope topic`` joins entities
across the documents of a topic.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from corefine.corpus.document import Document, Mention, merged
from corefine.formats.input.sources import Source, document_name
from corefine.formats.input.xml_files import parsed, refuse_element, root_pattern
from corefine.formats.registry import Capabilities, Format, register

_ROOT = root_pattern(rb"<Document\b[^>]*\bdoc_(?:name|id)=")
_WITHIN, _ACROSS = "INTRA_DOC_COREF", "CROSS_DOC_COREF"


def read(source: Source) -> Iterator[Document]:
    """The document of a file."""
    root = parsed(source)
    name = (root.get("doc_name") or "").removesuffix(".xml") or document_name(source, ".xml")
    document = Document(name, [], source=source.name)
    tokens: dict[str, int] = {}
    words: list[str] = []
    sentence = None
    for token in root.iter("token"):
        id = token.get("t_id")
        if id is None or id in tokens:
            message = "a token without t_id" if id is None else f"a second token {id[:60]!r}"
            refuse_element(token, source, message, "Give each token its own t_id.")
        if not words or token.get("sentence") != sentence:
            document.sentences.append(len(words))
            sentence = token.get("sentence")
        tokens[id] = len(words)
        words.append(token.text or "")
        document.lines.append(token.sourceline or 0)
    document.tokens = words
    mentions, instances = _markables(root, source, tokens)
    _add_entities(root, source, document, mentions, instances)
    document.mentions = list(mentions.values())
    yield document


def _markables(
    root: Any, source: Source, tokens: dict[str, int]
) -> tuple[dict[str, Mention], dict[str, str]]:
    """Mentions, and names of instances, by m_id."""
    mentions: dict[str, Mention] = {}
    instances: dict[str, str] = {}
    for group in root.iter("Markables"):
        for markable in group:
            id = markable.get("m_id")
            if id is None or id in mentions or id in instances:
                message = "a markable without m_id" if id is None else f"a second {id[:60]!r}"
                refuse_element(markable, source, message, "Give each markable its own m_id.")
            anchors = []
            for anchor in markable.iter("token_anchor"):
                token = tokens.get(anchor.get("t_id") or "")
                if token is None:
                    refuse_element(
                        anchor,
                        source,
                        f"an anchor at the unknown token {(anchor.get('t_id') or '')[:60]!r}",
                        "It must be the t_id of a token.",
                    )
                anchors.append((token, token + 1))
            if anchors:
                where = source.where(markable.sourceline or 1)
                mentions[id] = Mention("", merged(anchors), type=markable.tag, where=where)
            else:
                instances[id] = markable.get("instance_id") or ""
    return mentions, instances


def _add_entities(
    root: Any,
    source: Source,
    document: Document,
    mentions: dict[str, Mention],
    instances: dict[str, str],
) -> None:
    """Set the entities of mentions from relations."""
    seen: set[str] = set()
    for relation in root.iter(_WITHIN, _ACROSS):
        id = relation.get("r_id")
        if id is None or id in seen:
            message = "a relation without r_id" if id is None else f"a second {id[:60]!r}"
            refuse_element(relation, source, message, "Give each relation its own r_id.")
        seen.add(id)
        entity = f"{document.name}:{id}"
        if relation.tag == _ACROSS:
            target = relation.find("target")
            instance = "" if target is None else target.get("m_id") or ""
            entity = relation.get("note") or instances.get(instance, "")
            if not entity:
                refuse_element(
                    relation,
                    source,
                    "a cross-document relation without an instance",
                    "Give it a note: the instance_id of its target.",
                )
        for member in relation.iter("source"):
            mention = mentions.get(member.get("m_id") or "")
            if mention is None:
                refuse_element(
                    member,
                    source,
                    f"a relation of the unknown markable {(member.get('m_id') or '')[:60]!r}",
                    "A source must be a markable with token_anchors.",
                )
            if mention.entity not in ("", entity):
                document.warnings.append(
                    f"{source.where(member.sourceline or 1)}: markable {member.get('m_id')!r} is "
                    f"in two relations; it stays in the first ({str(mention.entity)[:60]!r})"
                )
            else:
                mention.entity = entity
    for id, mention in mentions.items():
        mention.entity = mention.entity or f"{document.name}:m{id}"


def detect(head: bytes, name: str) -> bool:
    """True if the root is a document with a name."""
    return _ROOT.matches(head)


ECB = register(
    Format(
        name="ecb",
        title="ECB+ XML: cross-document event and entity coreference",
        suffixes=(".xml",),
        read=read,
        detect=detect,
        capabilities=Capabilities(types=True, discontinuous=True),
        documentation="docs/formats/ecb.md",
    )
)
