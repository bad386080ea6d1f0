"""Joining: several corpora made one, column by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import replace
from itertools import accumulate, chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import IntArray, offsets_of
from corefine.corpus.columns import Entities, Mentions, Pieces, Text, Tokens
from corefine.corpus.copying import Copies
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.corpus.values import document_ids
from corefine.errors import UsageError


def concatenate(parts: Sequence[Corpus]) -> Corpus:
    """One corpus of the documents of all parts, one part after another.

    A column that only some parts have is filled up with "not known". Parts with and without text,
    or mentions with places and mentions with names, cannot be joined, nor documents of one name.
    """
    if not parts:
        raise UsageError("no corpora to join")
    if len(parts) == 1:
        return parts[0]
    if len({part.tokens is None for part in parts}) > 1:
        raise UsageError("cannot join documents with text and documents without")
    if len({part.has_places for part in parts}) > 1:
        raise UsageError("cannot join mentions with spans and mentions with names")
    document_bases = _bases(parts)
    entity_bases = _bases([part.entities for part in parts])
    types = tuple(dict.fromkeys(chain.from_iterable(part.types for part in parts)))
    return Corpus(
        documents=document_ids([name for part in parts for name in part.documents]),
        entities=Entities(
            _shifted([part.entities.document for part in parts], document_bases),
            _joined_names(parts),
        ),
        mentions=joined_mentions(parts, document_bases, entity_bases, types),
        tokens=_joined_tokens([part.tokens for part in parts if part.tokens is not None]),
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
        format=parts[0].format if len({part.format for part in parts}) == 1 else None,
        warnings=tuple(dict.fromkeys(chain.from_iterable(part.warnings for part in parts))),
        annotations=_joined_annotations(parts),
        named=all(part.named for part in parts),
        copies=Copies.sum(part.copies for part in parts),
    )


def _joined_annotations(parts: Sequence[Corpus]) -> dict[str, Corpus]:
    names = dict.fromkeys(chain.from_iterable(part.annotations for part in parts))
    return {
        name: concatenate([replace(part.annotation(name), tokens=None) for part in parts])
        for name in names
    }


def _bases(parts: Sequence[Sized]) -> list[int]:
    """How many rows stand before each part."""
    return list(accumulate(map(len, parts), initial=0))[:-1]


def _shifted(columns: Sequence[IntArray], bases: Sequence[int]) -> IntArray:
    """Columns of indices joined, each moved by its base; -1 stays -1."""
    return np.concatenate(
        [
            np.where(column < 0, column, column + base)
            for column, base in zip(columns, bases, strict=True)
        ]
    )


def _joined_names(parts: Sequence[Corpus]) -> Strings | None:
    if all(part.entities.names is None for part in parts):
        return None
    return Strings.concatenate(
        [
            part.entities.names
            if part.entities.names is not None
            else Strings.from_list(map(str, range(len(part.entities))))
            for part in parts
        ]
    )


def joined_mentions(
    parts: Sequence[Corpus],
    document_bases: Sequence[int],
    entity_bases: Sequence[int],
    types: tuple[str, ...],
) -> Mentions:
    """The mentions of all parts; documents and entities of each are moved by its bases."""
    columns = [part.mentions for part in parts]
    counts = [len(mentions) for mentions in columns]

    def filled(values: Sequence[NDArray[Any] | None], missing: int = -1) -> NDArray[Any] | None:
        known = [value for value in values if value is not None]
        if not known:
            return None
        return np.concatenate(
            [
                np.full(count, missing, known[0].dtype) if value is None else value
                for value, count in zip(values, counts, strict=True)
            ]
        )

    number = {name: index for index, name in enumerate(types)}
    renumbered = [
        None
        if part.mentions.type is None
        else np.array([*(number[name] for name in part.types), -1], np.int64)[part.mentions.type]
        for part in parts
    ]
    low = filled([m.minimum[0] if m.minimum else None for m in columns])
    high = filled([m.minimum[1] if m.minimum else None for m in columns])
    names: Any = [m.names for m in columns if m.names is not None]
    if not names:
        names = None
    elif all(isinstance(part, Strings) for part in names):
        names = Strings.concatenate(names)
    else:
        names = list(chain.from_iterable(names))
    return Mentions(
        _shifted([m.document for m in columns], document_bases),
        _shifted([m.entity for m in columns], entity_bases),
        np.concatenate([m.start for m in columns]),
        np.concatenate([m.stop for m in columns]),
        names,
        filled([m.kind for m in columns], 0),
        filled([m.head for m in columns]),
        filled(renumbered),
        _joined_pieces([m.pieces for m in columns], _bases(columns)),
        None if low is None or high is None else (low, high),
        _joined_layers([(m.attributes, len(m)) for m in columns]),
        _joined_closing(columns),
        filled([m.head_found for m in columns], 0),
        filled([m.unbarred for m in columns], 0),
    )


def _joined_closing(columns: Sequence[Mentions]) -> IntArray | None:
    """The order of closing brackets; where it is not known, mentions of one token have none."""
    if all(mentions.closing is None for mentions in columns):
        return None
    return np.concatenate(
        [np.where(m.stop - m.start > 1, 0, -1) if m.closing is None else m.closing for m in columns]
    )


def _joined_pieces(parts: Sequence[Pieces | None], bases: Sequence[int]) -> Pieces | None:
    known = [(part, base) for part, base in zip(parts, bases, strict=True) if part is not None]
    if not known:
        return None
    return Pieces(
        np.concatenate([part.mention + base for part, base in known]),
        np.concatenate([part.start for part, _ in known]),
        np.concatenate([part.stop for part, _ in known]),
    )


def _joined_tokens(parts: Sequence[Tokens]) -> Tokens | None:
    if not parts:
        return None
    bases = _bases(parts)
    return Tokens(
        Strings.concatenate([part.words for part in parts]),
        offsets_of(np.concatenate([np.diff(part.offsets) for part in parts])),
        _shifted([part.sentences for part in parts], bases),
        _joined_layers([(part.layers, len(part)) for part in parts]),
        None
        if all(part.empty is None for part in parts)
        else np.concatenate(
            [np.zeros(len(part), bool) if part.empty is None else part.empty for part in parts]
        ),
        None
        if any(part.lines is None for part in parts)
        else np.concatenate([part.lines for part in parts if part.lines is not None]),
        _joined_texts([part.text for part in parts]),
    )


def _joined_texts(parts: Sequence[Text | None]) -> Text | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return Text(
        Strings.concatenate([part.documents for part in known]),
        np.concatenate([part.begins for part in known]),
        np.concatenate([part.ends for part in known]),
    )


def _joined_layers(
    parts: Sequence[tuple[Mapping[str, Strings], int]],
) -> dict[str, Strings]:
    names = dict.fromkeys(chain.from_iterable(layers for layers, _ in parts))
    return {
        name: Strings.concatenate(
            [layers.get(name, Strings.blank(count)) for layers, count in parts]
        )
        for name in names
    }
