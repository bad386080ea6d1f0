"""The text of one document for the page: words that key and responses share, and their mentions.

Key and responses may have different empty nodes, so that the same word has another number on each
side. The page has one list of words: all words, and the empty nodes of every side in their places.
Without any text, mentions replace words, and each line lists an entity.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import SENTENCE_START, STRIDE, Kind, Tokens
from corefine.corpus.corpus import Corpus

LONGEST_ROW = 120
"""Words in one row of the page: a longer sentence is cut, so that rows can be drawn one by one."""

ZERO = "∅"
"""Symbol for an empty node without a form."""

KIND_NAMES = tuple("" if kind is Kind.UNKNOWN else kind.name.lower() for kind in Kind)

Spans = list[list[tuple[int, int]]]
"""By mention, its continuous parts (start, stop) in the words of the page."""


def steps(numbers: Sequence[int]) -> list[int]:
    """Numbers as the first and the steps to the next ones, which compress better."""
    return [one - before for one, before in zip(numbers, [0, *numbers], strict=False)]


@dataclass(frozen=True, slots=True, eq=False)
class Mentioned:
    """The mentions of one side of a document; entities are numbered by their first mention."""

    first: int
    """The number of the first mention in the corpus."""
    spans: Spans
    entity: list[int]
    entities: list[int]
    """By entity of the page, the entity of the corpus."""
    number_of: dict[int, int]
    """By entity of the corpus, its number on the page."""
    kind: list[int] | None

    def place(self, entity: int) -> int:
        """The number on the page of an entity of the corpus.

        One that has its mentions in other documents only is added to those of the page.
        """
        number = self.number_of.setdefault(entity, len(self.entities))
        if number == len(self.entities):
            self.entities.append(entity)
        return number

    def numbers(self, mentions: IntArray) -> list[int]:
        """Mentions of the corpus as mentions of the page; -1 in other documents."""
        own = mentions - self.first
        numbers: list[int] = np.where(own < len(self.spans), own, -1).tolist()
        return numbers

    def columns(self, labels: Sequence[str]) -> dict[str, Any]:
        """The mentions as the page reads them; ``labels`` are the names of the corpus' entities."""
        names = [labels[entity] for entity in self.entities]
        starts = [parts[0][0] for parts in self.spans]
        return {
            # Steps and lengths are small and alike, and compress to a third.
            "step": steps(starts),
            "length": [parts[-1][1] - parts[0][0] for parts in self.spans],
            "pieces": {at: parts for at, parts in enumerate(self.spans) if len(parts) > 1},
            "entity": self.entity,
            "kind": None if self.kind is None else [KIND_NAMES[kind] for kind in self.kind],
            # Names that only number the entities are left out: the page numbers them anyway.
            "names": None if all(map(str.isdigit, names)) else names,
            "entities": len(self.entities),
        }


