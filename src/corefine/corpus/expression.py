"""A mention as a function of the user sees it: an expression in a text, without its entity.

Rules that sort or weigh mentions (what kind each is, which of them define an entity, what a link
between two of them is worth) are given expressions. They cannot look at the key, since an
expression does not tell who it refers to.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus


@dataclass(frozen=True, slots=True)
class Expression:
    """What is known of a mention apart from coreference."""

    document: str
    id: Hashable
    """The mention as it was given: its name, or its first and last token."""
    text: str
    kind: Kind
    type: str | None
    """Its semantic type, where the source gives one."""
    start: int
    stop: int
    """Its place: the tokens ``start`` to ``stop - 1``, or the row where there is no text."""
    head: int | None
    """The token that is its head, where the source gives one."""


def expression_at(corpus: Corpus, index: int, kind: int | None = None) -> Expression:
    """The expression of a mention; ``kind`` is the corpus's own unless it is given."""
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
