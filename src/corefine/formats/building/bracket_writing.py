"""Writing files whose last column has brackets: their cells, and what these cannot hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, offsets_of
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.corpus.strings import Strings
from corefine.errors import UsageError
from corefine.formats.building.empty_nodes import drop_empty_nodes
from corefine.formats.text.brackets import pair

CONTROL = re.compile(r"[\x00-\x1f]")
_NOT_IN_ID = re.compile(r"[\x00-\x20()|]")


def bracket_losses(corpus: Corpus) -> list[str]:
    """What words and brackets cannot say of this corpus."""
    tokens = corpus.tokens
    if tokens is None:
        return []
    lost = []
    spaced = _spaced(tokens.words)
    if len(spaced):
        lost.append(counted(tokens.words.take(spaced), "word", " with white space"))
    crossing = np.count_nonzero(~nested(drop_empty_nodes(corpus)))
    if crossing:
        lost.append(f"mentions that cross another of the same entity ({crossing})")
    return lost


def in_brackets(corpus: Corpus, format: str) -> tuple[Corpus, Tokens]:
    """What brackets behind the words of a corpus can say of it, and these words."""
    corpus = drop_empty_nodes(corpus)
    if corpus.tokens is None:
        raise UsageError(
            f"a corpus without text cannot be written as {format}",
            None,
            "Choose a format that names mentions.",
        )
    return keep_mentions(corpus, nested(corpus)), corpus.tokens


def places_in_sentences(tokens: Tokens) -> Iterator[Iterable[tuple[int, int]]]:
    """For each document its tokens, each with its place in its sentence."""
    number = np.arange(len(tokens))
    starts = np.union1d(tokens.sentences, tokens.offsets[:-1])
    place = number - starts[np.searchsorted(starts, number, side="right") - 1]
    for first, stop in pairwise(tokens.offsets.tolist()):
        yield zip(range(first, stop), place[first:stop].tolist(), strict=True)


def counted(found: Sequence[str], noun: str, which: str = "") -> str:
    """How many there are, and the first of them."""
    return f"{len(found)} {noun}{'' if len(found) == 1 else 's'}{which} such as {found[0]!r}"


def word_cells(tokens: Tokens) -> list[str]:
    """Words as the content of cells."""
    words = tokens.words.tolist()
    for token in _spaced(tokens.words).tolist():
        words[token] = as_cell(words[token])
    return words


def _spaced(words: Strings) -> IntArray:
    """Words with control characters inside, or with blanks at an end."""
    firsts, stops = words.offsets[:-1], words.offsets[1:]
    held = np.flatnonzero(stops > firsts)
    blank = words.data == 32
    wrong = blank[firsts[held]] | blank[stops[held] - 1]
    control = np.flatnonzero(words.data < 32)
    inside = np.searchsorted(words.offsets, control, side="right") - 1
    return np.union1d(held[wrong], inside[(inside >= 0) & (inside < len(words))])


def as_cell(text: str) -> str:
    """A text as the content of one cell."""
    return CONTROL.sub(" ", text).strip(" ")


def layer_cells(tokens: Tokens, name: str, missing: str) -> Sequence[str]:
    column = tokens.layers.get(name)
    if column is None:
        return [missing] * len(tokens)
    return [as_cell(value) or missing for value in column]


def bracket_cells(corpus: Corpus) -> dict[int, str]:
    """The coreference cells that hold something, by token of the corpus."""
    ids = _entity_ids(corpus)
    entity, opens, closes, token, _ = _brackets(corpus)
    cells: dict[int, list[str]] = {}
    for place, owner, opening, closing in zip(
        token.tolist(), entity.tolist(), opens.tolist(), closes.tolist(), strict=True
    ):
        bracket = f"{'(' if opening else ''}{ids[owner]}{')' if closing else ''}"
        cells.setdefault(place, []).append(bracket)
    return {place: "|".join(brackets) for place, brackets in cells.items()}


def _entity_ids(corpus: Corpus) -> list[str]:
    """Names of entities as the source has them, or numbers if these are no ids of brackets."""
    document = corpus.entities.document
    names = corpus.entities.names
    if names is not None:
        ids = names.tolist()
        pairs = zip(document.tolist(), ids, strict=True)
        if all(name and not _NOT_IN_ID.search(name) for name in ids) and len(set(pairs)) == len(
            ids
        ):
            return ids
    order = np.argsort(document, kind="stable")
    counts = np.bincount(document, minlength=len(corpus.documents))
    numbers = np.empty(len(document), np.int64)
    numbers[order] = np.arange(len(document)) - np.repeat(offsets_of(counts)[:-1], counts) + 1
    return list(map(str, numbers.tolist()))


def _brackets(corpus: Corpus) -> tuple[IntArray, BoolArray, BoolArray, IntArray, IntArray]:
    """All brackets in the order of the file: entity, opens, closes, token, mention.

    In a cell, mentions open with the longest first, then come those of one word, then those that
    close, the latest opened first. A bracket that closes comes before all of these where its entity
    opens another mention in the same cell: else it would close that one.
    """
    mentions, tokens = corpus.mentions, corpus.tokens
    assert tokens is not None
    base = tokens.offsets[mentions.document]
    start, stop = mentions.start + base, mentions.stop + base - 1
    single = np.flatnonzero(start == stop)
    longer = np.flatnonzero(start < stop)
    mention = np.concatenate([longer, single, longer])
    kind = np.repeat([1, 2, 3], [len(longer), len(single), len(longer)])
    token = np.concatenate([start[longer], start[single], stop[longer]])
    place = token * max(len(corpus.entities), 1) + mentions.entity[mention]
    kind[(kind == 3) & np.isin(place, place[kind == 1])] = 0
    # Longest first among those that open; the reverse of the order of opening where they close.
    closing = (kind == 0) | (kind == 3)
    by_length = np.where(closing, -start[mention], -stop[mention])
    tie = np.where(closing, -mention, mention)
    order = np.lexsort((tie, np.where(closing, stop[mention], 0), by_length, kind, token))
    kind, mention = kind[order], mention[order]
    opens, closes = (kind == 1) | (kind == 2), kind != 1
    return mentions.entity[mention], opens, closes, token[order], mention


def nested(corpus: Corpus) -> BoolArray:
    """Which mentions can be written, since they do not cross another one of their entity."""
    mentions = corpus.mentions
    entity, opens, closes, _, mention = _brackets(corpus)
    kept = np.ones(len(mentions), bool)
    opening, closing = pair(entity, opens, closes)
    mispaired = mentions.stop[mention[opening]] != mentions.stop[mention[closing]]
    rows = np.flatnonzero(np.isin(mentions.entity, entity[opening[mispaired]]))
    rows = rows[np.lexsort((-mentions.stop[rows], mentions.start[rows], mentions.entity[rows]))]
    columns = (rows, mentions.entity[rows], mentions.start[rows], mentions.stop[rows])
    current, still_open = -1, list[int]()
    for row, owner, start, stop in zip(*(column.tolist() for column in columns), strict=True):
        if owner != current:
            current, still_open = owner, []
        while still_open and still_open[-1] <= start + 1:
            still_open.pop()
        if still_open and still_open[-1] < stop:
            kept[row] = False
        else:
            still_open.append(stop)
    return kept
