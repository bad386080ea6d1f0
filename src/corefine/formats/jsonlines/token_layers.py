"""Layers of tokens in JSON lines, and the heads of words and mentions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from corefine.corpus.arrays import IntArray, offsets_of
from corefine.corpus.strings import Strings
from corefine.formats.jsonlines.dialect import Dialect
from corefine.formats.jsonlines.fields import (
    Clusters,
    check_lengths,
    column,
    spread,
)
from corefine.formats.jsonlines.json_records import Record


def layers_of(
    records: Sequence[Record],
    dialect: Dialect,
    lengths: IntArray,
    sentences: IntArray | None,
    wanted: frozenset[str] | None,
) -> dict[str, Strings]:
    """The wanted columns beside the words, or pieces, of which there are so many."""
    found = {
        name: column(records, key, lengths, depth)
        for name, (key, depth) in dialect.layers.items()
        if wanted is None or name in wanted
    }
    if sentences is not None and dialect.dependency_heads and (wanted is None or "head" in wanted):
        found["head"] = dependency_heads(records, dialect.dependency_heads, lengths, sentences)
    return {name: values for name, values in found.items() if values is not None}


def dependency_heads(
    records: Sequence[Record], key: str, lengths: IntArray, sentences: IntArray
) -> Strings | None:
    """The layer ``head`` as CoNLL-U has it: counted from 1 in the sentence, 0 for its root."""
    has = np.array([record.has(key) for record in records], bool)
    if not has.any():
        return None
    some = [record for record in records if record.has(key)]
    heads = [record.decode(key, list[int | None]) for record in some]
    check_lengths(some, np.array([len(numbers) for numbers in heads]), lengths[has], key)
    number = np.array(list(chain.from_iterable(heads)), np.float64)
    first = np.zeros(int(lengths.sum()), np.int64)
    first[sentences] = sentences
    first = np.maximum.accumulate(first) - np.repeat(offsets_of(lengths)[:-1], lengths)
    relative = number - first[np.repeat(has, lengths)] + 1
    relative = np.where(np.isnan(relative), 0, np.clip(relative, 0, 1 << 31)).astype(np.int64)
    return spread(Strings.from_integers(relative), has, lengths)


def mention_heads(
    records: Sequence[Record],
    key: str,
    lengths: IntArray,
    clusters: Clusters,
    start: IntArray,
    stop: IntArray,
) -> IntArray | None:
    """The heads of mentions, where lines tell them; -1 where they do not."""
    from corefine.formats.text.json_values import Triples

    tables = [record.decode(key, Triples) if record.has(key) else [] for record in records]
    if not any(tables):
        return None
    owner = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
    rows = np.array(list(chain.from_iterable(tables)), np.int64)
    head, first, behind = rows.T
    wrong = np.flatnonzero((head < first) | (head >= behind) | (behind > lengths[owner]))
    if len(wrong):
        row = int(wrong[0])
        number = row - int(np.searchsorted(owner, owner[row]))
        records[int(owner[row])].refuse(
            f"{key}[{number}] is {rows[row].tolist()}: the head is outside the span, or the "
            "span outside the document",
            "It must be [head, first word, end], end exclusive.",
        )
    width = int(lengths.max(initial=0)) + 1
    codes = (owner * width + first) * width + behind
    order = np.argsort(codes, kind="stable")
    wanted = (clusters.document_of_mentions * width + start) * width + stop
    place = np.minimum(np.searchsorted(codes[order], wanted), len(codes) - 1)
    return np.where(codes[order][place] == wanted, head[order][place], -1)
