"""What all formats ask of a corpus whose text they write."""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import BoolArray, offsets_of
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.formats.building.empty_nodes import drop_empty_nodes


def with_text(corpus: Corpus, format: str) -> tuple[Corpus, Tokens]:
    """The corpus without its empty nodes, and its tokens; one that has no text is refused."""
    corpus = drop_empty_nodes(corpus)
    if corpus.tokens is None:
        raise UsageError(
            f"a corpus without text cannot be written as {format}",
            None,
            "Choose a format that does not need the text, such as labels.",
        )
    return corpus, corpus.tokens


def in_one_sentence(corpus: Corpus) -> BoolArray:
    """Which mentions of a corpus with a text begin and end in the same sentence."""
    tokens, mentions = corpus.tokens, corpus.mentions
    assert tokens is not None
    base = tokens.offsets[mentions.document]
    first = tokens.sentence_of(base + mentions.start)
    within: BoolArray = first == tokens.sentence_of(base + mentions.stop - 1)
    return within


def lost_blanks(corpus: Corpus) -> list[str]:
    """The loss of mentions that have no character that shows, in words."""
    tokens, mentions = corpus.tokens, corpus.mentions
    if tokens is None:
        return []
    shows = np.fromiter((bool(word.strip()) for word in tokens.words), np.int64, len(tokens))
    before = offsets_of(shows)
    base = tokens.offsets[mentions.document]
    showing = before[base + mentions.stop] - before[base + mentions.start]
    if mentions.pieces is not None:
        pieces = mentions.pieces
        base = base[pieces.mention]
        showing[pieces.mention] = 0
        parts = before[base + pieces.stop] - before[base + pieces.start]
        np.add.at(showing, pieces.mention, parts)
    blank = int(np.count_nonzero(showing == 0))
    return [f"mentions of white space only ({blank:,})"] if blank else []
