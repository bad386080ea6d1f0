"""Corpus: annotated documents as columns.

One corpus holds all documents of one side, key or response. A mention is a row: its document, its
entity and its place (the tokens ``start`` to ``stop - 1`` of the document) or, where there is no
text, its name. What a format knows beyond that (heads, kinds, semantic types, discontinuous
mentions) stands in optional columns beside it; what it does not know is ``None``, never a guess.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Entities, Mentions, Relation, Tokens
from corefine.corpus.strings import Strings
from corefine.errors import Location, UsageError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Corpus:
    """Annotated documents: the one thing that every reader makes and every scorer takes.

    >>> corpus = Corpus.from_entities([["Anna", "she"], ["Rome"]])
    >>> corpus
    <Corpus: 1 document, 3 mentions, 2 entities>
    >>> corpus.to_dict()
    {'': [['Anna', 'she'], ['Rome']]}
    """

    documents: tuple[str, ...]
    entities: Entities
    mentions: Mentions
    tokens: Tokens | None = None
    types: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()
    topics: tuple[str, ...] | None = None
    """A topic for each document, where entities are shared within topics."""
    sources: tuple[str, ...] = ()
    """The file that each document came from; empty where it came from none."""
    format: str | None = None
    warnings: tuple[str, ...] = ()
    named: bool = True
    """Whether the source names its documents; if not, their names are made up from its own."""

    @classmethod
    def from_entities(cls, entities: Iterable[Iterable[Hashable]], document: str = "") -> Corpus:
        """One document from a list of entities, an entity being a list of any hashables."""
        return cls.from_documents({document: entities})

    @classmethod
    def from_documents(cls, documents: Mapping[str, Iterable[Iterable[Hashable]]]) -> Corpus:
        """Documents from a mapping of their ids to lists of entities."""
        chains = [[list(entity) for entity in entities] for entities in documents.values()]
        return cls.from_lists([str(name) for name in documents], chains)

    @classmethod
    def from_lists(
        cls, names: Sequence[str], documents: Sequence[Sequence[Sequence[Hashable]]]
    ) -> Corpus:
        """Documents by name, each a list of entities; an entity without mentions is left out."""
        sizes = np.array([len(entity) for entities in documents for entity in entities], np.int64)
        document = np.repeat(np.arange(len(names)), [len(entities) for entities in documents])
        mentions = list(chain.from_iterable(chain.from_iterable(documents)))
        if not sizes.all():
            document, sizes = document[sizes > 0], sizes[sizes > 0]
        entity = np.repeat(np.arange(len(sizes)), sizes)
        place = np.arange(len(mentions))
        return cls(
            tuple(names),
            Entities(document),
            Mentions(document[entity], entity, place, place + 1, mentions),
        )

    @classmethod
    def from_labels(
        cls,
        entities: ArrayLike,
        mentions: ArrayLike | None = None,
        documents: ArrayLike | None = None,
    ) -> Corpus:
        """A corpus from columns: the entity of each row and, optionally, its mention and document.

        Without ``mentions`` a mention is its row number, so two corpora made this way are compared
        row by row. Without ``documents`` everything is one document. An entity label belongs to its
        document: the same label in two documents names two entities (unless the scope of scoring
        says otherwise).

        >>> Corpus.from_labels(["a", "a", "b"])
        <Corpus: 1 document, 3 mentions, 2 entities>
        """
        labels = np.asarray(entities)
        if labels.ndim != 1:
            raise UsageError(f"entities must be one column of labels, not of shape {labels.shape}")
        rows = len(labels)
        names = None if mentions is None else np.asarray(mentions)
        place = np.arange(rows)
        if documents is None:
            ids: tuple[str, ...] = ("",)
            document = np.zeros(rows, np.int64)
        else:
            values, document = np.unique(np.asarray(documents), return_inverse=True)
            ids = tuple(map(str, values.tolist()))
        for column, what in ((names, "mentions"), (document, "documents")):
            if column is not None and column.shape != (rows,):
                raise UsageError(f"{what} has shape {column.shape}, entities has {rows} rows")
        if documents is not None and rows and (np.diff(document) < 0).any():
            order = np.argsort(document, kind="stable")
            labels, document, place = labels[order], document[order], place[order]
            names = None if names is None else names[order]
        values, entity = _compact_labels(labels)
        if documents is not None:
            pair, entity = np.unique(document * len(values) + entity, return_inverse=True)
            owner, label = np.divmod(pair, len(values)) if len(values) else (pair, pair)
        else:
            owner, label = np.zeros(len(values), np.int64), np.arange(len(values))
        entity_names = (
            Strings.from_integers(values[label])
            if values.dtype.kind == "i"
            else Strings.from_list(map(str, values[label].tolist()))
        )
        return cls(
            ids,
            Entities(owner, entity_names),
            Mentions(document, entity, place, place + 1, names),
        )

    def __repr__(self) -> str:
        counted = (
            (len(self.documents), "document"),
            (len(self.mentions), "mention"),
            (len(self.entities), "entity"),
        )
        texts = []
        for number, noun in counted:
            plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
            texts.append(f"{number:,} {noun if number == 1 else plural}")
        return f"<Corpus: {', '.join(texts)}>"

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def has_places(self) -> bool:
        """Whether mentions are places in a text (or row numbers) rather than names."""
        return self.mentions.names is None

    def location(self, document: int, token: int | None = None) -> Location | None:
        """Where in its source a document, or a token of it, stands."""
        if not self.sources:
            return None
        line = None
        tokens = self.tokens
        if tokens is not None and tokens.lines is not None:
            first, last = tokens.offsets[document], tokens.offsets[document + 1]
            if first < last:
                line = int(tokens.lines[min(first + (token or 0), last - 1)])
        return Location(self.sources[document], line)

    def mention_id(self, index: int) -> Hashable:
        """A mention as a person would write it: its name, or its first and last token."""
        mentions = self.mentions
        if mentions.names is not None:
            name = mentions.names[index]
            return name.item() if isinstance(name, np.generic) else name
        spans = self.pieces_of(index)
        if len(spans) > 1:
            return tuple((start, stop - 1) for start, stop in spans)
        return (spans[0][0], spans[0][1] - 1)

    def pieces_of(self, index: int) -> list[tuple[int, int]]:
        """The continuous parts (start, stop) of a mention; one part unless it is discontinuous."""
        mentions = self.mentions
        if mentions.pieces is not None:
            rows = np.flatnonzero(mentions.pieces.mention == index)
            if len(rows):
                starts, stops = mentions.pieces.start[rows], mentions.pieces.stop[rows]
                return list(zip(starts.tolist(), stops.tolist(), strict=True))
        return [(int(mentions.start[index]), int(mentions.stop[index]))]

    def text_of(self, index: int) -> str:
        """The words of a mention, or its name where there is no text."""
        if self.tokens is None or not self.has_places:
            return str(self.mention_id(index))
        base = int(self.tokens.offsets[self.mentions.document[index]])
        words: list[str] = []
        for start, stop in self.pieces_of(index):
            words.extend(self.tokens.words[base + start : base + stop])
        return " ".join(words)

    def to_dict(self) -> dict[str, list[list[Hashable]]]:
        """Documents as lists of entities, entities as lists of mentions: the plain form."""
        result: dict[str, list[list[Hashable]]] = {name: [] for name in self.documents}
        chains: list[list[Hashable]] = [[] for _ in range(len(self.entities))]
        for index, entity in enumerate(self.mentions.entity.tolist()):
            chains[entity].append(self.mention_id(index))
        for document, mentions in zip(self.entities.document.tolist(), chains, strict=True):
            if mentions:
                result[self.documents[document]].append(mentions)
        return result


def _compact_labels(labels: NDArray[Any]) -> tuple[NDArray[Any], IntArray]:
    """Distinct labels and, for each row, which of them it has.

    Labels that are already small whole numbers need no sorting.
    """
    if labels.dtype.kind in "iu" and len(labels):
        low, high = int(labels.min()), int(labels.max())
        if high - low < 4 * len(labels) and high < 1 << 63:
            present = np.zeros(high - low + 1, bool)
            shifted = labels.astype(np.int64, copy=False)
            if low:
                shifted = shifted - low
            present[shifted] = True
            # Short numbers, since a look-up costs the less the smaller its table is.
            number = np.cumsum(present, dtype=np.int32 if high - low < 1 << 31 else np.int64) - 1
            return np.flatnonzero(present) + low, number[shifted].astype(np.int64)
    values, inverse = np.unique(labels, return_inverse=True)
    return values, inverse.reshape(-1).astype(np.int64, copy=False)
