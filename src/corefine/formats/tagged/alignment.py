"""Alignment of an answer with its source, in nearly linear time.

Two texts are compared by atoms, however each was split into words. An atom is a run of letters and
digits, a punctuation mark, or a character of a script without blanks between words. Atoms are equal
up to Unicode normalisation, case, and the shape of quotes, dashes and brackets.

Runs of atoms that are unique on both sides are anchors. The longest chain of anchors in the same
order on both sides is kept; the passages between them are anchored again by shorter runs, and
aligned by the cheapest edit script if they are short. A long passage that repeats itself has no
unique runs: runs that are equally frequent on both sides are then paired in order. Passages that
are anchored out of order were moved; they are counted, and not aligned.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import IntArray
from corefine.errors import UsageError

# --- atoms ----------------------------------------------------------------------------------------

_ALONE = (
    "!-/:-@\\[-`{-~\u00a1-\u00bf\u00d7\u00f7\u055a-\u055f\u060c\u061b\u061f\u066a-\u066d\u06d4"
    "\u0964\u0965\u2000-\u206f\u2190-\u2bff\u2e00-\u2e7f\u3000-\u303f\uff01-\uff0f\uff1a-\uff20"
    "\uff3b-\uff40\uff5b-\uff65"
)
_SCRIPTS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_WRITTEN_OUT = (
    "``|''|\u2018\u2018|\u2019\u2019|--+|-[LRlr][RSCrsc][Bb]-"
    "|&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]{1,6});"
)
"""Quotes, dashes and brackets as in treebanks, and character references of HTML."""
_ATOM = re.compile(rf"{_WRITTEN_OUT}|[^\s{_ALONE}{_SCRIPTS}]+|[{_ALONE}{_SCRIPTS}]")
_ATOM_OR_ZERO = re.compile(rf"(?P<zero>(?<!\S)##\S*)|{_ATOM.pattern}")
_PUNCTUATION = re.compile(rf"[{_ALONE}]")
SHAPES = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u0060\u00b4\u2032\u02bc\uff07", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\uff02", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    }
)
_BRACKETS = {
    "-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}",
}  # fmt: skip
_INVISIBLE = re.compile("[\\s\u00ad\u200b-\u200f\u2060\ufeff]+")
STEM = 3
"""Number of initial letters that inflected forms of a word share."""


def split_atoms(text: str) -> list[str]:
    """The atoms of a text as they are written."""
    return _ATOM.findall(text)


@dataclass(slots=True)
class Vocabulary:
    """Codes of atoms; equal after normalisation means equal codes."""

    texts: list[str] = field(default_factory=list)
    """Normalised atom of each code."""
    _codes: dict[str, int] = field(default_factory=dict)
    _raw: dict[str, int] = field(default_factory=dict)

    def code(self, raw: str) -> int:
        """Code of an atom."""
        known = self._raw.get(raw)
        if known is None:
            text = normalised(raw)
            known = self._codes.setdefault(text, len(self._codes))
            if known == len(self.texts):
                self.texts.append(text)
            self._raw[raw] = known
        return known

    def stems(self) -> list[int]:
        """Code of the first letters of each atom; unique and negative for punctuation."""
        seen: dict[str, int] = {}
        return [
            -1 - number if _PUNCTUATION.match(text) else seen.setdefault(text[:STEM], len(seen))
            for number, text in enumerate(self.texts)
        ]


@lru_cache(1 << 16)
def normalised(text: str) -> str:
    """Normalised form for comparison; the text itself if that is empty."""
    if text[:1] == "&" and text[-1:] == ";":
        text = html.unescape(text)
    plain = unicodedata.normalize("NFKC", text.translate(SHAPES)).translate(SHAPES).casefold()
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", plain)) or text
    if plain == "''":
        return '"'
    if len(plain) > 1 and plain[0] == plain[-1] == "-":
        return _BRACKETS.get(plain, "-")
    return plain


@dataclass(slots=True)
class Atoms:
    """The atoms of a text in order."""

    words: int = 0
    codes: list[int] = field(default_factory=list)
    """Code of each atom; -1 for an empty node."""
    word: list[int] = field(default_factory=list)
    """Word of each atom."""
    begin: list[int] = field(default_factory=list)
    """First character of each atom, if the atoms are those of a running text."""
    end: list[int] = field(default_factory=list)


def atoms_of_words(words: Sequence[str], vocabulary: Vocabulary) -> Atoms:
    """The atoms of words; each word has at least one."""
    atoms = Atoms(len(words))
    for number, word in enumerate(words):
        found = [vocabulary.code(atom) for atom in split_atoms(word) or [word]]
        atoms.codes += found
        atoms.word += [number] * len(found)
    return atoms


def atoms_of_text(text: str, cuts: Sequence[int], vocabulary: Vocabulary, zeros: bool) -> Atoms:
    """The atoms of a running text; no atom crosses a cut.

    If ``zeros``, words that begin with ``##`` are empty nodes.
    """
    atoms = Atoms()
    pattern = _ATOM_OR_ZERO if zeros else _ATOM
    read = 0
    for start, stop in pairwise([0, *cuts, len(text)]):
        for found in pattern.finditer(text[start:stop]):
            begin = start + found.start()
            if not atoms.word or begin > read:  # atoms have all but blanks
                atoms.words += 1
            read = start + found.end()
            atoms.word.append(atoms.words - 1)
            atoms.begin.append(begin)
            atoms.end.append(read)
            empty = found.lastgroup == "zero"
            atoms.codes.append(-1 if empty else vocabulary.code(found.group()))
    return atoms


# --- anchors --------------------------------------------------------------------------------------

ANCHORS = (6, 3, 1)
"""Lengths of the runs that serve as anchors, one after another."""
SMALL = 1024
"""Cells of a cost table that is filled without looking for further anchors."""
PASSAGE = 8
"""Minimum number of atoms of a passage that counts as moved."""
COMMON = 0.05
"""Minimum share of a passage that repeated runs must cover, since fewer may be equal by chance."""
FARTHEST = 200
"""Maximum number of atoms by which a gap is shifted, if several positions are equally good."""

Anchor = tuple[int, int]
"""Place in the source, and place in the answer."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """For each atom of an answer the first and last corresponding atom of the source, or -1."""

    first: list[int]
    last: list[int]
    same: list[bool]
    """True if it equals them."""
    moved: set[int]
    """Atoms of the answer in passages that were moved."""


def align(
    source: Sequence[int],
    answer: Sequence[int],
    vocabulary: Vocabulary,
    tagged: Sequence[bool],
    opens: Collection[int],
) -> Aligned:
    """Align the atoms of an answer with those of its source.

    ``tagged`` is true for atoms of the answer inside mentions, and ``opens`` are the atoms of the
    source that start sentences: both decide between equally good alignments.
    """
    pairs, moved, gone = _first_anchors(source, answer)
    here = [atom for atom in range(len(source)) if atom not in gone]
    there = [atom for atom in range(len(answer)) if atom not in moved]
    rank = {atom: place for place, atom in enumerate(here)}
    other_rank = {atom: place for place, atom in enumerate(there)}
    paired = _partners(
        [source[atom] for atom in here],
        [answer[atom] for atom in there],
        [(rank[left], other_rank[right]) for left, right in pairs],
        vocabulary.stems(),
    )
    to = [-1] * len(answer)
    for atom, partner in zip(there, paired, strict=True):
        to[atom] = here[partner] if partner >= 0 else -1

    inside = list(accumulate(tagged, initial=0))
    same = [place >= 0 and source[place] == code for place, code in zip(to, answer, strict=True)]
    _slide(answer, to, same, lambda start, stop: inside[stop] - inside[start])
    back, exact = [-1] * len(source), [False] * len(source)
    for atom, place in enumerate(to):
        if place >= 0:
            back[place], exact[place] = atom, same[atom]
    _slide(source, back, exact, lambda start, stop: int(start not in opens))
    to = [-1] * len(answer)
    for place, atom in enumerate(back):
        if atom >= 0:
            to[atom] = place

    same = [place >= 0 and source[place] == code for place, code in zip(to, answer, strict=True)]
    aligned = Aligned(to, list(to), same, moved)
    _rejoin(source, answer, vocabulary.texts, aligned)
    return aligned


def _first_anchors(
    source: Sequence[int], answer: Sequence[int]
) -> tuple[list[Anchor], set[int], set[int]]:
    """Pairs in order, atoms of the answer in passages that were moved, and their originals."""
    length = ANCHORS[0]
    anchors = _anchors(source, answer, length)
    chain = increasing([right for _, right in anchors])
    kept = set(chain)
    runs: list[list[Anchor]] = []
    for place, (left, right) in enumerate(anchors):
        if place in kept:
            continue
        if not runs or runs[-1][-1] != (left - 1, right - 1):
            runs.append([])
        runs[-1].append((left, right))
    moved, gone = set[int](), set[int]()
    for run in runs:
        (left, right), size = run[0], len(run) + length - 1
        if size >= PASSAGE:
            moved.update(range(right, right + size))
            gone.update(range(left, left + size))
    pairs = _spread([anchors[place] for place in chain], length)
    moved.difference_update(right for _, right in pairs)
    gone.difference_update(left for left, _ in pairs)
    return pairs, moved, gone


def _anchors(
    source: Sequence[int], answer: Sequence[int], length: int, repeated: bool = False
) -> list[Anchor]:
    """Runs of this length that are unique on both sides, ordered by their place in the source.

    With ``repeated`` also those that are equally frequent on both sides, paired in order.
    """
    runs = _runs(source, length)
    found: list[Anchor] = []
    for run, others in _runs(answer, length).items():
        places = runs.get(run, [])
        if len(places) == len(others) and (repeated or len(places) == 1):
            found += zip(places, others, strict=True)
    return sorted(found)


def _runs(codes: Sequence[int], length: int) -> dict[tuple[int, ...], list[int]]:
    """Places of each run of this length."""
    runs: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for place, run in enumerate(zip(*(codes[step:] for step in range(length)), strict=False)):
        runs[run].append(place)
    return runs


def increasing(values: Sequence[int]) -> list[int]:
    """Indices of a longest increasing subsequence.

    >>> increasing([3, 1, 2, 5, 4])
    [1, 2, 4]
    """
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
    chosen: list[int] = []
    place = ends[-1] if ends else -1
    while place >= 0:
        chosen.append(place)
        place = before[place]
    return chosen[::-1]


def _spread(anchors: Sequence[Anchor], length: int) -> list[Anchor]:
    """All atoms of the anchors, in ascending order on both sides."""
    partner: dict[int, int] = {}
    for left, right in anchors:
        for step in range(length):
            partner.setdefault(right + step, left + step)
    pairs = [(left, right) for right, left in sorted(partner.items())]
    return [pairs[place] for place in increasing([left for left, _ in pairs])]


def _partners(
    source: Sequence[int], answer: Sequence[int], anchors: Sequence[Anchor], stems: Sequence[int]
) -> list[int]:
    """Partner of each atom of the answer; passages between anchors are divided until all have one.

    An atom without a partner has -1.
    """
    to = [-1] * len(answer)
    waiting: list[tuple[int, int, int, int, int]] = []

    def pair(
        pairs: Sequence[Anchor], low: int, high: int, start: int, stop: int, level: int
    ) -> None:
        """Anchor atoms, and queue the passages between them."""
        for left, right in pairs:
            to[right] = left
        bounds = [(low - 1, start - 1), *pairs, (high, stop)]
        for (left, right), (next_left, next_right) in pairwise(bounds):
            if next_left - left > 1 and next_right - right > 1:
                waiting.append((left + 1, next_left, right + 1, next_right, level))

    pair(anchors, 0, len(source), 0, len(answer), 1)
    while waiting:
        low, high, start, stop, level = waiting.pop()
        while low < high and start < stop and source[low] == answer[start]:
            to[start] = low
            low, start = low + 1, start + 1
        while low < high and start < stop and source[high - 1] == answer[stop - 1]:
            high, stop = high - 1, stop - 1
            to[stop] = high
        if low == high or start == stop:
            continue
        ours, theirs = source[low:high], answer[start:stop]
        found, level = _divided(ours, theirs, level)
        if found is None:
            found = _edit_script(ours, theirs, stems)
            for left, right in found:
                to[right + start] = left + low
        else:
            pairs = [(left + low, right + start) for left, right in found]
            pair(pairs, low, high, start, stop, level)
    return to


def _divided(
    ours: Sequence[int], theirs: Sequence[int], level: int
) -> tuple[list[Anchor] | None, int]:
    """Anchors inside a passage and their level; None if the passage is aligned as a whole."""
    cells = len(ours) * len(theirs)
    for number in range(level, len(ANCHORS)) if cells > SMALL else ():
        anchors = _anchors(ours, theirs, ANCHORS[number])
        if anchors:
            chain = increasing([right for _, right in anchors])
            return _spread([anchors[place] for place in chain], ANCHORS[number]), number
    for length in ANCHORS if cells > CELLS else ():
        anchors = _anchors(ours, theirs, length, repeated=True)
        chain = increasing([right for _, right in anchors])
        pairs = _spread([anchors[place] for place in chain], length)
        if len(pairs) >= COMMON * min(len(ours), len(theirs)):
            return pairs, 1
    return None, level


def _slide(
    codes: Sequence[int],
    partner: list[int],
    same: list[bool],
    cost: Callable[[int, int], int],
) -> None:
    """Shift runs of atoms without a partner to the cheapest of equally good positions."""
    gaps: list[Anchor] = []
    for place, other in enumerate(partner):
        if other < 0 and gaps and gaps[-1][1] == place:
            gaps[-1] = (gaps[-1][0], place + 1)
        elif other < 0:
            gaps.append((place, place + 1))
    for start, stop in gaps:
        best, least = 0, cost(start, stop)
        if not least:
            continue
        for shift in range(1, min(FARTHEST, start) + 1):
            if not same[start - shift] or codes[start - shift] != codes[stop - shift]:
                break
            if cost(start - shift, stop - shift) < least:
                best, least = -shift, cost(start - shift, stop - shift)
        for shift in range(1, min(FARTHEST, len(codes) - stop) + 1):
            if not same[stop + shift - 1] or codes[stop + shift - 1] != codes[start + shift - 1]:
                break
            if cost(start + shift, stop + shift) < least:
                best, least = shift, cost(start + shift, stop + shift)
        low, high = min(start, start + best), max(stop, stop + best)
        kept = [other for other in partner[low:high] if other >= 0]
        partner[low:high] = [-1] * (high - low)
        same[low:high] = [False] * (high - low)
        place = stop + best if best < 0 else low
        partner[place : place + len(kept)] = kept
        same[place : place + len(kept)] = [True] * len(kept)


def _rejoin(
    source: Sequence[int], answer: Sequence[int], texts: Sequence[str], aligned: Aligned
) -> None:
    """Anchor passages that were split into atoms differently, but are equal when joined."""
    equal = [(aligned.first[place], place) for place, same in enumerate(aligned.same) if same]
    for (before, place), (high, stop) in pairwise([(-1, -1), *equal, (len(source), len(answer))]):
        low, start = before + 1, place + 1
        if low >= high or start >= stop or high - low + stop - start <= 2:
            continue
        left = [texts[code] for code in source[low:high]]
        right = [texts[code] for code in answer[start:stop]]
        if "".join(left) != "".join(right):
            continue
        ends = list(accumulate(map(len, left)))
        read = 0
        for atom, text in enumerate(right, start):
            aligned.first[atom] = low + bisect_right(ends, read)
            read += len(text)
            aligned.last[atom] = low + bisect_right(ends, read - 1)
            aligned.same[atom] = True


# --- edit scripts ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs of an edit script; equal items are paired at no cost."""

    gap: int
    """Leave out an item of either side."""
    alike: int
    """Anchor words that begin alike."""
    other: int
    """Anchor other words, or two punctuation marks."""
    never: int
    """Anchor a word with a punctuation mark."""


