"""Coreference cells: ``(12``, ``12)``, ``(12)``, ``(3|(12)|7)``, read for a whole file at once.

The cells that hold a bracket are laid side by side in one array of bytes, each ended by a bar. An
id is a run of bytes other than ``( ) |``; it opens a mention if ``(`` stands before it and closes
one if ``)`` stands behind it. Bars between ids may be missing: ``(1)(2`` is two ids.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray

OPEN, CLOSE, BAR = b"()|"

_CELL = re.compile(
    rb"\|*(?:(?:\([^()|\x00-\x20]++\)?|[^()|\x00-\x20]++\))\|*)+",
)
_IS_ID = np.ones(256, bool)
_IS_ID[[OPEN, CLOSE, BAR]] = False


class MalformedCellError(Exception):
    """A cell that is not a list of brackets; ``cell`` is its number."""

    def __init__(self, cell: int) -> None:
        super().__init__(cell)
        self.cell = cell


class UnbalancedBracketError(Exception):
    """Mentions opened and never closed, or the reverse; ``runs`` are the brackets' numbers."""

    def __init__(self, runs: list[int]) -> None:
        super().__init__(runs)
        self.runs = runs


@dataclass(frozen=True, slots=True)
class Runs:
    """The ids of all cells in the order of the file: where they stand and what they do."""

    start: IntArray
    stop: IntArray
    owner: IntArray
    opens: BoolArray
    closes: BoolArray


def find_runs(text: ByteArray, lengths: IntArray, owners: IntArray) -> Runs:
    """The ids in cells of these lengths (with their final bar), which belong to these owners."""
    if not len(text):
        nothing, none = np.zeros(0, np.int64), np.zeros(0, bool)
        return Runs(nothing, nothing, nothing, none, none)
    is_id = _IS_ID[text]
    bounds = _bounds(is_id)
    start, stop = bounds[0::2], bounds[1::2]
    # The byte before a run that starts the text is the last bar of all.
    opens = text[start - 1] == OPEN
    closes = text[stop] == CLOSE
    sound = (
        bool((opens | closes).all())
        and int(np.count_nonzero(opens)) == int(np.count_nonzero(text == OPEN))
        and int(np.count_nonzero(closes)) == int(np.count_nonzero(text == CLOSE))
        and int(text.min()) > 32
    )
    owner = np.repeat(owners, lengths)[start]
    if not sound or not len(owner) or int(np.count_nonzero(np.diff(owner))) + 1 != len(lengths):
        raise MalformedCellError(int(np.argmax(malformed_cells(text, lengths))))
    return Runs(start, stop, owner, opens, closes)


def _bounds(is_id: BoolArray) -> IntArray:
    """Where runs of ids start and stop, in turn; the last byte of all is a bar."""
    bounds = np.flatnonzero(is_id[1:] != is_id[:-1])
    bounds += 1
    return np.concatenate([np.zeros(1, np.int64), bounds]) if is_id[0] else bounds


def malformed_cells(text: ByteArray, lengths: IntArray) -> BoolArray:
    """Which cells are not lists of brackets, each bracket with its id."""
    is_id = _IS_ID[text]
    wrong = text <= 32
    wrong |= (text == OPEN) & ~np.append(is_id[1:], False)
    wrong |= (text == CLOSE) & ~np.concatenate([[False], is_id[:-1]])
    bounds = _bounds(is_id)
    start, stop = bounds[0::2], bounds[1::2]
    wrong[start] |= (text[start - 1] != OPEN) & (text[stop] != CLOSE)
    begins = np.cumsum(lengths) - lengths
    found: BoolArray = np.logical_or.reduceat(wrong, begins)
    found |= ~np.logical_or.reduceat(is_id, begins)
    return found


def is_well_formed(cell: bytes) -> bool:
    """Whether one cell is a list of brackets, balanced or not."""
    return _CELL.fullmatch(cell) is not None


def pair(groups: IntArray, opens: BoolArray, closes: BoolArray) -> tuple[IntArray, IntArray]:
    """For every opening bracket, in order, its number and that of the bracket that closes it.

    Within a group (an entity of a document) the bracket opened last is closed first.
    """
    first = np.flatnonzero(opens)
    partner = np.arange(len(groups))
    loose = np.flatnonzero(opens != closes)
    if not len(loose):
        return first, partner[first]
    order = loose[_stable_order(groups[loose])]
    group, opening = groups[order], opens[order]
    left, right = order[0::2], order[1::2]
    alternating = (
        len(order) % 2 == 0
        and bool(opening[0::2].all())
        and not opening[1::2].any()
        and np.array_equal(group[0::2], group[1::2])
    )
    if not alternating:
        left, right = _pair_nested(order, group, opening)
    partner[left] = right
    return first, partner[first]


def _stable_order(values: IntArray) -> IntArray:
    """``argsort``, by half words: NumPy sorts numbers of 16 bits several times as fast."""
    order = np.argsort(values.astype(np.uint16), kind="stable")
    high = values >> 16
    while high.any():
        order = order[np.argsort(high[order].astype(np.uint16), kind="stable")]
        high >>= 16
    return order


def _pair_nested(order: IntArray, group: IntArray, opening: BoolArray) -> tuple[IntArray, IntArray]:
    """Pairs where an entity has mentions inside one another: neighbours of the same depth."""
    step = np.where(opening, 1, -1)
    depth = np.cumsum(step)
    begins = np.flatnonzero(np.diff(group, prepend=group[0] - 1))
    before = np.concatenate([np.zeros(1, np.int64), depth[begins[1:] - 1]])
    sizes = np.diff(begins, append=len(group))
    depth -= np.repeat(before, sizes)
    after = np.concatenate([depth[begins[1:] - 1], depth[-1:]])
    if after.any() or int(depth.min()) < 0:
        raise UnbalancedBracketError(_unbalanced(order, group, opening))
    level = np.where(opening, depth, depth + 1)
    # The groups stand together already: within each, by level and then as in the file.
    rank = _stable_order(np.repeat(np.arange(len(begins)), sizes) * (int(level.max()) + 1) + level)
    return order[rank[0::2]], order[rank[1::2]]


def _unbalanced(order: IntArray, group: IntArray, opening: BoolArray) -> list[int]:
    wrong: list[int] = []
    stacks: dict[int, list[int]] = {}
    for run, owner, opens in zip(order.tolist(), group.tolist(), opening.tolist(), strict=True):
        stack = stacks.setdefault(owner, [])
        if opens:
            stack.append(run)
        elif stack:
            stack.pop()
        else:
            wrong.append(run)
    for stack in stacks.values():
        wrong += stack
    return sorted(wrong)
