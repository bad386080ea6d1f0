"""JSON dialects whose mentions are character spans of a text (fastcoref) or quoted words of it.

Quoted words, as models and scripts write them, are searched in the text of the record, or of the
key if the record has none: see :mod:`corefine.formats.tagged.grounding`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention, without_empty_nodes
from corefine.errors import FormatError
from corefine.formats.io.lines import text_of
from corefine.formats.io.records import (
    STRING_CLUSTERS,
    NamedRecord,
    Shapes,
    Span,
    dialect,
    invalid,
    mentions_of,
    quote,
    read_records,
    sentence_starts,
)
from corefine.formats.io.sources import Source
from corefine.formats.tagged.documents import listed_document
from corefine.formats.tagged.listings import Cluster, Listing, Quote

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
class FastCoref(NamedRecord):
    """fastcoref: characters of the text, or words if the text is a list of them; end exclusive.

    ::

        {"text": "Anna saw her house.", "clusters": [[[0, 4], [9, 12]]]}

    Null spans, which fastcoref writes for special tokens of its encoder, are ignored.
    """

    text: str | list[str]
    clusters: list[list[NullableSpan]]
    clusters_strings: list[list[str | list[str] | None]] | None = None

    def to_document(self) -> Document:
        quoted = self.clusters_strings or [[None] * len(cluster) for cluster in self.clusters]
        if list(map(len, quoted)) != list(map(len, self.clusters)):
            raise invalid("clusters_strings does not have one string per mention of clusters")
        clusters: list[list[Span]] = []
        strings: list[list[str]] = []
        for cluster, words in zip(self.clusters, quoted, strict=True):
            clusters.append([])
            strings.append([])
            for span, string in zip(cluster, words, strict=True):
                if span is not None and span[0] is not None and span[1] is not None:
                    clusters[-1].append((span[0], span[1]))
                    joined = " ".join(string) if isinstance(string, list) else string
                    strings[-1].append(joined or "")
        text = self.text
        unit = "characters" if isinstance(text, str) else "tokens"
        mentions = mentions_of(clusters, [len(text)], "clusters", inclusive=False, unit=unit)
        quote(mentions, clusters, strings, "clusters")
        if isinstance(text, str):
            document = Document.from_text(self.name(), text, mentions, sentences=())
        else:
            document = Document(self.name(), text, mentions)
        if nulls := sum(map(len, self.clusters)) - len(mentions):
            document.warnings.append(f"{nulls:,} mention(s) are null: ignored")
        return document

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


# --- clusters of strings -------------------------------------------------------------------------


def read_against(sources: Sequence[Source], key: Corpus, align: str) -> Corpus:
    """Read records, which may lack a text, with the documents of the key.

    Documents are in the order of the key; one without a record has no mentions.
    """
    found = [
        (record, source.where(line))
        for source in sources
        for record, line in read_records(source, StringClusters)
    ]
    names = [record.name() for record, _ in found]
    if not any(names) and len(found) == len(key):
        names = list(key.documents)
    documents: dict[str, Document] = {}
    for (record, where), name in zip(found, names, strict=True):
        if name not in key.documents or name in documents:
            problem = "occurs twice" if name in documents else "is not in the key"
            raise FormatError(
                f"document {name!r} {problem}", where, "Name records after the key's documents."
            )
        documents[name] = record.to_document(key[name])
    for name in key.documents:
        if name not in documents:
            failure = "there is no record"
            documents[name] = listed_document(key[name], Listing((), "JSON"), failure)
    for document in documents.values():
        document.source, document.annotations = sources[0].name, {}
    return Corpus.from_documents([documents[name] for name in key.documents], "string-clusters")


@dialect(
    "string-clusters",
    "Clusters of strings: JSON lines, mentions as quoted words",
    lambda shapes: shapes.get("clusters") == STRING_CLUSTERS,
    writable=False,
    read_against=read_against,
)
class StringClusters(NamedRecord):
    """Clusters of strings, with or without a text.

    ::

        {"doc_key": "x", "text": "Anna saw her house.", "clusters": [["Anna", "her"]]}
    """

    clusters: list[list[str]]
    text: str | None = None
    tokens: list[str] | None = None
    sentences: list[list[str]] | None = None

    def to_document(self, key: Document | None = None) -> Document:
        clusters = [Cluster(tuple(map(Quote, cluster))) for cluster in self.clusters if cluster]
        source = self._source(key)
        source.name = self.name() if key is None else key.name
        return listed_document(source, Listing(tuple(clusters), "JSON"))

    def _source(self, key: Document | None) -> Document:
        """The text in which strings are searched: the record's, else the key's."""
        if self.sentences is not None:
            tokens = list(chain.from_iterable(self.sentences))
            return Document("", tokens, starts=sentence_starts(self.sentences))
        if self.tokens is not None:
            return Document("", self.tokens)
        if self.text is not None:
            return Document.from_text("", self.text, [], sentences=())
        if key is None or key.tokens is None:
            raise invalid(
                "clusters of strings without a text",
                "Add the key 'text', or score the file against a key that has words.",
            )
        return without_empty_nodes(key)
