"""Mentions that a reader finds one by one, as the columns of a corpus."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from corefine.corpus.columns import Entities, Mentions, Pieces

Span = tuple[int, int]


@dataclass(slots=True)
class MentionRows:
    """Mentions in the order of their documents. Entities are numbered as they come."""

    document: list[int] = field(default_factory=list)
    entity: list[int] = field(default_factory=list)
    parts: list[Sequence[Span]] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)
    type: list[int] = field(default_factory=list)
    head: list[int] = field(default_factory=list)
    types: dict[str, int] = field(default_factory=dict)
    entities: dict[tuple[int, Hashable], int] = field(default_factory=dict)

    def add(
        self,
        document: int,
        entity: Hashable,
        parts: Sequence[Span],
        kind: int = 0,
        type: str = "",
        head: int = -1,
    ) -> None:
        """A mention of an entity of a document: its parts, which are one unless it has gaps."""
        self.document.append(document)
        self.entity.append(self.entities.setdefault((document, entity), len(self.entities)))
        self.parts.append(parts)
        self.kind.append(kind)
        self.type.append(self.types.setdefault(type, len(self.types)) if type else -1)
        self.head.append(head)

    def mentions(self, *, kinds: bool | None = None) -> Mentions:
        """The columns of the mentions; kinds and heads only where there are any."""
        head = np.array(self.head, np.int64)
        kind = np.array(self.kind, np.uint8)
        split = [row for row, parts in enumerate(self.parts) if len(parts) > 1]
        pieces = [(row, *part) for row in split for part in self.parts[row]]
        columns = np.array(pieces, np.int64).reshape(-1, 3).T
        return Mentions(
            np.array(self.document, np.int64),
            np.array(self.entity, np.int64),
            np.array([parts[0][0] for parts in self.parts], np.int64),
            np.array([parts[-1][1] for parts in self.parts], np.int64),
            None,
            kind if kind.any() or kinds else None,
            head if (head >= 0).any() else None,
            np.array(self.type, np.int64),
            Pieces(*columns) if pieces else None,
        )

    def all_entities(self) -> Entities:
        """The documents of the entities."""
        return Entities(np.array([document for document, _ in self.entities], np.int64))
