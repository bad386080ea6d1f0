"""Corpora made up by hypothesis, and what must come back when they are written and read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Entities, Mentions, Pieces, Relation, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings

WORDS = st.text(st.sampled_from("aB_é語-(|).#12 "), min_size=1, max_size=4)
IDS = st.text(st.sampled_from("ae19_ß"), min_size=1, max_size=9)
VALUES = st.text(st.sampled_from("ax:,%é-"), max_size=4)


@dataclass(frozen=True)
class Abilities:
    """What the documents may have."""

    discontinuous: bool = True
    zeros: bool = True
    heads: bool = True
    types: bool = True
    minimum: bool = True
    attributes: bool = True
    relations: bool = True
    layers: tuple[str, ...] = ()
    words: st.SearchStrategy[str] = field(default=WORDS)


def runs(words: Sequence[int]) -> list[tuple[int, int]]:
    """Sorted numbers as runs of neighbours, the stop of each being one behind its last."""
    bounds = [0, *(i + 1 for i, (a, b) in enumerate(pairwise(words)) if b > a + 1), len(words)]
    return [(words[a], words[b - 1] + 1) for a, b in pairwise(bounds)]


@st.composite
def corpora(draw: st.DrawFn, can: Abilities) -> Corpus:
    names = draw(
        st.lists(st.sampled_from(["a", "b c", "d/e_1", "ü"]), min_size=1, max_size=3, unique=True)
    )
    sizes = [draw(st.integers(0, 9)) for _ in names]
    total = sum(sizes)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    opens = {start for start, size in zip(offsets.tolist(), sizes, strict=False) if size}
    opens |= draw(st.sets(st.integers(0, total - 1), max_size=4)) if total else set()
    empty = None
    if can.zeros and total and draw(st.booleans()):
        empty = np.array(draw(st.lists(st.booleans(), min_size=total, max_size=total)))
        empty = empty if empty.any() else None
    layers = {
        name: Strings.from_list(draw(st.lists(can.words, min_size=total, max_size=total)))
        for name in can.layers
        if draw(st.booleans())
    }
    owners: list[int] = []
    ids: list[str] = []
    rows: list[tuple[int, int, tuple[int, ...]]] = []
    relations: list[Relation] = []
    for document, size in enumerate(sizes):
        if not size:
            continue
        first = len(ids)
        own = draw(st.lists(IDS, min_size=1, max_size=3, unique=True))
        spans = draw(st.sets(_spans(size, can.discontinuous), max_size=6))
        used = [(draw(st.integers(0, len(own) - 1)), span) for span in sorted(spans)]
        mentioned = sorted({entity for entity, _ in used})
        owners += [document] * len(mentioned)
        ids += [own[entity] for entity in mentioned]
        rows += [(document, first + mentioned.index(entity), span) for entity, span in used]
        if can.relations and len(mentioned) > 1 and draw(st.booleans()):
            source, target = own[mentioned[0]], own[mentioned[1]]
            kind = draw(st.sampled_from(["bridge", "split"]))
            label = draw(st.sampled_from(["", "part"])) if kind == "bridge" else ""
            relations.append(Relation(kind, document, source, target, label))
    mentions = _mentions(draw, can, rows)
    return Corpus(
        tuple(names),
        Entities(np.array(owners, np.int64), Strings.from_list(ids)),
        mentions,
        Tokens(
            Strings.from_list(draw(st.lists(can.words, min_size=total, max_size=total))),
            offsets,
            np.array(sorted(opens), np.int64),
            layers,
            empty,
        ),
        types=("person", "place") if mentions.type is not None else (),
        relations=tuple(relations),
    )


def _spans(size: int, discontinuous: bool) -> st.SearchStrategy[tuple[int, ...]]:
    numbers = st.integers(0, size - 1)
    whole = st.tuples(numbers, numbers).map(lambda ends: tuple(range(min(ends), max(ends) + 1)))
    if not discontinuous:
        return whole
    return whole | st.sets(numbers, min_size=1, max_size=5).map(lambda words: tuple(sorted(words)))


def _mentions(
    draw: st.DrawFn, can: Abilities, rows: list[tuple[int, int, tuple[int, ...]]]
) -> Mentions:
    spans = [span for _, _, span in rows]
    parts = [
        (row, *run) for row, span in enumerate(spans) for run in runs(span) if len(runs(span)) > 1
    ]
    columns = np.array(parts, np.int64).reshape(-1, 3).T
    entities = [entity for _, entity, _ in rows]

    def chosen(span: tuple[int, ...]) -> int:
        return draw(st.sampled_from(span))

    heads = numbers([chosen(span) for span in spans]) if can.heads and draw(st.booleans()) else None
    types = None
    if can.types and rows and draw(st.booleans()):
        # All mentions of an entity have a type, or none: else they would get the entity's.
        typed = {entity: draw(st.booleans()) for entity in sorted(set(entities))}
        typed[entities[0]] = True
        types = numbers([draw(st.integers(0, 1)) if typed[e] else -1 for e in entities])
        types[0] = 0
    minimum = None
    if can.minimum and rows and draw(st.booleans()):
        bounds = [sorted((chosen(span), chosen(span))) for span in spans]
        known = [draw(st.booleans()) for _ in spans]
        known[0] = True
        minimum = (
            numbers([low if k else -1 for (low, _), k in zip(bounds, known, strict=True)]),
            numbers([high + 1 if k else -1 for (_, high), k in zip(bounds, known, strict=True)]),
        )
    attributes = {}
    if can.attributes and rows:
        for name in draw(st.sets(st.sampled_from(["other", "infstat", "x"]))):
            values = draw(st.lists(VALUES, min_size=len(rows), max_size=len(rows)))
            if any(values):
                attributes[name] = Strings.from_list(values)
    return Mentions(
        numbers([document for document, _, _ in rows]),
        numbers(entities),
        numbers([span[0] for span in spans]),
        numbers([span[-1] + 1 for span in spans]),
        head=heads,
        type=types,
        pieces=Pieces(*columns) if parts else None,
        minimum=minimum,
        attributes=attributes,
    )


def numbers(values: Sequence[int]) -> IntArray:
    return np.array(values, np.int64)


def content(corpus: Corpus, *, heads: bool = True) -> list[tuple[object, ...]]:
    """All that a corpus says of each document, in an order that writing may not change."""
    tokens, mentions = corpus.tokens, corpus.mentions
    assert tokens is not None
    result: list[tuple[object, ...]] = []
    found: list[list[tuple[object, ...]]] = [[] for _ in corpus.documents]
    for row in range(len(mentions)):
        found[mentions.document[row]].append(_mention(corpus, row, heads))
    for number, (first, last) in enumerate(pairwise(tokens.offsets.tolist())):
        relations = [r for r in corpus.relations if r.document == number]
        empty = tokens.empty
        result.append(
            (
                corpus.documents[number],
                tokens.words[first:last].tolist(),
                [] if empty is None or not empty[first:last].any() else empty[first:last].tolist(),
                [s - first for s in tokens.sentences.tolist() if first <= s < last],
                sorted(found[number], key=repr),
                sorted((r.kind, r.source, r.target, r.label) for r in relations),
            )
        )
    return result


def _mention(corpus: Corpus, row: int, heads: bool) -> tuple[object, ...]:
    mentions, names = corpus.mentions, corpus.entities.names
    assert names is not None
    minimum = None
    if mentions.minimum is not None and mentions.minimum[0][row] >= 0:
        minimum = (int(mentions.minimum[0][row]), int(mentions.minimum[1][row]))
    type_ = None
    if mentions.type is not None and mentions.type[row] >= 0:
        type_ = corpus.types[mentions.type[row]]
    return (
        names[int(mentions.entity[row])],
        tuple(corpus.pieces_of(row)),
        int(mentions.head[row]) if heads and mentions.head is not None else None,
        type_,
        minimum,
        sorted((name, column[row]) for name, column in mentions.attributes.items() if column[row]),
    )
