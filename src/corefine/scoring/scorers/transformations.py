"""Corpora as other scorers read them: brackets, heads and windows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Mentions
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.corpus.words import first_words
from corefine.matching.units import TokenWindows
from corefine.scoring.scorers.profiles import ScorerProfile

BRACKETED = frozenset({"conll", "semeval", "conll-ud"})
"""Formats whose mentions are pairs of brackets in a column."""


def read_as(corpus: Corpus, profile: ScorerProfile) -> Corpus:
    """The corpus as the scorer reads it."""
    if profile.brackets == "opening first":
        corpus = opening_first(corpus)
    elif profile.brackets == "last opened":
        corpus = last_opened(corpus)
    if profile.skips_adjacent_brackets:
        corpus = without_adjacent_brackets(corpus)
    if profile.heads == "first word":
        corpus = headed_by_first_word(corpus)
    return corpus


def closing_order(mentions: Mentions) -> IntArray:
    """The position of the closing bracket in its cell; -1 for mentions of one token."""
    if mentions.closing is not None:
        return mentions.closing
    return np.where(mentions.stop - mentions.start > 1, 0, -1)


def opening_first(corpus: Corpus) -> Corpus:
    """The corpus if opening brackets of a token come before closing ones.

    This matters if a mention ends at the token at which another of the same entity starts, as in
    ``1)|(1``: the closing bracket closes the mention just opened, so the mentions are that token
    alone and the whole range.
    """
    mentions = corpus.mentions
    if corpus.format not in BRACKETED or not len(mentions):
        return corpus
    rows = np.flatnonzero(closing_order(mentions) >= 0)
    base = mentions.entity[rows] * (int(mentions.stop.max()) + 1)
    touching = np.isin(base + mentions.start[rows], base + mentions.stop[rows] - 1)
    touching &= mentions.stop[rows] - mentions.start[rows] > 1
    rows = rows[np.isin(mentions.entity[rows], mentions.entity[rows[touching]])]
    return _with_new_starts(corpus, rows, skipped=frozenset())


def without_adjacent_brackets(corpus: Corpus) -> Corpus:
    """The corpus if an opening bracket right before another is skipped, as in ``(1(2``.

    The closing brackets of such an entity close the remaining mentions; those without an opening
    bracket are skipped.
    """
    mentions = corpus.mentions
    if mentions.unbarred is None or mentions.closing is None or not mentions.unbarred.any():
        return corpus
    changed = np.isin(mentions.entity, mentions.entity[mentions.unbarred])
    rows = np.flatnonzero(changed & (mentions.closing >= 0))
    skipped = frozenset(rows[mentions.unbarred[rows]].tolist())
    return _with_new_starts(corpus, rows, skipped)


def _with_new_starts(corpus: Corpus, rows: IntArray, skipped: frozenset[int]) -> Corpus:
    """Pair the brackets of these mentions anew; those with a skipped opening bracket lose it."""
    mentions = corpus.mentions
    if not len(rows):
        return corpus
    closing = closing_order(mentions)
    events = [
        (int(mentions.start[row]), 0, row, row) for row in rows.tolist() if row not in skipped
    ]
    events += [(int(mentions.stop[row]) - 1, 1, int(closing[row]), row) for row in rows.tolist()]
    start, kept = mentions.start.copy(), np.ones(len(mentions), bool)
    kept[rows] = False
    for opened, closed in _paired(events, mentions.entity):
        start[closed], kept[closed] = mentions.start[opened], True
    changed = replace(corpus, mentions=replace(mentions, start=start, closing=closing))
    return changed if kept.all() else keep_mentions(changed, kept)


def last_opened(corpus: Corpus) -> Corpus:
    """The corpus if a bracket closes the mention of any entity that was opened last.

    This matters if mentions cross: of those from 0 to 2 and from 1 to 3, the second ends first.
    """
    mentions = corpus.mentions
    if not corpus.has_places or mentions.pieces is not None:
        return corpus
    rows = np.flatnonzero(mentions.stop - mentions.start > 1).tolist()
    # At one token, closing brackets come first, and the longest mention is opened first.
    events = [(int(mentions.start[row]), 1, -int(mentions.stop[row]), row) for row in rows]
    events += [(int(mentions.stop[row]) - 1, 0, 0, row) for row in rows]
    stop = mentions.stop.copy()
    for opened, closed in _paired(events, mentions.document, opening=1):
        stop[opened] = mentions.stop[closed]
    return replace(corpus, mentions=replace(mentions, stop=stop))


def _paired(
    events: list[tuple[int, int, int, int]], group: IntArray, opening: int = 0
) -> Iterable[tuple[int, int]]:
    """Pairs of the mentions whose opening and closing brackets belong together.

    An event is a token, the type of bracket (``opening`` or not), its order there and its mention;
    within a group, a bracket closes the mention opened last.
    """
    stacks: dict[int, list[int]] = defaultdict(list)
    for _, kind, _, row in sorted(events):
        stack = stacks[int(group[row])]
        if kind == opening:
            stack.append(row)
        elif stack:
            yield stack.pop(), row


def headed_by_first_word(corpus: Corpus) -> Corpus:
    """The corpus with the first word as the head of mentions whose head the file does not give."""
    mentions = corpus.mentions
    if mentions.head is None:
        return replace(corpus, mentions=replace(mentions, head=mentions.start))
    if mentions.head_found is None:
        return corpus
    head = np.where(mentions.head_found, mentions.start, mentions.head)
    return replace(corpus, mentions=replace(mentions, head=head))


def window_names(windows: TokenWindows, profile: ScorerProfile) -> tuple[str, ...]:
    """The names of the windows of a scorer."""
    if not profile.last_window_overlaps:
        return windows.names
    return tuple(
        name
        for document, end in enumerate(windows.lengths.tolist())
        for name in (
            *windows.names[windows.offsets[document] :][: end // windows.width],
            f"{windows.documents[document]} ({end - windows.width}, {end})".strip(),
        )
    )


def windows_of(
    windows: TokenWindows, corpus: Corpus, mentions: IntArray, profile: ScorerProfile
) -> tuple[IntArray, IntArray]:
    """Mentions and their windows; a mention can be in no window or in two.

    corefine divides a document of n words into [0, w), [w, 2w), … BookCoref's scorer takes the
    words strictly between (i − 1)·w and i·w for each full window, which drops mentions at its
    first word, and one more window strictly between n − w and n. A document shorter than one window
    is not divided.
    """
    document = corpus.mentions.document[mentions]
    start, length = first_words(corpus)[mentions], windows.lengths[document]
    width = windows.width
    number, first = start // width, windows.offsets[document]
    kept = np.full(len(mentions), True)
    if profile.drops_first_tokens:
        kept = (start % width > 0) | (length < width)
    if not profile.last_window_overlaps:
        return mentions[kept], (first + number)[kept]
    full = length // width
    # A document whose length is a multiple of the width has one more window than in corefine.
    extra = (windows.lengths // width + 1) - np.diff(windows.offsets)
    first = first + np.append(0, np.cumsum(extra))[document]
    kept &= number < full
    last = start > length - width
    return (
        np.concatenate([mentions[kept], mentions[last]]),
        np.concatenate([(first + number)[kept], (first + full)[last]]),
    )
