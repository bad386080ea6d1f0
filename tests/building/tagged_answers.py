"""Answers in every dialect: written from a corpus, and read beside it."""

from __future__ import annotations

from collections.abc import Hashable

from corefine.corpus.corpus import Corpus
from corefine.formats.io.sources import Source
from corefine.formats.registry import format_named


def written(corpus: Corpus, dialect: str) -> bytes:
    write = format_named(dialect).write
    assert write is not None
    return b"".join(write(corpus))


def read(data: bytes, key: Corpus, dialect: str, align: str = "tolerant") -> Corpus:
    read_against = format_named(dialect).read_against
    assert read_against is not None
    return read_against([Source("answers.jsonl", content=data)], key, align)


def spans(corpus: Corpus) -> set[frozenset[Hashable]]:
    return {frozenset(entity) for entities in corpus.to_dict().values() for entity in entities}
