"""Concatenation of corpora, column by column."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import fields, replace
from itertools import accumulate, chain
from typing import Any

import numpy as np

from corefine.corpus.arrays import IntArray, Strings, offsets_of
from corefine.corpus.columns import Entities, Mentions, Pieces, Text, Tokens, join_rows
from corefine.corpus.corpus import Corpus
from corefine.errors import FormatError, Location, UsageError


def concatenate(parts: Sequence[Corpus]) -> Corpus:
    """One corpus of the documents of all parts, in order.

    A column that only some parts have is filled with missing values. Parts with and without text,
    mentions with spans and mentions with names, and documents of the same name are refused.
    """
    if not parts:
        raise UsageError("no corpora to join")
    if len(parts) == 1:
        return parts[0]
    if len({part.tokens is None for part in parts}) > 1:
        raise UsageError(
            "cannot join documents with text and documents without", code="mixed-documents"
        )
    if len({part.has_places for part in parts}) > 1:
        raise UsageError(
            "cannot join mentions with spans and mentions with names", code="mixed-documents"
        )
    copies = [part.copies for part in parts if part.copies is not None]
    document_bases = _bases(parts)
    entity_bases = _bases([part.entities for part in parts])
    types = tuple(dict.fromkeys(chain.from_iterable(part.types for part in parts)))
    annotations = dict.fromkeys(chain.from_iterable(part.annotations for part in parts))
    formats = {part.format for part in parts}
    joined = Corpus(
        documents=tuple(chain.from_iterable(part.documents for part in parts)),
        entities=Entities(
            _shifted([part.entities.document for part in parts], document_bases),
            _entity_names(parts),
        ),
        mentions=joined_mentions(parts, document_bases, entity_bases, types),
        tokens=_tokens([part.tokens for part in parts if part.tokens is not None]),
        types=types,
        relations=tuple(
            replace(relation, document=relation.document + base)
            for part, base in zip(parts, document_bases, strict=True)
            for relation in part.relations
        ),
        topics=None
        if any(part.topics is None for part in parts)
        else tuple(chain.from_iterable(part.topics or () for part in parts)),
        sources=tuple(chain.from_iterable(part.sources or ("",) * len(part) for part in parts))
        if any(part.sources for part in parts)
        else (),
        format=parts[0].format if len(formats) == 1 else None,
        warnings=tuple(dict.fromkeys(chain.from_iterable(part.warnings for part in parts))),
        annotations={
            name: concatenate([replace(part.annotation(name), tokens=None) for part in parts])
            for name in annotations
        },
        named=all(part.named for part in parts),
        copies=type(copies[0]).sum(copies) if copies else None,
    )
    joined.refuse_repeats()
    return joined


def repeated_document(name: str, first: Location | None, again: Location | None) -> FormatError:
    """The error for a document that occurs twice."""
    return FormatError(
        f"document {name[:60]!r} occurs twice" + (f", first at {first}" if first else ""),
        again,
        "Rename or remove one of them, or give them different parts.",
        code="repeated-document",
    )


def _bases(parts: Sequence[Sized]) -> list[int]:
    """Number of rows before each part."""
    return list(accumulate(map(len, parts), initial=0))[:-1]


def _shifted(columns: Sequence[IntArray], bases: Sequence[int]) -> IntArray:
    """Columns of indices joined, each shifted by its base; -1 stays -1."""
    return np.concatenate(
        [
            np.where(column < 0, column, column + base)
            for column, base in zip(columns, bases, strict=True)
        ]
    )


def _entity_names(parts: Sequence[Corpus]) -> Strings | None:
    if all(part.entities.names is None for part in parts):
        return None
    return Strings.concatenate(
        [
            part.entities.names or Strings.from_list(map(str, range(len(part.entities))))
            for part in parts
        ]
    )


def _columns(parts: Sequence[Any]) -> dict[str, Any]:
    """All columns of several parts joined, those with row numbers as they are."""
    counts = [len(part) for part in parts]
    return {
        column.name: join_rows(
            [getattr(part, column.name) for part in parts], counts, column.metadata.get("missing")
        )
        for column in fields(parts[0])
        if column.name not in ("pieces", "text", "lines")
    }


def joined_mentions(
    parts: Sequence[Corpus],
    document_bases: Sequence[int],
    entity_bases: Sequence[int],
    types: tuple[str, ...],
) -> Mentions:
    """Mentions of all parts; documents and entities of each are shifted by its bases."""
    number = {name: index for index, name in enumerate(types)}
    mentions = []
    for part in parts:
        one = part.mentions
        if one.type is not None:
            renumbered = np.array([*(number[name] for name in part.types), -1], np.int64)
            one = replace(one, type=renumbered[one.type])
        mentions.append(one)
    columns = _columns(mentions)
    columns["document"] = _shifted([one.document for one in mentions], document_bases)
    columns["entity"] = _shifted([one.entity for one in mentions], entity_bases)
    pieces = [
        (one.pieces.mention + base, one.pieces.start, one.pieces.stop)
        for one, base in zip(mentions, _bases(mentions), strict=True)
        if one.pieces is not None
    ]
    if pieces:
        columns["pieces"] = Pieces(*map(np.concatenate, zip(*pieces, strict=True)))
    return Mentions(**columns)


def _tokens(parts: Sequence[Tokens]) -> Tokens | None:
    if not parts:
        return None
    columns = _columns(parts)
    columns["offsets"] = offsets_of(np.concatenate([np.diff(part.offsets) for part in parts]))
    columns["sentences"] = _shifted([part.sentences for part in parts], _bases(parts))
    lines = [part.lines for part in parts if part.lines is not None]
    texts = [part.text for part in parts if part.text is not None]
    if len(lines) == len(parts):
        columns["lines"] = np.concatenate(lines)
    if len(texts) == len(parts):
        columns["text"] = Text(
            Strings.concatenate([text.documents for text in texts]),
            np.concatenate([text.begins for text in texts]),
            np.concatenate([text.ends for text in texts]),
        )
    return Tokens(**columns)
