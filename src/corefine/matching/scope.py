"""Scope: entities that reach beyond a document, named by the same id in several of them."""

from __future__ import annotations

import re
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


def _beginning(document: str) -> str:
    parts = re.split("[_/]", document, maxsplit=1)
    if len(parts) < 2:
        raise UsageError(
            f"the document {document!r} has no topic",
            remedy="With --scope topic a file of labels needs a column 'topic', or the ids of "
            "documents begin with it, before '_' or '/'. Or use --scope corpus.",
        )
    return parts[0]


def join_entities(corpus: Corpus, grouping: Grouping) -> Corpus:
    """The corpus in which entities of the same name in one group are one entity.

    An entity's document is then the first in which it occurs.
    """
    names = corpus.entities.names
    if names is None:
        raise UsageError(
            "entities without ids cannot be joined across documents",
            remedy="Give labels (Corpus.from_labels) or a file in which entities have ids.",
        )
    group = grouping.of_document[corpus.entities.document]
    first, entity = numbered(names.codes() * len(grouping.names) + group)
    taken: Strings = names.take(first)
    return replace(
        corpus,
        entities=Entities(corpus.entities.document[first], taken),
        mentions=replace(corpus.mentions, entity=entity[corpus.mentions.entity]),
    )
