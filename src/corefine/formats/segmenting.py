"""Words from running text, for formats that count characters.

A corpus is made of tokens, whatever its format counts. A text is cut so that every mention begins
and ends with a token; where else it is cut says nothing, since texts with other tokens are compared
by their characters. Cuts are where a simple tokenizer would make them: at white space, around
punctuation (but not inside «don't», «well-known» and «3.14»).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corefine.code_points import CodePoints, Sort, byte_offsets, code_points, sorts
from corefine.columns import ByteArray, IntArray, Strings, offsets_of
from corefine.corpus import Text

_JOINS_WORDS, _JOINS_DIGITS = "'’-", ".,:"


@dataclass(frozen=True, slots=True, eq=False)
class Segmented:
    """Texts cut into words."""

    words: Strings
    lengths: IntArray
    """How many words each text has."""
    text: Text
    characters_before: IntArray
    """How many characters the texts before each one have, and all of them."""
    bytes_before: IntArray
    """Where each character of all texts starts in UTF-8."""

    def slices(self, document: IntArray, begin: IntArray, end: IntArray) -> Strings:
        """Characters ``begin`` to ``end - 1`` of the texts with these numbers."""
        base = self.characters_before[document]
        before = self.bytes_before
        return Strings.cut(self.text.documents.data, before[base + begin], before[base + end])

    def words_between(
        self, document: IntArray, begin: IntArray, end: IntArray
    ) -> tuple[IntArray, IntArray]:
        """The first word that begins in a span of characters, and the one behind its last."""
        first = offsets_of(self.lengths)[document]
        # Texts stand one behind the other, with room between them, so all words are in order.
        room = self.characters_before[:-1] + np.arange(len(self.lengths))
        base = np.repeat(room, self.lengths)
        start = np.searchsorted(self.text.begins + base, begin + room[document])
        stop = np.searchsorted(self.text.ends + base, end + room[document], side="right")
        return start - first, stop - first


def segment(texts: Sequence[str], cuts: IntArray, document: IntArray) -> Segmented:
    """Texts as words; ``cuts`` are characters of the texts ``document``, each to begin a word."""
    joined = "".join(texts)
    characters = code_points(joined)
    first = offsets_of(np.fromiter(map(len, texts), np.int64, len(texts)))
    cut = np.zeros(len(characters) + 1, bool)
    cut[first] = True
    cut[first[document] + cuts] = True
    kind = _with_inner_signs(characters, sorts(characters))
    word, alone = kind != Sort.SPACE, kind == Sort.SIGN
    opens = word.copy()
    opens[1:] &= ~word[:-1] | alone[1:] | alone[:-1] | cut[1:-1]
    closes = word.copy()
    closes[:-1] &= ~word[1:] | opens[1:]
    begins, ends = np.flatnonzero(opens), np.flatnonzero(closes) + 1
    lengths = np.diff(np.searchsorted(begins, first))
    before = byte_offsets(characters)
    data: ByteArray = np.frombuffer(joined.encode("utf-8", "surrogatepass"), np.uint8)
    base = np.repeat(first[:-1], lengths)
    return Segmented(
        Strings.cut(data, before[begins], before[ends]),
        lengths,
        Text(Strings(data, before[first]), begins - base, ends - base),
        first,
        before,
    )


def _with_inner_signs(characters: CodePoints, kind: ByteArray) -> ByteArray:
    """The kinds of characters, where signs between letters or digits count as part of the word."""
    digit = kind == Sort.DIGIT
    inside = digit | (kind == Sort.WORD)
    for signs, around in ((_JOINS_WORDS, inside), (_JOINS_DIGITS, digit)):
        for sign in map(ord, signs):
            if sign >= 256 and characters.dtype == np.uint8:
                continue
            between = np.flatnonzero(characters[1:-1] == sign) + 1
            kind[between[around[between - 1] & around[between + 1]]] = Sort.WORD
    return kind