TOLERANT = Costs(gap=8, alike=5, other=13, never=21)
"""Pairing other words is cheaper than leaving them out; with a pair that begins alike, it costs
more than two gaps, so that equal words are paired rather than a passage shifted by a word."""
UNIT = Costs(gap=1, alike=1, other=1, never=1)
"""Edit distance."""
CELLS = 1 << 24
"""Cells of a full cost table; of larger tables only a band around the diagonal is computed."""
LARGEST = 1 << 27
"""Cells of an exact table."""
NARROWEST = 32
"""Half the width of the band in the longest texts."""
_FAR = np.int64(1) << np.int64(40)
_PAIR, _SKIP_LEFT, _SKIP_RIGHT = 0, 1, 2


def _edit_script(left: Sequence[int], right: Sequence[int], stems: Sequence[int]) -> list[Anchor]:
    """Pairs of the cheapest script; words with equal stems begin alike."""
    rows, columns = len(left), len(right)
    if rows == columns == 1:
        return [(0, 0)] if (stems[left[0]] < 0) == (stems[right[0]] < 0) else []
    reach = columns if rows * columns <= CELLS else max(NARROWEST, CELLS // (2 * rows))
    codes, stem = (np.array(left), np.array(right)), np.array(stems)
    both = (stem[codes[0]], stem[codes[1]])
    return _script(*codes, both, TOLERANT, np.arange(rows), reach)[0]


def edit_distance(left: IntArray, right: IntArray, before: IntArray) -> list[Anchor]:
    """Pairs of the cheapest script with unit costs, computed exactly.

    ``before`` is the number of items before each one of the left, which an initial gap costs.
    """
    reach = 128 + abs(len(left) - len(right)) + int((before - np.arange(len(left))).max(initial=0))
    while True:
        if len(left) * (min(len(right), 2 * reach) + 1) > LARGEST:
            raise UsageError(
                f"align=crac compares all pairs of words, which is infeasible for an answer of "
                f"{len(left):,} words that differs much from its source",
                remedy="Use align=tolerant, which is nearly linear.",
            )
        pairs, distance = _script(left, right, (left, right), UNIT, before, reach)
        if distance + abs(len(left) - len(right)) < reach or 2 * reach >= len(right):
            return pairs
        reach *= 2


def _script(
    left: IntArray,
    right: IntArray,
    stems: tuple[IntArray, IntArray],
    costs: Costs,
    before: IntArray,
    reach: int,
) -> tuple[list[Anchor], int]:
    """Pairs of the cheapest script within the band, and its cost."""
    rows, columns = len(left), len(right)
    width = min(columns, 2 * reach) + 1
    trace = np.zeros((rows, width), np.uint8)
    lows = np.clip(np.arange(1, rows + 1) * columns // max(rows, 1) - reach, 0, columns + 1 - width)
    steps = costs.gap * np.arange(columns + 1)
    table = np.full(columns + 1, _FAR)
    table[:width] = steps[:width]
    low = 0
    left_stem, right_stem = stems
    punctuation = right_stem < 0
    for row, here in enumerate(lows.tolist()):
        high, first = here + width, max(here, 1)
        same_sort = punctuation[first - 1 : high - 1] == (left_stem[row] < 0)
        pair: NDArray[np.int64] = np.where(same_sort, costs.other, costs.never)
        pair[right_stem[first - 1 : high - 1] == left_stem[row]] = costs.alike
        pair[right[first - 1 : high - 1] == left[row]] = 0
        if low == 0:
            table[0] = costs.gap * before[row]
        diagonal = np.full(width, _FAR)
        diagonal[first - here :] = table[first - 1 : high - 1] + pair
        above = table[here:high] + costs.gap
        best = np.minimum(diagonal, above)
        along = np.minimum.accumulate(best - steps[here:high]) + steps[here:high]
        trace[row] = np.where(
            along < best, _SKIP_RIGHT, np.where(diagonal <= above, _PAIR, _SKIP_LEFT)
        )
        table[low:here] = _FAR
        table[here:high] = along
        low = here
    return _traced(trace, lows), int(table[columns])


def _traced(trace: NDArray[np.uint8], lows: IntArray) -> list[Anchor]:
    """The pairs on the way back from the end."""
    row, column = len(trace) - 1, int(lows[-1]) + trace.shape[1] - 1 if len(lows) else 0
    pairs: list[Anchor] = []
    bounds = lows.tolist()
    while row >= 0 and column > 0:
        step = trace[row, column - bounds[row]]
        if step == _PAIR:
            pairs.append((row, column - 1))
            row, column = row - 1, column - 1
        elif step == _SKIP_LEFT:
            row -= 1
        else:
            column -= 1
        if row >= 0 and column < bounds[row]:
            break  # the path left the band
    return pairs[::-1]
