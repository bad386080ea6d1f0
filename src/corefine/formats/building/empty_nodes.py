"""Corpora for formats that have no empty nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from corefine.corpus.arrays import offsets_of
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions


def drop_empty_nodes(corpus: Corpus) -> Corpus:
    """The corpus without empty nodes, and without the mentions that are nothing else.

    Mentions are continuous afterwards, and have no minimum spans.
    """
    tokens = corpus.tokens
    if tokens is None or tokens.empty is None or not tokens.empty.any():
        return corpus
    rows = np.flatnonzero(~tokens.empty)
    before = offsets_of((~tokens.empty).astype(np.int64))
    offsets = before[tokens.offsets]
    sentences = np.unique(before[tokens.sentences])
    mentions = corpus.mentions
    base, first = tokens.offsets[mentions.document], offsets[mentions.document]
    head = mentions.head
    if head is not None:
        token = base + np.maximum(head, 0)
        head = np.where((head < 0) | tokens.empty[token], -1, before[token] - first)
    moved = replace(
        mentions,
        start=before[mentions.start + base] - first,
        stop=before[mentions.stop + base] - first,
        head=head,
        pieces=None,
        minimum=None,
    )
    kept = Tokens(
        tokens.words.take(rows),
        offsets,
        sentences[sentences < len(rows)],
        {name: column.take(rows) for name, column in tokens.layers.items()},
        lines=None if tokens.lines is None else tokens.lines[rows],
    )
    return keep_mentions(replace(corpus, tokens=kept, mentions=moved), moved.start < moved.stop)
