"""Alignment of an answer with its source, in nearly linear time.

Two texts are compared by atoms, however each was split into words. An atom is a run of letters and
digits, a punctuation mark, or a character of a script without blanks between words. Atoms are equal
up to Unicode normalisation, case, and the shape of quotes, dashes and brackets.

Runs of atoms that are unique on both sides are anchors. The longest chain of anchors in the same
order on both sides is kept; the passages between them are anchored again by shorter runs, and
aligned by the cheapest edit script. Passages that are anchored out of order were moved; they are
counted, and not aligned.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
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


class Vocabulary:
    """Codes of atoms; equal after normalisation means equal codes."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def code(self, raw: str) -> int:
        """Code of an atom."""
        return self._codes.setdefault(normalised(raw), len(self._codes))

    @property
    def texts(self) -> list[str]:
        """Normalised atom of each code."""
        return list(self._codes)

    def stems(self) -> list[int]:
        """Code of the first letters of each atom; unique and negative for punctuation."""
        seen: dict[str, int] = {}
        return [
            -1 - number if _PUNCTUATION.match(text) else seen.setdefault(text[:STEM], len(seen))
            for number, text in enumerate(self._codes)
        ]


@lru_cache(1 << 16)
def normalised(text: str) -> str:
    """Normalised form for comparison; the text itself if that is empty."""
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
    """First character of each atom, if the atoms come from running text."""
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
    """Align the atoms of an answer with the atoms of its source.

    ``tagged`` is true for atoms of the answer inside mentions, and ``opens`` are the atoms of the
    source that start sentences: both decide between equally good alignments.
    """
    pairs, moved, gone = _first_anchors(source, answer)

    def passages() -> Iterator[tuple[list[int], list[int]]]:
        """The atoms between pairs on both sides, without those that were moved."""
        bounds = [(-1, -1), *pairs, (len(source), len(answer))]
        for (before, place), (high, stop) in pairwise(bounds):
            if high - before > 1 and stop - place > 1:
                ours = [atom for atom in range(before + 1, high) if atom not in gone]
                yield ours, [atom for atom in range(place + 1, stop) if atom not in moved]

    for length in ANCHORS:
        for ours, theirs in list(passages()):
            if len(ours) * len(theirs) > SMALL:
                codes = [source[atom] for atom in ours], [answer[atom] for atom in theirs]
                anchors = _anchors(*codes, length)
                chain = [anchors[place] for place in increasing([right for _, right in anchors])]
                pairs += [(ours[left], theirs[right]) for left, right in _spread(chain, length)]
        pairs.sort()
    to, stems = [-1] * len(answer), vocabulary.stems()
    for ours, theirs in passages():
        codes = [source[atom] for atom in ours], [answer[atom] for atom in theirs]
        for left, right in _edit_script(*codes, stems):
            to[theirs[right]] = ours[left]
    for left, right in pairs:
        to[right] = left

    inside = list(accumulate(tagged, initial=0))
    to = _slid(answer, to, source, lambda start, stop: inside[stop] - inside[start])
    back = _inverted(to, len(source))
    back = _slid(source, back, answer, lambda start, stop: int(start not in opens))
    to = _inverted(back, len(answer))
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
    kept = increasing([right for _, right in anchors])
    pairs = _spread([anchors[place] for place in kept], length)
    runs: list[list[Anchor]] = []
    for place in sorted({*range(len(anchors))}.difference(kept)):
        left, right = anchors[place]
        if not runs or runs[-1][-1] != (left - 1, right - 1):
            runs.append([])
        runs[-1].append((left, right))
    moved, gone = set[int](), set[int]()
    for run in runs:
        (left, right), size = run[0], len(run) + length - 1
        if size >= PASSAGE:
            moved.update(range(right, right + size))
            gone.update(range(left, left + size))
    moved.difference_update(right for _, right in pairs)
    gone.difference_update(left for left, _ in pairs)
    return pairs, moved, gone


def _anchors(source: Sequence[int], answer: Sequence[int], length: int) -> list[Anchor]:
    """Runs of this length that are unique on both sides, ordered by their place in the source."""
    runs = _runs(source, length)
    return sorted(
        (runs[run][0], places[0])
        for run, places in _runs(answer, length).items()
        if len(places) == len(runs.get(run, ())) == 1
    )


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


def _inverted(partner: Sequence[int], size: int) -> list[int]:
    """The partner of each of the atoms of the other side, -1 without one."""
    back = [-1] * size
    for atom, other in enumerate(partner):
        if other >= 0:
            back[other] = atom
    return back


def _slid(
    codes: Sequence[int],
    partner: Sequence[int],
    others: Sequence[int],
    cost: Callable[[int, int], int],
) -> list[int]:
    """Shift runs of atoms without a partner to the cheapest of equally good positions.

    ``others`` are the codes of the other side, where the partners are.
    """
    partner = list(partner)
    same = [
        other >= 0 and others[other] == code for other, code in zip(partner, codes, strict=True)
    ]
    gaps: list[Anchor] = []
    for place, other in enumerate(partner):
        if other < 0:
            start = gaps.pop()[0] if gaps and gaps[-1][1] == place else place
            gaps.append((start, place + 1))
    for start, stop in gaps:
        if not cost(start, stop):
            continue
        shifts = [0]
        for shift in range(1, min(FARTHEST, start) + 1):
            if not same[start - shift] or codes[start - shift] != codes[stop - shift]:
                break
            shifts.append(-shift)
        for shift in range(1, min(FARTHEST, len(codes) - stop) + 1):
            if not same[stop + shift - 1] or codes[stop + shift - 1] != codes[start + shift - 1]:
                break
            shifts.append(shift)
        costs = [cost(start + shift, stop + shift) for shift in shifts]
        best = shifts[costs.index(min(costs))]
        low, high = min(start, start + best), max(stop, stop + best)
        turn = (start if best < 0 else stop) - low
        partner[low:high] = partner[low + turn : high] + partner[low : low + turn]
        same[low:high] = same[low + turn : high] + same[low : low + turn]
    return partner


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
LARGEST = 1 << 27
"""Cells of a full cost table; of larger tables only a band around the diagonal is computed."""
NARROWEST = 32
"""Half the width of the band in the longest texts."""
_FAR = np.int64(1) << np.int64(40)
_PAIR, _SKIP_LEFT, _SKIP_RIGHT = 0, 1, 2


def _edit_script(left: Sequence[int], right: Sequence[int], stems: Sequence[int]) -> list[Anchor]:
    """Pairs of the cheapest script; words with equal stems begin alike."""
    size = min(len(left), len(right))
    head = next((place for place in range(size) if left[place] != right[place]), size)
    rest = range(size - head)
    tail = next((place for place in rest if left[~place] != right[~place]), size - head)
    pairs = [(place, place) for place in range(head)]
    pairs += [(len(left) - place, len(right) - place) for place in range(tail, 0, -1)]
    ours, theirs = left[head : len(left) - tail], right[head : len(right) - tail]
    rows, columns = len(ours), len(theirs)
    if rows == columns == 1:
        alike = (stems[ours[0]] < 0) == (stems[theirs[0]] < 0)
        return [*pairs, (head, head)] if alike else pairs
    if not rows or not columns:
        return pairs
    reach = columns if rows * columns <= LARGEST else max(NARROWEST, LARGEST // (2 * rows))
    codes, stem = (np.array(ours), np.array(theirs)), np.array(stems)
    both = (stem[codes[0]], stem[codes[1]])
    found = _script(*codes, both, TOLERANT, np.arange(rows), reach)[0]
    return pairs + [(head + row, head + column) for row, column in found]


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
