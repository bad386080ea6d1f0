"""JSON dialects whose mentions are character spans of a text: fastcoref."""

from __future__ import annotations

from typing import Any

from corefine.corpus.document import Document, Mention
from corefine.formats.jsonlines.dialect import (
    Name,
    Record,
    Shapes,
    Span,
    check_strings,
    dialect,
    invalid,
    mentions_of,
)

NullableSpan = tuple[int | None, int | None] | None
_MAVERICK = frozenset(
    (
        "clusters_token_offsets",
        "clusters_char_offsets",
        "clusters_token_text",
        "clusters_char_text",
        "clusters_text_mentions",
    )
)
"""Keys of Maverick, which counts tokens even if there is a text."""


def _is_fastcoref(shapes: Shapes) -> bool:
    clusters = shapes.get("clusters") in ("list", "list of lists")
    return clusters and "text" in shapes and not _MAVERICK & shapes.keys()


@dialect("fastcoref", "fastcoref: JSON lines, character spans, end exclusive", _is_fastcoref)
class FastCoref(Record):
    """fastcoref: characters of the text, or words if the text is a list of them; end exclusive.

    ::

        {"text": "Anna saw her house.", "clusters": [[[0, 4], [9, 12]]]}

    Null spans, which fastcoref writes for special tokens of its encoder, are ignored.
    """

    NAMES = ("doc_key", "id")

    text: str | list[str]
    clusters: list[list[NullableSpan]]
    doc_key: Name | None = None
    id: Name | None = None
    clusters_strings: list[list[str | list[str] | None]] | None = None

    def to_document(self) -> Document:
        kept = [
            [place for place, span in enumerate(cluster) if span is not None and None not in span]
            for cluster in self.clusters
        ]
        spans: Any = [
            [cluster[place] for place in places]
            for cluster, places in zip(self.clusters, kept, strict=True)
        ]
        unit = "characters" if isinstance(self.text, str) else "tokens"
        mentions = mentions_of(spans, len(self.text), "clusters", inclusive=False, unit=unit)
        if isinstance(self.text, str):
            document = Document.from_text(self.name(), self.text, mentions, sentences=())
        else:
            document = Document(self.name(), self.text, mentions)
        nulls = sum(map(len, self.clusters)) - len(mentions)
        if nulls:
            document.warnings.append(f"{nulls:,} mention(s) are null: ignored")
        check_strings(document, self._strings(kept), "clusters_strings", " \t\n\r\xa0")
        return document

    def _strings(self, kept: list[list[int]]) -> list[list[str]] | None:
        """The strings of the mentions that are kept."""
        if self.clusters_strings is None:
            return None
        if list(map(len, self.clusters_strings)) != list(map(len, self.clusters)):
            raise invalid(
                "clusters_strings does not have one string per mention of clusters",
                "Leave out clusters_strings, or give it as the tool writes it.",
            )
        strings: list[list[str]] = []
        for cluster, places in zip(self.clusters_strings, kept, strict=True):
            given = [cluster[place] or "" for place in places]
            strings.append([one if isinstance(one, str) else " ".join(one) for one in given])
        return strings

    @classmethod
    def from_document(cls, document: Document, number: int) -> FastCoref:
        text, entities = character_spans(document)
        clusters = [[span for _, span in mentions] for mentions in entities]
        return cls(
            doc_key=document.name if document.named else None,
            text=text,
            clusters=[list[NullableSpan](cluster) for cluster in clusters],
            clusters_strings=[[text[start:stop] for start, stop in spans] for spans in clusters],
        )


def text_of(document: Document) -> tuple[str, list[tuple[int, int]]]:
    """The text of a document and the characters of its tokens; tokens and blanks if it has none."""
    if document.text is not None:
        return document.text, document.offsets
    offsets: list[tuple[int, int]] = []
    place = 0
    for token in document.tokens or ():
        offsets.append((place, place + len(token)))
        place += len(token) + 1
    return " ".join(document.tokens or ()), offsets


def character_spans(document: Document) -> tuple[str, list[list[tuple[Mention, Span]]]]:
    """The text of a document, and the mentions of each entity with their character spans.

    Mentions of white space are left out, since they have no place among tokens.
    """
    text, offsets = text_of(document)
    entities: list[list[tuple[Mention, Span]]] = []
    for mentions in document.entities.values():
        spans = [
            (mention, (offsets[mention.spans[0][0]][0], offsets[mention.spans[-1][1] - 1][1]))
            for mention in mentions
        ]
        if visible := [pair for pair in spans if text[slice(*pair[1])].strip()]:
            entities.append(visible)
    return text, entities
