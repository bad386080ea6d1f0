"""Corpus: annotated documents as columns, and what can be made of them."""

from __future__ import annotations

from corefine.corpus.columns import Entities, Kind, Mentions, Pieces, Relation, Text, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention

__all__ = [
    "Corpus",
    "Document",
    "Entities",
    "Kind",
    "Mention",
    "Mentions",
    "Pieces",
    "Relation",
    "Text",
    "Tokens",
]
