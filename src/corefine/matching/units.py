"""Units of scoring other than the document: groups of documents, and windows of tokens.

With a scope beyond the document, entities with the same id in a group of documents are one entity.

A mention belongs to the window in which it starts, on both sides, and an entity is cut into one
entity per window that mentions it. Tokens are counted without empty nodes, which key and response
need not share; an empty node belongs to the word before it. The corpora keep their documents and
tokens: only their entities are cut, and the table counts per window instead of per document.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from corefine.corpus.arrays import IntArray, Strings, numbered, offsets_of, ranges
from corefine.corpus.columns import Entities, take_rows
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import first_words, words_by_document
from corefine.errors import UsageError
from corefine.matching.matching import Matching
from corefine.matching.places import require_text


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Grouping:
    """Groups of documents that share entities: their names, and the group of each document."""

    names: tuple[str, ...]
    of_document: IntArray


def group_documents(key: Corpus, scope: str) -> Grouping | None:
    """The groups of documents under a scope; None for single documents."""
    if scope == "document":
        return None
    if scope == "corpus":
        return Grouping(("",), np.zeros(len(key.documents), np.int64))
    topics = key.topics or tuple(map(_beginning, key.documents))
    return Grouping(tuple(dict.fromkeys(topics)), _numbers(topics))


_ECB = re.compile(r"(?P<topic>\d+)_\d+(?P<part>ecb|ecbplus)")
"""Document ids of ECB+: topic 7 has the subtopics ecb and ecbplus."""


def levels_of(corpus: Corpus) -> tuple[IntArray, IntArray]:
    """The topic and the subtopic of each document, by number; a subtopic is part of one topic.

    An id is ``topic/subtopic/document``, ``topic/document`` or one of ECB+ such as ``7_3ecbplus``.
    A document without a subtopic is a subtopic of its own.
    """
    topics = corpus.topics or tuple(map(_beginning, corpus.documents))
    subtopics = [
        (topic, _subtopic(document) or (document,))
        for topic, document in zip(topics, corpus.documents, strict=True)
    ]
    return _numbers(topics), _numbers(subtopics)


def _numbers(names: Sequence[Hashable]) -> IntArray:
    number = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return np.array([number[name] for name in names], np.int64)


def _subtopic(document: str) -> str | None:
    if (ecb := _ECB.fullmatch(document)) is not None:
        return ecb["part"]
    parts = document.split("/", 2)
    return parts[1] if len(parts) == 3 else None


def _beginning(document: str) -> str:
    parts = re.split("[_/]", document, maxsplit=1)
    if len(parts) < 2:
        raise UsageError(
            f"document {document!r} has no topic",
            remedy="--scope topic needs a 'topic' column, or document ids that begin with the "
            "topic, followed by '_' or '/'. Or use --scope corpus.",
        )
    return parts[0]


def join_entities(matching: Matching, scope: str) -> Matching:
    """Join entities with the same id in a group of documents, if the scope is not the document."""
    grouping = group_documents(matching.key, scope)
    if grouping is None:
        return matching
    key, response = _joined(matching.key, grouping), _joined(matching.response, grouping)
    return replace(matching, key=key, response=response, grouping=grouping)


def _joined(corpus: Corpus, grouping: Grouping) -> Corpus:
    """The corpus with joined entities; the document of an entity is the first that mentions it."""
    names = corpus.entities.names
    if not len(corpus.entities):
        return corpus
    if names is None:
        raise UsageError(
            "entities without ids cannot be linked across documents",
            remedy="Give labels (Corpus.from_labels) or a file with entity ids.",
        )
    group = grouping.of_document[corpus.entities.document]
    first, entity = numbered(names.codes() * len(grouping.names) + group)
    taken: Strings = names.take(first)
    return replace(
        corpus,
        entities=Entities(corpus.entities.document[first], taken),
        mentions=replace(corpus.mentions, entity=entity[corpus.mentions.entity]),
    )


def cut_windows(matching: Matching, width: int | None) -> Matching:
    """Cut the documents of both sides into windows of ``width`` tokens."""
    if width is None:
        return matching
    windows = TokenWindows.of(matching.key, matching.response, width)
    key, response = windows.cut(matching.key), windows.cut(matching.response)
    return replace(matching, key=key, response=response, windows=windows)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TokenWindows:
    """The windows of all documents, in order."""

    width: int
    documents: tuple[str, ...]
    lengths: IntArray
    """The number of words of each document."""
    names: tuple[str, ...]
    offsets: IntArray
    """The number of the first window of each document, and the number of all windows."""
    words: IntArray
    """The number of words of each window."""

    @classmethod
    def of(cls, key: Corpus, response: Corpus, width: int) -> TokenWindows:
        """The windows of the shared text, which are the same for every response to a key."""
        require_text(key, response, f"windows of {width} tokens")
        tokens = response.tokens if key.tokens is None else key.tokens
        lengths = np.zeros(len(key.documents), np.int64)
        if tokens is not None:
            lengths = words_by_document(tokens)
        counts = np.maximum(-(-lengths // width), 1)
        begins = width * ranges(np.zeros(len(counts), np.int64), counts)
        owner = np.repeat(np.arange(len(counts)), counts)
        ends = np.minimum(begins + width, lengths[owner])
        names = tuple(
            f"{key.documents[document]} [{begin}, {begin + width})".strip()
            for document, begin in zip(owner.tolist(), begins.tolist(), strict=True)
        )
        return cls(width, key.documents, lengths, names, offsets_of(counts), ends - begins)

    def of_mentions(self, corpus: Corpus) -> IntArray:
        """The window in which each mention starts."""
        return self.offsets[corpus.mentions.document] + first_words(corpus) // self.width

    def cut(self, corpus: Corpus) -> Corpus:
        """The corpus with one entity per entity and window; all mentions stay."""
        count = max(len(self.names), 1)
        codes, entity = np.unique(
            corpus.mentions.entity * count + self.of_mentions(corpus), return_inverse=True
        )
        source = codes // count
        return replace(
            corpus,
            entities=Entities(
                corpus.entities.document[source], take_rows(corpus.entities.names, source)
            ),
            mentions=replace(corpus.mentions, entity=entity.reshape(-1)),
        )

    def of_entities(self, corpus: Corpus) -> IntArray:
        """The window of each entity of a corpus that was cut."""
        window = np.zeros(len(corpus.entities), np.int64)
        window[corpus.mentions.entity] = self.of_mentions(corpus)
        return window
