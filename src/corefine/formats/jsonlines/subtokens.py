"""From the pieces of a model's tokenizer back to words.

Models see words in pieces, between marks of their own ([CLS], [SEP]), and their files count these.
``subtoken_map`` says which word each piece belongs to; marks have the number of a neighbour, or
null.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray, offsets_of
from corefine.corpus.strings import Strings
from corefine.formats.jsonlines.fields import Clusters, check_lengths, openings, sentence_numbers
from corefine.formats.jsonlines.json_arrays import StringLists
from corefine.formats.jsonlines.json_records import Record

MARKS = (b"[CLS]", b"[SEP]", b"[PAD]", b"<s>", b"</s>", b"<pad>", b"[unused1]", b"[unused2]")
"""Pieces that are no part of any word."""
_CONTINUES = b"##"
_BEGINS = ("▁".encode(), "Ġ".encode())
"""How pieces of a word begin: those after the first (WordPiece), the first (others)."""


@dataclass(frozen=True, slots=True, eq=False)
class Subtokens:
    """The pieces of all documents, and the words that they make."""

    records: Sequence[Record]
    pieces: StringLists
    per_document: IntArray
    """How many pieces each document has."""
    word: IntArray
    """The word of each piece, counted in its document; -1 where it has none."""
    lengths: IntArray
    """How many words each document has."""
    inside: IntArray
    """The pieces that are part of a word, and not marks."""
    first: IntArray
    """The first piece of each word; -1 for a word that the tokenizer left nothing of."""

    @classmethod
    def of(cls, records: Sequence[Record], pieces: StringLists, key: str) -> Subtokens:
        """The pieces with what the lines have under this key: the word of each."""
        from corefine.formats.text.json_values import SubtokenMap

        maps = [record.decode(key, SubtokenMap) for record in records]
        counts = pieces.per_document
        check_lengths(records, np.fromiter(map(len, maps), np.int64, len(maps)), counts, key)
        numbers = np.array(list(chain.from_iterable(maps)), np.float64)
        word = np.where(np.isnan(numbers), -1, numbers).astype(np.int64)
        offsets = offsets_of(counts)
        document = np.repeat(np.arange(len(maps)), counts)
        lengths = np.zeros(len(maps), np.int64)
        np.maximum.at(lengths, document, word + 1)
        inside = np.flatnonzero(~_is_mark(pieces.strings) & (word >= 0))
        place = offsets_of(lengths)[:-1][document[inside]] + word[inside]
        back = np.flatnonzero(np.diff(place) < 0)
        if len(back):
            piece = int(inside[back[0] + 1])
            at = piece - int(offsets[document[piece]])
            records[int(document[piece])].refuse(
                f"{key}[{at}] is {word[piece]}, which returns to an earlier word",
                "Overlapping segments are not supported: number the words of each subtoken once.",
            )
        if int(lengths.max(initial=0)) > 8 * len(word) + 1024:
            largest = int(lengths.argmax())
            records[largest].refuse(
                f"{key} has {lengths[largest]:,} words for {counts[largest]:,} subtokens",
                "Words are counted from 0 in each document.",
            )
        first = np.full(int(lengths.sum()), -1)
        first[place[::-1]] = inside[::-1]
        return cls(records, pieces, counts, word, lengths, inside, first)

    def words(self) -> Strings:
        """The words, put together from their pieces without the signs of the tokenizer."""
        column = self.pieces.strings
        rows = self.inside
        place = np.repeat(offsets_of(self.lengths)[:-1], self.per_document)[rows]
        place += self.word[rows]
        starts, stops = column.offsets[:-1][rows], column.offsets[1:][rows]
        opens = self.first[place] == rows
        sign = np.where(opens, 0, 2 * _begin_with(column.data, starts, stops, _CONTINUES))
        for begin in _BEGINS:
            sign += np.where(opens, len(begin) * _begin_with(column.data, starts, stops, begin), 0)
        text = Strings.cut(column.data, starts + sign, stops)
        size = np.bincount(place, text.lengths, minlength=len(self.first)).astype(np.int64)
        return Strings(text.data, offsets_of(size))

    def sentences(self, key: str) -> IntArray:
        """The first word of each sentence: by a map of the pieces, else by their segments."""
        number = sentence_numbers(self.records, self.pieces, key)
        # A word without pieces stands in the sentence of the word before it.
        known = np.maximum.accumulate(np.where(self.first >= 0, np.arange(len(self.first)), 0))
        return openings(number[self.first[known]] if len(number) else known, self.lengths)

    def layer(self, column: Strings) -> Strings:
        """A column of the pieces as one of the words: that of their first piece."""
        blank = Strings.concatenate([column, Strings.from_list([""])])
        return blank.take(np.where(self.first >= 0, self.first, len(column)))

    def spans(self, clusters: Clusters) -> tuple[IntArray, IntArray]:
        """First and last piece of each mention as its first word and the one behind its last."""
        document = clusters.document_of_mentions
        length = self.per_document[document]
        clusters.refuse(
            clusters.numbers.max(axis=1, initial=0) >= length,
            lambda mention: f"beyond the {length[mention]:,} subtokens of the document",
        )
        found = self.word[offsets_of(self.per_document)[document, None] + clusters.numbers]
        clusters.refuse(
            (found < 0).any(axis=1), lambda _: "with a subtoken that belongs to no word"
        )
        return found[:, 0], found[:, 1] + 1


def _is_mark(column: Strings) -> BoolArray:
    found = np.zeros(len(column), bool)
    starts, lengths = column.offsets[:-1], column.lengths
    for text in MARKS:
        rows = np.flatnonzero(lengths == len(text))
        for place, byte in enumerate(text):
            rows = rows[column.data[starts[rows] + place] == byte]
        found[rows] = True
    return found


def _begin_with(data: ByteArray, starts: IntArray, stops: IntArray, text: bytes) -> BoolArray:
    """Which strings begin with a text, and have more than it."""
    found: BoolArray = stops - starts > len(text)
    for place, byte in enumerate(text):
        found[found] = data[starts[found] + place] == byte
    return found
