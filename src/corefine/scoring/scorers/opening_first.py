"""Brackets read as scorers of CoNLL files read them: at one token, first those that open."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.formats.text.brackets import pair

BRACKETED = frozenset({"conll", "semeval", "conll-ud"})
"""The formats whose mentions are pairs of brackets in a column."""


def opening_first(corpus: Corpus) -> Corpus:
    """The corpus as it is read if at one token brackets that open come before those that close.

    It differs where a mention ends at the token at which another one of the same entity starts, as
    in the cell ``1)|(1``: the bracket that closes then takes the one just opened, so the mentions
    are that token alone and all from the first token to the last.
    """
    mentions = corpus.mentions
    if corpus.format not in BRACKETED or not len(mentions):
        return corpus
    closing = mentions.closing
    if closing is None:
        closing = np.where(mentions.stop - mentions.start > 1, 0, -1)
    rows = np.flatnonzero(closing >= 0)
    stride = int(mentions.stop.max()) + 1
    base = mentions.entity[rows] * stride
    touched = np.isin(base + mentions.start[rows], base + mentions.stop[rows] - 1)
    touched &= mentions.stop[rows] - mentions.start[rows] > 1
    if not touched.any():
        return corpus
    rows = rows[np.isin(mentions.entity[rows], mentions.entity[rows[touched]])]
    closer = np.arange(len(mentions))
    closer[rows] = rows[_paired(mentions.entity[rows], mentions.start[rows], mentions.stop[rows])]
    anew = replace(mentions, stop=mentions.stop[closer], closing=closing[closer])
    return replace(corpus, mentions=anew)


def without_unbarred(corpus: Corpus) -> Corpus:
    """The corpus as it is read if an opening bracket right before another is overlooked.

    As in ``(1(2``, where only 2 is opened. Of an entity that has such a bracket, those that close
    then take the ones that are left; where none is left they are overlooked as well.
    """
    mentions = corpus.mentions
    if mentions.unbarred is None or mentions.closing is None or not mentions.unbarred.any():
        return corpus
    changed = np.isin(mentions.entity, mentions.entity[mentions.unbarred])
    rows = np.flatnonzero(changed & (mentions.closing >= 0))
    wanted = np.ones(len(mentions), bool)
    start = mentions.start.copy()
    # At a token those that open come first, then those that close, each as they stand there.
    opens = [(place, 0, row, row) for place, row in _at(mentions.start, rows)]
    closes = [
        (place - 1, 1, int(mentions.closing[row]), row) for place, row in _at(mentions.stop, rows)
    ]
    stacks: dict[int, list[int]] = {}
    for place, closing, _, row in sorted(opens + closes):
        stack = stacks.setdefault(int(mentions.entity[row]), [])
        if closing and stack:
            start[row] = stack.pop()
        elif closing:
            wanted[row] = False
        elif not mentions.unbarred[row]:
            stack.append(place)
    return keep_mentions(replace(corpus, mentions=replace(mentions, start=start)), wanted)


def _at(places: IntArray, rows: IntArray) -> list[tuple[int, int]]:
    return list(zip(places[rows].tolist(), rows.tolist(), strict=True))


def _paired(entity: IntArray, start: IntArray, stop: IntArray) -> IntArray:
    """For each mention, whose closing bracket its opening one has if opening ones come first."""
    count = len(entity)
    owner, place = np.tile(entity, 2), np.concatenate([start, stop - 1])
    order = np.lexsort((np.arange(2 * count), place, owner))
    opens = order < count
    opening, closing = pair(owner[order], opens, ~opens)
    partner = np.empty(count, np.int64)
    partner[order[opening]] = order[closing] - count
    return partner
