"""Columns of a corpus: tokens, mentions, entities, relations."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray, Strings, offsets_of


class Kind(IntEnum):
    """The kind of a mention: name, nominal, pronoun, zero or unknown.

    >>> Kind.PRONOUN.name
    'PRONOUN'
    """

    UNKNOWN = 0
    NAME = 1
    NOMINAL = 2
    PRONOUN = 3
    ZERO = 4


def take_rows(column: Any, rows: IntArray) -> Any:
    """These rows of a column: strings, an array, a list, several columns, or None."""
    match column:
        case None:
            return None
        case Strings():
            return column.take(rows)
        case np.ndarray():
            return column[rows]
        case tuple():
            return tuple(take_rows(one, rows) for one in column)
        case Mapping():
            return {name: take_rows(one, rows) for name, one in column.items()}
        case _:
            return [column[row] for row in rows.tolist()]


def join_rows(columns: Sequence[Any], counts: Sequence[int], missing: Any) -> Any:
    """Columns of several corpora as one; a corpus without the column has missing values.

    ``counts`` are the numbers of rows.
    """
    known = next((column for column in columns if column is not None), None)
    match known:
        case None:
            return None
        case Mapping():
            names = dict.fromkeys(name for column in columns for name in column)
            return {
                name: join_rows([column.get(name) for column in columns], counts, missing)
                for name in names
            }
        case tuple():
            several = [column or (None,) * len(known) for column in columns]
            return tuple(join_rows(part, counts, missing) for part in zip(*several, strict=True))
        case Strings():
            filled = zip(columns, counts, strict=True)
            if all(column is None or isinstance(column, Strings) for column in columns):
                return Strings.concatenate(
                    [Strings.blank(count) if column is None else column for column, count in filled]
                )
            return [value for column in columns for value in column]
        case np.ndarray():
            return np.concatenate(
                [
                    np.full(count, missing, known.dtype) if column is None else column
                    for column, count in zip(columns, counts, strict=True)
                ]
            )
        case _:
            return [value for column in columns for value in column]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Text:
    """Running text of each document, and the positions of tokens in it.

    ``begins`` and ``ends`` count characters (not bytes) of the token's document, ends exclusive.
    """

    documents: Strings
    begins: IntArray
    ends: IntArray


STRIDE = 1 << 12
"""Distance between the places of two words, which leaves room for empty nodes."""
SENTENCE_START = STRIDE >> 1
"""Empty nodes before the first word of a sentence follow those after the last word before it."""


@dataclass(frozen=True, eq=False, repr=False)
class Tokens:
    """Tokens of all documents in order.

    The tokens of document ``d`` are ``offsets[d]`` to ``offsets[d + 1] - 1``. ``sentences`` has the
    first token of each sentence. ``layers`` are further columns of the same length, by name:
    ``pos`` (part of speech as the file gives it), ``upos``, ``lemma``, ``parse``, ``ner``,
    ``speaker``, ``feats``, ``head``, ``deprel``, ``deps``, ``sent_id`` at the first token of a
    sentence, and ``node``, the numbers of empty nodes after a word unless they are 1, 2, ….
    """

    words: Strings
    offsets: IntArray
    sentences: IntArray
    layers: Mapping[str, Strings] = field(default_factory=dict)
    empty: BoolArray | None = field(default=None, metadata={"missing": False})
    """True for empty nodes: tokens that are not in the text, but can be mentions (zeros). None
    without any."""
    lines: IntArray | None = None
    """Source line of each token, from 1."""
    text: Text | None = None
    """Running text, if the format has it."""
    continues: BoolArray | None = field(default=None, metadata={"missing": False})
    """True for tokens that continue the preceding word, if words were split for an alignment: words
    are counted as in the key."""

    def __post_init__(self) -> None:
        if self.empty is not None and not self.empty.any():
            object.__setattr__(self, "empty", None)

    def __len__(self) -> int:
        return len(self.words)

    @property
    def uncounted(self) -> BoolArray | None:
        """Tokens that do not count as words: empty nodes and continued words."""
        if self.continues is None:
            return self.empty
        return self.continues if self.empty is None else self.continues | self.empty

    @property
    def words_before(self) -> IntArray:
        """Number of words before each token, and of all words."""
        counted = np.ones(len(self), np.int64)
        if self.uncounted is not None:
            counted[self.uncounted] = 0
        return offsets_of(counted)

    @property
    def document_of_token(self) -> IntArray:
        """The document of each token."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @cached_property
    def places(self) -> IntArray:
        """The place of each token in its document, which does not depend on other empty nodes.

        A word has its number among the words, an empty node the word that it follows and its
        number after it, so that places of two sides with different empty nodes can be compared.
        """
        position = np.arange(len(self))
        document_start = self.offsets[self.document_of_token]
        empty = self.empty
        if empty is None:
            return (position - document_start + 1) * STRIDE
        words = offsets_of((~empty).astype(np.int64))
        words_before = words[position] - words[document_start]
        opens = np.zeros(len(self), bool)
        opens[self.sentences] = True
        # Empty nodes are numbered from 1 after each word and at the start of each sentence, unless
        # the file gives other numbers.
        run_start = np.maximum.accumulate(np.where(~empty | opens, position, 0))
        at_start = empty[run_start]
        number = position - run_start + at_start
        if "node" in self.layers:
            written = self.layers["node"]
            rows = [row for row in np.flatnonzero(written.lengths) if written[row].isdecimal()]
            number[rows] = [int(written[row]) for row in rows]
        behind: IntArray = words_before * STRIDE + number + SENTENCE_START * at_start
        return np.where(empty, behind, (words_before + 1) * STRIDE)

    def sentence_of(self, tokens: IntArray) -> IntArray:
        """Index of the sentence, over the whole corpus, of each token."""
        return np.searchsorted(self.sentences, tokens, side="right") - 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pieces:
    """Spans of mentions that may have several: rows of (mention, start, stop), in order."""

    mention: IntArray
    start: IntArray
    stop: IntArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Entities:
    """One row per entity: its document and, if the source names it, its name."""

    document: IntArray
    names: Strings | None = None

    def __len__(self) -> int:
        return len(self.document)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Mentions:
    """One row per mention, in document and source order."""

    document: IntArray
    entity: IntArray
    start: IntArray
    stop: IntArray
    names: Sequence[Hashable] | NDArray[Any] | None = None
    """Names of mentions without a position in a text; ``start`` is then the row number."""
    kind: NDArray[np.uint8] | None = field(default=None, metadata={"missing": 0})
    head: IntArray | None = field(default=None, metadata={"missing": -1})
    """Head token within the document; -1 if unknown."""
    type: IntArray | None = field(default=None, metadata={"missing": -1})
    """Semantic type, as an index of ``Corpus.types``; -1 if missing."""
    pieces: Pieces | None = None
    """The spans of discontinuous mentions."""
    minimum: tuple[IntArray, IntArray] | None = field(default=None, metadata={"missing": -1})
    """Start and stop of the minimum span; -1 if missing."""
    attributes: Mapping[str, Strings] = field(default_factory=dict)
    """Further attributes, under the names that the format uses."""

    def __len__(self) -> int:
        return len(self.entity)

    @property
    def spans(self) -> Pieces:
        """The spans of all mentions in order."""
        pieces = self.pieces
        if pieces is None:
            return Pieces(np.arange(len(self)), self.start, self.stop)
        whole = np.ones(len(self), bool)
        whole[pieces.mention] = False
        mention = np.concatenate([np.flatnonzero(whole), pieces.mention])
        start = np.concatenate([self.start[whole], pieces.start])
        stop = np.concatenate([self.stop[whole], pieces.stop])
        order = np.argsort(mention, kind="stable")
        return Pieces(mention[order], start[order], stop[order])


@dataclass(frozen=True, slots=True)
class Relation:
    """A link between entities other than identity: ``bridge`` or ``split`` antecedent.

    In a split antecedent, ``source`` is the set of entities and each ``target`` one of its
    elements. In bridging, ``source`` is the entity of the anaphor and ``target`` that of the
    antecedent. The name of an entity outside of the corpus, such as that of a non-referring
    expression, is empty. In a :class:`Document`, ``document`` is 0.

    >>> Relation("split", 0, "they", "anna").target
    'anna'
    """

    kind: str
    document: int
    source: str
    target: str
    label: str = ""
    anaphor: tuple[int, int] | None = field(default=None, compare=False)
    """Start and stop of the anaphor, if known."""
    antecedent: tuple[int, int] | None = field(default=None, compare=False)
    """Start and stop of the antecedent, if known."""
