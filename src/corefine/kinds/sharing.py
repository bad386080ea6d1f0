"""Columns that one side has and the other lacks, though both are the same text.

A response often comes without parts of speech. Each document borrows for itself, so that it does
not matter which others are read with it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from corefine.corpus.arrays import BoolArray
from corefine.corpus.columns import Tokens
from corefine.corpus.strings import Strings
from corefine.kinds.columns import LAYERS, documents_with_columns


def share_columns(key: Tokens, response: Tokens) -> tuple[Tokens, Tokens]:
    """The tokens of both sides, each with the other's columns in documents where it has none."""
    if not np.array_equal(key.offsets, response.offsets):
        return key, response
    ours, theirs = documents_with_columns(key), documents_with_columns(response)
    return _borrowed(key, response, theirs & ~ours), _borrowed(response, key, ours & ~theirs)


def _borrowed(own: Tokens, other: Tokens, documents: BoolArray) -> Tokens:
    """Tokens with the other's columns, sentences and empty nodes in these documents."""
    if not documents.any():
        return own
    rows = np.repeat(documents, np.diff(own.offsets))
    nothing = Strings(np.zeros(0, np.uint8), np.zeros(len(own) + 1, np.int64))
    chosen = np.arange(len(own)) + len(own) * rows
    layers = {
        name: Strings.concatenate(
            [own.layers.get(name, nothing), other.layers.get(name, nothing)]
        ).take(chosen)
        for name in LAYERS & {*own.layers, *other.layers}
    }
    empty = None
    if own.empty is not None or other.empty is not None:
        none = np.zeros(len(own), bool)
        empty = np.where(
            rows,
            none if other.empty is None else other.empty,
            none if own.empty is None else own.empty,
        )
    sentences = [own.sentences[~rows[own.sentences]], other.sentences[rows[other.sentences]]]
    return replace(
        own,
        layers={**own.layers, **layers},
        empty=empty,
        sentences=np.sort(np.concatenate(sentences)),
    )
