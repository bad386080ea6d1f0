"""Random keys and responses for property tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st

Entities = list[list[int]]


@st.composite
def entity_lists(draw: st.DrawFn, mentions: int = 12, minimum: int = 0) -> Entities:
    """Entities over a random subset of the mentions 0, 1, …"""
    chosen = draw(st.lists(st.integers(0, mentions - 1), unique=True, min_size=minimum))
    labels = draw(st.lists(st.integers(0, 5), min_size=len(chosen), max_size=len(chosen)))
    return group(chosen, labels)


@st.composite
def linked(draw: st.DrawFn, mentions: int = 12) -> Entities:
    """Entities of which at least two exist and at least one has two mentions."""
    rest = draw(entity_lists(mentions))
    return [[100, 101], [102], *rest]


@st.composite
def corpora(draw: st.DrawFn, mentions: int = 8) -> tuple[dict[str, Entities], dict[str, Entities]]:
    """Key and response of a few documents."""
    count = draw(st.integers(1, 5))
    key = {f"d{number}": draw(entity_lists(mentions)) for number in range(count)}
    response = {f"d{number}": draw(entity_lists(mentions)) for number in range(count)}
    return key, response


def group(mentions: Sequence[int], labels: Sequence[int]) -> Entities:
    entities: dict[int, list[int]] = {}
    for mention, label in zip(mentions, labels, strict=True):
        entities.setdefault(label, []).append(mention)
    return list(entities.values())


def conll(path: Path, documents: dict[str, list[list[int]]], length: int = 20) -> str:
    """Write documents of one-word mentions."""
    lines = []
    for name, entities in documents.items():
        lines.append(f"#begin document ({name}); part 000")
        owner = {mention: number for number, one in enumerate(entities) for mention in one}
        for token in range(length):
            mark = f"({owner[token]})" if token in owner else "-"
            lines.append(f"{name} 0 {token} word{token} {mark}")
        lines.append("#end document")
    path.write_text("\n".join(lines) + "\n")
    return str(path)
