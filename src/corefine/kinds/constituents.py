"""Noun phrases from a column of constituency brackets, such as ``(S(NP*`` and ``*))``."""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.columns import Tokens
from corefine.corpus.strings import Strings

_OPEN, _CLOSE = b"()"
_LABEL_ENDS = np.zeros(256, bool)
_LABEL_ENDS[list(b"(*-=|)")] = True
_NOUN_PHRASES = frozenset(("NP", "NPB", "NX", "NP-TMP", "SN", "sn", "np", "GN", "WHNP"))


def noun_phrases(tokens: Tokens) -> tuple[IntArray, IntArray] | None:
    """First token and token after the last of all noun phrases; inner ones before outer ones.

    None where there is no column of brackets. Sentences with unbalanced brackets have no phrases.
    """
    column = tokens.layers.get("parse")
    if column is None:
        return None
    data = column.block
    signs = np.flatnonzero((data == _OPEN) | (data == _CLOSE))
    if not len(signs):
        return None
    opens = data[signs] == _OPEN
    token = np.searchsorted(column.offsets - column.offsets[0], signs, side="right") - 1
    sentence = tokens.sentence_of(token)
    opening, closing = _pairs(opens, sentence, len(tokens.sentences))
    noun = _is_noun_phrase(data, signs[opening])
    start, stop = token[opening[noun]], token[closing[noun]] + 1
    order = np.lexsort((stop, start))
    return start[order], stop[order]


def _pairs(opens: BoolArray, sentence: IntArray, sentences: int) -> tuple[IntArray, IntArray]:
    """Opening and closing brackets that belong together, of the sentences where all do.

    Brackets of one depth open and close in turn, so sorting by sentence and depth pairs them.
    """
    level = np.cumsum(np.where(opens, 1, -1))
    before = np.concatenate([[0], level])
    first = np.searchsorted(sentence, np.arange(sentences + 1))
    depth = level - before[first[:-1]][sentence] + ~opens
    filled = np.flatnonzero(first[1:] > first[:-1])
    sound = np.zeros(sentences, bool)
    sound[filled] = np.minimum.reduceat(depth, first[filled]) >= 1
    sound &= before[first[1:]] == before[first[:-1]]
    rows = np.flatnonzero(sound[sentence])
    place = sentence[rows] * (int(depth.max(initial=0)) + 1) + depth[rows]
    order = rows[np.argsort(place, kind="stable")]
    return order[0::2], order[1::2]


def _is_noun_phrase(data: np.ndarray, opening: IntArray) -> BoolArray:
    """Whether the label behind each bracket is one of a noun phrase."""
    ends = np.flatnonzero(_LABEL_ENDS[data])
    stop = np.append(ends, len(data))[np.searchsorted(ends, opening + 1)]
    return Strings.cut(data, opening + 1, stop).looked_up(_NOUN_PHRASES.__contains__, bool)


def base_phrase_ends(
    start: IntArray, stop: IntArray, phrases: tuple[IntArray, IntArray], ends_in_genitive: BoolArray
) -> IntArray:
    """Where the innermost noun phrase ends that opens each mention and lies in it, -1 if none.

    ``ends_in_genitive`` tells of each token whether it marks a genitive: in "John 's wife" the
    inner phrase "John 's" does not have the head.
    """
    inside, after = phrases
    wanted = ~ends_in_genitive[after - 1]
    inside, after = inside[wanted], after[wanted]
    at = np.searchsorted(inside, start)
    place = np.minimum(at, max(len(inside) - 1, 0))
    if not len(inside):
        return np.full(len(start), -1)
    fits = (at < len(inside)) & (inside[place] == start) & (after[place] <= stop)
    return np.where(fits, after[place], -1)
