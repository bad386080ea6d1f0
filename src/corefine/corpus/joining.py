"""Corpora from corpora: some of the documents, some of the mentions, several made one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import IntArray, numbered, offsets_of
from corefine.corpus.columns import Entities, Mentions, Pieces, Text, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import take_mentions
from corefine.corpus.strings import Strings
from corefine.errors import UsageError


def concatenate(parts: Sequence[Corpus]) -> Corpus:
    """One corpus of the documents of all parts, one part after another.

    A column that only some parts have is filled up with "not known". Parts with text cannot be
    joined with parts that have only names.
    """
    if not parts:
        raise UsageError("there is no corpus to join")
    if len(parts) == 1:
        return parts[0]
    if len({part.tokens is None for part in parts} | {2 * part.has_places for part in parts}) > 2:
        raise UsageError("documents with text and documents without cannot be joined")
    document_bases = _bases(len(part.documents) for part in parts)
    entity_bases = _bases(len(part.entities) for part in parts)
    types = tuple(dict.fromkeys(chain.from_iterable(part.types for part in parts)))
    return Corpus(
        documents=tuple(chain.from_iterable(part.documents for part in parts)),
        entities=Entities(
            _shifted([part.entities.document for part in parts], document_bases),
            _joined_names(parts),
        ),
        mentions=_joined_mentions(parts, document_bases, entity_bases, types),
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
        named=all(part.named for part in parts),
    )


def add_singletons(corpus: Corpus, others: Corpus) -> tuple[Corpus, IntArray]:
    """The corpus with the mentions of another as entities of their own; both have the same text.

    The mentions stay ordered by document. Also where each of them now stands: first those of the
    corpus, then those that were added.
    """
    added = replace(others.mentions, entity=np.arange(len(others.mentions)))
    if corpus.has_places != others.has_places:
        corpus, others = (_by_name(side) for side in (corpus, others))
        added = replace(added, names=others.mentions.names)
    types = tuple(dict.fromkeys([*corpus.types, *others.types]))
    parts = [corpus, replace(others, mentions=added)]
    joined = _joined_mentions(parts, [0, 0], [0, len(corpus.entities)], types)
    order = np.argsort(joined.document, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    names = corpus.entities.names
    if names is not None:
        invented = [f"added {number}" for number in range(1, len(added) + 1)]
        names = Strings.concatenate([names, Strings.from_list(invented)])
    entities = Entities(np.concatenate([corpus.entities.document, added.document]), names)
    mentions = take_mentions(joined, order)
    return replace(corpus, entities=entities, mentions=mentions, types=types), place


def _by_name(corpus: Corpus) -> Corpus:
    """The corpus with a name for each mention, which is its place where it has one."""
    names = [corpus.mention_id(index) for index in range(len(corpus.mentions))]
    return replace(corpus, mentions=replace(corpus.mentions, names=names))


def _bases(counts: Any) -> list[int]:
    """How many rows stand before each part."""
    bases = [0]
    for count in counts:
        bases.append(bases[-1] + count)
    return bases[:-1]


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


def _joined_mentions(
    parts: Sequence[Corpus],
    document_bases: Sequence[int],
    entity_bases: Sequence[int],
    types: tuple[str, ...],
) -> Mentions:
    columns = [part.mentions for part in parts]
    counts = [len(mentions) for mentions in columns]
    mention_bases = _bases(counts)

    def filled(values: Sequence[NDArray[Any] | None], missing: int) -> NDArray[Any] | None:
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
    low = filled([m.minimum[0] if m.minimum else None for m in columns], -1)
    high = filled([m.minimum[1] if m.minimum else None for m in columns], -1)
    pieces = [m.pieces for m in columns if m.pieces is not None]
    names: Any = [m.names for m in columns]
    if columns[0].names is None:
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
        filled([m.head for m in columns], -1),
        filled(renumbered, -1),
        Pieces(
            np.concatenate(
                [
                    m.pieces.mention + base
                    for m, base in zip(columns, mention_bases, strict=True)
                    if m.pieces is not None
                ]
            ),
            np.concatenate([p.start for p in pieces]),
            np.concatenate([p.stop for p in pieces]),
        )
        if pieces
        else None,
        None if low is None or high is None else (low, high),
        _joined_layers([(m.attributes, len(m)) for m in columns]),
        filled([m.closing for m in columns], 0),
        filled([m.head_found for m in columns], 0),
    )


def _joined_tokens(parts: Sequence[Tokens]) -> Tokens | None:
    if not parts:
        return None
    bases = _bases(len(part) for part in parts)
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

    def column(layers: Mapping[str, Strings], name: str, count: int) -> Strings:
        if name in layers:
            return layers[name]
        return Strings(np.zeros(0, np.uint8), np.zeros(count + 1, np.int64))

    return {
        name: Strings.concatenate([column(layers, name, count) for layers, count in parts])
        for name in names
    }


def relabelled(parts: Sequence[Corpus], entity: IntArray) -> Corpus:
    """The mentions of corpora of the same documents, in entities by these labels.

    ``entity`` has a label for each mention, one part after another; equal labels are one entity,
    which must lie within a document. Tokens and all else are those of the first part.
    """
    types = tuple(dict.fromkeys(chain.from_iterable(part.types for part in parts)))
    nothing = [0] * len(parts)
    mentions = _joined_mentions(parts, nothing, nothing, types)
    first, number = numbered(entity)
    document = mentions.document[first]
    # Entities and mentions both stand in the order of documents.
    arranged = np.argsort(document, kind="stable")
    rank = np.empty(len(first), np.int64)
    rank[arranged] = np.arange(len(first))
    order = np.argsort(mentions.document, kind="stable")
    return replace(
        parts[0],
        entities=Entities(document[arranged]),
        mentions=take_mentions(replace(mentions, entity=rank[number]), order),
        types=types,
        relations=(),
    )
