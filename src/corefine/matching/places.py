"""Positions of tokens and mentions that key and response share.

In a text with empty nodes (zeros), key and response may have different ones, so that token numbers
of the two sides cannot be compared. Places can: a word has its number among the words, an empty
node the word that it follows and its number after it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, offsets_of, ranges
from corefine.corpus.columns import Mentions, Pieces, Tokens
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError

if TYPE_CHECKING:
    from corefine.corpus.words import Spans

STRIDE = 1 << 12
"""Places between two words, for empty nodes."""
SENTENCE_START = STRIDE >> 1
"""Empty nodes before the first word of a sentence follow those after the last word before it."""


def token_places(tokens: Tokens) -> IntArray | None:
    """The place of each token in its document; None without empty nodes."""
    empty = tokens.empty
    if empty is None or not tokens.has_empty:
        return None
    position = np.arange(len(tokens))
    document_start = tokens.offsets[tokens.document_of_token]
    words = np.concatenate([[0], np.cumsum(~empty)])
    words_before = words[position] - words[document_start]
    opens = np.zeros(len(tokens), bool)
    opens[tokens.sentences] = True
    # Empty nodes are numbered from 1 after each word and at the start of each sentence, unless the
    # file gives other numbers.
    run_start = np.maximum.accumulate(np.where(~empty | opens, position, 0))
    at_start = empty[run_start]
    number = position - run_start + at_start
    written = tokens.layers.get("node")
    if written is not None:
        from corefine.formats.columns.token_rows import whole_numbers

        given = whole_numbers(written.data, written.offsets[:-1], written.offsets[1:])
        number = np.where(given > 0, given, number)
    behind: IntArray = words_before * STRIDE + number + SENTENCE_START * at_start
    return np.where(empty, behind, (words_before + 1) * STRIDE)


def common_places(*sides: Tokens) -> tuple[IntArray, ...]:
    """Increasing numbers of the tokens of each side; equal numbers are the same token.

    The sides have the same documents with the same words.
    """
    columns = [_places(tokens) for tokens in sides]
    width = STRIDE + max(int(column.max(initial=0)) for column in columns) // STRIDE * STRIDE
    # Empty nodes that are numbered out of order get the place of the node before them.
    return tuple(
        np.maximum.accumulate(tokens.document_of_token * width + column)
        for tokens, column in zip(sides, columns, strict=True)
    )


def _places(tokens: Tokens) -> IntArray:
    column = token_places(tokens)
    if column is not None:
        return column
    return (np.arange(len(tokens)) - tokens.offsets[tokens.document_of_token] + 1) * STRIDE


def require_text(key: Corpus, response: Corpus, what: str) -> None:
    """Raise an error for mentions without a position in a text, if ``what`` needs positions."""
    sides = [side for side in (key, response) if len(side.mentions)]
    if any(not side.has_places for side in sides) or (
        sides and key.tokens is None and response.tokens is None
    ):
        raise UsageError(
            f"{what} need the text, but these mentions have no position in a text",
            remedy="Score files that contain the tokens of the documents.",
        )


@dataclass(frozen=True, eq=False, repr=False)
class Places:
    """The mentions of one side as places in their documents."""

    corpus: Corpus
    of_token: IntArray | None
    """The place of each token; None if it is the token's number."""
    window: IntArray | None = None
    """The window of each mention, if documents are cut into windows."""

    @property
    def unit(self) -> IntArray:
        """The unit in which each mention is matched: its document, or its window."""
        return self.corpus.mentions.document if self.window is None else self.window

    @classmethod
    def of(cls, key: Corpus, response: Corpus) -> tuple[Places, Places]:
        """Both sides with comparable places."""
        sides = (key, response)
        columns = [None if side.tokens is None else side.tokens.empty for side in sides]
        if not any(column is not None and column.any() for column in columns):
            return cls(key, None), cls(response, None)
        ours, theirs = (None if side.tokens is None else _places(side.tokens) for side in sides)
        return cls(key, ours), cls(response, theirs)

    def at(self, document: IntArray, token: IntArray) -> IntArray:
        """The places of tokens, given by document and number in it; -1 stays -1."""
        if self.of_token is None:
            return token
        assert self.corpus.tokens is not None
        position = np.where(token < 0, 0, self.corpus.tokens.offsets[document] + token)
        return np.where(token < 0, -1, self.of_token[position])

    @cached_property
    def first(self) -> IntArray:
        mentions = self.corpus.mentions
        return self.at(mentions.document, mentions.start)

    @cached_property
    def last(self) -> IntArray:
        mentions = self.corpus.mentions
        return self.at(mentions.document, mentions.stop - 1)

    @cached_property
    def head(self) -> IntArray:
        """The place of the head of each mention; -1 if it is unknown."""
        mentions = self.corpus.mentions
        if mentions.head is None:
            return np.full(len(mentions), -1)
        return self.at(mentions.document, mentions.head)

    @cached_property
    def irregular(self) -> BoolArray:
        """Mentions that are not a sequence of words: discontinuous, or with empty nodes."""
        mentions, tokens = self.corpus.mentions, self.corpus.tokens
        marked = np.zeros(self.first.shape, bool)
        if mentions.pieces is not None:
            marked[mentions.pieces.mention] = True
        if self.of_token is not None and tokens is not None and tokens.empty is not None:
            empties = np.concatenate([[0], np.cumsum(tokens.empty)])
            base = tokens.offsets[mentions.document]
            marked |= empties[base + mentions.stop] > empties[base + mentions.start]
        return marked

    @cached_property
    def zero(self) -> BoolArray:
        """Mentions whose head (without a head, first token) is an empty node."""
        mentions, tokens = self.corpus.mentions, self.corpus.tokens
        if tokens is None or tokens.empty is None:
            return np.zeros(self.first.shape, bool)
        head = mentions.start if mentions.head is None else mentions.head
        head = np.where(head < 0, mentions.start, head)
        is_empty: BoolArray = tokens.empty[tokens.offsets[mentions.document] + head]
        return is_empty

    @cached_property
    def _spans(self) -> Spans:
        from corefine.corpus.words import Spans

        mentions = self.corpus.mentions
        return Spans.behind(mentions, np.zeros(len(mentions), np.int64))

    def words(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """The places of the words of these mentions, with the index of the mention in ``rows``."""
        spans = self._spans.take(rows)
        owners = np.repeat(np.arange(len(rows)), spans.lengths)
        return owners, self.at(self.corpus.mentions.document[rows][owners], spans.tokens)


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """The tokens of another tokenisation of the same text that each token corresponds to."""

    first: IntArray
    """The first of them; -1 if there is none."""
    count: IntArray
    head: IntArray
    """The one that is the head if the token was; -1 if there is none."""

    @classmethod
    def of(cls, token: IntArray) -> Moves:
        """One token per token, or none (-1)."""
        return cls(token, (token >= 0).astype(np.int64), token)


def moved_mentions(corpus: Corpus, tokens: Tokens, moves: Moves, offsets: IntArray) -> Mentions:
    """The mentions in other tokens, whose documents begin at ``offsets``.

    Spans that are torn apart get pieces.
    """
    from corefine.corpus.words import Spans

    mentions = corpus.mentions
    base, begin = tokens.offsets[mentions.document], offsets[mentions.document]
    spans = Spans.of(corpus, tokens)
    counts = moves.count[spans.tokens]
    owner = np.repeat(np.repeat(np.arange(len(mentions)), spans.lengths), counts)
    token = ranges(moves.first[spans.tokens], counts) - begin[owner]
    opens = np.ones(len(token), bool)
    opens[1:] = (owner[1:] != owner[:-1]) | (token[1:] != token[:-1] + 1)
    start, stop = token[opens], token[np.roll(opens, -1)] + 1
    runs = offsets_of(np.bincount(owner[opens], minlength=len(mentions)))
    several = np.repeat(np.diff(runs) > 1, np.diff(runs))

    def at(position: IntArray, moved: IntArray) -> IntArray:
        """Token numbers in the documents of the mentions; -1 stays -1."""
        known = moved[base + np.maximum(position, 0)]
        return np.where((position < 0) | (known < 0), -1, known - begin)

    minimum = mentions.minimum
    if minimum is not None:
        low = at(minimum[0], moves.first)
        high = at(minimum[1] - 1, moves.first + moves.count)
        minimum = np.where(low < high, low, -1), np.where(low < high, high, -1)
    return replace(
        mentions,
        start=start[runs[:-1]],
        stop=stop[runs[1:] - 1],
        head=None if mentions.head is None else at(mentions.head, moves.head),
        pieces=Pieces(owner[opens][several], start[several], stop[several])
        if several.any()
        else None,
        minimum=minimum,
    )
