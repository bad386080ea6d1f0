"""One text with other tokens on the two sides: both are cut into the same, finer tokens.

Where the words of key and response are the same characters, white space left out, every boundary of
a token of either side becomes one of both. Nothing that a mention can begin or end with is lost, so
mentions are equal if and only if they have the same characters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray, offsets_of, ranges
from corefine.corpus.columns import Mentions, Pieces, Relation, Text, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import AlignmentError

CodePoints = NDArray[np.uint8] | NDArray[np.uint32]
"""The characters of a text; bytes where all of them are ASCII."""


class Sort(IntEnum):
    """Character classes: white space, part of a word, digit, other sign."""

    SPACE = 0
    WORD = 1
    DIGIT = 2
    SIGN = 3


def code_points(text: str) -> CodePoints:
    """The characters of a text."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))


def byte_offsets(characters: CodePoints) -> IntArray:
    """Byte offsets of characters in UTF-8, and the end of the last."""
    if characters.dtype == np.uint8:
        return np.arange(len(characters) + 1)
    lengths = np.ones(len(characters), np.int64)
    for limit in (0x80, 0x800, 0x10000):
        lengths += characters >= limit
    return offsets_of(lengths)


def sorts(characters: CodePoints) -> ByteArray:
    """The :class:`Sort` of each character; beyond ASCII each different one is looked up once."""
    if characters.dtype == np.uint8:
        return _ASCII[characters]
    found = _ASCII[np.minimum(characters, 127)]
    beyond = np.flatnonzero(characters >= 128)
    distinct, inverse = np.unique(characters[beyond], return_inverse=True)
    table = np.array([sort_of(chr(code)) for code in distinct.tolist()], np.uint8)
    found[beyond] = table[inverse.reshape(-1)]
    return found


def sort_of(character: str) -> Sort:
    """The sort of a character."""
    if character.isspace():
        return Sort.SPACE
    category = unicodedata.category(character)
    if category == "Nd":
        return Sort.DIGIT
    # Letters, other numbers, marks on letters, and signs that show only in what they do.
    word = category[0] in "LNM" or category == "Cf" or character == "_"
    return Sort.WORD if word else Sort.SIGN


