"""The columns of a corpus: words, mentions, entities, and what a format says of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.strings import Strings


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
    """These rows of a column: Strings, an array, a list; None stays None."""
    if column is None:
        return None
    if isinstance(column, Strings):
        return column.take(rows)
    if isinstance(column, np.ndarray):
        return column[rows]
    return [column[row] for row in rows.tolist()]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Text:
    """The running text of each document, and where the tokens stand in it.

    ``begins`` and ``ends`` count characters (not bytes) of the token's document; the end is the
    first character behind the token.
    """

    documents: Strings
    begins: IntArray
    ends: IntArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tokens:
    """The words of all documents, one after another.

    ``offsets`` has one entry more than there are documents: the tokens of document ``d`` are
    ``offsets[d]`` to ``offsets[d + 1] - 1``. ``sentences`` holds the first token of each sentence.
    ``layers`` are further columns of the same length, by name: ``pos`` (part of speech as the file
    has it), ``upos``, ``lemma``, ``parse``, ``ner``, ``speaker``, ``feats``, ``head``, ``deprel``,
    ``deps``, ``sent_id`` at the first token of a sentence, and ``node``, the numbers of empty nodes
    behind their words, where they are not counted 1, 2, ….
    """

    words: Strings
    offsets: IntArray
    sentences: IntArray
    layers: Mapping[str, Strings] = field(default_factory=dict)
    empty: BoolArray | None = None
    """Which tokens are empty nodes: not in the text, but able to carry a mention (a zero)."""
    lines: IntArray | None = None
    """The line of the source, counted from 1, that each token stands on."""
    text: Text | None = None
    """What the tokens were cut from, where the format gives it."""
    continues: BoolArray | None = None
    """Which tokens go on with the word before them, where tokens were cut for an alignment: words
    are counted as the key has them, whatever tokens a response has."""

    def __len__(self) -> int:
        return len(self.words)

    @property
    def uncounted(self) -> BoolArray | None:
        """The tokens that are no words of their own: empty nodes, and parts of words."""
        if self.continues is None:
            return self.empty if self.has_empty else None
        return self.continues if self.empty is None else self.continues | self.empty

    @property
    def has_empty(self) -> bool:
        """Whether any token is an empty node."""
        return self.empty is not None and bool(self.empty.any())

    @property
    def document_of_token(self) -> IntArray:
        """The document of each token."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def sentence_of(self, tokens: IntArray) -> IntArray:
        """The number of the sentence, over the whole corpus, in which each token stands."""
        return np.searchsorted(self.sentences, tokens, side="right") - 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pieces:
    """The parts of the discontinuous mentions: rows of (mention, start, stop), in order."""

    mention: IntArray
    start: IntArray
    stop: IntArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Entities:
    """One row an entity: its document and, where the source names it, its name."""

    document: IntArray
    names: Strings | None = None

    def __len__(self) -> int:
        return len(self.document)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Mentions:
    """One row a mention, ordered by document and within it as the source gives them."""

    document: IntArray
    entity: IntArray
    start: IntArray
    stop: IntArray
    names: Sequence[Hashable] | NDArray[Any] | None = None
    """Identities of mentions that have no place in a text; ``start`` is then the row's number."""
    kind: NDArray[np.uint8] | None = None
    head: IntArray | None = None
    """The head word as a token of the document; -1 where it is not known."""
    type: IntArray | None = None
    """Semantic type, as an index of ``Corpus.types``; -1 where there is none."""
    pieces: Pieces | None = None
    minimum: tuple[IntArray, IntArray] | None = None
    """Start and stop of the minimum span, where the key gives one; -1 where it does not."""
    attributes: Mapping[str, Strings] = field(default_factory=dict)
    """Whatever else the format says of a mention, by the format's own name for it."""
    closing: IntArray | None = None
    """The order of the brackets that close the mentions, -1 where one bracket also opens it; known
    only of files that repeat a mention, since scorers differ in which of its entities they take."""
    head_found: BoolArray | None = None
    """Mentions whose head the source does not give: it was found in the dependency tree."""
    unbarred: BoolArray | None = None
    """Mentions whose opening bracket stands right before another, as the first of ``(1(2``: some
    scorers overlook it. Known only of files that have such."""

    def __len__(self) -> int:
        return len(self.entity)


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
    """Start and stop of the mention that the relation is stated of, where the source says which."""
    antecedent: tuple[int, int] | None = field(default=None, compare=False)
    """Start and stop of the mention that it leads to, where the source says which."""
