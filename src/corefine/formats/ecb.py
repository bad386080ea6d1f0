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

from corefine.corpus.document import Document, Mention, merged
from corefine.formats.io.sources import Source, document_name
from corefine.formats.io.xml_files import by_id, has_root, parsed, refuse_element
from corefine.formats.registry import Format, register

_WITHIN, _ACROSS = "INTRA_DOC_COREF", "CROSS_DOC_COREF"
_REMEDY = (
    "Tokens, markables and relations have unique ids t_id, m_id and r_id; anchors refer to tokens, "
    "sources to markables with anchors, and a CROSS_DOC_COREF has a note, the instance_id."
)


def read(source: Source) -> Iterator[Document]:
    """The document of a file."""
    root = parsed(source)
    name = (root.get("doc_name") or "").removesuffix(".xml") or document_name(source, ".xml")
    document = Document(name, [], source=source.name)
    words = document.tokens = []
    tokens: dict[str, int] = {}
    sentence = None
    for id, token in by_id(root.iter("token"), "t_id", source, _REMEDY).items():
        if not words or token.get("sentence") != sentence:
            document.starts.append(len(words))
            sentence = token.get("sentence")
        tokens[id] = len(words)
        words.append(token.text or "")
        document.lines.append(token.sourceline or 0)
    mentions: dict[str, Mention] = {}
    instances: dict[str, str] = {}
    markables = [one for group in root.iter("Markables") for one in group]
    for id, markable in by_id(markables, "m_id", source, _REMEDY).items():
        anchors = []
        for anchor in markable.iter("token_anchor"):
            place = tokens.get(anchor.get("t_id") or "")
            if place is None:
                refuse_element(anchor, source, "an anchor at an unknown token", _REMEDY)
            anchors.append((place, place + 1))
        if anchors:
            where = source.where(markable.sourceline or 1)
            mentions[id] = Mention("", merged(anchors), type=markable.tag, where=where)
        else:
            instances[id] = markable.get("instance_id") or ""
    for id, relation in by_id(root.iter(_WITHIN, _ACROSS), "r_id", source, _REMEDY).items():
        entity = f"{document.name}:{id}"
        if relation.tag == _ACROSS:
            target = relation.find("target")
            instance = "" if target is None else target.get("m_id") or ""
            if target is not None and instance not in instances:
                refuse_element(target, source, "a target that is no instance", _REMEDY)
            entity = relation.get("note") or instances.get(instance, "")
        for member in relation.iter("source"):
            mention = mentions.get(member.get("m_id") or "")
            if mention is None or not entity:
                refuse_element(member, source, "a relation without mention or instance", _REMEDY)
            if mention.entity not in ("", entity):
                document.warnings.append(
                    f"{source.where(member.sourceline or 1)}: markable {member.get('m_id')!r} is "
                    f"in two relations; it stays in the first ({str(mention.entity)[:60]!r})"
                )
            else:
                mention.entity = entity
    for id, mention in mentions.items():
        mention.entity = mention.entity or f"{document.name}:m{id}"
    document.mentions = list(mentions.values())
    yield document


register(
    Format(
        "ecb",
        "ECB+ XML: cross-document event and entity coreference",
        (".xml",),
        read,
        has_root(rb"<Document\b[^>]*\bdoc_(?:name|id)="),
    )
)
