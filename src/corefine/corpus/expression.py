"""Mentions as arguments of user functions: expressions without their entity.

Functions that classify or weigh mentions (kind, defining mentions, weights of links) receive
expressions, so that they cannot use the key.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus


@dataclass(frozen=True, slots=True)
class Expression:
    """A mention without its entity."""

    document: str
    id: Hashable
    """Name, or span ``(start, end)``, end exclusive."""
    text: str
    kind: Kind
    type: str | None
    """Semantic type, if known."""
    start: int
    stop: int
    """Tokens ``start`` to ``stop - 1``, or the row if there is no text."""
    head: int | None
    """Head token, if known."""


def expression_at(corpus: Corpus, index: int, kind: int | None = None) -> Expression:
    """The expression of a mention; ``kind`` defaults to the kind in the corpus."""
    mentions = corpus.mentions
    if kind is None:
        kind = Kind.UNKNOWN if mentions.kind is None else int(mentions.kind[index])
    type_number = -1 if mentions.type is None else int(mentions.type[index])
    head = -1 if mentions.head is None else int(mentions.head[index])
    return Expression(
        corpus.documents[int(mentions.document[index])],
        corpus.mention_id(index),
        corpus.text_of(index),
        Kind(kind),
        None if type_number < 0 else corpus.types[type_number],
        int(mentions.start[index]),
        int(mentions.stop[index]),
        None if head < 0 else head,
    )
