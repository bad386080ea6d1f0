"""Positions of tokens and mentions that key and response share.

In a text with empty nodes (zeros), key and response may have different ones, so that token numbers
of the two sides cannot be compared. Places can: a word has its number among the words, an empty
node the word that it follows and its number after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.columns import STRIDE, Tokens
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError

if TYPE_CHECKING:
    from corefine.corpus.words import Spans
    from corefine.matching.units import TokenWindows


def common_places(*sides: Tokens) -> tuple[IntArray, ...]:
    """Increasing numbers of the tokens of each side; equal numbers are the same token.

    The sides have the same documents with the same words.
    """
    columns = [tokens.places for tokens in sides]
    width = STRIDE + max(int(column.max(initial=0)) for column in columns) // STRIDE * STRIDE
    # Empty nodes that are numbered out of order get the place of the node before them.
    return tuple(
        np.maximum.accumulate(tokens.document_of_token * width + column)
        for tokens, column in zip(sides, columns, strict=True)
    )


def tokens_at(place: IntArray, wanted: IntArray) -> IntArray:
    """The tokens at the wanted places, given the increasing places of tokens; -1 if none is."""
    if not len(place):
        return np.full(len(wanted), -1)
    found = np.minimum(np.searchsorted(place, wanted), len(place) - 1)
    return np.where(place[found] == wanted, found, -1)


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
    def of(
        cls, key: Corpus, response: Corpus, windows: TokenWindows | None = None
    ) -> tuple[Places, Places]:
        """Both sides with comparable places."""
        sides = (key, response)
        tokens = [side.tokens for side in sides]
        has_empty = any(one is not None and one.has_empty for one in tokens)
        ours, theirs = (
            cls(
                side,
                one.places if has_empty and one is not None else None,
                None if windows is None else windows.of_mentions(side),
            )
            for side, one in zip(sides, tokens, strict=True)
        )
        return ours, theirs

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
