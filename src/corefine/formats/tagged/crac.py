"""``align=crac``: the rule of the shared task's own cleaner for the output of language models.

Words are aligned by an edit distance with unit costs, over the whole document; only words that are
copied exactly keep their tags. Within a sentence, a tag that closes what was not opened becomes a
mention of one word, and one that is never closed is lost. Empty nodes (``##…``) are copied over.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.copying import TagFault
from corefine.errors import UsageError
from corefine.formats.tagged.dialects import ZERO

LARGEST = 1 << 30
"""Cells of the table of costs, a byte each: documents that need more are refused."""
_TAG = re.compile(r"(\[?)e(\d+)(]?)")
_COPY, _CHANGE, _INSERTED, _DELETED = range(4)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What the cleaner leaves of an answer.

    A place is a pair: the number of words of the source up to it, and for an empty node its number
    among those that stand behind that word, counted from 1 (0 for a word itself).
    """

    mentions: list[tuple[tuple[int, int], tuple[int, int], str]]
    tagged: int
    """Tags that open a mention, on words that were kept or not."""
    copied: int
    changed: int
    inserted: int
    deleted: int
    stopped: int
    """The last word of the source that has a partner, counted from 1."""
    faults: list[TagFault]


def clean(words: Sequence[str], source: Sequence[str], sentences: Sequence[int]) -> Cleaned:
    """Clean the tagged words of an answer; ``sentences`` are the first words of sentences."""
    forms = [word.split("|")[0] for word in words]
    gold = [word.replace(" ", "_") for word in source]
    rows, counts, stopped = _aligned(words, forms, gold)
    faults: list[TagFault] = []
    mentions: list[tuple[tuple[int, int], tuple[int, int], str]] = []
    bounds = [*sentences, len(gold)]
    read = 0
    for _, stop in pairwise(bounds):
        inside = []
        # A sentence ends with its last word; empty nodes behind that belong to the next one.
        while read < len(rows) and rows[read][0][0] <= stop:
            if rows[read][0][0] == stop and rows[read][0][1]:
                break
            inside.append(rows[read])
            read += 1
        mentions += _mentions(inside, faults)
    tagged = sum(tag.startswith("[") for word in words for tag in _tags_of(word))
    return Cleaned(mentions, tagged, *counts, stopped, faults)


def _tags_of(word: str) -> list[str]:
    parts = word.split("|")
    return parts[1].split(",") if len(parts) == 2 else []


Row = tuple[tuple[int, int], str]


def _aligned(
    words: Sequence[str], forms: Sequence[str], gold: Sequence[str]
) -> tuple[list[Row], tuple[int, int, int, int], int]:
    """The words of the source and the copied empty nodes, each with its tags where it kept any."""
    steps, low = _steps(forms, gold)
    counts = [0, 0, 0, 0]
    i, j, stopped = len(forms), len(gold), 0
    rows: list[tuple[int, str]] = []  # the number of words up to here, and the tagged form
    while i > 0 and j > 0:
        if forms[i - 1].startswith(ZERO):
            rows.append((-j, words[i - 1]))
            i -= 1
            continue
        step = _COPY if forms[i - 1] == gold[j - 1] else int(steps[i - 1, j - low[i - 1]])
        counts[step] += 1
        if step == _INSERTED:
            i -= 1
            continue
        rows.append((j, words[i - 1] if step == _COPY else ""))
        stopped = max(stopped, j) if step != _DELETED else stopped
        i, j = (i - 1, j - 1) if step != _DELETED else (i, j - 1)
    counts[_DELETED] += j
    counts[_INSERTED] += sum(not form.startswith(ZERO) for form in forms[:i])
    rows += [(place, "") for place in range(j, 0, -1)]
    found: list[Row] = []
    zeros = 0
    for place, word in reversed(rows):
        zeros = zeros + 1 if place < 0 else 0
        found.append(((abs(place), zeros), word))
    return found, (counts[0], counts[1], counts[2], counts[3]), stopped


