"""Span errors: a key mention and a response mention that mean the same expression.

Both are without a partner: the response did find the expression, but with other words at its
edges. Where both sides give the head word of a mention, two spans can only be the same expression
if they have the same head (Kummerfeld & Klein 2013). Where heads are not known, they have to share
a content word, and either begin with the same word or have at least half of their words in common.
Of all ways to pair them one to one, the one with the greatest sum of Dice coefficients is taken.
"""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import IntArray, ranges
from corefine.explaining.phrases import Phrases
from corefine.matching.assignment import align
from corefine.metrics.table import Table


def span_errors(table: Table, phrases: Phrases) -> tuple[IntArray, IntArray]:
    """Rows of the key and the rows of the response that they were found as, in the key's order."""
    key_only = np.flatnonzero((table.key_entity >= 0) & (table.response_entity < 0))
    response_only = np.flatnonzero((table.key_entity < 0) & (table.response_entity >= 0))
    ours, theirs, common, content = overlapping_rows(phrases, key_only, response_only)
    length = np.bincount(phrases.owner[phrases.place >= 0], minlength=len(phrases))
    sizes = length[ours] + length[theirs]
    half = 2 * common >= sizes - common
    alike = (content > 0) & (half | (phrases.first[ours] == phrases.first[theirs]))
    head, other_head = phrases.head[ours], phrases.head[theirs]
    alike = np.where((head >= 0) & (other_head >= 0), head == other_head, alike)
    ours, theirs = ours[alike], theirs[alike]
    chosen = align(ours, theirs, 2 * common[alike] / sizes[alike])
    return ours[chosen], theirs[chosen]


def overlapping_rows(
    phrases: Phrases, ours: IntArray, theirs: IntArray
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Pairs of a row of ours and one of theirs that stand in part on the same words of the text.

    With them, how many words they have in common, and how many of these are content words. No row
    may be in both.
    """
    side = np.zeros(len(phrases), np.int8)
    side[ours], side[theirs] = 1, 2
    width = int(phrases.place.max(initial=0)) + 1
    spot = np.where(phrases.place >= 0, phrases.document[phrases.owner] * width + phrases.place, -1)
    on_text = spot >= 0
    words = np.flatnonzero(on_text & (side[phrases.owner] == 1))
    others = np.flatnonzero(on_text & (side[phrases.owner] == 2))
    others = others[np.argsort(spot[others], kind="stable")]
    # Every word of ours beside every word of theirs at the same spot: spots hold few mentions.
    first = np.searchsorted(spot[others], spot[words], side="left")
    count = np.searchsorted(spot[others], spot[words], side="right") - first
    left, right = np.repeat(words, count), others[ranges(first, count)]
    rows = max(len(phrases), 1)
    code = phrases.owner[left] * rows + phrases.owner[right]
    pairs, inverse, common = np.unique(code, return_inverse=True, return_counts=True)
    content = np.bincount(inverse.reshape(-1), phrases.content[left], minlength=len(pairs))
    return pairs // rows, pairs % rows, common, content.astype(np.int64)
