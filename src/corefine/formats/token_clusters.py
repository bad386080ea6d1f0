"""JSON dialects whose mentions are token indices: what most coreference systems read and write.

The smallest valid line of each dialect is in the docstring of its struct.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any, ClassVar, Self

from corefine.corpus.document import Document, Mention
from corefine.formats.io.records import (
    Name,
    NamedRecord,
    Record,
    Shapes,
    check_length,
    clusters_in_sentences,
    clusters_of,
    dialect,
    in_sentences,
    invalid,
    layers_of,
    mentions_in_sentences,
    mentions_of,
    sentence_bounds,
    sentence_starts,
    strings_of,
)

Clusters = list[list[tuple[int, int]]]
Triples = list[tuple[int, int, int]]
Strings = list[list[str]]

MARKS = frozenset(
    ("[CLS]", "[SEP]", "[PAD]", "<s>", "</s>", "<pad>", "[unused1]", "[unused2]", "[SPL]")
)
"""Subtokens that belong to no word."""
MANY = 5
"""Mentions of which at least one is expected to have a single token."""
SPANS = ("list", "list of lists")
"""Shapes of clusters of spans."""
LISTS = ("list", "list of strings")
"""Shapes of a list of words."""
WORDS = frozenset(("sentences", "tokens", "text", "document", "cased_words", "words", "data"))


# --- e2e-coref, SpanBERT and their successors -----------------------------------------------------


def _has_tokens(shapes: Shapes) -> bool:
    """True if words are under ``sentences``, or under ``tokens`` with ends not exclusive."""
    if shapes.get("sentences", "null") != "null":
        return shapes["sentences"] in SPANS
    return shapes.get("tokens") in LISTS and shapes.get("ends") != "exclusive"


@dialect(
    "e2e",
    "e2e-coref, SpanBERT: JSON lines, token spans, end inclusive",
    lambda shapes: shapes.get("clusters") in SPANS and _has_tokens(shapes),
    side="key",
)
class E2E(Record):
    """e2e-coref, SpanBERT and their successors: indices of tokens or subtokens, end inclusive.

    ::

        {"doc_key": "x", "sentences": [["Anna", "saw", "her"]], "clusters": [[[0, 0], [2, 2]]]}
    """

    doc_key: Name
    clusters: Clusters
    sentences: list[list[str]] | None = None
    tokens: list[str] | None = None
    speakers: list[list[str]] | None = None
    subtoken_map: list[int | None] | None = None
    orig_subtoken_map: list[int | None] | None = None
    sentence_map: list[int] | None = None

    def to_document(self) -> Document:
        key = "clusters" if type(self) is E2E else "predicted_clusters"
        speakers = None if self.speakers is None else list(chain.from_iterable(self.speakers))
        words = self.orig_subtoken_map or self.subtoken_map
        if self.sentences is not None and words is not None:
            return self._from_subtokens(self.sentences, words, speakers, key)
        if self.sentences is None and self.tokens is None:
            raise invalid("the key 'sentences' is missing")
        sentences = [self.tokens or []] if self.sentences is None else self.sentences
        tokens = list(chain.from_iterable(sentences))
        return Document(
            self.name(),
            tokens,
            mentions_of(self.clusters, len(tokens), key),
            sentence_starts(sentences),
            layers_of(len(tokens), speaker=speakers),
        )

    def _from_subtokens(
        self,
        segments: list[list[str]],
        words: Sequence[int | None],
        speakers: list[str] | None,
        key: str,
    ) -> Document:
        """The document of subtokens, given the word of each."""
        pieces = list(chain.from_iterable(segments))
        known = [-1 if word is None else word for word in words]
        size = max(known, default=-1) + 1
        if size > 8 * len(pieces) + 1024 or min(known, default=0) < -1:
            raise invalid(f"subtoken_map has {size:,} words for {len(pieces):,} subtokens")
        numbers = self.sentence_map or [
            number for number, segment in enumerate(segments) for _ in segment
        ]
        for name, column in (("subtoken_map", words), ("sentence_map", numbers)):
            check_length(name, column, len(pieces))
        joined: list[list[str]] = [[] for _ in range(size)]
        first: list[int] = [-1] * size
        before = 0
        for place, (piece, word) in enumerate(zip(pieces, known, strict=True)):
            if word < 0 or piece in MARKS:
                continue
            if word < before:
                raise invalid(
                    f"subtoken_map[{place}] is {word}, which returns to an earlier word",
                    "Overlapping segments are not supported: number the words of each subtoken "
                    "once.",
                )
            before = word
            if not joined[word]:
                first[word] = place
            joined[word].append(piece)
        mentions = mentions_of(self.clusters, len(pieces), key, unit="subtokens")
        for mention in mentions:
            start, stop = mention.spans[0]
            mention.spans = [(known[start], known[stop - 1] + 1)]
            if -1 in (known[start], known[stop - 1]):
                raise invalid(f"{key} has a mention with a subtoken that belongs to no word")
        tokens = list(map(_word, joined))
        if self.tokens is not None and len(self.tokens) == size:
            tokens = self.tokens
        if speakers is not None:
            check_length("speakers", speakers, len(pieces))
            speakers = [speakers[place] if place >= 0 else "" for place in first]
        return Document(
            self.name(),
            tokens,
            mentions,
            _changes(numbers[place] if place >= 0 else None for place in first),
            layers_of(size, speaker=speakers),
        )

    @classmethod
    def from_document(cls, document: Document, number: int) -> E2E:
        speakers = document.layers.get("speaker")
        return cls(
            doc_key=document.name,
            sentences=in_sentences(document, document.tokens or []),
            speakers=None if speakers is None else in_sentences(document, speakers),
            clusters=clusters_of(document, -1),
        )


def _word(pieces: Sequence[str]) -> str:
    """A word from its subtokens, without the marks of WordPiece and SentencePiece."""
    if not pieces:
        return ""
    first = pieces[0]
    if len(first) > 1 and first[0] in "▁Ġ":
        first = first[1:]
    continued = [
        piece[2:] if piece.startswith("##") and piece[2:] else piece for piece in pieces[1:]
    ]
    return first + "".join(continued)


def _changes(numbers: Iterable[int | None]) -> list[int]:
    """The places at which numbers change; None continues the number before."""
    starts: list[int] = []
    before: int | None = None
    for place, number in enumerate(numbers):
        if place == 0 or (number is not None and before is not None and number != before):
            starts.append(place)
        before = before if number is None else number
    return starts


@dialect(
    "e2e-predicted",
    "e2e-coref predictions: as e2e, with predicted_clusters",
    lambda shapes: "predicted_clusters" in shapes and _has_tokens(shapes),
    side="response",
)
class E2EPredicted(E2E, kw_only=True, rename={"clusters": "predicted_clusters"}):
    """Predictions in the format of e2e-coref.

    ::

        {"doc_key": "x", "sentences": [["Anna", "saw", "her"]],
         "predicted_clusters": [[[0, 0], [2, 2]]]}
    """

    clusters: Clusters


# --- wl-coref -------------------------------------------------------------------------------------


@dialect(
    "wl-coref",
    "wl-coref: JSON lines, word spans, end exclusive",
    lambda shapes: (
        "cased_words" in shapes
        or (
            "tokens" in shapes
            and shapes.get("clusters") in SPANS
            and not {"sentences", "text"} & shapes.keys()
            and shapes["tokens"] in LISTS
            and shapes.get("ends") != "inclusive"
        )
    ),
)
class WlCoref(Record):
    """wl-coref: indices of words, end exclusive; before its preparation, spans are ``clusters``.

    ::

        {"document_id": "x", "cased_words": ["Anna", "saw", "her"],
         "span_clusters": [[[0, 1], [2, 3]]]}
    """

    NAMES = ("document_id", "doc_key")

    document_id: Name | None = None
    doc_key: Name | None = None
    part_id: int | list[int] | None = None
    cased_words: list[str] | None = None
    tokens: list[str] | None = None
    sentences: list[list[str]] | None = None
    sent_id: list[int] | None = None
    speaker: list[str] | None = None
    pos: list[str] | None = None
    deprel: list[str] | None = None
    head: list[int | None] | None = None
    span_clusters: Clusters | None = None
    clusters: Clusters | None = None
    head2span: Triples | None = None

    def to_document(self) -> Document:
        tokens = self.cased_words if self.cased_words is not None else self.tokens
        if tokens is None:
            if self.sentences is None:
                raise invalid("the key 'cased_words' is missing")
            tokens = list(chain.from_iterable(self.sentences))
        size = len(tokens)
        starts = [0] if tokens else []
        if self.sent_id:
            check_length("sent_id", self.sent_id, size)
            starts = _changes(self.sent_id)
        elif self.cased_words is None and self.tokens is None and self.sentences is not None:
            starts = sentence_starts(self.sentences)
        key = "span_clusters" if self.span_clusters is not None else "clusters"
        clusters = self.span_clusters if self.span_clusters is not None else self.clusters
        if clusters is None:
            raise invalid("the key 'span_clusters' is missing")
        mentions = mentions_of(clusters, size, key, inclusive=False)
        heads = {(start, stop): head for head, start, stop in reversed(self._heads(size))}
        if heads:
            for mention in mentions:
                mention.head = heads.get(mention.spans[0])
        return Document(
            self.name(),
            tokens,
            mentions,
            starts,
            layers_of(
                size,
                speaker=self.speaker,
                pos=self.pos,
                deprel=self.deprel,
                head=self._parents(starts, size),
            ),
        )

    def _heads(self, size: int) -> Triples:
        for place, (head, start, stop) in enumerate(self.head2span or ()):
            if not 0 <= start <= head < stop <= size:
                raise invalid(
                    f"head2span[{place}] is {[head, start, stop]}: the head is outside the span, "
                    "or the span outside the document",
                    "It must be [head, first word, end], end exclusive.",
                )
        return self.head2span or []

    def _parents(self, starts: list[int], size: int) -> list[str] | None:
        """Heads of words as in CoNLL-U: from 1 in the sentence, 0 for the root."""
        if self.head is None:
            return None
        check_length("head", self.head, size)
        parents: list[str] = []
        for start, stop in pairwise([*starts, size]):
            heads = self.head[start:stop]
            parents += ["0" if head is None else str(max(head - start + 1, 0)) for head in heads]
        return parents

    @classmethod
    def from_document(cls, document: Document, number: int) -> WlCoref:
        from corefine.formats.conll import name_and_part

        name, part = name_and_part(document.name)
        tokens = document.tokens or []
        sentence_of = [
            (number, start)
            for number, (start, stop) in enumerate(sentence_bounds(document))
            for _ in range(start, stop)
        ]
        heads = [
            start + int(head) - 1 if head.isdecimal() and len(head) < 10 and int(head) else None
            for (_, start), head in zip(sentence_of, document.layers.get("head", ()), strict=False)
        ]
        spans = dict.fromkeys(
            (mention.head, mention.spans[0][0], mention.spans[-1][1])
            for mention in document.mentions
            if mention.head is not None
        )
        return cls(
            document_id=name,
            part_id=part,
            cased_words=tokens,
            sent_id=[number for number, _ in sentence_of],
            speaker=document.layers.get("speaker"),
            pos=document.layers.get("pos"),
            deprel=document.layers.get("deprel"),
            head=heads or None,
            span_clusters=clusters_of(document),
            head2span=list(spans) or None,
        )


# --- PreCo ----------------------------------------------------------------------------------------


@dialect(
    "preco",
    "PreCo: JSON lines, token spans within sentences, end exclusive",
    lambda shapes: "mention_clusters" in shapes,
)
class PreCo(Record):
    """PreCo: sentence, and token indices in it, end exclusive.

    ::

        {"id": "x", "sentences": [["Anna", "ran"], ["She"]],
         "mention_clusters": [[[0, 0, 1], [1, 0, 1]]]}
    """

    NAMES = ("id",)

    id: Name
    sentences: list[list[str]]
    mention_clusters: list[Triples]

    def to_document(self) -> Document:
        return Document(
            self.name(),
            list(chain.from_iterable(self.sentences)),
            mentions_in_sentences(self.mention_clusters, self.sentences, "mention_clusters"),
            sentence_starts(self.sentences),
        )

    @classmethod
    def from_document(cls, document: Document, number: int) -> PreCo:
        return cls(
            id=document.name,
            sentences=in_sentences(document, document.tokens or []),
            mention_clusters=clusters_in_sentences(document),
        )


# --- Maverick, CRAC, AllenNLP, xCoRe --------------------------------------------------------------


class TokenRecord(NamedRecord, kw_only=True):
    """A record with its words under one key and clusters of spans, end inclusive, under another."""

    WORDS: ClassVar[str] = "tokens"
    CLUSTERS: ClassVar[str] = "clusters_token_offsets"
    STRINGS: ClassVar[tuple[str, ...]] = ()
    """Keys under which words of mentions may be repeated; the first is written."""

    def to_document(self) -> Document:
        tokens = getattr(self, self.WORDS)
        strings = next(filter(None, (getattr(self, key) for key in self.STRINGS)), None)
        clusters = getattr(self, self.CLUSTERS)
        mentions = mentions_of(clusters, len(tokens), self.CLUSTERS, strings=strings)
        return Document(self.name(), tokens, mentions)

    @classmethod
    def from_document(cls, document: Document, number: int) -> Self:
        values: dict[str, Any] = {
            cls.WORDS: document.tokens or [],
            cls.CLUSTERS: clusters_of(document, -1),
        }
        values |= {key: strings_of(document) for key in cls.STRINGS[:1]}
        name = {cls.NAMES[0]: document.name} if document.named else {}
        return cls(**name, **values)


@dialect(
    "maverick",
    "Maverick: JSON lines, token spans, end inclusive",
    lambda shapes: (
        "clusters_token_offsets" in shapes
        and "doc_id" not in shapes
        and shapes.get("tokens") in LISTS
    ),
)
class Maverick(TokenRecord, kw_only=True):
    """Maverick: token indices, end inclusive; character offsets are not read.

    ::

        {"tokens": ["Anna", "saw", "her"], "clusters_token_offsets": [[[0, 0], [2, 2]]]}
    """

    STRINGS: ClassVar[tuple[str, ...]] = ("clusters_token_text", "clusters_text_mentions")

    tokens: list[str]
    clusters_token_offsets: Clusters
    clusters_token_text: Strings | None = None
    clusters_text_mentions: Strings | None = None


@dialect(
    "crac-json",
    "CRAC shared task: JSON array, token spans, end inclusive, zeros as ##",
    lambda shapes: (
        {"clusters_token_offsets", "doc_id"} <= shapes.keys() and shapes.get("tokens") in LISTS
    ),
    array=True,
    zeros=True,
)
class Crac(TokenRecord, kw_only=True):
    """The CRAC shared task: token indices, end inclusive; empty nodes begin with ``##``.

    ::

        [{"doc_id": "x", "tokens": ["Anna", "saw", "##"],
          "clusters_token_offsets": [[[0, 0], [2, 2]]]}]
    """

    NAMES: ClassVar[tuple[str, ...]] = ("doc_id",)
    STRINGS: ClassVar[tuple[str, ...]] = ("clusters_text_mentions",)

    doc_id: Name
    tokens: list[str]
    clusters_token_offsets: Clusters
    clusters_text_mentions: Strings | None = None

    def to_document(self) -> Document:
        document = super().to_document()
        nodes = [place for place, token in enumerate(self.tokens) if token.startswith("##")]
        document.empty_nodes, document.tokens = nodes, list(self.tokens)
        for node in nodes:
            document.tokens[node] = self.tokens[node].removeprefix("##") or "_"
        for mention in document.mentions:
            if any(sign in document.words_of(mention) + (mention.quoted or "") for sign in "#_"):
                mention.quoted = None  # words with blanks, and empty nodes, are written otherwise
        return document

    @classmethod
    def from_document(cls, document: Document, number: int) -> Self:
        tokens = list(document.tokens or [])
        for node in document.empty_nodes:
            tokens[node] = "##" if tokens[node] == "_" else f"##{tokens[node]}"
        return super().from_document(replace(document, tokens=tokens, named=True), number)


@dialect(
    "allennlp",
    "AllenNLP: JSON lines, token spans, end inclusive",
    lambda shapes: (
        "document" in shapes and shapes.get("clusters") in SPANS and "sentences" not in shapes
    ),
)
class AllenNLP(TokenRecord, kw_only=True):
    """AllenNLP: token indices, end inclusive.

    ::

        {"document": ["Anna", "saw", "her"], "clusters": [[[0, 0], [2, 2]]]}
    """

    WORDS: ClassVar[str] = "document"
    CLUSTERS: ClassVar[str] = "clusters"

    document: list[str]
    clusters: Clusters


@dialect(
    "xcore",
    "xCoRe: JSON, several documents per record and cross-document entities",
    lambda shapes: "clusters_token_offsets" in shapes and shapes.get("tokens") == "list of lists",
    writable=False,
    streamed=False,
)
class XCoRe(Record):
    """xCoRe: several documents per record, mentions are [document, first, last], end inclusive.

    A cluster has the same name in all its documents.

    ::

        {"tokens": [["Anna", "slept"], ["She", "woke"]],
         "clusters_token_offsets": [[[0, 0, 0], [1, 0, 0]]]}
    """

    tokens: list[list[str | list[str]]]
    clusters_token_offsets: list[Triples]
    doc_key: Name | list[Name] | None = None
    doc_id: Name | list[Name] | None = None
    id: Name | list[Name] | None = None

    def to_documents(self, number: int, label: str) -> list[Document]:
        documents = [
            Document(name, list(chain.from_iterable(sentences)), [], sentence_starts(sentences))
            for name, sentences in zip(self._names(), map(_sentences, self.tokens), strict=True)
        ]
        for entity, cluster in enumerate(self.clusters_token_offsets):
            for place, (document, first, last) in enumerate(cluster):
                known = 0 <= document < len(documents)
                size = len(documents[document].tokens or ()) if known else 0
                if not 0 <= first <= last < size:
                    raise invalid(
                        f"clusters_token_offsets[{entity}][{place}] is {[document, first, last]}, "
                        f"in {len(documents)} documents, where this one has {size} tokens",
                        "Mentions are [document, first, last] from 0, end inclusive.",
                    )
                mention = Mention(f"{number}.{entity}", [(first, last + 1)])
                documents[document].mentions.append(mention)
        return documents

    def _names(self) -> list[str]:
        """The names of the documents: a list, one name for all, or none."""
        for given in (self.doc_key, self.doc_id, self.id):
            if isinstance(given, list):
                if len(given) != len(self.tokens):
                    raise invalid(f"{len(given)} names for {len(self.tokens)} documents")
                return list(map(str, given))
            if given is not None:
                return [f"{given}/{place}" for place in range(len(self.tokens))]
        return [""] * len(self.tokens)


def _sentences(tokens: Sequence[str | list[str]]) -> list[list[str]]:
    """The sentences of a document, which may be one list of tokens."""
    if all(isinstance(token, str) for token in tokens):
        return [[token for token in tokens if isinstance(token, str)]]
    if any(isinstance(token, str) for token in tokens):
        raise invalid("tokens: words beside sentences")
    return [token for token in tokens if isinstance(token, list)]


# --- clusters without a text ----------------------------------------------------------------------


@dialect(
    "clusters",
    "Clusters only: JSON lines without text, token spans, end inclusive",
    lambda shapes: (
        not WORDS & shapes.keys()
        and any(shapes.get(key) in SPANS for key in ("clusters", "predicted_clusters"))
    ),
)
class ClustersOnly(NamedRecord):
    """Clusters without a text: indices of the other side's tokens, end inclusive.

    ::

        {"doc_key": "x", "clusters": [[[0, 0], [2, 2]]]}
    """

    clusters: Clusters | None = None
    predicted_clusters: Clusters | None = None

    def to_document(self) -> Document:
        clusters = self.clusters if self.clusters is not None else self.predicted_clusters
        if clusters is None:
            raise invalid("the key 'clusters' is missing")
        mentions = mentions_of(clusters, 1 << 31, "clusters")
        document = Document(self.name(), None, mentions)
        lengths = [stop - start for mention in mentions for start, stop in mention.spans]
        if len(lengths) >= MANY and min(lengths) > 1:
            document.warnings.append(
                f"no mention of {document.name or 'the document'} has a single token: if ends are "
                "exclusive, subtract 1 from them"
            )
        return document

    @classmethod
    def from_document(cls, document: Document, number: int) -> ClustersOnly:
        return cls(
            doc_key=document.name if document.named else None, clusters=clusters_of(document, -1)
        )
