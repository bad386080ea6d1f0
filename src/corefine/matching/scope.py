"""Scope: entities that reach beyond a document, named by the same id in several of them."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from corefine.corpus.arrays import IntArray, numbered
from corefine.corpus.columns import Entities
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import UsageError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Grouping:
    """Documents that share their entities: the names of the groups, and each document's group."""

    names: tuple[str, ...]
    of_document: IntArray


def group_documents(key: Corpus, scope: str) -> Grouping | None:
    """How documents are grouped; None where each stands alone."""
    if scope == "document":
        return None
    if scope == "corpus":
        return Grouping(("",), np.zeros(len(key.documents), np.int64))
    topics = key.topics or tuple(map(_beginning, key.documents))
    names = tuple(dict.fromkeys(topics))
    number = {name: place for place, name in enumerate(names)}
    return Grouping(names, np.array([number[topic] for topic in topics], np.int64))


_ECB = re.compile(r"(?P<topic>\d+)_\d+(?P<part>ecb|ecbplus)")
"""ECB+: topic 7 has the subtopics ecb and ecbplus, each about another event of the same sort."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Levels:
    """The topic and the subtopic of each document, by number; a subtopic is part of one topic."""

    topic: IntArray
    subtopic: IntArray


def levels_of(corpus: Corpus) -> Levels:
    """The topics and subtopics of documents, which are in their ids or in a column of the file.

    An id is ``topic/subtopic/document``, ``topic/document`` or one of ECB+ such as ``7_3ecbplus``.
    A document without a subtopic is one by itself: no link leads to another within the subtopic.
    """
    topics = corpus.topics or tuple(map(_beginning, corpus.documents))
    subtopics = [
        (topic, _subtopic(document) or (document,))
        for topic, document in zip(topics, corpus.documents, strict=True)
    ]
    return Levels(_numbers(topics), _numbers(subtopics))


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


def join_entities(corpus: Corpus, grouping: Grouping) -> Corpus:
    """The corpus in which entities of the same name in one group are one entity.

    An entity's document is then the first in which it occurs.
    """
    names = corpus.entities.names
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
