"""Other readings of positions, for key and response of which few mentions match.

Ends that are exclusive on one side, shifted tokens, characters, positions within sentences,
documents in another order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus

DENSE = 5
"""Mentions per document from which a reading that differs by document is tried."""
SAMPLE = 60
"""Documents, and mentions of each, that vote for a shift."""
BEGINNING = 2000
"""Mentions of a document among which those that vote are looked up."""
DRIFT, STEP = 100, 1.0
"""The farthest drift in tokens that is looked for, and the matches that a token of it costs."""
MOST_DOCUMENTS = 500
"""Documents up to which another order is looked for."""


def _f1(ours: IntArray, theirs: IntArray) -> float:
    """F1 of two sets of positions."""
    both = np.concatenate([np.unique(ours, axis=0), np.unique(theirs, axis=0)])
    return 2 * (len(both) - len(np.unique(both, axis=0))) / max(len(both), 1)


def readings(
    key: Corpus, response: Corpus, ours: IntArray, theirs: IntArray
) -> Iterator[tuple[str, float]]:
    """Names of other readings of the positions, and the F1 of mentions under each."""
    votes = dict(_votes(ours, theirs))
    total = sum(votes.values(), Counter[tuple[int, int]]())
    del total[0, 0]
    if total:
        start, end = _first(total)
        yield f"shift {start} {end}", _f1(ours, theirs - np.array([0, start, end]))
    dense = min(len(ours), len(theirs)) >= DENSE * len(key.documents)
    if len(votes) > 1 and dense:
        moves = np.zeros((len(key.documents), 3), np.int64)
        for document, found in votes.items():
            moves[document, 1:] = _first(found)
        yield "document", _f1(ours, theirs - moves[theirs[:, 0]])
    if 1 < len(key.documents) <= MOST_DOCUMENTS and dense:
        yield "order", _reordered(ours, theirs)
    yield "drift", _drifting(ours, theirs)
    for corpus, own, other in ((key, ours, theirs), (response, theirs, ours)):
        tokens = corpus.tokens
        if tokens is None or not corpus.has_places:
            continue
        moved = {"characters": _in_characters(tokens, own)}
        if len(tokens.sentences) > len(key.documents):
            moved["sentences"] = _in_sentences(tokens, own)
        for name, spans in moved.items():
            yield name, max(_f1(spans - np.array([0, 0, inclusive]), other) for inclusive in (0, 1))


def _votes(ours: IntArray, theirs: IntArray) -> Iterator[tuple[int, Counter[tuple[int, int]]]]:
    """Count the differences of starts and ends by document, for spans of about the same length."""
    for document in np.unique(theirs[:, 0])[:SAMPLE].tolist():
        mine, other = (
            np.unique(side[side[:, 0] == document][:, 1:], axis=0)[:BEGINNING]
            for side in (ours, theirs)
        )
        other = other[:: max(1, len(other) // SAMPLE)]
        moves = (other[:, None] - mine[None]).reshape(-1, 2)
        near = np.abs(moves[:, 0] - moves[:, 1]) <= 1
        found = Counter(map(tuple, moves[near].tolist()))
        if found:
            yield document, found


def _first(votes: Counter[tuple[int, int]]) -> tuple[int, int]:
    """The shift with most votes, the smallest if several have as many."""
    return max(votes, key=lambda move: (votes[move], -abs(move[0]) - abs(move[1]), move))


def _drifting(ours: IntArray, theirs: IntArray) -> float:
    """F1 if the response drifts away from the key token by token, less the cost of the drift.

    The best drift is found mention by mention, in the beginning of the first documents.
    """
    matches = mentions = 0.0
    cost = STEP * np.abs(np.arange(-DRIFT, DRIFT + 1))
    for document in np.unique(theirs[:, 0])[: SAMPLE // 3].tolist():
        mine, other = (
            np.unique(side[side[:, 0] == document][:, 1:], axis=0) for side in (ours, theirs)
        )
        other = other[: 3 * SAMPLE]
        mine = mine[mine[:, 0] <= other[-1, 0]]
        length, best, in_place = mine[:, 1] - mine[:, 0], -cost, 0
        for start, end in other.tolist():
            drift = start - mine[length == end - start, 0]
            best[drift[np.abs(drift) <= DRIFT] + DRIFT] += 1
            in_place += int((drift == 0).any())
            more, less = best[:-1] - STEP, best[1:] - STEP
            np.maximum(best[1:], more, out=best[1:])
            np.maximum(best[:-1], less, out=best[:-1])
        if best.max() > 2 * in_place:
            matches += float(best.max())
        mentions += len(mine) + len(other)
    return 2 * matches / max(mentions, 1)


def _reordered(ours: IntArray, theirs: IntArray) -> float:
    """F1 if each document of the response belongs to the key document that it shares most with."""
    holders: dict[tuple[int, int], list[int]] = {}
    for document, start, end in ours.tolist():
        holders.setdefault((start, end), []).append(document)
    shared: dict[int, Counter[int]] = {}
    for document, start, end in theirs.tolist():
        shared.setdefault(document, Counter()).update(holders.get((start, end), ()))
    best: dict[int, int] = {}
    for found in shared.values():
        for document, number in found.most_common(1):
            best[document] = max(number, best.get(document, 0))
    return 2 * sum(best.values()) / (len(ours) + len(theirs))


def _in_sentences(tokens: Tokens, spans: IntArray) -> IntArray:
    """The spans counted from the beginning of their sentence."""
    base = tokens.offsets[spans[:, 0]]
    first = tokens.sentences[tokens.sentence_of(base + spans[:, 1])] - base
    return spans - np.stack([first * 0, first, first], axis=1)


def _in_characters(tokens: Tokens, spans: IntArray) -> IntArray:
    """The spans in characters of the text, or of the words joined by blanks."""
    base = tokens.offsets[spans[:, 0]]
    first, last = base + spans[:, 1], base + spans[:, 2] - 1
    if tokens.text is not None:
        begins, ends = tokens.text.begins, tokens.text.ends
    else:
        lengths = np.array([len(word) for word in tokens.words], np.int64)
        ends = np.cumsum(lengths + 1) - 1
        begins = ends - lengths
        origin = np.append(begins, 0)[tokens.offsets[:-1]][tokens.document_of_token]
        begins, ends = begins - origin, ends - origin
    return np.stack([spans[:, 0], begins[first], ends[last]], axis=1)
