"""JSON dialects whose mentions are token indices: what most coreference systems read and write.

A dialect is a row: the keys of words and clusters, how ends and sentences are counted, and what is
special about it. The smallest valid line of each is in the docstring of its struct.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any, ClassVar, Self

from corefine.corpus.document import Document, Mention
from corefine.formats.io.records import (
    ABSENT,
    LISTS,
    PRESENT,
    SPANS,
    Name,
    NamedRecord,
    Record,
    Shapes,
    check_length,
    clusters_in_sentences,
    clusters_of,
    dialect,
    having,
    in_sentences,
    invalid,
    layers_of,
    mentions_of,
    quote,
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
WORDS = ("sentences", "tokens", "text", "document", "cased_words", "words", "data")


class TokenRecord(NamedRecord, kw_only=True):
    """A document with its words under one key and clusters of spans under another."""

    WORDS: ClassVar[tuple[str, ...]] = ("tokens",)
    """Keys of the words, which may be divided into sentences; the first is written."""
    CLUSTERS: ClassVar[tuple[str, ...]] = ("clusters",)
    """Keys of the clusters; the first is written."""
    INCLUSIVE: ClassVar[bool] = True
    """True if the end of a span is its last token, false if it is the one after it."""
    IN_SENTENCES: ClassVar[bool] = False
    """True if a span is a sentence and tokens in it, false if tokens of the document."""
    STRINGS: ClassVar[tuple[str, ...]] = ()
    """Keys under which words of mentions may be repeated; the first is written."""
    LAYERS: ClassVar[Mapping[str, str]] = {}
    """Layers of tokens, and their keys; their values are divided as the words are."""

    def _given(self, keys: Sequence[str]) -> tuple[str, Any]:
        """The first of these keys that the record has, and its value."""
        for key in keys:
            if getattr(self, key) is not None:
                return key, getattr(self, key)
        raise invalid(f"the key {keys[0]!r} is missing")

    def to_document(self) -> Document:
        _, words = self._given(self.WORDS)
        sentences = divided(words)
        tokens = list(chain.from_iterable(sentences))
        key, clusters = self._given(self.CLUSTERS)
        sizes = list(map(len, sentences)) if self.IN_SENTENCES else [len(tokens)]
        mentions = mentions_of(clusters, sizes, key, inclusive=self.INCLUSIVE)
        strings = next(filter(None, (getattr(self, one) for one in self.STRINGS)), None)
        if strings is not None:
            quote(mentions, clusters, strings, key)
        layers = {layer: getattr(self, one) for layer, one in self.LAYERS.items()}
        columns = {
            layer: list(chain.from_iterable(divided(values)))
            for layer, values in layers.items()
            if values
        }
        return Document(
            self.name(),
            tokens,
            mentions,
            sentence_starts(sentences),
            layers_of(len(tokens), **columns),
        )

    @classmethod
    def from_document(cls, document: Document, number: int) -> Self:
        columns = {cls.WORDS[0]: document.tokens or []}
        layers = ((key, document.layers.get(layer)) for layer, key in cls.LAYERS.items())
        columns |= {key: values for key, values in layers if values is not None}
        values: dict[str, Any] = dict(columns)
        if cls.WORDS[0] == "sentences":
            values = {key: in_sentences(document, column) for key, column in columns.items()}
        end = -1 if cls.INCLUSIVE else 0
        spans_of = clusters_in_sentences if cls.IN_SENTENCES else clusters_of
        values[cls.CLUSTERS[0]] = spans_of(document, end)
        values |= {key: strings_of(document) for key in cls.STRINGS[:1]}
        # A key that names documents alone is required.
        name = {cls.NAMES[0]: document.name} if document.named or len(cls.NAMES) == 1 else {}
        return cls(**name, **values)


def divided(words: Sequence[str | list[str]]) -> list[list[str]]:
    """The sentences of a document, which may be one list of words."""
    plain = [word for word in words if isinstance(word, str)]
    sentences = [word for word in words if not isinstance(word, str)]
    if plain and sentences:
        raise invalid("tokens: words beside sentences")
    return sentences or [plain]


# --- e2e-coref, SpanBERT and their successors -----------------------------------------------------


def _has_tokens(shapes: Shapes) -> bool:
    """True if words are under ``sentences``, or under ``tokens`` with ends not exclusive."""
    if shapes.get("sentences", "null") != "null":
        return shapes["sentences"] in SPANS
    return shapes.get("tokens") in LISTS and shapes.get("ends") != "exclusive"


class SegmentRecord(TokenRecord, kw_only=True):
    """A document whose sentences may be segments of subtokens."""

    NAMES: ClassVar[tuple[str, ...]] = ("doc_key",)
    WORDS: ClassVar[tuple[str, ...]] = ("sentences", "tokens")
    LAYERS: ClassVar[Mapping[str, str]] = {"speaker": "speakers"}

    doc_key: Name
    sentences: list[list[str]] | None = None
    tokens: list[str] | None = None
    speakers: list[list[str]] | None = None
    subtoken_map: list[int | None] | None = None
    orig_subtoken_map: list[int | None] | None = None
    sentence_map: list[int] | None = None

    def to_document(self) -> Document:
        document = super().to_document()
        words = self.orig_subtoken_map or self.subtoken_map
        if self.sentences is None or words is None:
            return document
        pieces = document.tokens or []
        known = [-1 if word is None else word for word in words]
        size = max(known, default=-1) + 1
        if size > 8 * len(pieces) + 1024 or min(known, default=0) < -1:
            raise invalid(f"subtoken_map has {size:,} words for {len(pieces):,} subtokens")
        numbers = self.sentence_map or [
            number for number, segment in enumerate(self.sentences) for _ in segment
        ]
        for name, column in (("subtoken_map", words), ("sentence_map", numbers)):
            check_length(name, column, len(pieces))
        places: list[list[int]] = [[] for _ in range(size)]
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
            places[word].append(place)
        for mention in document.mentions:
            start, stop = mention.spans[0]
            mention.spans = [(known[start], known[stop - 1] + 1)]
            if -1 in (known[start], known[stop - 1]):
                raise invalid(
                    f"{self.CLUSTERS[0]} has a mention with a subtoken that belongs to no word"
                )
        first = [own[0] if own else None for own in places]
        layers = {
            layer: ["" if place is None else values[place] for place in first]
            for layer, values in document.layers.items()
        }
        document.tokens = [_word([pieces[place] for place in own]) for own in places]
        if self.tokens is not None and len(self.tokens) == size:
            document.tokens = self.tokens
        document.starts = _changes(None if place is None else numbers[place] for place in first)
        document.layers = layers_of(size, **layers)
        return document


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
    "e2e",
    "e2e-coref, SpanBERT: JSON lines, token spans, end inclusive",
    lambda shapes: shapes.get("clusters") in SPANS and _has_tokens(shapes),
    side="key",
)
class E2E(SegmentRecord, kw_only=True):
    """e2e-coref, SpanBERT and their successors: indices of tokens or subtokens, end inclusive.

    ::

        {"doc_key": "x", "sentences": [["Anna", "saw", "her"]], "clusters": [[[0, 0], [2, 2]]]}
    """

    clusters: Clusters


@dialect(
    "e2e-predicted",
    "e2e-coref predictions: as e2e, with predicted_clusters",
    lambda shapes: "predicted_clusters" in shapes and _has_tokens(shapes),
    side="response",
)
class E2EPredicted(SegmentRecord, kw_only=True):
    """Predictions in the format of e2e-coref.

    ::

        {"doc_key": "x", "sentences": [["Anna", "saw", "her"]],
         "predicted_clusters": [[[0, 0], [2, 2]]]}
    """

    CLUSTERS: ClassVar[tuple[str, ...]] = ("predicted_clusters",)

    predicted_clusters: Clusters


# --- wl-coref -------------------------------------------------------------------------------------


_has_words_alone = having(tokens=LISTS, clusters=SPANS, sentences=ABSENT, text=ABSENT)


@dialect(
    "wl-coref",
    "wl-coref: JSON lines, word spans, end exclusive",
    lambda shapes: (
        "cased_words" in shapes or (_has_words_alone(shapes) and shapes.get("ends") != "inclusive")
    ),
)
class WlCoref(TokenRecord, kw_only=True):
    """wl-coref: indices of words, end exclusive; before its preparation, spans are ``clusters``.

    ::

        {"document_id": "x", "cased_words": ["Anna", "saw", "her"],
         "span_clusters": [[[0, 1], [2, 3]]]}
    """

    NAMES: ClassVar[tuple[str, ...]] = ("document_id", "doc_key")
    WORDS: ClassVar[tuple[str, ...]] = ("cased_words", "tokens", "sentences")
    CLUSTERS: ClassVar[tuple[str, ...]] = ("span_clusters", "clusters")
    INCLUSIVE: ClassVar[bool] = False
    LAYERS: ClassVar[Mapping[str, str]] = {"speaker": "speaker", "pos": "pos", "deprel": "deprel"}

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
        document = super().to_document()
        size = len(document.tokens or ())
        if self.sent_id:
            check_length("sent_id", self.sent_id, size)
            document.starts = _changes(self.sent_id)
        heads: dict[tuple[int, int], int] = {}
        for place, (head, start, stop) in enumerate(self.head2span or ()):
            if not 0 <= start <= head < stop <= size:
                raise invalid(
                    f"head2span[{place}] is {[head, start, stop]}: the head is outside the span, "
                    "or the span outside the document",
                    "It must be [head, first word, end], end exclusive.",
                )
            heads.setdefault((start, stop), head)
        for mention in document.mentions:
            mention.head = heads.get(mention.spans[0])
        if self.head is not None:
            check_length("head", self.head, size)
            # As in CoNLL-U: from 1 in the sentence, 0 for the root.
            parents = [
                "0" if head is None else str(max(head - start + 1, 0))
                for start, stop in pairwise([*document.starts, size])
                for head in self.head[start:stop]
            ]
            document.layers |= layers_of(size, head=parents)
        return document

    @classmethod
    def from_document(cls, document: Document, number: int) -> Self:
        from corefine.formats.conll import name_and_part

        record = super().from_document(document, number)
        record.document_id, record.part_id = name_and_part(document.name)
        bounds = sentence_bounds(document)
        record.sent_id = [number for number, span in enumerate(bounds) for _ in range(*span)]
        starts = (start for start, stop in bounds for _ in range(start, stop))
        record.head = [
            start + int(head) - 1 if head.isdecimal() and len(head) < 10 and int(head) else None
            for start, head in zip(starts, document.layers.get("head", ()), strict=False)
        ] or None
        spans = dict.fromkeys(
            (mention.head, mention.spans[0][0], mention.spans[-1][1])
            for mention in document.mentions
            if mention.head is not None
        )
        record.head2span = list(spans) or None
        return record


# --- PreCo, Maverick, CRAC, AllenNLP, xCoRe -------------------------------------------------------


@dialect(
    "preco",
    "PreCo: JSON lines, token spans within sentences, end exclusive",
    having(mention_clusters=PRESENT),
)
class PreCo(TokenRecord, kw_only=True):
    """PreCo: sentence, and token indices in it, end exclusive.

    ::

        {"id": "x", "sentences": [["Anna", "ran"], ["She"]],
         "mention_clusters": [[[0, 0, 1], [1, 0, 1]]]}
    """

    NAMES: ClassVar[tuple[str, ...]] = ("id",)
    WORDS: ClassVar[tuple[str, ...]] = ("sentences",)
    CLUSTERS: ClassVar[tuple[str, ...]] = ("mention_clusters",)
    INCLUSIVE: ClassVar[bool] = False
    IN_SENTENCES: ClassVar[bool] = True

    id: Name
    sentences: list[list[str]]
    mention_clusters: list[Triples]


@dialect(
    "maverick",
    "Maverick: JSON lines, token spans, end inclusive",
    having(clusters_token_offsets=PRESENT, doc_id=ABSENT, tokens=LISTS),
)
class Maverick(TokenRecord, kw_only=True):
    """Maverick: token indices, end inclusive; character offsets are not read.

    ::

        {"tokens": ["Anna", "saw", "her"], "clusters_token_offsets": [[[0, 0], [2, 2]]]}
    """

    CLUSTERS: ClassVar[tuple[str, ...]] = ("clusters_token_offsets",)
    STRINGS: ClassVar[tuple[str, ...]] = ("clusters_token_text", "clusters_text_mentions")

    tokens: list[str]
    clusters_token_offsets: Clusters
    clusters_token_text: Strings | None = None
    clusters_text_mentions: Strings | None = None


@dialect(
    "crac-json",
    "CRAC shared task: JSON array, token spans, end inclusive, zeros as ##",
    having(clusters_token_offsets=PRESENT, doc_id=PRESENT, tokens=LISTS),
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
    CLUSTERS: ClassVar[tuple[str, ...]] = ("clusters_token_offsets",)
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
        return super().from_document(replace(document, tokens=tokens), number)


@dialect(
    "allennlp",
    "AllenNLP: JSON lines, token spans, end inclusive",
    having(document=PRESENT, clusters=SPANS, sentences=ABSENT),
)
class AllenNLP(TokenRecord, kw_only=True):
    """AllenNLP: token indices, end inclusive.

    ::

        {"document": ["Anna", "saw", "her"], "clusters": [[[0, 0], [2, 2]]]}
    """

    WORDS: ClassVar[tuple[str, ...]] = ("document",)

    document: list[str]
    clusters: Clusters


@dialect(
    "xcore",
    "xCoRe: JSON, several documents per record and cross-document entities",
    having(clusters_token_offsets=PRESENT, tokens=("list of lists",)),
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
            for name, sentences in zip(self._names(), map(divided, self.tokens), strict=True)
        ]
        sizes = [len(document.tokens or ()) for document in documents]
        clusters = self.clusters_token_offsets
        mentions = mentions_of(clusters, sizes, "clusters_token_offsets")
        spans = chain.from_iterable(clusters)
        for mention, (document, first, last) in zip(mentions, spans, strict=True):
            found = Mention(f"{number}.{mention.entity}", [(first, last + 1)])
            documents[document].mentions.append(found)
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


# --- clusters without a text ----------------------------------------------------------------------


@dialect(
    "clusters",
    "Clusters only: JSON lines without text, token spans, end inclusive",
    lambda shapes: (
        not {shapes.get("clusters"), shapes.get("predicted_clusters")}.isdisjoint(SPANS)
        and shapes.keys().isdisjoint(WORDS)
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
        mentions = mentions_of(clusters, [1 << 31], "clusters")
        return Document(self.name(), None, mentions)

    @classmethod
    def from_document(cls, document: Document, number: int) -> ClustersOnly:
        return cls(
            doc_key=document.name if document.named else None, clusters=clusters_of(document, -1)
        )
