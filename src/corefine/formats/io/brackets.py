"""Coreference cells: ``(12``, ``12)``, ``(12)``, ``(3|(12)|7)``, read for a whole file at once.

The cells that are not placeholders are joined in one array of bytes, each followed by a bar. An id
is a run of bytes other than ``( ) |``; it opens a mention after ``(`` and closes one before ``)``.
Bars between ids may be missing: ``(1)(2`` is two ids.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray

OPEN, CLOSE, BAR = b"()|"

_IDS = re.compile(rb"\|*(?:\(?[^()|\x00-\x20]++\)?\|*)+")
_IS_ID = np.ones(256, bool)
_IS_ID[[OPEN, CLOSE, BAR]] = False


class UnbalancedBracketError(Exception):
    """Mentions opened and never closed, or the reverse; ``runs`` are the brackets' numbers."""

    def __init__(self, runs: list[int]) -> None:
        super().__init__(runs)
        self.runs = runs


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells that are not placeholders: their text, each followed by a bar, and their tokens."""

    text: ByteArray
    lengths: IntArray
    """Length of each cell with its bar."""
    token: IntArray

    @classmethod
    def concatenate(cls, parts: Sequence[Cells], bases: Sequence[int]) -> Cells:
        """Cells of several blocks, with the number of tokens before each."""
        moved = [part.token + base for part, base in zip(parts, bases, strict=True)]
        return cls(
            np.concatenate([part.text for part in parts]),
            np.concatenate([part.lengths for part in parts]),
            np.concatenate(moved),
        )

    def contents(self) -> list[bytes]:
        """Each cell without its bar."""
        text, stops = self.text.tobytes(), np.cumsum(self.lengths)
        bounds = zip((stops - self.lengths).tolist(), (stops - 1).tolist(), strict=True)
        return [text[start:stop] for start, stop in bounds]


@dataclass(frozen=True, slots=True)
class Runs:
    """Ids of all cells in file order; an id may open or close a mention, both or neither."""

    start: IntArray
    stop: IntArray
    token: IntArray
    opens: BoolArray
    closes: BoolArray

    def take(self, rows: IntArray) -> Runs:
        return Runs(
            self.start[rows], self.stop[rows], self.token[rows], self.opens[rows], self.closes[rows]
        )


def find_runs(cells: Cells) -> tuple[Runs, list[int]]:
    """Ids in cells, and the numbers of the cells that are malformed."""
    text = cells.text
    is_id = _IS_ID[text]
    edges = np.flatnonzero(np.diff(is_id, prepend=False))
    start, stop = edges[0::2], edges[1::2]
    # The byte before a run at the beginning of the text is the last bar of all.
    opens = text[start - 1] == OPEN
    closes = text[stop] == CLOSE
    token = np.repeat(cells.token, cells.lengths)[start]
    sound = (
        np.count_nonzero(opens) == np.count_nonzero(text == OPEN)
        and np.count_nonzero(closes) == np.count_nonzero(text == CLOSE)
        and int(text.min(initial=BAR)) > 32
        and np.count_nonzero(np.diff(token, prepend=-1)) == len(cells.lengths)
    )
    malformed: list[int] = []
    if not sound:
        contents = cells.contents()
        malformed = [cell for cell, text in enumerate(contents) if not _IDS.fullmatch(text)]
    return Runs(start, stop, token, opens, closes), malformed


def pair(groups: IntArray, opens: BoolArray, closes: BoolArray) -> tuple[IntArray, IntArray]:
    """For every opening bracket, in order, its number and that of the bracket that closes it.

    Within a group (an entity of a document) the bracket opened last is closed first.
    """
    first = np.flatnonzero(opens)
    partner = np.arange(len(groups))
    loose = np.flatnonzero(opens != closes)
    order = loose[np.argsort(groups[loose], kind="stable")]
    group, opening = groups[order], opens[order]
    begins = np.diff(group, prepend=-1) != 0
    ends = np.append(begins[1:], True)[: len(begins)]
    before = np.concatenate([[False], opening])[:-1]
    # Brackets of most groups alternate; the others need a stack.
    nested = np.isin(group, group[np.where(begins, ~opening, opening == before) | (ends & opening)])
    plain = order[~nested]
    partner[plain[0::2]] = plain[1::2]
    for left, right in _pair_nested(order[nested], group[nested], opening[nested]):
        partner[left] = right
    return first, partner[first]


def _pair_nested(
    brackets: IntArray, groups: IntArray, opens: BoolArray
) -> Iterator[tuple[int, int]]:
    """Pairs of brackets with one stack per group."""
    unbalanced = []
    stacks: dict[int, list[int]] = {}
    columns = (brackets.tolist(), groups.tolist(), opens.tolist())
    for bracket, group, opening in zip(*columns, strict=True):
        stack = stacks.setdefault(group, [])
        if opening:
            stack.append(bracket)
        elif stack:
            yield stack.pop(), bracket
        else:
            unbalanced.append(bracket)
    unbalanced += [bracket for stack in stacks.values() for bracket in stack]
    if unbalanced:
        raise UnbalancedBracketError(sorted(unbalanced))


def crossing(spans: Sequence[tuple[Hashable, int, int]]) -> set[int]:
    """Numbers of spans to leave out so that no two of a group cross.

    Spans are given as group, first and last token. Brackets of a group look alike, so the one
    opened last is taken to be closed first. Spans cross if one starts inside the other and ends
    after it; to start where the other ends is no crossing.

    >>> crossing([(1, 0, 2), (1, 1, 3), (1, 2, 3)])
    {1}
    """
    out: set[int] = set()
    still_open: dict[Hashable, list[int]] = {}
    for number in sorted(range(len(spans)), key=lambda one: (spans[one][1], -spans[one][2])):
        group, first, last = spans[number]
        lasts = still_open.setdefault(group, [])
        while lasts and lasts[-1] <= first:
            lasts.pop()
        if lasts and lasts[-1] < last:
            out.add(number)
        else:
            lasts.append(last)
    return out