@dataclass(frozen=True, slots=True, eq=False)
class DocumentText:
    """One document: its words in rows, and the mentions of the key and of every response."""

    words: list[str]
    rows: list[int]
    """The first word of each row, and the end of the last."""
    sentences: list[int]
    """The sentence that each row belongs to, counted from 0."""
    empty: list[int]
    plain: bool
    key: Mentioned
    responses: tuple[Mentioned, ...]

    def text_of(self, side: Mentioned, mention: int) -> str:
        """The words of a mention."""
        return " … ".join(" ".join(self.words[start:stop]) for start, stop in side.spans[mention])


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Key and responses, from which the text of every document is made."""

    sides: tuple[Corpus, ...]

    @classmethod
    def of(cls, key: Corpus, responses: Sequence[Corpus]) -> Texts:
        return cls((key, *responses))

    def document(self, number: int) -> DocumentText:
        """The text of a document, as much as there is of it."""
        with_text = [side for side, corpus in enumerate(self.sides) if corpus.tokens is not None]
        if not with_text or not all(corpus.has_places for corpus in self.sides):
            return _from_names(self.sides, number)
        places = {side: self._places(side, number) for side in with_text}
        first = places[with_text[0]]
        alike = all(np.array_equal(own, first) for own in places.values())
        shared = first if alike else np.unique(np.concatenate(list(places.values())))
        at = {side: np.searchsorted(shared, own) for side, own in places.items()}
        forms = np.full(len(shared), "", object)
        open_places, empty = np.ones(len(shared), bool), np.ones(len(shared), bool)
        for side in with_text:
            begin, end = self._bounds(side, number)
            tokens = self._tokens(side)
            own = at[side]
            new = np.flatnonzero(open_places[own])  # the key's words win: the rest is said already
            forms[own[new]] = tokens.words.take(begin + new).tolist()
            open_places[own] = False
            empty[own if tokens.empty is None else own[~tokens.empty[begin:end]]] = False
        words: list[str] = forms.tolist()
        zeros = np.flatnonzero(empty).tolist()
        for zero in zeros:
            words[zero] = ZERO if words[zero] in {"", "_"} else words[zero]
        rows, sentences = text_rows(self._sentences(with_text[0], number, shared), len(shared))
        # A side without words counts the words of the other sides.
        mentioned = [
            _mentioned(corpus, number, at.get(side, at[with_text[0]]))
            for side, corpus in enumerate(self.sides)
        ]
        return DocumentText(
            words,
            rows,
            sentences,
            zeros,
            False,
            mentioned[0],
            tuple(mentioned[1:]),
        )

    def _tokens(self, side: int) -> Tokens:
        tokens = self.sides[side].tokens
        assert tokens is not None
        return tokens

    def _bounds(self, side: int, document: int) -> tuple[int, int]:
        begin, end = self._tokens(side).offsets[document : document + 2].tolist()
        return begin, end

    def _places(self, side: int, document: int) -> IntArray:
        """Numbers of a document's tokens that are the same for the same word on every side."""
        begin, end = self._bounds(side, document)
        return self._tokens(side).places[begin:end]

    def _sentences(self, side: int, document: int, shared: IntArray) -> list[int]:
        """Sentence starts among the shared places."""
        begin, end = self._bounds(side, document)
        starts = self._tokens(side).sentences
        first, last = np.searchsorted(starts, [begin, end])
        own = self._places(side, document)[starts[first:last] - begin]
        # Empty nodes that another side has before a sentence's first word belong to it.
        at = np.searchsorted(shared, (own - 1) // STRIDE * STRIDE + SENTENCE_START)
        return sorted({0, *at.tolist()}) if len(shared) else []


def text_rows(starts: list[int], length: int) -> tuple[list[int], list[int]]:
    """Rows of at most so many words, and the sentence of each."""
    rows, sentences = [], []
    ends = [*starts[1:], length][: len(starts)]  # a document may have neither words nor mentions
    for number, (start, stop) in enumerate(zip(starts, ends, strict=True)):
        for row in range(start, stop, LONGEST_ROW):
            rows.append(row)
            sentences.append(number)
    return [*rows, length], sentences


def _slice(corpus: Corpus, document: int) -> slice:
    first, last = np.searchsorted(corpus.mentions.document, [document, document + 1]).tolist()
    return slice(first, last)


def _mentioned(corpus: Corpus, document: int, place: IntArray) -> Mentioned:
    mentions, own = corpus.mentions, _slice(corpus, document)
    starts, stops = place[mentions.start[own]], place[mentions.stop[own] - 1] + 1
    spans: Spans = [[span] for span in zip(starts.tolist(), stops.tolist(), strict=True)]
    if mentions.pieces is not None:
        pieces = mentions.pieces
        inside = np.flatnonzero((pieces.mention >= own.start) & (pieces.mention < own.stop))
        parts: dict[int, list[tuple[int, int]]] = {}
        for row in inside.tolist():
            part = (int(place[pieces.start[row]]), int(place[pieces.stop[row] - 1]) + 1)
            parts.setdefault(int(pieces.mention[row]) - own.start, []).append(part)
        for number, several in parts.items():
            spans[number] = sorted(several)
    return _numbered(corpus, own, spans)


def _numbered(corpus: Corpus, own: slice, spans: Spans) -> Mentioned:
    entity = corpus.mentions.entity[own].tolist()
    starts = np.array([parts[0][0] for parts in spans], np.int64)
    stops = np.array([parts[-1][1] for parts in spans], np.int64)
    number_of: dict[int, int] = {}
    for mention in np.lexsort((-stops, starts)).tolist():
        number_of.setdefault(entity[mention], len(number_of))
    kind = corpus.mentions.kind
    return Mentioned(
        own.start,
        spans,
        [number_of[one] for one in entity],
        list(number_of),
        number_of,
        None if kind is None or not kind.any() else kind[own].tolist(),
    )


def _from_names(sides: Sequence[Corpus], document: int) -> DocumentText:
    """Mentions as words: the key's entities line by line, then what only responses have."""
    words: list[str] = []
    place: dict[Hashable, int] = {}
    rows: list[int] = []
    for corpus in sides:
        own = _slice(corpus, document)
        chains: dict[int, list[int]] = {}
        for number, entity in enumerate(corpus.mentions.entity[own].tolist(), own.start):
            chains.setdefault(entity, []).append(number)
        for chain in chains.values():
            new = [number for number in chain if corpus.mention_id(number) not in place]
            if new:
                rows.append(len(words))
            for number in new:
                place[corpus.mention_id(number)] = len(words)
                words.append(corpus.text_of(number))
    mentioned = []
    for corpus in sides:
        own = _slice(corpus, document)
        at = [place[corpus.mention_id(number)] for number in range(own.start, own.stop)]
        mentioned.append(_numbered(corpus, own, [[(start, start + 1)] for start in at]))
    cut, lines = text_rows(rows, len(words))
    return DocumentText(words, cut, lines, [], True, mentioned[0], tuple(mentioned[1:]))