_ASCII = np.array([sort_of(chr(code)) for code in range(128)], np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """The characters of some documents that are not white space, and the tokens they belong to."""

    tokens: IntArray
    """The tokens of these documents that are words, as numbers over the corpus."""
    characters: CodePoints
    """All characters of these words, white space included."""
    first: IntArray
    """Start of the characters of each token, and the end of the last token."""
    places: IntArray
    """The characters that are not white space."""
    ends: IntArray
    """Number of these up to the end of each token."""
    documents: IntArray
    """Number of these before each document, and in total."""

    @classmethod
    def of(cls, tokens: Tokens, documents: IntArray) -> Solid:
        """Those of these documents, given by number."""
        counts = np.diff(tokens.offsets)[documents]
        rows = ranges(tokens.offsets[documents], counts)
        owner = np.repeat(np.arange(len(documents)), counts)
        if tokens.empty is not None:
            words = ~tokens.empty[rows]
            rows, owner = rows[words], owner[words]
        text = tokens.words.take(rows)
        characters = code_points(text.data.tobytes().decode("utf-8", "surrogatepass"))
        first = np.searchsorted(byte_offsets(characters), text.offsets)
        solid = sorts(characters) != Sort.SPACE
        ends = offsets_of(solid.astype(np.int64))[first[1:]]
        per_document = np.searchsorted(owner, np.arange(len(documents) + 1))
        return cls(
            rows,
            characters,
            first,
            np.flatnonzero(solid),
            ends,
            np.append(0, ends)[per_document],
        )

    @property
    def solid(self) -> CodePoints:
        found: CodePoints = self.characters[self.places]
        return found

    def text(self, document: int) -> str:
        """The characters of one of the documents that are not white space."""
        part = slice(self.documents[document], self.documents[document + 1])
        return self.solid[part].astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def first_difference(key: Solid, response: Solid) -> tuple[int, int] | None:
    """The first document whose characters differ, and the first of them; None if none does."""
    ours, theirs = key.solid, response.solid
    if np.array_equal(key.documents, response.documents) and np.array_equal(ours, theirs):
        return None
    for document in range(len(key.documents) - 1):
        left = ours[key.documents[document] : key.documents[document + 1]]
        right = theirs[response.documents[document] : response.documents[document + 1]]
        shared = min(len(left), len(right))
        different = np.flatnonzero(left[:shared] != right[:shared])
        if len(different) or len(left) != len(right):
            return document, int(different[0]) if len(different) else shared
    raise AssertionError("characters that differ in no document")  # pragma: no cover


def refine(key: Corpus, response: Corpus, ours: Solid, theirs: Solid) -> tuple[Corpus, Corpus]:
    """Both corpora with the same tokens in the documents whose characters these are.

    Tokens that are only white space are left out. Heads become the longest part of the token that
    they were, the last of several. Parts of a token have its layers; ``head`` and ``deps`` among
    them still count the tokens that the file has.
    """
    cut = np.zeros(int(ours.documents[-1]) + 1, bool)
    cut[ours.ends] = cut[theirs.ends] = True
    cut[0] = False
    bounds = np.append(0, np.flatnonzero(cut))
    # Words are counted as the key has them: windows and distances do not depend on the response.
    begun = np.isin(bounds[:-1], np.append(0, ours.ends))
    return _refined(key, ours, bounds, begun), _refined(response, theirs, bounds, begun)


def _refined(corpus: Corpus, side: Solid, bounds: IntArray, begun: BoolArray) -> Corpus:
    tokens = corpus.tokens
    assert tokens is not None
    begin, end = side.places[bounds[:-1]], side.places[bounds[1:] - 1] + 1
    owner = np.searchsorted(side.first, begin, side="right") - 1
    parts = np.ones(len(tokens), np.int64)
    parts[side.tokens] = np.bincount(owner, minlength=len(side.tokens))
    place = offsets_of(parts)
    old = np.repeat(np.arange(len(tokens)), parts)
    words = np.zeros(len(tokens), bool)
    words[side.tokens] = True
    fine = _Fine(
        old, np.flatnonzero(words[old]), begin - side.first[owner], end - side.first[owner]
    )
    continues = np.zeros(len(old), bool)
    continues[fine.cut] = ~begun
    before = byte_offsets(side.characters)
    first_byte = tokens.words.offsets[side.tokens[owner]] - before[side.first[owner]]
    starts, stops = tokens.words.offsets[old], tokens.words.offsets[old + 1]
    starts[fine.cut], stops[fine.cut] = first_byte + before[begin], first_byte + before[end]
    offsets = place[tokens.offsets]
    sizes = np.zeros(len(old), np.int64)
    sizes[fine.cut] = end - begin
    mentions = _moved_mentions(corpus, tokens, place, offsets, sizes)
    sentences = np.unique(place[tokens.sentences])

    def moved(relation: Relation) -> Relation:
        base, first = tokens.offsets[relation.document], offsets[relation.document]
        spans = [
            None
            if span is None
            else (int(place[base + span[0]] - first), int(place[base + span[1]] - first))
            for span in (relation.anaphor, relation.antecedent)
        ]
        return replace(relation, anaphor=spans[0], antecedent=spans[1])

    return replace(
        corpus,
        mentions=mentions,
        relations=tuple(map(moved, corpus.relations)),
        annotations={
            name: replace(part, mentions=_moved_mentions(part, tokens, place, offsets, sizes))
            for name, part in corpus.annotations.items()
        },
        tokens=Tokens(
            Strings.cut(tokens.words.data, starts, stops),
            offsets,
            sentences[sentences < len(old)],
            _layers(tokens.layers, fine, parts, place),
            None if tokens.empty is None else tokens.empty[old],
            None if tokens.lines is None else tokens.lines[old],
            None if tokens.text is None else fine.text(tokens.text),
            continues,
        ),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Fine:
    """The finer tokens: the original token of each, and its part of the characters."""

    old: IntArray
    cut: IntArray
    """The finer tokens in documents that were split, without empty nodes."""
    begin: IntArray
    """For each of these, start and end of its characters in the original token."""
    end: IntArray

    def text(self, text: Text) -> Text:
        begins, ends = text.begins[self.old], text.ends[self.old]
        ends[self.cut] = begins[self.cut] + self.end
        begins[self.cut] += self.begin
        return Text(text.documents, begins, ends)


def _moved_mentions(
    corpus: Corpus, tokens: Tokens, place: IntArray, offsets: IntArray, sizes: IntArray
) -> Mentions:
    """The mentions in the finer tokens: ``place`` is where each old one begins, sizes theirs."""
    mentions = corpus.mentions
    base, first = tokens.offsets[mentions.document], offsets[mentions.document]

    def moved(token: IntArray, rows: IntArray | slice = slice(None)) -> IntArray:
        known = place[base[rows] + np.maximum(token, 0)] - first[rows]
        return np.where(token < 0, -1, known)

    start, stop = moved(mentions.start), moved(mentions.stop)
    _refuse_blank(corpus, start >= stop)
    pieces = mentions.pieces
    if pieces is not None:
        begins, ends = moved(pieces.start, pieces.mention), moved(pieces.stop, pieces.mention)
        filled = begins < ends
        pieces = Pieces(pieces.mention[filled], begins[filled], ends[filled])
        start[pieces.mention[::-1]] = pieces.start[::-1]
        stop[pieces.mention] = pieces.stop
    minimum = mentions.minimum
    if minimum is not None:
        low, high = moved(minimum[0]), moved(minimum[1])
        blank = low >= high
        minimum = np.where(blank, -1, low), np.where(blank, -1, high)
    return replace(
        mentions,
        start=start,
        stop=stop,
        head=None
        if mentions.head is None
        else _moved_heads(mentions.head, base, first, place, sizes),
        pieces=pieces,
        minimum=minimum,
    )


def _moved_heads(
    head: IntArray, base: IntArray, first: IntArray, place: IntArray, sizes: IntArray
) -> IntArray:
    """Heads as the longest part, the last of several, of the token that they were."""
    token = base + np.maximum(head, 0)
    low, count = place[token], place[token + 1] - place[token]
    found = low - first
    rows = np.flatnonzero((count > 1) & (head >= 0))
    if len(rows):
        parts = ranges(low[rows], count[rows])
        order = sizes[parts] * len(sizes) + parts
        longest = np.maximum.reduceat(order, offsets_of(count[rows])[:-1]) % len(sizes)
        found[rows] = longest - first[rows]
    return np.where((head < 0) | (count == 0), -1, found)


def _refuse_blank(corpus: Corpus, blank: BoolArray) -> None:
    if blank.any():
        mention = int(np.argmax(blank))
        document = int(corpus.mentions.document[mention])
        raise AlignmentError(
            f"a mention of document {corpus.documents[document]!r} is only white space, which "
            "cannot be aligned with a different tokenisation",
            corpus.location(document, int(corpus.mentions.start[mention])),
            "Remove the mention, or tokenise both sides the same way.",
        )


def _layers(
    layers: Mapping[str, Strings], fine: _Fine, parts: IntArray, place: IntArray
) -> dict[str, Strings]:
    """The layers of the finer tokens; brackets and ids of sentences are not given twice."""
    several = np.flatnonzero(parts > 1)
    return {
        name: _bracketed(column, fine, several, parts, place, _ONCE[name])
        if name in _ONCE
        else column.take(fine.old)
        for name, column in layers.items()
    }


def _bracketed(
    column: Strings,
    fine: _Fine,
    several: IntArray,
    parts: IntArray,
    place: IntArray,
    divide: Callable[[str, int], list[str]],
) -> Strings:
    """A column whose cells are divided among the parts of a token."""
    found = column.take(fine.old)
    if not len(several):
        return found
    cells = column.take(several).tolist()
    counts = parts[several]
    divided = [
        text
        for cell, count in zip(cells, counts.tolist(), strict=True)
        for text in divide(cell, count)
    ]
    row = np.arange(len(found))
    row[ranges(place[several], counts)] = len(found) + np.arange(len(divided))
    return Strings.concatenate([found, Strings.from_list(divided)]).take(row)


def _divide_brackets(cell: str, count: int) -> list[str]:
    """Brackets such as ``(NP*)``: what opens to the first part, what closes to the last.

    >>> _divide_brackets("(S(NP*)", 2), _divide_brackets("(ORG)", 3), _divide_brackets("B-PER", 2)
    (['(S(NP*', '*)'], ['(ORG*', '*', '*)'], ['B-PER', 'B-PER'])
    """
    if "(" not in cell and ")" not in cell:
        return [cell] * count
    closing = len(cell) - len(cell.rstrip(")"))
    opening = cell[: len(cell) - closing].rstrip("*")
    return [f"{opening}*", *["*"] * (count - 2), "*" + ")" * closing]


_ONCE: dict[str, Callable[[str, int], list[str]]] = {
    "parse": _divide_brackets,
    "ner": _divide_brackets,
    "sent_id": lambda cell, count: [cell, *[""] * (count - 1)],
}