def _steps(forms: Sequence[str], gold: Sequence[str]) -> tuple[NDArray[np.uint8], list[int]]:
    """How each cell of the table of edit distances is left on the way back, within a band.

    The band is doubled until it is wider than the distance, so that the way cannot leave it.
    """
    zeros = sum(form.startswith(ZERO) for form in forms)
    codes: dict[str, int] = {}
    left = np.array([codes.setdefault(form, len(codes)) for form in forms], np.int64)
    right = np.array([codes.setdefault(word, len(codes)) for word in gold], np.int64)
    empty = [form.startswith(ZERO) for form in forms]
    reach = 128 + abs(len(forms) - len(gold)) + zeros
    while True:
        width = min(len(gold), 2 * reach) + 1
        if len(forms) * width > LARGEST:
            raise UsageError(
                f"align=crac compares all pairs of words, which is infeasible for {len(forms):,} "
                "words",
                remedy="Use align=tolerant, which is nearly linear.",
            )
        steps, low, distance = _table(left, right, empty, reach, width)
        if distance + zeros < reach or width > len(gold):
            return steps, low
        reach *= 2


def _table(
    left: NDArray[np.int64], right: NDArray[np.int64], empty: list[bool], reach: int, width: int
) -> tuple[NDArray[np.uint8], list[int], int]:
    columns = len(right)
    far = np.int64(1) << np.int64(40)
    steps = np.zeros((len(left), width), np.uint8)
    lows = np.clip(np.arange(1, len(left) + 1) - reach, 0, columns + 1 - width).tolist()
    ladder = np.arange(columns + 1)
    costs = np.full(columns + 1, far)
    costs[:width] = ladder[:width]
    before = 0
    for row, low in enumerate(lows):
        high = low + width
        first = max(low, 1)
        if empty[row]:
            new = costs[low:high].copy()
        else:
            diagonal = np.full(width, far)
            diagonal[first - low :] = costs[first - 1 : high - 1]
            above = costs[low:high]
            equal = np.zeros(width, bool)
            equal[first - low :] = right[first - 1 : high - 1] == left[row]
            new = np.where(equal, diagonal, np.minimum(diagonal, above) + 1)
            if low == 0:
                new[0] = row + 1
            new = np.minimum.accumulate(new - ladder[low:high]) + ladder[low:high]
            steps[row] = np.where(
                new == diagonal + 1, _CHANGE, np.where(new == above + 1, _INSERTED, _DELETED)
            )
        if low == 0:
            new[0] = row + 1
        costs[before:low] = far
        costs[low:high] = new
        before = low
    return steps, lows, int(costs[columns])


def _mentions(
    rows: Sequence[Row], faults: list[TagFault]
) -> list[tuple[tuple[int, int], tuple[int, int], str]]:
    """The mentions of a sentence; each entity has a stack of its own."""
    opened: dict[str, list[tuple[int, int]]] = defaultdict(list)
    mentions = []
    for place, word in rows:
        if word.count("|") > 1:
            faults.append(TagFault(word[:80], 0, "several bars: all tags of the word dropped"))
        for tag in _tags_of(word):
            found = _TAG.match(tag)
            opens, label, closes = found.groups() if found else ("", "", "")
            if opens and closes:
                mentions.append((place, place, label))
            elif opens:
                opened[label].append(place)
            elif closes and opened[label]:
                mentions.append((opened[label].pop(), place, label))
            elif closes:
                mentions.append((place, place, label))
                faults.append(
                    TagFault(
                        word[:80], 0, "closes an unopened mention: read as a mention of one word"
                    )
                )
            else:
                faults.append(TagFault(word[:80], 0, "invalid tag: dropped"))
    for label, places in opened.items():
        faults += [TagFault(f"[e{label}", 0, "not closed in its sentence: dropped")] * len(places)
    return mentions
