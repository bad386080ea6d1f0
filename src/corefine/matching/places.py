"""Positions of mentions in the text that key and response share, and which mentions are equal.

In a text with empty nodes (zeros), key and response may have different ones, so that token numbers
of the two sides cannot be compared. Places can: a word has its number among the words, an empty
node the word that it follows and its number after it.

Two mentions are the same expression if they cover the same words of the same document or, without
a text, if they have the same name in the same document.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, Strings, among, offsets_of
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


def tokens_placed(place: IntArray, wanted: IntArray) -> IntArray:
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
        has_empty = any(
            side.tokens is not None and side.tokens.empty is not None for side in (key, response)
        )
        ours, theirs = (
            cls(
                side,
                side.tokens.places if has_empty and side.tokens is not None else None,
                None if windows is None else windows.of_mentions(side),
            )
            for side in (key, response)
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
            empties = offsets_of(tokens.empty.astype(np.int64))
            base = tokens.offsets[mentions.document]
            marked |= empties[base + mentions.stop] > empties[base + mentions.start]
        return marked

    @cached_property
    def zero(self) -> BoolArray:
        """Mentions whose head (without a head, first token) is an empty node."""
        tokens = self.corpus.tokens
        if tokens is None or tokens.empty is None:
            return np.zeros(self.first.shape, bool)
        is_empty: BoolArray = tokens.empty[self.head_tokens]
        return is_empty

    @property
    def head_tokens(self) -> IntArray:
        """The head, or without one the first token, of each mention as a token of the corpus."""
        mentions, tokens = self.corpus.mentions, self.corpus.tokens
        assert tokens is not None
        head = mentions.start
        if mentions.head is not None:
            head = np.where(mentions.head < 0, mentions.start, mentions.head)
        return tokens.offsets[mentions.document] + head

    @cached_property
    def _spans(self) -> Spans:
        from corefine.corpus.words import Spans

        mentions = self.corpus.mentions
        return Spans.behind(mentions, np.zeros(len(mentions), np.int64))

    def words(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """The index in ``rows`` and the place of each word of the mentions ``rows``."""
        spans = self._spans.take(rows)
        owners = np.repeat(np.arange(len(rows)), spans.lengths)
        return owners, self.at(self.corpus.mentions.document[rows][owners], spans.tokens)


def identify(
    key_places: Places, response_places: Places, with_heads: bool = False
) -> tuple[IntArray, IntArray]:
    """Numbers of the mentions of both sides that are equal for the same expression.

    With ``with_heads``, mentions with different heads are different expressions.
    """
    key, response = key_places.corpus, response_places.corpus
    _refuse_rows(key, response)
    if key.has_places and response.has_places:
        return _identify_places(key_places, response_places, with_heads)
    codes = _name_codes(key, response)
    documents = np.concatenate([key.mentions.document, response.mentions.document])
    codes = codes + documents * (int(codes.max(initial=0)) + 1)
    return codes[: len(key.mentions)], codes[len(key.mentions) :]


def _refuse_rows(key: Corpus, response: Corpus) -> None:
    """Raise an error for labels without mentions against mentions, or against other rows."""
    by_row = [
        side.has_places and side.tokens is None and side.format == "labels"
        for side in (key, response)
    ]
    if not any(by_row) or not len(key.mentions) or not len(response.mentions):
        return
    remedy = "Give both sides a column mention, or mentions= of Corpus.from_labels."
    if not all(by_row):
        rows, other = ("key", "response") if by_row[0] else ("response", "key")
        raise UsageError(
            f"the {rows} has labels without mentions, the {other} has mentions", remedy=remedy
        )
    if not np.array_equal(key.mentions.document, response.mentions.document):
        raise UsageError(
            "labels without mentions are compared row by row, but the rows are not the same: the "
            f"key has {len(key.mentions):,}, the response {len(response.mentions):,}",
            remedy=remedy,
        )


def _identify_places(key: Places, response: Places, with_heads: bool) -> tuple[IntArray, IntArray]:
    sides = (key, response)
    longest = 1 + max(int((side.last - side.first).max(initial=0)) for side in sides)
    ends = np.zeros(len(key.corpus.documents), np.int64)
    for side in sides:
        np.maximum.at(ends, side.corpus.mentions.document, side.last + 1)
    before = np.cumsum(ends) - ends
    codes = [
        (before[side.corpus.mentions.document] + side.first) * longest + side.last - side.first
        for side in sides
    ]
    seen: dict[Hashable, int] = {}
    for side, code in zip(sides, codes, strict=True):
        _identify_irregular(side, code, seen)
    if with_heads:
        return _combined(codes, [side.head for side in sides])
    return codes[0], codes[1]


def _identify_irregular(side: Places, codes: IntArray, seen: dict[Hashable, int]) -> None:
    """Give mentions that are not a sequence of words negative numbers, by their set of words."""
    rows = np.flatnonzero(side.irregular)
    if len(rows) == 0:
        return
    owner, places = side.words(rows)
    documents = side.corpus.mentions.document[rows].tolist()
    parts = np.split(places, np.searchsorted(owner, np.arange(1, len(rows))))
    step = 1 if side.of_token is None else STRIDE
    for row, document, words in zip(rows.tolist(), documents, parts, strict=True):
        if not (words % step).any() and (np.diff(words) == step).all():
            continue  # a sequence of words, interrupted by empty nodes that the other side may lack
        codes[row] = -1 - seen.setdefault((document, words.tobytes()), len(seen))


def _combined(first: list[IntArray], second: list[IntArray]) -> tuple[IntArray, IntArray]:
    """Combine two codes per mention into one."""
    pairs = np.stack([np.concatenate(first), np.concatenate(second)], axis=1)
    codes = np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1)
    return codes[: len(first[0])], codes[len(first[0]) :]


def _name_codes(key: Corpus, response: Corpus) -> IntArray:
    """Number the names of mentions of key and response; equal names get equal numbers."""
    ours, theirs = key.mentions.names, response.mentions.names
    if isinstance(ours, Strings) and isinstance(theirs, Strings):
        return Strings.concatenate([ours, theirs]).codes()
    if isinstance(ours, np.ndarray) and isinstance(theirs, np.ndarray):
        names = np.concatenate([ours, theirs])
        # The common type of int64 and uint64 is float64, which would round.
        if {ours.dtype.kind, theirs.dtype.kind, names.dtype.kind} <= {"i", "u"}:
            if len(names) and names.min() >= 0 and names.max() < 2 * len(names):
                return names.astype(np.int64)  # they are such numbers already
            return np.unique(names, return_inverse=True)[1].reshape(-1)
    listed = [_names_of(side) for side in (key, response)]
    numbers: dict[Hashable, int] = defaultdict(count().__next__)
    try:
        codes = np.array([*map(numbers.__getitem__, chain(*listed))], np.int64)
    except TypeError as error:
        raise UsageError(
            f"mentions must be hashable: {error}",
            remedy="Give mentions as strings, numbers or tuples, not lists.",
        ) from None
    if all(listed) and not among(codes[: len(listed[0])], codes[len(listed[0]) :]).any():
        _refuse_different_forms(listed)
    return codes


def _refuse_different_forms(names: Sequence[Sequence[Hashable]]) -> None:
    """Raise an error if one side has strings and the other spans or numbers."""
    forms = [{_form(name) for name in side} for side in names]
    if forms[0].isdisjoint(forms[1]):
        raise UsageError(
            f"no mention can match: those of the key are {' and '.join(sorted(forms[0]))}, those "
            f"of the response {' and '.join(sorted(forms[1]))}",
            remedy="Give the mentions of both sides in the same form.",
        )


def _form(name: Hashable) -> str:
    """The form of a mention's name, for messages."""
    if isinstance(name, tuple):
        written = any(isinstance(part, str) for part in name)
        return "spans written as strings" if written else "spans"
    return "strings" if isinstance(name, str) else "numbers"


def _names_of(corpus: Corpus) -> Sequence[Hashable]:
    names = corpus.mentions.names
    if names is None:
        return [corpus.mention_id(index) for index in range(len(corpus.mentions))]
    return names.tolist() if isinstance(names, np.ndarray) else names
