"""One entity of the key, or a spurious one of the response, ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from corefine.scoring.scores import Score


@dataclass(frozen=True, slots=True)
class Entity:
    """One key entity. Entities and mentions are indices of the matched corpora."""

    number: int
    """Its place among the key entities of the table."""
    document: str
    document_number: int
    name: str
    text: str
    """The mention that tells most of it."""
    size: int
    category: str
    response_name: str | None
    """The response entity that it is aligned with; None where there is none."""
    response_size: int
    shared: int
    scores: dict[str, Score]
    ranks: dict[str, int]
    """Its place among all key entities by the F1 of each metric; equal scores share a place."""
    information: float
    information_kept: float | None
    """The share of its information in the mentions found; None where it has none."""
    key_entity: int
    response_entity: int | None
    key_mentions: tuple[int, ...]
    response_mentions: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """The entity as plain values."""
        return {name: _plain(getattr(self, name)) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class SpuriousEntity:
    """A response entity that no key entity is aligned with."""

    number: int
    """Its place among the response entities of the table."""
    document: str
    document_number: int
    name: str
    text: str
    """Its first mention."""
    size: int
    in_key: int
    """How many of its mentions are mentions of the key, of entities aligned with others."""
    response_entity: int
    response_mentions: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """The entity as plain values."""
        return {name: _plain(getattr(self, name)) for name in self.__slots__}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value.to_dict() if isinstance(value, Score) else value
