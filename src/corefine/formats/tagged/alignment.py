"""Alignment of the atoms of an answer with those of its source, in nearly linear time.

Runs of atoms that are unique on both sides are anchors. The longest chain of anchors in the same
order on both sides stands; what lies between them is anchored again by shorter runs, and where it
is small enough by the cheapest edit script. A long passage that repeats itself has no unique runs:
there those that both sides have equally often are paired in order. Passages that are anchored out
of order were moved: they are told, and aligned with nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, ranges
from corefine.formats.tagged.edits import CELLS, edit_script

ANCHORS = (6, 3, 1)
"""Lengths of the runs that serve as anchors, one after another."""
SMALL = 1024
"""Cells of a table of costs that is filled without looking for further anchors."""
PASSAGE = 8
"""Atoms from which on a run that is out of order is a passage that was moved."""
COMMON = 0.05
"""The share of a passage that repeated runs must make up: fewer may be alike by chance."""
FARTHEST = 200
"""Largest number of atoms by which a gap is moved, if several positions are as good."""
_PRIME = np.uint64(0x9E3779B97F4A7C15)

Pairs = tuple[IntArray, IntArray]
"""Places in the source and in the answer, ascending on both sides."""


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """For each atom of an answer the first and last corresponding atom of the source, or -1."""

    first: IntArray
    last: IntArray
    same: BoolArray
    """True if it equals them."""
    reordered: BoolArray
    """True if it is in a passage that was moved."""


def align(
    source: IntArray,
    answer: IntArray,
    stems: IntArray,
    texts: Sequence[str],
    tagged: BoolArray,
    opens: BoolArray,
) -> Aligned:
    """Align the atoms of an answer with those of its source.

    ``stems`` and ``texts`` are those of each number of the vocabulary. ``tagged`` atoms of the
    answer are inside mentions, and ``opens`` says which of the source begin a sentence: they decide
    where several alignments are as good.
    """
    lefts, rights, reordered, gone = _first_anchors(source, answer)
    here, there = np.flatnonzero(~gone), np.flatnonzero(~reordered)
    to = np.full(len(answer), -1)
    blocks = _Blocks(source[here], answer[there], stems)
    blocks.pair(np.searchsorted(here, lefts), np.searchsorted(there, rights))
    paired = blocks.finished()
    to[there] = np.where(paired >= 0, here[paired], -1) if len(here) else -1
    same = _same(source, answer, to)
    _slide_insertions(answer, to, same, tagged)
    _slide_deletions(source, to, same, opens)
    same = _same(source, answer, to)
    first, last = to.copy(), to.copy()
    _rejoin(source, answer, texts, first, last, same)
    return Aligned(first, last, same, reordered)


def _same(source: IntArray, answer: IntArray, to: IntArray) -> BoolArray:
    if not len(source):
        return np.zeros(len(answer), bool)
    found: BoolArray = (to >= 0) & (source[to] == answer)
    return found


def _first_anchors(
    source: IntArray, answer: IntArray
) -> tuple[IntArray, IntArray, BoolArray, BoolArray]:
    """Pairs in order, the atoms of the answer in passages that were moved, and their originals."""
    length = ANCHORS[0]
    lefts, rights = _anchors(source, answer, length)
    chain = _increasing(rights)
    moved, gone = np.zeros(len(answer), bool), np.zeros(len(source), bool)
    off = np.flatnonzero(~chain)
    if len(off):
        breaks = (np.diff(lefts[off]) != 1) | (np.diff(rights[off]) != 1)
        starts = np.concatenate([[0], np.flatnonzero(breaks) + 1])
        stops = np.append(starts[1:], len(off))
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
            size = stop - start + length - 1
            if size >= PASSAGE:
                moved[rights[off[start]] :][:size] = True
                gone[lefts[off[start]] :][:size] = True
    lefts, rights = _spread(lefts[chain], rights[chain], length)
    moved[rights] = gone[lefts] = False
    return lefts, rights, moved, gone


def _anchors(source: IntArray, answer: IntArray, length: int, repeated: bool = False) -> Pairs:
    """Runs of this length that each side has once, ordered by their place in the source.

    With ``repeated`` also those that both sides have equally often: the first is the first.
    """
    if min(len(source), len(answer)) < length:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    ours, theirs = _Occurrences(_runs(source, length)), _Occurrences(_runs(answer, length))
    _, mine, its = np.intersect1d(
        ours.values, theirs.values, assume_unique=True, return_indices=True
    )
    equal = ours.counts[mine] == theirs.counts[its]
    if not repeated:
        equal &= ours.counts[mine] == 1
    lefts, rights = ours.places(mine[equal]), theirs.places(its[equal])
    equal = np.ones(len(lefts), bool)
    for step in range(length):
        equal &= source[lefts + step] == answer[rights + step]
    order = np.argsort(lefts[equal])
    return lefts[equal][order], rights[equal][order]


def _runs(codes: IntArray, length: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """A number for the run that begins at each atom."""
    mixed = (codes.astype(np.uint64) + np.uint64(1)) * _PRIME
    mixed ^= mixed >> np.uint64(29)
    count = len(codes) - length + 1
    total = np.zeros(count, np.uint64)
    for step in range(length):
        total = total * np.uint64(0xD6E8FEB86659FD93) + mixed[step : step + count]
    return total


class _Occurrences:
    """The different runs of a text, how often each occurs, and where."""

    def __init__(self, runs: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> None:
        self.order = np.argsort(runs, kind="stable")
        ordered = runs[self.order]
        opens = np.concatenate([[True], ordered[1:] != ordered[:-1]])
        self.starts = np.flatnonzero(opens)
        self.values = ordered[self.starts]
        self.counts = np.diff(self.starts, append=len(runs))

    def places(self, chosen: IntArray) -> IntArray:
        """Positions of the chosen runs, in ascending order for each."""
        found: IntArray = self.order[ranges(self.starts[chosen], self.counts[chosen])]
        return found


def _increasing(values: IntArray) -> BoolArray:
    """Mask of a longest increasing subsequence.

    A value above all before it and below all after it is in every one of them. So only the runs of
    others between such values are looked at, of which there are few where texts agree.
    """
    below = np.concatenate([[np.iinfo(np.int64).min], np.maximum.accumulate(values)[:-1]])
    above = np.minimum.accumulate(values[::-1])[::-1]
    above = np.concatenate([above[1:], [np.iinfo(np.int64).max]])
    chosen: BoolArray = (values > below[: len(values)]) & (values < above[: len(values)])
    bounds = np.flatnonzero(np.diff(np.concatenate([[False], ~chosen, [False]])))
    for start, stop in zip(bounds[::2].tolist(), bounds[1::2].tolist(), strict=True):
        chosen[start:stop] = _longest_increasing(values[start:stop].tolist())
    return chosen


def _longest_increasing(values: Sequence[int]) -> BoolArray:
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for place, value in enumerate(values):
        length = bisect_left(tails, value)
        before.append(ends[length - 1] if length else -1)
        if length == len(tails):
            tails.append(value)
            ends.append(place)
        else:
            tails[length], ends[length] = value, place
    chosen = np.zeros(len(values), bool)
    place = ends[-1]
    while place >= 0:
        chosen[place] = True
        place = before[place]
    return chosen


def _spread(lefts: IntArray, rights: IntArray, length: int) -> Pairs:
    """Every atom of the anchors, in ascending order on both sides."""
    steps = np.arange(length)
    left, right = (lefts[:, None] + steps).ravel(), (rights[:, None] + steps).ravel()
    right, place = np.unique(right, return_index=True)
    left = left[place]
    chain = _increasing(left)
    return left[chain], right[chain]


class _Blocks:
    """Passages between pairs, divided until every atom has a partner or none."""

    def __init__(self, source: IntArray, answer: IntArray, stems: IntArray) -> None:
        self.source, self.answer, self.stems = source, answer, stems
        self.left, self.right = source.tolist(), answer.tolist()
        self.to = np.full(len(answer), -1)
        self.waiting: list[tuple[int, int, int, int, int]] = []

    def pair(
        self,
        lefts: IntArray,
        rights: IntArray,
        low: int = 0,
        high: int | None = None,
        start: int = 0,
        stop: int | None = None,
        level: int = 1,
    ) -> None:
        """Pair atoms; what lies between the pairs waits, if both sides have something there."""
        self.to[rights] = lefts
        ours = np.concatenate([[low - 1], lefts, [len(self.source) if high is None else high]])
        its = np.concatenate([[start - 1], rights, [len(self.answer) if stop is None else stop]])
        for gap in np.flatnonzero((np.diff(ours) > 1) & (np.diff(its) > 1)).tolist():
            self.waiting.append(
                (
                    int(ours[gap]) + 1,
                    int(ours[gap + 1]),
                    int(its[gap]) + 1,
                    int(its[gap + 1]),
                    level,
                )
            )

    def finished(self) -> IntArray:
        """The partner of each atom of the answer."""
        while self.waiting:
            self._settle(*self.waiting.pop())
        return self.to

    def _settle(self, low: int, high: int, start: int, stop: int, level: int) -> None:
        left, right, to = self.left, self.right, self.to
        while low < high and start < stop and left[low] == right[start]:
            to[start] = low
            low, start = low + 1, start + 1
        while low < high and start < stop and left[high - 1] == right[stop - 1]:
            high, stop = high - 1, stop - 1
            to[stop] = high
        if low == high or start == stop:
            return
        ours, its = self.source[low:high], self.answer[start:stop]
        if high - low == stop - start == 1:
            if (self.stems[left[low]] < 0) == (self.stems[right[start]] < 0):
                to[start] = low
            return
        if (high - low) * (stop - start) > SMALL:
            for number in range(level, len(ANCHORS)):
                lefts, rights = _anchors(ours, its, ANCHORS[number])
                if len(lefts):
                    chain = _increasing(rights)
                    lefts, rights = _spread(lefts[chain], rights[chain], ANCHORS[number])
                    self.pair(lefts + low, rights + start, low, high, start, stop, number)
                    return
        if (high - low) * (stop - start) > CELLS:
            for length in ANCHORS:
                lefts, rights = _anchors(ours, its, length, repeated=True)
                chain = _increasing(rights)
                lefts, rights = _spread(lefts[chain], rights[chain], length)
                if len(lefts) >= COMMON * min(len(ours), len(its)):
                    self.pair(lefts + low, rights + start, low, high, start, stop)
                    return
        lefts, rights = edit_script(ours, its, self.stems[ours], self.stems[its])
        to[rights + start] = lefts + low


def _slide_insertions(answer: IntArray, to: IntArray, same: BoolArray, tagged: BoolArray) -> None:
    """Move runs of inserted atoms to where they hold fewest tagged ones, if that is as good."""
    bounds = np.flatnonzero(np.diff(np.concatenate([[False], to < 0, [False]])))
    for start, stop in zip(bounds[::2].tolist(), bounds[1::2].tolist(), strict=True):
        held = int(np.count_nonzero(tagged[start:stop]))
        if not held:
            continue
        best, fewest = 0, held
        count = held
        for shift in range(1, min(FARTHEST, start) + 1):
            new, old = start - shift, stop - shift
            if not (same[new] and answer[new] == answer[old]):
                break
            count += int(tagged[new]) - int(tagged[old])
            if count < fewest:
                best, fewest = -shift, count
        count = held
        for shift in range(min(FARTHEST, len(answer) - stop)):
            new, old = stop + shift, start + shift
            if not (same[new] and answer[new] == answer[old]):
                break
            count += int(tagged[new]) - int(tagged[old])
            if count < fewest:
                best, fewest = shift + 1, count
        if best < 0:
            to[stop + best : stop] = to[start + best : start].copy()
            same[stop + best : stop] = True
            to[start + best : stop + best] = -1
            same[start + best : stop + best] = False
        elif best > 0:
            to[start : start + best] = to[stop : stop + best].copy()
            same[start : start + best] = True
            to[start + best : stop + best] = -1
            same[start + best : stop + best] = False


def _slide_deletions(source: IntArray, to: IntArray, same: BoolArray, opens: BoolArray) -> None:
    """Move runs of dropped atoms to the beginning of a sentence, if that is as good."""
    back = np.full(len(source), -1)
    aligned = np.flatnonzero(to >= 0)
    back[to[aligned]] = aligned
    exact = np.zeros(len(source), bool)
    exact[to[aligned]] = same[aligned]
    bounds = np.flatnonzero(np.diff(np.concatenate([[False], back < 0, [False]])))
    for start, stop in zip(bounds[::2].tolist(), bounds[1::2].tolist(), strict=True):
        if opens[start]:
            continue
        best = 0
        for shift in range(1, min(FARTHEST, start) + 1):
            ahead, behind = start - shift, stop - shift
            if not (exact[ahead] and source[ahead] == source[behind]):
                break
            if opens[ahead]:
                best = -shift
                break
        for shift in range(min(FARTHEST, len(source) - stop) if not best else 0):
            ahead, behind = stop + shift, start + shift
            if not (exact[ahead] and source[ahead] == source[behind]):
                break
            if opens[behind + 1]:
                best = shift + 1
                break
        if not best:
            continue
        left = (start + best, start) if best < 0 else (stop, stop + best)
        new = (stop + best, stop) if best < 0 else (start, start + best)
        partners = back[slice(*left)].copy()
        back[start + best : stop + best], exact[start + best : stop + best] = -1, False
        to[partners], back[slice(*new)], exact[slice(*new)] = np.arange(*new), partners, True


def _rejoin(
    source: IntArray,
    answer: IntArray,
    texts: Sequence[str],
    first: IntArray,
    last: IntArray,
    same: BoolArray,
) -> None:
    """Pair what was cut into words in another way: atoms that are the same when joined."""
    rights = np.flatnonzero(same)
    ours = np.concatenate([[-1], first[rights], [len(source)]])
    its = np.concatenate([[-1], rights, [len(answer)]])
    sizes, counts = np.diff(ours) - 1, np.diff(its) - 1
    for gap in np.flatnonzero((sizes > 0) & (counts > 0) & (sizes + counts > 2)).tolist():
        low, high = int(ours[gap]) + 1, int(ours[gap + 1])
        start, stop = int(its[gap]) + 1, int(its[gap + 1])
        left = [texts[code] for code in source[low:high].tolist()]
        right = [texts[code] for code in answer[start:stop].tolist()]
        if "".join(left) != "".join(right):
            continue
        ends = np.cumsum([len(text) for text in left])
        behind = np.cumsum([len(text) for text in right])
        before = behind - [len(text) for text in right]
        first[start:stop] = low + np.searchsorted(ends, before, side="right")
        last[start:stop] = low + np.searchsorted(ends, behind - 1, side="right")
        same[start:stop] = True
