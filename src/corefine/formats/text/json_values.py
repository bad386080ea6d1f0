"""What may stand under the keys of a line, as types that msgspec checks.

Imported only when lines are read: msgspec is not loaded before.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

Index = Annotated[int, Meta(ge=0, lt=1 << 31)]
Indices = list[Index]
Part = Index | Indices
Name = str | int
SubtokenMap = list[Index | None]
Triples = list[tuple[Index, Index, Index]]
CLUSTERS = {2: list[list[tuple[Index, Index]]], 3: list[Triples]}
"""Clusters by how many numbers a mention has."""
