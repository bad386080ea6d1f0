"""Tokens cut where mentions begin and end inside of them, for formats that count characters."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Span = tuple[int, int]
"""A place in a text: the first character, and the one behind the last."""


@dataclass(frozen=True, slots=True)
class CutTokens:
    """Pieces of tokens in the order of the text, and the mentions as runs of them."""

    pieces: list[Span]
    """Where each piece lies; one without characters is an empty node."""
    owner: list[int]
    """The token that each piece is of; for an empty node the one before it, -1 if none is."""
    mentions: list[Span]
    """The first piece of each mention, and the one behind its last; none where they are equal."""


def cut(tokens: Sequence[Span], mentions: Sequence[Span]) -> CutTokens:
    """Tokens, which follow one another, cut so that mentions begin and end with a piece.

    A mention without characters is an empty node at its place: behind a token that ends there.

    >>> cut([(0, 4), (5, 7)], [(0, 2), (3, 7), (4, 4)]).pieces
    [(0, 2), (2, 3), (3, 4), (4, 4), (5, 7)]
    """
    edges = sorted({edge for span in mentions for edge in span})
    zeros = sorted({start for start, stop in mentions if start == stop})
    rows: list[tuple[int, int, int]] = []
    for number, (start, stop) in enumerate(tokens):
        inner = edges[bisect_right(edges, start) : bisect_left(edges, stop)]
        bounds = [start, *inner, stop]
        rows += [(low, high, number) for low, high in pairwise(bounds)]
    starts = [start for start, _ in tokens]
    rows += [(place, place, bisect_left(starts, place) - 1) for place in zeros]
    # An empty node stands behind what ends at its place, and before what begins there.
    rows.sort(key=lambda row: (row[0], row[1]))
    pieces = [(start, stop) for start, stop, _ in rows]
    begins = [start for start, _ in pieces]
    ends = [stop for _, stop in pieces]
    found: list[Span] = []
    for start, stop in mentions:
        first = bisect_left(begins, start)
        if start == stop:
            found.append((first, first + 1))
            continue
        while first < len(pieces) and pieces[first] == (start, start):
            first += 1
        behind = bisect_right(ends, stop)
        while behind > first and pieces[behind - 1] == (stop, stop):
            behind -= 1
        found.append((first, max(first, behind)))
    return CutTokens(pieces, [row[2] for row in rows], found)
