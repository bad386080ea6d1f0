"""What the lines of each dialect look like: msgspec decodes them into these and checks them.

Words and clusters, which are most of a line, stay as they are written (``Raw``): they become
columns without an object for each word and mention. Only a reader of JSON lines imports this
module, when it reads: msgspec is not loaded before.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Raw, Struct

Index = Annotated[int, Meta(ge=0, lt=1 << 31)]
Pairs = list[list[tuple[Index, Index]]]
Triples = list[list[tuple[Index, Index, Index]]]
Name = str | int


class Named(Struct):
    """What names a document, in any dialect."""

    doc_key: Name | None = None
    document_id: Name | None = None
    id: Name | None = None
    part_id: Index | list[Index] | None = None

    @property
    def part(self) -> int:
        """The number of the part of the document."""
        part = self.part_id[0] if isinstance(self.part_id, list) and self.part_id else self.part_id
        return part if isinstance(part, int) else 0


class E2E(Struct):
    """A line of e2e-coref, SpanBERT and their followers."""

    doc_key: Name
    sentences: Raw = Raw()
    tokens: Raw = Raw()
    clusters: Raw = Raw()
    predicted_clusters: Raw = Raw()
    subtoken_map: list[Index | None] | None = None
    orig_subtoken_map: list[Index | None] | None = None
    sentence_map: list[Index] | None = None
    speakers: Raw = Raw()


class WordLevel(Struct):
    """A line of wl-coref, before or after its mentions have been given heads."""

    document_id: Name | None = None
    doc_key: Name | None = None
    part_id: Index | list[Index] | None = None
    cased_words: Raw = Raw()
    tokens: Raw = Raw()
    sentences: Raw = Raw()
    sent_id: list[Index] | None = None
    span_clusters: Raw = Raw()
    clusters: Raw = Raw()
    head2span: list[tuple[Index, Index, Index]] | None = None
    speaker: Raw = Raw()
    pos: Raw = Raw()
    deprel: Raw = Raw()
    head: Raw = Raw()


class PreCo(Struct):
    """A line of PreCo."""

    id: Name
    sentences: Raw
    mention_clusters: Raw


class FastCoref(Struct):
    """A line of fastcoref's output; a text that came in words goes out in words."""

    text: str | list[str]
    clusters: Raw
    clusters_strings: Raw = Raw()
    doc_key: Name | None = None
    id: Name | None = None


class Maverick(Struct):
    """A line with what Maverick's ``predict`` returns; its older versions have other names."""

    tokens: Raw
    clusters_token_offsets: Raw
    clusters_token_text: Raw = Raw()
    clusters_text_mentions: Raw = Raw()
    doc_key: Name | None = None
    id: Name | None = None
